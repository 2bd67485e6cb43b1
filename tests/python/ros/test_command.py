"""`taxel ros`: what it says, how it ends, what it says to wrong words."""

import json
import os
import signal
import subprocess
import sys

import mujoco
import pytest

pytest.importorskip("cyclonedds")
pytest.importorskip("rosbags")

from conftest import ROOT, command
from ros_loopback import free_domain, on_loopback, start  # noqa: F401
from rosbags.highlevel import AnyReader

import taxel
from taxel.press import PressCycle
from taxel.ros.node import distro_name


def test_a_sensor_and_an_object(tmp_path, capsys):
    words = ["ros", "myrmex", "sphere:0.01", "--speed", "0", "--duration", "1", "--rate", "20"]
    assert command([*words, "--bag", str(tmp_path / "b"), "--json", str(tmp_path / "n.json"), "--distro", "jazzy"]) == 0
    said = capsys.readouterr().out
    assert "/taxel/myrmex/state" in said and "node /taxel" in said and "1.00 s simulated" in said
    numbers = json.loads((tmp_path / "n.json").read_text())
    assert numbers["steps"] == 500 and numbers["recorded"] == 500 + 5 * 20
    with AnyReader([tmp_path / "b"]) as bag:
        wrenches = [c for c in bag.connections if c.topic == "/taxel/myrmex/wrench"]
        forces = [-bag.deserialize(raw, c.msgtype).wrench.force.z for c, _, raw in bag.messages(wrenches)]
    assert len(forces) == 20 and forces[0] < 0.1 and 4.0 < max(forces) < 6.0  # half a period: from nothing to 5 N


def test_a_model_file(capsys):
    words = ["ros", str(ROOT / "models" / "myrmex.xml"), "--speed", "0", "--duration", "0.02"]
    assert command([*words, "--namespace", "lab/one"]) == 0
    said = capsys.readouterr().out
    assert "/lab/one/" in said and "/lab/one/reset" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_it_ends_in_order(tmp_path, number):
    """The bag is whole, another process was served, and the last line says how far it came; twice is not worse."""
    words = [sys.executable, "-u", "-m", "taxel.cli", "ros", "pad", "--bag", str(tmp_path / "b")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peer = start(
        listen={"/taxel/pad/state": "TactileState"},
        count=3,
        calls=[["/taxel/set_pause", "SetBool", {"data": True}], ["/taxel/set_pause", "SetBool", {"data": False}]],
        domain=free_domain(),
    )
    heard, errors = peer.communicate(timeout=30)
    assert peer.returncode == 0, errors
    assert [json.loads(line)["message"]["message"] for line in heard.splitlines()[3:]] == ["paused", "running"]
    process.send_signal(number)
    process.send_signal(number)
    said, errors = process.communicate(timeout=20)
    assert process.returncode == 0 and not errors, errors
    assert "stopped\n" in said and "s simulated" in said.splitlines()[-2]
    with AnyReader([tmp_path / "b"]) as bag:
        assert said.splitlines()[-1] == f"bag: {tmp_path / 'b'}, {bag.message_count} messages"


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["ros"], "no model: give an .xml"),
        (["ros", "none"], "there is no sensor 'none'; the catalogue has"),
        (["ros", "none.xml"], "there is no model file 'none.xml'"),
        (["ros", "pad", "--namespace", "my robot"], "namespace is 'my robot'"),
        (["ros", "pad", "--rate", "0"], "rate is 0.0; give 0.001 to 100000 Hz"),
        (["ros", "pad", "--speed", "-1"], "--speed is -1; give 0"),
        (["ros", "pad", "--duration", "0"], "--duration is 0; give"),
        (["ros", "pad", "--period", "0"], "period is 0; give 0.02 to 10000 s"),
        (["ros", "pad", "--force", "0"], "--force is 0; give"),
        (["ros", "pad", "--domain", "300"], "domain is 300; give a whole number from 0 to 232"),
        (["ros", "pad", "--bag", "."], "is there already, and bags are not overwritten"),
        (["ros", "pad", "--bag", "/proc/bag"], "the bag /proc/bag cannot be made"),
        (["ros", "pad", "--json", "/proc/n.json"], "--json /proc/n.json: cannot be written; give a file"),
        (
            ["ros", "--interfaces", "/proc/x"],
            "/proc/x/tactile_msgs cannot be written (No such file or directory); give",
        ),
        (["ros", "pad", "--distro", "foo"], "distro is 'foo'; give one of foxy, galactic, humble, iron, jazzy"),
        (["ros", "pad", "--distro", ""], "distro is ''; give one of"),
        (["ros", "a.xml", "--model", "bristle"], "--model is for sensors of the catalogue"),
    ],
)
def test_wrong_words_get_one_line(words, answer, capsys):
    assert command(words) == 2
    said = capsys.readouterr().err
    assert answer in said and said.count("\n") == 1


