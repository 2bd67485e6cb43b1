"""Samples: against the press in MuJoCo, and what each motion must do."""

import math

import numpy as np
import pytest

import taxel
from taxel.dataset.model import make_model
from taxel.dataset.plan import parse_plan
from taxel.dataset.rest import CannotPress, first_touch, height_of_force
from taxel.dataset.samples import SampleMaker
from taxel.dataset.stock import Thing, take_stock
from taxel.dataset.way import any_rotation, guides, legs, quaternion
from taxel.dataset.yaml_file import parse_yaml
from taxel.press import parse_object, press, press_markers


def rows_of(text: str) -> dict[str, np.ndarray]:
    plan = parse_plan(parse_yaml(text, "plan.yaml"))
    maker = SampleMaker(plan, take_stock(plan))
    rows = maker.shard(0)
    assert not rows.left_out
    return rows.arrays(maker.columns)


def pressed(
    model, sensor, text, *, force=None, depth=None, motion="press", values=(0.0, 0.0), yaw, pitch, offset, frames=1
):
    """One sample by hand: readings of its frames, and the depth."""
    readings = ("taxels", "markers", "force", "torque", "center")
    made = make_model(model, taxel.sensors.catalogue()[sensor]().replace(model=model), readings)
    thing = parse_object(text)
    thing = Thing(text, thing, thing.shape.body(0.0), (0.0, 0.0, 0.0))
    R = taxel.pose(rpy=(0, math.radians(pitch), math.radians(yaw)))[:3, :3] @ thing.pressed.R_OG
    guide = guides(thing.pressed, R, offset, made.top, 1)[0]
    touch = first_touch(lambda h: made.touches(thing, guide.pose(h)), made.deepest)
    if depth is None:
        height = height_of_force(lambda h: made.push(thing, guide.pose(h)), force, made.deepest)
    else:
        height = touch - depth
    return made.follow(thing, legs(guide, [height], touch, motion, values, frames), 0), touch - height


AT = {"yaw": 25.0, "pitch": 4.0, "offset": (0.004, -0.007)}


# Under a tilted box MuJoCo's contact rows leave out the walls of the hole, which carry a little here.
@pytest.mark.parametrize(
    ("text", "close"), [("sphere:0.012", 1e-5), ("ellipsoid:0.03,0.015,0.02", 1e-4), ("box:0.02,0.03,0.03", 0.04)]
)
def test_statics_give_what_mujoco_settles_to(text, close):
    settled = press("myrmex", text, force=3, **AT)
    (found,), depth = pressed("pressure", "myrmex", text, force=3, **AT)
    assert depth == pytest.approx(settled.depth, rel=close)
    assert -found["force"][2] == pytest.approx(3.0, rel=1e-6)
    assert np.abs(found["taxels"] - settled.image).max() < close * settled.image.max()


def test_bristles_go_as_deep_as_in_mujoco():
    settled = press("myrmex", "sphere:0.012", force=3, model="bristle", **AT)
    (found,), depth = pressed("bristle", "myrmex", "sphere:0.012", force=3, **AT)
    assert depth == pytest.approx(settled.depth, rel=1e-5)
    # On the way down the flanks rub, which the frictionless press in MuJoCo does not know.
    assert 3.0 < -found["force"][2] < 3.6
    np.testing.assert_allclose(found["center"][:2], settled.center[:2], atol=5e-5)


def test_markers_go_where_the_plugin_moves_them():
    way = {"yaw": 10.0, "pitch": 0.0, "offset": (0.001, 0.002)}
    plugin = press_markers("gelsight_mini", "sphere:0.008", depth=8e-4, slide=5e-4, slide_angle=30, **way)
    frames, _ = pressed(
        "marker", "gelsight_mini", "sphere:0.008", depth=8e-4, motion="slide", values=(5e-4, 30.0), frames=2, **way
    )
    for ours, theirs in zip(frames, plugin.frames, strict=True):
        assert np.abs(ours["markers"] - theirs.displacement).max() < 0.01 * np.abs(theirs.displacement).max()
        np.testing.assert_allclose(ours["force"], theirs.wrench[:3], atol=0.01 * np.abs(theirs.wrench[:3]).max())
        np.testing.assert_allclose(ours["torque"], theirs.wrench[3:], atol=0.01 * np.abs(theirs.wrench[3:]).max())


PLAN = """
sensor: {sensor}
model: {model}
samples: {samples}
seed: 3
objects: {objects}
motions: [{motion}]
pose: {{x: [-0.01, 0.01], y: [-0.01, 0.01], pitch: {pitch}}}
load: {load}
frames: {frames}
readings: {readings}
"""


