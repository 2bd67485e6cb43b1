"""Two laws of mode "taxel": the sticking radius of a ball under a tangential load, and a long drag.

Sticking radius. The points of the model are springs without coupling (squeeze 0): a ball of force P under the load Q
sticks within c/a = (1 - Q / mu P)^(1/4). Cattaneo and Mindlin's half space has the power 1/3; beside both, the cells of
the elastic layer of `taxel.reference`, pressed without friction and then slid.

Drag. 10 mm along the gel: the tangential force rises, then stays at its bound, and the field at a marker does not
depend on how many points or markers there are. HydroShear's sums carry no area, so theirs does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import taxel

from ...reference import QUICK, STICK, LayerContact, LayerGrid, Sphere, ball_pose
from ...reference.motions import BALL_RADIUS, MARKER_PITCH
from .motion_models import SURFACE

DEPTH = 0.2e-3
"""Shallow: the closed forms take the ball for a paraboloid on a flat gel."""
AT_BOUND = 0.999
"""Share of its bound from which a point counts as sliding."""
DRAG, DRAG_STEP, DRAG_DEPTH = 10e-3, 1e-4, 0.5e-3
RADII = (0.75e-3, 0.375e-3)
"""Of the Poisson-disk samples of the ball, m."""


def _pose(x: float, y: float, depth: float) -> np.ndarray:
    X = ball_pose(x, y, depth)
    X[2, 3] += SURFACE
    return X


def local_law(q: Any) -> np.ndarray:
    return np.maximum(1 - np.asarray(q), 0) ** 0.25


def mindlin_law(q: Any) -> np.ndarray:
    return np.maximum(1 - np.asarray(q), 0) ** (1 / 3)


def ball_cap(count: int, height: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points of equal area on the lowest ``height`` (m) of the ball, their outward normals and areas: a spiral."""
    k = np.arange(count) + 0.5
    z = -1 + k / count * height / BALL_RADIUS
    around, across = math.pi * (3 - math.sqrt(5)) * k, np.sqrt(1 - z**2)
    normals = np.column_stack([across * np.cos(around), across * np.sin(around), z])
    return BALL_RADIUS * normals, normals, np.full(count, 2 * math.pi * BALL_RADIUS * height / count)


def stick_curve(quick: bool) -> list[dict[str, float]]:
    """q = Q / mu P from the wrench, and c/a over a slide: the share of the contact points that sticks is (c/a)^2."""
    mini, ball = taxel.gelsight_mini_markers(dome=False), taxel.Body.sphere(BALL_RADIUS)
    points, normals, areas = ball_cap(4000 if quick else 20000, 1.2 * DEPTH)
    field = taxel.MarkerField(mini.pad, mini.markers, ball, points=points, normals=normals, areas=areas, squeeze=0.0)
    mu, stiff, shear = (field.parameters[n] for n in ("friction", "normal_stiffness", "shear_stiffness"))
    yields_at = mu * stiff * DEPTH / shear  # from here on the deepest point slides
    for depth in np.linspace(-5e-5, DEPTH, 10):
        field.step(_pose(0, 0, depth))
    rows = []
    for share in np.linspace(0.05, 0.95, 10 if quick else 19):
        X = _pose(share * yields_at, 0, DEPTH)
        field.step(X)
        inward = X[:3, 3] - field.contact_points
        inward /= np.linalg.norm(inward, axis=1, keepdims=True)
        normal = -(field.contact_forces * inward).sum(axis=1)
        tangential = np.linalg.norm(field.contact_forces + normal[:, None] * inward, axis=1)
        q = float(field.wrench[0] / (-mu * field.wrench[2]))
        rows.append({"q": q, "ratio": math.sqrt(np.mean(tangential < AT_BOUND * mu * normal))})
    return rows


