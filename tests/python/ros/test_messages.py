"""Every message and every service type on the wire: byte for byte what the CDR writer of rosbags makes of the ROS
definition, which shares no code with ours."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

pytest.importorskip("cyclonedds")
pytest.importorskip("rosbags")

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

import taxel.ros
from taxel.ros import messages as ros
from taxel.ros import service_types as srv

# Names of odd lengths, so that padding is needed in front of every kind of number.
STAMP = ros.Time(-7, 999_999_999)
HEAD = ros.Header(STAMP, "tüchtig")
VECTOR = ros.Vector3(1.5, -2.25, 1e-300)
VALUE = srv.ParameterValue(3, True, -5, 0.1, "s", [1, 2, 3], [True, False], [-1, 2**62], [0.1], ["", "ab"])
MESSAGES = [
    ros.Clock(STAMP),
    HEAD,
    ros.TactileState(HEAD, [ros.ChannelFloat32("a", [1.5, -0.25, 3.0]), ros.ChannelFloat32("bcd", [])]),
    ros.Image(HEAD, 2, 3, "mono8", 0, 3, bytes(range(6))),
    ros.Image(),
    ros.WrenchStamped(HEAD, ros.Wrench(VECTOR, ros.Vector3(0.0, -0.0, 4.0))),
    ros.PointCloud2(
        HEAD, 1, 2, [ros.PointField("x", 0, 7, 1), ros.PointField("yy", 4, 7, 1)], False, 5, 10, b"0123456789"
    ),
    ros.TFMessage([ros.TransformStamped(HEAD, "kid", ros.Transform(VECTOR, ros.Quaternion(0.5, -0.5, 0.5, 0.5)))]),
]
CALL = "uint64 guid\nint64 seq\n"
SERVICES = {
    "std_srvs/srv/SetBool": ("bool data", "bool success\nstring message"),
    "std_srvs/srv/Trigger": ("", "bool success\nstring message"),
    "tactile_msgs/srv/GetTactileState": ("", "tactile_msgs/TactileState tactile_state\nbool success"),
    "rcl_interfaces/srv/SetParameters": (
        "rcl_interfaces/Parameter[] parameters",
        "rcl_interfaces/SetParametersResult[] results",
    ),
    "rcl_interfaces/srv/GetParameters": ("string[] names", "rcl_interfaces/ParameterValue[] values"),
    "rcl_interfaces/srv/GetParameterTypes": ("string[] names", "uint8[] types"),
    "rcl_interfaces/srv/ListParameters": (
        "string[] prefixes\nuint64 depth",
        "rcl_interfaces/ListParametersResult result",
    ),
    "rcl_interfaces/srv/DescribeParameters": (
        "string[] names",
        "rcl_interfaces/ParameterDescriptor[] descriptors",
    ),
}
WHO = {"guid": 2**64 - 3, "seq": -(2**40)}
CALLS = [
    srv.SetBoolRequest(data=True, **WHO),
    srv.SetBoolResponse(success=True, message="é", **WHO),
    srv.TriggerRequest(**WHO),
    srv.TriggerResponse(message="no", **WHO),
    srv.GetTactileStateRequest(**WHO),
    srv.GetTactileStateResponse(tactile_state=MESSAGES[2], success=True, **WHO),
    srv.SetParametersRequest(parameters=[srv.Parameter("rate", VALUE), srv.Parameter()], **WHO),
    srv.SetParametersResponse(results=[srv.SetParametersResult(False, "why"), srv.SetParametersResult(True)], **WHO),
    srv.GetParametersRequest(names=["a", "bcd", ""], **WHO),
    srv.GetParametersResponse(values=[srv.ParameterValue(), VALUE], **WHO),
    srv.GetParameterTypesRequest(names=["rate"], **WHO),
    srv.GetParameterTypesResponse(types=[3, 0, 3], **WHO),
    srv.ListParametersRequest(prefixes=["x"], depth=2**63, **WHO),
    srv.ListParametersResponse(result=srv.ListParametersResult(["a.b"], ["a"]), **WHO),
    srv.DescribeParametersRequest(names=[], **WHO),
    srv.DescribeParametersResponse(
        descriptors=[
            srv.ParameterDescriptor("r", 3, "d", "", False, True, [srv.FloatingPointRange(0.5, 2.0, 0.0)], [])
        ],
        **WHO,
    ),
]


def in_rosbags(value, store):
    """The same message in rosbags' own classes."""
    if is_dataclass(value):
        package, folder, _, name = value.__idl_typename__.split(".")
        name = name.removesuffix("_").removesuffix("16").removesuffix("24")
        kind = store.types[f"{package}/msg/{name}" if folder == "srv" else f"{package}/{folder}/{name}"]
        return kind(**{f.name: in_rosbags(getattr(value, f.name), store) for f in fields(value)})
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    if isinstance(value, list) and value and isinstance(value[0], str):
        return value
    if isinstance(value, list) and all(not is_dataclass(v) for v in value):
        kind = np.bool_ if value and isinstance(value[0], bool) else None
        return np.array(value, kind)
    return [in_rosbags(v, store) for v in value] if isinstance(value, list) else value


