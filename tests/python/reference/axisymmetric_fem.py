"""A small finite element program for a bonded axisymmetric layer, an oracle that shares nothing with taxel.reference.

Nine-node quadrilaterals; the volumetric term is integrated at 2 x 2 points, so that nothing locks near nu = 0.5.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve


def _shape(s: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([s * (s - 1) / 2, 1 - s * s, s * (s + 1) / 2]), np.array([s - 0.5, -2 * s, s + 0.5])


def solve(r_edges, z_edges, young, poisson, traction):
    """Displacement at the nodes: r (n), z (m), u (n, m, 2) for traction(r) -> (t_r, t_z) on top; fixed below."""
    r = np.sort(np.r_[r_edges, 0.5 * (r_edges[1:] + r_edges[:-1])])
    z = np.sort(np.r_[z_edges, 0.5 * (z_edges[1:] + z_edges[:-1])])
    n, m = len(r), len(z)
    G = young / (2 * (1 + poisson))
    lam = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    rows, cols, values = [], [], []
    load = np.zeros(2 * n * m)
    gauss = {count: list(zip(*np.polynomial.legendre.leggauss(count), strict=True)) for count in (2, 3)}
    for i in range(0, n - 1, 2):
        hr = 0.5 * (r[i + 2] - r[i])
        for j in range(0, m - 1, 2):
            hz = 0.5 * (z[j + 2] - z[j])
            nodes = np.array([(i + a) * m + j + b for a in range(3) for b in range(3)])
            dofs = np.stack([2 * nodes, 2 * nodes + 1], axis=1).ravel()
            K = np.zeros((18, 18))
            for count, volumetric in ((3, False), (2, True)):
                for s, ws in gauss[count]:
                    for t, wt in gauss[count]:
                        (N, dN), (M, dM) = _shape(s), _shape(t)
                        radius = r[i + 1] + s * hr
                        f, fr, fz = np.outer(N, M).ravel(), np.outer(dN, M).ravel() / hr, np.outer(N, dM).ravel() / hz
                        B = np.zeros((4, 18))  # rr, zz, hoop, rz
                        B[0, 0::2], B[1, 1::2], B[2, 0::2], B[3, 0::2], B[3, 1::2] = fr, fz, f / radius, fz, fr
                        weight = ws * wt * hr * hz * radius
                        if volumetric:
                            trace = B[:3].sum(axis=0)
                            K += weight * lam * np.outer(trace, trace)
                        else:
                            K += weight * G * (B.T * (2, 2, 2, 1)) @ B
            rows.append(np.repeat(dofs, 18))
            cols.append(np.tile(dofs, 18))
            values.append(K.ravel())
        for s, ws in gauss[3]:
            radius, N = r[i + 1] + s * hr, _shape(s)[0]
            t_r, t_z = traction(radius)
            for a in range(3):
                node = (i + a) * m + m - 1
                load[2 * node] += ws * hr * radius * N[a] * t_r
                load[2 * node + 1] += ws * hr * radius * N[a] * t_z
    size = 2 * n * m
    K = sparse.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=(size, size))
    index = np.arange(n * m).reshape(n, m)
    fixed = np.unique(np.r_[2 * index[:, 0], 2 * index[:, 0] + 1, 2 * index[0], 2 * index[-1]])
    free = np.setdiff1d(np.arange(size), fixed)
    u = np.zeros(size)
    u[free] = spsolve(K[free][:, free].tocsc(), load[free])
    return r, z, u.reshape(n, m, 2)
