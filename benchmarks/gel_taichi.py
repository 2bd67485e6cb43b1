"""MLS-MPM in Taichi: the peer of the gel's speed.

The scene is that of gel_scene.py. Quadratic B-splines, APIC, fixed corotated stress, float32; a dense grid, cleared
each step; F is updated from C at the start of the step. The polar rotation of F comes from ``ti.svd`` ("svd") or from
four Newton steps R <- (R + R^-T)/2 ("newton").

    python gel_taichi.py --particles 97336 --polar newton --threads 1

prints the rate of one form; ``--tune`` prints that of every layout. Needs taichi==1.7.4, which taxel does not.

Two helps go beyond the usual code: only the nodes that the scene can reach are cleared and updated, and ``--serial``
takes the atomic adds away, which Taichi does only for a loop on a single thread. On one core that doubles the Newton
form; on two it cannot be used.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import time
from dataclasses import asdict, dataclass, replace

os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")

import numpy as np
import taichi as ti
from gel_scene import DENSITY, Scene, scene

POLARS = ("svd", "newton")
NEWTON_STEPS = 4


@dataclass(frozen=True)
class Layout:
    """What a user of Taichi may choose without another algorithm."""

    particles: str = "aos"  # "aos": all of a particle side by side; "soa": a field for each number
    grid: str = "flat"  # "flat": one dense array of nodes; "blocked": bricks of 4^3 nodes
    order: str = "lattice"  # "lattice": by id; "cell": by brick of 4^3 cells, then by cell
    nodes: str = "box"  # "all": clear and update the whole grid; "box": only the nodes this scene can ever reach
    block_dim: int = 128  # threads of a CUDA block; particles of one task on the CPU
    serial: bool = False  # the loops over particles on one thread, which spares the atomic adds; not for threads > 1


# The fastest found by --tune on the CPU. On a GPU neighbouring threads should read neighbouring numbers.
BEST = {"cpu": Layout(), "cuda": Layout(particles="soa")}
TUNED = [Layout(*choice) for choice in itertools.product(("aos", "soa"), ("flat", "blocked"), ("lattice", "cell"))] + [
    Layout(nodes="all"),
    Layout(particles="soa", nodes="all"),
    Layout(block_dim=512),
    Layout(particles="soa", block_dim=512),
]


def cell_order(s: Scene, x: np.ndarray) -> np.ndarray:
    """Ids sorted by brick of 4^3 cells and by cell within it."""
    cell = np.floor(x * s.cells - 0.5).astype(np.int64)
    brick, inner = cell // 4, cell % 4
    key = 0
    for part, base in ((brick, s.cells // 4), (inner, 4)):
        for axis in range(3):
            key = key * base + part[:, axis]
    return np.argsort(key, kind="stable")


@ti.data_oriented
class Cube:
    def __init__(self, s: Scene, polar: str, layout: Layout):
        if polar not in POLARS:
            raise ValueError(f"polar = {polar!r}: choose one of {', '.join(POLARS)}")
        self.s, self.polar, self.layout = s, polar, layout
        self.mu, self.lam = s.lame
        self.mass = DENSITY * s.volume
        self.low, self.high = s.node_box if layout.nodes == "box" else (0, s.cells)

        aos = layout.particles == "aos"
        place = {} if aos else {"shape": s.particles, "layout": ti.Layout.SOA}
        self.x, self.v = (ti.Vector.field(3, ti.f32, **place) for _ in range(2))
        self.C, self.F = (ti.Matrix.field(3, 3, ti.f32, **place) for _ in range(2))
        if aos:
            ti.root.dense(ti.i, s.particles).place(self.x, self.v, self.C, self.F)
        self.node = ti.Vector.field(4, ti.f32)  # momentum, then velocity; mass
        if layout.grid == "blocked":
            ti.root.dense(ti.ijk, s.cells // 4).dense(ti.ijk, 4).place(self.node)
        else:
            ti.root.dense(ti.ijk, s.cells).place(self.node)

        x, v = s.start()
        self.ids = cell_order(s, x) if layout.order == "cell" else np.arange(s.particles)
        self.x.from_numpy(x[self.ids])
        self.v.from_numpy(v[self.ids])
        self.C.fill(0)
        self.F.from_numpy(np.broadcast_to(np.eye(3, dtype=np.float32), (s.particles, 3, 3)).copy())

    @ti.func
    def rotation(self, F):
        """R and det F."""
        R = F
        J = ti.f32(1.0)
        if ti.static(self.polar == "svd"):
            U, S, V = ti.svd(F)
            R = U @ V.transpose()
            J = S[0, 0] * S[1, 1] * S[2, 2]
        else:
            J = F.determinant()
            for _ in ti.static(range(NEWTON_STEPS)):
                R = 0.5 * (R + R.inverse().transpose())
        return R, J

    @ti.func
    def weights(self, p):
        """The lowest node of the 3^3 round the particle, the offset from it in cells, the weights per axis (rows)."""
        scaled = self.x[p] * self.s.cells
        base = ti.cast(scaled - 0.5, ti.i32)
        f = scaled - base
        w = ti.Matrix.rows([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1.0) ** 2, 0.5 * (f - 0.5) ** 2])
        return base, f, w

    @ti.kernel
    def step(self):
        dt, dx = ti.static(self.s.dt, self.s.dx)
        span = ti.static((self.low, self.high))
        for i, j, k in ti.ndrange(span, span, span):
            self.node[i, j, k] = ti.Vector([0.0, 0.0, 0.0, 0.0])

        ti.loop_config(block_dim=self.layout.block_dim, serialize=self.layout.serial)
        for p in range(self.s.particles):
            base, f, w = self.weights(p)
            F = self.F[p] + dt * self.C[p] @ self.F[p]
            self.F[p] = F
            R, J = self.rotation(F)
            kirchhoff = 2.0 * self.mu * (F - R) @ F.transpose() + ti.Matrix.identity(ti.f32, 3) * (
                self.lam * J * (J - 1.0)
            )
            A = self.mass * self.C[p] - (4.0 * dt * self.s.volume / dx**2) * kirchhoff
            A *= dx
            corner = self.mass * self.v[p] - A @ f
            for a, b, c in ti.static(ti.ndrange(3, 3, 3)):
                weight = w[a, 0] * w[b, 1] * w[c, 2]
                m = corner + A @ ti.Vector([a, b, c])
                self.node[base + ti.Vector([a, b, c])] += weight * ti.Vector([m[0], m[1], m[2], self.mass])

        for i, j, k in ti.ndrange(span, span, span):
            m = self.node[i, j, k][3]
            if m > 0.0:
                n = self.node[i, j, k] / m
                self.node[i, j, k] = ti.Vector([n[0], n[1], n[2], m])

        ti.loop_config(block_dim=self.layout.block_dim, serialize=self.layout.serial)
        for p in range(self.s.particles):
            base, f, w = self.weights(p)
            v = ti.Vector([0.0, 0.0, 0.0])
            C = ti.Matrix.zero(ti.f32, 3, 3)
            for a, b, c in ti.static(ti.ndrange(3, 3, 3)):
                weight = w[a, 0] * w[b, 1] * w[c, 2]
                n = self.node[base + ti.Vector([a, b, c])]
                part = weight * ti.Vector([n[0], n[1], n[2]])
                v += part
                C += part.outer_product(ti.Vector([a, b, c]))
            self.v[p] = v
            self.C[p] = (4.0 / dx) * (C - v.outer_product(f))
            self.x[p] += dt * v

    def by_id(self, field) -> np.ndarray:
        out = np.empty((self.s.particles, 3), np.float32)
        out[self.ids] = field.to_numpy()
        return out


def make(particles: int, polar: str, arch: str, threads: int, layout: Layout | None = None) -> Cube:
    if arch not in BEST:
        raise ValueError(f"arch = {arch!r}: choose cpu or cuda")
    layout = layout or BEST[arch]
    if layout.serial and (arch != "cpu" or threads != 1):
        raise ValueError(f"a serial layout needs arch 'cpu' and threads = 1; got {arch!r} and {threads}")
    ti.reset()
    ti.init(
        arch=ti.cpu if arch == "cpu" else ti.cuda,
        cpu_max_num_threads=threads,
        default_fp=ti.f32,
        fast_math=True,
        log_level=ti.ERROR,
    )
    # Without a usable GPU Taichi falls back to the CPU and only logs it.
    if arch == "cuda" and ti.lang.impl.current_cfg().arch != ti.cuda:
        raise RuntimeError("arch = 'cuda': Taichi found no CUDA device; use arch 'cpu' or a machine with an NVIDIA GPU")
    return Cube(scene(particles), polar, layout)


def measure(
    particles: int, polar: str, arch: str = "cpu", threads: int = 1, seconds: float = 5.0, layout: Layout | None = None
) -> dict:
    """Particle updates per second: ``wall`` from the median step, ``cpu`` per CPU-second over all steps."""
    cube = make(particles, polar, arch, threads, layout)
    batch = 1 if arch == "cpu" else 20  # launches of CUDA queue up; one wait for 20 steps costs nothing
    for _ in range(2 * batch):
        cube.step()
    ti.sync()
    times = []
    begin_cpu, begin = time.process_time(), time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        t = time.perf_counter()
        for _ in range(batch):
            cube.step()
        ti.sync()
        times.append((time.perf_counter() - t) / batch)
    cpu = time.process_time() - begin_cpu
    steps = batch * len(times)
    return {"wall": particles / statistics.median(times), "cpu": particles * steps / cpu, "steps": steps}


def positions_after(
    particles: int, steps: int, polar: str = "newton", arch: str = "cpu", threads: int = 1, layout: Layout | None = None
) -> np.ndarray:
    """Positions by id, (N, 3) float32, after so many steps from the start of gel_scene.py."""
    cube = make(particles, polar, arch, threads, layout)
    for _ in range(steps):
        cube.step()
    return cube.by_id(cube.x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--particles", type=int, default=97_336)
    parser.add_argument("--polar", choices=POLARS, default="newton")
    parser.add_argument("--arch", choices=tuple(BEST), default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--serial", action="store_true", help="no atomic adds: CPU and one thread only")
    parser.add_argument("--tune", action="store_true", help="every layout instead of the fastest")
    arguments = parser.parse_args()
    for layout in TUNED if arguments.tune else [BEST[arguments.arch]]:
        layout = replace(layout, serial=arguments.serial)
        rate = measure(
            arguments.particles, arguments.polar, arguments.arch, arguments.threads, arguments.seconds, layout
        )
        print(json.dumps({**asdict(layout), **rate}), flush=True)


if __name__ == "__main__":
    main()
