"""Recordings of a pressed array, made without the package's own: bodies are placed by their corners, pressures come
from taxel.contact and taxel.Skin, readings from taxel.SignalChain."""

import math

import numpy as np

import taxel
from taxel.calibrate import Indenter, Pad, Presses

SIZE, THICKNESS, SHAPE = (0.09, 0.06), 0.012, (6, 9)
TAXELS = SHAPE[0] * SHAPE[1]
MODULUS = 6e4
COUNTS = {"unit": "counts", "bits": 12, "full_scale": 8e4, "inverted": True}
SPHERE, LYING = Indenter("sphere", radius=0.015), Indenter("cylinder", radius=0.01, length=0.03)
FLAT, BOX = Indenter("flat", radius=0.009), Indenter("box", length=0.025, width=0.015)
ALL = (SPHERE, LYING, FLAT, BOX)


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array(
        {
            "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
    )


def place(one, x, y, yaw, pitch, roll, depth):
    """Body and pose: the corners (or rims) say which point is lowest."""
    if one.kind == "sphere":
        return taxel.Body.sphere(one.radius), taxel.pose((x, y, one.radius - depth))
    H = 0.07
    around = np.linspace(0, 2 * np.pi, 4001)
    rim = np.column_stack([one.radius * np.cos(around), one.radius * np.sin(around)])
    R = turn("z", yaw) @ turn("y", pitch)
    if one.kind == "cylinder":
        body, lie, half = taxel.Body.cylinder(one.radius, one.length), turn("y", np.pi / 2), one.length / 2
        corners = np.vstack([np.column_stack([rim, np.full(len(rim), s * half)]) for s in (-1, 1)]) @ lie.T
        below = (0, 0, -one.radius)
    else:
        R, lie, below = R @ turn("x", roll), np.eye(3), (0, 0, -H / 2)
        if one.kind == "flat":
            body, corners = taxel.Body.cylinder(one.radius, H), np.column_stack([rim, np.full(len(rim), -H / 2)])
        else:
            body = taxel.Body.box((one.length, one.width, H))
            corners = np.array([(a * one.length / 2, b * one.width / 2, -H / 2) for a in (-1, 1) for b in (-1, 1)])
    tip = R @ below
    z = -depth - (corners @ R.T)[:, 2].min()
    return body, taxel.pose((x - tip[0], y - tip[1], z), R=R @ lie)


def record(
    chain,
    seed=0,
    *,
    presses=32,
    depths=(0.0012, 0.002, 0.003),
    still=60,
    touch=0.0,
    force_noise=0.01,
    tilt=0.05,
    indenters=ALL,
    repeats=1,
    tare=0.0,
    **pad,
):
    """A recording of the rig, and the layout of its taxels."""
    rng = np.random.default_rng(seed)
    body = taxel.Body.box((*SIZE, THICKNESS), MODULUS, field="backed")
    skin = taxel.Skin(body, shape=SHAPE)
    X_WP = taxel.pose((0, 0, -THICKNESS / 2))
    rows, pressures, forces, names = [], [], [], []
    for _ in range(still):
        rows.append((-1, 0, 0, 0, 0, 0, math.nan))
        pressures.append(np.zeros(TAXELS))
        forces.append(0.0)
        names.append("still")
    for k in range(presses):
        x, y = ((k + 0.5) / presses - 0.5) * SIZE[0], ((k * 0.618) % 1 - 0.5) * SIZE[1]
        turned = (rng.uniform(-np.pi, np.pi), *rng.uniform(-tilt, tilt, 2))
        for depth in depths:
            kind = k % len(indenters)
            other, X_WB = place(indenters[kind], x, y, *turned, depth - touch)
            surface = taxel.contact(body, X_WP, other, X_WB)
            for _ in range(repeats):
                rows.append((kind, x, y, *turned, depth))
                pressures.append(skin.read(surface, X_WP).values.ravel())
                forces.append(surface.force_on_B[2])
                names.append(f"p{k}")
    device = taxel.SignalChain(skin.layout, 0.1, description={"seed": seed, **chain})
    readings = np.array([device(0.1 * k, row) for k, row in enumerate(pressures)])
    table = np.array(rows, float)
    keys = {"unit": "counts", "bits": 12} if chain.get("unit") == "counts" else {"unit": "Pa"}
    return Presses(
        pad=Pad(size=SIZE, thickness=THICKNESS, shape=SHAPE, **(keys | pad)),
        indenters=list(indenters),
        press=np.array(names),
        indenter=table[:, 0].astype(int),
        pose=table[:, 1:6],
        depth=table[:, 6],
        force=np.array(forces) + tare + force_noise * rng.standard_normal(len(table)),
        readings=readings,
    )


def gains_of(seed, spread=0.1):
    gains = np.exp(spread * np.random.default_rng(100 + seed).standard_normal(TAXELS))
    return gains / gains.mean()


def covers(estimate, value):
    return estimate.low <= value <= estimate.high
