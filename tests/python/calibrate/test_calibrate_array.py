"""taxel calibrate array: planted parameters come back, defects are found, keys make the same device."""

import json

import numpy as np
import pytest
from array_recordings import COUNTS, MODULUS, SHAPE, SIZE, TAXELS, THICKNESS, covers, gains_of, place, record

import taxel
from taxel.calibrate import Indenter, Pad, Presses, calibrate_array


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("device", ["inverted counts", "pascals in steps"])
def test_planted_numbers_come_back(device, seed):
    gains = gains_of(seed)
    if device == "inverted counts":
        chain = {**COUNTS, "gains": gains, "offset": (80, 15), "noise": (0, 4)}
        gain, noise, touch = -4095 / 8e4, 4.0, 2e-4
    else:
        chain = {"gains": gains, "offset": (900, 200), "noise": (0, 120), "quantum": 100}
        gain, noise, touch = 1.0, 120.0, 0.0
    found = calibrate_array(record(chain, seed, touch=touch, still=150))
    assert found.modulus.value == pytest.approx(MODULUS, rel=0.02) and covers(found.modulus, MODULUS)
    assert found.gain.value == pytest.approx(gain, rel=0.02) and covers(found.gain, gain)
    assert found.readings.noise.value == pytest.approx(noise, rel=0.02)
    assert found.readings.gain_spread.value == pytest.approx(gains.std(), rel=0.1)
    known = np.isfinite(found.readings.gains)
    assert known.mean() > 0.9
    # Each taxel within what its own error allows, and all together as far off as their errors say.
    off = (found.readings.gains / gain - gains)[known] / (found.readings.gain_errors / abs(gain))[known]
    assert np.abs(off).max() < 4.5 and 0.5 < off.std() < 1.4
    assert [round(1e3 * t.value, 2) for t in found.force.touch.values()] == ([0.2] if touch else [])
    assert not found.readings.defects.all and found.force.residual == pytest.approx(0.01, rel=0.15)
    nonlinearity = found.force.nonlinearity
    assert nonlinearity.low < 0.01 and nonlinearity.high > -0.01


def test_flat_punch_meets_the_closed_form():
    """F = E pi r^2 d / t and p = E d / t, no query of ours in it."""
    depths = np.tile([0.001, 0.002, 0.003], 5)
    n, E = len(depths), 4.2e4
    pressure = E * depths / 0.01
    presses = Presses(
        pad=Pad(size=(0.03, 0.02), thickness=0.01, shape=(2, 3), unit="V"),
        indenters=[Indenter("flat", radius=0.04)],
        press=np.repeat(np.arange(5), 3).astype(str),
        indenter=np.zeros(n, int),
        pose=np.zeros((n, 5)),
        depth=depths,
        force=pressure * 0.03 * 0.02,
        readings=0.3 + 1e-4 * pressure[:, None] * np.arange(1, 7),
    )
    found = calibrate_array(presses)
    assert found.modulus.value == pytest.approx(E, rel=1e-6) and not found.force.touch
    np.testing.assert_allclose(found.readings.gains, 1e-4 * np.arange(1, 7), rtol=1e-6)
    np.testing.assert_allclose(found.readings.offsets, 0.3, rtol=1e-6)


def test_defects_are_found_and_left_out():
    chain = {**COUNTS, "offset": (80, 10), "noise": (0, 4), "dead": [4], "stuck": [20, 21], "stuck_value": 700}
    presses = record(chain)
    y, rng = presses.readings.copy(), np.random.default_rng(0)
    zero = y[:60].mean(axis=0)
    y[:, 30] = zero[30] + 3 * (y[:, 30] - zero[30])  # far too sensitive
    y[:, 31] = zero[31] + rng.normal(0, 90, len(y)).round()  # nothing but noise
    y[:, 32] = zero[32] + rng.normal(0, 4, len(y)).round()  # alive to look at, deaf to the load
    found = calibrate_array(presses.but(readings=y))
    d = found.readings.defects
    assert (d.dead, d.stuck, d.odd, d.noisy) == ([4, 32], {20: 700, 21: 700}, [30], [31])
    assert found.gain.value == pytest.approx(-4095 / 8e4, rel=0.02)
    assert found.readings.noise.value == pytest.approx(4, rel=0.03)
    report = found.report()
    for line in (
        "dead: taxels 4, 32",
        "stuck: taxels 20 at 700, 21 at 700",
        "odd gain: taxel 30 (3",
        "noisy: taxel 31",
    ):
        assert line in report


