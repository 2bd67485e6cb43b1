"""taxel calibrate friction: planted curves come back, intervals hold, what data cannot tell is said, wrong files are
told apart. Curves are made here, not by the package.
"""

import json
import math

import numpy as np
import pytest

import taxel
from taxel.calibrate import FrictionData, calibrate_friction, read_friction
from taxel.calibrate.stribeck import StribeckCurve, golden_section, least_squares_above_zero
from taxel.cli import main

PAPER = {"mu_s": 0.435, "mu_d": 0.23, "x0": 0.3, "c_t": 0.01}
NOISE = 5e-4


def curve(v, load, mu_s, mu_d, x0, c_t):
    return load * (mu_d + (mu_s - mu_d) * np.exp(-((v / x0) ** 2))) + c_t * v


def sliding(low=0.01, high=1.0, count=60, noise=NOISE, seed=0, load=0.08, **planted):
    v = np.geomspace(low, high, count)
    loads = np.broadcast_to(np.asarray(load, float), v.shape)
    rng = np.random.default_rng(seed)
    return FrictionData(v, curve(v, loads, **{**PAPER, **planted}) + noise * rng.standard_normal(count), loads)


def values(fit):
    x0 = fit.stribeck_speed.value if fit.stribeck_speed else math.nan
    return {"mu_s": fit.static.value, "mu_d": fit.dynamic.value, "x0": x0, "c_t": fit.viscosity.value}


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


# --- the fit ---


@pytest.mark.parametrize(
    "planted",
    [
        PAPER,
        {"mu_s": 0.435, "mu_d": 0.23, "x0": 0.02, "c_t": 0.0},
        {"mu_s": 1.7, "mu_d": 0.05, "x0": 0.9, "c_t": 0.4},
        {"mu_s": 0.3, "mu_d": 0.0, "x0": 0.1, "c_t": 0.001},
    ],
)
@pytest.mark.parametrize("load", [0.08, 5.0])
def test_exact_data_give_back_what_is_planted(planted, load):
    fit = calibrate_friction(sliding(noise=0, load=load, high=3.0, **planted))
    assert values(fit) == pytest.approx(planted, rel=1e-5, abs=1e-7)
    assert not fit.undetermined


def test_speeds_of_any_unit_and_order():
    """A search over the whole range needs no start, wherever x0 lies."""
    for scale in (1e-6, 1.0, 1e3):
        data = sliding(noise=0, low=0.01 * scale, high=scale, x0=0.3 * scale, c_t=0.01 / scale)
        mixed = np.random.default_rng(1).permutation(len(data))
        data = FrictionData(data.speed[mixed], data.friction[mixed], data.load[mixed])
        assert calibrate_friction(data).stribeck_speed.value == pytest.approx(0.3 * scale, rel=1e-5)


def test_noise_and_intervals():
    """1.4 % noise: errors within a few standard deviations, and 95 % intervals that hold in 90 to 100 % of 120 runs."""
    inside = dict.fromkeys(PAPER, 0)
    errors = {name: [] for name in PAPER}
    runs = 120
    for seed in range(runs):
        fit = calibrate_friction(sliding(seed=seed))
        for name, one in zip(PAPER, (fit.static, fit.dynamic, fit.stribeck_speed, fit.viscosity), strict=True):
            inside[name] += one.low <= PAPER[name] <= one.high
            errors[name].append(one.value / PAPER[name] - 1)
    rms = {name: math.sqrt(np.mean(np.square(e))) for name, e in errors.items()}
    assert rms["mu_s"] < 0.004 and rms["mu_d"] < 0.06 and rms["x0"] < 0.035 and rms["c_t"] < 0.14
    assert all(0.9 <= count / runs <= 1 for count in inside.values()), inside
    assert fit.residual == pytest.approx(NOISE, rel=0.3)


def test_loads_that_vary():
    load = np.tile([0.05, 0.1, 0.2], 20)
    fit = calibrate_friction(sliding(load=load, noise=2e-4))
    assert values(fit) == pytest.approx(PAPER, rel=0.15)
    assert fit.static.value == pytest.approx(0.435, rel=0.01)


def test_long_recordings_are_averaged():
    fit = calibrate_friction(sliding(count=30_000, noise=2e-3))
    assert values(fit) == pytest.approx(PAPER, rel=0.05)
    assert fit.residual == pytest.approx(2e-3, rel=0.03)
    assert any("30000 rows are averaged to 4000" in note for note in fit.notes)


