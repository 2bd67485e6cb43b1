"""Where a data set lies: shards, an index with what each holds, and what it was made from.

    DIR/dataset.json            plan, objects, versions
    DIR/shards/shard-00000000.parquet
    DIR/index/00000000.json     rows, SHA-256, what was left out
    DIR/README.md, samples.png  the data card

A shard is written beside its place and renamed, then its index is; so what has an index is whole. A run that was killed
leaves at most a file that begins with a point, which the next run removes.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .job import Job, Shard
from .shard_file import ENDINGS, described


class Folder:
    """The folder of one job. Made, or opened where the same plan was begun there."""

    def __init__(self, path: str | Path, job: Job) -> None:
        self.path, self.job = Path(path), job
        self.shards, self.index = self.path / "shards", self.path / "index"
        self._check_same()
        manifest = {
            "taxel": _core.__version__,
            "numpy": np.__version__,
            "machine": platform.machine(),
            "digest": job.digest,
            "samples": job.plan.samples,
            "plan": job.plan.plain(),
            "columns": described(job.plan.columns()),
            "meshes": job.stock.files,
            "skipped": [[s.name, s.reason] for s in job.stock.skipped],
        }
        try:
            for folder in (self.shards, self.index):
                folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.path / "dataset.json", (json.dumps(manifest, indent=1) + "\n").encode())
        except OSError as error:
            raise _core.Error(f"--out {self.path}: cannot be written ({error.strerror}); give another") from None

    def _check_same(self) -> None:
        """Nothing of another plan, or of another kind, is written over."""
        manifest = self.path / "dataset.json"
        if not manifest.exists():
            if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
                raise _core.Error(f"--out {self.path}: something else is there; give a new folder, or an empty one")
            return
        try:
            before = json.loads(manifest.read_text())
            digest, plan, samples = before["digest"], before["plan"], int(before["samples"])
        except (OSError, ValueError, KeyError, TypeError):
            raise _core.Error(f"{manifest}: cannot be read; give another --out, or remove that folder") from None
        if digest != self.job.digest:
            now = self.job.plan.plain()
            keys = [key for key in now if now[key] != plan.get(key)]
            what = f"another {', '.join(keys)}" if keys else "other mesh files"
            raise _core.Error(f"--out {self.path}: holds a data set with {what}; give another folder for this plan")
        if samples > self.job.plan.samples:
            raise _core.Error(
                f"--out {self.path}: holds {samples} samples, the plan has {self.job.plan.samples}; a data set may "
                "grow, not shrink: give another folder"
            )

    def file(self, number: int) -> Path:
        return self.shards / f"shard-{number:08d}{ENDINGS[self.job.plan.format]}"

    def about(self, number: int) -> dict[str, Any] | None:
        """What the index says; None where there is no entry that can be read."""
        try:
            found = json.loads((self.index / f"{number:08d}.json").read_text())
            return found if isinstance(found, dict) else None
        except (OSError, ValueError):
            return None

    def count(self) -> int:
        """Shards in the index."""
        return sum(1 for file in self.index.iterdir() if file.suffix == ".json" and not file.name.startswith("."))

    def is_done(self, number: int) -> bool:
        """Is the shard there, whole, and of these samples? Its content is read and compared."""
        about, wanted = self.about(number), self.job.plan.samples_of(number)
        if about is None or about.get("samples") != [wanted.start, wanted.stop]:
            return False
        try:
            if self.file(number).stat().st_size != about.get("bytes"):
                return False
            with self.file(number).open("rb") as file:
                found = hashlib.sha256()
                while chunk := file.read(1 << 20):
                    found.update(chunk)
        except OSError:
            return False
        return found.hexdigest() == about.get("sha256")

    def keep(self, shard: Shard) -> None:
        """Writes a shard and its index. A full disk: an error, and nothing half there."""
        try:
            write_whole(self.file(shard.number), shard.data)
            text = json.dumps(shard.about) + "\n"
            write_whole(self.index / f"{shard.number:08d}.json", text.encode())
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise _core.Error(
                    f"--out {self.path}: no room on the disk for shard {shard.number} ({len(shard.data)} bytes); make "
                    "room and run the same command again: finished shards are kept"
                ) from None
            raise _core.Error(f"--out {self.path}: shard {shard.number} cannot be written ({error.strerror})") from None

    def clean(self) -> None:
        """Removes what a killed run left behind."""
        for folder in (self.path, self.shards, self.index):
            for left in folder.glob(".*.part"):
                left.unlink(missing_ok=True)

    @contextmanager
    def held(self, alone: bool) -> Iterator[None]:
        """One run over all shards at a time; runs of single shards may work side by side. Freed when the process ends,
        however it ends."""
        with (self.path / ".lock").open("w") as file:
            try:
                fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _core.Error(f"--out {self.path}: another taxel dataset is at work there; wait for it") from None
            except OSError:  # a file system without locks
                pass
            yield


def write_whole(path: Path, data: bytes) -> None:
    """All of it or nothing: beside its place, to the disk, then renamed."""
    part = path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
