"""The signal chain inside mujoco_warp: the first world's numbers are those of the plugin's chain, stage by stage."""

import mujoco
import numpy as np
import pytest

import taxel

mjw = pytest.importorskip("mujoco_warp")
wp = pytest.importorskip("warp")
from warp_scenes import slope  # noqa: E402

import taxel.warp  # noqa: E402

wp.config.log_level = wp.LOG_WARNING
STAGES = {
    "material": {"hysteresis": (0.1, 1e4), "creep": (0.2, 0.05, 0.1, 1.0), "spread": 0.004},
    "cell": {"drift": (50.0, 20.0), "drift_offset": 2000.0, "noise": (5.0, 30.0), "gain": 0.1, "seed": 4},
    "wiring": {"crosstalk": 0.05, "crosstalk_rows": 0.1, "dead_fraction": 0.1, "stuck": (3,), "stuck_value": 77.0},
    "line": {"rate": 130.0, "delay": 0.021, "jitter": 0.005, "noise": (0.0, 30.0), "seed": 5, "saturation": (0.0, 9e3)},
    "shear": {"output": "pressure shear slip", "unit": "N", "noise": (0.0, 1e-3), "hysteresis": (0.1, 1e4), "rate": 90},
}


def put(model, worlds=2):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    m = taxel.warp.put_model(model)
    d = mjw.put_data(model, data, nworld=worlds, nconmax=40, njmax=100)
    return m, d, taxel.warp.attach(model, m, d, blocks=4), data


@pytest.mark.parametrize("stage", STAGES)
def test_stages_say_what_the_plugin_says(stage):
    """The contact of the two differs by 0.3 % and less, the chain by nothing that one would see: noise of 30 Pa and a
    sample that is late by a step would be off by far more."""
    model = slope(4.0, **STAGES[stage])
    m, d, _, data = put(model)
    count = 256 * (3 if stage == "shear" else 1)
    most = 0.0
    for _ in range(70):
        mjw.step(m, d)
        mujoco.mj_step(model, data)
        ours, plugin = d.sensordata.numpy()[:, :count].astype(float), data.sensordata[:count]
        most = max(most, np.abs(plugin).max())
        assert np.abs(ours[0] - plugin).max() <= 4e-3 * most
    assert most > 0
    noisy = "noise" in STAGES[stage]
    assert noisy == (not np.array_equal(ours[0], ours[1]))  # each world has noise of its own


def test_memory_moves_once_a_step_is_reset_by_mask_and_saved():
    model = slope(0.0, hysteresis=(0.2, 2e4), creep=(0.5, 0.02), delay=0.01, drift_offset=500.0)
    m, d, soft, _ = put(model, worlds=3)
    for _ in range(25):
        mjw.step(m, d)
    skin = soft["myrmex"]
    arrays = d.qpos, d.qvel, d.time, d.qacc_warmstart
    saved = soft.state(), [wp.clone(a) for a in arrays]
    runs = []
    for again in range(2):
        for _ in range(10):
            mjw.step(m, d)
            if again:
                mjw.forward(m, d)  # looks again, and moves nothing on
        runs.append(skin.reading.numpy().copy())
        soft.restore(saved[0])
        for a, b in zip(arrays, saved[1], strict=True):
            wp.copy(a, b)
    np.testing.assert_allclose(runs[1], runs[0], atol=1e-2 * np.abs(runs[0]).max())
    soft.reset(np.array([False, True, False]))
    mjw.forward(m, d)
    memory = {k: a.numpy() for k, a in skin.memory().items()}
    for name in ("0.plays", "0.creep", "0.walk", "0.last", "0.written"):
        assert not memory[name][1].any() and memory[name][0].any(), name
    no_load = np.abs(skin.reading.numpy()[1])
    assert no_load.max() == 0  # nothing has come through the line yet


def test_a_delay_that_no_memory_holds_is_refused():
    spec_model = slope(0.0, delay=10.0)
    data = mujoco.MjData(spec_model)
    m = taxel.warp.put_model(spec_model)
    d = mjw.put_data(spec_model, data, nworld=2, nconmax=40, njmax=100)
    from taxel.warp import skin

    most = skin._MOST_MEMORY
    try:
        skin._MOST_MEMORY = 1e6
        with pytest.raises(taxel.Error, match=r"sensor 'myrmex': its delay keeps .* GB of samples in 2 worlds"):
            taxel.warp.attach(spec_model, m, d)
    finally:
        skin._MOST_MEMORY = most
