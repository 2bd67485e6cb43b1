"""What goes over the wire besides the messages: no description of types, as in ROS 2; requests that are none."""

import shutil
import subprocess
import time

import pytest

pytest.importorskip("cyclonedds")
pytest.importorskip("rosbags")

from conftest import ROOT
from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy
from cyclonedds.topic import Topic
from ros_loopback import free_domain, on_loopback, pressed_ball  # noqa: F401

import taxel
import taxel.ros
from taxel.press import PressCycle
from taxel.ros import messages, wire
from taxel.ros import service_types as srv
from taxel.ros.node import SENSOR_QOS


def endpoints(participant, kind, pause=0.05) -> dict:
    time.sleep(pause)
    return {sample.topic_name: sample for sample in BuiltinDataReader(participant, kind).take(N=100)}


def test_endpoints_have_ros_names_and_no_description():
    """A description that differs keeps services from being found; without one the type's name decides."""
    model, data = pressed_ball()
    with taxel.ros.Bridge(model, data) as bridge:
        watcher = bridge.node.participant
        writers = endpoints(watcher, BuiltinTopicDcpsPublication)
        readers = endpoints(watcher, BuiltinTopicDcpsSubscription)
    assert writers["rt/clock"].type_name == "rosgraph_msgs::msg::dds_::Clock_"
    assert writers["rt/taxel/myrmex/points"].type_name == "sensor_msgs::msg::dds_::PointCloud2_"
    assert readers["rq/taxel/resetRequest"].type_name == "std_srvs::srv::dds_::Trigger_Request_"
    assert writers["rr/taxel/resetReply"].type_name == "std_srvs::srv::dds_::Trigger_Response_"
    assert all(sample.type_id is None for sample in (*writers.values(), *readers.values()))
    ids = [
        bytes(s.qos[Policy.Userdata].data) for s in (readers["rq/taxel/resetRequest"], writers["rr/taxel/resetReply"])
    ]
    assert ids[0] == ids[1] and ids[0].startswith(b"serviceid=")


def test_the_watcher_would_see_a_description():
    """The proof of the test above: cyclonedds' own topics have one."""
    participant = DomainParticipant(free_domain())
    writer = DataWriter(participant, Topic(participant, "plain", messages.Clock))
    assert endpoints(participant, BuiltinTopicDcpsPublication)["plain"].type_id is not None
    del writer


def test_a_request_that_cannot_be_read_is_answered():
    model, data = pressed_ball()
    with taxel.ros.Bridge(model, data) as bridge:
        service = next(s for s in bridge.node.services if s.name == "/taxel/get_parameters")
        good = messages.serialise(srv.GetParametersRequest(guid=3, seq=4, names=["rate"]))
        reply = srv.GetParametersResponse.deserialize(service.reply_to(good))
        assert (reply.guid, reply.seq, reply.values[0].double_value) == (3, 4, 100.0)
        reply = srv.GetParametersResponse.deserialize(service.reply_to(good.replace(b"rate", b"r\xff\xfee")))
        assert (reply.guid, reply.seq, reply.values) == (3, 4, [])


def test_bytes_that_are_no_message_are_refused():
    participant = DomainParticipant(free_domain())
    topic = wire.PlainTopic(participant, "rt/x", messages.TactileState)
    writer = wire.PlainWriter(participant, topic, SENSOR_QOS)
    whole = messages.serialise(messages.TactileState(messages.Header(frame_id="abc")))
    writer.write_bytes(whole)
    with pytest.raises(ValueError, match="are no TactileState"):
        writer.write_bytes(whole[:16])


def test_the_version_is_the_one_that_is_installed():
    """The C library is called with a layout that holds for one release."""
    assert f'"cyclonedds=={wire.MADE_FOR}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("described", [False, True])
def test_a_program_in_c(described, tmp_path):
    """Cyclone DDS 0.10, as ROS 2 Humble to Jazzy have it; with a description of its types, and without as rmw does."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not shutil.which("idlc") or not compiler:
        pytest.skip("needs idlc and the headers of Cyclone DDS (apt install cyclonedds-dev cyclonedds-tools)")
    here = ROOT / "tests" / "python" / "ros" / "c_peer"
    subprocess.run(["idlc", *([] if described else ["-t"]), "-l", "c", here / "ros.idl"], cwd=tmp_path, check=True)
    subprocess.run(
        [compiler, "-I.", here / "peer.c", "ros.c", "-lddsc", "-o", "peer"], cwd=tmp_path, check=True, timeout=60
    )
    cycle = PressCycle("pad", "sphere:0.01")
    with taxel.ros.Bridge(cycle.model, cycle.data) as bridge:
        program = [tmp_path / "peer", str(free_domain())]
        peer = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 25
        while peer.poll() is None and time.monotonic() < end:
            if not bridge.paused:
                cycle.step()
            bridge.publish()
            time.sleep(0.001)
        peer.kill()
        said, errors = peer.communicate()
    assert peer.returncode == 0, errors
    assert said.splitlines() == ["state pad pad 64", "points 8 8 pressure 1024 1", "reply 77 5 1 paused"]
    assert bridge.paused


def test_bridges_come_and_go():
    """Described topics share types, which Cyclone DDS frees in its own time: none may go while another is made.

    Every other bridge describes its messages anew, as the first one of a process does.
    """
    model, data = pressed_ball()
    names = set()
    for k in range(200):
        if k % 2:
            wire._descriptors.clear()
        with taxel.ros.Bridge(model, data) as bridge:
            bridge.publish()
            names.add(tuple(outlet.name for outlet in bridge.node.outlets))
    assert len(names) == 1 and "/clock" in names.pop()


def test_a_topic_that_dds_refuses_is_one_line():
    participant = DomainParticipant(free_domain())
    with pytest.raises(taxel.Error, match=r"DDS does not make the topic no topic of Clock_? \(.*BAD_PARAMETER.*again"):
        wire.PlainTopic(participant, "no topic", messages.Clock)
