"""HydroShear, FOTS and TacSL once more: slow, one line an equation, written from the paper and from what is known of
the published code. Nothing here comes from taxel; the tests compare both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Distance = Callable[[np.ndarray], np.ndarray]


def relu(x):
    return np.maximum(x, 0)


# --- signed distances ----------------------------------------------------------------------------------------------


def sphere(radius: float) -> Distance:
    return lambda p: np.sqrt((p**2).sum(-1)) - radius


def box(size) -> Distance:
    half = np.asarray(size) / 2

    def distance(p):
        q = np.abs(p) - half
        return np.sqrt((relu(q) ** 2).sum(-1)) + np.minimum(q.max(-1), 0)

    return distance


def mesh(vertices, triangles) -> Distance:
    """Brute force: least distance to any triangle, inside where the solid angles add up to 4 pi."""
    a, b, c = (np.asarray(vertices, float)[np.asarray(triangles)[:, k]] for k in range(3))

    def to_segment(p, s, e):
        along = ((p - s) * (e - s)).sum(-1) / ((e - s) ** 2).sum(-1)
        return np.sqrt(((p - s - np.clip(along, 0, 1)[..., None] * (e - s)) ** 2).sum(-1))

    def distance(points):
        p = np.atleast_2d(points)[:, None]
        least = np.minimum(np.minimum(to_segment(p, a, b), to_segment(p, b, c)), to_segment(p, c, a))
        n = np.cross(b - a, c - a)
        n /= np.sqrt((n**2).sum(-1))[:, None]
        height = ((p - a) * n).sum(-1)
        foot = p - height[..., None] * n
        over = np.ones(height.shape, bool)
        for s, e in ((a, b), (b, c), (c, a)):
            over &= (np.cross(e - s, foot - s) * n).sum(-1) >= 0
        least = np.where(over, np.minimum(least, np.abs(height)), least).min(1)
        u, v, w = a - p, b - p, c - p
        lu, lv, lw = (np.sqrt((k**2).sum(-1)) for k in (u, v, w))
        top = (u * np.cross(v, w)).sum(-1)
        bottom = lu * lv * lw + (u * v).sum(-1) * lw + (v * w).sum(-1) * lu + (w * u).sum(-1) * lv
        winding = (2 * np.arctan2(top, bottom)).sum(1) / (4 * np.pi)
        return np.where(winding > 0.5, -least, least)

    return distance


def nearest_voxel(exact: Distance, low, high, spacing: float) -> Distance:
    """The exact distance at the nearest centre low + spacing (i, j, k); beyond the last centre the exact one."""
    low = np.asarray(low, float)
    count = np.ceil((np.asarray(high) - low) / spacing - 1e-9) + 1

    def distance(p):
        k = np.round((p - low) / spacing)
        held = ((k >= 0) & (k < count)).all(-1)
        return np.where(held, exact(low + spacing * k), exact(p))

    return distance


# --- HydroShear ----------------------------------------------------------------------------------------------------


def apply(X, p):
    return p @ X[:3, :3].T + X[:3, 3]


class Paper:
    """Eqs. 2 to 17. Both trackers run, that of the forces (E = K, A) and that of the displacements (1, 1, 1)."""

    def __init__(self, phi_E, phi_I, markers, points, outward, lambda_d, lambda_s, mu, K, A, scale_d, scale_s,
                 E=None, mu_hat=None):  # fmt: skip
        self.__dict__.update(locals())
        self.E = K if E is None else E
        self.mu_hat = mu if mu_hat is None else mu_hat
        self.A = np.broadcast_to(np.asarray(A, float), len(points))
        self.force = np.zeros_like(points)
        self.displacement = np.zeros_like(points)
        self.X = None
        self.stuck = self.slipped = 0

    def F(self, f, X, X_before, E, K, A, mu):
        o, o_before = apply(X, self.points), apply(X_before, self.points)
        phi, phi_before = self.phi_E(o), self.phi_E(o_before)
        out = np.zeros_like(f)
        for j in range(len(f)):
            n = -X[:3, :3] @ self.outward[j]  # into the indenter
            if phi[j] == phi_before[j]:
                alpha = -1.0 if phi[j] < 0 else 0.0
            else:
                alpha = (relu(-phi[j]) - relu(-phi_before[j])) / (phi[j] - phi_before[j])  # (6)
            d = alpha * (o[j] - o_before[j])  # (7)
            d_n = d @ n
            d_xy = d - d_n * n
            f_n = f[j] @ n + E * A[j] * d_n  # (8)
            f_xy = (f[j] - (f[j] @ n) * n) + K * A[j] * d_xy  # (9)
            bar_n = relu(f_n)  # (10)
            length = np.linalg.norm(f_xy)
            bar_xy = f_xy if length == 0 else min(1.0, mu * bar_n / length) * f_xy  # (11)
            if phi[j] < 0:
                out[j] = bar_n * n + bar_xy  # (12)
                self.slipped += length > mu * bar_n
                self.stuck += length <= mu * bar_n
        return out

    def step(self, X, shift=None):
        before = X if self.X is None else self.X
        one = np.ones(len(self.points))
        self.force = self.F(self.force, X, before, self.E, self.K, self.A, self.mu)
        self.displacement = self.F(self.displacement, X, before, 1, 1, one, self.mu_hat)  # (14)
        self.X = X
        force, displacement = self.force, self.displacement
        if shift is not None:
            force = self.F(force, shift @ X, X, self.E, self.K, self.A, self.mu)
            displacement = self.F(displacement, shift @ X, X, 1, 1, one, self.mu_hat)
        out = np.zeros((len(self.markers), 3))
        phi_I = self.phi_I((self.markers - X[:3, 3]) @ X[:3, :3])
        for c in np.flatnonzero(phi_I < 0):
            v = self.markers[:, :2] - self.markers[c, :2]  # (4)
            gauss = np.exp(-self.lambda_d * (v**2).sum(1))
            out[:, :2] += self.scale_d * -phi_I[c] * v * gauss[:, None]  # (3)
        o = apply(X, self.points)
        phi_E = self.phi_E(o)
        for k in np.flatnonzero(phi_E < 0):
            v = self.markers[:, :2] - (o[k] + displacement[k])[:2]  # (13), (17)
            gauss = np.exp(-self.lambda_s * (v**2).sum(1))
            out[:, :2] += self.scale_s * -phi_E[k] * -force[k, :2] * gauss[:, None]  # (16)
        return out


class Release:
    """The update of the published code: whole arrays, no point left out."""

    def __init__(self, phi_E, phi_I, markers, points, lambda_d, lambda_s, mu, scale_d, scale_s):
        self.__dict__.update(locals())
        self.f = np.zeros_like(points)
        self.before = self.phi_before = None
        self.stuck = self.slipped = 0

    def track(self, f, o, phi, o_before, phi_before):
        top, bottom = relu(-phi) - relu(-phi_before), phi_before - phi
        with np.errstate(invalid="ignore", divide="ignore"):
            alpha = np.where(bottom == 0, (phi < 0).astype(float), top / bottom)
        f = f + alpha[:, None] * (o_before - o)
        f_n, f_t = relu(f[:, 2]), f[:, :2]
        length = np.linalg.norm(f_t, axis=1)
        self.slipped += int(((phi < 0) & (length > self.mu * f_n)).sum())
        self.stuck += int(((phi < 0) & (length <= self.mu * f_n)).sum())
        f_t = f_t * (np.minimum(self.mu * f_n, length) / (length + 1e-8))[:, None]
        f = np.column_stack([f_t, f_n])
        f[phi >= 0] = 0
        return f

    def step(self, X, shift=None):
        m = self.markers
        h = relu(-self.phi_I((m - X[:3, 3]) @ X[:3, :3]))
        v = m[:, None] - m[None]
        dilation = (h[None, :, None] * v * np.exp(-self.lambda_d * (v**2).sum(-1))[..., None]).sum(1)
        o = apply(X, self.points)
        phi = self.phi_E(o)
        if self.before is None:
            self.before, self.phi_before = o, phi
        self.f = f = self.track(self.f, o, phi, self.before, self.phi_before)
        self.before, self.phi_before = o, phi
        if shift is not None:
            shifted = apply(shift @ X, self.points)
            f = self.track(f, shifted, self.phi_E(shifted), o, phi)
        v = m[:, None] - (o + f)[None]
        shear = -(f[None, :, 2:] * f[None] * np.exp(-self.lambda_s * (v**2).sum(-1))[..., None]).sum(1)
        return self.scale_d * dilation + self.scale_s * shear


# --- FOTS ----------------------------------------------------------------------------------------------------------


def quaternion(R):
    """(w, x, y, z) with w >= 0."""
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    K[0, 1:] = K[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    q = np.linalg.eigh(K)[1][:, -1]
    return q if q[0] >= 0 else -q


class Fots:
    """Four variants; numbers of the publications. Pixels; depths in mm ("fots", "contact_center") or m."""

    def __init__(
        self, markers, phi_I, variant, pixel, whole=False, image_origin=(0, 0, 0), center=None, twist_about="now"
    ):
        self.__dict__.update(locals())
        self.chained = variant in ("fots", "contact_center")
        self.about_contact = variant in ("contact_center", "hydroshear_reimpl")
        self.lambdas = {
            "fots": (0.00125, 0.00021, 0.00038),
            "contact_center": (0.00125, 0.00021, 0.00038),
            "hydroshear_original": (5e-6 / pixel, 3.08307, 0.71568),  # 1/m
            "hydroshear_reimpl": (300, 203.3439, 326),
        }[variant]
        self.history = []
        self.tracked = np.zeros(3)
        self.touching = False

    def step(self, X):
        m, R = self.markers, X[:3, :3]
        h = relu(-self.phi_I((m - X[:3, 3]) @ R))
        pressed = h > 0
        if pressed.any() and not self.touching:
            if self.about_contact:
                self.tracked = (m[pressed].mean(0) - X[:3, 3]) @ R
            if self.chained:
                self.history = []
        if self.center is not None:
            self.tracked = np.asarray(self.center, float)
        if not pressed.any():
            self.history = []
        self.touching = bool(pressed.any())
        q = quaternion(R)
        if self.history and q @ self.history[-1][1] < 0:
            q = -q
        self.history.append((X, q))
        if not self.touching:
            return np.zeros((len(m), 3))
        return self.as_coded(X, h) if self.chained else self.altered(X, h)

    def as_coded(self, X, h):
        cut = np.trunc if self.whole else np.asarray

        def pixels(p):
            return ((p - np.asarray(self.image_origin)) / self.pixel)[..., :2]

        start, now = pixels(apply(self.history[0][0], self.tracked)), pixels(apply(X, self.tracked))
        ld, ls, lt = self.lambdas
        M = rest = pixels(self.markers)
        moved = np.zeros_like(M)
        for j in np.flatnonzero(h > 0):
            v = M - cut(rest[j])
            moved += 1000 * h[j] * v * np.exp(-ld * (v**2).sum(1))[:, None]
        M = M + moved
        M = M + cut(now - start) * np.exp(-ls * ((M - cut(start)) ** 2).sum(1))[:, None]
        turn = X[:3, :3] @ self.history[0][0][:3, :3].T
        theta = np.clip(np.arctan2(turn[1, 0], turn[0, 0]), -np.radians(50), np.radians(50))
        R = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
        v = M - cut(now if self.twist_about == "now" else start)
        M = M + v @ (R - np.eye(2)).T * np.exp(-lt * (v**2).sum(1))[:, None]
        return np.column_stack([M - rest, np.zeros(len(M))])

    def altered(self, X, h):
        ld, ls, lt = self.lambdas
        scale = 2.5 if self.variant == "hydroshear_reimpl" else 1.0
        m = self.markers
        v = m[:, None] - m[None]
        out = scale * (h[None, :, None] * v * np.exp(-ld * np.linalg.norm(v, axis=-1))[..., None]).sum(1)
        G, now = (apply(Y, self.tracked)[:2] for Y in (self.history[0][0], X))

        def rotation_vector_z(q):
            length = np.linalg.norm(q[1:])
            return 0.0 if length == 0 else 2 * np.arctan2(length, q[0]) * q[3] / length

        theta = rotation_vector_z(self.history[-1][1]) - rotation_vector_z(self.history[0][1])
        theta = np.clip(theta, -np.pi, np.pi)
        v = m[:, :2] - G
        r = np.linalg.norm(v, axis=1)[:, None]
        R = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
        out[:, :2] += (now - G) * np.exp(-ls * r) + (v @ R.T - v) * np.exp(-lt * r)
        return out / self.pixel


# --- TacSL ---------------------------------------------------------------------------------------------------------


def tacsl(points, phi_I, X_WP, X_WI, pad, thing, kn, kt, mu, unit):
    """pad, thing: (v, w) of the origins. Gradients by central differences. (depth, normal, shear)."""
    p_W = apply(X_WP, points)
    p_I = (p_W - X_WI[:3, 3]) @ X_WI[:3, :3]
    depth = relu(-phi_I(p_I))
    step = 1e-7
    n_I = np.column_stack([(phi_I(p_I + step * e) - phi_I(p_I - step * e)) / (2 * step) for e in np.eye(3)])
    n_I /= np.linalg.norm(n_I, axis=1)[:, None]
    n = n_I @ X_WI[:3, :3].T
    arm = (p_I + depth[:, None] * n_I) @ X_WI[:3, :3].T
    v = pad[0] + np.cross(pad[1], p_W - X_WP[:3, 3]) - (thing[0] + np.cross(thing[1], arm))
    v_t = v - (v * n).sum(1)[:, None] * n
    speed = np.linalg.norm(v_t, axis=1)
    F = kn * depth[:, None] * n
    F -= (np.minimum(kt * speed, mu * kn * depth) / np.maximum(speed, 1e-30))[:, None] * v_t
    F = np.where(depth[:, None] > 0, F, 0) @ X_WP[:3, :3]
    shear = F[:, :2]
    if unit:
        length = np.linalg.norm(shear, axis=1)[:, None]
        shear = np.where(length > 0, shear / np.maximum(length, 1e-300), 0)
    return depth, -F[:, 2], shear
