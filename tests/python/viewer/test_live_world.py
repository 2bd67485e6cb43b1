"""The worlds behind ``taxel view``, without a page: the hand, readings, model files, the thread, recordings."""

import threading
import time

import numpy as np
import pytest
from conftest import ROOT

import taxel
import taxel.record
from taxel.viewer.live.file_world import FileWorld
from taxel.viewer.live.frame import Contact, Frame, Numbers, SkinFrame
from taxel.viewer.live.panels import SPAN, History, side_by_side, tactile_image
from taxel.viewer.live.press_world import Choice, PressWorld
from taxel.viewer.live.recording import RecorderSink, open_sink, record
from taxel.viewer.live.simulation import Simulation
from taxel.viewer.live.world import sink


def run(world, seconds: float) -> Frame:
    for _ in range(round(seconds / world.timestep)):
        world.step()
    return world.read()


# --- The hand ---


@pytest.mark.parametrize(
    ("sensor", "thing", "model"),
    [
        ("myrmex", "sphere", "pressure"),
        ("weiss", "cylinder", "bristle"),
        ("gelsight_mini", "sphere:0.006", "marker"),
        ("shadow_fingertip", "box", "pressure"),
    ],
)
def test_the_hand_presses_with_the_force_it_is_told(sensor, thing, model):
    world = PressWorld(Choice(sensor, thing, model))
    world.hand.grip.force = 0.8
    numbers = run(world, 1.2).numbers
    assert numbers.normal == pytest.approx(0.8, rel=0.02)
    assert numbers.tangential < 0.05


def test_a_gel_takes_the_same_force():
    world = PressWorld(Choice("pad", "box:0.01,0.01,0.01", "gel"))
    world.hand.grip.force = 2.0
    frame = run(world, 0.5)
    assert frame.numbers.normal == pytest.approx(2.0, rel=0.03)
    assert np.isnan(frame.numbers.sliding) and frame.skins[0].values.shape == (8, 8)
    pressed = frame.skins[0].shares > 0.5
    assert (frame.skins[0].points[pressed, 2] < world.top).all()  # taxels go with the gel's face


def test_the_hand_leads_to_a_tilted_pose_at_its_own_speed():
    world = PressWorld(Choice("myrmex", "capsule"))
    start = world.data.xpos[world.hand.body].copy()
    grip = world.hand.grip
    grip.force, grip.position = None, start + (0.012, -0.007, 0.015)
    turned = np.array([0.93, 0.2, -0.25, 0.17])
    grip.quaternion = turned / np.linalg.norm(turned)
    run(world, 0.1)
    way = np.linalg.norm(world.data.xpos[world.hand.body] - start)
    assert way < 1.2 * 0.1 * world.hand.speed
    frame = run(world, 1.5)
    position, quaternion = frame.held
    assert np.allclose(position, grip.position, atol=2e-5)
    assert abs(quaternion @ grip.quaternion) == pytest.approx(1, abs=1e-6)


def test_dragging_sideways_under_load_slips():
    world = PressWorld(Choice("myrmex", "box", friction=0.2))
    world.hand.grip.force = 3.0
    run(world, 0.6)
    world.hand.grip.position[0] += 0.01
    seen = [run(world, 0.05).numbers for _ in range(8)]
    assert max(n.sliding for n in seen) > 0.9
    assert max(n.tangential for n in seen) == pytest.approx(0.2 * 3.0, rel=0.1)  # Coulomb
    assert all(n.center[0] >= -1e-3 for n in seen)


def test_another_sensor_takes_its_own_material_and_a_model_that_it_has():
    choice = Choice("myrmex", "sphere", "bristle", modulus=1e5)
    assert choice.change(sensor="digit") == Choice("digit", "sphere", "pressure")
    assert choice.change(object="box").modulus == 1e5
    assert choice.change(modulus=2e5).modulus == 2e5


def test_the_camera_sees_the_press_where_it_is():
    world = PressWorld(Choice("gelsight_mini", "sphere:0.004"))
    before = run(world, 0.002).image.astype(int)
    world.hand.grip.position[:2] = 0.004, 0.003
    frame = run(world, 0.9)
    changed = np.abs(frame.image.astype(int) - before).sum(axis=2) > 40
    rows, cols = np.nonzero(changed)
    place = world.camera.grid.x[cols].mean(), world.camera.grid.y[rows].mean()
    assert place == pytest.approx((0.004, 0.003), abs=6e-4)


def test_a_stiffer_pad_is_dented_less():
    depths = [
        PressWorld(Choice("myrmex", modulus=modulus)).top - run(w, 1.0).held[0][2]
        for modulus in (3e4, 3e5)
        for w in [PressWorld(Choice("myrmex", modulus=modulus))]
    ]
    assert depths[1] < 0.5 * depths[0]


# --- Model files ---


