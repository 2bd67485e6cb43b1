"""EIP presses: what is refused, on the GPU before it is asked for, and no presses at all."""

import numpy as np
import pytest

import taxel
from taxel import _core

BALL = taxel.Body.sphere(0.08)
MIDDLE = taxel.pose((0.5, 0.5, 0.5))


def test_no_presses_are_no_work():
    for device in ("cpu", "cuda"):
        found = taxel.EipPress(device=device).run([BALL], [], [])
        assert found.images.shape == (0, 2, 61, 61, 3) and found.X_DP.shape == (0, 2, 4, 4)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_objects_that_the_pads_cannot_reach_are_refused(device):
    press = taxel.EipPress(device=device, steps=1)
    with pytest.raises(taxel.Error, match=r"press 1: .*does not lie between the pads; scale it"):
        press.run([BALL], [0, 0], [MIDDLE, taxel.pose((0.5, 3.0, 0.4))])
    with pytest.raises(taxel.Error, match="has no end; give a closed shape"):
        press.run([taxel.Body.half_space()], [0], [MIDDLE])


def test_an_object_too_heavy_for_the_words_of_the_gpu_is_refused():
    press = taxel.EipPress(device="cuda", contact="mixing", object_density=2000)
    with pytest.raises(taxel.Error, match=r"object_density is 2000; at grid 128 give at most 1\.0.e\+03"):
        press.run([BALL], [0], [MIDDLE])


def test_a_series_takes_whole_steps():
    series = taxel.EipPress(grid=64, dt=4e-3, steps=2, threads=1).series(BALL, MIDDLE)
    for bad in (0, -1, 1.5, True):
        with pytest.raises(taxel.Error, match=r"n is .*; give a whole number"):
            series.step(bad)
    assert series.step() and not series.step() and series.steps == 2


def test_objects_without_pads_are_refused():
    x = np.full((1, 3), 8.0)
    with pytest.raises(taxel.Error, match="1 objects, but no pads"):
        _core.CudaGel(x, [16, 16, 16], 1, 0.1, 0.1, objects=[taxel.MarkerDistance(BALL)])
