"""taxel calibrate array: planted parameters come back, defects are found, wrong files are told apart.

Recordings are made here, not by the package: bodies are placed by their corners, pressures come from taxel.contact and
taxel.Skin, readings from taxel.SignalChain.
"""

import csv
import json
import math

import numpy as np
import pytest

import taxel
from taxel.calibrate import Indenter, Pad, Presses, calibrate_array, read_presses, write_presses
from taxel.calibrate.statistics import clustered_covariance, mean_and_spread, noise_behind_converter, t_quantile
from taxel.cli import main

SIZE, THICKNESS, SHAPE = (0.09, 0.06), 0.012, (6, 9)
TAXELS = SHAPE[0] * SHAPE[1]
MODULUS = 6e4
COUNTS = {"unit": "counts", "bits": 12, "full_scale": 8e4, "inverted": True}
SPHERE, LYING = Indenter("sphere", radius=0.015), Indenter("cylinder", radius=0.01, length=0.03)
FLAT, BOX = Indenter("flat", radius=0.009), Indenter("box", length=0.025, width=0.015)
ALL = (SPHERE, LYING, FLAT, BOX)


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array(
        {
            "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
    )


def place(one, x, y, yaw, pitch, roll, depth):
    """Body and pose: the corners (or rims) say which point is lowest."""
    if one.kind == "sphere":
        return taxel.Body.sphere(one.radius), taxel.pose((x, y, one.radius - depth))
    H = 0.07
    around = np.linspace(0, 2 * np.pi, 4001)
    rim = np.column_stack([one.radius * np.cos(around), one.radius * np.sin(around)])
    R = turn("z", yaw) @ turn("y", pitch)
    if one.kind == "cylinder":
        body, lie, half = taxel.Body.cylinder(one.radius, one.length), turn("y", np.pi / 2), one.length / 2
        corners = np.vstack([np.column_stack([rim, np.full(len(rim), s * half)]) for s in (-1, 1)]) @ lie.T
        below = (0, 0, -one.radius)
    else:
        R, lie, below = R @ turn("x", roll), np.eye(3), (0, 0, -H / 2)
        if one.kind == "flat":
            body, corners = taxel.Body.cylinder(one.radius, H), np.column_stack([rim, np.full(len(rim), -H / 2)])
        else:
            body = taxel.Body.box((one.length, one.width, H))
            corners = np.array([(a * one.length / 2, b * one.width / 2, -H / 2) for a in (-1, 1) for b in (-1, 1)])
    tip = R @ below
    z = -depth - (corners @ R.T)[:, 2].min()
    return body, taxel.pose((x - tip[0], y - tip[1], z), R=R @ lie)


def record(
    chain,
    seed=0,
    *,
    presses=32,
    depths=(0.0012, 0.002, 0.003),
    still=60,
    touch=0.0,
    force_noise=0.01,
    tilt=0.05,
    indenters=ALL,
    repeats=1,
    tare=0.0,
    **pad,
):
    """A recording of the rig, and the layout of its taxels."""
    rng = np.random.default_rng(seed)
    body = taxel.Body.box((*SIZE, THICKNESS), MODULUS, field="backed")
    skin = taxel.Skin(body, shape=SHAPE)
    X_WP = taxel.pose((0, 0, -THICKNESS / 2))
    rows, pressures, forces, names = [], [], [], []
    for _ in range(still):
        rows.append((-1, 0, 0, 0, 0, 0, math.nan))
        pressures.append(np.zeros(TAXELS))
        forces.append(0.0)
        names.append("still")
    for k in range(presses):
        x, y = ((k + 0.5) / presses - 0.5) * SIZE[0], ((k * 0.618) % 1 - 0.5) * SIZE[1]
        turned = (rng.uniform(-np.pi, np.pi), *rng.uniform(-tilt, tilt, 2))
        for depth in depths:
            kind = k % len(indenters)
            other, X_WB = place(indenters[kind], x, y, *turned, depth - touch)
            surface = taxel.contact(body, X_WP, other, X_WB)
            for _ in range(repeats):
                rows.append((kind, x, y, *turned, depth))
                pressures.append(skin.read(surface, X_WP).values.ravel())
                forces.append(surface.force_on_B[2])
                names.append(f"p{k}")
    device = taxel.SignalChain(skin.layout, 0.1, description={"seed": seed, **chain})
    readings = np.array([device(0.1 * k, row) for k, row in enumerate(pressures)])
    table = np.array(rows, float)
    keys = {"unit": "counts", "bits": 12} if chain.get("unit") == "counts" else {"unit": "Pa"}
    return Presses(
        pad=Pad(size=SIZE, thickness=THICKNESS, shape=SHAPE, **(keys | pad)),
        indenters=list(indenters),
        press=np.array(names),
        indenter=table[:, 0].astype(int),
        pose=table[:, 1:6],
        depth=table[:, 6],
        force=np.array(forces) + tare + force_noise * rng.standard_normal(len(table)),
        readings=readings,
    )


def gains_of(seed, spread=0.1):
    gains = np.exp(spread * np.random.default_rng(100 + seed).standard_normal(TAXELS))
    return gains / gains.mean()


def covers(estimate, value):
    return estimate.low <= value <= estimate.high


# --- what was planted comes back ---


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


# --- the file ---


def test_write_and_read_again(tmp_path):
    presses = record({**COUNTS, "noise": (0, 4)}, presses=4, still=3, pitch=(0.01, 0.01), saturation=(5.0, 4000.0))
    path = tmp_path / "presses.csv"
    write_presses(path, presses)
    again = read_presses(path)
    assert again.pad == presses.pad and again.indenters == presses.indenters
    np.testing.assert_array_equal(again.readings, presses.readings)
    for name in ("pose", "depth", "force"):
        np.testing.assert_allclose(getattr(again, name), getattr(presses, name), rtol=1e-7, atol=1e-12)
    # Other separators, a byte order mark, short names and columns of no use are all right.
    text = path.read_text().replace(",", ";").replace("x_m;y_m;yaw_rad", "x;y;yaw")
    path.write_text("\ufeff# date: today\n# pich: 3\n" + text)
    other = read_presses(path)
    np.testing.assert_array_equal(other.readings, presses.readings)
    assert other.notes == ["header key 'date' is not used", "header key 'pich' is not used; did you mean 'pitch'?"]


HEAD = {"size": "0.03 0.02", "thickness": "0.01", "shape": "2 3", "unit": "V"}
NAMES = ["press", "indenter", "radius_m", "length_m", "width_m", "x_m", "y_m", "yaw_rad", "depth_m", "force_N"]
NAMES += [f"t{i}" for i in range(6)]


def small_file(path, head=None, names=NAMES, rows=None, change=None, drop=()):
    """A sound file of six presses (flat punch, closed form), with one thing changed: (row, column, text)."""
    if rows is None:
        rows = []
        for k, depth in enumerate([0.001, 0.002, 0.003, 0.001, 0.002, 0.003]):
            p = 4e4 * depth / 0.01
            cells = [str(k), "flat cylinder", "0.04", "", "", "0", "0", "0", f"{depth}", f"{p * 6e-4:.8g}"]
            rows.append(cells + [f"{0.1 + 1e-4 * p:.6g}"] * 6)
    if change:
        row, column, text = change
        for k in range(len(rows)) if row is None else [row]:
            rows[k][NAMES.index(column)] = text
    keep = [k for k, name in enumerate(names) if name not in drop]
    with open(path, "w", newline="") as stream:
        for key, value in (HEAD | (head or {})).items():
            if value is not None:
                stream.write(f"# {key}: {value}\n")
        writer = csv.writer(stream)
        writer.writerow([names[k] for k in keep])
        writer.writerows([[row[k] for k in keep if k < len(row)] for row in rows])
    return path


def test_the_small_file_is_sound(tmp_path):
    found = calibrate_array(read_presses(small_file(tmp_path / "a.csv")))
    assert found.modulus.value == pytest.approx(4e4, rel=1e-5) and found.gain.value == pytest.approx(1e-4, rel=1e-3)
    bare = small_file(tmp_path / "b.csv", head={"size": None, "thickness": None})
    again = calibrate_array(read_presses(bare, {"size": "0.03 0.02 0.01"}))
    assert again.modulus.value == pytest.approx(4e4, rel=1e-5)


@pytest.mark.parametrize(
    "edit, words",
    [
        ({"head": {"size": None}}, ["the pad has no size", "# size: 0.08 0.08", "--sensor"]),
        ({"head": {"thickness": None}}, ["the pad has no thickness"]),
        ({"head": {"shape": None}}, ["the pad has no shape"]),
        ({"head": {"size": "80 60"}}, ["size is 80 m", "millimetres"]),
        ({"head": {"thickness": "10"}}, ["thickness is 10 m", "millimetres"]),
        ({"head": {"pitch": "5"}}, ["pitch is 5 m", "millimetres"]),
        ({"head": {"size": "0.08"}}, ["size is '0.08'", "2 or 3 numbers"]),
        ({"head": {"thickness": "thin"}}, ["thickness is 'thin'", "1 number greater than 0"]),
        ({"head": {"thickness": "-0.01"}}, ["thickness is '-0.01'", "greater than 0"]),
        ({"head": {"shape": "2.5 3"}}, ["shape is '2.5 3'", "whole numbers"]),
        ({"head": {"field": "soft"}}, ["field is 'soft'", "backed, distance or laplace"]),
        ({"head": {"bits": "12.5"}}, ["bits is '12.5'", "1 to 24"]),
        ({"head": {"saturation": "9 3"}}, ["saturation is '9 3'", "lowest and the highest"]),
        ({"head": {"pitch": "0.02"}}, ["the pad: "]),
        ({"head": {"shape": "3 3"}}, ["6 columns of readings", "9 taxels"]),
        ({"drop": ("press",)}, ["the column 'press' is missing"]),
        ({"drop": ("indenter",)}, ["the column 'indenter' is missing"]),
        ({"drop": ("x_m",)}, ["the column 'x_m' is missing", "there are: press"]),
        ({"drop": ("depth_m", "force_N")}, ["'depth_m' and 'force_N' are missing"]),
        ({"drop": ("radius_m",)}, ["line 6", "the column 'radius_m' is missing", "a flat needs radius_m"]),
        ({"drop": ("t3",)}, ["5 columns of readings"]),
        ({"names": [n.replace("t5", "t7") for n in NAMES]}, ["the column 't5' is missing", "t0 to t5"]),
        ({"names": [n.replace("t5", "t4") for n in NAMES]}, ["the column 't4' is there twice"]),
        ({"names": [n.replace("depth_m", "depth_mm") for n in NAMES]}, ["'depth_mm' is in millimetres", "'depth_m'"]),
        ({"rows": [["1", "none"]]}, ["line 6: 2 cells", "16 columns"]),
        ({"change": (0, "indenter", "teapot")}, ["line 6", "indenter is 'teapot'", "sphere, cylinder, flat, box"]),
        ({"change": (1, "radius_m", "")}, ["line 7: radius_m is empty"]),
        ({"change": (1, "radius_m", "-1")}, ["line 7: radius_m is -1", "greater than 0"]),
        ({"change": (1, "radius_m", "40")}, ["line 7: radius_m is 40 m", "millimetres"]),
        ({"change": (2, "x_m", "12")}, ["line 8: x_m is 12 m", "ends at 0.015 m", "millimetres"]),
        ({"change": (2, "y_m", "0.07")}, ["line 8: y_m is 0.07 m", "ends at 0.01 m", "middle of the pad"]),
        ({"change": (2, "yaw_rad", "90")}, ["line 8: an angle of 90 rad", "degrees"]),
        ({"change": (3, "depth_m", "3")}, ["line 9: depth_m is 3 m", "millimetres"]),
        ({"change": (3, "depth_m", "0.012")}, ["line 9: depth_m is 0.012 m", "beyond the pad", "0.01 m thick"]),
        ({"change": (3, "depth_m", "deep")}, ["line 9: depth_m is 'deep'", "not a number"]),
        ({"change": (3, "force_N", "nan")}, ["line 9: force_N is nan", "finite"]),
        ({"change": (4, "t2", "nan")}, ["line 10: t2 is nan", "finite"]),
        ({"change": (4, "t2", "")}, ["line 10: t2 is empty"]),
        ({"change": (4, "t2", "0,5")}, ["line 10: t2 is '0,5'", "not a number"]),
        ({"change": (None, "press", "1")}, ["1 presses; at least 3"]),
        ({"change": (None, "indenter", "none")}, ["0 presses; at least 3"]),
        ({"change": (None, "depth_m", "-0.001")}, ["no frame presses", "positive when it presses"]),
        ({"change": (None, "force_N", "-2")}, ["force_N is negative in most presses"]),
        ({"change": (None, "force_N", "")}, ["force_N is empty in all presses", "--modulus"]),
        ({"change": (None, "t0", "3")}, None),
        ({"rows": []}, ["0 presses; at least 3"]),
    ],
)
def test_wrong_files_are_one_clear_line(tmp_path, capsys, edit, words):
    path = small_file(tmp_path / "a.csv", **edit)
    code = main(["calibrate", "array", str(path)])
    error = capsys.readouterr().err
    if words is None:  # a stuck taxel is no error
        assert code == 0
        return
    assert code == 2 and len(error.strip().splitlines()) == 1 and "Traceback" not in error, error
    for word in words:
        assert word in error


def test_one_empty_pair_names_its_line(tmp_path, capsys):
    path = small_file(tmp_path / "a.csv", change=(2, "depth_m", ""))
    text = path.read_text().splitlines()
    text[7] = ",".join([*text[7].split(",")[:9], "", *text[7].split(",")[10:]])
    path.write_text("\n".join(text))
    assert main(["calibrate", "array", str(path)]) == 2
    assert "line 8: depth_m and force_N are both empty" in capsys.readouterr().err


def test_wrong_values_of_the_fit():
    presses = record({"noise": (0, 50)}, presses=6)
    for options, words in (
        ({"touch": "maybe"}, "touch is 'maybe'; give auto, off"),
        ({"drive": "both"}, 'give "depth" or "force"'),
        ({"modulus": -3}, "modulus is -3"),
        ({"modulus": 6e4, "touch": "one"}, "touch='one' is fitted together with the modulus"),
        ({"modulus": 1.0}, "need more than the 0.012 m of the pad at a modulus of 1 Pa"),
    ):
        one = presses.but(depth=np.full(len(presses), np.nan)) if options.get("modulus") == 1.0 else presses
        with pytest.raises(taxel.Error, match=words.replace("(", r"\(")):
            calibrate_array(one, **options)
    single = presses.but(depth=np.where(np.isnan(presses.depth), np.nan, 0.002))
    with pytest.raises(taxel.Error, match="all frames have the same depth"):
        calibrate_array(single, touch="one")
    assert any("same depth" in note for note in calibrate_array(single).notes)
    rng = np.random.default_rng(0)
    for readings, words in (
        (np.ones_like(presses.readings), "the readings never change"),
        (rng.normal(size=presses.readings.shape), "do not follow the presses|no taxel is pressed well enough"),
    ):
        with pytest.raises(taxel.Error, match=words):
            calibrate_array(presses.but(readings=readings))
    falls = np.where(np.isnan(presses.depth), 0, 5 - 1000 * presses.depth)
    with pytest.raises(taxel.Error, match="needs at least 3"):
        calibrate_array(presses.but(depth=np.where(np.arange(len(presses)) < 62, presses.depth, np.nan)))
    assert calibrate_array(presses.but(force=falls), touch="off").force.nonlinearity.value < -0.3


# --- the command ---


def test_example_round_trip(tmp_path, capsys):
    example, keys = tmp_path / "example.csv", tmp_path / "keys.json"
    assert main(["calibrate", "array", "--example", str(example)]) == 0
    planted = capsys.readouterr().out
    assert "planted: modulus 30000 Pa, touch point 0.15 mm, gain -0.0819 counts/Pa" in planted
    assert main(["calibrate", "array", str(example), "--json", "-", "--keys", str(keys)]) == 0
    printed = capsys.readouterr()
    numbers = json.loads(printed.out)
    assert "modulus" in printed.err and "dead: taxel 37" in printed.err and "stuck: taxel 200 at 1500" in printed.err
    assert numbers["modulus"]["value"] == pytest.approx(3e4, rel=0.02)
    assert numbers["touch"]["all"]["value"] == pytest.approx(1.5e-4, abs=2e-5)
    assert numbers["gain"]["value"] == pytest.approx(-0.0819, rel=0.02)
    assert numbers["noise"]["value"] == pytest.approx(3, rel=0.03)
    assert numbers["suspicious"]["dead"] == [37] and numbers["stuck_values"] == {"200": 1500}
    assert json.loads(keys.read_text()) == numbers["keys"]


def test_mjcf_picture_and_sensor_keys(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = small_file(tmp_path / "a.csv", head={"thickness": "0.02"})
    command = ["calibrate", "array", str(path), "--sensor", "thickness=0.01; unit=mV", "--mjcf", "--out", str(tmp_path)]
    assert main([*command, "--json", str(tmp_path / "a.json")]) == 0
    printed = capsys.readouterr().out
    assert '<config key="modulus" value="40000' in printed or '<config key="modulus" value="39999' in printed
    assert '<config key="shape" value="2 3"/>' in printed and "mV/Pa" in printed
    assert (tmp_path / "calibrate_array.png").read_bytes().startswith(b"\x89PNG")
    assert main([*command[:3], "--modulus", "5e4", "--out", str(tmp_path)]) == 0
    assert "given" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], ["give the recording", "--example"]),
        (["none.csv"], ["none.csv: no such file"]),
        (["none.csv", "--sensor", "teapot=3"], ["--sensor 'teapot=3'", "KEY=VALUE", "thickness"]),
        (["a.csv", "--example", "b.csv"], ["leave out 'a.csv'"]),
        (["--example", "/proc/none/b.csv"], ["--example", "cannot be written"]),
        (["a.csv", "--keys", "/proc/none/b.json"], ["--keys", "cannot be written"]),
        (["--example", "b.csv", "--seed", "-1"], ["--seed is -1"]),
    ],
)
def test_wrong_commands(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", "array", *arguments]) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1
    for word in words:
        assert word in error


def test_kinds_are_named(capsys):
    with pytest.raises(SystemExit):
        main(["calibrate", "teapot"])
    error = capsys.readouterr().err
    assert "array" in error and len(error.strip().splitlines()) == 1


# --- statistics ---


def test_statistics():
    assert [round(t_quantile(v), 3) for v in (1, 5, 10, 30, 1e9)] == [12.706, 2.571, 2.228, 2.042, 1.96]
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.02, 0.3, 4000)
    values = 2 + 0.2 * rng.standard_normal(4000) + errors * rng.standard_normal(4000)
    mean, error, spread = mean_and_spread(values, errors)
    assert mean == pytest.approx(2, abs=4 * error) and spread == pytest.approx(0.2, rel=0.05)
    assert mean_and_spread([1.0, 1.0], [0.1, 0.1])[2] == 0
    for std in (0.15, 0.3, 0.5, 0.8, 3.0):
        frames = np.round(rng.uniform(0, 1, (1, 4000)) + std * rng.standard_normal((40, 4000)))
        assert noise_behind_converter(frames.var(axis=0, ddof=1).mean(), 1.0) == pytest.approx(std, rel=0.03)
    # Twenty clusters that are off together: the error of the slope is that of twenty points, not of a thousand.
    clusters, x = np.repeat(np.arange(20), 50), np.ones((1000, 1))
    slopes = [np.repeat(rng.standard_normal(20), 50) for _ in range(200)]
    found = [math.sqrt(clustered_covariance(x, s - s.mean(), clusters)[0, 0]) for s in slopes]
    assert np.mean(found) == pytest.approx(np.std([s.mean() for s in slopes]), rel=0.2)
