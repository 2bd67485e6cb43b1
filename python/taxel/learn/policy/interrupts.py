"""Ctrl-C, SIGTERM and a terminal that closes, during a run."""

from __future__ import annotations

import signal
import threading
from contextlib import suppress
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupts:
    """Inside ``with`` the first asks the trainer to stop where it can be undone; the second ends it at once."""

    def __init__(self, trainer: Any) -> None:
        self.trainer = trainer
        self.asked = False
        self.before: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                    self.before[number] = signal.signal(number, self._ask)

    def __exit__(self, *_: Any) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _ask(self, *_: Any) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = self.trainer.stop = True
        with suppress(RuntimeError):  # asked while a line was being written
            self.trainer.tell("stopping: the run is saved after this step (Ctrl-C again: at once, without)")
