"""Training steps that a GPU repeats by itself: after a few plain runs a step is captured into a CUDA graph.

A step of a small network is hundreds of kernels of a few microseconds; started one by one the GPU mostly waits for the
host. A graph starts them at once, and graphs of several trainings, each on its own stream, run beside one another.

What a step may do, then: no reading back, no copies from the host, random numbers from its own generator alone, the
number of the step and the rate of learning from tensors (``Schedule``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

PLAIN = 4  # runs before the capture: libraries choose their kernels, the optimiser makes its state


class Schedule:
    """The number of a step and its rate of learning, where the step runs.

    rates: one for each step. ``start`` is called first in each step: it sets the rate of the optimiser and returns the
    number of the step, (1,) on the device, before it counts on.
    """

    def __init__(self, optimiser: Any, rates: Sequence[float], device: Any) -> None:
        import torch

        self.optimiser, self.on_gpu = optimiser, device.type == "cuda"
        self.rates = torch.tensor(rates, device=device, dtype=torch.float32)
        self.number = torch.zeros(1, dtype=torch.int64, device=device)
        self.rate = torch.zeros((), device=device)
        if self.on_gpu:
            for group in optimiser.param_groups:
                group["lr"] = self.rate

    def start(self) -> Any:
        number = self.number.clone()
        if self.on_gpu:
            self.rate.copy_(self.rates.index_select(0, number)[0])
        else:
            for group in self.optimiser.param_groups:
                group["lr"] = float(self.rates[number])
        self.number += 1
        return number


class Step:
    """``body``, again and again; on a GPU on its own stream, from the PLAIN-th time on as a graph."""

    def __init__(self, body: Callable[[], None], generator: Any) -> None:
        import torch

        self.body, self.generator, self.done = body, generator, 0
        self.on_gpu = generator.device.type == "cuda"
        self.graph: Any = None
        if self.on_gpu:
            self.stream = torch.cuda.Stream(generator.device)
            self.stream.wait_stream(torch.cuda.current_stream(generator.device))

    def __call__(self) -> None:
        import torch

        self.done += 1
        if not self.on_gpu:
            self.body()
            return
        if self.graph is None and self.done > PLAIN:
            self.graph = torch.cuda.CUDAGraph()
            self.graph.register_generator_state(self.generator)
            with torch.cuda.graph(self.graph, stream=self.stream, capture_error_mode="thread_local"):
                self.body()
        with torch.cuda.stream(self.stream):
            if self.graph is None:
                self.body()
            else:
                self.graph.replay()

    def wait(self) -> None:
        """Until all that was asked for is done."""
        if self.on_gpu:
            self.stream.synchronize()

    def follow(self) -> None:
        """The next one begins after what was asked for elsewhere, such as a copy of the weights."""
        if self.on_gpu:
            import torch

            self.stream.wait_stream(torch.cuda.current_stream(self.generator.device))
