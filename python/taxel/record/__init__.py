"""Recordings: what a simulation felt, saw and did, with the simulation's time.

    with taxel.record.open("run.mcap", {"touch": taxel.record.Array((16, 16), "Pa")}) as recorder:
        recorder.write(data.time, {"touch": sensor(data)})

    recording = taxel.record.read("run.mcap")
    recording.time, recording.values["touch"]

``.mcap`` opens in Foxglove, ``.h5`` wherever HDF5 does, a folder is a LeRobot dataset (v3). ``Watch`` lists and reads
the channels of a MuJoCo model; ``Tape`` records for a command without ever stopping it. Needs
``pip install 'taxel[record]'``.
"""

from __future__ import annotations

from .channels import Array, Channel, Image, Markers, Pose, Row, Scalar, Wrench
from .reading import Recording, Source, read, source
from .recorder import Recorder, RecordingStopped, check_path, open
from .tape import Tape
from .watch import Watch

__all__ = [
    "Array",
    "Channel",
    "Image",
    "Markers",
    "Pose",
    "Recorder",
    "Recording",
    "RecordingStopped",
    "Row",
    "Scalar",
    "Source",
    "Tape",
    "Watch",
    "Wrench",
    "check_path",
    "open",
    "read",
    "source",
]
