"""Soft contact inside mujoco_warp (its CPU device) against the plugin in MuJoCo, same models.

1. one forward pass: what the columns push, for every kind of body, and what the taxels read;
2. time: bodies come to rest where they do under the plugin; a slope is held; a grasp is held;
3. hits: nothing falls through, no energy comes from nothing.
"""

import mujoco
import numpy as np
import pytest

import taxel

mjw = pytest.importorskip("mujoco_warp")
wp = pytest.importorskip("warp")
from warp_scenes import OBJECTS, slope, zoo  # noqa: E402

import taxel.warp  # noqa: E402
from taxel.experiments.batch.scenes import peg as grasp  # noqa: E402

wp.config.log_level = wp.LOG_WARNING


def put(model, worlds=1, ctrl=None, **options):
    data = mujoco.MjData(model)
    if ctrl is not None:
        data.ctrl[:] = ctrl
    mujoco.mj_forward(model, data)
    m = taxel.warp.put_model(model)
    d = mjw.put_data(model, data, nworld=worlds, nconmax=600, njmax=1600)
    return m, d, taxel.warp.attach(model, m, d, **options), data


def elastic(soft, model):
    """Force of the columns on the second geom of each touching pair, by the names of the two."""
    force = soft._patch.wrench.numpy()[0]
    held = soft._patch.force.numpy()[0] > 0
    return {
        (model.geom(a).name, model.geom(b).name): f for (a, b), f, on in zip(soft.pairs, force, held, strict=True) if on
    }


def test_columns_push_as_those_of_the_plugin():
    model = zoo("columns")
    m, d, soft, data = put(model)
    mjw.forward(m, d)
    found = elastic(soft, model)
    touches = taxel.touches(model, data)
    assert len(touches) == len(OBJECTS) + 1 == len(found)
    for t in touches:
        wanted = np.asarray(t.surface.force_on_A)
        off = np.linalg.norm(found[t.name1, t.name2] - wanted) / np.linalg.norm(wanted)
        # float32; a mesh is met by rays, 16 a column of 4 mm.
        assert off < (0.02 if "blob" in (t.name1, t.name2) else 2e-4), (t.name1, t.name2, off)


@pytest.mark.parametrize("blocks", [4, 16])
def test_bodies_come_to_rest_as_under_the_plugin(blocks):
    model = zoo()
    m, d, soft, data = put(model, blocks=blocks)
    for _ in range(400):
        mjw.step(m, d)
        mujoco.mj_step(model, data)
    rest = d.qpos.numpy()[0]
    for name in ("box", "upright_cylinder"):
        at = model.jnt_qposadr[model.body(name).jntadr[0]]
        np.testing.assert_allclose(rest[at : at + 3], data.qpos[at : at + 3], atol=6e-6)
    load = soft["pad_box"].pressure.numpy()[0].sum() * 16e-6
    assert load == pytest.approx(0.05 * 9.81, rel=1e-4)
    reading = taxel.Sensor(model, "pad_box")(data)
    off = np.abs(soft["pad_box"].image.numpy()[0] - reading).max()
    assert off * 16e-6 < 1e-3 * 0.05 * 9.81
    assert np.array_equal(
        d.sensordata.numpy()[0][model.sensor("pad_box").adr[0] :][:80], soft["pad_box"].reading.numpy()[0]
    )
    assert soft.overflow() == 0


def test_a_slope_is_held():
    model = slope()
    m, d, soft, _ = put(model, worlds=2)
    for _ in range(800):
        mjw.step(m, d)
    before = d.qpos.numpy()[:, :2].copy()
    for _ in range(500):
        mjw.step(m, d)
    drift = np.abs(d.qpos.numpy()[:, :2] - before).max()
    assert drift <= 1e-6 * 1.0  # a second
    weight = 9.81 * np.cos(np.radians(10))
    np.testing.assert_allclose(soft["myrmex"].pressure.numpy().sum(1) * 25e-6, weight, rtol=3e-4)
    along = soft["myrmex"].shear.numpy()[..., 0].sum(1) * 25e-6
    np.testing.assert_allclose(along, 9.81 * np.sin(np.radians(10)), rtol=5e-3)


