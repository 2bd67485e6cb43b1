"""The drawings of taxel.robots: sizes, masses, closed meshes; the force controller; the margin of a grasp.

- surfaces     closed, outwards, even, of the right volume
- gripper      dimensions, stroke, mass, coupling of the jaws, taxels; attached twice; wrong input
- fingers      sizes of the pads, number and places of their points
- objects      mass, inertia, width where they are grasped
- files        models/ holds what the script draws
- controller   speed, touch, force, another force, opening; wrong input
- margin       closed forms, brute force, frames; wrong input
"""

import importlib.util

import mujoco
import numpy as np
import pytest
from conftest import ROOT

import taxel
from taxel.robots import Drawing, FingerAndThumb, ForceGrip, SchunkPG70, grasp_margin, objects, stage
from taxel.robots import surfaces as sf
from taxel.robots.finger_pads import INDEX, THUMB
from taxel.robots.schunk_pg70 import HOUSING, MASS, PAD, STROKE


def advance(model, data, seconds):
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))


def hung(gripper: SchunkPG70 | None = None, thing=None) -> Drawing:
    """The gripper above a table, its tips 2 mm above it."""
    gripper = gripper or SchunkPG70()
    scene = stage.table() + stage.on_wrist(gripper.drawing(mount='euler="180 0 0"'), (0, 0, gripper.tip + 0.002))
    return scene if thing is None else scene + thing.drawing()


# --- surfaces ---


def all_meshes():
    scene = hung(thing=objects.spray_bottle()) + FingerAndThumb().drawing()
    return scene.meshes


@pytest.mark.parametrize("name", sorted(all_meshes()))
def test_every_mesh_is_closed_and_looks_outwards(name):
    vertices, triangles = surface = all_meshes()[name]
    assert taxel.check_watertight(vertices, triangles)
    assert sf.volume(surface) > 0
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 1e-12  # no sliver that has lost its normal


def test_the_spray_bottle_has_a_few_thousand_triangles():
    meshes = objects.spray_bottle().meshes
    assert 3000 < sum(len(triangles) for _, triangles in meshes.values()) < 7000
    top = max(vertices[:, 2].max() for vertices, _ in meshes.values())
    assert top == pytest.approx(0.212, abs=1e-6)


def test_half_ellipsoid_has_the_volume_of_one():
    axes = (0.008, 0.0125, 0.006)
    surface = sf.half_ellipsoid(axes, 12)
    exact = 2 / 3 * np.pi * np.prod(axes)
    assert 0.97 * exact < sf.volume(surface) < exact  # inscribed facets
    x = surface[0][: 1 + 3 * 12 * 13] / axes
    np.testing.assert_allclose((x**2).sum(axis=1), 1, atol=2e-3)


def test_finger_pads_are_evenly_meshed():
    for finger in (INDEX, THUMB):
        vertices, triangles = finger.pad()
        front = 1 + 3 * finger.rings * (finger.rings + 1)
        edges = np.unique(
            np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])), axis=0
        )
        edges = edges[(edges < front).all(axis=1)]
        length = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
        assert length.max() / length.min() < 2.3


def test_box_and_loft_have_their_volumes():
    box = sf.rounded_box((0.1, 0.08, 0.09), 0.008, 0.003)
    assert 0.97 * 7.2e-4 < sf.volume(box) < 7.2e-4
    cylinder = sf.revolved(np.array([(0.02, 0.0), (0.02, 0.1)]), 96)
    assert sf.volume(cylinder) == pytest.approx(np.pi * 0.02**2 * 0.1, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sf.loft(np.zeros((1, 8, 3))), r"rings have the shape \(1, 8, 3\)"),
        (lambda: sf.revolved(np.array([(0.0, 0.0), (0.02, 0.1)])), "radius is not positive"),
        (lambda: sf.rounded_box((0.01, 0.01, 0.01), 0.02, 0.001), "do not fit"),
        (lambda: sf.half_ellipsoid((0.01, 0.0, 0.01), 4), "three positive semi-axes"),
    ],
)
def test_wrong_surfaces_say_so(call, words):
    with pytest.raises(taxel.Error, match=words):
        call()