def plan_text(**changes) -> str:
    keys = {
        "sensor": "myrmex",
        "model": "pressure",
        "samples": 12,
        "objects": "[{sphere: {radius: [0.01, 0.02]}}]",
        "motion": "press",
        "pitch": 0,
        "load": "{force: [0.5, 3]}",
        "frames": 1,
        "readings": "[taxels, force, torque, pose, depth, area, center, max_pressure]",
    }
    return PLAN.format(**{**keys, **changes})


def test_a_press_meets_its_force_in_every_frame():
    rows = rows_of(
        plan_text(frames=3, load="{force: 2.4}", objects="[sphere, {box: {x: [0.02, 0.03]}}]", pitch="[-6, 6]")
    )
    assert len(rows["sample"]) == 36 and (rows["frame"][:3] == [0, 1, 2]).all()
    np.testing.assert_allclose(-rows["force"][:, 2], 2.4 * rows["progress"], rtol=1e-6)
    # What the taxels share is the force; all presses lie inside the pad.
    np.testing.assert_allclose(rows["taxels"].sum(axis=(1, 2)) * 25e-6, -rows["force"][:, 2], rtol=1e-4)
    assert (np.diff(rows["depth"].reshape(-1, 3)) > 0).all()


def test_a_depth_is_counted_from_the_first_touch():
    text = plan_text(load="{depth: [0.0005, 0.002]}", sensor="digit").replace("[-0.01, 0.01]", "[-0.006, 0.006]")
    rows = rows_of(text)
    tips = rows["pose"][:, 2] - rows["size"][:, 0]  # lowest point of the ball
    high = taxel.sensors.digit().bounds[1, 2]
    assert (rows["depth"] >= 0.0005).all() and (rows["depth"] <= 0.002).all()
    assert (high - tips >= rows["depth"] - 1e-9).all()  # a ball beside the crest touches lower
    assert (rows["force"][:, 2] < 0).all()


