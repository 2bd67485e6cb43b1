"""Gel pads in MuJoCo: poses in, forces out and handed back; taxels, markers, images, surfaces; catalogue and presses.

The pad is 8 x 12 x 4 mm with cells of 4/3 mm (1296 particles), mostly tilted in the world.
"""

import math
import sys

import mujoco
import numpy as np
import pytest

import taxel
from taxel.press import press_gel
from taxel.sensors import catalogue

pytest.importorskip("scipy")

CELL = 4e-3 / 3
TILT = taxel.pose((0.05, -0.02, 0.3), rpy=(0.4, -0.7, 1.1))
KEYS = {"cell": CELL, "young": 1e5, "poisson": 0.45, "steps": 6}


def quat(R) -> np.ndarray:
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(R).ravel())
    return q


def text(values) -> str:
    return " ".join(f"{x:.15g}" for x in np.ravel(values))


def scene(X=TILT, pad='contype="0" conaffinity="0"', more="", ball='type="sphere" size="0.006"', asset=""):
    """A fixed pad at the pose X and a mocap ball."""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="0.002"/><asset>{asset}</asset><worldbody>'
        f'<body name="finger" pos="{text(X[:3, 3])}" quat="{text(quat(X[:3, :3]))}">'
        f'<geom name="pad" type="box" size="0.004 0.006 0.002" friction="0.8 0 0" {pad}/></body>'
        f'<body name="ball" mocap="true"><geom name="ball" {ball}/></body></worldbody>{more}</mujoco>'
    )


def place(data, X) -> None:
    data.mocap_pos[0], data.mocap_quat[0] = X[:3, 3], quat(X[:3, :3])


def path(count=60, deep=5e-4, aside=2e-4):
    """Poses of the ball in the pad's frame: down, then aside."""
    for s in np.linspace(0, 1, count):
        down, along = min(2 * s, 1), max(2 * s - 1, 0)
        yield taxel.pose((1e-3 + aside * along, -1.5e-3 + 0.5 * aside * along, 0.0083 - (3e-4 + deep) * down))


def drive(sensor, data, X=TILT, poses=None):
    for X_PO in path() if poses is None else poses:
        place(data, X @ X_PO)
        wrench = sensor.update(data)
        mujoco.mj_step(sensor.model, data)
    return wrench


def test_equals_a_gel_that_is_led_by_hand():
    model = scene()
    data, sensor = mujoco.MjData(model), taxel.GelSensor(model, "pad", "ball", **KEYS)
    wrench = drive(sensor, data)
    gel = taxel.Gel(
        taxel.Body.box((0.008, 0.012, 0.004)), cell=CELL, young=1e5, poisson=0.45, density=sensor.gel.density,
        dt=0.002 / 6,
    )  # fmt: skip
    poses = list(path())
    gel.add(taxel.Body.sphere(0.006), poses[0], friction=sensor.gel._friction[0])
    for X in poses[1:]:
        gel.advance(6, X)
    assert sensor.gel._friction[0] == 1.0  # the ball's own, the greater one
    force = TILT[:3, :3] @ gel.force(0)
    np.testing.assert_allclose(wrench.objects[0, :3], force, atol=2e-3 * np.linalg.norm(force))
    np.testing.assert_allclose(sensor.image, gel.image, atol=2e-7)
    assert np.linalg.norm(force) > 0.1 and np.abs(sensor.image).max() > 3e-4
    assert not data.xfrc_applied.any()


def test_a_turned_scene_gives_the_turned_answer():
    straight, turned = (
        (lambda s, d: (drive(s, d, X), s))(taxel.GelSensor(m, "pad", ["ball"], **KEYS), mujoco.MjData(m))
        for X in (np.eye(4), TILT)
        for m in [scene(X)]
    )
    np.testing.assert_allclose(turned[1].image, straight[1].image, atol=2e-7)
    f = straight[0].objects[0, :3]
    np.testing.assert_allclose(turned[0].objects[0, :3], TILT[:3, :3] @ f, atol=2e-3 * np.linalg.norm(f))
    assert f[2] > 0.1 and f[0] < -0.01  # the gel pushes it out, and holds it back


