"""The thread that steps a world at the pace of a clock and hands out frames."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from .frame import Frame
from .world import World

FRAMES = 30.0  # a second, at most
BUSY = 0.85  # of a frame's time for steps; the rest is for reading and sending
LONGEST = 0.1  # s of simulated time in a frame, at most
SAMPLE = 0.04  # s of simulated time between two samples for a recording
SMOOTH = 0.1  # weight of the newest frame in the two rates


class Simulation:
    """Owns the world: nobody else may touch it while this runs. What others want done goes through ``ask``.

    on_frame    gets every frame, on this thread
    on_error    gets the words of what stopped the simulation; it is paused then, and ``reset`` starts it anew
    """

    def __init__(
        self,
        world: World,
        on_frame: Callable[[Frame], Any],
        on_error: Callable[[str], Any],
        *,
        paused: bool = False,
        frames: float = FRAMES,
    ) -> None:
        self.world, self.on_frame, self.on_error = world, on_frame, on_error
        self.paused, self.speed, self.frames = paused, 1.0, frames
        self.on_sample: Callable[[Frame], Any] | None = None
        """Gets a frame every 40 ms of simulated time, whatever the pace; on this thread."""
        self.rate, self.pace = 0.0, 0.0
        """Frames a second, and simulated seconds a second, as they are."""
        self.count = 0
        """Frames so far."""
        self._asked: queue.Queue[Callable[[], Any]] = queue.Queue()
        self._stop = threading.Event()
        self._steps, self._dirty = 0, True
        self._turn, self._stepped = 1 / frames, 0.0
        self._owed = 0.0  # simulated seconds that the clock is ahead
        self._thread = threading.Thread(target=self._run, name="taxel simulation", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread after the frame it is at."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(10.0)

    def ask(self, work: Callable[[], Any]) -> None:
        """Has the thread do this between two frames."""
        self._asked.put(work)

    def step_once(self) -> None:
        """One step of the engine, while paused (which it is from then on)."""

        def work() -> None:
            self.paused = True
            self._steps += 1

        self.ask(work)

    def reset(self) -> None:
        def work() -> None:
            force = self.world.hand.grip.force if self.world.hand is not None else None
            self.world.start()
            if self.world.hand is not None:
                self.world.hand.grip.force = force

        self.ask(work)

    def show(self, world: World) -> None:
        """Another world, from its beginning. On the simulation's own thread (``ask``)."""
        self.world = world

    def _run(self) -> None:
        due = last = time.perf_counter()
        while not self._stop.is_set():
            now = time.perf_counter()
            elapsed, last = now - last, now
            try:
                self._work()
                stepped = self._advance(elapsed, now)
                if stepped or self._dirty:
                    self._dirty = False
                    self.on_frame(self.world.read())
                    self.count += 1
            except Exception as error:  # the page lives on, and says why
                self.paused, self._steps = True, 0
                self.on_error(" ".join(str(error).split()) or type(error).__name__)
                stepped = 0.0
            self._told(elapsed, stepped)
            due = max(due + 1 / self.frames, time.perf_counter() - 1 / self.frames)
            self._stop.wait(max(0.0, due - time.perf_counter()))

    def _told(self, elapsed: float, stepped: float) -> None:
        """The two rates, from means: a short turn of the loop is no burst of frames."""
        self._turn += SMOOTH * (elapsed - self._turn)
        self._stepped += SMOOTH * (stepped - self._stepped)
        self.rate, self.pace = 1 / self._turn, self._stepped / self._turn

    def _work(self) -> None:
        while True:
            try:
                work = self._asked.get_nowait()
            except queue.Empty:
                return
            self._dirty = True
            work()

    def _advance(self, elapsed: float, begin: float) -> float:
        """Steps as far as the clock says, or as the time of a frame allows. Simulated seconds."""
        world, h = self.world, self.world.timestep
        wanted, self._steps = self._steps, 0
        if not self.paused:
            self._owed = min(self._owed + self.speed * elapsed, LONGEST)
            wanted = int(self._owed / h)
        done = 0
        while done < wanted:
            world.step()
            done += 1
            if self.on_sample is not None and world.steps % max(1, round(SAMPLE / h)) == 0:
                self.on_sample(world.read())
            if time.perf_counter() - begin > BUSY / self.frames:
                break
        # What a slow machine could not do is not made up for: time runs slower then.
        self._owed = 0.0 if self.paused or done < wanted else self._owed - done * h
        return done * h