def test_a_model_file_runs_as_it_is_and_a_body_can_be_held():
    world = FileWorld(ROOT / "models" / "schunk_pg70.xml")
    assert world.hand is None and len(world.sensor_names) == 2 and world.model.nu == 3
    [cube] = world.free_bodies
    world.hold(cube)
    start = world.data.xpos[world.hand.body].copy()
    world.hand.grip.position = start + (0.0, 0.0, 0.01)
    frame = run(world, 1.0)
    assert np.allclose(frame.held[0], world.hand.grip.position, atol=1e-4)  # and the hand carries the weight
    world.hold(None)
    assert not world.data.xfrc_applied.any()
    assert run(world, 0.5).held is None


def test_an_object_goes_above_the_one_sensor_of_a_file():
    world = FileWorld(ROOT / "models" / "myrmex.xml", "sphere:0.015")
    assert "sphere" in world.title and world.hand is not None
    with pytest.raises(taxel.Error, match="2 tactile sensors"):
        FileWorld(ROOT / "models" / "schunk_pg70.xml", "sphere")
    with pytest.raises(taxel.Error, match="no model file"):
        FileWorld("nowhere.xml")


def test_a_model_without_taxel_is_shown_too(tmp_path):
    path = tmp_path / "plain.xml"
    path.write_text("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>")
    assert run(FileWorld(path), 0.01).skins == []


# --- The thread ---


class Watcher:
    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.errors: list[str] = []

    def until(self, true, seconds: float = 20.0) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, (len(self.frames), self.errors)
            time.sleep(0.01)


@pytest.fixture
def watched():
    watcher = Watcher()
    world = PressWorld(Choice("barometer", "sphere:0.005"))
    simulation = Simulation(world, watcher.frames.append, watcher.errors.append, paused=True)
    simulation.start()
    yield watcher, simulation
    simulation.stop()
    assert not any(t.name == "taxel simulation" for t in threading.enumerate())


def test_paused_it_stands_and_steps_one_by_one(watched):
    watcher, simulation = watched
    watcher.until(lambda: watcher.frames)
    time.sleep(0.1)
    assert [f.time for f in watcher.frames] == [0.0]
    for _ in range(3):
        simulation.step_once()
    watcher.until(lambda: watcher.frames[-1].time > 2.5 * simulation.world.timestep)
    assert watcher.frames[-1].time == pytest.approx(3 * simulation.world.timestep)
    simulation.reset()
    watcher.until(lambda: watcher.frames[-1].time == 0.0)


def test_it_runs_at_the_pace_it_is_told(watched):
    watcher, simulation = watched
    simulation.speed, simulation.paused = 0.1, False
    begin = time.monotonic()
    watcher.until(lambda: watcher.frames and watcher.frames[-1].time >= 0.03)
    assert time.monotonic() - begin > 0.2  # never ahead of the clock
    assert watcher.errors == []


def test_what_goes_wrong_pauses_it_and_a_reset_goes_on(watched):
    watcher, simulation = watched

    def break_down():
        simulation.world.data.qpos[0] = np.nan
        simulation.paused = False

    simulation.ask(break_down)
    watcher.until(lambda: watcher.errors)
    assert "broke down" in watcher.errors[0] and simulation.paused
    simulation.ask(lambda: 1 / 0)
    watcher.until(lambda: len(watcher.errors) > 1)
    simulation.reset()
    simulation.paused = False
    seen = len(watcher.frames)
    watcher.until(lambda: len(watcher.frames) > seen + 3 and watcher.frames[-1].time > 0)
    assert np.isfinite(watcher.frames[-1].numbers.normal)


# --- Pictures and recordings ---


def frame_at(time: float, **numbers: float) -> Frame:
    return Frame(time, np.zeros((1, 3)), np.zeros((1, 4)), None, numbers=Numbers(**numbers))


def test_the_history_keeps_ten_seconds_and_starts_anew_when_time_goes_back():
    history = History()
    for k in range(300):
        history.add(frame_at(0.1 * k, normal=float(k)))
    time, normal = history.columns("normal")
    assert time[0] == pytest.approx(29.9 - SPAN) and normal[-1] == 299
    history.add(frame_at(0.0, normal=1.0))
    assert history.columns("normal")[1].tolist() == [1.0]
    _, x = history.columns("x")
    assert x.tolist() == [0.0]  # nothing touches: no centre yet


def test_pressed_taxels_are_drawn_on_the_contact_surface():
    points = np.array([(0.0, 0.0, 0.01), (0.02, 0.0, 0.01)])
    corners = np.array([(-1e-3, -1e-3, 0.006), (1e-3, -1e-3, 0.006), (0, 1e-3, 0.006)])
    surface = Contact(corners, np.array([(0, 1, 2)]), np.ones(3))
    moved = sink(points, np.tile((0, 0, 1.0), (2, 1)), np.array([1.0, 0.5]), np.full(2, 2.5e-5), surface)
    assert moved[:, 2] == pytest.approx([0.006, 0.01])  # the second has none near it