def test_a_grasp_is_held_and_let_go():
    model = grasp()
    m, d, soft, data = put(model, worlds=2, ctrl=10.0, blocks=4)
    ctrl = np.full((2, 2), 10.0, np.float32)
    d.ctrl.assign(ctrl)
    for _ in range(250):
        mjw.step(m, d)
        mujoco.mj_step(model, data)
    peg = model.jnt_qposadr[model.body("peg").jntadr[0]]
    np.testing.assert_allclose(d.qpos.numpy()[0, peg : peg + 3], data.qpos[peg : peg + 3], atol=6e-5)
    held = d.qpos.numpy().copy()
    for _ in range(250):
        mjw.step(m, d)
    assert np.abs(d.qpos.numpy()[:, peg + 1 : peg + 3] - held[:, peg + 1 : peg + 3]).max() < 1e-6
    lift = -soft.rubbing.numpy()[..., 2].sum(1)
    signs = {tuple(p): 1 if model.geom(p[1]).name == "peg" else -1 for p in soft.pairs}
    assert set(signs.values()) == {-1}  # the pads are boxes, which come behind a cylinder
    np.testing.assert_allclose(lift, 0.1 * 9.81, rtol=2e-3)
    ctrl[1] = -10.0
    d.ctrl.assign(ctrl)
    for _ in range(60):
        mjw.step(m, d)
    z = d.qpos.numpy()[:, peg + 2]
    assert z[0] == pytest.approx(held[0, peg + 2], abs=1e-6) and z[1] < held[1, peg + 2] - 0.01
    assert soft["left"].pressure.numpy()[1].max() == 0


@pytest.mark.parametrize("step, modulus, thickness, mass", [(0.005, 1e6, 0.004, 0.05), (0.002, 3e6, 0.003, 1.0)])
def test_hits_pass_no_pad_and_give_no_energy(step, modulus, thickness, mass, worlds=8):
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = step
    taxel.sensors.pad(size=(0.1, 0.1), shape=(12, 12), modulus=modulus, thickness=thickness).add_to(spec)
    body = spec.worldbody.add_body(name="box", pos=(0, 0, 0.1))
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.015, 0.02, 0.01), mass=mass)
    model = spec.compile()
    m, d, soft, data = put(model, worlds=worlds, blocks=4)
    rng = np.random.default_rng(7)
    qpos, qvel = np.tile(data.qpos, (worlds, 1)), np.zeros((worlds, 6))
    qpos[:, 3:] = rng.normal(size=(worlds, 4))
    qpos[:, 3:] /= np.linalg.norm(qpos[:, 3:], axis=1)[:, None]
    qpos[:, 2] = 0.5 * thickness + 0.028 + rng.uniform(0, 0.02, worlds)
    qvel[:, 2] = -np.geomspace(0.1, 5, worlds)
    qvel[:, 3:] = 5 * rng.normal(size=(worlds, 3))
    d.qpos.assign(qpos.astype(np.float32))
    d.qvel.assign(qvel.astype(np.float32))
    inertia = model.body("box").inertia
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body("box").iquat)

    def energy():
        p, v = d.qpos.numpy().astype(float), d.qvel.numpy().astype(float)
        spin = v[:, 3:] @ turn.reshape(3, 3)
        return 0.5 * mass * (v[:, :3] ** 2).sum(1) + 0.5 * (inertia * spin**2).sum(1) + mass * 9.81 * p[:, 2]

    first = energy()
    most, lowest = first.copy(), np.full(worlds, np.inf)
    for _ in range(int(0.2 / step)):
        mjw.step(m, d)
        most = np.maximum(most, energy())
        x, y, z = d.qpos.numpy()[:, :3].T
        lowest = np.where(np.maximum(abs(x), abs(y)) < 0.045, np.minimum(lowest, z), lowest)
    assert np.isfinite(d.qpos.numpy()).all()
    moving = first - mass * 9.81 * qpos[:, 2]
    assert (most - first <= 0.01 * moving + 1e-6).all(), (most - first) / moving
    assert lowest.min() > -0.5 * thickness
    assert soft.overflow() == 0


def test_the_side_of_a_pad_is_hard():
    model = slope()
    m, d, soft, _ = put(model, blocks=4)
    qpos, qvel = d.qpos.numpy(), d.qvel.numpy()
    qpos[0, :3] = 0.061, 0, -0.004  # the pad ends at 0.04, the box at 0.041, below its skin
    qvel[0, 0] = -0.3
    d.qpos.assign(qpos)
    d.qvel.assign(qvel)
    for _ in range(30):
        mjw.step(m, d)
    assert d.qpos.numpy()[0, 0] > 0.058
    assert soft["myrmex"].pressure.numpy().max() == 0


def test_two_soft_bodies_share_the_way():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.myrmex().add_to(spec)
    body = spec.worldbody.add_body(pos=(0.002, 0.003, 0.0142))
    body.add_freejoint()
    body.add_geom(name="soft", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.015, 0.0125, 0.01), mass=0.5)
    taxel.soften(spec, "soft", modulus=6e4, field="backed", exposed=(0, 0, -1), thickness=0.01, friction=0.5)
    model = spec.compile()
    m, d, soft, _ = put(model)
    for _ in range(150):
        mjw.step(m, d)
    pressure = 0.5 * 9.81 / (0.03 * 0.025)
    sunk = pressure * (0.018 / 3e4 + 0.01 / 6e4)
    assert 0.009 + 0.01 - d.qpos.numpy()[0, 2] == pytest.approx(sunk, rel=2e-3)
    assert soft["myrmex"].pressure.numpy().max() == pytest.approx(pressure, rel=5e-3)


