"""Parameters of bristles: stiffness, damping and step advice with the paper's numbers and slips; its sensor files; the
friction law against an independent integration. Wrong input names what is wrong.
"""

import math
import pickle

import numpy as np
import pytest

import taxel
from taxel.calibrate import FoamData, FrictionData, calibrate_foam, calibrate_friction

SCENE = """<mujoco><option cone="elliptic" timestep="0.002"/><worldbody>
  <geom name="pad" type="box" size="0.0102 0.0238 0.003"/>
  <body pos="0 0 0.0175"><freejoint/><geom name="block" type="box" size="0.03 0.03 0.015" mass="0.1"/></body>
</worldbody></mujoco>"""
TABLE_2 = """<AttachedSensor>
<link>object1</link>
<sensor name="T1" type="SimTactileSensor">
<thickness>0.006</thickness> <k>58.5</k> <cn>0.0583</cn> <sigma0>1.0</sigma0> <sigma1>0.1</sigma1>
<x0>0.3</x0> <ct>0.01</ct> <mus>0.435</mus> <mud>0.23</mud>
</sensor>
</AttachedSensor>
"""
PRINTED = (
    TABLE_2.replace("<", "< ")
    .replace(">", " >")
    .replace("< /", "< /")
    .replace('sensor name="T1" type="SimTactileSensor"', "sensorname = “T1” type = “SimTactileSensor”")
)
FOAM = {"sigma0": 1.0, "sigma1": 0.1, "viscosity": 0.01, "friction": (0.435, 0.23), "stribeck_speed": 0.3}


# --- numbers ---


def test_equation_18_and_its_slip():
    assert taxel.bristle_stiffness(9810, 0.00125, 84, 0.0025) == pytest.approx(58.393, abs=5e-4)  # printed: 58.5
    pressure = 0.30415 * 9.81 / 804.25e-6
    assert pressure == pytest.approx(3710, abs=0.5)  # printed: 9,810
    assert taxel.bristle_stiffness(pressure, 0.00125, 84, 0.0025) == pytest.approx(22.08, abs=5e-3)
    assert taxel.bristle_damping(58.5) == pytest.approx(0.585)  # printed: 0.0585, 0.0583


def test_docstrings_hold_the_example_and_the_slip():
    for function, words in (
        (taxel.bristle_stiffness, ("58.39", "58.5", "304.15", "804.25", "3,710", "9,810")),
        (taxel.bristle_damping, ("0.585", "0.0585", "0.0583", "1 %")),
        (taxel.bristle_stiffness_of_modulus, ("3,710", "22.08", "9,810", "slip")),
        (taxel.bristle_step_advice, ("0.0583", "0.585", "8.08 ms")),
        (taxel.read_bristle_xml, ("58.5", "9,810", "3,710", "0.0583")),
        (taxel.LuGre, ("588 g", "0.0687", "exponential")),
    ):
        for word in words:
            assert word in function.__doc__, (function.__name__, word)


def test_examples_in_the_docstrings_run():
    import doctest

    names = {"taxel": taxel, "np": np}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    finder = doctest.DocTestFinder(recurse=False)
    count = 0
    for item in (
        *(taxel.bristle_stiffness, taxel.bristle_damping, taxel.bristle_stiffness_of_modulus),
        *(taxel.bristle_step_advice, taxel.read_bristle_xml, taxel.LuGre),
    ):
        for test in finder.find(item, item.__name__, globs=dict(names)):
            assert runner.run(test).failed == 0
            count += len(test.examples)
    assert count >= 10


def test_stiffness_of_a_modulus_carries_what_the_layer_carries():
    area, thickness, modulus, depth = 0.00125, 0.012, 3e4, 0.0007
    pad = taxel.Body.box((0.025, 0.05, thickness), modulus=modulus, field="backed")
    plate = taxel.Body.box((0.2, 0.2, 0.02))
    layer = taxel.contact(pad, taxel.pose(), plate, taxel.pose((0, 0, 0.5 * thickness + 0.01 - depth)))
    k = taxel.bristle_stiffness_of_modulus(modulus, area / 84, thickness)
    assert 84 * k * depth == pytest.approx(layer.force_on_B[2], rel=1e-9)


