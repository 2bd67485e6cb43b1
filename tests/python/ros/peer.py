"""A program on the other side of DDS: its types are written from the ROS definitions, it knows nothing of taxel.

    python peer.py '{"listen": {"/clock": "Clock"}, "count": 3, "calls": [["/taxel/reset", "Trigger", {}]]}'

First each topic is listened to until ``count`` messages came, then the services are called in their order. A line of
JSON on standard output for each message and each reply. ``"forever"``: listens until it is killed.
"""

import json
import struct
import sys
import time
from dataclasses import asdict, dataclass, field

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, float32, float64, int32, int64, sequence, uint8, uint32, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

PATIENCE = 20.0  # s
BEST_EFFORT = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(5), Policy.Durability.Volatile)
RELIABLE = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(10))


def named(package, name, kind="msg"):
    return f"{package}.{kind}.dds_.{name}_"


@dataclass
@final
class Stamp(IdlStruct, typename=named("builtin_interfaces", "Time")):
    sec: int32
    nanosec: uint32


@dataclass
@final
class Clock(IdlStruct, typename=named("rosgraph_msgs", "Clock")):
    clock: Stamp


@dataclass
@final
class Header(IdlStruct, typename=named("std_msgs", "Header")):
    stamp: Stamp
    frame_id: str


@dataclass
@final
class Channel(IdlStruct, typename=named("sensor_msgs", "ChannelFloat32")):
    name: str
    values: sequence[float32]


@dataclass
@final
class TactileState(IdlStruct, typename=named("tactile_msgs", "TactileState")):
    header: Header
    sensors: sequence[Channel]


@dataclass
@final
class Image(IdlStruct, typename=named("sensor_msgs", "Image")):
    header: Header
    height: uint32
    width: uint32
    encoding: str
    is_bigendian: uint8
    step: uint32
    data: sequence[uint8]


@dataclass
@final
class Vector3(IdlStruct, typename=named("geometry_msgs", "Vector3")):
    x: float64
    y: float64
    z: float64


@dataclass
@final
class Wrench(IdlStruct, typename=named("geometry_msgs", "Wrench")):
    force: Vector3
    torque: Vector3


@dataclass
@final
class WrenchStamped(IdlStruct, typename=named("geometry_msgs", "WrenchStamped")):
    header: Header
    wrench: Wrench


@dataclass
@final
class Quaternion(IdlStruct, typename=named("geometry_msgs", "Quaternion")):
    x: float64
    y: float64
    z: float64
    w: float64


@dataclass
@final
class Transform(IdlStruct, typename=named("geometry_msgs", "Transform")):
    translation: Vector3
    rotation: Quaternion


@dataclass
@final
class TransformStamped(IdlStruct, typename=named("geometry_msgs", "TransformStamped")):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
@final
class TFMessage(IdlStruct, typename=named("tf2_msgs", "TFMessage")):
    transforms: sequence[TransformStamped]


@dataclass
@final
class PointField(IdlStruct, typename=named("sensor_msgs", "PointField")):
    name: str
    offset: uint32
    datatype: uint8
    count: uint32


@dataclass
@final
class PointCloud2(IdlStruct, typename=named("sensor_msgs", "PointCloud2")):
    header: Header
    height: uint32
    width: uint32
    fields: sequence[PointField]
    is_bigendian: bool
    point_step: uint32
    row_step: uint32
    data: sequence[uint8]
    is_dense: bool


# Services: the header of rmw_cyclonedds (client, call), then the fields.


@dataclass
@final
class SetBoolRequest(IdlStruct, typename=named("std_srvs", "SetBool_Request", "srv")):
    guid: uint64
    seq: int64
    data: bool


@dataclass
@final
class SetBoolReply(IdlStruct, typename=named("std_srvs", "SetBool_Response", "srv")):
    guid: uint64
    seq: int64
    success: bool
    message: str


@dataclass
@final
class TriggerRequest(IdlStruct, typename=named("std_srvs", "Trigger_Request", "srv")):
    guid: uint64
    seq: int64
    structure_needs_at_least_one_member: uint8 = 0


@dataclass
@final
class TriggerReply(IdlStruct, typename=named("std_srvs", "Trigger_Response", "srv")):
    guid: uint64
    seq: int64
    success: bool
    message: str


@dataclass
@final
class StateRequest(IdlStruct, typename=named("tactile_msgs", "GetTactileState_Request", "srv")):
    guid: uint64
    seq: int64
    structure_needs_at_least_one_member: uint8 = 0


@dataclass
@final
class StateReply(IdlStruct, typename=named("tactile_msgs", "GetTactileState_Response", "srv")):
    guid: uint64
    seq: int64
    tactile_state: TactileState
    success: bool


