"""Pressure fields that follow the size of each contact (``layer_poisson``, ``contact="auto"``)."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import taxel

pytest.importorskip("scipy")
from taxel.reference.elastic_layer import ElasticLayer, LayerGrid
from taxel.reference.layer_solvers import solve_normal
from taxel.sensors import effective_modulus
from taxel.sensors.material import softest_size

THICK = 0.006
BALLS = (0.003, 0.008, 0.02)


def pad(poisson, field="backed", **more):
    keys = {"resolution": 5e-4} if field == "columns" else {}
    layer = {} if poisson is None else {"layer_poisson": poisson}
    return taxel.Body.box((0.09, 0.07, THICK), modulus=4e4, field=field, **layer, **keys, **more)


def press(body, radius, depth):
    ball = taxel.pose((0.003, -0.004, THICK / 2 + radius - depth))
    return taxel.contact(body, taxel.pose(), taxel.Body.sphere(radius), ball)


@pytest.mark.parametrize("field", ["backed", "columns"])
@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.48])
def test_the_core_and_python_have_one_rule(field, poisson):
    for radius in BALLS:
        plain, sized = (press(pad(nu, field), radius, 6e-4).force_on_A[2] for nu in (None, poisson))
        a = np.sqrt(2 * radius * 6e-4 - 6e-4**2)
        softest = min(effective_modulus(np.geomspace(0.05, 8, 400), poisson).min(), confined(poisson))
        assert sized / plain == pytest.approx(effective_modulus(a / THICK, poisson) / softest, rel=5e-3)


def confined(nu):
    return (1 - nu) / ((1 + nu) * (1 - 2 * nu))


def exact_force(made, radius, depth):
    """Of a ball on the endless frictionless layer, N."""
    half = 2.5 * np.sqrt(2 * radius * depth) + 1.5 * THICK
    n = 180
    grid = LayerGrid(ElasticLayer(**made.layer()), (n, n), 2 * half / n)
    x, y = np.meshgrid(grid.x - 0.3 * grid.cell, grid.y + 0.1 * grid.cell, indexing="ij")
    r2 = np.minimum(x * x + y * y, radius**2)
    overlap = depth - (radius - np.sqrt(radius**2 - r2))
    return float(solve_normal(grid.normal, overlap, np.zeros_like(overlap), 1e-3).sum()) * grid.cell_area


@pytest.mark.parametrize("poisson", [0.0, 0.2, 0.48])
def test_the_force_is_that_of_the_exact_layer(poisson):
    """Balls on a layer, 3 to 20 mm: one stiffness is off by up to two thirds, the layer that follows by 15 % at most
    (the rule's own error under a ball is 13 %)."""
    made = taxel.Material(young=5e4, poisson=poisson, thickness=THICK, contact="auto")
    keys = {"modulus": made.modulus(), "field": "backed"}
    off = []
    for radius in BALLS:
        depth = 4e-4
        exact = exact_force(made, radius, depth)
        follows = taxel.Body.box((0.2, 0.2, THICK), layer_poisson=poisson, **keys)
        stays = taxel.Body.box((0.2, 0.2, THICK), **keys)
        got, one = (-press(body, radius, depth).force_on_A[2] for body in (follows, stays))
        assert got == pytest.approx(exact, rel=0.15), radius
        off.append(abs(one / exact - 1))
    assert max(off) > 0.35


def scene(sensor, radius, mass, **options):
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    for key, value in options.items():
        setattr(spec.option, key, value)
    sensor.add_to(spec)
    body = spec.worldbody.add_body(name="ball", pos=(0.002, -0.003, float(sensor.bounds[1, 2]) + radius))
    body.add_freejoint()
    body.add_geom(name="ball", size=(radius, 0, 0), mass=mass)
    return spec.compile()


@pytest.mark.parametrize("make", [taxel.sensors.weiss, taxel.sensors.myrmex, taxel.sensors.pad])
def test_a_ball_rests_where_the_layer_carries_it(make):
    sensor = make(contact="auto", dissipation=60.0, friction=0.0)  # which would carry a part of it
    assert sensor.material["layer_poisson"] == sensor.made_of.poisson
    radius, mass = 0.005, 0.02
    model = scene(sensor, radius, mass)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=1500)
    assert np.abs(data.qvel[:3]).max() < 1e-4  # it may spin
    place = taxel.pose(data.qpos[:3], data.qpos[3:])
    still = taxel.contact(sensor.body(), taxel.pose(), taxel.Body.sphere(radius), place)
    assert -still.force_on_A[2] == pytest.approx(mass * 9.81, rel=2e-3)
    reading = taxel.Sensor(model, sensor.name)(data)
    areas = sensor.skin().layout.areas.reshape(reading.shape)
    assert (reading * areas).sum() == pytest.approx(mass * 9.81, rel=1e-4)
    # And deeper where one stiffness serves all.
    other = scene(make(dissipation=60.0, friction=0.0), radius, mass)
    deeper = mujoco.MjData(other)
    mujoco.mj_step(other, deeper, nstep=1500)
    assert deeper.qpos[2] < data.qpos[2] - 5e-5


