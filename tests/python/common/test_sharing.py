"""What threads may share, what a fork leaves, what a copy is: each class works or says by name what to do instead."""

import copy
import os
import pickle
import signal
import threading
import time

import mujoco
import numpy as np
import pytest
from mujoco_scenes import NORMAL, block, pad_model, pad_xml

import taxel
from taxel.image import Light, TactileCamera

pytestmark = pytest.mark.usefixtures("warned")

BALL = taxel.Body.sphere(0.006)
PAD = taxel.Body.box((0.02, 0.024, 0.006), modulus=3e4, field="backed")
MINI = taxel.gelsight_mini_markers(dome=False)


def make_gel(threads: int = 2) -> taxel.Gel:
    gel = taxel.Gel(taxel.Body.box((0.02, 0.024, 0.006)), cell=1e-3, threads=threads)
    gel.add(BALL, taxel.pose((0.001, -0.002, 0.0091)), friction=0.5)
    return gel


def field() -> taxel.MarkerField:
    return taxel.MarkerField(MINI.pad, MINI.markers, BALL, radius=5e-4)


def poses(worlds: int) -> np.ndarray:
    out = np.tile(taxel.pose((0, 0, 0.0072)), (worlds, 1, 1, 1))
    out[:, 0, 0, 3] = np.linspace(-2e-3, 3e-3, worlds)
    return out


