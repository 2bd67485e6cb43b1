"""A recording of a run in MuJoCo: tactile sensors, poses, joints, actions, and a view of the scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...record import Channel, Image, Tape, Watch
from ...viewer.offscreen import View, open_offscreen

RATE = 25.0  # rows a second
PICTURE = (320, 240)


class Taping:
    """Rows of a run for ``--record``: called after every step, it writes those that are due.

    Each one is an episode of the tape. ``more`` adds channels with a function that reads each. Without OpenGL there is
    no picture of the scene.
    """

    def __init__(
        self,
        out: Any,
        tape: Tape,
        model: Any,
        view: View,
        task: str,
        bodies: Iterable[str] | None = None,
        more: dict[str, tuple[Channel, Callable[[], Any]]] | None = None,
    ) -> None:
        self._tape, self._view, self._more = tape, view, more or {}
        self._watch = Watch(model, bodies)
        self._every = max(1, round(1 / (RATE * model.opt.timestep)))
        self._step = 0
        self._camera = open_offscreen(out, model, *PICTURE)
        channels = {**self._watch.channels, **{name: channel for name, (channel, _) in self._more.items()}}
        if self._camera is not None:
            channels["scene"] = Image(PICTURE[1], PICTURE[0])
        tape.start(channels, task)

    def __call__(self, data: Any) -> None:
        self._step += 1
        if self._step % self._every:
            return
        row = {**self._watch(data), **{name: read() for name, (_, read) in self._more.items()}}
        if self._camera is not None:
            row["scene"] = self._camera(data, self._view)
        self._tape.write(data.time, row)

    def close(self) -> None:
        if self._camera is not None:
            self._camera.close()
            self._camera = None