def test_saturated_readings_do_not_bend_the_line():
    chain = {"gains": gains_of(0), "offset": (900, 100), "noise": (0, 100), "saturation": 9000}
    found = calibrate_array(record(chain))
    assert found.readings.range[1] == 9000 and len(found.readings.saturated) > 20
    assert found.gain.value == pytest.approx(1, rel=0.02)
    assert found.keys()["chain"]["saturation"] == [9000]


def test_zero_hidden_below_the_range():
    """Counts end at 0, so half of the noise without load is cut off; repeated frames under load give it."""
    chain = {"unit": "counts", "bits": 12, "full_scale": 8e4, "gains": gains_of(1), "noise": (0, 4)}
    found = calibrate_array(record(chain, repeats=4, still=10))
    assert found.gain.value == pytest.approx(4095 / 8e4, rel=0.02)
    assert found.readings.noise.value == pytest.approx(4, rel=0.05) and found.readings.noise_from == "repeated frames"
    assert np.abs(found.readings.offsets).max() < 1.5
    assert any("cannot be seen" in note for note in found.notes)


def test_without_frames_of_no_load():
    chain = {**COUNTS, "gains": gains_of(2), "offset": (80, 15), "noise": (0, 4)}
    found = calibrate_array(record(chain, still=0))
    assert found.gain.value == pytest.approx(-4095 / 8e4, rel=0.02)
    assert found.readings.noise.value == pytest.approx(4, rel=0.06) and "residuals" in found.readings.noise_from
    assert found.readings.offsets.mean() == pytest.approx(4095 - 80, abs=6)


def test_missing_depth_or_force():
    chain = {**COUNTS, "offset": (80, 15), "noise": (0, 4)}
    presses = record(chain, force_noise=0.003)
    gain = pytest.approx(-4095 / 8e4, rel=0.02)
    frame = np.arange(len(presses))
    some_depth = presses.but(depth=np.where(frame % 2, presses.depth, np.nan))
    some_force = presses.but(force=np.where(frame % 2, presses.force, np.nan))
    for one in (some_depth, some_force):
        found = calibrate_array(one)
        assert found.modulus.value == pytest.approx(MODULUS, rel=0.02) and found.gain.value == gain
    nothing = np.full(len(presses), np.nan)
    for one, missing in ((presses.but(depth=nothing), "depth_m"), (presses.but(force=nothing), "force_N")):
        found = calibrate_array(one, modulus=MODULUS)
        assert found.force is None and found.gain.value == gain
        assert calibrate_array(one.but(pad=Pad(SIZE, THICKNESS, SHAPE, bits=12, modulus=MODULUS))).gain.value == gain
        with pytest.raises(taxel.Error, match=f"{missing} is empty in all presses"):
            calibrate_array(one)
    assert calibrate_array(presses, drive="force").gain.value == gain


@pytest.mark.parametrize("touch", [-2e-4, 8e-4])
def test_touch_point(touch):
    presses = record({"noise": (0, 50)}, touch=touch, tare=0.4)
    found = calibrate_array(presses)
    assert found.tare == pytest.approx(0.4, abs=0.005)
    assert found.force.touch["all"].value == pytest.approx(touch, abs=2e-5) and covers(found.force.touch["all"], touch)
    assert found.modulus.value == pytest.approx(MODULUS, rel=0.02)
    each = calibrate_array(presses, touch="indenter").force.touch
    assert len(each) == 4 and all(t.value == pytest.approx(touch, abs=5e-5) for t in each.values())
    blind = calibrate_array(presses, touch="off")
    assert not blind.force.touch and abs(blind.modulus.value / MODULUS - 1) > 0.05


def test_each_press_may_have_its_own_touch_point():
    presses = record({"noise": (0, 50)}, presses=12, force_noise=0.001)
    shift = {name: 1e-4 * (k % 5) for k, name in enumerate(np.unique(presses.press))}
    presses = presses.but(depth=presses.depth + [shift[name] for name in presses.press])
    found = calibrate_array(presses, touch="press")
    assert found.modulus.value == pytest.approx(MODULUS, rel=0.02)
    for title, one in found.force.touch.items():
        assert one.value == pytest.approx(shift[title.removeprefix("press ")], abs=3e-5)


def test_spread_of_the_cover():
    chain = {**COUNTS, "gains": gains_of(0), "offset": (80, 15), "noise": (0, 4), "spread": 0.008}
    presses = record(chain)
    assert any("--spread" in note for note in calibrate_array(presses).notes)
    found = calibrate_array(presses, spread=True)
    assert found.spread.value == pytest.approx(0.008, rel=0.03)
    assert found.gain.value == pytest.approx(-4095 / 8e4, rel=0.02)
    sharp = calibrate_array(record({"noise": (0, 50)}), spread=True)
    assert sharp.spread.value < 0.003


