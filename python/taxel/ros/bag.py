"""rosbag2 files, through ``rosbags``."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from .._core import Error
from .messages import TACTILE_STATE, ros_type, serialise

STORAGES = ("mcap", "sqlite3")
SAFE_AFTER = 1.0  # s of wall time between two times that what was written is given to the disk


def typestore() -> Any:
    """The types of ROS 2 (Humble's, which later releases kept) with ``tactile_msgs/msg/TactileState``, of rosbags."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    store.register(get_types_from_msg(TACTILE_STATE, "tactile_msgs/msg/TactileState"))
    return store


class Bag:
    """A rosbag2 folder that is being written.

        with Bag("run1") as bag:
            bag.write("/taxel/myrmex/state", message, 1_500_000_000)

    Definitions of the types are in it: ``ros2 bag play`` and Foxglove need nothing else. ``storage="mcap"`` is what
    ROS 2 writes since Iron, ``"sqlite3"`` is for readers older than that. What is older than a second survives a kill
    (``mcap recover``, ``ros2 bag reindex``).
    """

    def __init__(self, path: str | os.PathLike, storage: str = "mcap") -> None:
        try:
            from rosbags.rosbag2 import StoragePlugin, Writer
        except ImportError as error:
            raise ImportError(f"a bag needs rosbags ({error}); install it: pip install 'taxel[ros]'") from None
        if storage not in STORAGES:
            raise Error(f"storage is {storage!r}; give {' or '.join(map(repr, STORAGES))}")
        self.path = Path(path)
        if self.path.exists():
            raise Error(f"{self.path} is there already, and bags are not overwritten; give another folder")
        self._store = typestore()
        # 8: Humble's reader knows it, later ones too.
        self._writer = Writer(self.path, version=8, storage_plugin=StoragePlugin[storage.upper()])
        self._writer.set_custom_data("made_with", "taxel")
        try:
            self._writer.open()
        except OSError as error:
            why = error.strerror or error
            raise Error(f"the bag {self.path} cannot be made ({why}); give a folder where you may write") from None
        self._connections: dict[str, tuple[Any, Any]] = {}
        self._kept_at = time.monotonic()
        self._open = True
        self.count = 0

    def add(self, topic: str, kind: type, *, reliable: bool = False) -> None:
        """Makes a topic known; ``write`` does it when it is first needed."""
        self._connections[topic] = kind, self._connect(topic, kind, reliable)

    def _connect(self, topic: str, kind: type, reliable: bool) -> Any:
        from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime

        never = QosTime(9223372036, 854775807)  # as ROS 2 writes "infinite"
        qos = Qos(
            QosHistory.KEEP_LAST,
            10 if reliable else 5,
            QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
            QosDurability.VOLATILE,
            never,
            never,
            QosLiveliness.AUTOMATIC,
            never,
            False,
        )
        return self._writer.add_connection(topic, ros_type(kind), typestore=self._store, offered_qos_profiles=[qos])

    def write(self, topic: str, message: Any, nanoseconds: int) -> None:
        """Appends a message at a time; times may not run back."""
        if self._open and topic not in self._connections:
            self.add(topic, type(message))
        kind, _ = self._connections[topic]
        if type(message) is not kind:
            raise TypeError(f"{topic} has messages of {ros_type(kind)}; this one is {ros_type(type(message))}")
        self.write_bytes(topic, serialise(message), nanoseconds)

    def write_bytes(self, topic: str, cdr: bytes, nanoseconds: int) -> None:
        """The same with a message of the topic's type that is CDR already (``messages.serialise``)."""
        if not self._open:
            raise Error(f"the bag {self.path} is closed")
        try:
            self._writer.write(self._connections[topic][1], nanoseconds, cdr)
            self.count += 1
            self._keep()
        except Exception as error:
            if isinstance(error, OSError) or "full" in str(error).lower():
                self._abandon(error)
            raise

    def _keep(self) -> None:
        """Gives what there is to the disk, once a second."""
        if time.monotonic() - self._kept_at < SAFE_AFTER:
            return
        self._kept_at = time.monotonic()
        storage: Any = self._writer.storage
        if hasattr(storage, "close_chunk"):
            storage.close_chunk()
            storage.bio.flush()
        else:
            storage.conn.commit()

    def _abandon(self, error: Exception) -> None:
        self._open = False
        mcap = self._writer.storage_plugin.name == "MCAP"
        way = "mcap recover" if mcap else "ros2 bag reindex"
        raise Error(
            f"the bag {self.path} cannot be written ({error}) after {self.count} messages; make room, then "
            f"{way} reads all but the last seconds"
        ) from None

    def close(self) -> None:
        """Finishes the files; without this they must be recovered."""
        if not self._open:
            return
        self._open = False
        try:
            self._writer.close()
        except Exception as error:
            self._abandon(error)

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
