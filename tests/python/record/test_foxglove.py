"""MCAP files as others read them: by MCAP's own reader and decoder, with Foxglove's own schemas."""

import numpy as np
import pytest
from record_rows import CHANNELS, EPISODE, RATE, row, write

import taxel.record as record
from taxel.record import foxglove

KNOWN = ("RawImage", "FrameTransform", "PointCloud", "SceneUpdate")


def fields_of(files, name: str) -> dict:
    """Name, type and label of the fields by number, and what the types inside are, all the way down."""
    package, _, short = name.lstrip(".").rpartition(".")
    found = [m for file in files.file if file.package == package for m in file.message_type if m.name == short]
    if not found:  # an enum of a message
        owner = [m for file in files.file for m in file.message_type if f"{file.package}.{m.name}" == package]
        enum = next(e for e in owner[0].enum_type if e.name == short)
        return {value.number: value.name for value in enum.value}
    return {
        f.number: (f.name, f.type, f.label, fields_of(files, f.type_name) if f.type_name else None)
        for f in found[0].field
    }


@pytest.mark.parametrize("name", KNOWN)
def test_well_known_schemas_are_foxgloves_own(name):
    from google.protobuf import descriptor_pb2

    messages = pytest.importorskip("foxglove.messages")
    theirs, ours = descriptor_pb2.FileDescriptorSet(), descriptor_pb2.FileDescriptorSet()
    theirs.ParseFromString(getattr(messages, name).get_schema().data)
    ours.ParseFromString(foxglove.schema(f"foxglove.{name}"))
    assert fields_of(ours, f"foxglove.{name}") == fields_of(theirs, f"foxglove.{name}")


def test_a_file_is_read_by_the_usual_reader(tmp_path):
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    with record.open(tmp_path / "run.mcap", CHANNELS, task="one") as recorder:
        write(recorder, 0, EPISODE + 3)
    seen: dict[str, list] = {}
    with (tmp_path / "run.mcap").open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert summary.statistics.message_count == 2 + (EPISODE + 3) * (len(CHANNELS) + 2)
        assert summary.statistics.chunk_count == len(summary.chunk_indexes) > 1
        for schema, channel, message, decoded in reader.iter_decoded_messages():
            assert schema.encoding == channel.message_encoding == "protobuf"
            seen.setdefault(channel.topic, []).append((schema.name, message.log_time, decoded))
    first = {topic: messages[0] for topic, messages in seen.items()}
    assert {topic: name for topic, (name, _, _) in first.items()} == {
        "/pad": "foxglove.FrameTransform",
        "/touch": "foxglove.RawImage",
        "/touch/points": "foxglove.PointCloud",
        "/tip": "taxel.Array",
        "/dots": "taxel.Array",
        "/dots/lines": "foxglove.SceneUpdate",
        "/wrench": "taxel.Wrench",
        "/hand/force": "taxel.Scalar",
        "/camera": "foxglove.RawImage",
        "/action": "taxel.Array",
        "/episode": "taxel.Episode",
    }
    wanted = row(0)
    touch, cloud, camera = (first[topic][2] for topic in ("/touch", "/touch/points", "/camera"))
    assert (touch.width, touch.height, touch.step, touch.encoding, touch.frame_id) == (6, 4, 24, "32FC1", "pad")
    np.testing.assert_array_equal(np.frombuffer(touch.data, "<f4").reshape(4, 6), wanted["touch"])
    assert (camera.width, camera.height, camera.step, camera.encoding) == (30, 24, 90, "rgb8")
    table = np.frombuffer(cloud.data, "<f4").reshape(24, 4)
    np.testing.assert_array_equal(table[:, :3], CHANNELS["touch"].points)
    np.testing.assert_array_equal(table[:, 3], wanted["touch"].ravel())
    assert [(f.name, f.offset, f.type) for f in cloud.fields][3] == ("value", 12, foxglove.FLOAT32)
    frame = first["/pad"][2]
    assert (frame.parent_frame_id, frame.child_frame_id) == ("world", "pad")
    assert [frame.rotation.w, frame.rotation.x] == wanted["pad"][3:5].tolist()
    line = first["/dots/lines"][2].entities[0].lines[0]
    assert line.type == foxglove.LINE_LIST and len(line.points) == 12
    tip = CHANNELS["dots"].rest[0] + foxglove.ARROWS * 1e-4 * wanted["dots"][0, 0]
    np.testing.assert_allclose([line.points[1].x, line.points[1].y, line.points[1].z], tip)
    # Times are the simulation's; an episode comes after the one before it.
    times = np.array([log for _, log, _ in seen["/hand/force"]]) * 1e-9
    np.testing.assert_allclose(times[:EPISODE], 0.3 + np.arange(EPISODE) / RATE)
    assert np.all(np.diff(times) > 0) and times[EPISODE] > times[EPISODE - 1] + 0.5
    assert frame.timestamp.seconds == 0 and frame.timestamp.nanos == 300_000_000
    assert [m.task for _, _, m in seen["/episode"]] == ["one", "task 1"]