def test_no_better_curve_is_near():
    data = sliding(seed=5)
    fit = calibrate_friction(data)
    found = values(fit)

    def squares(p):
        return float(((data.friction - curve(data.speed, data.load, **p)) ** 2).sum())

    least = squares(found)
    rng = np.random.default_rng(0)
    width = {"mu_s": 0.01, "mu_d": 0.05, "x0": 0.05, "c_t": 0.1}
    for _ in range(2000):
        other = {k: v * (1 + width[k] * rng.standard_normal()) for k, v in found.items()}
        assert squares(other) >= least - 1e-18


def test_constraints_hold():
    v = np.linspace(0.02, 1, 40)
    load = np.full(40, 0.1)
    rising = calibrate_friction(FrictionData(v, 0.01 + 0.02 * (1 - np.exp(-((v / 0.3) ** 2))), load))  # mu_s < mu_d
    assert rising.static.value == rising.dynamic.value >= 0
    assert "Stribeck speed" in rising.undetermined
    falling = calibrate_friction(FrictionData(v, 0.04 - 0.035 * v + 0.0 * v, load))  # c_t < 0
    assert falling.viscosity.value >= 0 and falling.dynamic.value >= 0
    below = calibrate_friction(FrictionData(v, 0.04 * np.exp(-((v / 0.2) ** 2)) - 0.004, load))  # mu_d < 0
    assert below.dynamic.value == 0
    assert any("dynamic friction is at its limit" in n for n in below.notes)
    for fit in (rising, falling, below):
        assert fit.static.value >= fit.dynamic.value >= 0
        assert min(fit.static.low, fit.dynamic.low, fit.viscosity.low) >= 0


def test_held_parameters():
    data = sliding(high=0.3)
    free = calibrate_friction(data)
    assert "dynamic friction" in free.undetermined
    held = calibrate_friction(data, stribeck_speed=0.3, viscosity=0.01)
    assert not held.undetermined
    assert held.viscosity.value == held.viscosity.low == 0.01
    assert held.stribeck_speed.value == held.stribeck_speed.low == held.stribeck_speed.high == 0.3
    assert held.dynamic.value == pytest.approx(0.23, rel=0.03)
    assert held.static.value == pytest.approx(0.435, rel=0.01)


# --- what data cannot tell ---


@pytest.mark.parametrize(("low", "high", "mu"), [(0.9, 3.0, 0.23), (0.001, 0.03, 0.435)])
def test_no_drop_shows(low, high, mu):
    fit = calibrate_friction(sliding(low=low, high=high))
    assert fit.stribeck_speed is None
    assert fit.static.value == fit.dynamic.value == pytest.approx(mu, rel=0.03)
    assert f"below {low:g} m/s" in fit.undetermined["Stribeck speed"]
    assert f"above {high:g} m/s" in fit.undetermined["Stribeck speed"]
    assert "not determined: Stribeck speed" in fit.report()
    assert set(fit.keys()) == {"friction", "viscosity"}


def test_chance_makes_no_drop():
    found = [calibrate_friction(sliding(seed=s, mu_s=0.3, mu_d=0.3)).stribeck_speed is not None for s in range(60)]
    assert sum(found) <= 1


def test_one_end_of_the_curve():
    slow = calibrate_friction(sliding(low=0.4, high=2))
    assert set(slow.undetermined) == {"static friction"}
    assert "below 0.4 m/s" in slow.undetermined["static friction"]
    assert any("static friction is extrapolated" in n for n in slow.notes)
    fast = calibrate_friction(sliding(low=0.01, high=0.3))
    assert "above 0.3 m/s" in fast.undetermined["dynamic friction"]
    assert any("dynamic friction is extrapolated" in n for n in fast.notes)
    jump = sliding(low=0.3, high=3, x0=0.001, noise=1e-5)
    first = np.concatenate([[0.0028], jump.speed])  # one slow row: a drop somewhere below 0.3 m/s
    friction = np.concatenate([[0.08 * 0.435], jump.friction])
    open_below = calibrate_friction(FrictionData(first, friction, np.full(len(first), 0.08)))
    assert "Stribeck speed" in open_below.undetermined


def test_rows_far_off_are_named():
    data = sliding()
    friction = data.friction.copy()
    friction[[10, 30]] += 0.02
    fit = calibrate_friction(FrictionData(data.speed, friction, data.load))
    assert any("2 rows are far off the curve" in n for n in fit.notes)
    assert not any("far off" in n for n in calibrate_friction(data).notes)


def test_too_few_rows():
    with pytest.raises(
        taxel.Error, match="4 rows of sliding with 4 different speeds; 4 parameters need at least 5 rows"
    ):
        calibrate_friction(sliding(count=4))
    twice = sliding(count=3)
    with pytest.raises(taxel.Error, match="6 rows of sliding with 3 different speeds"):
        calibrate_friction(FrictionData(*(np.tile(a, 2) for a in (twice.speed, twice.friction, twice.load))))
    assert calibrate_friction(
        sliding(count=3, noise=0), stribeck_speed=0.3, viscosity=0.01
    ).static.value == pytest.approx(0.435)
    with pytest.raises(taxel.Error, match="the Stribeck speed is 0"):
        calibrate_friction(sliding(), stribeck_speed=0)
    with pytest.raises(taxel.Error, match="the viscosity is -1"):
        calibrate_friction(sliding(), viscosity=-1)