def held(mass=0.05, timestep=0.002, **keys):
    """Two pads on slides squeeze a free cylinder; gravity comes when they hold it. The whole scene is turned."""
    R = TILT[:3, :3]
    g = R @ (0, 0, -9.81)
    pads = "".join(
        f'<body name="{name}" pos="0 {s * 0.0145} 0"><joint name="{name}" type="slide" axis="0 {-s} 0" armature="1"/>'
        '<inertial pos="0 0 0" mass="0.2" diaginertia="1e-4 1e-4 1e-4"/>'
        f'<geom name="{name}" type="box" size="0.004 0.006 0.002" xyaxes="{s} 0 0 0 0 1" contype="0" conaffinity="0"/>'
        "</body>"
        for name, s in (("left", 1), ("right", -1))
    )
    q = text(quat(R))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{timestep}" gravity="0 0 0"/><worldbody>'
        f'<body name="hand" quat="{q}">{pads}</body>'
        f'<body name="thing" quat="{q}"><freejoint/>'
        f'<geom name="thing" type="cylinder" size="0.012 0.01" mass="{mass}" contype="0" conaffinity="0"/></body>'
        '</worldbody><actuator><position joint="left" kp="20000" kv="400"/>'
        '<position joint="right" kp="20000" kv="400"/></actuator></mujoco>'
    )
    data = mujoco.MjData(model)
    sensors = [
        taxel.GelSensor(model, k, "thing", two_way=True, friction=0.9, **KEYS, **keys) for k in ("left", "right")
    ]
    speeds = []
    while data.time < 0.3:
        for sensor in sensors:
            sensor.update(data)
        s = min(1.0, data.time / 0.08)
        data.ctrl[:] = 5e-4 + 6e-4 * s**3 * (10 - 15 * s + 6 * s * s)
        if data.time > 0.12:
            model.opt.gravity[:] = g
        mujoco.mj_step(model, data)
        speeds.append(np.linalg.norm(data.qvel[2:5]))
    return model, data, sensors, R, speeds


def test_two_pads_hold_a_free_body_and_push_back_alike():
    model, data, sensors, R, speeds = held()
    wrenches = [sensor.update(data) for sensor in sensors]
    lift = R.T @ sum(w.objects[0, :3] for w in wrenches)
    np.testing.assert_allclose(lift, (0, 0, 0.05 * 9.81), atol=0.02 * 0.05 * 9.81)
    assert (R.T @ wrenches[0].objects[0, :3])[1] < -0.5 and (R.T @ wrenches[1].objects[0, :3])[1] > 0.5
    assert max(speeds[-20:]) < 1e-3 and np.linalg.norm(data.body("thing").xpos) < 1e-3
    # What the pads and the thing get sums up to nothing, about any point.
    mujoco.mj_kinematics(model, data)
    total = sum(
        np.concatenate([f[:3], f[3:] + np.cross(c, f[:3])]) for f, c in zip(data.xfrc_applied, data.xipos, strict=True)
    )
    np.testing.assert_allclose(total, 0, atol=1e-9)
    assert np.linalg.norm(data.xfrc_applied[model.body("left").id, :3]) > 0.5


def test_others_may_use_xfrc_applied_too():
    model = scene(more='<contact><exclude body1="finger" body2="ball"/></contact>')
    data, sensor = mujoco.MjData(model), taxel.GelSensor(model, "pad", "ball", two_way=True, **KEYS)
    data.xfrc_applied[1] = other = np.arange(6.0)
    wrench = drive(sensor, data)
    np.testing.assert_allclose(data.xfrc_applied[1], other + wrench.pad, atol=1e-12)
    drive(sensor, data, poses=[taxel.pose((0, 0, 0.02 + 1e-4 * k)) for k in range(40)])
    np.testing.assert_allclose(data.xfrc_applied[1], other, atol=1e-6)


@pytest.mark.parametrize(
    ("pad", "more", "why"),
    [
        ("", "", "contype and conaffinity match"),
        (
            'contype="0" conaffinity="0"',
            '<contact><pair geom1="ball" geom2="pad"/></contact>',
            "a <pair> of <contact> names the two",
        ),
        ('contype="0" conaffinity="2"', "", None),
        ('contype="0" conaffinity="1"', "", "contype and conaffinity match"),
        ("", '<contact><exclude body1="ball" body2="finger"/></contact>', None),
    ],
)
def test_own_contact_of_mujoco_is_refused(pad, more, why):
    model = scene(pad=pad, more=more)
    if why is None:
        taxel.GelSensor(model, "pad", "ball", two_way=True, **KEYS)
        return
    with pytest.raises(taxel.Error, match=f"'pad' and 'ball' as well: .*{why}"):
        taxel.GelSensor(model, "pad", "ball", two_way=True, **KEYS)
    taxel.GelSensor(model, "pad", "ball", **KEYS)


