"""The way of the object over the pads since each world's episode began: all that the memory of a gel is made of."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .scene import STEPS

_FIRST = 64  # steps that there is room for at the start


class TouchPath:
    """Poses X_PI of each world, one after the other, the first where its episode began.

    A world adds to its own row alone, so that resets of others, however many, push nothing out. On a GPU there is room
    for an episode from the start (``add`` is part of a graph, which takes none).
    """

    def __init__(self, worlds: int, device: torch.device, dtype: torch.dtype) -> None:
        self._fixed = device.type == "cuda"
        room = STEPS + 1 if self._fixed else _FIRST
        self._poses = torch.zeros(worlds, room, 2, 3, 4, dtype=dtype, device=device)
        self._length = torch.zeros(worlds, dtype=torch.int64, device=device)
        self._world = torch.arange(worlds, device=device)
        self._most = 0  # no row is longer: known without asking the device

    def add(self, X: torch.Tensor, begun: torch.Tensor, moved: torch.Tensor) -> None:
        """X (worlds, 2, 4, 4) of the worlds ``moved``; those of them that have ``begun`` start over."""
        if not self._fixed and self._most >= self._poses.shape[1]:
            self._most = int(self._length.max())
            if self._most >= self._poses.shape[1]:
                self._make_room()
        self._most += 1
        at = torch.where(begun, 0, self._length).clamp(max=self._poses.shape[1] - 1)
        self._poses[self._world, at] = torch.where(
            moved[:, None, None, None], X[..., :3, :].to(self._poses.dtype), self._poses[self._world, at]
        )
        self._length.copy_(torch.where(moved, at + 1, self._length))

    def _make_room(self) -> None:
        held = self._poses.shape[1]
        room = STEPS + 1 if held < STEPS + 1 <= 8 * held else 2 * held
        more = torch.zeros(len(self._poses), room - held, 2, 3, 4, dtype=self._poses.dtype, device=self._poses.device)
        self._poses = torch.cat([self._poses, more], 1)

    def steps(self) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """The way again: X, which worlds begin, which move. Rows that are at their end stay."""
        for k in range(int(self._length.max())):
            X = torch.zeros(len(self._poses), 2, 4, 4, dtype=self._poses.dtype, device=self._poses.device)
            X[..., :3, :], X[..., 3, 3] = self._poses[:, k], 1.0
            moved = self._length > k
            yield X, moved if k == 0 else torch.zeros_like(moved), moved

    def get_state(self) -> dict[str, torch.Tensor]:
        return {"poses": self._poses[:, : int(self._length.max())].clone(), "length": self._length.clone()}

    def set_state(self, state: dict[str, torch.Tensor]) -> None:
        poses = state["poses"].to(self._poses)
        self._most = poses.shape[1]
        while self._poses.shape[1] < self._most:
            self._make_room()
        self._poses[:, : self._most] = poses
        self._length.copy_(state["length"])