def test_sensing_from_outside_follows_as_well():
    readings, forces = [], []
    for keys in ({}, {"contact": "auto"}):
        sensor = taxel.sensors.weiss(**keys)
        model = scene(sensor, 0.006, 0.03)
        data = mujoco.MjData(model)
        data.qpos[2] -= 8e-4
        mujoco.mj_forward(model, data)
        readings.append(taxel.Reader(model).sensor(sensor.name)(data).copy())
        ball = taxel.pose(data.qpos[:3])
        forces.append(taxel.contact(sensor.body(), taxel.pose(), taxel.Body.sphere(0.006), ball).force_on_A[2])
    assert forces[1] / forces[0] > 1.3
    # What acts is the solver's force, which looks a step ahead: by 0.7 % more on the stiffer layer.
    assert readings[1] == pytest.approx(readings[0] * forces[1] / forces[0], rel=0.01)


@pytest.mark.parametrize("seed", range(12))
def test_hard_hits_give_nothing_back(seed):
    """Forces that change with the size of a patch follow no potential; the budget of the contact holds them."""
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = float(rng.choice([5e-4, 2e-3, 5e-3]))
    field = str(rng.choice(["backed", "columns"]))
    poisson = float(rng.choice([0.0, 0.3, 0.48, 0.4999]))
    spec.worldbody.add_geom(
        name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.04, 0.035, 0.003), pos=(0, 0, 0.003), margin=0.004
    )
    taxel.soften(spec, "pad", modulus=float(10 ** rng.uniform(4, 6)), field=field, layer_poisson=poisson, friction=0.8)
    mass, speed = float(10 ** rng.uniform(-2.5, 0)), float(rng.uniform(0.2, 4))
    body = spec.worldbody.add_body(pos=(0.002, -0.003, 0.05), quat=rng.normal(size=4))
    body.add_freejoint()
    kind = (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_ELLIPSOID)[seed % 3]
    body.add_geom(type=kind, size=rng.uniform(0.003, 0.015, 3), mass=mass)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:6] = (*rng.uniform(-0.3, 0.3, 2), -speed, *rng.uniform(-5, 5, 3))

    def energy():
        mujoco.mj_energyVel(model, data)
        return data.energy[1] + mass * 9.81 * data.qpos[2]

    mujoco.mj_forward(model, data)
    first = energy()
    for _ in range(int(0.3 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        assert np.isfinite(data.qpos).all()
        beside = abs(data.qpos[0]) > 0.035 or abs(data.qpos[1]) > 0.03
        assert beside or data.qpos[2] > -0.002
        assert energy() < 1.02 * first + 1e-6


def test_a_sensor_stops_following():
    auto = taxel.sensors.weiss(contact="auto")
    assert auto.made_of.follows_size
    again = auto.replace(contact=None)
    assert "layer_poisson" not in again.material and again.material == taxel.sensors.weiss().material
    assert softest_size(0.0) == np.inf and auto.made_of.modulus() == taxel.sensors.weiss().made_of.modulus()
    assert auto.replace(poisson=0.2).material["layer_poisson"] == 0.2
    assert "layer_poisson" not in auto.with_bristles().material
    # What was said of the field alone stays when the material changes.
    assert taxel.sensors.weiss(layer_poisson=0.2).replace(friction=0.5).material["layer_poisson"] == 0.2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: taxel.sensors.weiss(contact="big"), "contact is 'big'; give a radius above 0, m, or \"auto\""),
        (lambda: taxel.sensors.weiss(contact=-1.0), "contact is -1.0"),
        (lambda: pad(0.6), "layer_poisson is 0.6; give Poisson's ratio"),
        (lambda: taxel.Body.sphere(0.01, modulus=1e5, layer_poisson=0.1), "field 'backed' or 'columns'"),
        (lambda: taxel.contact_gradient(pad(0.1), taxel.pose(), taxel.Body.sphere(0.01), taxel.pose((0, 0, 0.0125))),
         "layer_poisson"),
    ],
)  # fmt: skip
def test_wrong_uses_are_named(make, words):
    with pytest.raises(taxel.Error) as error:
        make()
    assert words in str(error.value)


def test_mjcf_says_what_is_wrong():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.04, 0.03, 0.003))
    with pytest.raises((taxel.Error, ValueError), match="layer_poisson"):
        taxel.soften(spec, "pad", modulus=1e5, field="backed", layer_poisson=0.7)
        spec.compile()