def test_a_soft_pad_is_refused():
    spec = mujoco.MjSpec.from_string(
        '<mujoco><option cone="elliptic"/><worldbody><body name="finger"><joint type="slide"/>'
        '<geom name="pad" type="box" size="0.004 0.006 0.002" contype="0" conaffinity="0"/></body>'
        '<body name="ball" mocap="true"><geom name="ball" type="sphere" size="0.006"/></body></worldbody></mujoco>'
    )
    taxel.soften(spec, "pad", modulus=1e5, name="foam")
    with pytest.raises(taxel.Error, match=r"one of them is soft \(taxel's material 'foam'\)"):
        taxel.GelSensor(spec.compile(), "pad", "ball", two_way=True, **KEYS)


def test_the_mass_is_scaled_to_the_steps_that_are_given():
    model = scene()
    modulus = 1e5 * 0.55 / (1.45 * 0.1)
    for steps in (6, 12):
        sensor = taxel.GelSensor(model, "pad", "ball", **{**KEYS, "steps": steps})
        dt = 0.002 / steps
        assert sensor.gel.dt == pytest.approx(dt) and sensor.gel.cfl == pytest.approx(0.6, rel=1e-4)
        assert sensor.mass_scale == pytest.approx(modulus / 1000 * (dt / (0.6 * CELL)) ** 2)
        assert sensor.speed_limit == pytest.approx(0.1 * math.sqrt(modulus / sensor.gel.density))
    real = taxel.GelSensor(model, "pad", "ball", quasi_static=False, cell=CELL, young=1e5)
    assert real.mass_scale == 1 and real.gel.cfl <= 0.6
    assert 0.002 / real.gel.dt == pytest.approx(round(0.002 / real.gel.dt))


def test_fast_objects_cost_more_steps_and_far_ones_none():
    model = scene()
    data, sensor = mujoco.MjData(model), taxel.GelSensor(model, "pad", "ball", **KEYS)
    steps = []
    for z in (0.05, 0.03, 0.0085, 0.0079, 0.00785):
        place(data, TILT @ taxel.pose((0, 0, z)))
        sensor.update(data)
        steps.append(sensor.steps)
        mujoco.mj_step(model, data)
    # 0.6 mm in 2 ms are 0.3 m/s; 0.05 mm are slow.
    assert steps[:2] == [0, 0] and steps[3] == math.ceil(6e-4 / (sensor.speed_limit * sensor.gel.dt)) > 6
    assert steps[4] == 6
    same = sensor.update(data)
    before = sensor.gel.time
    data.time -= 1e-9  # within rounding: the same time
    assert sensor.wrench is same and sensor.gel.time == before


def test_a_settled_gel_rests_and_a_moved_one_goes_on():
    model = scene()
    data, sensor = mujoco.MjData(model), taxel.GelSensor(model, "pad", "ball", **KEYS)
    drive(sensor, data)
    X = list(path())[-1]
    for _ in range(60):
        drive(sensor, data, poses=[X])
    assert sensor.steps == 0
    force = sensor.wrench.objects[0, :3].copy()
    always = taxel.GelSensor(model, "pad", "ball", rest=0, **KEYS)
    drive(always, mujoco.MjData(model), poses=[*path(), *[X] * 60])
    # A sensor that rests misses the last percent of what friction relaxes.
    np.testing.assert_allclose(force, always.wrench.objects[0, :3], atol=0.025 * np.linalg.norm(force))
    drive(sensor, data, poses=[X @ taxel.pose((0, 0, -2e-5))])
    assert sensor.steps == 6 and not np.array_equal(sensor.wrench.objects[0, :3], force)


def test_an_earlier_time_starts_anew():
    model = scene()
    data, sensor = mujoco.MjData(model), taxel.GelSensor(model, "pad", "ball", **KEYS)
    first = drive(sensor, data).objects.copy()
    image = sensor.image.copy()
    mujoco.mj_resetData(model, data)
    assert np.array_equal(drive(sensor, data).objects, first) and np.array_equal(sensor.image, image)


