"""Mode "taxel" of MarkerField once more: slow, one line an equation, written from the comments of taxel_law.h,
gel_surface.h, marker_spread.h and taxel_field.h. Nothing here comes from taxel; the tests compare both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FAR = 1.0  # m: "beside" a gel
Z = np.array([0.0, 0.0, 1.0])


# --- gels: a function of a point -> height above the surface, normal out of the gel ---------------------------------


class Flat:
    def __init__(self, size) -> None:
        self.half = 0.5 * np.asarray(size, float)

    def __call__(self, p):
        (x, y, z), (a, b, c) = p, self.half
        if abs(x) > a or abs(y) > b or z < -c:
            return FAR, Z
        return z - c, Z


class Lattice:
    """Trilinear between the values of ``distance`` at low + spacing (i, j, k), which reach ``margin`` beyond a box."""

    def __init__(self, distance: Callable, low, high, spacing: float, margin: float) -> None:
        self.low, self.spacing = np.asarray(low, float) - margin, spacing
        counts = np.ceil((np.asarray(high) + margin - self.low) / spacing - 1e-9).astype(int) + 1
        nodes = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), -1)
        self.values = distance(self.low + spacing * nodes.reshape(-1, 3)).reshape(counts)

    def __call__(self, p):
        s = (p - self.low) / self.spacing
        if (s < 0).any() or (s > np.array(self.values.shape) - 1).any():
            return FAR, Z
        cell = np.minimum(s.astype(int), np.array(self.values.shape) - 2)
        t = s - cell
        height, slope = 0.0, np.zeros(3)
        for corner in np.ndindex(2, 2, 2):
            share = [t[k] if corner[k] else 1 - t[k] for k in range(3)]
            change = [(1 if corner[k] else -1) / self.spacing for k in range(3)]
            value = self.values[tuple(cell + corner)]
            height += value * share[0] * share[1] * share[2]
            slope += value * np.array(
                [change[0] * share[1] * share[2], share[0] * change[1] * share[2], share[0] * share[1] * change[2]]
            )
        return height, slope / np.linalg.norm(slope)


# --- poses -----------------------------------------------------------------------------------------------------------


def part_of_the_way(A: np.ndarray, B: np.ndarray, at: float) -> np.ndarray:
    """Turned about one axis; the origin on a straight line."""
    turn = B[:3, :3] @ A[:3, :3].T
    angle = np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
    X = np.eye(4)
    X[:3, 3] = (1 - at) * A[:3, 3] + at * B[:3, 3]
    X[:3, :3] = A[:3, :3]
    if angle > 1e-9:
        skew = (turn - turn.T) / (2 * np.sin(angle))
        X[:3, :3] = (np.eye(3) + np.sin(at * angle) * skew + (1 - np.cos(at * angle)) * skew @ skew) @ A[:3, :3]
    return X


# --- the model -------------------------------------------------------------------------------------------------------


def without(v, n):
    return v - (v @ n) * n


def free_flow(squeeze, depth, n, g):
    return -squeeze * depth * without(n, g)


class TaxelMode:
    """objects: (points, outward normals, areas) each. step() returns px and fills force, torque, marker_forces."""

    def __init__(self, gel: Callable, markers: np.ndarray, objects: list, p: dict[str, float], substeps: int = 1):
        self.gel, self.markers, self.objects, self.p, self.substeps = gel, markers, objects, p, substeps
        self.normals = np.array([gel(m)[1] for m in markers])
        apart = np.linalg.norm(markers[:, None] - markers[None], axis=-1)
        np.fill_diagonal(apart, np.inf)
        nearest = np.sort(apart.min(1))
        self.force_lambda = 1 / nearest[len(nearest) // 2] ** 2
        self.X = None
        self.stretch = [np.zeros_like(o[0]) for o in objects]
        self.late = np.zeros_like(markers)
        self.stuck = self.slipped = self.entered = 0

    def move(self, k: int, stretch: np.ndarray, A: np.ndarray | None, B: np.ndarray) -> np.ndarray:
        """Stretches of object k after a move from A to B; 0 outside."""
        points, outward, _ = self.objects[k]
        slip = self.p["friction"] * self.p["normal_stiffness"] / self.p["shear_stiffness"]
        squeeze, out = self.p["squeeze"], np.zeros_like(stretch)
        for i in range(len(points)):
            o, n = B[:3, :3] @ points[i] + B[:3, 3], -B[:3, :3] @ outward[i]
            height, g = self.gel(o)
            if height >= 0 or A is None:
                continue
            o0, n0 = A[:3, :3] @ points[i] + A[:3, 3], -A[:3, :3] @ outward[i]
            height0, g0 = self.gel(o0)
            inside = height0 < 0
            alpha = 1.0 if inside else -height / (height0 - height)
            s = (stretch[i] if inside else 0) + alpha * (o0 - o) + free_flow(squeeze, -height, n, g)
            s = s - (free_flow(squeeze, -height0, n0, g0) if inside else 0)
            s = without(s, g)
            length, most = np.linalg.norm(without(s, n)), slip * -height
            out[i] = s * min(1.0, most / length) if length > 0 else s
            self.stuck, self.slipped = self.stuck + (length <= most), self.slipped + (length > most)
            self.entered += not inside
        return out

    def step(self, X, shift=None, dt=0.0) -> np.ndarray:
        parts = 1 if self.X is None else self.substeps
        sources = []
        for k, (points, outward, areas) in enumerate(self.objects):
            before = None if self.X is None else self.X[k]
            for j in range(1, parts + 1):
                now = X[k] if j == parts else part_of_the_way(self.X[k], X[k], j / parts)
                self.stretch[k], before = self.move(k, self.stretch[k], before, now), now
            shown = self.stretch[k] if shift is None else self.move(k, self.stretch[k], X[k], shift @ X[k])
            for i in range(len(points)):
                o, n = X[k][:3, :3] @ points[i] + X[k][:3, 3], -X[k][:3, :3] @ outward[i]
                height, g = self.gel(o)
                if height < 0 and n @ g > 0:
                    sources.append((o, n, g, -height, shown[i], areas[i]))
        self.X = [np.array(x) for x in X]
        return self.show(sources, dt)

    def show(self, sources, dt) -> np.ndarray:
        p, markers = self.p, self.markers
        u, self.marker_forces = np.zeros_like(markers), np.zeros_like(markers)
        self.force, self.torque = np.zeros(3), np.zeros(3)
        for o, n, g, depth, stretch, area in sources:
            centre = o + depth * g
            anchor, covered = centre + stretch, area * (n @ g)
            d, a = markers - centre, markers - anchor
            gauss_d = p["lambda_d"] / np.pi * np.exp(-p["lambda_d"] * (d**2).sum(1))
            gauss_s = p["lambda_s"] / np.pi * np.exp(-p["lambda_s"] * (a**2).sum(1))
            u += p["dilate_scale"] * covered * depth * d * gauss_d[:, None]
            u += p["shear_scale"] * -covered * stretch * gauss_s[:, None]
            t = without(stretch, n)
            force = -area * (p["normal_stiffness"] * depth * n + p["shear_stiffness"] * t)
            self.force, self.torque = self.force + force, self.torque + np.cross(o, force)
            d2 = (d**2).sum(1)
            share = np.exp(-self.force_lambda * (d2 - d2.min()))
            self.marker_forces += share[:, None] / share.sum() * force
        u = u - (u * self.normals).sum(1)[:, None] * self.normals
        if p["creep"] > 0:
            self.late += (1 - np.exp(-dt / p["creep_time"])) * (u - self.late)
            u = (1 - p["creep"]) * u + p["creep"] * self.late
        return u
