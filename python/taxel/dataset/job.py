"""The work on one shard, wherever it is done: a process here, a worker of Ray, this very process."""

from __future__ import annotations

import hashlib
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _core
from .plan import Plan
from .samples import SampleMaker
from .shard_file import encode
from .stock import Stock


@dataclass(frozen=True)
class Job:
    """All that a worker must know."""

    plan: Plan
    stock: Stock
    version: str = _core.__version__

    @property
    def digest(self) -> str:
        return self.plan.digest(self.stock.files)


@dataclass(frozen=True)
class Shard:
    """A shard that is made: its bytes, and what the index says of it."""

    number: int
    data: bytes
    about: dict[str, Any]


class Worker:
    """Makes shards of one job."""

    def __init__(self, job: Job) -> None:
        if job.version != _core.__version__:
            raise _core.Error(
                f"this machine has taxel {_core.__version__}, the data set is made by {job.version}; install the same"
            )
        self.job = job
        self.maker = SampleMaker(job.plan, job.stock)

    def make(self, number: int, tell: Callable[[int], None] = lambda done: None) -> Shard:
        plan = self.job.plan
        begin, cpu = time.perf_counter(), time.process_time()
        rows = self.maker.shard(number, tell)
        wanted = plan.samples_of(number)
        about = {"plan": self.job.digest, "shard": number, "samples": [wanted.start, wanted.stop], "seed": plan.seed}
        data = encode(plan.format, self.maker.columns, rows.arrays(self.maker.columns), about)
        return Shard(
            number,
            data,
            {
                **about,
                "made": rows.samples,
                "rows": len(rows),
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
                "left_out": rows.left_out,
                "redrawn": dict(sorted(rows.redrawn.items())),
                "objects": dict(sorted(rows.per_object.items())),
                "motions": dict(sorted(rows.per_motion.items())),
                "taxel": _core.__version__,
                "seconds": round(time.perf_counter() - begin, 3),
                "cpu_seconds": round(time.process_time() - cpu, 3),
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            },
        )
