"""Shards made on a Ray cluster. The bytes come back to the driver, which writes them: no folder need be shared."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

from .. import _core
from .job import Job, Shard, Worker

RETRIES = 5
"""How often Ray makes a shard again whose worker, or machine, is gone."""
AHEAD = 2
"""Shards in flight for each processor."""


def need_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported anywhere
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # its default says a warning on every start
    try:
        import ray
    except ImportError:
        raise ImportError(
            "--ray needs Ray; run: pip install 'taxel[ray]' (without --ray, processes here work)"
        ) from None
    return ray


def connect(address: str) -> Any:
    """Ray, connected: to a cluster (HOST:PORT, ``auto``), or to one of this machine alone (``local``)."""
    ray = need_ray()
    if ray.is_initialized():
        return ray
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False, logging_level="error")
    except (RuntimeError, ValueError, OSError, OverflowError) as error:
        words = " ".join(str(error).split())[:200]
        raise _core.Error(
            f"--ray {address}: no cluster answers there ({words}); start one with ray start --head, or give local"
        ) from None
    return ray


def _knock(address: str) -> None:
    """An error where a HOST:PORT does not answer; Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()


def work_on_ray(job: Job, shards: list[int], address: str, tell: Callable[[int, int], None]) -> Iterator[Shard]:
    """Shards in the order in which they are finished. A worker or a machine that dies costs its shards in flight."""
    ray = need_ray()
    was_there = ray.is_initialized()
    connect(address)
    try:
        yield from _work(ray, job, list(reversed(shards)), tell)
    except ray.exceptions.RayError as error:
        words = " ".join(str(error).split())[:200]
        raise _core.Error(f"--ray {address}: {words}; finished shards are kept, run the same command again") from None
    finally:
        if not was_there:
            ray.shutdown()


def _work(ray: Any, job: Job, left: list[int], tell: Callable[[int, int], None]) -> Iterator[Shard]:
    remote = ray.remote(num_cpus=1, max_retries=RETRIES)(_make)
    shared = ray.put(job)
    flying: dict[Any, int] = {}
    while left or flying:
        # Asked each time: machines come and go.
        room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while left and len(flying) < room:
            number = left.pop()
            flying[remote.remote(shared, job.digest, number)] = number
        ready, _ = ray.wait(list(flying), num_returns=1, timeout=1.0)
        for reference in ready:
            number = flying.pop(reference)
            found = ray.get(reference)
            if isinstance(found, str):
                raise _core.Error(found)
            tell(number, len(job.plan.samples_of(number)))
            yield found


_kept: dict[str, Worker] = {}  # of a process of Ray: bodies stay from shard to shard


def _make(job: Job, digest: str, number: int) -> Shard | str:
    """A shard, or what is wrong in words: an exception of ours would be taken for one that is worth another try."""
    try:
        if digest not in _kept:
            _kept.clear()
            _kept[digest] = Worker(job)
        return _kept[digest].make(number)
    except (ValueError, OSError, ImportError) as error:
        return " ".join(str(error).split())
