"""Shapes that change while the model runs."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from conftest import cube
from mujoco_scenes import GRAVITY, MASS, NORMAL, after, block, in_P, pad_model, placed

import taxel

pytestmark = pytest.mark.usefixtures("warned")


def test_a_changed_size_is_seen_and_rebuilt(warned):
    model = pad_model()
    data, other = after(model, 0.3), after(model, 0.3)
    model.geom("block").size[:] = (0.02, 0.018, 0.008)
    mujoco.mj_step(model, data, nstep=5)
    assert taxel.touches(model, data) == []
    assert data.ncon > 0 and all(c.dim == 3 and np.linalg.norm(c.frame[:3]) > 0.9 for c in data.contact)
    assert len(warned) == 1
    assert "geom 'block' changed" in warned[0] and "taxel.rebuild(model, data)" in warned[0]

    taxel.rebuild(model, data)
    mujoco.mj_forward(model, data)
    (touch,) = taxel.touches(model, data)
    fresh = pad_model(block().replace("0.025 0.015 0.008", "0.02 0.018 0.008"))
    twin = mujoco.MjData(fresh)
    twin.qpos[:] = data.qpos
    mujoco.mj_forward(fresh, twin)
    (expected,) = taxel.touches(fresh, twin)
    assert np.array_equal(touch.surface.pressures, expected.surface.pressures)
    mujoco.mj_step(model, data, nstep=300)
    expected_depth = -MASS * GRAVITY @ NORMAL * 0.02 / (2e5 * 0.04 * 0.036)
    assert 0.008 - in_P(data, "block")[2] == pytest.approx(expected_depth, rel=2e-3)
    assert len(warned) == 1

    # Another data has the old body still, and says so for itself; one made now has the new body.
    mujoco.mj_step(model, other)
    assert taxel.touches(model, other) == [] and len(warned) == 2
    assert len(taxel.touches(model, after(model, 0.01))) == 1 and len(warned) == 2


def test_changed_mesh_vertices_are_seen_and_rebuilt(warned):
    vertices, triangles = cube(0.03)
    vertices = vertices * (1, 1.2, 0.4)
    vertex = " ".join(map(repr, vertices.ravel().tolist()))
    face = " ".join(map(str, triangles.ravel()))
    die = '<freejoint/><geom name="die" type="mesh" mesh="die" mass="0.2"/>'
    body = f'<body name="block" {placed((0.01, -0.005, 0.0058), 0.4)}>{die}</body>'
    mesh = f'<asset><mesh name="die" vertex="{vertex}" face="{face}"/></asset>'
    model = pad_model(body, extra=mesh)
    data = after(model, 0.3)
    (touch,) = taxel.touches(model, data)
    model.mesh_vert[:] *= 1.1
    mujoco.mj_step(model, data)
    assert taxel.touches(model, data) == []
    assert len(warned) == 1 and "geom 'die' changed" in warned[0]
    taxel.rebuild(model, data)
    mujoco.mj_step(model, data, nstep=400)
    (grown,) = taxel.touches(model, data)
    # The lower face: side walls inside the pad carry no force.
    flat = [(t.surface.areas * (np.abs(t.surface.normals @ NORMAL) > 0.9)).sum() for t in (touch, grown)]
    assert flat[0] == pytest.approx(1.2 * 0.03**2, rel=1e-6)
    assert flat[1] == pytest.approx(1.2 * 0.033**2, rel=1e-6)
    assert abs(grown.force @ NORMAL) == pytest.approx(-0.2 * GRAVITY @ NORMAL, rel=5e-3)


def test_rebuild_refuses_what_cannot_be_soft():
    model = pad_model()
    data = after(model, 0.02)
    size = model.geom("pad").size.copy()
    model.geom("pad").size[:] = 0
    with pytest.raises(taxel.Error, match="pad"):
        taxel.rebuild(model, data)
    model.geom("pad").size[:] = size
    mujoco.mj_step(model, data)
    assert len(taxel.touches(model, data)) == 1  # the old body is still there