@dataclass
@final
class Value(IdlStruct, typename=named("rcl_interfaces", "ParameterValue")):
    type: uint8
    bool_value: bool = False
    integer_value: int64 = 0
    double_value: float64 = 0.0
    string_value: str = ""
    byte_array_value: sequence[uint8] = field(default_factory=list)
    bool_array_value: sequence[bool] = field(default_factory=list)
    integer_array_value: sequence[int64] = field(default_factory=list)
    double_array_value: sequence[float64] = field(default_factory=list)
    string_array_value: sequence[str] = field(default_factory=list)


@dataclass
@final
class Parameter(IdlStruct, typename=named("rcl_interfaces", "Parameter")):
    name: str
    value: Value


@dataclass
@final
class Result(IdlStruct, typename=named("rcl_interfaces", "SetParametersResult")):
    successful: bool
    reason: str


@dataclass
@final
class SetParametersRequest(IdlStruct, typename=named("rcl_interfaces", "SetParameters_Request", "srv")):
    guid: uint64
    seq: int64
    parameters: sequence[Parameter]


@dataclass
@final
class SetParametersReply(IdlStruct, typename=named("rcl_interfaces", "SetParameters_Response", "srv")):
    guid: uint64
    seq: int64
    results: sequence[Result]


@dataclass
@final
class GetParametersRequest(IdlStruct, typename=named("rcl_interfaces", "GetParameters_Request", "srv")):
    guid: uint64
    seq: int64
    names: sequence[str]


@dataclass
@final
class GetParametersReply(IdlStruct, typename=named("rcl_interfaces", "GetParameters_Response", "srv")):
    guid: uint64
    seq: int64
    values: sequence[Value]


@dataclass
@final
class Gid(IdlStruct, typename=named("rmw_dds_common", "Gid")):
    data: array[uint8, 16]


@dataclass
@final
class NodeEntitiesInfo(IdlStruct, typename=named("rmw_dds_common", "NodeEntitiesInfo")):
    node_namespace: str
    node_name: str
    reader_gid_seq: sequence[Gid]
    writer_gid_seq: sequence[Gid]


@dataclass
@final
class ParticipantEntitiesInfo(IdlStruct, typename=named("rmw_dds_common", "ParticipantEntitiesInfo")):
    """As of Iron and later."""

    gid: Gid
    node_entities_info_seq: sequence[NodeEntitiesInfo]


SERVICES = {
    "SetBool": (SetBoolRequest, SetBoolReply),
    "Trigger": (TriggerRequest, TriggerReply),
    "GetTactileState": (StateRequest, StateReply),
    "SetParameters": (SetParametersRequest, SetParametersReply),
    "GetParameters": (GetParametersRequest, GetParametersReply),
}
CLIENT = 0x1122334455667788  # what rmw_cyclonedds puts there is a number of its own, too


def plain(message):
    numbers = asdict(message)
    if isinstance(message, Image | PointCloud2):
        numbers["data"] = list(struct.unpack(f"<{len(message.data) // 4}f", bytes(message.data)))
    return numbers


def say(kind, name, message):
    print(json.dumps({kind: name, "message": plain(message)}, default=list), flush=True)


def call(participant, name, kind, fields, number):
    Request, Reply = SERVICES[kind]
    if kind == "SetParameters":
        fields = {"parameters": [Parameter(n, Value(**v)) for n, v in fields.items()]}
    reader = DataReader(participant, Topic(participant, f"rr{name}Reply", Reply), RELIABLE)
    writer = DataWriter(participant, Topic(participant, f"rq{name}Request", Request), RELIABLE)
    end = time.monotonic() + PATIENCE
    while not (writer.get_matched_subscriptions() and reader.get_matched_publications()):
        if time.monotonic() > end:
            sys.exit(f"nobody serves {name}")
        time.sleep(0.01)
    writer.write(Request(CLIENT, number, **fields))
    while time.monotonic() < end:
        for reply in reader.take(N=10):
            if isinstance(reply, Reply) and (reply.guid, reply.seq) == (CLIENT, number):
                return reply
        time.sleep(0.002)
    sys.exit(f"no answer from {name}")


def main(order):
    participant = DomainParticipant(order.get("domain", 0))
    qos = RELIABLE if order.get("reliable") else BEST_EFFORT
    if order.get("latched"):
        qos = Qos(*RELIABLE, Policy.Durability.TransientLocal)
    listen, forever = order.get("listen", {}), order.get("forever", False)
    readers = {
        name: DataReader(participant, Topic(participant, f"rt{name}" if name[0] == "/" else name, globals()[kind]), qos)
        for name, kind in listen.items()
    }
    left = dict.fromkeys(readers, order.get("count", 1))
    end = time.monotonic() + PATIENCE
    while any(left.values()) or forever:
        for name, reader in readers.items():
            for sample in reader.take(N=10):
                if left[name] and isinstance(sample, globals()[listen[name]]):
                    left[name] -= 1
                    say("topic", name, sample)
        if time.monotonic() > end:
            sys.exit(f"missing: {left}")
        time.sleep(0.002)
    for number, (name, kind, fields) in enumerate(order.get("calls", []), 1):
        say("service", name, call(participant, name, kind, fields, number))


main(json.loads(sys.argv[1]))