def test_step_advice_is_where_explicit_steps_blow_up():
    m, n, k, c = 0.1, 84, 58.5, 0.585
    advice = taxel.bristle_step_advice(m, n, k)  # the 1 % rule is the default
    assert advice == taxel.bristle_step_advice(m, n, k, c)

    def radius(h):
        K, C = n * k, n * c
        push = np.array([[1, 0], [-h * K / m, 1 - h * C / m]])  # new velocity
        move = np.array([[1, h], [0, 1]])  # then the place, with it
        return np.abs(np.linalg.eigvals(move @ push)).max()

    assert radius(0.999 * advice.largest_explicit_step) < 1 < radius(1.001 * advice.largest_explicit_step)
    assert advice.period == pytest.approx(2 * math.pi * math.sqrt(m / (n * k)))
    assert advice.damping_ratio == pytest.approx(n * c / (2 * math.sqrt(n * k * m)))
    assert advice.good_step <= advice.largest_explicit_step / 2
    assert not advice.friction_limits
    stiff = taxel.bristle_step_advice(m, n, k, c, sigma0=5e4, sigma1=1, viscosity=0.5)
    assert stiff.friction_limits
    assert stiff.largest_explicit_step == pytest.approx(
        4 * m / (n * 1.5 + math.sqrt((n * 1.5) ** 2 + 8 * n * 5e4 * m)), rel=1e-12
    )
    assert "is too long" in str(taxel.bristle_step_advice(m, n, k, timestep=0.1))
    assert "is fine" in str(taxel.bristle_step_advice(m, n, k, timestep=1e-4))


# --- sensor files ---


def test_reads_table_2_as_text_and_as_a_file(tmp_path):
    path = tmp_path / "sensor.xml"
    path.write_text(PRINTED, encoding="utf-8")
    for given in (TABLE_2, PRINTED, TABLE_2.encode(), path, str(path)):
        (sensor,) = taxel.read_bristle_xml(given)
        assert (sensor.link, sensor.name, sensor.thickness) == ("object1", "T1", 0.006)
        assert sensor.keys == {
            "stiffness": 58.5,
            "damping": 0.0583,
            "depth": 0.012,
            "friction": (0.435, 0.23),
            "stribeck_speed": 0.3,
            "sigma0": 1.0,
            "sigma1": 0.1,
            "viscosity": 0.01,
            "form": "passive",
        }
    assert taxel.read_bristle_xml(TABLE_2)[0].notes == []
    assert "is read as 'sensor name" in taxel.read_bristle_xml(PRINTED)[0].notes[0]
    assert taxel.read_bristle_xml(TABLE_2, form="paper")[0].keys["form"] == "paper"
    assert len(taxel.read_bristle_xml(TABLE_2 + TABLE_2.replace("T1", "T2"))) == 2


def test_the_keys_make_a_pad():
    """What the file and the two calibrations give is what soften takes: 100 g rest on the pad, where they should."""
    mujoco = pytest.importorskip("mujoco")
    foam = calibrate_foam(
        FoamData(np.array([1.0, 2, 3]), 1e-4 + np.array([1.0, 2, 3]) / 804.25, 804.25e-6, 0.00125, 84)
    )
    v = np.geomspace(0.01, 1, 20)
    law = taxel.LuGre(**FOAM, form="paper")
    friction = calibrate_friction(FrictionData(v, law.steady(v, 0.08), np.full(20, 0.08)))
    for keys in (
        *(read.keys for form in ("passive", "paper") for read in taxel.read_bristle_xml(TABLE_2, form=form)),
        *({**foam.keys(fit), **friction.keys(), "depth": 0.012} for fit in ("zero", "dead-band", "curve")),
    ):
        spec = mujoco.MjSpec.from_string(SCENE)
        taxel.soften(spec, "pad", shape=(14, 6), **keys)
        taxel.add_sensor(spec, "pad", unit="N")
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, nstep=3000)
        reading = taxel.Sensor(model, "touch").read(data)
        assert reading.values.sum() == pytest.approx(0.1 * 9.81, rel=1e-3)
        if "stiffness" in keys:
            sunk = 0.018 - data.qpos[2]
            expected = keys.get("dead_band", 0) + 0.1 * 9.81 / (84 * keys["stiffness"])
            assert sunk == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (TABLE_2.replace("58.5", "soft"), "sensor file 'text', line 4: <k> is 'soft', not a number"),
        (TABLE_2.replace("<k>58.5</k>", ""), "line 3: <sensor> has no <k>"),
        (TABLE_2.replace("</sensor>", ""), "</attachedsensor> stands where <sensor>"),
        ("", "is empty"),
        ("<a/>", "there is no <AttachedSensor>"),
        ("nowhere.xml", "sensor file 'nowhere.xml' does not exist"),
        ("a\0b", "NUL"),
        ("<a>\udc80</a>", "not UTF-8"),
        (b"<a>\xff</a>", "byte 3 is not UTF-8"),
    ],
)
def test_wrong_sensor_files(given, message):
    with pytest.raises(taxel.Error) as caught:
        taxel.read_bristle_xml(given)
    assert message in str(caught.value)


