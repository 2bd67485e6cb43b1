"""The bridge against another process that knows only ROS: topics, services, parameters, who comes and goes."""

import signal
import threading
import time

import mujoco
import numpy as np
import pytest

pytest.importorskip("cyclonedds")
pytest.importorskip("rosbags")

from cyclonedds.qos import Policy
from ros_loopback import answers, on_loopback, pressed_ball, start  # noqa: F401

import taxel
import taxel.ros
from taxel.ros import bridge as bridge_module
from taxel.ros import node as node_module


def stepper(bridge, model, data):
    def step():
        if not bridge.paused:
            mujoco.mj_step(model, data)
        bridge.publish()

    return step


def test_another_process_reads_all_topics():
    """A process with its own types hears on loopback what the sensor reads here."""
    model, data = pressed_ball()
    sensor = taxel.Sensor(model, "myrmex")
    kinds = {"state": "TactileState", "image": "Image", "wrench": "WrenchStamped", "points": "PointCloud2"}
    listen = {"/clock": "Clock", "/tf": "TFMessage"} | {f"/taxel/myrmex/{t}": k for t, k in kinds.items()}
    with taxel.ros.Bridge(model, data, rate=500.0) as bridge:
        heard = answers(start(listen=listen, count=2), stepper(bridge, model, data))
        assert bridge.dropped == 0 and all(count >= 2 for count in bridge.sent.values())
    got = {entry["topic"]: entry["message"] for entry in heard}  # the last of each
    assert set(got) == set(listen)

    image, (shear_x, shear_y) = sensor(data), sensor.parts(data)["shear"]
    state = got["/taxel/myrmex/state"]
    assert [c["name"] for c in state["sensors"]] == ["myrmex", "myrmex/shear_x", "myrmex/shear_y"]
    for channel, values in zip(state["sensors"], (image, shear_x, shear_y), strict=True):
        # At rest: the ball moves by less than this within the test.
        np.testing.assert_allclose(channel["values"], values.ravel(), rtol=1e-4, atol=1e-3 * image.max())
    assert state["header"]["frame_id"] == "myrmex"
    assert image.max() > 0 and not np.allclose(image, image[::-1], rtol=0.1)  # upside down would be seen

    picture = got["/taxel/myrmex/image"]
    assert (picture["height"], picture["width"], picture["encoding"], picture["step"]) == (3, 5, "32FC1", 20)
    np.testing.assert_allclose(np.reshape(picture["data"], (3, 5)), image[::-1], rtol=1e-4, atol=1e-3 * image.max())

    points = got["/taxel/myrmex/points"]
    assert [f["name"] for f in points["fields"]] == ["x", "y", "z", "pressure", "shear_x", "shear_y"]
    table = np.reshape(points["data"], (15, 6))
    np.testing.assert_allclose(table[:, :3], sensor.layout.points, atol=1e-7)
    np.testing.assert_allclose(table[:, 3], image.ravel(), rtol=1e-4, atol=1e-3 * image.max())
    assert (points["height"], points["width"], points["point_step"], points["row_step"]) == (3, 5, 24, 120)

    force = got["/taxel/myrmex/wrench"]["wrench"]["force"]
    torque = got["/taxel/myrmex/wrench"]["wrench"]["torque"]
    assert force["z"] == pytest.approx(-0.2 * 9.81, rel=1e-3)
    center = sensor.read(data).center
    assert torque["x"] == pytest.approx(center[1] * force["z"], rel=0.02)
    assert torque["y"] == pytest.approx(-center[0] * force["z"], rel=0.02)

    transform = got["/tf"]["transforms"][0]
    assert (transform["header"]["frame_id"], transform["child_frame_id"]) == ("world", "myrmex")
    assert list(transform["transform"]["translation"].values()) == pytest.approx([0.1, 0.2, 0.3])
    turned = np.radians(15.0)  # half of 30 degrees
    assert list(transform["transform"]["rotation"].values()) == pytest.approx([0, 0, np.sin(turned), np.cos(turned)])

    clock = got["/clock"]["clock"]
    at = clock["sec"] + 1e-9 * clock["nanosec"]
    assert 0.6 < at <= data.time and at / model.opt.timestep == pytest.approx(round(at / model.opt.timestep), abs=1e-3)