# --- gripper ---


def test_the_gripper_weighs_and_measures_what_it_should(warned):
    model = hung().model()
    fingers = sum(
        model.geom(f"{side}_{part}").id >= 0 for side in ("left", "right") for part in ("bar", "holder", "pad")
    )
    assert fingers == 6
    bare = model.body("pg70").mass[0] + 2 * 0.08
    assert bare == pytest.approx(MASS)
    assert model.body("left").mass[0] == pytest.approx(0.08 + 0.055 + 0.024, abs=2e-3)
    np.testing.assert_allclose(2 * model.geom("housing").size, (HOUSING[0], HOUSING[1], HOUSING[2] - 0.01))
    np.testing.assert_allclose(2 * model.geom("left_pad").size, PAD)
    assert taxel.sensors.weiss().bounds[1] - taxel.sensors.weiss().bounds[0] == pytest.approx([PAD[1], PAD[2], PAD[0]])
    assert warned == []


def test_the_jaws_travel_35_mm_each_and_stay_together(warned):
    model = hung(SchunkPG70(opening=0.05)).model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)

    def gap():
        """Between the free faces of the pads, from their places."""
        left, right = (data.geom(f"{side}_pad").xpos[0] for side in ("left", "right"))
        return right - left - PAD[0]

    assert gap() == pytest.approx(0.05, abs=1e-9)
    for speed, end in ((0.08, 2 * STROKE), (-0.08, 0.0)):
        data.ctrl[0] = speed
        advance(model, data, 1.5)
        assert gap() == pytest.approx(end, abs=2e-3)  # the stops give a little under 80 N
        assert abs(data.joint("left").qpos[0] - data.joint("right").qpos[0]) < 1e-5
    # One jaw pushed: the other follows.
    data.ctrl[0] = 0.02
    advance(model, data, 1.0)
    data.xfrc_applied[model.body("left").id, 0] = 5.0
    advance(model, data, 0.3)
    assert abs(data.joint("left").qpos[0] - data.joint("right").qpos[0]) < 5e-5
    assert warned == []


def test_blocked_jaws_press_with_the_speed_times_the_drive(warned):
    model = hung(thing=objects.box()).model()
    data = mujoco.MjData(model)
    data.ctrl[0] = -0.008
    advance(model, data, 6.0)
    for side in ("left", "right"):
        assert taxel.Sensor(model, side)(data).sum() == pytest.approx(8.0, rel=5e-3)
    assert warned == []


def test_both_contacts_feel_the_same_grasp(warned):
    """Bristles and a pressure field under the same taxels."""
    felt = {}
    for contact in ("bristle", "hydroelastic"):
        model = hung(SchunkPG70(contact), objects.box()).model()
        data = mujoco.MjData(model)
        grip = ForceGrip(model)
        grip.close(6.0)
        for _ in range(1000):
            grip.update(data)
            mujoco.mj_step(model, data)
        assert taxel.Sensor(model, "left").shape == (14, 6)
        felt[contact] = grip.sums(data)
    np.testing.assert_allclose(felt["bristle"], felt["hydroelastic"], rtol=5e-3)
    assert warned == []


