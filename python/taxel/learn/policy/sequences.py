"""A rollout cut where episodes end inside it, so that an LSTM runs over each of them from its own beginning.

rsl-rl copies sequence by sequence, thousands of copies for thousands of worlds. Here it is a few operations whatever
their number, and none where no episode ends before the rollout does.
"""

from __future__ import annotations

from typing import Any

import torch
from tensordict import TensorDict


class Cut:
    """How tensors (time, world, ...) with ``dones`` (time, world, 1) are cut into sequences (time, sequence, ...),
    world by world, zero behind their ends. ``whole``: none ends before the last step, so that a sequence is a world
    (None: it is looked at, which waits for a GPU).
    """

    def __init__(self, dones: torch.Tensor, whole: bool | None = None) -> None:
        over = dones.reshape(dones.shape[:2])[:-1] != 0
        self.whole = not bool(over.any()) if whole is None else whole
        if self.whole:
            return
        steps, worlds = dones.shape[:2]
        starts = torch.cat([torch.ones_like(over[:1]), over]).T.reshape(-1) if steps > 1 else over.new_ones(worlds)
        begin = starts.nonzero().squeeze(-1)
        each, all_steps = torch.arange(steps, device=begin.device), torch.arange(len(starts), device=begin.device)
        at = begin[:, None] + each
        end = torch.cat([begin[1:], begin.new_tensor([len(starts)])])
        self._inside = (at < end[:, None]).T
        self._source = at.clamp(max=len(starts) - 1).T
        number = starts.cumsum(0) - 1
        self._place = ((all_steps - begin[number]) * len(begin) + number).reshape(worlds, steps).T
        self._world, self._from_first = begin // steps, begin % steps == 0

    def pad(self, x: Any) -> Any:
        """(time, world, ...) -> (time, sequence, ...); a TensorDict's tensors each."""
        if self.whole:
            return x
        if isinstance(x, TensorDict):
            size = list(self._source.shape)
            return TensorDict({k: self.pad(v) for k, v in x.items()}, batch_size=size, device=x.device)
        cut = x.transpose(0, 1).flatten(0, 1)[self._source]
        return cut * self._inside.reshape(*self._inside.shape, *[1] * (cut.dim() - 2)).to(cut.dtype)

    def unpad(self, x: Any) -> Any:
        """The inverse of ``pad``."""
        if self.whole:
            return x
        if isinstance(x, TensorDict):
            size = list(self._place.shape)
            return TensorDict({k: self.unpad(v) for k, v in x.items()}, batch_size=size, device=x.device)
        return x.flatten(0, 1)[self._place]

    def memory(self, first: Any) -> Any:
        """What each sequence begins with, from what each world began the rollout with (tensors (layer, world, hidden),
        or None): that of its world, or none where an episode began inside."""
        if first is None or self.whole:
            return first
        return tuple((s[:, self._world] * self._from_first[None, :, None]).contiguous() for s in first)
