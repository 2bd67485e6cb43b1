"""Messages that Foxglove shows, as Protocol Buffers.

The types ``foxglove.*`` are its well-known schemas (their names and field numbers are public; a test compares them with
foxglove-sdk); ``taxel.*`` are our own for what it has no type for. An MCAP file carries the schemas it uses.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .channels import Array, Channel, Image, Markers, Pose, Scalar, Wrench

ARROWS = 5.0  # markers move by fractions of a millimetre: their lines are drawn so much longer
FIELDS = {
    "google.protobuf.Timestamp": "1 seconds int64, 2 nanos int32",
    "google.protobuf.Duration": "1 seconds int64, 2 nanos int32",
    "foxglove.Vector3": "1 x double, 2 y double, 3 z double",
    "foxglove.Point3": "1 x double, 2 y double, 3 z double",
    "foxglove.Quaternion": "1 x double, 2 y double, 3 z double, 4 w double",
    "foxglove.Color": "1 r double, 2 g double, 3 b double, 4 a double",
    "foxglove.KeyValuePair": "1 key string, 2 value string",
    "foxglove.Pose": "1 position Vector3, 2 orientation Quaternion",
    "foxglove.PackedElementField": "1 name string, 2 offset fixed32, 3 type PackedElementField.NumericType",
    "foxglove.RawImage": "1 timestamp Timestamp, 7 frame_id string, 2 width fixed32, 3 height fixed32, "
    "4 encoding string, 5 step fixed32, 6 data bytes",
    "foxglove.FrameTransform": "1 timestamp Timestamp, 2 parent_frame_id string, 3 child_frame_id string, "
    "4 translation Vector3, 5 rotation Quaternion",
    "foxglove.PointCloud": "1 timestamp Timestamp, 2 frame_id string, 3 pose Pose, 4 point_stride fixed32, "
    "5 fields PackedElementField*, 6 data bytes",
    "foxglove.ArrowPrimitive": "1 pose Pose, 2 shaft_length double, 3 shaft_diameter double, 4 head_length double, "
    "5 head_diameter double, 6 color Color",
    "foxglove.CubePrimitive": "1 pose Pose, 2 size Vector3, 3 color Color",
    "foxglove.SpherePrimitive": "1 pose Pose, 2 size Vector3, 3 color Color",
    "foxglove.CylinderPrimitive": "1 pose Pose, 2 size Vector3, 3 bottom_scale double, 4 top_scale double, "
    "5 color Color",
    "foxglove.LinePrimitive": "1 type LinePrimitive.Type, 2 pose Pose, 3 thickness double, 4 scale_invariant bool, "
    "5 points Point3*, 6 color Color, 7 colors Color*, 8 indices fixed32*",
    "foxglove.TriangleListPrimitive": "1 pose Pose, 2 points Point3*, 3 color Color, 4 colors Color*, "
    "5 indices fixed32*",
    "foxglove.TextPrimitive": "1 pose Pose, 2 billboard bool, 3 font_size double, 4 scale_invariant bool, "
    "5 color Color, 6 text string",
    "foxglove.ModelPrimitive": "1 pose Pose, 2 scale Vector3, 3 color Color, 4 override_color bool, 5 url string, "
    "6 media_type string, 7 data bytes",
    "foxglove.SceneEntityDeletion": "1 timestamp Timestamp, 2 type SceneEntityDeletion.Type, 3 id string",
    "foxglove.SceneEntity": "1 timestamp Timestamp, 2 frame_id string, 3 id string, 4 lifetime Duration, "
    "5 frame_locked bool, 6 metadata KeyValuePair*, 7 arrows ArrowPrimitive*, 8 cubes CubePrimitive*, "
    "9 spheres SpherePrimitive*, 10 cylinders CylinderPrimitive*, 11 lines LinePrimitive*, "
    "12 triangles TriangleListPrimitive*, 13 texts TextPrimitive*, 14 models ModelPrimitive*",
    "foxglove.SceneUpdate": "1 deletions SceneEntityDeletion*, 2 entities SceneEntity*",
    "taxel.Array": "1 timestamp Timestamp, 2 unit string, 3 shape uint32*, 4 values float*",
    "taxel.Scalar": "1 timestamp Timestamp, 2 unit string, 3 value double",
    "taxel.Wrench": "1 timestamp Timestamp, 2 frame_id string, 3 force Vector3, 4 torque Vector3",
    "taxel.Episode": "1 timestamp Timestamp, 2 index uint32, 3 task string, 4 start double",
}
"""Number, name and type of each field; * repeats."""
ENUMS = {
    "foxglove.PackedElementField.NumericType": "UNKNOWN UINT8 INT8 UINT16 INT16 UINT32 INT32 FLOAT32 FLOAT64",
    "foxglove.LinePrimitive.Type": "LINE_STRIP LINE_LOOP LINE_LIST",
    "foxglove.SceneEntityDeletion.Type": "MATCHING_ID ALL",
}
FLOAT32, LINE_LIST = 7, 2


def _homes(name: str, package: str) -> str:
    """Full name of a type as a field writes it."""
    for home in (package, "foxglove", "google.protobuf"):
        if f"{home}.{name}" in FIELDS or f"{home}.{name}" in ENUMS:
            return f"{home}.{name}"
    return ""


def _used_by(name: str) -> list[str]:
    """The type and all that it is made of, parts first."""
    package, out = name.rpartition(".")[0], []
    for line in FIELDS[name].split(", "):
        part = _homes(line.split()[2].rstrip("*"), package)
        if part in FIELDS:
            out += [other for other in _used_by(part) if other not in out]
    return [*out, name]


def _file(name: str) -> Any:
    """The description of one type as a .proto file of its own."""
    from google.protobuf import descriptor_pb2

    package, _, short = name.rpartition(".")
    own = [part for part in _used_by(name)[:-1] if any(_homes(w.split()[2].rstrip("*"), package) == part
           for w in FIELDS[name].split(", "))]  # fmt: skip
    file = descriptor_pb2.FileDescriptorProto(name=_file_name(name), package=package, syntax="proto3")
    file.dependency.extend(_file_name(part) for part in own)
    message = file.message_type.add(name=short)
    for line in FIELDS[name].split(", "):
        number, field_name, kind = line.split()
        field = message.field.add(name=field_name, number=int(number))
        field.label = field.LABEL_REPEATED if kind.endswith("*") else field.LABEL_OPTIONAL
        full = _homes(kind.rstrip("*"), package)
        if full:
            field.type = field.TYPE_ENUM if full in ENUMS else field.TYPE_MESSAGE
            field.type_name = f".{full}"
        else:
            field.type = getattr(field, f"TYPE_{kind.rstrip('*').upper()}")
    for full, values in ENUMS.items():
        if full.rpartition(".")[0] == name:
            enum = message.enum_type.add(name=full.rpartition(".")[2])
            for k, value in enumerate(values.split()):
                enum.value.add(name=value, number=k)
    return file


def _file_name(name: str) -> str:
    package, _, short = name.rpartition(".")
    stem = short.lower() if package == "google.protobuf" else short
    return f"{package.replace('.', '/')}/{stem}.proto"


@cache
def schema(name: str) -> bytes:
    """A FileDescriptorSet, as MCAP wants it."""
    from google.protobuf import descriptor_pb2

    files = descriptor_pb2.FileDescriptorSet()
    files.file.extend(_file(part) for part in _used_by(name))
    return files.SerializeToString()


@cache
def message_class(name: str) -> Any:
    from google.protobuf import descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    for part in _used_by(name):
        pool.Add(_file(part))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def topics(name: str, channel: Channel) -> dict[str, str]:
    """Topics of a channel and their types; the first is what is read back."""
    own = f"/{name}"
    if isinstance(channel, Array):
        kind = "foxglove.RawImage" if len(channel.shape) == 2 else "taxel.Array"
        return {own: kind, **({f"{own}/points": "foxglove.PointCloud"} if channel.points is not None else {})}
    if isinstance(channel, Markers):
        return {own: "taxel.Array", f"{own}/lines": "foxglove.SceneUpdate"}
    kinds = {"image": "foxglove.RawImage", "pose": "foxglove.FrameTransform"}
    return {own: kinds.get(channel.kind, f"taxel.{channel.kind.capitalize()}")}


def messages(name: str, channel: Channel, value: np.ndarray, nanoseconds: int) -> list[Any]:
    """A message a topic of the channel."""
    stamp = {"seconds": nanoseconds // 1_000_000_000, "nanos": nanoseconds % 1_000_000_000}
    if isinstance(channel, Array):
        plain = _picture(value, "32FC1", channel.frame) if value.ndim == 2 else _array(value, channel.unit)
        out = [plain(stamp)]
        if channel.points is not None:
            out.append(_cloud(channel, value, stamp))
        return out
    if isinstance(channel, Image):
        return [_picture(value, "rgb8", name)(stamp)]
    if isinstance(channel, Pose):
        x, y, z, qw, qx, qy, qz = map(float, value)
        return [
            message_class("foxglove.FrameTransform")(
                timestamp=stamp, parent_frame_id=channel.frame, child_frame_id=name,
                translation={"x": x, "y": y, "z": z}, rotation={"x": qx, "y": qy, "z": qz, "w": qw},
            )
        ]  # fmt: skip
    if isinstance(channel, Markers):
        return [_array(value, "px")(stamp), _lines(name, channel, value, stamp)]
    if isinstance(channel, Wrench):
        force, torque = (dict(zip("xyz", map(float, part), strict=True)) for part in (value[:3], value[3:]))
        return [message_class("taxel.Wrench")(timestamp=stamp, frame_id=channel.frame, force=force, torque=torque)]
    assert isinstance(channel, Scalar)
    return [message_class("taxel.Scalar")(timestamp=stamp, unit=channel.unit, value=float(value))]


def value_of(channel: Channel, data: bytes) -> np.ndarray:
    """Back from the message of a channel's first topic."""
    message = message_class(next(iter(topics("x", channel).values())))()
    message.ParseFromString(data)
    if isinstance(channel, Pose):
        p, q = message.translation, message.rotation
        return np.array([p.x, p.y, p.z, q.w, q.x, q.y, q.z])
    if isinstance(channel, Wrench):
        f, t = message.force, message.torque
        return np.array([f.x, f.y, f.z, t.x, t.y, t.z])
    if isinstance(channel, Scalar):
        return np.array(message.value)
    if hasattr(message, "encoding"):
        return np.frombuffer(message.data, channel.dtype).reshape(channel.shape).copy()
    return np.array(message.values, channel.dtype).reshape(channel.shape)


