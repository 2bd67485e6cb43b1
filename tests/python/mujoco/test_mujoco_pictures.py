"""Contact surfaces in pictures."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_scenes import after, pad_model, placed

import taxel

pytestmark = pytest.mark.usefixtures("warned")


def drawn(model: mujoco.MjModel, data: mujoco.MjData, room: int = 20000) -> tuple[int, np.ndarray]:
    """Geoms of the abstract scene that are not triangles, and the colours of those that are. Needs no display."""
    scene = mujoco.MjvScene(model, room)
    option, perturb, camera = mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera()
    mujoco.mjv_updateScene(model, data, option, perturb, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
    geoms = scene.geoms[: scene.ngeom]
    triangles = [g.rgba.copy() for g in geoms if g.type == mujoco.mjtGeom.mjGEOM_TRIANGLE]
    return len(geoms) - len(triangles), np.array(triangles).reshape(-1, 4)


BALL = f'<body {placed((0.012, -0.02, 0.019))}><freejoint/><geom name="ball" type="sphere" size="0.02"/></body>'


def test_surfaces_are_drawn_from_blue_to_red():
    model = pad_model(BALL)
    data = mujoco.MjData(model)
    others, colours = drawn(model, data)
    assert (others, len(colours)) == (2, 0)  # nothing was computed yet
    mujoco.mj_forward(model, data)
    others, colours = drawn(model, data)
    assert others == 2 and len(colours) > 100
    red, blue = colours[:, 0], colours[:, 2]
    assert (red > 4 * blue).any() and (blue > 4 * red).any()  # the middle and the rim
    assert colours.min() >= 0 and colours.max() <= 1 and np.all(colours[:, 3] == 1)
    # The red end held far above: all is blue.
    _, dim = drawn(*forwarded(pad_model(BALL, show_pressure=1e7)))
    assert len(dim) > 0 and np.all(dim[:, 2] > 4 * dim[:, 0])


def forwarded(model: mujoco.MjModel) -> tuple[mujoco.MjModel, mujoco.MjData]:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("coupling", ["rows", "explicit", "sense"])
def test_drawing_can_be_switched_off(coupling):
    shown, hidden = pad_model(BALL, coupling=coupling), pad_model(BALL, coupling=coupling, show="false")
    assert len(drawn(*forwarded(shown))[1]) > 100
    others, colours = drawn(*forwarded(hidden))
    assert (others, len(colours)) == (2, 0)
    assert len(taxel.touches(*forwarded(hidden))) == 1


def test_a_small_scene_is_filled_and_no_more():
    others, colours = drawn(*forwarded(pad_model(BALL)), room=40)
    assert others + len(colours) == 40


def test_drawing_leaves_the_physics_alone():
    model = pad_model()
    one, two = after(model, 0.1), after(model, 0.1)
    for _ in range(20):
        mujoco.mj_step(model, one)
        drawn(model, one)
        taxel.touches(model, one)
        mujoco.mj_step(model, two)
    assert np.array_equal(one.qpos, two.qpos)
