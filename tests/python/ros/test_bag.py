"""Bags: read back by rosbags with what stands in them alone; what a kill, a full disk and wrong words do."""

import contextlib
import errno
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import time

import mujoco
import numpy as np
import pytest

pytest.importorskip("cyclonedds")
pytest.importorskip("rosbags")

from ros_loopback import on_loopback, pressed_ball  # noqa: F401
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import Reader

import taxel
from taxel.ros import Bag, Bridge, messages


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_bag_holds_what_was_published(tmp_path, storage):
    model, data = pressed_ball()
    sensor, seen = taxel.Sensor(model, "myrmex"), {}
    with Bridge(model, data, rate=50.0, bag=tmp_path / "run", storage=storage) as bridge:
        for _ in range(100):
            mujoco.mj_step(model, data)
            bridge.publish()
            seen[round(1e9 * data.time)] = sensor(data)
        count = bridge.recorded
    with Reader(tmp_path / "run") as raw:  # definitions of all types, and the quality of service, are in the file
        assert raw.message_count == count
        kinds = {c.topic: c for c in raw.connections}
        assert "ChannelFloat32[] sensors" in kinds["/taxel/myrmex/state"].msgdef.data
        assert [c.msgdef.format.name for c in raw.connections] == ["MSG"] * 6
        qos = {topic: c.ext.offered_qos_profiles[0] for topic, c in kinds.items()}
        assert qos["/taxel/myrmex/state"].reliability.name == "BEST_EFFORT" and qos["/taxel/myrmex/state"].depth == 5
        assert qos["/tf"].reliability.name == "RELIABLE"
    with AnyReader([tmp_path / "run"]) as bag:
        assert {c.topic: (c.msgtype, c.msgcount) for c in bag.connections} == {
            "/clock": ("rosgraph_msgs/msg/Clock", 100),
            "/tf": ("tf2_msgs/msg/TFMessage", 10),
            "/taxel/myrmex/state": ("tactile_msgs/msg/TactileState", 10),
            "/taxel/myrmex/image": ("sensor_msgs/msg/Image", 10),
            "/taxel/myrmex/wrench": ("geometry_msgs/msg/WrenchStamped", 10),
            "/taxel/myrmex/points": ("sensor_msgs/msg/PointCloud2", 10),
        }
        for connection, at, raw_bytes in bag.messages():
            if connection.topic == "/taxel/myrmex/state":
                message = bag.deserialize(raw_bytes, connection.msgtype)
                stamp = message.header.stamp
                assert 1_000_000_000 * stamp.sec + stamp.nanosec == at
                np.testing.assert_array_equal(message.sensors[0].values, seen[at].ravel().astype(np.float32))


def test_wrong_use_is_named(tmp_path):
    with pytest.raises(taxel.Error, match="storage is 'bag'; give 'mcap' or 'sqlite3'"):
        Bag(tmp_path / "a", "bag")
    with pytest.raises(taxel.Error, match="is there already, and bags are not overwritten"):
        Bag(tmp_path)
    with Bag(tmp_path / "b") as bag:
        bag.write("/clock", messages.Clock(), 0)
        with pytest.raises(TypeError, match="/clock has messages of rosgraph_msgs/msg/Clock; this one"):
            bag.write("/clock", messages.Header(), 1)
    with pytest.raises(taxel.Error, match="is closed"):
        bag.write("/clock", messages.Clock(), 2)
    with AnyReader([tmp_path / "b"]) as read:  # nothing of it was lost
        assert read.message_count == 1


def test_a_full_disk_is_one_clear_line(tmp_path, monkeypatch):
    bag = Bag(tmp_path / "b")
    bag.write("/clock", messages.Clock(), 0)

    class Full:
        def __getattr__(self, name):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("taxel.ros.bag.SAFE_AFTER", 0.0)
    monkeypatch.setattr(bag._writer.storage, "bio", Full())
    with pytest.raises(taxel.Error) as caught:
        bag.write("/clock", messages.Clock(), 1)
    words = str(caught.value)
    assert "cannot be written" in words and "No space left" in words and "mcap recover" in words and "\n" not in words
    bag.close()  # a second complaint would hide the first


def test_sqlite_keeps_what_is_older_than_a_second(tmp_path, monkeypatch):
    monkeypatch.setattr("taxel.ros.bag.SAFE_AFTER", 0.0)
    bag = Bag(tmp_path / "b", "sqlite3")
    for k in range(5):
        bag.write("/clock", messages.Clock(), k)
    with contextlib.closing(sqlite3.connect(f"file:{tmp_path}/b/b.db3?mode=ro", uri=True)) as other:  # not closed yet
        assert other.execute("select count(*) from messages").fetchone() == (5,)
    bag.close()


def chunks(path) -> int:
    """Whole chunks in an MCAP file, read from its beginning: kind (1 byte), length (8), content."""
    data, at, found = path.read_bytes(), 8, 0
    while at + 9 <= len(data):
        kind, length = struct.unpack_from("<BQ", data, at)
        at += 9 + length
        found += kind == 6 and at <= len(data)
    return found


def test_a_kill_loses_a_second_at_most(tmp_path):
    """SIGKILL in the middle: what is older than a second is whole on the disk."""
    bag = tmp_path / "killed"
    words = [sys.executable, "-m", "taxel.cli", "ros", "pad", "--bag", str(bag)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 25
    while time.monotonic() < end and process.poll() is None:
        if bag.exists() and any(chunks(file) >= 2 for file in bag.glob("*.mcap")):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert chunks(bag / "killed.mcap") >= 2