def test_objects_that_are_meshes():
    """A box as a mesh whose file lies aside and turned, against the geom."""
    R = taxel.pose(rpy=(0.2, 0.5, -0.3))[:3, :3]
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (0.003, 0.004, 0.005)
    moved = corners @ R.T + (0.02, -0.01, 0.005)
    mesh = f'<mesh name="m" vertex="{text(moved)}"/>'
    X_back = np.linalg.inv(taxel.pose((0.02, -0.01, 0.005), R=R))
    poses = [X @ taxel.pose((0, 0, -0.001), rpy=(0.03, -0.02, 0.3)) for X in path(40)]
    answers = []
    for ball, extra, asset in (
        ('type="box" size="0.003 0.004 0.005"', np.eye(4), ""),
        ('type="mesh" mesh="m"', X_back, mesh),
    ):
        model = scene(ball=ball, asset=asset)
        data, sensor = mujoco.MjData(model), taxel.GelSensor(model, "pad", "ball", spacing=2.5e-4, **KEYS)
        answers.append(drive(sensor, data, poses=[X @ extra for X in poses]).objects[0, :3])
    size = np.linalg.norm(answers[0])
    assert size > 0.1
    np.testing.assert_allclose(answers[1], answers[0], atol=0.05 * size)


def test_taxels_markers_and_image_are_of_one_gel():
    model = scene()
    layout = taxel.Skin(taxel.Body.box((0.008, 0.012, 0.004)), shape=(4, 3)).layout
    sensor = taxel.GelSensor(model, "pad", "ball", taxels=layout, pixel=5e-5, **KEYS)
    drive(sensor, mujoco.MjData(model))
    reading = sensor.read()
    assert reading.values.shape == (4, 3)
    total = reading.forces.reshape(-1, 3).sum(axis=0)
    on_gel = sensor.gel.point_forces.sum(axis=0)
    np.testing.assert_allclose(total, on_gel * (1, 1, -1), rtol=1e-9)
    np.testing.assert_allclose((reading.values.ravel() * layout.areas).sum(), -on_gel[2], rtol=1e-9)
    # The ball came down at (1, -1.5) mm: the second row from below, the middle column and the right one.
    assert np.unravel_index(reading.values.argmax(), (4, 3)) in [(1, 1), (1, 2)]
    np.testing.assert_allclose(reading.center[:2], (1.1e-3, -1.4e-3), atol=3e-4)
    points = sensor.face_points[2:6, 3:9]
    np.testing.assert_allclose(sensor.markers(points), sensor.image[2:6, 3:9], atol=0.15 * np.abs(sensor.image).max())
    np.testing.assert_allclose(sensor.markers(points, "px"), sensor.markers(points) / 5e-5)
    with pytest.raises(taxel.Error, match="from the contact face"):
        sensor.markers([(0.0, 0.0, 0.02)])


def test_a_linear_field_is_read_exactly():
    gel = taxel.Gel(taxel.Body.box((0.008, 0.012, 0.004)), cell=CELL, young=1e5)
    fit = taxel.gel.face.FaceFit(gel, [(0.0007, -0.0021, 0.002), (-0.0011, 0.003, 0.002)])
    field = gel.contact_points @ np.array([[0.1, 0.3, 0], [-0.2, 0.05, 0.4], [0, 0, 0]]) + (1e-4, 0, -2e-4)
    found = fit._weights @ field
    wanted = np.array([(0.0007, -0.0021), (-0.0011, 0.003)]) @ [[0.1, 0.3, 0], [-0.2, 0.05, 0.4]] + (1e-4, 0, -2e-4)
    # The ridge takes a share of the slope times the distance of the points' middle, a small part of a cell.
    np.testing.assert_allclose(found, wanted, atol=0.02 * CELL)


def test_foam_of_the_catalogue_is_as_stiff_as_its_pressure_field():
    """A flat press into a layer with nu = 0: p = E d / H, whatever the model."""
    result = press_gel("weiss", "box:0.03,0.06,0.01", depth=6e-4, friction=0.0, cell=1.5e-3)
    inner = result.reading.values[3:-3, 1:-1]
    np.testing.assert_allclose(inner.mean(), 2.36e4 * 6e-4 / 6e-3, rtol=0.03)
    assert result.reading.load == pytest.approx(result.force[2], rel=0.01)
    np.testing.assert_allclose(-result.displacement[5:-5, 5:-5, 2], 6e-4, rtol=0.03)