def test_services_of_another_process():
    """Pause, reset, state and rates; nonsense gets an answer that says what is wrong."""
    model, data = pressed_ball()
    number = lambda value: {"type": 3, "double_value": value}  # noqa: E731
    calls = [
        ["/taxel/set_pause", "SetBool", {"data": True}],
        ["/taxel/myrmex/get_state", "GetTactileState", {}],
        ["/taxel/myrmex/set_pause", "SetBool", {"data": True}],
        ["/taxel/reset", "Trigger", {}],
        [
            "/taxel/set_parameters",
            "SetParameters",
            {
                "myrmex.rate": number(25.0),
                "real_time_factor": {"type": 2, "integer_value": 2},
                "rate": number(-1.0),
                "rat": number(1.0),
                "real_time_facto": {"type": 4, "string_value": "fast"},
            },
        ],
        ["/taxel/set_parameters", "SetParameters", {"rate": number(float("nan")), "": number(1.0)}],
        ["/taxel/set_parameters", "SetParameters", {"rate": {"type": 4, "string_value": "often"}}],
        ["/taxel/get_parameters", "GetParameters", {"names": ["myrmex.rate", "real_time_factor", "rate", "none"]}],
    ]
    with taxel.ros.Bridge(model, data) as bridge:
        paused_at = []

        def step():
            stepper(bridge, model, data)()
            if bridge.paused and not paused_at:
                paused_at.append((float(data.time), taxel.Sensor(model, "myrmex").read(data).values))

        replies = [entry["message"] for entry in answers(start(calls=calls), step)]
        assert bridge.paused and bridge.real_time_factor == 2.0 and data.time == 0.0
    pause, state, sensor_pause, reset, set_some, set_nan, set_text, get = replies
    assert (pause["success"], pause["message"]) == (True, "paused")
    time_paused, image = paused_at[0]
    stamp = state["tactile_state"]["header"]["stamp"]
    assert state["success"] and stamp["sec"] + 1e-9 * stamp["nanosec"] == pytest.approx(time_paused)
    np.testing.assert_allclose(state["tactile_state"]["sensors"][0]["values"], image.ravel(), rtol=1e-6)
    assert sensor_pause["success"] and reset["success"] and reset["message"] == "at 0 s"
    results = set_some["results"]
    assert [r["successful"] for r in results] == [True, True, False, False, False]
    assert results[2]["reason"].startswith("rate is -1; give 0.001 to 100000 (")
    assert results[3]["reason"] == "there is no parameter 'rat'; did you mean 'rate'?"
    assert results[4]["reason"] == "there is no parameter 'real_time_facto'; did you mean 'real_time_factor'?"
    assert [r["successful"] for r in set_nan["results"]] == [False, False]
    assert "there are: rate, myrmex.rate, real_time_factor" in set_nan["results"][1]["reason"]
    assert set_text["results"][0]["reason"] == "rate is a number (0.001 to 100000); this value is none"
    assert [v["double_value"] for v in get["values"]] == [25.0, 2.0, 100.0, 0.0] and get["values"][3]["type"] == 0


def test_the_node_is_known_where_the_release_is():
    """What `ros2 node list` and `ros2 topic info -v` read; one who comes late hears it, too."""
    model, data = pressed_ball()
    with taxel.ros.Bridge(model, data, namespace="lab/skin", distro="jazzy") as bridge:
        order = {"ros_discovery_info": "ParticipantEntitiesInfo"}
        (heard,) = answers(start(listen=order, latched=True), stepper(bridge, model, data))
        own = list(bridge.node.participant.guid.bytes)
        writers = len(bridge.node.outlets) + len(bridge.node.services)
        readers = len(bridge.node.services)
    assert list(heard["message"]["gid"]["data"]) == own
    (node,) = heard["message"]["node_entities_info_seq"]
    assert (node["node_namespace"], node["node_name"]) == ("/lab", "skin")
    assert (len(node["writer_gid_seq"]), len(node["reader_gid_seq"])) == (writers, readers) == (15, 9)
    assert all(list(gid["data"][:12]) == own[:12] for gid in node["writer_gid_seq"])  # endpoints of this participant


