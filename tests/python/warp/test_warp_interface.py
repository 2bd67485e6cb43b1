"""What a user of taxel.warp holds in hands: arrays, parameters of each world, resets, states, and refusals."""

import mujoco
import numpy as np
import pytest

import taxel

mjw = pytest.importorskip("mujoco_warp")
wp = pytest.importorskip("warp")
from warp_scenes import slope  # noqa: E402

import taxel.warp  # noqa: E402

wp.config.log_level = wp.LOG_WARNING


def put(model, worlds=2, nconmax=80, njmax=200, **options):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    m = taxel.warp.put_model(model)
    d = mjw.put_data(model, data, nworld=worlds, nconmax=nconmax, njmax=njmax)
    return m, d, taxel.warp.attach(model, m, d, blocks=4, **options)


def run(m, d, steps):
    for _ in range(steps):
        mjw.step(m, d)


# --- what it leans on ---


def test_mujoco_warp_is_as_we_know_it():
    from importlib.metadata import version

    from mujoco_warp._src import types

    assert version("mujoco-warp") == version("mujoco")
    assert int(types.ContactType.CONSTRAINT) == 1
    assert {"contactfilter", "sensor"} <= set(types.Callback.__dataclass_fields__)
    assert {"flg_surfacevel", "flg_adhesion"} <= set(types.Model.__dataclass_fields__)
    assert set(taxel.warp.emit.Contacts.vars) == set(types.Contact.__dataclass_fields__)
    assert (types.MJ_MINIMP, types.MJ_MAXIMP) == (1e-4, 0.9999)


# --- worlds of their own ---


def test_two_runs_have_the_same_bits_and_worlds_do_not_mix():
    model = slope()
    results = []
    for worlds in (1, 3):
        m, d, soft = put(model, worlds=worlds)
        run(m, d, 60)
        results.append((d.qpos.numpy(), soft["myrmex"].reading.numpy()))
    for one, three in zip(*results, strict=True):
        assert np.array_equal(np.repeat(one, 3, axis=0), three)


def test_parameters_of_each_world():
    m, d, soft = put(slope(0.0), worlds=4)
    soft.modulus.assign(np.array([[1.0], [2.0], [1.0], [1.0]], np.float32))
    soft.friction.assign(np.array([[1.0], [1.0], [0.0], [1.0]], np.float32))
    soft["myrmex"].gain.assign(np.array([1.0, 1.0, 1.0, 3.0], np.float32))
    qvel = np.zeros((4, 6), np.float32)
    qvel[:, 0] = 0.01
    d.qvel.assign(qvel)
    run(m, d, 500)
    depth = 0.009 + 0.01 - d.qpos.numpy()[:, 2]
    assert depth[1] == pytest.approx(0.5 * depth[0], rel=2e-3)
    speed = d.qvel.numpy()[:, 0]
    assert abs(speed[0]) < 1e-3 and speed[2] == pytest.approx(0.01, rel=0.05)
    s = soft["myrmex"]
    np.testing.assert_allclose(s.reading.numpy()[3], 3 * s.pressure.numpy()[3], rtol=1e-6)


def test_a_reset_forgets_in_its_worlds_alone():
    m, d, soft = put(slope(), worlds=3)
    run(m, d, 200)
    stuck = np.abs(soft._touch.stretch.numpy()).max((1, 2))
    assert (stuck > 1e-5).all()
    soft.reset(np.array([0, 1, 0]))
    left = np.abs(soft._touch.stretch.numpy()).max((1, 2))
    assert left[1] == 0 and left[0] == stuck[0] and left[2] == stuck[2]
    # After mjw.reset_data it happens by itself: the same run again, to the bit.
    mjw.reset_data(m, d)
    run(m, d, 200)
    again = d.qpos.numpy()
    fresh_m, fresh, _ = put(slope(), worlds=3)
    mjw.reset_data(fresh_m, fresh)
    run(fresh_m, fresh, 200)
    assert np.array_equal(again, fresh.qpos.numpy())
    with pytest.raises(taxel.Error, match=r"one truth value a world, \(3,\)"):
        soft.reset([True])


