"""A data set, made: shards that are missing are made, the others are kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import _core
from ..report import Progress
from .card import write_card
from .crew import work_here, work_in_processes
from .folder import Folder
from .job import Job, Shard, Worker
from .plan import Plan, read_plan
from .shard_file import need_pyarrow
from .stock import Skipped, take_stock

CARD_ALWAYS = 1000
"""Shards up to which a run of single ones writes the card as well; it reads the whole index."""


@dataclass
class Made:
    """What a run did."""

    folder: Path
    shards: int
    """Of the whole data set."""
    made: int = 0
    kept: int = 0
    """Shards that were there already, whole."""
    damaged: list[int] = field(default_factory=list)
    """Shards whose content did not fit the index; they were made again."""
    same: list[int] = field(default_factory=list)
    """Shards that were asked for by number and came out as they were."""
    different: list[int] = field(default_factory=list)
    """The same, but with other bits; what was there is kept."""
    samples: int = 0
    """Made in this run."""
    rows: int = 0
    left_out: int = 0
    reason: str = ""
    """Why the first of those was left out."""
    kept_samples: int = 0
    """In the shards that were there already."""
    bytes: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of the workers."""
    peak_mb: float = 0.0
    """Greatest of a worker."""
    peaks_mb: list[float] = field(default_factory=list)
    """After each shard, in the order in which they were finished."""
    skipped: tuple[Skipped, ...] = ()

    @property
    def complete(self) -> bool:
        return self.made + self.kept == self.shards

    @property
    def empty(self) -> bool:
        """All shards are there and none of them has a sample."""
        return self.complete and not self.samples + self.kept_samples


def make_dataset(
    plan: Plan | str | Path,
    out: str | Path,
    *,
    shards: list[int] | None = None,
    jobs: int = 1,
    ray: str | None = None,
    show: Callable[..., Progress] | None = None,
) -> Made:
    """Makes a data set in the folder ``out``, or goes on with it.

    shards  only these, again, also where they are there: then they are compared
    jobs    processes here; 1 works in this one
    ray     address of a Ray cluster instead: HOST:PORT, auto, local
    show    makes the progress bar (``Progress``); left out: none

    The bits of a shard depend on the plan, the mesh files and its number alone. What is finished stays, whatever stops
    the run: an error, Ctrl-C, a full disk, kill -9. Call it from under ``if __name__ == "__main__":`` where jobs > 1,
    as the processes import the program anew.
    """
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    if plan.format == "parquet":
        need_pyarrow()
    wrong = [number for number in shards or [] if not 0 <= number < plan.shards]
    if wrong:
        raise _core.Error(f"shard {wrong[0]}: the plan has {plan.shards}, 0 to {plan.shards - 1}")
    job = Job(plan, take_stock(plan, _passing(show)))
    Worker(job)  # what is wrong with sensor or model is said before a folder is made
    folder = Folder(out, job)
    with folder.held(alone=shards is None):
        if shards is None:
            folder.clean()
        result = Made(folder.path, plan.shards, skipped=job.stock.skipped)
        left = _left(folder, result, show) if shards is None else sorted(set(shards))
        run = _Run(folder, result, left, again=shards is not None, show=show)
        try:
            run.work(_workers(job, left, jobs, ray, run.tell))
        finally:
            run.end()
            if shards is None or plan.shards <= CARD_ALWAYS or folder.count() == plan.shards:
                write_card(folder)
    return result


def _passing(show: Callable[..., Progress] | None) -> Callable[[list[Any], str], Iterator[Any]]:
    """Passes items on, and shows how far it is."""

    def progress(items: list[Any], label: str) -> Iterator[Any]:
        bar = show(label, len(items)) if show else None
        for k, item in enumerate(items):
            if bar:
                bar(k)
            yield item
        if bar:
            bar.done()

    return progress


def _left(folder: Folder, result: Made, show: Callable[..., Progress] | None) -> list[int]:
    """The shards that are missing; those with an index are read and checked."""
    left = []
    bar = show("checking shards", result.shards) if show else None
    for number in range(result.shards):
        if folder.is_done(number):
            result.kept += 1
            result.kept_samples += int((folder.about(number) or {}).get("made", 0))
        else:
            left.append(number)
            about = folder.about(number)
            wanted = folder.job.plan.samples_of(number)
            if about is not None and about.get("samples") == [wanted.start, wanted.stop]:
                result.damaged.append(number)
        if bar:
            bar(number)
    if bar:
        bar.done()
    return left


def _workers(
    job: Job, left: list[int], jobs: int, ray: str | None, tell: Callable[[int, int], None]
) -> Iterator[Shard]:
    if not left:
        return iter(())
    if ray is not None:
        from .ray_crew import work_on_ray

        return work_on_ray(job, left, ray, tell)
    jobs = min(jobs, len(left))
    return work_here(job, left, tell) if jobs == 1 else work_in_processes(job, left, jobs, tell)


class _Run:
    def __init__(
        self, folder: Folder, result: Made, left: list[int], again: bool, show: Callable[..., Progress] | None
    ) -> None:
        self.folder, self.result, self.again = folder, result, again
        plan = folder.job.plan
        total = sum(len(plan.samples_of(number)) for number in left)
        self.before = 0 if again else plan.samples - total
        self.bar = show("dataset", self.before + total, unit="samples", first=self.before) if show and left else None
        self.finished = self.before
        self.under_way: dict[int, int] = {}
        self.start = time.perf_counter()

    def tell(self, shard: int, done: int) -> None:
        self.under_way[shard] = done
        if self.bar:
            self.bar(self.finished + sum(self.under_way.values()))

    def work(self, shards: Iterator[Shard]) -> None:
        for shard in shards:
            self._keep(shard)
            self.under_way.pop(shard.number, None)
            self.finished += len(self.folder.job.plan.samples_of(shard.number))
            if self.bar:
                self.bar(self.finished)

    def _keep(self, shard: Shard) -> None:
        result, about = self.result, shard.about
        if self.again and self.folder.is_done(shard.number):
            before: dict[str, Any] = self.folder.about(shard.number) or {}
            (result.same if before.get("sha256") == about["sha256"] else result.different).append(shard.number)
        else:
            self.folder.keep(shard)
        result.made += 1
        result.samples += about["made"]
        result.rows += about["rows"]
        result.left_out += len(about["left_out"])
        if about["left_out"] and not result.reason:
            result.reason = str(about["left_out"][0][2])
        result.bytes += about["bytes"]
        result.cpu_seconds += about["cpu_seconds"]
        result.peak_mb = max(result.peak_mb, about["peak_mb"])
        result.peaks_mb.append(about["peak_mb"])

    def end(self) -> None:
        self.result.seconds = time.perf_counter() - self.start
        if self.bar:
            self.bar.done()