@pytest.mark.parametrize("reliable", [False, True])
def test_a_subscriber_that_dies_is_left_behind(reliable):
    model, data = pressed_ball()
    with taxel.ros.Bridge(model, data, rate=500.0, reliable=reliable) as bridge:
        step = stepper(bridge, model, data)
        peer = start(listen={"/taxel/myrmex/state": "TactileState"}, count=1, reliable=reliable, forever=True)
        end = time.monotonic() + 20
        while bridge.sent["/taxel/myrmex/state"] == 0 and time.monotonic() < end:
            step()
            time.sleep(0.001)
        assert bridge.sent["/taxel/myrmex/state"] > 0
        peer.send_signal(signal.SIGKILL)
        peer.communicate()
        before = data.time
        for _ in range(500):
            step()
        assert data.time == pytest.approx(before + 1.0)
    # It does not wait for the dead: writing to a reliable reader never blocks.
    assert Policy.Reliability.Reliable(max_blocking_time=0) in node_module.RELIABLE_QOS.policies


def test_rates_hold_in_simulated_time(tmp_path):
    """30 Hz at a step of 2 ms is no multiple; on average it holds. A reset starts anew, in a bag time goes on."""
    model, data = pressed_ball()
    mujoco.mj_resetData(model, data)
    with taxel.ros.Bridge(model, data, rate=30.0, topics=["wrench"], bag=str(tmp_path / "bag")) as bridge:
        for _ in range(1000):
            mujoco.mj_step(model, data)
            bridge.publish()
            assert bridge.publish() == 0  # nothing new at the same time
        bridge.reset()
        for _ in range(50):
            mujoco.mj_step(model, data)
            bridge.publish()
    from rosbags.highlevel import AnyReader

    with AnyReader([tmp_path / "bag"]) as bag:
        got = [
            (at, bag.deserialize(raw, connection.msgtype).header.stamp)
            for connection, at, raw in bag.messages()
            if connection.topic == "/taxel/myrmex/wrench"
        ]
    stamps = np.array([stamp.sec + 1e-9 * stamp.nanosec for _, stamp in got])
    times = 1e-9 * np.array([at for at, _ in got])
    jump = int(np.flatnonzero(np.diff(stamps) < 0)[0]) + 1
    assert jump == 60 and len(stamps) - jump == 3
    assert np.all(np.diff(times) > 0) and times[-1] == pytest.approx(2.0 + stamps[-1])


def test_images_of_ones_own(tmp_path):
    model, data = pressed_ball()
    photo = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    with taxel.ros.Bridge(model, data, images={"gel/photo": lambda data: photo}, bag=str(tmp_path / "b")) as bridge:
        mujoco.mj_step(model, data)
        bridge.publish()
    from rosbags.highlevel import AnyReader

    with AnyReader([tmp_path / "b"]) as bag:
        connection = next(c for c in bag.connections if c.topic == "/taxel/gel/photo")
        image = bag.deserialize(next(bag.messages([connection]))[2], connection.msgtype)
    assert (image.height, image.width, image.encoding, image.step) == (2, 4, "rgb8", 12)
    np.testing.assert_array_equal(image.data, photo.ravel())