def test_long_recordings_are_thinned(monkeypatch):
    monkeypatch.setattr("taxel.calibrate.array.MOST_FORCES", 50)
    found = calibrate_array(record({"noise": (0, 50)}))
    assert len(found.force.frames) == 48 and found.notes[0].startswith("the modulus is fitted to one frame in 2")
    assert found.modulus.value == pytest.approx(MODULUS, rel=0.02)


def test_a_pad_that_stiffens_is_told():
    presses = record({"noise": (0, 50)}, touch=0.0, depths=(0.0005, 0.001, 0.002, 0.003, 0.004))
    bent = presses.force * (1 + 0.3 * np.nan_to_num(presses.depth) / 0.004)
    found = calibrate_array(presses.but(force=bent), touch="off")
    assert found.force.nonlinearity.value == pytest.approx(0.3, abs=0.03)
    assert any("stiffens" in note for note in found.notes)


def test_order_and_place_of_the_taxels():
    presses = record({"noise": (0, 50)})
    images = presses.readings.reshape(-1, *SHAPE)
    for turned, words in (
        (images[:, ::-1], "the rows counted the other way"),
        (images[:, :, ::-1], "the columns counted the other way"),
        (images[:, ::-1, ::-1], "rows and columns counted the other way"),
    ):
        with pytest.raises(taxel.Error, match=words):
            calibrate_array(presses.but(readings=turned.reshape(presses.readings.shape)))
    moved = calibrate_array(presses.but(pose=presses.pose + (0, 0.002, 0, 0, 0)))
    assert any("along y" in note for note in moved.notes) and not any("along x" in note for note in moved.notes)
    assert moved.readings.shift[1].value == pytest.approx(-0.002, abs=6e-4)


# --- what it is for: a sensor like the device ---


def test_keys_make_the_same_device(tmp_path):
    chain = {**COUNTS, "gains": gains_of(0), "offset": (80, 15), "noise": (0, 4), "dead": [7], "stuck": [9]}
    presses = record({**chain, "stuck_value": 100})
    found = calibrate_array(presses)
    keys = json.loads(json.dumps(found.keys()))
    body = taxel.Body.box(**keys["body"])
    skin = taxel.Skin(body, **keys["skin"])
    device = taxel.SignalChain(skin.layout, 0.1, description={**keys["chain"], "noise": (0, 0)})
    X_WP = taxel.pose((0, 0, -THICKNESS / 2))
    left = []
    for k in range(60, len(presses), 7):
        other, X_WB = place(presses.indenters[presses.indenter[k]], *presses.pose[k], presses.depth[k])
        image = device(0.0, skin.read(taxel.contact(body, X_WP, other, X_WB), X_WP).values.ravel())
        left.append(image - presses.readings[k])
    assert np.sqrt(np.mean(np.square(left))) < 1.3 * 4
    assert np.all(np.array(left)[:, [7, 9]] == 0)
    drawn = taxel.SignalChain(skin.layout, 0.1, description={**keys["drawn"], "seed": 3})
    assert drawn(0.0, np.zeros(TAXELS)).mean() == pytest.approx(4095 - 80, abs=10)


def test_mjcf_compiles_and_reads(warned):
    mujoco = pytest.importorskip("mujoco")
    chain = {**COUNTS, "gains": gains_of(0), "offset": (80, 15), "noise": (0, 4), "dead": [7]}
    found = calibrate_array(record(chain))
    taxel.load()
    size = [SIZE[0] / 2, SIZE[1] / 2, THICKNESS / 2]
    pad = f'<worldbody><geom name="pad" type="box" size="{" ".join(map(str, size))}"/></worldbody>'
    xml = f'<mujoco><option cone="elliptic"/>{found.mjcf()}{pad}</mujoco>'
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    sensor = taxel.Sensor(model, "pad_touch")
    assert sensor.shape == SHAPE and sensor.unit == "counts"
    assert sensor(data).mean() == pytest.approx(4095 - 80, abs=6)
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=size)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.soften(spec, "pad", **found.keys()["soften"])
    taxel.add_sensor(spec, "pad", **found.keys()["sensor"])
    spec.compile()


def test_keys_of_other_units():
    presses = record({"unit": "N", "noise": (0, 0.005)}, unit="N")
    chain = calibrate_array(presses).keys()["chain"]
    assert chain["unit"] == "N" and np.mean(chain["gains"]) == pytest.approx(1, rel=0.02)
    falling = presses.but(readings=5 - presses.readings, pad=Pad(SIZE, THICKNESS, SHAPE, unit="V"))
    found = calibrate_array(falling)
    assert found.gain.value < 0 and any("bits" in note for note in found.notes)
    with pytest.raises(taxel.Error, match="give the key bits"):
        found.keys()