def test_wrong_form_of_a_sensor_file():
    with pytest.raises(taxel.Error, match="form is 'printed'; give passive or paper"):
        taxel.read_bristle_xml(TABLE_2, form="printed")
    with pytest.raises(TypeError, match="path_or_text: expected a path"):
        taxel.read_bristle_xml(7)


# --- friction law ---


def integrate(velocity, load, dt, *, sigma0, sigma1, viscosity, friction, stribeck_speed, substeps=2000):
    """The law as printed, by the midpoint rule in small steps: mean force of each sample, deflection at its end."""
    mu_s, mu_d = friction
    h, z = dt / substeps, np.zeros(2)
    forces, deflections = [], []
    for v, load_now in zip(np.atleast_2d(velocity), load, strict=True):
        speed = np.linalg.norm(v)
        g = load_now * (mu_d + (mu_s - mu_d) * math.exp(-((speed / stribeck_speed) ** 2)))

        def rate(z, v=v, speed=speed, g=g):
            return v - sigma0 * speed / g * z

        total = np.zeros(2)
        for _ in range(substeps):
            middle = z + 0.5 * h * rate(z)
            dz = rate(middle)
            total += sigma0 * middle + sigma1 * dz + viscosity * v
            z = z + h * dz
        forces.append(total / substeps)
        deflections.append(z)
    return np.array(forces), np.array(deflections)


def test_lugre_as_printed_against_an_integration():
    rng = np.random.default_rng(3)
    v = rng.normal(0, 0.2, (12, 2))
    load = rng.uniform(0.02, 0.2, 12)
    law = taxel.LuGre(**FOAM, form="paper")
    force, z = law.run(v, load, 0.03)
    expected_force, expected_z = integrate(v, load, 0.03, **FOAM)
    np.testing.assert_allclose(force, expected_force, atol=1e-7)
    np.testing.assert_allclose(z, expected_z, atol=1e-7)
    along, z_along = law.run(v[:, 0], load, 0.03)
    flat, _ = integrate(np.column_stack([v[:, 0], np.zeros(12)]), load, 0.03, **FOAM)
    assert along.shape == z_along.shape == (12,)
    np.testing.assert_allclose(along, flat[:, 0], atol=1e-7)


def test_lugre_goes_on_from_a_deflection():
    law = taxel.LuGre(**FOAM)
    v = 0.1 * np.sin(np.linspace(0, 20, 200))
    force, z = law.run(v, 0.08, 1e-3)
    again, z_again = law.run(v[80:], 0.08, 1e-3, deflection=z[79])
    np.testing.assert_array_equal(again, force[80:])
    np.testing.assert_array_equal(z_again, z[80:])
    plane = np.column_stack([v, -v])
    force, z = law.run(plane, 0.08, 1e-3)
    again, _ = law.run(plane[80:], 0.08, 1e-3, deflection=z[79])
    np.testing.assert_array_equal(again, force[80:])


def test_lugre_ends_in_its_steady_state():
    for form in ("passive", "paper"):
        law = taxel.LuGre(**FOAM, form=form)
        for speed in (0.01, 0.3, 0.9):
            force, _ = law.run(np.full(300, speed), 0.08, 0.5)
            assert force[-1] == pytest.approx(law.steady(speed, 0.08), rel=1e-9)
            mu = 0.23 + 0.205 * math.exp(-((speed / 0.3) ** 2))
            cone = 0.08 * 0.435 if form == "passive" else math.inf  # at 0.01 m/s the viscosity goes beyond it
            assert law.steady(speed, 0.08) == pytest.approx(min(0.08 * mu + 0.01 * speed, cone), rel=1e-12)
    fast = np.array([0.1, 3.0])
    assert law.steady(fast, 0.08)[1] == pytest.approx(0.08 * 0.23 + 0.03)
    passive = taxel.LuGre(**FOAM)
    assert passive.steady(fast, [0.08, 0.08])[1] == pytest.approx(0.435 * 0.08)  # the cone
    assert passive.steady(fast[:, None], [0.0, 0.08]).shape == (2, 2)


def test_lugre_forms_differ_where_the_printed_law_creates_energy():
    printed, passive = (
        taxel.LuGre(**{**FOAM, "viscosity": 0.0}, form="paper"),
        taxel.LuGre(**{**FOAM, "viscosity": 0.0}),
    )
    limit = printed.active_above(0.08)
    assert 0 < limit < 10
    speed = 3 * limit
    z = 0.435 * 0.08 / 1.0  # stuck at the cone, then torn off
    work = [law.run([speed], 0.08, 1e-6, deflection=z)[0][0] * speed * 1e-6 for law in (printed, passive)]
    stored = [0.5 * law.run([speed], 0.08, 1e-6, deflection=z)[1][0] ** 2 - 0.5 * z**2 for law in (printed, passive)]
    assert work[0] < stored[0]  # gives more than it held
    assert work[1] >= stored[1]
    assert math.isinf(taxel.LuGre(**{**FOAM, "viscosity": 0.1}).active_above(0.08))


