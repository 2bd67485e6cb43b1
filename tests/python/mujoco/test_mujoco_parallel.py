"""The same bits, however the worlds are stepped: one thread or four, batch, rollout, copies, resets."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
import pytest
from mujoco import rollout
from mujoco.batch import Batch

from taxel.experiments.contact.grasp import Grasp, grasp_xml
from taxel.experiments.contact.scenes import cube, pad_model

WORLDS, STEPS = 64, 60
FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return pad_model(cube(0.7, 0.0249), modulus=2e5, step=0.002, friction=0.4)


def start(model: mujoco.MjModel, world: int) -> mujoco.MjData:
    data = mujoco.MjData(model)
    rng = np.random.default_rng(world)
    data.qvel[:] = rng.normal(scale=[0.2, 0.2, 0.05, 1, 1, 3])
    data.qpos[:2] = rng.normal(scale=0.01, size=2)
    return data


def state(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    out = np.empty(mujoco.mj_stateSize(model, FULL))
    mujoco.mj_getState(model, data, out, FULL)
    return out


@pytest.fixture(scope="module")
def serial(model) -> np.ndarray:
    worlds = [start(model, i) for i in range(WORLDS)]
    for data in worlds:
        mujoco.mj_step(model, data, nstep=STEPS)
    return np.array([state(model, d) for d in worlds])


@pytest.mark.parametrize("threads", [1, 4])
def test_threads_give_the_same_bits(model, serial, threads):
    worlds = [start(model, i) for i in range(WORLDS)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda d: mujoco.mj_step(model, d, nstep=STEPS), worlds))
    assert np.array_equal(serial, [state(model, d) for d in worlds])


@pytest.mark.parametrize("threads", [1, 4])
def test_rollout_gives_the_same_bits(model, serial, threads):
    initial = np.array([state(model, start(model, i)) for i in range(WORLDS)])
    scratch = [mujoco.MjData(model) for _ in range(threads)]
    states, _ = rollout.rollout(model, scratch, initial, nstep=STEPS)
    assert np.array_equal(serial, states[:, -1])


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("threads", [1, 4])
def test_batch_gives_the_same_bits(model, serial, threads, persistent):
    batch = Batch(model, WORLDS, nthread=threads, persistent=persistent)
    worlds = [start(model, i) for i in range(WORLDS)]
    batch.qpos[:] = [d.qpos for d in worlds]
    batch.qvel[:] = [d.qvel for d in worlds]
    batch.step(nstep=STEPS)
    nq = model.nq
    assert np.array_equal(serial[:, 1 : 1 + nq], batch.qpos)
    assert np.array_equal(serial[:, 1 + nq : 1 + nq + model.nv], batch.qvel)


def test_copies_and_resets_go_on_with_the_same_bits(model, serial):
    spare = mujoco.MjData(model)
    for world in range(0, WORLDS, 7):
        data = start(model, world)
        mujoco.mj_step(model, data, nstep=STEPS // 2)
        mujoco.mj_copyData(spare, model, data)
        twin = copy.copy(data)
        mujoco.mj_resetData(model, data)
        saved = start(model, world)
        data.qpos[:], data.qvel[:] = saved.qpos, saved.qvel
        mujoco.mj_step(model, data, nstep=STEPS)
        for other in (spare, twin):
            mujoco.mj_step(model, other, nstep=STEPS - STEPS // 2)
            assert np.array_equal(serial[world], state(model, other))
        assert np.array_equal(serial[world], state(model, data))


def test_state_put_into_another_data_goes_on(model, serial):
    data, other = start(model, 3), mujoco.MjData(model)
    mujoco.mj_step(model, other, nstep=7)
    mujoco.mj_step(model, data, nstep=STEPS // 2)
    # With the solver's warm start, which the physics state leaves out.
    everything = mujoco.mjtState.mjSTATE_INTEGRATION
    saved = np.empty(mujoco.mj_stateSize(model, everything))
    mujoco.mj_getState(model, data, saved, everything)
    mujoco.mj_setState(model, other, saved, everything)
    mujoco.mj_step(model, other, nstep=STEPS - STEPS // 2)
    assert np.array_equal(serial[3], state(model, other))


def test_several_models_in_one_process():
    a = pad_model(cube(1.0, 0.0249), modulus=1e5, step=0.002)
    b = mujoco.MjModel.from_xml_string(grasp_xml(Grasp()))
    alone = mujoco.MjData(a)
    mujoco.mj_step(a, alone, nstep=50)
    da, db = mujoco.MjData(a), mujoco.MjData(b)
    for _ in range(50):
        mujoco.mj_step(a, da)
        mujoco.mj_step(b, db)
    assert np.array_equal(da.qpos, alone.qpos)


def test_memory_does_not_grow():
    """Ten thousand steps of a grasp; `scripts/soak.py` runs a million."""
    import resource

    model = mujoco.MjModel.from_xml_string(grasp_xml(Grasp()))
    data = mujoco.MjData(model)
    data.ctrl[1:3] = 0.003
    mujoco.mj_step(model, data, nstep=2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mujoco.mj_step(model, data, nstep=10000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500  # kB
