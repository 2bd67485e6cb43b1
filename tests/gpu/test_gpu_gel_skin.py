"""Skin contact of many pads on the GPU against the gel on the CPU, within 1e-4 of the depth."""

from __future__ import annotations

import time

import numpy as np
import pytest
from gpu_gel_scene import at, compare, make, report, two_paths, ways
from gpu_scenes import needs_gpu

import taxel

pytestmark = needs_gpu


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.name)
def test_a_pad_is_the_cpus_gel(way):
    begin = time.perf_counter()
    report(way, compare(way, "cuda"))
    print(f"{time.perf_counter() - begin:.1f} s")


def test_two_pads_with_ways_of_their_own():
    two_paths("cuda")


def test_the_same_bits_again_and_after_restore():
    def run(gel):
        gel.advance(300, at(0.3, 0, 5.4), smooth=True)
        return np.asarray(gel.displacements), np.asarray(gel.force())

    gels = [make(device="cuda", pads=3) for _ in range(2)]
    for gel in gels:
        gel.add(taxel.Body.sphere(0.006), at(0, 0, 6.05), 0.4)
        gel.advance(100, at(0, 0, 5.6))
    state = gels[0].save()
    first, other = run(gels[0]), run(gels[1])
    gels[0].restore(state)
    again = run(gels[0])
    for a, b, c in zip(first, other, again, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


def test_arrays_are_on_the_gpu_and_a_single_pad_has_no_axis():
    many, one = make(device="cuda", pads=2), make(device="cuda")
    for gel in (many, one):
        gel.add(taxel.Body.sphere(0.006), at(0, 0, 6.02), 0.4)
        gel.advance(120, at(0, 0, 5.7))
    n = len(one.contact_points)
    for array in (many.displacements, many.force(), many.tractions, many.positions):
        assert isinstance(array, taxel.CudaArray) and array.shape[0] == 2
    assert one.displacements.shape == (n, 3) and one.image.shape == (*one.image_shape, 3)
    np.testing.assert_array_equal(np.asarray(many.image)[1].reshape(n, 3), np.asarray(one.displacements))
    np.testing.assert_array_equal(np.asarray(many.force())[0], np.asarray(one.force()))


def test_a_blow_up_names_the_pad():
    gel = make(device="cuda", pads=2)
    gel.add(taxel.Body.sphere(0.006), at(0, 0, 6), 0.4)
    state = gel.save()
    with pytest.raises(taxel.Error, match="blow-up in pad 1"):
        gel.advance(3, np.stack([at(0, 0, 6), at(0, 0, 2)]))
    gel.restore(state)
    gel.advance(20, at(0, 0, 5.95))
    assert np.isfinite(np.asarray(gel.positions)).all()