def test_markers_are_published_too(tmp_path):
    spec = mujoco.MjSpec()
    taxel.sensors.gelsight_mini(model="marker").add_to(spec)
    body = spec.worldbody.add_body(name="ball", pos=(0, 0, 0.02))
    body.add_freejoint()
    body.add_geom(name="ball", size=[0.005, 0, 0], mass=0.01)
    model = spec.compile()
    data = mujoco.MjData(model)
    with taxel.ros.Bridge(model, data, bag=str(tmp_path / "b")) as bridge:
        mujoco.mj_step(model, data)
        bridge.publish()
        names = [outlet.name for outlet in bridge.node.outlets]
    from rosbags.highlevel import AnyReader

    with AnyReader([tmp_path / "b"]) as bag:
        got = {c.topic: bag.deserialize(raw, c.msgtype) for c, _, raw in bag.messages()}
    at = "/taxel/gelsight_mini"
    assert set(names) == {"/clock", "/tf", f"{at}/state", f"{at}/image", f"{at}/points"}
    shape = taxel.MarkerSensor(model, 0).shape
    assert [c.name for c in got[f"{at}/state"].sensors] == ["gelsight_mini", "gelsight_mini/dy", "gelsight_mini/dz"]
    assert (got[f"{at}/image"].height, got[f"{at}/image"].width) == shape and got[f"{at}/image"].encoding == "32FC3"
    assert [f.name for f in got[f"{at}/points"].fields] == ["x", "y", "z", "dx", "dy", "dz"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"namespace": "my robot"}, "namespace is 'my robot', with 'my robot' in it; ROS allows letters, digits and _"),
        ({"namespace": "a//b"}, "with an empty part in it"),
        ({"namespace": "2fast"}, "with '2fast' in it"),
        ({"namespace": ""}, "with nothing in it"),
        ({"namespace": "a__b"}, "two underscores in a row"),
        ({"namespace": "x" * 300}, "300 characters"),
        ({"images": {"bad-name": None}}, "an image's topic is '/taxel/bad-name', with 'bad-name' in it"),
        ({"sensors": ["none"]}, "there is no tactile sensor 'none' in the model; there are: 'myrmex'"),
        ({"topics": ["stat"]}, "topics has 'stat'; give some of 'state'"),
        ({"rate": 0.0}, "rate is 0.0; give 0.001 to 100000 Hz"),
        ({"rate": float("nan")}, "rate is nan"),
        ({"domain": 233}, "domain is 233; give a whole number from 0 to 232"),
    ],
)
def test_wrong_settings_are_named(changes, words):
    with pytest.raises(ValueError) as caught:
        taxel.ros.Bridge(*pressed_ball(), **changes)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_wrong_surroundings_are_named(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "lab")
    with pytest.raises(taxel.Error, match="ROS_DOMAIN_ID is 'lab'; give a whole number from 0 to 232"):
        taxel.ros.Bridge(*pressed_ball())
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(taxel.Error, match="the model has no tactile sensor"):
        taxel.ros.Bridge(model, mujoco.MjData(model))


def test_two_sensors_that_ros_cannot_tell_apart():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    for name in ("left.tip", "left-tip"):
        taxel.sensors.pad().add_to(spec, name=name)
    model = spec.compile()
    with pytest.raises(taxel.Error, match=r"the sensors 'left\.tip' and 'left-tip' are both 'left_tip' in ROS; rename"):
        taxel.ros.Bridge(model, mujoco.MjData(model))


def test_what_is_closed_or_of_another_model_says_so():
    model, data = pressed_ball()
    other = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    with pytest.raises(taxel.Error, match="this data belongs to another model"):
        taxel.ros.Bridge(model, mujoco.MjData(other))
    with taxel.ros.Bridge(model, data) as bridge:
        bridge.publish()
    with pytest.raises(taxel.Error, match="the bridge is closed; make another"):
        bridge.publish()
    bridge.close()
    with taxel.ros.Bridge(model, data) as again, taxel.ros.Bridge(model, data, namespace="second") as second:
        assert again.publish() == second.publish() == 0  # nobody listens


def test_a_second_thread_is_refused(monkeypatch):
    model, data = pressed_ball()
    with taxel.ros.Bridge(model, data) as bridge:
        inside, go_on = threading.Event(), threading.Event()

        def slow() -> int:
            inside.set()
            go_on.wait(10)
            return 0

        monkeypatch.setattr(bridge.node, "spin", slow)
        thread = threading.Thread(target=bridge.publish)
        thread.start()
        inside.wait(10)
        with pytest.raises(taxel.Error, match="this Bridge is in use by another thread"):
            bridge.publish()
        go_on.set()
        thread.join()


def test_a_feed_that_is_late_does_not_catch_up():
    feed = bridge_module._Feed(None, "", {}, 10.0)
    assert [t for t in (0.0, 0.05, 0.1, 0.75, 0.8, 0.85, 0.9) if feed.advance(t)] == [0.0, 0.1, 0.75, 0.85]
