"""Times on a GPU by CUDA events. Needs torch."""

from __future__ import annotations

import numpy as np
import torch


def time_ms(call, repeats: int = 30) -> float:
    """Median of single runs by CUDA events, after warming up."""
    for _ in range(5):
        call(0)
    times = []
    for k in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call(k)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return float(np.median(times))


def graph_ms(call, frames: int, repeats: int = 30) -> float:
    """Milliseconds a step when ``frames`` steps are replayed as one CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for k in range(frames):
            call(k)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for k in range(frames):
            call(k)
    return time_ms(lambda k: graph.replay(), repeats) / frames