def _picture(value: np.ndarray, encoding: str, frame: str) -> Any:
    height, width = value.shape[:2]
    return lambda stamp: message_class("foxglove.RawImage")(
        timestamp=stamp, frame_id=frame, width=width, height=height, encoding=encoding, step=value.nbytes // height,
        data=value.tobytes(),
    )  # fmt: skip


def _array(value: np.ndarray, unit: str) -> Any:
    return lambda stamp: message_class("taxel.Array")(
        timestamp=stamp, unit=unit, shape=value.shape, values=value.ravel().tolist()
    )


def _cloud(channel: Array, value: np.ndarray, stamp: dict[str, int]) -> Any:
    assert channel.points is not None
    table = np.column_stack([channel.points, value.ravel()]).astype("<f4")
    names = ("x", "y", "z", "value")
    return message_class("foxglove.PointCloud")(
        timestamp=stamp, frame_id=channel.frame, pose={"orientation": {"w": 1.0}}, point_stride=16,
        fields=[{"name": n, "offset": 4 * k, "type": FLOAT32} for k, n in enumerate(names)], data=table.tobytes(),
    )  # fmt: skip


def _lines(name: str, channel: Markers, value: np.ndarray, stamp: dict[str, int]) -> Any:
    tips = channel.rest + ARROWS * channel.pixel * value.reshape(-1, 3)
    ends = np.stack([channel.rest, tips], axis=1).reshape(-1, 3)
    line = {
        "type": LINE_LIST, "pose": {"orientation": {"w": 1.0}}, "thickness": 2.0, "scale_invariant": True,
        "points": [{"x": x, "y": y, "z": z} for x, y, z in ends.tolist()],
        "color": {"r": 0.93, "g": 0.48, "b": 0.16, "a": 1.0},
    }  # fmt: skip
    entity = {
        "timestamp": stamp, "frame_id": channel.frame, "id": name, "lines": [line],
        "metadata": [{"key": "drawn longer by", "value": f"{ARROWS:g}"}],
    }  # fmt: skip
    return message_class("foxglove.SceneUpdate")(entities=[entity])