# Makes an object, and a call of some tenths of a second whose answer is known.
WORLDS = 500
MODELS = {
    "Gel": (make_gel, lambda gel: (gel.advance(60, taxel.pose((0.001, -0.001, 0.0088))), gel.positions)[1]),
    "MarkerBatch": (lambda: field().batch(4 * WORLDS, threads=2), lambda b: b.step(poses(4 * WORLDS))),
    "FotsBatch": (
        lambda: taxel.Fots(MINI.markers, BALL).batch(8 * WORLDS, threads=2),
        lambda b: b.step(poses(8 * WORLDS)),
    ),
    "TacSLBatch": (
        lambda: taxel.TacSL(MINI.markers, BALL).batch(80 * WORLDS, threads=2),
        lambda b: b.read(poses(80 * WORLDS), dt=1e-3).tactile_normal_force,
    ),
    "EipSeries": (
        lambda: taxel.EipPress(threads=2).series(taxel.Body.sphere(0.1), taxel.pose((0.5,) * 3)),
        lambda s: (s.step(20), s.positions)[1],
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_second_thread_gets_an_error_at_once(name):
    make, call = MODELS[name]
    expected = call(make())
    for _ in range(30):  # until the second thread comes while the first is at work
        shared, found, refused = make(), [], []
        worker = threading.Thread(target=lambda shared=shared, found=found: found.append(call(shared)))
        worker.start()
        time.sleep(0.01)
        if worker.is_alive():
            try:
                call(shared)
            except taxel.Error as error:
                refused.append(str(error))
        worker.join()
        if refused:
            assert f"this {name} is in use by another thread" in refused[0] and "threading.Lock" in refused[0]
            np.testing.assert_array_equal(found[0], expected)
            return
    pytest.fail("the calls never met")


@pytest.mark.parametrize("name", MODELS)
def test_hammered_by_threads_it_stays_sound(name):
    make, _ = MODELS[name]
    shared, errors = make(), []
    small = {
        "Gel": lambda: (shared.advance(1), shared.positions, shared.force(0), shared.energy),
        "MarkerBatch": lambda: (shared.step(poses(4 * WORLDS)), shared.reset(np.arange(4 * WORLDS) < 5)),
        "FotsBatch": lambda: (shared.step(poses(8 * WORLDS)), shared.reset()),
        "TacSLBatch": lambda: (shared.read(poses(80 * WORLDS), dt=1e-3), shared.reset()),
        "EipSeries": lambda: (shared.step(1), shared.positions),
    }[name]

    def work() -> None:
        for _ in range(4):
            try:
                small()
            except taxel.Error as error:
                errors.append(str(error))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert all("is in use by another thread" in e for e in errors)
    small()


def in_child(work) -> None:
    """Runs it in a forked process; ends with it well, or the test fails."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            work()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("name", MODELS)
def test_the_child_of_a_fork_can_use_it(name):
    make, call = MODELS[name]
    kept, twin = make(), make()
    first = call(kept)
    np.testing.assert_array_equal(call(twin), first)
    expected = call(twin)
    in_child(lambda: np.testing.assert_array_equal(call(kept), expected))
    np.testing.assert_array_equal(call(kept), expected)  # and so can the parent


def test_a_child_does_not_use_what_was_at_work_at_the_fork():
    gel = make_gel()
    worker = threading.Thread(target=gel.advance, args=(300,))
    worker.start()
    time.sleep(0.05)

    def child() -> None:
        with pytest.raises(taxel.Error, match="was at work in another thread when the process forked"):
            gel.advance(1)

    busy = worker.is_alive()
    if busy:
        in_child(child)
    worker.join()
    gel.advance(1)


# Engine


def reader_scene():
    model = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    keys = dict(soft={"pad": dict(modulus=2e5)}, sensors={"touch": dict(geom="pad", shape=(5, 7))})
    return model, keys


def pressed(model, depth: float) -> mujoco.MjData:
    data = mujoco.MjData(model)
    data.qpos[:3] -= depth * NORMAL
    mujoco.mj_forward(model, data)
    return data


def test_one_reader_in_many_threads():
    model, keys = reader_scene()
    reader = taxel.Reader(model, **keys)
    sensor = reader.sensor("touch")
    datas = [pressed(model, 1e-4 * k) for k in range(1, 5)]
    expected = [(reader(d)[0].force, sensor.read(d).values) for d in datas]
    errors, wrong = [], []

    def work(k: int) -> None:
        for i in range(40):
            try:
                if i % 2:
                    wrong.append(not np.array_equal(reader(datas[k])[0].force, expected[k][0]))
                else:
                    wrong.append(not np.array_equal(sensor.read(datas[k]).values, expected[k][1]))
            except taxel.Error as error:
                errors.append(str(error))

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert wrong and not any(wrong)
    assert all("this Reader is in use by another thread" in e for e in errors)
    in_child(lambda: np.testing.assert_array_equal(reader(datas[2])[0].force, expected[2][0]))


def test_sensors_of_the_plugin_serve_threads_with_data_of_their_own():
    model = pad_model(shape="5 7", extra=TOUCH)
    sensor = taxel.Sensor(model, "touch")
    datas = [pressed(model, 1e-4 * k) for k in range(1, 4)]
    expected = [sensor.read(d).values for d in datas]
    wrong, errors = [], []

    def work(k: int, data) -> None:
        for _ in range(30):
            try:
                wrong.append(not np.array_equal(sensor.read(data).values, expected[k]))
            except taxel.Error as error:
                errors.append(str(error))

    for chosen in (datas, [datas[0]] * 3):
        workers = [threading.Thread(target=work, args=(datas.index(d), d)) for d in chosen]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        assert not any(wrong)
        assert chosen[0] is chosen[1] or not errors
    assert all("this MjData is in use by another thread" in e for e in errors)


TOUCH = '<sensor><plugin name="touch" plugin="taxel" instance="skin" objtype="geom" objname="pad"/></sensor>'


def test_data_of_another_model_is_refused():
    small, large = pad_model(shape="2 3", extra=TOUCH), pad_model(shape="20 30", extra=TOUCH)
    turned = pad_model(shape="3 2", extra=TOUCH)
    sensor, same = taxel.Sensor(small, "touch"), mujoco.MjData(copy.copy(small))
    for call in (sensor, sensor.read, sensor.parts, sensor.pose, sensor.pause):
        for other in (large, turned):
            with pytest.raises(taxel.Error, match=r"sensor 'touch': this data belongs to another model .* anew"):
                call(mujoco.MjData(other))
        mujoco.mj_forward(small, same)
        call(same)  # of an equal model
    with pytest.raises(TypeError, match=r"give a mujoco.MjData"):
        sensor.read(None)
    for function in (taxel.touches, taxel.rebuild):
        with pytest.raises(taxel.Error, match="another model"):
            function(small, mujoco.MjData(large))
    reader = taxel.Reader(small)
    two = pad_model(block() + block("second", (-0.03, 0.01)), shape="2 3", extra=TOUCH)
    for call in (reader, reader.sensor("touch").read):
        with pytest.raises(taxel.Error, match=r"another model \(nq is 14, not 7\)"):
            call(mujoco.MjData(two))


def test_a_sensor_kept_after_a_new_compile_is_refused():
    spec = mujoco.MjSpec.from_string(pad_xml(block(), keys=None))
    taxel.soften(spec, "pad", modulus=1e5)
    taxel.add_sensor(spec, "pad", shape=(3, 4))
    taxel.add_markers(spec, "pad", name="gel", shape=(3, 4), pitch=2e-3, mode="paper")
    model = spec.compile()
    sensor, markers = taxel.Sensor(model, "touch"), taxel.MarkerSensor(model, "gel")
    for plugin in spec.plugins:
        if plugin.config.get("shape"):
            plugin.config = {**plugin.config, "shape": "30 40"}
    data = mujoco.MjData(spec.compile())
    mujoco.mj_forward(data.model, data)
    for call in (sensor, sensor.read, markers, markers.read, markers.pose):
        with pytest.raises(taxel.Error, match="another model"):
            call(data)
    assert taxel.Sensor(data.model, "touch").read(data).values.shape == (30, 40)


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_in_plugin_state(seed, warned):
    spec = mujoco.MjSpec.from_string(pad_xml(block(), keys=None))
    taxel.soften(spec, "pad", modulus=1e5)
    taxel.add_sensor(spec, "pad", shape=(3, 4), rate=200, delay=0.01)
    taxel.add_markers(spec, "pad", name="gel", shape=(3, 4), pitch=2e-3, mode="paper")
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=3)
    random = np.random.default_rng(seed)
    data.plugin_state[:] = np.frombuffer(random.bytes(8 * model.npluginstate))
    sensor, markers = taxel.Sensor(model, "touch"), taxel.MarkerSensor(model, "gel")
    sensor.read(data), markers.read(data), taxel.touches(model, data)
    mujoco.mj_step(model, data, nstep=3)
    assert np.isfinite(data.plugin_state).all() and np.isfinite(data.sensordata).all()
    assert 1 <= sum("did not write" in line for line in warned) <= 3


# Copies


def test_immutable_objects_copy_and_pickle():
    skin = taxel.Skin(PAD, shape=(5, 7))
    surface = taxel.contact(PAD, taxel.pose(), BALL, taxel.pose((0.002, -0.001, 0.0085)))
    camera = TactileCamera(np.full((8, 9, 3), 90.0), 1e-4, np.zeros((5, 5, 6, 3)), [Light(0.3, 1.0, 1e-4, (3, 2, 1))])
    distance = taxel.MarkerDistance(taxel.Body.ellipsoid((0.01, 0.02, 0.03)), "trilinear", spacing=2e-3)
    tacsl = taxel.TacSL(MINI.markers, BALL, tangential_stiffness=0.2)
    points = np.array([[0.003, 0.001, 0.002], [0.02, 0.0, 0.011]])
    asked = [
        (skin, lambda s: s.read(surface).values),
        (PAD, lambda b: b.pressure_at(points)),
        (surface, lambda s: s.vertices),
        (camera, lambda c: c.render(np.outer(np.arange(8), np.arange(9)) * 1e-6)),
        (distance, lambda d: d(points)),
        (tacsl, lambda t: t.read(taxel.pose(), taxel.pose((0, 0, 0.0072))).tactile_normal_force),
    ]
    for made, ask in asked:
        for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            np.testing.assert_array_equal(ask(again), ask(made))
            assert type(again) is type(made)


def test_what_remembers_copies_its_memory_or_says_what_to_do():
    chain = taxel.SignalChain(taxel.Skin(PAD, shape=(2, 3)).layout, 1e-3, description={"rate": 300, "delay": 0.004})
    for k in range(7):
        chain(1e-3 * k, np.full(6, 100.0 * k))
    for again in (copy.copy(chain), copy.deepcopy(chain), pickle.loads(pickle.dumps(chain))):
        before = chain.state.copy()
        again(7e-3, np.ones(6))
        np.testing.assert_array_equal(chain.state, before)  # each has a state of its own
    made = field()
    made.step(taxel.pose((0, 0, 0.0072)))
    wanted = made.copy().step(taxel.pose((1e-3, 0, 0.0072)))
    for again in (copy.copy(made), copy.deepcopy(made)):
        np.testing.assert_array_equal(again.step(taxel.pose((1e-3, 0, 0.0072))), wanted)
    with pytest.raises(TypeError, match=r"MarkerField: it cannot be pickled; .* set its state"):
        pickle.dumps(made)


def test_what_cannot_be_copied_says_so_by_name():
    model = pad_model(shape="2 3", extra=TOUCH)
    gel = make_gel(1)
    pad = taxel.BristlePad(taxel.Body.box((0.02, 0.05, 0.006)), stiffness=58, depth=0.01, shape=(2, 3))
    refused = {
        "Gel": (gel, r"restore\(\) what save\(\) gave"),
        "GelTaxels": (taxel.GelTaxels(gel, taxel.Skin(PAD, shape=(2, 3))), "another gel"),
        "Sensor": (taxel.Sensor(model, "touch"), r"taxel.Sensor\(model, 'touch'\)"),
        "Reader": (taxel.Reader(model), r"taxel.Reader\(model"),
        "MarkerBatch": (field().batch(2), "from the same model"),
        "FotsBatch": (taxel.Fots(MINI.markers, BALL).batch(2), "from the same model"),
        "Fots": (taxel.Fots(MINI.markers, BALL), "same arguments"),
        "EipSeries": (taxel.EipPress(threads=1).series(BALL, taxel.pose((0.5,) * 3)), "EipPress.series"),
        "BristlePad": (pad, "same keys"),
    }
    for name, (made, way_out) in refused.items():
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"{name}: it cannot be copied or pickled; .*{way_out}"):
                call(made)
    with pytest.raises(TypeError, match="GelState"):
        pickle.dumps(gel.save())


# Pictures


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, -1e300])
@pytest.mark.parametrize("method", ["render", "grey"])
def test_a_pixel_that_is_no_height_is_named(bad, method):
    camera = TactileCamera(np.full((8, 9, 3), 90.0), 1e-4, np.zeros((5, 5, 6, 3)), [Light(0.3, 1.0, 1e-4, (3, 2, 1))])
    heights = np.zeros((2, 8, 9))
    heights[1, 3, 7] = bad
    for given in (heights[1], heights):
        with np.errstate(over="ignore"), pytest.raises(taxel.Error, match=r"height is .* at pixel row 3, column 7"):
            getattr(camera, method)(given)
    assert getattr(camera, method)(heights[0]).shape[:2] == (8, 9)


def test_a_surface_that_is_being_computed_is_not_read():
    soft, X = taxel.Body.sphere(0.03, modulus=1e5), taxel.pose((0.001, 0.002, 0.034))
    out = taxel.contact(soft, taxel.pose(), BALL, X)
    expected, errors, wrong = out.vertices.copy(), [], []

    def write() -> None:
        for _ in range(200):
            try:
                taxel.contact(soft, taxel.pose(), BALL, X, out=out)
            except taxel.Error as error:
                errors.append(str(error))

    def read() -> None:
        for _ in range(400):
            try:
                wrong.append(out.vertices.shape != expected.shape or out.num_faces == 0)
            except taxel.Error as error:
                errors.append(str(error))

    workers = [threading.Thread(target=w) for w in (write, write, read)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not any(wrong) and all("being computed by another thread" in e for e in errors)
    np.testing.assert_array_equal(out.vertices, expected)