def test_lugre_is_a_value():
    law = taxel.LuGre(**FOAM)
    assert pickle.loads(pickle.dumps(law)) == law
    assert taxel.LuGre(**{**FOAM, "friction": 0.3}).friction == (0.3, 0.3)
    force, z = law.run(np.zeros(0), 0.1, 1e-3)
    assert force.shape == z.shape == (0,)


# --- wrong input ---


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: taxel.bristle_stiffness(0, 1, 1, 1), "pressure is 0"),
        (lambda: taxel.bristle_stiffness(1, math.nan, 1, 1), "area is nan"),
        (lambda: taxel.bristle_stiffness(1, 1, 2.5, 1), "points is 2.5; give a whole number"),
        (lambda: taxel.bristle_stiffness(1, 1, 10**12, 1), "points is 1000000000000"),
        (lambda: taxel.bristle_stiffness(1, 1, 1, "thin"), "compression is 'thin'; give a number"),
        (lambda: taxel.bristle_damping(-1), "stiffness is -1"),
        (lambda: taxel.bristle_stiffness_of_modulus(1, 1, 0), "thickness is 0"),
        (lambda: taxel.bristle_step_advice(0, 1, 1), "mass is 0"),
        (lambda: taxel.bristle_step_advice(1, 0, 1), "points is 0"),
        (lambda: taxel.bristle_step_advice(1, 1, 1, -2), "damping is -2"),
        (lambda: taxel.bristle_step_advice(1, 1, 1, timestep=0), "timestep is 0"),
        (lambda: taxel.LuGre(-1, 0, 0, 0.3, 0.1), "sigma0 is -1"),
        (lambda: taxel.LuGre(0, 0, 0, 0.3, 0.1), "sigma0 is 0; give a finite number greater than 0"),
        (lambda: taxel.LuGre(1, math.inf, 0, 0.3, 0.1), "sigma1 is inf"),
        (lambda: taxel.LuGre(1, 0, -0.1, 0.3, 0.1), "viscosity is -0.1"),
        (lambda: taxel.LuGre(1, 0, 0, (0.2, 0.3), 0.1), "sliding cannot hold better than sticking"),
        (lambda: taxel.LuGre(1, 0, 0, (0.2, -0.3), 0.1), "give finite coefficients"),
        (lambda: taxel.LuGre(1, 0, 0, (1, 2, 3), 0.1), "friction is (1, 2, 3); give (static, dynamic)"),
        (lambda: taxel.LuGre(1, 0, 0, 0.3, 0), "stribeck_speed is 0"),
        (lambda: taxel.LuGre(1, 0, 0, 0.3, 0.1, form="exact"), "form is 'exact'"),
        (lambda: taxel.LuGre(**FOAM).run(np.zeros((3, 3)), 1, 1e-3), "velocity has the shape (3, 3)"),
        (lambda: taxel.LuGre(**FOAM).run(["fast"], 1, 1e-3), "velocity: expected numbers"),
        (lambda: taxel.LuGre(**FOAM).run([0, math.nan], 1, 1e-3), "velocity has a value that is not finite"),
        (lambda: taxel.LuGre(**FOAM).run([0, 1], [1, 2, 3], 1e-3), "load has the shape (3,)"),
        (lambda: taxel.LuGre(**FOAM).run([0, 1], -1, 1e-3), "load is -1; give 0 or more"),
        (lambda: taxel.LuGre(**FOAM).run([0, 1], 1, 0), "dt is 0"),
        (lambda: taxel.LuGre(**FOAM).run([0, 1], 1, 1e-3, deflection=[1, 2]), "deflection has the shape (2,)"),
        (lambda: taxel.LuGre(**FOAM).run([[0, 1]], 1, 1e-3, deflection=0.1), "needs two numbers"),
        (lambda: taxel.LuGre(**FOAM).steady(-1, 1), "speed is -1"),
        (lambda: taxel.LuGre(**FOAM).active_above(-1), "load is -1"),
        (lambda: taxel.LuGre(**FOAM).active_above([1, 2]), "load has the shape (2,); give one number"),
    ],
)
def test_wrong_input_names_it(call, message):
    with pytest.raises(taxel.Error) as caught:
        call()
    assert message in str(caught.value)
