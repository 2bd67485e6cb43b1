"""Tactile sensors on ROS 2, without an installation of ROS: topics and services over DDS, rosbag2 files.

    import taxel.ros

    with taxel.ros.Bridge(model, data) as bridge:
        while True:
            if not bridge.paused:
                mujoco.mj_step(model, data)
            bridge.publish()

It needs ``pip install 'taxel[ros]'`` (cyclonedds, rosbags). The command is ``taxel ros``.
"""

from __future__ import annotations

try:
    import cyclonedds  # noqa: F401
except ImportError as error:
    raise ImportError(f"taxel.ros needs cyclonedds ({error}); install it: pip install 'taxel[ros]'") from None

from . import messages
from .bag import Bag, typestore
from .bridge import Bridge
from .node import Node

__all__ = ["Bag", "Bridge", "Node", "messages", "typestore"]