def test_the_picture_shows_the_upper_row_first():
    shares = np.zeros((3, 2))
    shares[2, 1] = 1.0  # highest row, right
    skin = SkinFrame("pad", "Pa", shares, shares.ravel(), np.zeros((6, 3)))
    picture = tactile_image(skin).astype(int)
    assert picture[20, -20].sum() > 2 * picture[-20, 20].sum()
    both = side_by_side(picture.astype(np.uint8), np.full((40, 30, 3), 255, np.uint8))
    assert (both[:, -both.shape[1] // 3 :] == 255).all(axis=2).any()


def test_a_recording_has_what_was_seen(tmp_path):
    world = PressWorld(Choice("barometer", "sphere:0.005"))
    writer = open_sink(tmp_path / "press.npz", world.title)
    frames = [run(world, 0.02) for _ in range(3)]
    for frame in frames:
        record(writer, frame, {world.moving[0]: "pressed_object"})
    writer.close()
    kept = np.load(tmp_path / "press.npz")
    assert kept["time"] == pytest.approx([f.time for f in frames])
    assert kept["barometer/touch"].shape == (3, 5, 5) and kept["geom/pressed_object"].shape == (3, 7)
    assert np.array_equal(kept["barometer/touch"][-1], frames[-1].skins[0].values)
    with pytest.raises(ValueError, match=r"press\.txt"):
        open_sink(tmp_path / "press.txt", "")
    with pytest.raises(ValueError, match="there already"):
        open_sink(tmp_path / "press.npz", "")
    with pytest.raises(OSError):
        open_sink(tmp_path / "nowhere" / "press.npz", "")


class Channels:
    """As much of ``taxel.record`` as the page uses; the room itself may be missing."""

    Array = staticmethod(lambda *a: ("array", *a))
    Markers = staticmethod(lambda *a: ("markers", *a))
    Pose = staticmethod(lambda: ("pose",))
    Image = staticmethod(lambda *a: ("image", *a))

    def open(self, path, channels, task=""):
        self.channels, self.written, self.rows, self.last = channels, [], 0, -1.0
        return self

    def write(self, time, values):
        assert values.keys() == self.channels.keys()
        self.written.append(time)
        self.rows, self.last = self.rows + 1, time

    def next_episode(self, task=""):
        self.written.append("next")

    def close(self):
        self.written.append("closed")


def test_a_recorder_gets_channels_once_and_an_episode_for_each_reset(tmp_path):
    world, recordings = PressWorld(Choice("gelsight_mini", "sphere:0.005")), Channels()
    writer = RecorderSink(recordings, tmp_path / "x.mcap", "words")
    for k in (2, 0, 3):
        for _ in range(k):
            world.step()
        record(writer, world.read(), {world.moving[0]: "pressed object"})
    world.start()
    record(writer, world.read(), {world.moving[0]: "pressed object"})
    writer.close()
    h = world.timestep
    assert recordings.written == [pytest.approx(2 * h), pytest.approx(5 * h), "next", 0.0, "closed"]
    assert recordings.channels["camera"] == ("image", *world.read().image.shape[:2])
    assert recordings.channels["geom/pressed_object"] == ("pose",)


@pytest.mark.parametrize("suffix", [".mcap", ".h5"])
def test_a_recording_says_what_its_numbers_are(tmp_path, suffix):
    world, path = PressWorld(Choice("gelsight_mini", "sphere:0.005", "marker")), tmp_path / f"press{suffix}"
    writer = open_sink(path, world.title)
    record(writer, run(world, 0.02), {world.moving[0]: "pressed_object"})
    assert writer.close()
    kept = taxel.record.read(path)
    touch, markers = kept.channels["gelsight_mini_taxels/touch"], kept.channels["gelsight_mini/markers"]
    assert touch.unit == "Pa" and touch.frame == "gelsight_mini_taxels/frame"
    np.testing.assert_allclose(touch.points, world.skins[0].layout.points)
    assert markers.kind == "markers" and markers.pixel == pytest.approx(world.markers[0].pixel)
    np.testing.assert_allclose(markers.rest, world.markers[0].markers)
    assert kept.channels["force"].unit == "N" and kept.channels["center"].unit == "m"
    assert np.linalg.norm(kept.values["gelsight_mini/frame"][0, 3:]) == pytest.approx(1)


@pytest.mark.parametrize("name", ["run.npz", "run.mcap"])
def test_without_a_frame_there_is_no_file(tmp_path, name):
    assert not open_sink(tmp_path / name, "words").close()
    assert not list(tmp_path.iterdir())
    open_sink(tmp_path / name, "words").abandon()
    assert not list(tmp_path.iterdir())


def test_a_flex_is_said_not_to_be_drawn(tmp_path):
    (tmp_path / "flex.xml").write_text(
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/><flexcomp name="cloth" type="grid" count="3 3 1" '
        'spacing="0.1 0.1 0.1" pos="0 0 0.5" radius="0.01" dim="2"><edge equality="true"/></flexcomp>'
        "</worldbody></mujoco>"
    )
    assert FileWorld(tmp_path / "flex.xml").not_drawn.startswith("1 flex (cloth) simulated, but not drawn")
    assert not PressWorld(Choice("barometer", "sphere")).not_drawn