@pytest.mark.parametrize("tilt", [0.0, 0.1, 0.4])
def test_a_rod_on_a_round_fingertip_pushes_as_under_the_plugin(tilt):
    """Columns on the far side of the finger look at the rod through the bone, and must not push."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(name="tip", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.012, 0, 0))
    taxel.soften(spec, "tip", modulus=1e5, field="columns", thickness=0.003, resolution=0.002)
    body = spec.worldbody.add_body(
        pos=(0.012 * np.sin(tilt), 0, 0.019 + 0.012 * np.cos(tilt)), quat=(1, 0, tilt / 2, 0)
    )
    body.add_freejoint()
    body.add_geom(name="rod", type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=(0.008, 0.012, 0), mass=0.05)
    model = spec.compile()
    m, d, soft, data = put(model, blocks=4)
    mjw.forward(m, d)
    wanted = np.asarray(taxel.touches(model, data)[0].surface.force_on_A)
    np.testing.assert_allclose(next(iter(elastic(soft, model).values())), wanted, atol=5e-3 * np.linalg.norm(wanted))


FINGERTIP = {  # geom, size, place, and the greatest part of the force by which it may differ
    "ball on the pad": ("sphere", (0.008, 0, 0), (0.001, 0.0015, 0.0136), 2e-5),
    "small ball, deep": ("sphere", (0.004, 0, 0), (0.001, 0.0015, 0.0069), 5e-5),
    "ball at the side": ("sphere", (0.008, 0, 0), (0.0136, -0.004, 0.001), 2e-5),
    "ball at the tip": ("sphere", (0.008, 0, 0), (0.0005, 0.0167, 0.0004), 1e-4),
    "box": ("box", (0.01, 0.01, 0.01), (0.001, 0.0015, 0.0159), 2e-5),
    "cylinder": ("cylinder", (0.004, 0.01, 0), (0.001, 0.0015, 0.0158), 2e-5),
    "mesh": ("mesh", (0.008, 0.006, 0.005), (0.001, 0.0015, 0.0109), 0.06),
}


@pytest.mark.parametrize("name", FINGERTIP)
def test_the_fingertip_of_the_catalogue_pushes_as_under_the_plugin(name):
    """Columns of triangles and quadrilaterals, each with its own length and modulus; taxels that share some of them."""
    kind, size, place, limit = FINGERTIP[name]
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.gravity = [0, 0, 0]
    taxel.sensors.shadow_fingertip().add_to(spec, name="tip")
    body = spec.worldbody.add_body(pos=place, quat=(1, 0.05, 0.03, 0.1))
    body.add_freejoint()
    if kind == "mesh":
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
        spec.add_mesh(name="thing", uservert=corners.ravel())  # its hull
        body.add_geom(name="thing", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="thing", mass=0.05)
    else:
        body.add_geom(name="thing", type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"), size=size, mass=0.05)
    model = spec.compile()
    m, d, soft, data = put(model)
    mjw.forward(m, d)
    wanted = np.asarray(taxel.touches(model, data)[0].surface.force_on_A)
    assert np.linalg.norm(soft._patch.wrench.numpy()[0, 0] - wanted) < limit * np.linalg.norm(wanted)


def test_the_fingertip_of_the_catalogue_feels_a_weight():
    """Without friction, which holds a deep ball at its flanks wherever it came to rest."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = 0.002
    taxel.sensors.shadow_fingertip(friction=0.0).add_to(spec, name="tip")
    body = spec.worldbody.add_body(pos=(0.001, 0.0015, 0.0155))
    body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=2)
    body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.008, 0, 0), mass=0.05)
    model = spec.compile()
    m, d, soft, data = put(model)
    for _ in range(250):
        mjw.step(m, d)
    mujoco.mj_step(model, data, nstep=250)
    assert d.qpos.numpy()[0, 0] == pytest.approx(data.qpos[0], abs=2e-7)
    ours, plugin = soft["tip"].pressure.numpy()[0], taxel.Sensor(model, "tip")(data)
    assert np.abs(ours - plugin).max() < 0.01 * plugin.max()
    layout = taxel.Sensor(model, "tip").layout
    assert np.count_nonzero(ours > 0) >= 3 and len(ours) == len(layout.points) == 12


