"""Tests of ROS: all on the loopback interface without multicast; the program on the other side is ros/peer.py."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import mujoco
import pytest

import taxel

LOOPBACK = (
    "<CycloneDDS><Domain><General><AllowMulticast>false</AllowMulticast><Interfaces>"
    "<NetworkInterface address='127.0.0.1'/></Interfaces></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>40</MaxAutoParticipantIndex><Peers><Peer address='127.0.0.1'/></Peers></Discovery>"
    "</Domain></CycloneDDS>"
)
PATIENCE = 25.0  # s


def free_domain() -> int:
    """Its own for each test process, so that two runs on one machine do not hear each other; below 100, where the ports
    are not those that the kernel hands out."""
    return 1 + os.getpid() % 99


def start(**order) -> subprocess.Popen:
    order.setdefault("domain", free_domain())
    peer = Path(__file__).parent / "ros" / "peer.py"
    return subprocess.Popen(
        [sys.executable, str(peer), json.dumps(order)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "CYCLONEDDS_URI": LOOPBACK},
    )


def answers(process: subprocess.Popen, step) -> list[dict]:
    """What the other side printed, while ``step`` runs here."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        step()
        time.sleep(0.0005)
    if process.poll() is None:
        process.kill()
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture(autouse=True)
def on_loopback(monkeypatch):
    """No packet leaves the machine, and what the user's shell says of ROS does not count."""
    monkeypatch.setenv("CYCLONEDDS_URI", LOOPBACK)
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain()))
    for name in ("ROS_DISTRO", "ROS_LOCALHOST_ONLY", "ROS_AUTOMATIC_DISCOVERY_RANGE"):
        monkeypatch.delenv(name, raising=False)


def pressed_ball():
    """A ball of 0.2 kg at rest on a tilted Myrmex with 3 x 5 taxels, off its middle: model, data."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.myrmex(shape=(3, 5), output="pressure shear").add_to(spec, pos=(0.1, 0.2, 0.3), euler=(0, 0, 30))
    ball = spec.worldbody.add_body(name="ball", pos=(0.105, 0.207, 0.3305))
    ball.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, 0, 1))
    ball.add_geom(size=[0.02, 0, 0], mass=0.2)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=300)
    return model, data