def test_the_chain_of_a_sensor_is_behind_the_gel():
    described = catalogue()["weiss"](model="gel", electronics=True, cell=2e-3)
    spec = mujoco.MjSpec()
    name = described.add_to(spec, pos=(0, 0, 0.01))
    body = spec.worldbody.add_body(name="ball", mocap=True)
    body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0])
    model = spec.compile()
    assert model.geom(name).contype[0] == model.geom(name).conaffinity[0] == 0
    sensor = described.gel_sensor(model, "ball", two_way=True, steps=6)
    data = mujoco.MjData(model)
    for k in range(40):
        data.mocap_pos[0] = (0.0034, 0.0017, 0.0232 - 2e-5 * k)
        sensor.update(data)
        mujoco.mj_step(model, data)
    counts = sensor.read().values
    assert counts.shape == (14, 6) and counts.max() > 5 and np.array_equal(counts, np.round(counts))
    plain = described.gel_sensor(model, "ball", steps=6, chain=None)
    assert plain.taxels.chain is None


def test_a_press_to_a_force():
    result = press_gel("pad", "sphere:0.008", force=0.8, offset=(0.004, -0.006), cell=1.25e-3)
    assert result.force[2] == pytest.approx(0.8, rel=0.011) and 2e-4 < result.depth < 3e-3
    row, col = np.unravel_index(result.displacement[..., 2].argmin(), result.displacement.shape[:2])
    np.testing.assert_allclose(result.points[row, col, :2], (0.004, -0.006), atol=1.3e-3)
    assert result.peak == pytest.approx(result.depth, rel=0.15)


def test_surfaces_are_closed_and_go_where_the_gel_is(monkeypatch):
    gel = taxel.Gel(taxel.Body.box((0.008, 0.012, 0.004)), cell=CELL, young=1e5)
    gel.add(taxel.Body.sphere(0.006), taxel.pose((0.001, -0.002, 0.0082)))
    gel.move(taxel.pose((0.001, -0.002, 0.0074)), taxel.pose((1e-4, 0, 0), rpy=(0, 0, 0.02)))
    vertices, triangles = taxel.gel_surface(gel)
    assert taxel.check_watertight(vertices, triangles)
    face = gel.skin_positions[: len(gel.contact_points)].reshape(*gel.image_shape, 3)[1:-1, 1:-1].reshape(-1, 3)
    assert np.abs(taxel.signed_distance((vertices, triangles), face)).max() < 1e-9
    assert taxel.signed_distance((vertices, triangles), [(0.001, -0.002, 0.0)])[0] < 0
    points, normals = taxel.gel.surface.skin_cloud(gel)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1)
    assert ((points - gel.positions.mean(axis=0)) * normals).sum(axis=1).min() > 0  # outwards, all around
    monkeypatch.setitem(sys.modules, "open3d", None)
    with pytest.raises(ImportError, match="pip install open3d-cpu"):
        taxel.gel_surface(gel, "poisson")


def test_screened_poisson_finds_the_same_surface():
    pytest.importorskip("open3d")
    gel = taxel.Gel(taxel.Body.box((0.008, 0.012, 0.004)), cell=CELL, young=1e5)
    gel.add(taxel.Body.sphere(0.006), taxel.pose((0.001, -0.002, 0.0082)))
    gel.move(taxel.pose((0.001, -0.002, 0.0074)))
    vertices, triangles = taxel.gel_surface(gel, "poisson", depth=6)
    face = gel.skin_positions[: len(gel.contact_points)].reshape(*gel.image_shape, 3)[2:-2, 2:-2].reshape(-1, 3)
    assert np.abs(taxel.signed_distance((vertices, triangles), face)).max() < 1e-4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pad": "hand"}, "no geom 'hand' in the model; there are 'pad', 'ball'"),
        ({"objects": ["pad"]}, "different geoms that are not the pad"),
        ({"steps": 0}, "steps is 0; give a whole number"),
        ({"rest": 0.5}, "rest is 0.5; give a part of a cell"),
        ({"friction": [0.1, 0.2]}, "2 values of friction for 1 objects"),
        ({"chain": {"bits": 8}}, "give taxels, too"),
        ({"gel": "mine"}, "belong to the gel that is given"),
        ({"young": -1.0}, "young is -1.0"),
        ({"poisson": 0.5}, "poisson is 0.5; give 0 to 0.4999"),
        ({"cfl": 0.0}, "cfl is 0.0"),
        ({"out": (0, 0, 0)}, "out is the zero vector"),
    ],
)
def test_wrong_input_is_named(change, message):
    given = {"pad": "pad", "objects": "ball", **KEYS, **change}
    with pytest.raises(taxel.Error, match=message):
        taxel.GelSensor(scene(), given.pop("pad"), given.pop("objects"), **given)


