"""A part of a step as one CUDA graph: hundreds of small kernels of torch, Warp and taxel that one launch starts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

_WARM = 2
"""Plain calls before the capture: kernels are compiled, memory is taken, constants are copied."""


class Captured:
    """``work`` takes nothing, reads and writes tensors that stay where they are, and waits for nothing. What it returns
    (tensors, in dicts or tuples) is copied out of each launch.

    On a CPU a call is a call of ``work``. On a GPU it is one too where a larger graph is just being made. ``forget``
    after a change of anything that is not a tensor: a graph holds numbers as they were.
    """

    def __init__(self, work: Callable[[], Any], device: torch.device) -> None:
        self._work, self._device, self._cuda = work, device, device.type == "cuda"
        self._calls = 0
        self._graph: Any = None
        self._pool: Any = None
        self._out: Any = None

    def __call__(self) -> Any:
        if not self._cuda or torch.cuda.is_current_stream_capturing():
            return self._work()
        if self._graph is None:
            if self._calls < _WARM:
                self._calls += 1
                return self._work()
            self._capture()
        import warp as wp

        wp.capture_launch(self._graph, stream=warp_stream(self._device))
        return _copied(self._out)

    def forget(self) -> None:
        self._graph = self._out = self._pool = None
        self._calls = min(self._calls, _WARM - 1)  # once more plainly: new constants may have to be copied

    def _capture(self) -> None:
        """On a stream of its own, as that of the caller may be the one which cannot be captured. Warp begins: its loops
        that run until the solver is done need that. So torch does not know of the capture: it takes memory for it from
        a pool that nothing else is given from."""
        import warp as wp

        aside = torch.cuda.Stream(self._device)
        torch.cuda.synchronize(self._device)
        self._pool = torch.cuda.MemPool()
        with torch.cuda.stream(aside), torch.cuda.use_mem_pool(self._pool):
            stream = warp_stream(self._device)
            mode = {"capture_mode": wp.CaptureMode.RELAXED} if hasattr(wp, "CaptureMode") else {}
            with (
                wp.ScopedStream(stream, sync_enter=False),
                wp.ScopedCapture(stream.device, stream=stream, **mode) as capture,
            ):
                self._out = self._work()
        self._graph = capture.graph


def warp_stream(device: torch.device) -> Any:
    """torch's current stream as Warp's: one object for each, as Warp looks captures up by the object."""
    return _warp_stream(torch.cuda.current_stream(device))


@functools.cache
def _warp_stream(stream: torch.cuda.Stream) -> Any:
    import warp as wp

    return wp.stream_from_torch(stream)


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {name: _copied(each) for name, each in value.items()}
    return tuple(_copied(each) for each in value) if isinstance(value, tuple) else value