def test_without_the_extra_the_way_out_is_named(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith(("taxel.ros", "cyclonedds"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cyclonedds", None)
    assert command(["ros", "pad"]) == 2
    assert "taxel.ros needs cyclonedds" in (said := capsys.readouterr().err) and "pip install 'taxel[ros]'" in said


def test_a_dds_that_cannot_start_says_so(monkeypatch):
    """In a process of its own: a domain that has started stays as it is."""
    env = {**os.environ, "CYCLONEDDS_URI": "<CycloneDDS><Domain><Nonsense/></Domain></CycloneDDS>"}
    words = [sys.executable, "-m", "taxel.cli", "ros", "pad", "--duration", "0.1"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]  # Cyclone DDS names the element in lines of its own
    assert last.startswith("taxel: error: DDS does not start in domain") and "CYCLONEDDS_URI" in last


def test_the_interface_package(tmp_path, capsys):
    assert command(["ros", "--interfaces", str(tmp_path)]) == 0
    package = tmp_path / "tactile_msgs"
    assert "sensor_msgs/ChannelFloat32[] sensors" in (package / "msg/TactileState.msg").read_text()
    assert (package / "srv/GetTactileState.srv").read_text().startswith("---\n")
    assert "colcon build" in capsys.readouterr().out
    assert command(["ros", "--interfaces", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_the_load_swings():
    cycle = PressCycle("pad", "sphere:0.01", force=2.0, period=0.5)
    assert [cycle.load(t) for t in (0.0, 0.125, 0.25, 0.5)] == pytest.approx([0.0, 1.0, 2.0, 0.0])
    for _ in range(100):
        cycle.step()
    low = float(cycle.data.qpos[0])
    cycle.reset()
    assert cycle.data.time == 0.0 and cycle.data.qpos[0] > low


def test_a_release_from_the_shell(monkeypatch, capsys):
    monkeypatch.setenv("ROS_DISTRO", "noetic")
    assert command(["ros", "pad", "--duration", "0.01"]) == 2
    said = capsys.readouterr().err
    assert "ROS_DISTRO is 'noetic'; give one of foxy" in said and "or unset it" in said
    assert distro_name("Jazzy") == "jazzy"
    monkeypatch.delenv("ROS_DISTRO")
    assert distro_name(None) is None


BALL = (
    '<worldbody><geom type="plane" size="1 1 .1"/><body pos="0 0 .1"><freejoint/><geom size=".02"/></body></worldbody>'
)


@pytest.mark.parametrize("words", [["ros"], ["ros", "sphere"], ["press", "sphere"]])
@pytest.mark.parametrize("inside", ["", BALL])
def test_a_model_without_a_sensor_is_named(tmp_path, words, inside, capsys, recwarn):
    path = tmp_path / "nosensor.xml"
    path.write_text(f"<mujoco>{inside}</mujoco>")
    assert command([words[0], str(path), *words[1:]]) == 2
    said = capsys.readouterr().err
    assert f"taxel: error: {path}: 0 tactile sensors (none); a model to " in said and said.count("\n") == 1
    assert not [w for w in recwarn if "taxel" in str(w.message)]


def test_a_soft_model_without_a_sensor_is_named(tmp_path, capsys):
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.02, 0.005])
    taxel.soften(spec, ["pad"], modulus=1e5)
    path = tmp_path / "soft.xml"
    path.write_text(spec.to_xml())
    assert command(["ros", str(path)]) == 2
    assert f"{path}: the model has no tactile sensor" in capsys.readouterr().err