@pytest.mark.parametrize("key", ["young", "poisson", "steps", "law"])
def test_a_given_gel_keeps_its_own_numbers(key):
    gel = taxel.Gel(taxel.Body.box((0.008, 0.012, 0.004)), cell=CELL)
    value = {"young": 1e5, "poisson": 0.3, "steps": 4, "law": "neo-hookean"}[key]
    with pytest.raises(taxel.Error, match="belong to the gel that is given"):
        taxel.GelSensor(scene(), "pad", "ball", gel=gel, **{key: value})
    assert taxel.GelSensor(scene(), "pad", "ball", gel=gel).gel is gel


def test_an_object_that_starts_inside_is_refused():
    model = scene()
    data, sensor = mujoco.MjData(model), taxel.GelSensor(model, "pad", "ball", **KEYS)
    place(data, TILT @ taxel.pose((0, 0, 0.0070)))
    with pytest.raises(taxel.Error, match=r"geom 'ball' starts 0\.978 mm inside the gel of 'pad'; start apart"):
        sensor.update(data)


def test_what_the_catalogue_says_of_gels():
    gels = {name for name, make in catalogue().items() if "gel" in make().models}
    assert gels == {"gelsight_mini", "myrmex", "weiss", "pad"}
    assert catalogue()["myrmex"](model="gel", modulus=5e4).gel["young"] == pytest.approx(5e4)
    with pytest.raises(taxel.Error, match="knows no gel of this sensor"):
        catalogue()["barometer"](model="gel")
    weiss = catalogue()["weiss"](model="gel")
    half = weiss.replace(modulus=0.5 * weiss.made_of.modulus())
    assert half.gel["young"] == pytest.approx(0.5 * weiss.gel["young"], rel=1e-5)
    with pytest.raises(taxel.Error, match="dissipation is of a pressure field; a gel has"):
        weiss.replace(dissipation=1.0)
    with pytest.raises(taxel.Error, match='make it with model="gel"'):
        catalogue()["weiss"]().make_gel()


def test_a_circle_through_the_rim_of_a_disc():
    from taxel.experiments.gel.pick_vision import circle, rim

    rng = np.random.default_rng(3)
    r, a = 0.043 * np.sqrt(rng.random(20000)), 2 * np.pi * rng.random(20000)
    points = np.column_stack([0.02 + r * np.cos(a), -0.05 + r * np.sin(a)])
    middle, radius = circle(rim(points))
    np.testing.assert_allclose(middle, (0.02, -0.05), atol=2e-4)
    assert radius == pytest.approx(0.043, abs=3e-4)


def test_without_the_scans_there_is_a_round_can(monkeypatch):
    from taxel.experiments.gel import pick_scene as gel_pick_scene

    monkeypatch.setattr(gel_pick_scene, "_ycb", lambda name: None)
    model, scanned = gel_pick_scene.make_model(0.002)
    assert not scanned and taxel.check_watertight(*gel_pick_scene._round_can())
    sensor = taxel.GelSensor(model, "left", gel_pick_scene.GRIPPED, cell=2e-3, two_way=True, spacing=2e-3)
    data = mujoco.MjData(model)
    sensor.update(data)
    np.testing.assert_allclose(sensor.pose(data)[:3, 2], (0, -1, 0), atol=1e-12)
    assert np.abs(sensor.image).max() < 1e-9 and not sensor.wrench.pad.any()


def test_the_can_is_found_in_the_picture():
    from taxel.experiments.gel.pick_scene import make_model
    from taxel.experiments.gel.pick_vision import find

    model, _ = make_model(0.002)
    data = mujoco.MjData(model)
    data.joint("wrist_x").qpos[0] = 0.17
    mujoco.mj_forward(model, data)
    try:
        found = find(model, data, "can")
    except taxel.Error as error:
        if "OpenGL" in str(error):
            pytest.skip("no OpenGL")
        raise
    assert np.hypot(*(found.center - data.body("can").xpos)[:2]) < 2e-3
    assert found.radius == pytest.approx(0.0427, abs=1.5e-3)
    assert found.center[2] == pytest.approx(0.0335, abs=1.5e-3)