def test_a_slide_takes_the_reading_along():
    rows = rows_of(plan_text(motion="{slide: {distance: 0.01, direction: [0, 360]}}", frames=2))
    first, last = rows["center"][::2], rows["center"][1::2]
    angle = np.radians(rows["motion_values"][::2, 1])
    way = 0.01 * np.column_stack([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose((last - first)[:, :2], way, atol=1e-6)
    np.testing.assert_allclose(rows["force"][::2, 2], rows["force"][1::2, 2], rtol=1e-3)
    np.testing.assert_allclose(rows["depth"][::2], rows["depth"][1::2], atol=1e-12)


def test_a_twist_turns_the_reading():
    rows = rows_of(
        plan_text(motion="{twist: {angle: 90}}", frames=2, objects="[{box: {x: 0.03, y: 0.02}}]").replace(
            "x: [-0.01, 0.01], y: [-0.01, 0.01]", "yaw: [0, 360]"
        )
    )
    first, last = rows["taxels"][::2], rows["taxels"][1::2]
    # x goes to y: columns become rows, mirrored (the taxels are square and the pad is, too).
    turned = np.rot90(first, k=-1, axes=(1, 2))
    np.testing.assert_allclose(last, turned, atol=1e-3 * first.max())


def test_a_roll_keeps_the_lowest_point_as_deep():
    rows = rows_of(plan_text(motion="{roll: {angle: [-20, 20]}}", frames=4, objects="[{box: {x: 0.02, y: 0.02}}]"))
    depth = rows["depth"].reshape(-1, 4)
    np.testing.assert_allclose(depth, depth[:, :1] @ np.ones((1, 4)), atol=1e-9)
    assert np.ptp(rows["center"].reshape(-1, 4, 3), axis=1).max() > 1e-3  # and still it rolls


def test_both_fingers_of_a_grasp_press_equally_hard():
    objects = "[{ellipsoid: {a: 0.03, b: 0.02, c: [0.01, 0.02]}}]"
    rows = rows_of(plan_text(motion="grasp", objects=objects, pitch="[5, 20]"))
    assert (rows["finger"].reshape(-1, 2) == [0, 1]).all()
    np.testing.assert_allclose(rows["force"][::2, 2], rows["force"][1::2, 2], rtol=1e-6)
    # An ellipsoid is the same from below as from above turned half round about z; seen from the other side y is
    # mirrored twice, so that its centre of pressure lies across its middle.
    middle = rows["pose"][:, :2]
    off = rows["center"][:, :2] - middle
    np.testing.assert_allclose(off[1::2] * (1, -1), -off[::2], atol=1e-6)
    assert np.abs(off).max() > 1e-3


def test_shear_remembers_the_way():
    rows = rows_of(
        plan_text(
            model="bristle", samples=3, frames=2, motion="{slide: {distance: 0.003, direction: 40}}",
            readings="[taxels, shear, force]",
        )
    )  # fmt: skip
    shear = rows["shear"].sum(axis=(2, 3)) * 25e-6
    assert np.abs(shear[::2]).max() < 0.05 * np.abs(shear[1::2]).min()  # straight down: the flanks' friction cancels
    direction = np.degrees(np.arctan2(shear[1::2, 1], shear[1::2, 0]))
    np.testing.assert_allclose(direction, 40, atol=6)


def test_a_gel_is_read_too():
    changes = {
        "sensor": "{name: myrmex, cell: 6e-3}",
        "objects": "[{sphere: {radius: 0.03}}]",
        "load": "{depth: 0.003}",
    }
    found = rows_of(plan_text(model="gel", samples=1, readings="[taxels, shear, force, area]", **changes))
    assert -found["force"][0, 2] > 0.1 and found["area"][0] > 0
    np.testing.assert_allclose(found["taxels"].sum() * 25e-6, -found["force"][0, 2], rtol=1e-3)


def test_noise_belongs_to_the_sample():
    text = plan_text(sensor="{name: myrmex, electronics: true, noise: [0, 5]}", samples=4, readings="[taxels]")
    rows, again = rows_of(text), rows_of(text)
    np.testing.assert_array_equal(rows["taxels"], again["taxels"])
    quiet = rows["taxels"][:, 0]  # a row of cells that nothing presses: noise alone, below 4095
    assert not (quiet[0] == quiet[1]).all() and quiet.min() > 4000
    plan = parse_plan(parse_yaml(text, "plan.yaml"))
    maker = SampleMaker(plan, take_stock(plan))
    alone = maker.shard(0)
    np.testing.assert_array_equal(alone.columns["taxels"][3], rows["taxels"][3])


@pytest.mark.parametrize("sensor", ["uskin", "anyskin"])
def test_sensors_that_tell_shear_to_the_plugin_are_read_too(sensor):
    rows = rows_of(f"sensor: {sensor}\nsamples: 2\nobjects: [sphere]\nload: {{force: 0.5}}\n")
    made = taxel.sensors.catalogue()[sensor]()
    assert made.chain["output"] == "pressure shear" and rows["taxels"].shape == (2, *made.shape)
    per_taxel = (
        rows["taxels"].reshape(2, -1) if made.unit == "N" else rows["taxels"].reshape(2, -1) * made.skin().layout.areas
    )
    np.testing.assert_allclose(per_taxel.sum(axis=1), 0.5, rtol=0.01)


def test_what_cannot_be_pressed_is_drawn_anew_and_counted():
    plan = parse_plan(parse_yaml(plan_text(samples=40, load="{force: {choice: [1, 5000]}}"), "plan.yaml"))
    maker = SampleMaker(plan, take_stock(plan))
    rows = maker.shard(0)
    assert rows.samples == 40 and rows.redrawn["sphere"] > 10
    assert rows.arrays(maker.columns)["force"][:, 2].min() == pytest.approx(-1, rel=1e-6)
    hopeless = parse_plan(parse_yaml(plan_text(samples=3, load="{force: 5000}"), "plan.yaml"))
    rows = SampleMaker(hopeless, take_stock(hopeless)).shard(0)
    assert rows.samples == 0 and len(rows) == 0
    assert [(n, name) for n, name, _ in rows.left_out] == [(0, "sphere"), (1, "sphere"), (2, "sphere")]
    assert "sinks in deeper" in rows.left_out[0][2]


def test_rest_says_what_cannot_be():
    with pytest.raises(CannotPress):
        height_of_force(lambda h: 0.0, 1.0, 0.01)
    with pytest.raises(CannotPress):
        first_touch(lambda h: False, 0.01)
    assert height_of_force(lambda h: (-h) ** 1.5 * 1e5, 2.0, 0.01) == pytest.approx(-((2e-5) ** (2 / 3)), rel=1e-6)


def test_rotations_are_rotations_and_everywhere():
    numbers = np.random.default_rng(0).random((400, 3))
    turned = np.array([any_rotation(u) for u in numbers])
    np.testing.assert_allclose(turned @ turned.transpose(0, 2, 1), np.tile(np.eye(3), (400, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turned), 1, atol=1e-12)
    assert np.abs(turned.mean(axis=0)).max() < 4 / math.sqrt(3 * 400)
    for R in turned[:50]:
        np.testing.assert_allclose(taxel.pose(quat=quaternion(R))[:3, :3], R, atol=1e-12)


def test_orientation_any_turns_meshes_every_way(tmp_path):
    text = plan_text(samples=30, objects="[{box: {x: 0.02, y: 0.02, z: 0.02}}]", load="{force: 0.5}")
    rows = rows_of(text.replace("pose: {", "pose: {orientation: any, "))
    tilt = [taxel.pose(quat=q)[2, 2] for q in rows["pose"][:, 3:]]
    assert np.min(tilt) < -0.5 and np.max(tilt) > 0.5
