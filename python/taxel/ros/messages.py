"""The ROS 2 messages that taxel publishes, as types of DDS.

A type's name on the wire is ROS 2's (``sensor_msgs::msg::dds_::Image_``), its fields are those of the ROS definition in
their order. All are final structs, written as CDR version 1, little-endian: what every DDS of ROS 2 reads. Arrays of
bytes take ``bytes``, other arrays lists of Python numbers.
"""

# No `from __future__ import annotations`: cyclonedds reads the annotations as types.
import sys
from dataclasses import dataclass, field, replace
from typing import Any

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, float32, float64, int32, sequence, uint8, uint32

TACTILE_STATE = "std_msgs/Header header\nsensor_msgs/ChannelFloat32[] sensors\n"
"""``tactile_msgs/msg/TactileState``, which a plain ROS 2 does not have; the other types come with every one."""


def ros_type(kind: type) -> str:
    """The ROS name of a message type: ``sensor_msgs/msg/Image``."""
    package, folder, _, name = kind.__idl_typename__.split(".")  # type: ignore[attr-defined]
    return f"{package}/{folder}/{name.removesuffix('_')}"


def serialise(message: Any) -> bytes:
    """The message as CDR version 1 with its header of four bytes: what goes over the wire and into a bag."""
    return message.serialize(use_version_2=False)


def _in_one_block(message: Any, after: int, *args: Any, **named: Any) -> bytes:
    """A message whose ``data`` is many bytes, with ``after`` bytes behind it: they are copied as one block, where
    cyclonedds would take each by itself (5 ms for an image of 320 x 240)."""
    frame = IdlStruct.serialize(replace(message, data=b""), *args, **named)
    cut, data = len(frame) - after, bytes(message.data)
    return frame[: cut - 4] + len(data).to_bytes(4, sys.byteorder) + data + frame[cut:]


@dataclass
@final
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: int32 = 0
    nanosec: uint32 = 0

    @staticmethod
    def of(nanoseconds: int) -> "Time":
        return Time(*divmod(nanoseconds, 1_000_000_000))


@dataclass
@final
class Clock(IdlStruct, typename="rosgraph_msgs.msg.dds_.Clock_"):
    clock: Time = field(default_factory=Time)


@dataclass
@final
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@dataclass
@final
class ChannelFloat32(IdlStruct, typename="sensor_msgs.msg.dds_.ChannelFloat32_"):
    name: str = ""
    values: sequence[float32] = field(default_factory=list)


@dataclass
@final
class TactileState(IdlStruct, typename="tactile_msgs.msg.dds_.TactileState_"):
    header: Header = field(default_factory=Header)
    sensors: sequence[ChannelFloat32] = field(default_factory=list)


@dataclass
@final
class Image(IdlStruct, typename="sensor_msgs.msg.dds_.Image_"):
    header: Header = field(default_factory=Header)
    height: uint32 = 0
    width: uint32 = 0
    encoding: str = ""
    is_bigendian: uint8 = 0
    step: uint32 = 0
    data: sequence[uint8] = b""

    def serialize(self, *args: Any, **named: Any) -> bytes:
        return _in_one_block(self, 0, *args, **named)


@dataclass
@final
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0


@dataclass
@final
class Quaternion(IdlStruct, typename="geometry_msgs.msg.dds_.Quaternion_"):
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0
    w: float64 = 1.0


@dataclass
@final
class Wrench(IdlStruct, typename="geometry_msgs.msg.dds_.Wrench_"):
    force: Vector3 = field(default_factory=Vector3)
    torque: Vector3 = field(default_factory=Vector3)


@dataclass
@final
class WrenchStamped(IdlStruct, typename="geometry_msgs.msg.dds_.WrenchStamped_"):
    header: Header = field(default_factory=Header)
    wrench: Wrench = field(default_factory=Wrench)


@dataclass
@final
class Transform(IdlStruct, typename="geometry_msgs.msg.dds_.Transform_"):
    translation: Vector3 = field(default_factory=Vector3)
    rotation: Quaternion = field(default_factory=Quaternion)


@dataclass
@final
class TransformStamped(IdlStruct, typename="geometry_msgs.msg.dds_.TransformStamped_"):
    header: Header = field(default_factory=Header)
    child_frame_id: str = ""
    transform: Transform = field(default_factory=Transform)


@dataclass
@final
class TFMessage(IdlStruct, typename="tf2_msgs.msg.dds_.TFMessage_"):
    transforms: sequence[TransformStamped] = field(default_factory=list)


@dataclass
@final
class PointField(IdlStruct, typename="sensor_msgs.msg.dds_.PointField_"):
    name: str = ""
    offset: uint32 = 0
    datatype: uint8 = 0
    count: uint32 = 1


FLOAT32 = 7  # PointField's number for it


@dataclass
@final
class PointCloud2(IdlStruct, typename="sensor_msgs.msg.dds_.PointCloud2_"):
    header: Header = field(default_factory=Header)
    height: uint32 = 0
    width: uint32 = 0
    fields: sequence[PointField] = field(default_factory=list)
    is_bigendian: bool = False
    point_step: uint32 = 0
    row_step: uint32 = 0
    data: sequence[uint8] = b""
    is_dense: bool = True

    def serialize(self, *args: Any, **named: Any) -> bytes:
        return _in_one_block(self, 1, *args, **named)


# --- Who is there: what `ros2 node list` reads ---


@dataclass
@final
class Gid16(IdlStruct, typename="rmw_dds_common.msg.dds_.Gid_"):
    data: array[uint8, 16] = bytes(16)


@dataclass
@final
class Gid24(IdlStruct, typename="rmw_dds_common.msg.dds_.Gid_"):
    """As it was up to Humble."""

    data: array[uint8, 24] = bytes(24)


@dataclass
@final
class NodeEntities16(IdlStruct, typename="rmw_dds_common.msg.dds_.NodeEntitiesInfo_"):
    node_namespace: str = "/"
    node_name: str = ""
    reader_gid_seq: sequence[Gid16] = field(default_factory=list)
    writer_gid_seq: sequence[Gid16] = field(default_factory=list)


@dataclass
@final
class NodeEntities24(IdlStruct, typename="rmw_dds_common.msg.dds_.NodeEntitiesInfo_"):
    node_namespace: str = "/"
    node_name: str = ""
    reader_gid_seq: sequence[Gid24] = field(default_factory=list)
    writer_gid_seq: sequence[Gid24] = field(default_factory=list)


@dataclass
@final
class ParticipantEntities16(IdlStruct, typename="rmw_dds_common.msg.dds_.ParticipantEntitiesInfo_"):
    gid: Gid16 = field(default_factory=Gid16)
    node_entities_info_seq: sequence[NodeEntities16] = field(default_factory=list)


@dataclass
@final
class ParticipantEntities24(IdlStruct, typename="rmw_dds_common.msg.dds_.ParticipantEntitiesInfo_"):
    gid: Gid24 = field(default_factory=Gid24)
    node_entities_info_seq: sequence[NodeEntities24] = field(default_factory=list)
