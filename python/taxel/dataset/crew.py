"""Processes on this machine that make shards. One that dies is replaced, and its shard is made again."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from .. import _core
from .job import Job, Shard, Worker

DEATHS = 3
"""How often a shard may take its worker with it."""
TELL = 0.3  # s between two words of a worker


def work_here(job: Job, shards: list[int], tell: Callable[[int, int], None]) -> Iterator[Shard]:
    """In this process, one after the other."""
    worker = Worker(job)
    for number in shards:
        yield worker.make(number, partial(tell, number))


def work_in_processes(job: Job, shards: list[int], jobs: int, tell: Callable[[int, int], None]) -> Iterator[Shard]:
    """Shards in the order in which they are finished; their bits do not depend on it. tell(shard, samples done)."""
    crew = _Crew(job, jobs)
    try:
        yield from crew.work(list(reversed(shards)), tell)
    finally:
        crew.end()


class _Member:
    def __init__(self, context: Any, job: Job) -> None:
        self.link, other = context.Pipe()
        self.process = context.Process(target=_member_main, args=(other, job), daemon=True)
        self.process.start()
        other.close()
        self.shard: int | None = None


class _Crew:
    def __init__(self, job: Job, jobs: int) -> None:
        # Fresh processes: a fork would copy threads and locks of this one.
        self.context = multiprocessing.get_context("spawn")
        self.job = job
        self.members = [_Member(self.context, job) for _ in range(jobs)]
        self.deaths: dict[int, int] = {}

    def work(self, left: list[int], tell: Callable[[int, int], None]) -> Iterator[Shard]:
        for member in self.members:
            self._give(member, left)
        while any(member.shard is not None for member in self.members):
            ready = wait([member.link for member in self.members if member.shard is not None], timeout=1.0)
            for k, member in enumerate(self.members):
                if member.link not in ready:
                    continue
                try:
                    kind, value = member.link.recv()
                except (EOFError, OSError):
                    left.append(self._died(member))
                    member = self.members[k] = _Member(self.context, self.job)
                    self._give(member, left)
                    continue
                if kind == "done":
                    assert member.shard is not None
                    tell(member.shard, value)
                elif kind == "wrong":
                    raise _core.Error(value)
                else:
                    self._give(member, left)
                    yield value

    def _give(self, member: _Member, left: list[int]) -> None:
        member.shard = left.pop() if left else None
        if member.shard is not None:
            with contextlib.suppress(OSError):  # it has died; the next look at it finds out
                member.link.send(member.shard)

    def _died(self, member: _Member) -> int:
        """The shard of a worker that is gone; an error where that happens again and again."""
        number = member.shard
        assert number is not None
        member.link.close()
        member.process.join()
        self.deaths[number] = self.deaths.get(number, 0) + 1
        if self.deaths[number] == DEATHS:
            code = member.process.exitcode or 0
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
            hint = "; too little memory for so many --jobs?" if code == -signal.SIGKILL else ""
            raise _core.Error(f"shard {number}: its worker died {DEATHS} times ({how}){hint}")
        return number

    def end(self) -> None:
        for member in self.members:
            member.link.close()
            member.process.terminate()
        deadline = time.monotonic() + 2
        for member in self.members:
            member.process.join(max(0.0, deadline - time.monotonic()))
            if member.process.is_alive():
                member.process.kill()
                member.process.join()


def _member_main(link: Connection, job: Job) -> None:
    """A worker: numbers of shards in, shards out. Ends when the pipe does, also where the driver was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the driver, which ends its workers
    last = 0.0

    def tell(done: int) -> None:
        nonlocal last
        if (now := time.monotonic()) - last > TELL:
            last = now
            link.send(("done", done))

    try:
        worker = Worker(job)
        while True:
            number = link.recv()
            link.send(("shard", worker.make(number, tell)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:
        words = " ".join(str(error).split()) or type(error).__name__
        if not isinstance(error, ValueError | OSError | ImportError):
            words = f"unexpected {type(error).__name__} in a worker: {words}"
        link.send(("wrong", words))
