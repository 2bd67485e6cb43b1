"""Many pads of a gel on the CPU's threads: the loops that a GPU runs, against one gel. Cases: ways of all kinds and two
pads with ways of their own; readings, shapes and units; move and settle; save and restore; refusals."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import taxel

PLACE = Path(__file__).resolve().parents[2] / "gpu" / "gpu_gel_scene.py"
spec = importlib.util.spec_from_file_location("gpu_gel_scene", PLACE)
assert spec is not None and spec.loader is not None
scene = importlib.util.module_from_spec(spec)
sys.modules["gpu_gel_scene"] = scene
spec.loader.exec_module(scene)


@pytest.mark.parametrize("name", ["normal press", "tilted press, off the middle", "drag with friction"])
def test_a_pad_is_the_gel(name):
    (way,) = (w for w in scene.ways() if w.name == name)
    scene.report(way, scene.compare(way, "cpu"))


def test_two_pads_with_ways_of_their_own():
    scene.two_paths("cpu")


def test_readings_are_those_of_one_gel():
    one, many, single = scene.make(0.3), scene.make(0.3, pads=2, threads=2), scene.make(0.3, pads=1)
    for gel in (one, many, single):
        gel.add(taxel.Body.sphere(0.006), scene.at(0.1, 0, 6.02), 0.4)
        gel.advance(150, scene.at(0.1, 0, 5.7))
    assert many.displacements.shape == (2, *one.displacements.shape)
    assert many.image.shape == (2, *one.image.shape)
    for name, scale in (("displacements", 3e-4), ("positions", 3e-4), ("skin_positions", 3e-4), ("deformations", 1.0),
                        ("point_forces", 1e-3), ("tractions", 1e4), ("hand_force", 0.1), ("mach", 0.1)):  # fmt: skip
        found, wanted = getattr(many, name), np.asarray(getattr(one, name))
        if name == "skin_positions":
            wanted = wanted[: len(one.contact_points)]
        np.testing.assert_allclose(found[1], wanted, atol=1e-3 * scale, err_msg=name)
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(getattr(single, name)[0], found[0])
    np.testing.assert_allclose(many.force()[1], one.force(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(many.torque()[1], one.torque(), rtol=1e-3, atol=1e-8)
    assert many.time == pytest.approx(one.time)
    assert len(many) == len(one)


def test_move_and_settle_take_the_steps_of_one_gel():
    one, many = scene.make(0.3), scene.make(0.3, pads=2)
    for gel in (one, many):
        gel.add(taxel.Body.sphere(0.006), scene.at(0, 0, 6.02), 0.4)
    taken = [gel.move(scene.at(0, 0, 5.6), speed=0.2, settle=0.05) for gel in (one, many)]
    assert taken[0] == taken[1] and many.settled
    np.testing.assert_allclose(many.force()[0], one.force(), rtol=1e-3, atol=1e-5)


def test_a_saved_state_goes_on():
    gel = scene.make(0.3, pads=2)
    gel.add(taxel.Body.sphere(0.006), scene.at(0, 0, 6.0), [0.2, 0.8])
    gel.advance(60, scene.at(0, 0, 5.8))
    state = gel.save()
    gel.advance(60, scene.at(0.1, 0, 5.8))
    once = gel.displacements
    gel.restore(state)
    gel.advance(60, scene.at(0.1, 0, 5.8))
    np.testing.assert_array_equal(gel.displacements, once)


def test_two_objects_and_hands():
    one, many = scene.make(0.3), scene.make(0.3, pads=2)
    small = taxel.Body.sphere(0.003)
    hand = np.eye(4)
    hand[:3, 3] = 0, 0, 2e-4
    for gel in (one, many):
        gel.add(small, scene.at(-2.5, 0, 3.05), 0.4)
        gel.add(small, scene.at(2.5, 0, 3.05), 0.4)
        gel.advance(200, [scene.at(-2.5, 0, 2.8), scene.at(2.5, 0.1, 2.9)], hand)
    for k in range(2):
        np.testing.assert_allclose(many.force(k)[1], one.force(k), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(many.displacements[0], one.displacements, atol=1e-8)


def test_refusals():
    make = scene.make
    with pytest.raises(taxel.Error, match="device is 'gpu'"):
        make(device="gpu")
    with pytest.raises(taxel.Error, match="pads is 0"):
        make(pads=0)
    with pytest.raises(taxel.Error, match=r"pads is 1\.5"):
        make(pads=1.5)
    with pytest.raises(taxel.Error, match="grid 'rest'"):
        make(pads=2, grid="space")
    if not taxel.cuda_available():
        with pytest.raises(taxel.Error, match="use device 'cpu'"):
            make(device="cuda", pads=2)
    gel = make(pads=3)
    with pytest.raises(taxel.Error, match="3, 4, 4"):
        gel.add(taxel.Body.sphere(0.006), np.stack([np.eye(4)] * 2))
    with pytest.raises(taxel.Error, match="inside the gel of pad 0"):
        gel.add(taxel.Body.sphere(0.006), scene.at(0, 0, 0))
    with pytest.raises(taxel.Error, match="friction"):
        gel.add(taxel.Body.sphere(0.006), scene.at(0, 0, 6), [0.1, 0.2])
    for what in (lambda: gel.velocities, lambda: gel.energy, lambda: gel.set_step(1e-5)):
        with pytest.raises(taxel.Error, match="many pads"):
            what()
    with pytest.raises(taxel.Error, match="gel_surface reads one gel"):
        taxel.gel_surface(gel)
    with pytest.raises(taxel.Error, match="no object 0"):
        gel.force()