# --- the parts ---


def test_least_squares_above_zero():
    rng = np.random.default_rng(2)
    for _ in range(100):
        A, b = rng.normal(size=(8, 3)), rng.normal(size=8)
        x, squares = least_squares_above_zero(A, b)
        assert (x >= 0).all() and squares == pytest.approx(float(((A @ x - b) ** 2).sum()))
        gradient = A.T @ (A @ x - b)  # the conditions of Karush, Kuhn and Tucker
        assert (gradient >= -1e-9).all() and np.abs(gradient * x).max() < 1e-9


def test_golden_section_and_interval():
    assert golden_section(lambda x: (x - 0.3) ** 2, -1, 4) == pytest.approx(0.3, abs=1e-7)
    data = sliding(seed=4)
    fit = StribeckCurve(data.speed, data.load, data.friction)
    best = fit.best()
    low, high = fit.interval(best, 56)
    limit = best.squares * (1 + 2.0032**2 / 56)  # the 97.5 % point of Student's t with 56 degrees of freedom
    assert low < best.x0 < high
    for end in (low, high):
        assert fit.solve(end).squares == pytest.approx(limit, rel=1e-5)


# --- files ---

HEAD = "speed_m_s,friction_N,load_N\n"


def table(data, head=HEAD, scale=1.0, points=1):
    rows = zip(data.speed, data.friction, data.load, strict=True)
    return head + "".join(f"{scale * v:.12g},{points * f:.12g},{points * n:.12g}\n" for v, f, n in rows)


def test_points_share_the_load(tmp_path):
    """84 points carry 84 times as much: the coefficients stay, the viscosity is shared out."""
    path = write(tmp_path / "pad.csv", "# points: 84\n" + table(sliding(noise=0), points=84))
    for data in (read_friction(path), read_friction(path, points=84)):
        assert data.points == 84
        assert values(calibrate_friction(data)) == pytest.approx(PAPER, rel=1e-5)
    path = write(tmp_path / "whole.csv", table(sliding(noise=0), points=84))
    whole = calibrate_friction(read_friction(path))
    assert whole.viscosity.value == pytest.approx(0.84, rel=1e-5)
    assert "--points N shares it out" in whole.report()