def test_taxels_under_a_rolling_capsule_are_those_of_its_pose():
    """It rolls on for ever, and apart from the plugin's by 48 um in 400 steps, which is 1.7e-2 of the strongest taxel
    and 3.7e-3 of the load. At one pose the two agree."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = 0.002
    sensor = taxel.sensors.pad(size=(0.04, 0.032), shape=(10, 8), modulus=1e5, thickness=0.006)
    sensor.replace(field="columns").add_to(spec, name="pad")
    kind, size, height, quat = OBJECTS["capsule"]
    body = spec.worldbody.add_body(pos=(0.0013, -0.0021, 0.003 + height), quat=quat)
    body.add_freejoint()
    body.add_geom(type=kind, size=size, mass=0.05)
    model = spec.compile()
    m, d, soft, data = put(model, blocks=16)
    for _ in range(400):
        mjw.step(m, d)
    mjw.forward(m, d)
    data.qpos[:], data.qvel[:] = d.qpos.numpy()[0], d.qvel.numpy()[0]
    mujoco.mj_forward(model, data)
    ours, plugin = soft["pad"].image.numpy()[0], taxel.Sensor(model, "pad")(data)
    assert np.abs(ours - plugin).max() < 1.5e-3 * plugin.sum()


def test_a_thin_skin_under_a_thick_one_holds():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.pad(size=(0.04, 0.032), shape=(10, 8), modulus=2e4, thickness=0.001).add_to(spec, name="low")
    body = spec.worldbody.add_body(pos=(0, 0, 0.0085), quat=(0, 1, 0, 0))
    body.add_freejoint()
    body.mass, body.inertia, body.explicitinertial = 0.5, (1e-4, 1e-4, 1e-4), True
    taxel.sensors.pad(size=(0.04, 0.032), shape=(10, 8), modulus=2e4, thickness=0.018).add_to(
        spec, body=body, name="top"
    )
    model = spec.compile()
    m, d, soft, data = put(model, blocks=4)
    for _ in range(150):
        mjw.step(m, d)
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(d.qpos.numpy()[0, 2], data.qpos[2], atol=5e-5)
    acts = abs(float(soft.force.numpy()[0, 0, 2]))  # it still swings a little
    for name in ("low", "top"):
        assert soft[name].pressure.numpy().sum() * 16e-6 == pytest.approx(acts, rel=5e-3), name


def test_two_skins_both_read_their_contact():
    """Turned and off the middle: columns of 5 mm on taxels of 4 mm, which feel each of them where it is."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.pad(size=(0.04, 0.032), shape=(8, 10), modulus=2e5, thickness=0.004).add_to(spec, name="low")
    body = spec.worldbody.add_body(pos=(0.0033, 0.0021, 0.0049), quat=(0, np.cos(0.15), np.sin(0.15), 0))
    body.add_freejoint()
    body.mass, body.inertia, body.explicitinertial = 0.5, (1e-4, 1e-4, 1e-4), True
    taxel.sensors.pad(size=(0.03, 0.02), shape=(5, 6), modulus=1e5, thickness=0.006).add_to(spec, body=body, name="top")
    model = spec.compile()
    m, d, soft, data = put(model, blocks=16)
    for _ in range(300):
        mjw.step(m, d)
        mujoco.mj_step(model, data)
    for name, near in (("low", 0.1), ("top", 5e-3)):
        ours, plugin = soft[name].image.numpy()[0], taxel.Sensor(model, name)(data)
        assert ours.sum() == pytest.approx(plugin.sum(), rel=1e-3), name
        assert np.abs(ours - plugin).max() < near * plugin.max(), name
    # The same centre of pressure, to a twentieth of a taxel.
    y, x = np.mgrid[:8, :10]
    ours, plugin = soft["low"].image.numpy()[0], taxel.Sensor(model, "low")(data)
    for axis in (x, y):
        assert (axis * ours).sum() / ours.sum() == pytest.approx((axis * plugin).sum() / plugin.sum(), abs=0.05)


def test_sizes_of_each_world():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.pad(size=(0.02, 0.016), shape=(8, 8), modulus=1e5, thickness=0.006).add_to(spec)
    body = spec.worldbody.add_body(pos=(0, 0, 0.05))
    body.add_freejoint()
    body.add_geom(name="ball", size=(0.01, 0, 0), mass=0.05)
    model = spec.compile()
    m, d, soft, _ = put(model, worlds=2, blocks=4)
    ball = model.geom("ball").id
    size, bound = np.tile(m.geom_size.numpy(), (2, 1, 1)), np.tile(m.geom_rbound.numpy(), (2, 1))
    size[1, ball, 0] = bound[1, ball] = 0.05
    m.geom_size, m.geom_rbound = wp.array(size, dtype=wp.vec3), wp.array(bound, dtype=float)
    qpos = d.qpos.numpy()
    qpos[:, 2] = 0.003 + size[:, ball, 0] - 2e-4
    d.qpos.assign(qpos)
    for _ in range(200):
        mjw.step(m, d)
    load = soft["pad"].pressure.numpy().sum(1) * 5e-6
    np.testing.assert_allclose(load, 0.05 * 9.81, rtol=0.02)