def test_two_grippers_in_one_model(warned):
    spec = mujoco.MjSpec.from_string(
        '<mujoco><option cone="elliptic"/><worldbody><body name="arm" pos="0 0 1"/></worldbody></mujoco>'
    )
    drawing = SchunkPG70().drawing()
    drawing.add_to(spec, "pg70", "a_", to="arm", quat=(0, 1, 0, 0))
    drawing.add_to(spec, "pg70", "b_", pos=(0.5, 0, 0))
    model = spec.compile()
    assert model.nu == 2 and model.actuator("b_grip").id >= 0
    assert taxel.sensor_names(model) == ["a_left", "a_right", "b_left", "b_right"]
    data = mujoco.MjData(model)
    data.ctrl[:] = (-0.02, 0.02)
    advance(model, data, 0.3)
    assert data.joint("a_left").qpos[0] < 0.03 < data.joint("b_left").qpos[0]
    with pytest.raises(taxel.Error, match="no body 'hand' in the drawing; there are 'pg70'"):
        drawing.add_to(spec, "hand", "c_")
    with pytest.raises(taxel.Error, match="no body 'leg' in the model"):
        drawing.add_to(spec, "pg70", "c_", to="leg")
    with pytest.raises(taxel.Error, match="prefix is empty"):
        drawing.add_to(spec, "pg70", "")
    assert warned == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SchunkPG70("rigid"), "contact is 'rigid'; give bristle or hydroelastic"),
        (lambda: SchunkPG70(opening=0.1), "opening is 0.1 m; give 0 to 0.07 m"),
        (lambda: SchunkPG70(finger=0.2), "finger is 0.2 m"),
        (lambda: SchunkPG70(pads={"stiffnes": 3}).drawing().model(), "stiffnes"),
        (lambda: FingerAndThumb("soft"), "contact is 'soft'"),
        (lambda: FingerAndThumb(opening=1.0), "opening is 1 m"),
        (lambda: objects.sphere(radius=-1), "radius is -1; give a positive number"),
        (lambda: objects.box(off_centre=0.05), "off_centre is 0.05 m"),
        (lambda: objects.spray_bottle(height=0.5), "it is 0.212 m high"),
        (lambda: Drawing().add("world", "<geom/>"), "no section 'world'"),
    ],
)
def test_wrong_robots_say_so(call, words):
    with pytest.raises(taxel.Error, match=words):
        call()


# --- fingers ---


def test_the_finger_pads_have_the_sizes_of_fingers(warned):
    for finger, width, length in ((INDEX, 0.016, 0.025), (THUMB, 0.022, 0.030)):
        vertices, _ = finger.pad()
        assert np.ptp(vertices, axis=0)[:2] == pytest.approx((width, length), abs=2e-4)
        assert 100 <= finger.points()[0] <= 200
    model = FingerAndThumb().drawing().model()
    for finger in (INDEX, THUMB):
        sensor = taxel.Sensor(model, finger.name)
        assert sensor.count == finger.points()[0]
        # On the curved side, all of it; normals out of it.
        assert sensor.layout.points[:, 2].min() > 0
        assert sensor.layout.normals[:, 2].min() > np.cos(np.radians(78))
    assert warned == []


# --- objects ---


@pytest.mark.parametrize("name", sorted(objects.OBJECTS))
def test_objects_stand_and_weigh(name, warned):
    thing = objects.OBJECTS[name]()
    model = (stage.table() + thing.drawing()).model()
    data = mujoco.MjData(model)
    advance(model, data, 0.3)
    assert model.body("object").mass[0] == pytest.approx(thing.mass)
    assert data.body("object").xpos[2] == pytest.approx(thing.height, abs=5e-4)
    size = np.sqrt(model.body("object").inertia.max() / thing.mass)
    assert 0.005 < size < 0.08  # radius of gyration, m
    assert 0.03 < thing.width < 0.06  # fits between the jaws
    assert warned == []


def test_the_bottle_is_as_wide_as_it_says():
    for height in (0.03, 0.078, 0.12):
        thing = objects.spray_bottle(height=height)
        vertices = thing.meshes["spray_bottle"][0]
        near = vertices[np.abs(vertices[:, 2] - height) < 0.003]
        assert thing.width == pytest.approx(2 * np.hypot(near[:, 0], near[:, 1]).mean(), abs=5e-4)


# --- files ---