def layer_stick_curve(quick: bool) -> list[dict[str, float]]:
    """The same from the elastic layer."""
    grid = LayerGrid(QUICK.layer, (128, 128), 0.2e-3 if quick else 0.15e-3)
    contact = LayerContact(grid, Sphere(BALL_RADIUS), 0.0, 2e-5, 3e-4)
    contact.move(ball_pose(0, 0, 0.0))
    contact.move(ball_pose(0, 0, DEPTH))
    contact.friction = mu = 0.5
    rows = []
    for x in np.linspace(2e-5, 2.8e-4, 6 if quick else 14):
        state = contact.move(ball_pose(x, 0, DEPTH))
        sticking, touching = np.count_nonzero(state.status == STICK), np.count_nonzero(state.status)
        if sticking:
            q = float(state.force[0] / (-mu * state.force[2]))
            rows.append({"q": q, "ratio": math.sqrt(sticking / touching)})
    return rows


def marker_lattice(refine: int) -> np.ndarray:
    """9 x 7 markers of a Mini, with ``refine`` - 1 more between any two; those of refine = 1 are among them."""
    y, x = (np.arange(-(n - 1) / 2, (n - 1) / 2 + 1e-9, 1 / refine) * MARKER_PITCH for n in (9, 7))
    X, Y = np.meshgrid(x, y)
    return np.column_stack([X.ravel(), Y.ravel(), np.full(X.size, SURFACE)])


def _coarse(refine: int) -> np.ndarray:
    """Indices of the 63 markers in the lattice."""
    rows, columns = 8 * refine + 1, 6 * refine + 1
    return np.arange(rows * columns).reshape(rows, columns)[::refine, ::refine].ravel()


def _sampled(radius: float) -> dict[str, np.ndarray]:
    """Points, normals and areas of Poisson-disk samples of the ball."""
    mini = taxel.gelsight_mini_markers(dome=False)
    probe = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(BALL_RADIUS), radius=radius)
    return {"points": probe.points, "normals": probe.normals, "areas": probe.areas}


def drag(mode: str, samples: dict[str, np.ndarray], refine: int) -> dict[str, Any]:
    """Along +y through the middle: fields of the 63 markers in px at each step, and Q / mu P where forces are known."""
    mini, ball, markers = (
        taxel.gelsight_mini_markers(dome=False),
        taxel.Body.sphere(BALL_RADIUS),
        marker_lattice(refine),
    )
    known = samples if mode == "taxel" else {k: samples[k] for k in ("points", "normals")}
    field = taxel.MarkerField(mini.pad, markers, ball, mode, **known)
    for depth in np.linspace(-5e-5, DRAG_DEPTH, 8):
        field.step(_pose(0, -0.5 * DRAG, depth))
    way = np.arange(0, DRAG + 0.5 * DRAG_STEP, DRAG_STEP)
    moved, share = [], []
    for y in way:
        pixels = field.step(_pose(0, y - 0.5 * DRAG, DRAG_DEPTH))
        moved.append(pixels[_coarse(refine), :2])
        if mode == "taxel":
            share.append(field.wrench[1] / (-field.parameters["friction"] * field.wrench[2]))
    fields = np.stack(moved)
    return {
        "mode": mode,
        "refine": refine,
        "markers": len(markers),
        "points": len(samples["points"]),
        "way": way,
        "fields": fields,
        "rms": np.sqrt((fields**2).sum(axis=2).mean(axis=1)),
        "load": np.array(share),
    }


def drags() -> list[dict[str, Any]]:
    """Two point densities and two marker counts, for mode "taxel" and, with the numbers of the release, "paper"."""
    sampled = [_sampled(radius) for radius in RADII]
    return [drag(mode, s, refine) for mode in ("taxel", "paper") for s in sampled for refine in (1, 2)]


def drag_row(runs: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    """What changes with points and with markers, relative to the field of the coarse run; rms over the whole way."""
    coarse, more_markers, more_points, _ = (r for r in runs if r["mode"] == mode)

    def change(other: dict[str, Any]) -> float:
        return float(np.sqrt(((other["fields"] - coarse["fields"]) ** 2).mean() / (coarse["fields"] ** 2).mean()))

    return {
        "mode": mode,
        "points": [coarse["points"], more_points["points"]],
        "markers": [coarse["markers"], more_markers["markers"]],
        "change_points": change(more_points),
        "change_markers": change(more_markers),
    }
