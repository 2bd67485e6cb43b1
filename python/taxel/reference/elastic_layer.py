"""A linear elastic layer bonded to a rigid base: what surface tractions do to it, exact for every wave vector.

Frame P of the pad: origin in the free surface, z out of the layer; the material fills -H <= z <= 0 and is fixed at
z = -H. With the height s = z + H above the base, the wave vector k along the unit vector r, k = |k|, and

    u_r = i U(s) exp(i k.x)      u_z = W(s) exp(i k.x)      u_t = V(s) exp(i k.x)      (t = z x r)

the equations of Navier, with q = div u / (1 - 2 nu), become

    U'' - k^2 U = -k q      W'' - k^2 W = -q'      W' - k U = (1 - 2 nu) q      q'' = k^2 q      V'' = k^2 V

The last form holds up to nu = 1/2. With U(0) = W(0) = V(0) = 0, a = U'(0), q0 = q(0), S = sinh(k s) / k and
q1 = q'(0) = -k a / (2 - 2 nu):

    q = q0 cosh(k s) + q1 S             P = (s cosh(k s) - S) / (2 k^2)
    U = a S - k q0 s S / 2 - k q1 P     W = (1 - 2 nu) q0 S - q0 k^2 P - q1 s S / 2        V = v S

and a, q0, v follow from the tractions at s = H: (U' + k W, 2 nu q + 2 W', V') G. Every function is computed divided by
exp(k H), so nothing overflows; S and P have series for small k s, so k = 0 (confined compression and simple shear) is
no special case. Tractions are those on the material (a press has traction_z < 0).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import fft


@dataclass(frozen=True)
class ElasticLayer:
    """Thickness H (m), Young's modulus (Pa) and Poisson's ratio of the material."""

    thickness: float
    young: float
    poisson: float

    def __post_init__(self) -> None:
        for name in ("thickness", "young"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} is {value}; it must be finite and > 0 (m, Pa)")
        if not 0.0 <= self.poisson <= 0.49999:
            raise ValueError(
                f"poisson is {self.poisson}; it must lie in 0 to 0.49999 (take that for an incompressible material)"
            )

    @property
    def shear_modulus(self) -> float:
        return self.young / (2.0 * (1.0 + self.poisson))

    @property
    def confined_modulus(self) -> float:
        """Of a layer that cannot spread, lambda + 2 G."""
        return 2.0 * self.shear_modulus * (1.0 - self.poisson) / (1.0 - 2.0 * self.poisson)

    def scalars(self, k: np.ndarray, depth: float = 0.0) -> tuple[np.ndarray, ...]:
        """Real compliances (m/Pa) at a depth under the surface, each shaped as ``k`` (1/m, >= 0).

        Returns (rr, rz, zr, zz, tt): u_r = rr t_r + i rz t_z, u_z = -i zr t_r + zz t_z, u_t = tt t_t.
        At the surface rz = zr (reciprocity).
        """
        if not 0.0 <= depth <= self.thickness:
            raise ValueError(f"depth is {depth} m; it must lie in 0 (surface) to {self.thickness} m (base)")
        k = np.asarray(k, dtype=float)
        H, nu, G = self.thickness, self.poisson, self.shear_modulus
        (_, W), (dU, dW), q = self._columns(k, H)
        T, S = dU + k * W, 2.0 * nu * q + 2.0 * dW  # (2, ...): per unit a and q0, over G
        (u, w), _, _ = self._columns(k, H - depth)
        det = G * (T[0] * S[1] - T[1] * S[0])
        rr = (u[0] * S[1] - u[1] * S[0]) / det
        rz = (u[1] * T[0] - u[0] * T[1]) / det
        zr = (w[0] * S[1] - w[1] * S[0]) / det
        zz = (w[1] * T[0] - w[0] * T[1]) / det
        tt = _scaled(k, H - depth, H)[1] / (G * _scaled(k, H, H)[0])
        return rr, rz, zr, zz, tt

    def _columns(self, k: np.ndarray, s: float):
        """U, W, U', W', q at height s for (a, q0) = (1, 0) and (0, 1); all divided by exp(k H)."""
        nu = self.poisson
        C, S, P = _scaled(k, s, self.thickness)
        q1 = -k / (2.0 - 2.0 * nu)
        dP = 0.5 * s * S
        U = np.stack([S - k * q1 * P, -0.5 * k * s * S])
        W = np.stack([-0.5 * q1 * s * S, (1.0 - 2.0 * nu) * S - k**2 * P])
        dU = np.stack([C - k * q1 * dP, -0.5 * k * (S + s * C)])
        dW = np.stack([-0.5 * q1 * (S + s * C), (1.0 - 2.0 * nu) * C - k**2 * dP])
        q = np.stack([q1 * S, C])
        return (U, W), (dU, dW), q

    def compliance(self, kx: np.ndarray, ky: np.ndarray, depth: float = 0.0) -> np.ndarray:
        """The complex 3 x 3 matrices, shape (..., 3, 3), from surface traction (Pa) to displacement (m) at a depth."""
        kx, ky = np.broadcast_arrays(np.asarray(kx, dtype=float), np.asarray(ky, dtype=float))
        k = np.hypot(kx, ky)
        rr, rz, zr, zz, tt = self.scalars(k, depth)
        zero = k == 0.0
        cx, cy = np.where(zero, 1.0, kx / np.where(zero, 1.0, k)), ky / np.where(zero, 1.0, k)
        out = np.empty((*k.shape, 3, 3), dtype=complex)
        out[..., 0, 0] = rr * cx**2 + tt * cy**2
        out[..., 1, 1] = rr * cy**2 + tt * cx**2
        out[..., 0, 1] = out[..., 1, 0] = (rr - tt) * cx * cy
        out[..., 0, 2], out[..., 1, 2] = 1j * rz * cx, 1j * rz * cy
        out[..., 2, 0], out[..., 2, 1] = -1j * zr * cx, -1j * zr * cy
        out[..., 2, 2] = zz
        return out


def half_space_compliance(young: float, poisson: float, kx: np.ndarray, ky: np.ndarray) -> np.ndarray:
    """Boussinesq and Cerruti in Fourier space, the limit k H -> infinity of a layer; (..., 3, 3), singular at k = 0."""
    kx, ky = np.broadcast_arrays(np.asarray(kx, dtype=float), np.asarray(ky, dtype=float))
    k = np.hypot(kx, ky)
    G = young / (2.0 * (1.0 + poisson))
    cx, cy = kx / k, ky / k
    rr = zz = (1.0 - poisson) / (G * k)
    tt = 1.0 / (G * k)
    rz = -(1.0 - 2.0 * poisson) / (2.0 * G * k)  # a press pulls the surface of a half space inward
    out = np.empty((*k.shape, 3, 3), dtype=complex)
    out[..., 0, 0], out[..., 1, 1] = rr * cx**2 + tt * cy**2, rr * cy**2 + tt * cx**2
    out[..., 0, 1] = out[..., 1, 0] = (rr - tt) * cx * cy
    out[..., 0, 2], out[..., 1, 2] = 1j * rz * cx, 1j * rz * cy
    out[..., 2, 0], out[..., 2, 1] = -1j * rz * cx, -1j * rz * cy
    out[..., 2, 2] = zz
    return out


def _scaled(k: np.ndarray, s: float, H: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """cosh(k s), sinh(k s) / k and (s cosh(k s) - sinh(k s) / k) / (2 k^2), each times exp(-k H)."""
    x = k * s
    up, down = np.exp(x - k * H), np.exp(-x - k * H)
    C = 0.5 * (up + down)
    small = x < 0.3
    safe = np.where(small, 1.0, k)
    y = np.where(small, x, 0.0) ** 2
    shrink = np.exp(-k * H)
    S_series = s * (1 + y / 6 * (1 + y / 20 * (1 + y / 42 * (1 + y / 72)))) * shrink
    # (x cosh x - sinh x) / (2 x^3) = sum over n >= 1 of n x^(2n-2) / (2n+1)!
    P_series = s**3 * (1 / 6 + y * (1 / 60 + y * (1 / 1680 + y * (1 / 90720 + y / 7983360)))) * shrink
    S = np.where(small, S_series, 0.5 * (up - down) / safe)
    P = np.where(small, P_series, (s * C - S) / (2.0 * safe**2))
    return C, S, P


class LayerGrid:
    """A layer on a grid of nx x ny square cells, periodic in x and y, centred on the pad's origin.

    Fields are arrays (nx, ny) of values at the cell centres ``x``, ``y``; vector fields are (3, nx, ny). The grid must
    be wider than the loaded region by a few thicknesses: what is loaded feels its periodic images otherwise.
    """

    def __init__(self, layer: ElasticLayer, shape: tuple[int, int], cell: float) -> None:
        if len(shape) != 2 or any(int(n) != n or n < 4 for n in shape):
            raise ValueError(f"shape is {shape}; give two whole numbers of cells, each at least 4")
        if not (math.isfinite(cell) and cell > 0):
            raise ValueError(f"cell is {cell} m; it must be finite and > 0")
        self.layer, self.cell = layer, float(cell)
        self.shape = nx, ny = int(shape[0]), int(shape[1])
        self.x = (np.arange(nx) + 0.5 - 0.5 * nx) * cell
        self.y = (np.arange(ny) + 0.5 - 0.5 * ny) * cell
        self.kx = 2.0 * math.pi * np.fft.fftfreq(nx, cell)
        self.ky = 2.0 * math.pi * np.fft.rfftfreq(ny, cell)
        C = self._at(0.0)
        self._tangential = np.stack([C[0, 0].real, C[0, 1].real, C[1, 1].real])
        self._normal = C[2, 2].real
        self._z_to_xy, self._xy_to_z = C[:2, 2].copy(), C[2, :2].copy()

    @property
    def cell_area(self) -> float:
        return self.cell**2

    def _at(self, depth: float) -> np.ndarray:
        """Compliance at a depth, (3, 3, nx, ny // 2 + 1).

        Entries odd in k vanish at the highest frequency of an even grid, which has no sign.
        """
        C = np.moveaxis(self.layer.compliance(self.kx[:, None], self.ky[None, :], depth), (-2, -1), (0, 1)).copy()
        nx, ny = self.shape
        if nx % 2 == 0:
            for i, j in ((0, 1), (1, 0), (0, 2), (2, 0)):
                C[i, j, nx // 2, :] = 0.0
        if ny % 2 == 0:
            for i, j in ((0, 1), (1, 0), (1, 2), (2, 1)):
                C[i, j, :, ny // 2] = 0.0
        return C

    def _back(self, spectrum: np.ndarray) -> np.ndarray:
        return fft.irfft2(spectrum, s=self.shape)

    def normal(self, traction_z: np.ndarray) -> np.ndarray:
        """u_z of a normal traction, (nx, ny)."""
        return self._back(self._normal * fft.rfft2(traction_z))

    def tangential(self, traction_xy: np.ndarray) -> np.ndarray:
        """(u_x, u_y) of a tangential traction, (2, nx, ny)."""
        a, b = fft.rfft2(traction_xy)
        xx, xy, yy = self._tangential
        return self._back(np.stack([xx * a + xy * b, xy * a + yy * b]))

    def tangential_of_normal(self, traction_z: np.ndarray) -> np.ndarray:
        return self._back(self._z_to_xy * fft.rfft2(traction_z))

    def normal_of_tangential(self, traction_xy: np.ndarray) -> np.ndarray:
        return self._back((self._xy_to_z * fft.rfft2(traction_xy)).sum(axis=0))

    def displacement(self, traction: np.ndarray, depth: float = 0.0) -> np.ndarray:
        """(3, nx, ny) at a depth, from the tractions (3, nx, ny) on the surface."""
        traction = self.check_field(traction)
        C = self._at(depth)
        return self._back(np.einsum("ij...,j...->i...", C, fft.rfft2(traction)))

    def check_field(self, traction: np.ndarray) -> np.ndarray:
        traction = np.asarray(traction, dtype=float)
        if traction.shape != (3, *self.shape):
            raise ValueError(f"traction has shape {traction.shape}; this grid needs {(3, *self.shape)}")
        return traction


class PointProbe:
    """Displacement at fixed points (n, 2) at a depth: the grid's Fourier series, evaluated there."""

    def __init__(self, grid: LayerGrid, points_P: np.ndarray, depth: float = 0.0) -> None:
        points_P = np.asarray(points_P, dtype=float)
        if points_P.ndim != 2 or points_P.shape[1] != 2:
            raise ValueError(f"points have shape {points_P.shape}; give (n, 2), x and y in the pad's frame")
        half = 0.5 * np.array(grid.shape) * grid.cell
        if np.any(np.abs(points_P) > half):
            raise ValueError(f"a point lies outside the grid (half widths {half} m); use more cells or larger ones")
        nx, ny = grid.shape
        ex = np.exp(1j * np.outer(points_P[:, 0] - grid.x[0], grid.kx))
        ey = np.exp(1j * np.outer(points_P[:, 1] - grid.y[0], grid.ky))
        ey[:, 1:] *= 2.0
        if nx % 2 == 0:
            ex[:, nx // 2] = ex[:, nx // 2].real
        if ny % 2 == 0:
            ey[:, -1] = 0.5 * ey[:, -1].real
        self._ex, self._ey = ex / nx, ey / ny
        self._C = grid._at(depth)
        self._grid = grid

    def __call__(self, traction: np.ndarray) -> np.ndarray:
        """Displacements (n, 3) from the tractions (3, nx, ny)."""
        spectrum = np.einsum("ij...,j...->i...", self._C, fft.rfft2(self._grid.check_field(traction)))
        return np.stack([((self._ex @ part) * self._ey).sum(axis=1).real for part in spectrum], axis=1)
