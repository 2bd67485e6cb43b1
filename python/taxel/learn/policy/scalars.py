"""TensorBoard's events of a run. They are a view of it: what stops them does not stop the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


class Scalars:
    """Writes rows of the curve until it cannot; ``tell`` then gets one line."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._tell, self._folder = tell, folder
        self._writer: Any = None
        self._try(self._open)

    def _open(self) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(self._folder))

    def add(self, row: dict[str, Any]) -> None:
        self._try(lambda: self._add(row))

    def close(self) -> None:
        self._try(lambda: self._writer.close() if self._writer is not None else None)

    def _add(self, row: dict[str, Any]) -> None:
        if self._writer is None:
            return
        for name in ("success", "reward", "lr", "std", "steps_per_second", "bad_worlds", "stage"):
            if row[name] is not None:
                self._writer.add_scalar(f"train/{name}", row[name], row["env_steps"])
        for group, values in (("loss", row["losses"]), ("share", row["shares"])):
            for name, value in values.items():
                self._writer.add_scalar(f"{group}/{name}", value, row["env_steps"])

    def _try(self, what: Callable[[], None]) -> None:
        try:
            what()
        except (OSError, RuntimeError, ImportError) as error:  # full disk, folder gone, no TensorBoard
            self._writer = None
            self._tell(
                f"warning: no more events for TensorBoard ({error}); the run goes on, curve.json has the numbers"
            )