def theirs(message, store) -> bytes:
    made = in_rosbags(message, store)
    return bytes(store.serialize_cdr(_with_dtypes(made, store), made.__msgtype__))


def _with_dtypes(made, store):
    """rosbags wants arrays of the very type of the field."""
    for name, (kind, of) in store.fielddefs[made.__msgtype__][1]:
        value = getattr(made, name)
        if kind.name in ("ARRAY", "SEQUENCE"):
            inner, _ = of
            if inner[0].name == "BASE" and inner[1][0] != "string":
                dtype = {"char": "uint8", "byte": "uint8", "octet": "uint8"}.get(inner[1][0], inner[1][0])
                object.__setattr__(made, name, np.array(value, dtype))
            elif inner[0].name == "BASE":
                object.__setattr__(made, name, list(value))
            else:
                for entry in value:
                    _with_dtypes(entry, store)
        elif kind.name == "NAME":
            _with_dtypes(value, store)
    return made


@pytest.fixture(scope="module")
def store():
    made = taxel.ros.typestore()
    for name, halves in SERVICES.items():
        package, _, short = name.split("/")
        for half, text in zip(("Request", "Response"), halves, strict=True):
            text = CALL + (text or "uint8 structure_needs_at_least_one_member")
            made.register(get_types_from_msg(text, f"{package}/msg/{short}_{half}"))
    return made


@pytest.mark.parametrize("message", MESSAGES + CALLS, ids=lambda m: type(m).__name__)
def test_bytes_are_those_of_rosbags(message, store):
    assert ros.serialise(message) == theirs(message, store)


@pytest.mark.parametrize(("distro", "size"), [(Stores.ROS2_HUMBLE, 24), (Stores.ROS2_JAZZY, 16)])
def test_who_is_there_is_what_the_release_reads(distro, size):
    """The message behind `ros2 node list` has two layouts."""
    gid, entities, info = (getattr(ros, f"{kind}{size}") for kind in ("Gid", "NodeEntities", "ParticipantEntities"))
    ids = [gid(bytes(range(k, k + size))) for k in range(3)]
    message = info(ids[0], [entities("/", "taxel", [ids[1]], [ids[2], ids[0]])])
    assert ros.serialise(message) == theirs(message, get_typestore(distro))


def test_every_service_type_has_its_name():
    kinds = [value for value in vars(srv).values() if isinstance(value, srv.ServiceType)]
    assert sorted(kind.name for kind in kinds) == sorted(SERVICES)
    for kind in kinds:
        package, _, name = kind.name.split("/")
        assert kind.Response.__idl_typename__ == f"{package}.srv.dds_.{name}_Response_"


def test_a_message_can_be_read_back():
    state = MESSAGES[2]
    assert ros.TactileState.deserialize(ros.serialise(state)) == state
    cloud = MESSAGES[6]
    assert bytes(ros.PointCloud2.deserialize(ros.serialise(cloud)).data) == cloud.data
