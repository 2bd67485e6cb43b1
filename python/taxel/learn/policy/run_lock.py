"""One process a run: a second one in the same folder would overwrite the checkpoints of the first."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

NAME = "running.pid"


class RunLock:
    """Held inside ``with``; the system lets go of it when a process ends, however that came about.

    The number in the file is for people alone: after a restart, or in a container, another process may have it.
    """

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / NAME
        self._file = -1

    def __enter__(self) -> RunLock:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = os.read(file, 32).decode(errors="replace").strip()
                os.close(file)
                raise ValueError(
                    f"{self.path.parent}: process {owner or '?'} trains there now; wait for it, or give another --out"
                ) from None
            except OSError:  # a file system without locks
                break
            if self._is_still_there(file):
                break
            os.close(file)  # its last owner removed it between the two lines: again
        os.ftruncate(file, 0)
        os.write(file, str(os.getpid()).encode())
        self._file = file
        return self

    def _is_still_there(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self.path))
        except FileNotFoundError:
            return False

    def __exit__(self, *_: object) -> None:
        if self._is_still_there(self._file):
            self.path.unlink(missing_ok=True)
        os.close(self._file)