def test_the_model_files_are_what_the_script_draws():
    spec = importlib.util.spec_from_file_location("make_grasp_models", ROOT / "scripts" / "make_grasp_models.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, (drawing, comment) in script.scenes().items():
        path = ROOT / "models" / f"{name}.xml"
        assert path.read_text() == drawing.mjcf(name.replace("_", " "), comment)
        for file, text in drawing.files().items():
            assert (ROOT / "models" / file).read_text() == text


# --- controller ---


def test_the_controller_feels_its_way(warned):
    model = hung(thing=objects.box()).model()
    data = mujoco.MjData(model)
    grip = ForceGrip(model)
    assert grip.phase == "idle" and grip.limit == pytest.approx(200)
    grip.close(5.0)
    seen, felt = [], []
    for _ in range(1250):
        felt.append(grip.update(data))
        mujoco.mj_step(model, data)
        seen.append(grip.phase)
    assert seen[0] == "approach" and seen[-1] == "force"
    first = seen.index("force")
    assert grip.touched_at == pytest.approx(first * model.opt.timestep)
    # At constant speed until the touch, which is as light as one step of it.
    assert max(f.max() for f in felt[:first]) < 0.06 and felt[first].max() < 0.5
    assert np.mean(felt[-100:]) == pytest.approx(5.0, rel=0.01)
    assert max(f.mean() for f in felt) < 1.02 * 5.0
    grip.close(9.0)  # more, without letting go
    for _ in range(1000):
        now = grip.update(data)
        mujoco.mj_step(model, data)
    assert grip.phase == "force" and now == pytest.approx([9.0, 9.0], rel=0.01)
    grip.open()
    for _ in range(300):
        now = grip.update(data)
        mujoco.mj_step(model, data)
    assert now.max() == 0 and data.ctrl[0] == grip.speed
    grip.stop()
    grip.update(data)
    assert data.ctrl[0] == 0
    assert warned == []


def test_the_controller_centres_an_object_that_stands_aside(warned):
    """One finger touches first; force control goes on until both do."""
    thing = objects.box(mass=0.05)
    gripper = SchunkPG70()
    scene = stage.table() + stage.on_wrist(gripper.drawing(mount='euler="180 0 0"'), (0, 0, gripper.tip + 0.002))
    model = (scene + thing.drawing(pos=(0.004, 0, thing.height))).model()
    data = mujoco.MjData(model)
    grip = ForceGrip(model)
    grip.close(4.0)
    for _ in range(1500):
        felt = grip.update(data)
        mujoco.mj_step(model, data)
    assert felt == pytest.approx([4.0, 4.0], rel=0.05)
    assert abs(data.body("object").xpos[0]) < 5e-4
    assert warned == []


def test_the_controller_never_dashes_without_a_touch(warned):
    model = hung(SchunkPG70(opening=0.03)).model()  # nothing between the fingers
    data = mujoco.MjData(model)
    grip = ForceGrip(model, speed=0.03)
    grip.close(10.0)
    fastest = 0.0
    for _ in range(400):
        grip.update(data)
        mujoco.mj_step(model, data)
        fastest = max(fastest, float(np.abs(data.qvel).max()))
    assert grip.phase == "approach" and fastest < 0.016  # half the opening's speed each
    assert warned == []


def test_wrong_controllers_say_so():
    model = hung(thing=objects.box()).model()
    for call, words in (
        (lambda: ForceGrip(model, "grab"), "no actuator 'grab' in the model; there are"),
        (lambda: ForceGrip(model, "wrist_x"), "'wrist_x' is not a velocity servo"),
        (lambda: ForceGrip(model, sensors=("left", "middle")), "no tactile sensor 'middle'"),
        (lambda: ForceGrip(model, sensors=()), "sensors is empty"),
        (lambda: ForceGrip(model, speed=0), "speed is 0; give a positive number"),
        (lambda: ForceGrip(model, ki=-1), "ki is -1; give a number from 0"),
        (lambda: ForceGrip(model).close(1000), "force is 1000; give more than 0 and at most 200 N"),
        (lambda: ForceGrip(model).close(float("nan")), "force is nan"),
    ):
        with pytest.raises(taxel.Error, match=words):
            call()
    counts = hung(SchunkPG70(pads={"unit": "counts", "bits": 12, "full_scale": 1e4}), objects.box())
    counts.sections["instances"] = [line for line in counts.sections["instances"] if 'value="N"' not in line]
    with pytest.raises(taxel.Error, match="in counts"):
        ForceGrip(counts.model())


# --- margin ---


def disc(radius: float, n: int = 80):
    x = ((np.arange(n) + 0.5) / n * 2 - 1) * radius
    X, Y = np.meshgrid(x, x)
    inside = radius**2 > X**2 + Y**2
    return np.column_stack([0 * X[inside], X[inside], Y[inside]]), np.full(inside.sum(), 1.0 / inside.sum())


def test_margin_of_a_disc():
    points, share = disc(0.01)
    m = grasp_margin(points, 10 * share, (1, 0, 0), 0.5, (0, 0, -2.0), (0, 0, 0))
    assert m.margin == pytest.approx(0.5 * 10 / 2)
    assert m.holding_force == pytest.approx(5.0)
    assert m.holding_torque == pytest.approx(2 / 3 * 0.5 * 10 * 0.01, rel=2e-3)  # mu N 2 R / 3
    twisted = grasp_margin(points, 10 * share, (1, 0, 0), 0.5, (0, 0, 0), (0, 0, 0), torque=m.holding_torque)
    assert twisted.margin == pytest.approx(1.0)


def test_margin_off_centre_against_brute_force():
    points, share = disc(0.01)
    points = points + (0, 0.003, -0.002)
    arm = 0.02
    m = grasp_margin(points, 10 * share, (1, 0, 0), 0.5, (0, 0, -1.0), (0, 0.003 + arm, 0.4))
    # By symmetry the object turns about a point on the line through the middle: the least power over all of them.
    least = min(
        0.5 * 10 * (share * np.hypot(points[:, 1] - 0.003 - c, points[:, 2] + 0.002)).sum() / abs(arm - c)
        for c in np.linspace(-0.1, 0.015, 4001)
    )
    assert m.margin == pytest.approx(least, rel=1e-4)
    assert m.margin < 0.5 * 10  # a torque lowers it


def test_margin_does_not_depend_on_the_frame(tilted):
    rng = np.random.default_rng(3)
    points, forces = rng.normal(scale=0.01, size=(30, 3)) * (0, 1, 1), rng.uniform(0, 1, 30)
    load, at = np.array([0.1, 0.4, -2.0]), np.array([0.0, 0.02, 0.05])
    here = grasp_margin(points, forces, (1, 0, 0), 0.4, load, at)
    R, p = tilted[:3, :3], tilted[:3, 3]
    there = grasp_margin(points @ R.T + p, forces, 3 * R[:, 0], 0.4, R @ load, R @ at + p)
    assert there.margin == pytest.approx(here.margin, rel=1e-6)
    # Both pads together are one patch; a force along the axis is no matter of friction.
    twice = grasp_margin(np.concatenate([points, points + (0.04, 0, 0)]), np.tile(forces, 2), (1, 0, 0), 0.4, load, at)
    assert twice.margin == pytest.approx(2 * here.margin, rel=1e-6)


def test_margin_at_its_ends():
    points, share = disc(0.01, 10)
    none = grasp_margin(points, 0 * share, (1, 0, 0), 0.5, (0, 0, -1), (0, 0, 0))
    assert none.margin == 0 and none.holding_force == 0
    assert grasp_margin(points, share, (1, 0, 0), 0.5, (0, 0, 0), (0, 0, 0)).margin == np.inf
    # A single point cannot hold a torque.
    assert grasp_margin(points[:1], [1.0], (1, 0, 0), 0.5, (0, 0, -1), (0, 0.1, 0)).margin < 1e-4
    for arguments, words in (
        ((points, share[:-1], (1, 0, 0), 0.5), "one finite force for each point"),
        ((points, share, (0, 0, 0), 0.5), "give a direction"),
        ((points, share, (1, 0, 0), -0.5), "friction is -0.5"),
    ):
        with pytest.raises(taxel.Error, match=words):
            grasp_margin(*arguments, (0, 0, -1), (0, 0, 0))