def test_columns_units_signs(tmp_path):
    data = sliding(noise=0)
    text = table(data, "speed_mm_s,friction_N,load_N\n", 1e3)
    assert values(calibrate_friction(read_friction(write(tmp_path / "a.csv", text)))) == pytest.approx(PAPER, rel=1e-5)
    semicolons = "﻿# load: 0.08\nfriction_N;speed_m_s;temperature\n" + "".join(
        f"{f:.12g};{v:.12g};20\n" for v, f in zip(data.speed, data.friction, strict=True)
    )
    found = calibrate_friction(read_friction(write(tmp_path / "b.csv", semicolons)))
    assert values(found) == pytest.approx(PAPER, rel=1e-5)
    assert "column 'temperature' is not used" in found.notes
    back = FrictionData(-data.speed, -data.friction, data.load)  # forth and back
    text = table(data) + table(back, "") + "0,0.01,0.08\n"
    both = read_friction(write(tmp_path / "c.csv", text), slowest=0.02)
    assert len(both) == 2 * int((data.speed >= 0.02).sum())
    assert any("1 rows at speed 0" in n for n in both.notes) and any("slower than 0.02" in n for n in both.notes)
    assert values(calibrate_friction(both)) == pytest.approx(PAPER, rel=1e-5)
    grams = "speed_m_s,friction_N,load_g\n" + "".join(
        f"{v:.12g},{f:.12g},{n / 9.81e-3:.12g}\n" for v, f, n in zip(data.speed, data.friction, data.load, strict=True)
    )
    assert read_friction(write(tmp_path / "d.csv", grams)).load == pytest.approx(data.load)
    given = read_friction(write(tmp_path / "e.csv", table(data)), load=0.16)
    assert (given.load == 0.16).all() and any("the column is not used" in n for n in given.notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no table; taxel calibrate friction --example FILE"),
        ("# points: 3\n", "there is no table"),
        (HEAD, "no rows below its header"),
        ("a,b\n1,2\n", "line 1: none of the columns is known; the first row names them: speed_m_s"),
        ("speed_m_s,load_N\n1,2\n", "the column 'friction_N' is missing"),
        ("friction_N,load_N\n1,2\n", "the column 'speed_m_s' is missing"),
        ("speed_m_s,friction_N\n1,2\n", "the column 'load_N' is missing; add it, or give the load with --load N"),
        ("speed_m_s,speed_mm_s,friction_N,load_N\n1,1,2,3\n", "'speed_m_s' and 'speed_mm_s' give the same"),
        (HEAD + "1,2,3\n1,fast,3\n", "line 3: friction_N is 'fast', which is not a number"),
        (HEAD + "1,2,3\n1,2\n", "line 3: 2 cells, but the table has 3 columns"),
        (HEAD + "1,2,3\n1,,3\n", "line 3: friction is empty"),
        (HEAD + "1,nan,3\n", "line 2: friction_N is nan"),
        (HEAD + "1,2,0\n", "line 2: load is 0 N"),
        (HEAD + "1,-2,3\n2,-2,3\n", "friction_N has the sign against speed_m_s"),
        (HEAD + "500,2,3\n", "if this was mm/s, name the column speed_mm_s"),
        ("# points: some\n" + HEAD + "1,2,3\n", "the key points is some; give the number of points"),
        ("# points: 2.5\n" + HEAD + "1,2,3\n", "a whole number of 1 or more"),
        ("# load: -1\nspeed_m_s,friction_N\n1,2\n", "the key load is -1; give the load in N that presses, above 0"),
    ],
)
def test_wrong_files(tmp_path, text, message):
    path = write(tmp_path / "wrong.csv", text)
    with pytest.raises(taxel.Error) as caught:
        read_friction(path)
    assert message in str(caught.value) and "wrong.csv" in str(caught.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(taxel.Error, match="no such file"):
        read_friction(tmp_path / "nowhere.csv")
    with pytest.raises(taxel.Error, match="cannot be read as text"):
        read_friction(tmp_path)
    path = tmp_path / "binary.csv"
    path.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(taxel.Error, match="cannot be read as text"):
        read_friction(path)
    near = write(tmp_path / "near.csv", "# point: 84\n" + table(sliding()))
    assert any("did you mean 'points'?" in n for n in read_friction(near).notes)


# --- the command ---


def test_example_and_command(tmp_path, capsys):
    example, keys, numbers = tmp_path / "sliding.csv", tmp_path / "keys.json", tmp_path / "numbers.json"
    assert main(["calibrate", "friction", "--example", str(example), "--seed", "3"]) == 0
    printed = capsys.readouterr().out
    assert "not its measurements" in printed and "static friction 0.435" in printed
    assert "not its measurements" in example.read_text()
    arguments = ["calibrate", "friction", str(example), "--mjcf", "--keys", str(keys), "--json", str(numbers)]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert '<config key="stribeck_speed" value="0.' in printed
    assert (tmp_path / "out" / "calibrate_friction.png").stat().st_size > 10_000
    found = json.loads(numbers.read_text())
    for name, planted in (("static_friction", 0.435), ("dynamic_friction", 0.23), ("stribeck_speed", 0.3)):
        assert found[name]["value"] == pytest.approx(planted, rel=0.1)
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]
    assert found["viscosity"]["value"] == pytest.approx(0.01, rel=0.3)
    assert json.loads(keys.read_text()) == found["keys"]
    assert found["keys"]["friction"] == pytest.approx([0.435, 0.23], rel=0.1)
    law = taxel.LuGre(sigma0=1, sigma1=0.1, form="paper", **found["keys"])  # the keys are those of the law
    assert law.steady(0.2, 0.08) == pytest.approx(curve(0.2, 0.08, **PAPER), rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the recording: taxel calibrate friction FILE"),
        (["nowhere.csv"], "nowhere.csv: no such file"),
        (["FILE", "--from", "-1"], "--from is -1; give a speed of 0 or more"),
        (["FILE", "--from", "5"], "0 rows of sliding"),
        (["FILE", "--load", "0"], "--load is 0.0; give the load in N that presses, above 0"),
        (["FILE", "--points", "0"], "--points is 0"),
        (["FILE", "--stribeck-speed", "0"], "the Stribeck speed is 0"),
        (["FILE", "--viscosity", "-1"], "the viscosity is -1"),
        (["FILE", "--example", "other.csv"], "leave out"),
        (["--example", "other.csv", "--seed", "-1"], "--seed is -1"),
        (["FILE", "--keys", "nowhere/keys.json"], "--keys nowhere/keys.json: cannot be written"),
    ],
)
def test_wrong_commands(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "good.csv", table(sliding()))
    arguments = ["good.csv" if a == "FILE" else a for a in arguments]
    assert main(["calibrate", "friction", *arguments]) == 2
    assert message in capsys.readouterr().err