def test_a_state_comes_back():
    m, d, soft = put(slope(), worlds=2)
    run(m, d, 100)
    saved = soft.state()
    kept = {k: wp.clone(getattr(d, k)) for k in ("qpos", "qvel", "time", "qacc_warmstart")}
    run(m, d, 50)
    after = d.qpos.numpy()
    for k, v in kept.items():
        wp.copy(getattr(d, k), v)
    soft.restore(saved)
    run(m, d, 50)
    assert np.array_equal(d.qpos.numpy(), after)
    with pytest.raises(taxel.Error, match="another model"):
        soft.restore({"time": saved["time"]})


def test_a_reset_after_one_step_is_noticed():
    m, d, _ = put(slope(0.0), worlds=1)
    mjw.step(m, d)
    mjw.reset_data(m, d)
    qpos = d.qpos.numpy().copy()
    qpos[:, 2] = 0.0172
    d.qpos.assign(qpos)
    run(m, d, 10)
    fresh_m, fresh, _ = put(slope(0.0), worlds=1)
    mjw.reset_data(fresh_m, fresh)
    fresh.qpos.assign(qpos)
    run(fresh_m, fresh, 10)
    assert np.array_equal(d.qpos.numpy(), fresh.qpos.numpy())


def test_forward_again_is_the_same_step():
    m, d, soft = put(slope(), worlds=1)
    run(m, d, 50)
    mjw.forward(m, d)
    first = soft["myrmex"].reading.numpy().copy(), soft._touch.stretch.numpy().copy()
    mjw.forward(m, d)
    assert np.array_equal(soft._touch.stretch.numpy(), first[1])
    np.testing.assert_allclose(soft["myrmex"].reading.numpy(), first[0], rtol=1e-5)


# --- the signal chain ---


def test_noise_is_of_seed_world_and_sample():
    model = slope(0.0, noise=(0.0, 50.0), seed=3)
    m, d, soft = put(model, worlds=3)
    run(m, d, 3)
    s = soft["myrmex"]
    noise = s.reading.numpy() - s.pressure.numpy()
    assert noise.std() == pytest.approx(50, rel=0.1) and abs(noise.mean()) < 10
    assert abs(np.corrcoef(noise[0], noise[1])[0, 1]) < 0.25
    m2, d2, soft2 = put(model, worlds=3)
    run(m2, d2, 3)
    assert np.array_equal(soft2["myrmex"].reading.numpy(), s.reading.numpy())
    s.noise.zero_()
    run(m, d, 1)
    np.testing.assert_array_equal(s.reading.numpy(), s.pressure.numpy())


def test_counts_are_those_of_the_plugin():
    model = slope(0.0, unit="counts", bits=12, inverted=True, full_scale=3e4)
    m, d, soft = put(model, worlds=1)
    data = mujoco.MjData(model)
    for _ in range(300):
        mjw.step(m, d)
        mujoco.mj_step(model, data)
    codes = soft["myrmex"].image.numpy()[0]
    assert np.array_equal(codes, np.round(codes)) and codes.max() == 4095
    assert np.abs(codes - taxel.Sensor(model, "myrmex")(data)).max() <= 2


def test_arrays_without_a_copy():
    torch = pytest.importorskip("torch")
    m, d, soft = put(slope(), worlds=2)
    view = wp.to_torch(soft["myrmex"].image)
    dlpack = torch.from_dlpack(soft["myrmex"].reading)
    assert view.shape == (2, 16, 16)
    run(m, d, 5)
    assert float(view.sum()) > 0 and float(dlpack.sum()) == float(view.sum())


# --- refusals ---


def test_what_cannot_run_is_named():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(1, 1, 0.1))
    body = spec.worldbody.add_body(pos=(0, 0, 0.05))
    body.add_freejoint()
    body.add_geom(name="ball", size=(0.02, 0, 0), mass=0.1)
    taxel.soften(spec, "ball", modulus=1e5)
    with pytest.raises(taxel.Error, match=r"geom 'ball' cannot run in mujoco_warp: its field is \"distance\""):
        put(spec.compile())


