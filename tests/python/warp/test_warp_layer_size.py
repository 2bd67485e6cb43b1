"""Layers that follow the size of their contacts, inside mujoco_warp beside the plugin."""

import mujoco
import numpy as np
import pytest

wp = pytest.importorskip("warp")
mjw = pytest.importorskip("mujoco_warp")

import taxel  # noqa: E402
import taxel.warp  # noqa: E402

G = mujoco.mjtGeom
# Geom type, size, height of its middle above the pad, orientation.
OBJECTS = {
    "ball": (G.mjGEOM_SPHERE, (0.006, 0, 0), 0.0055, (1, 0, 0, 0)),
    "box": (G.mjGEOM_BOX, (0.009, 0.002, 0.008), 0.0079, (0.9, 0.01, 0.02, 0.3)),
    "capsule": (G.mjGEOM_CAPSULE, (0.004, 0.006, 0), 0.0036, (0.7, 0.02, 0.71, 0.1)),
}


def sensor_under(name: str, follows: bool) -> taxel.sensors.TactileSensor:
    """A foam, a gel, a dome."""
    keys = {"contact": "auto"} if follows else {}
    if name == "capsule":
        return taxel.sensors.gelsight_mini(**keys)
    poisson, thickness = (0.1, 0.006) if name == "ball" else (0.48, 0.004)
    return taxel.sensors.pad(
        size=(0.04, 0.032), shape=(20, 16), modulus=1e5, thickness=thickness, poisson=poisson, **keys
    )


def model(follows: bool) -> mujoco.MjModel:
    """Three pads in a row, each under another object."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    for i, (name, (kind, size, height, quat)) in enumerate(OBJECTS.items()):
        sensor = sensor_under(name, follows)
        sensor.add_to(spec, name=f"pad_{name}", pos=(0.1 * i, 0, 0))
        top = float(sensor.bounds[1, 2])
        body = spec.worldbody.add_body(name=name, pos=(0.1 * i + 0.0013, -0.0021, top + height), quat=quat)
        body.add_freejoint()
        body.add_geom(name=name, type=kind, size=size, mass=0.02)
    return spec.compile()


def forces(m: mujoco.MjModel, worlds: int = 2) -> dict[tuple[str, str], np.ndarray]:
    """Elastic force of each pair in each world, N, in the first step in mujoco_warp."""
    device = taxel.warp.put_model(m)
    d = mjw.put_data(m, mujoco.MjData(m), nworld=worlds, nconmax=200, njmax=600)
    soft = taxel.warp.attach(m, device, d)
    mjw.step(device, d)
    names = [tuple(sorted((m.geom(a).name, m.geom(b).name))) for a, b in soft.pairs]
    found = soft._patch.force.numpy()
    return {name: found[:, k].copy() for k, name in enumerate(names)}


def test_the_size_counts_as_in_the_plugin():
    plain, sized = forces(model(False)), forces(model(True))
    for name in OBJECTS:
        pair = next(p for p in sized if name in p and f"pad_{name}" in p)
        assert sized[pair][0] == sized[pair][1]
        ratio = sized[pair][0] / plain[pair][0]
        want = [contact(sensor_under(name, follows), name) for follows in (False, True)]
        assert ratio == pytest.approx(want[1] / want[0], rel=4e-3), name
        assert ratio > 1.01, name


def contact(sensor, name):
    kind, size, height, quat = OBJECTS[name]
    body = {
        G.mjGEOM_SPHERE: lambda: taxel.Body.sphere(size[0]),
        G.mjGEOM_BOX: lambda: taxel.Body.box(tuple(2 * x for x in size)),
        G.mjGEOM_CAPSULE: lambda: taxel.Body.capsule(size[0], 2 * size[1]),
    }[kind]()
    place = taxel.pose((0.0013, -0.0021, float(sensor.bounds[1, 2]) + height), np.array(quat) / np.linalg.norm(quat))
    return taxel.contact(sensor.body(), taxel.pose(), body, place).normal_force
