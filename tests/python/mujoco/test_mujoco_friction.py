"""Friction: both laws, on inclines, sliding and shaken, and pairs with friction of their own."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_scenes import GRAVITY, R_WP, after, block, in_P, pad_model, pad_xml

import taxel

pytestmark = pytest.mark.usefixtures("warned")


def instance(name: str, geoms: list[str], **keys: str) -> dict[str, str]:
    """A second instance and its tuple, as arguments of ``pad_model``."""
    config = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
    elements = "".join(f'<element objtype="geom" objname="{g}"/>' for g in geoms)
    return {
        "instances": f'<instance name="{name}">{config}</instance>',
        "tuples": f'<tuple name="{name}">{elements}</tuple>',
    }


# Stiff, so that the slab sinks in by 0.02 mm only: its side walls and its pitch would show in the friction.
FIRM = dict(modulus=2e6)
STRIBECK = {**FIRM, "friction": "0.8 0.3", **instance("steel", ["block"], modulus="0", friction="0.8 0.3")}


def inclined(angle: float, toward=(0.6, -0.8)) -> np.ndarray:
    """Gravity seen from a pad that is inclined by ``angle``; ``toward``, in the pad's plane, is downhill."""
    return 9.81 * R_WP @ (*(np.sin(angle) * np.array(toward)), -np.cos(angle))


def slid(model: mujoco.MjModel, tangent: float, seconds: float, shake: float = 0.0) -> np.ndarray:
    """How far the block is downhill, step by step, after the pad was tilted slowly; ``shake`` in m/s2, at 25 Hz."""
    data = after(model, 0.0)
    downhill = R_WP @ (0.6, -0.8, 0)
    out = []
    while data.time < 0.5 + seconds:
        model.opt.gravity[:] = inclined(np.arctan(tangent) * min(data.time / 0.4, 1))
        model.opt.gravity[:] += (data.time > 0.5) * shake * np.sin(2 * np.pi * 25 * (data.time - 0.5)) * downhill
        mujoco.mj_step(model, data)
        if data.time > 0.5:
            out.append(data.qpos[:3] @ downhill)
    return np.array(out)


@pytest.mark.parametrize(("tangent", "slides"), [(0.77, False), (0.83, True)])
def test_sliding_starts_above_static_friction(tangent, slides):
    place = slid(pad_model(block(p_P=(0.0, 0.0), depth=2e-5), **STRIBECK), tangent, 0.1)
    # Once it slides, dynamic friction lets it accelerate with 0.4 g.
    assert (place[-1] - place[0] > 5e-3) if slides else (place[-1] - place[0] < 1e-6)


def test_sliding_is_slowed_by_dynamic_friction():
    model = pad_model(block(p_P=(-0.02, 0.005), depth=2e-5), **STRIBECK)
    model.opt.gravity[:] = inclined(0.0)
    data = after(model, 0.2)
    direction = R_WP @ (0.8, -0.6, 0)
    data.qvel[:3] = 0.4 * direction
    mujoco.mj_step(model, data, nstep=5)
    before = data.qvel[:3] @ direction
    mujoco.mj_step(model, data, nstep=30)
    # Far above the Stribeck speed of 1 cm/s; static friction would take 0.47 m/s away.
    assert before - data.qvel[:3] @ direction == pytest.approx(0.3 * 9.81 * 0.06, rel=0.03)
    mujoco.mj_step(model, data, nstep=300)
    assert np.linalg.norm(data.qvel[:3]) < 1e-5


@pytest.mark.parametrize("breakaway", [0, 1])
def test_both_laws_hold_on_an_incline(breakaway):
    place = slid(pad_model(**FIRM, friction=0.9, breakaway=breakaway), 0.5, 1.0)
    assert np.ptp(place[-250:]) < 1e-7


def test_only_lugre_creeps_under_vibration():
    crept = []
    for breakaway in (0, 1):
        # Shaken, it needs at most 0.75 of what friction can give.
        place = slid(pad_model(**FIRM, friction=0.9, breakaway=breakaway), 0.5, 0.8, shake=1.5)
        period = place[: len(place) // 20 * 20].reshape(-1, 20).mean(axis=1)
        crept.append(period[-1] - period[len(period) // 2])
    assert crept[0] > 1e-5
    assert abs(crept[1]) < 0.05 * crept[0]


def test_a_pair_has_friction_of_its_own():
    bodies = block("dry", (0.03, 0.012), depth=2e-5) + block("block", (-0.02, -0.01), depth=2e-5, turn=-0.3)
    model = pad_model(bodies, **FIRM, **instance("oiled", ["block", "pad"], pair="true", friction="0.05"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    dry, oiled = in_P(data, "dry"), in_P(data, "block")
    mujoco.mj_step(model, data, nstep=50)
    mujoco.mj_forward(model, data)
    assert np.linalg.norm(in_P(data, "dry") - dry) < 5e-5
    # a = g (sin - mu cos), from rest
    g_P = R_WP.T @ GRAVITY
    expected = 0.5 * (np.hypot(*g_P[:2]) + 0.05 * g_P[2]) * 0.1**2
    assert np.linalg.norm((in_P(data, "block") - oiled)[:2]) == pytest.approx(expected, rel=0.03)


def test_a_native_pair_is_left_to_mujoco():
    model = pad_model(**instance("hard", ["block", "pad"], pair="true", native="true"))
    data = after(model, 0.2)
    assert taxel.touches(model, data) == []
    native = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    assert np.array_equal(data.qpos, after(native, 0.2).qpos)