@pytest.mark.parametrize(
    "chain, words",
    [
        ({"output": "pressure truth"}, "output truth"),
        ({"aggregate": "max"}, "aggregate neither mean nor force"),
    ],
)
def test_readings_that_are_not_there_are_named(chain, words):
    with pytest.raises(taxel.Error, match=f"sensor 'myrmex'.*{words}"):
        put(slope(**chain))


def test_wrong_calls():
    model = slope()
    m, d, soft = put(model)
    with pytest.raises(taxel.Error, match="there is no tactile sensor 'tip'; there are 'myrmex'"):
        soft["tip"]
    with pytest.raises(taxel.Error, match="blocks is 5"):
        taxel.warp.attach(model, m, d, blocks=5)
    other = mjw.make_data(taxel.mujoco.engine.without_plugins(model), nworld=1, nconmax=80, njmax=200)
    with pytest.raises(taxel.Error, match="another Data"):
        mjw.step(m, other)
    with pytest.raises(taxel.Error, match="has a SoftContact already"):
        taxel.warp.attach(model, m, d)
    soft.detach()
    with pytest.raises(taxel.Error, match="not attached any more"):
        soft.detach()
    mjw.step(m, other)  # native contact again
    for args, words in [
        ((model, d, m), "m is Data; give mujoco_warp's Model"),
        ((m, m, d), "the model is Model; give the mujoco.MjModel"),
        ((model, m, None), "d is NoneType"),
    ]:
        with pytest.raises(TypeError, match=words):
            taxel.warp.attach(*args)
    with pytest.raises(taxel.Error, match=r"blocks is 16\.0"):
        taxel.warp.attach(model, m, d, blocks=16.0)
    with pytest.raises(taxel.Error, match="spacing is -1"):
        taxel.warp.attach(model, m, d, spacing=-1)
    m.opt.integrator = int(mujoco.mjtIntegrator.mjINT_RK4)
    with pytest.raises(taxel.Error, match="integrator RK4; use implicitfast"):
        taxel.warp.attach(model, m, d)


def test_contacts_that_do_not_fit_are_counted():
    model = slope()
    m = taxel.warp.put_model(model)
    d = mjw.make_data(taxel.mujoco.engine.without_plugins(model), nworld=2, nconmax=9, njmax=200)
    soft = taxel.warp.attach(model, m, d, blocks=16)
    run(m, d, 5)
    assert soft.overflow() > 0
    assert soft.overflow() == 0  # the count starts again
    assert np.isfinite(d.qpos.numpy()).all()


def test_rows_that_do_not_fit_are_counted_and_not_read():
    model = slope(0.0)
    m = taxel.warp.put_model(model)
    d = mjw.make_data(taxel.mujoco.engine.without_plugins(model), nworld=2, nconmax=80, njmax=63)
    soft = taxel.warp.attach(model, m, d, blocks=16)
    run(m, d, 5)
    assert soft.overflow() > 0
    assert np.abs(soft.rubbing.numpy()[..., :2]).max() < 0.02


def test_a_sensor_that_nothing_can_touch_has_its_no_load_value():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    codes = {"unit": "counts", "bits": 12, "inverted": True, "full_scale": 3e4}
    taxel.sensors.myrmex().add_to(spec)
    lone = taxel.sensors.myrmex(**codes).add_to(spec, name="lone", pos=(0.3, 0, 0))
    spec.geom(lone).contype = spec.geom(lone).conaffinity = 0
    body = spec.worldbody.add_body(pos=(0, 0, 0.028))
    body.add_freejoint()
    body.add_geom(size=(0.02, 0, 0), mass=0.2)
    m, d, soft = put(spec.compile(), worlds=1)
    run(m, d, 2)
    assert (soft["lone"].reading.numpy() == 4095).all()


def test_gains_and_offsets_are_those_of_the_plugin():
    model = slope(0.0, gain=0.2, offset=(100.0, 30.0), seed=4)
    m, d, soft = put(model, worlds=1)
    data = mujoco.MjData(model)
    for _ in range(100):
        mjw.step(m, d)
        mujoco.mj_step(model, data)
    wanted = taxel.Sensor(model, "myrmex")(data)
    assert np.abs(soft["myrmex"].image.numpy()[0] - wanted).max() < 2e-3 * wanted.max()
