"""Presses as "Elastic Interaction of Particles" (Wang et al.) simulates them: docs/papers/gel-eip.md.

    press = taxel.EipPress()
    result = press.run([duck], [0], [taxel.pose((0.5, 0.5, 0.5))])
    result.images                      # (1, 2, 61, 61, 3): displacements of the contact layers of both pads

Lengths are those of the paper's unit domain D, whose middle is (0.5, 0.5, 0.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Uncopied
from ..common.convert import pose_matrix
from .gel import object_distance

SIDE, LAYERS, SIZE = 61, 10, (0.24, 0.04, 0.24)
"""Particles along a side of a layer, layers from contact (0) to hand (9), size of a pad."""
FORMS, CONTACTS, DEVICES = ("mean", "sum"), ("stop", "mixing"), ("cpu", "cuda")


@dataclass(frozen=True)
class EipResult:
    """Of n presses with two pads each: pad 0 comes from below (+y), pad 1 from above."""

    images: np.ndarray
    """(n, 2, 61, 61, 3) float32: where the contact layer is less where the hand has carried it, in the pad's frame P:
    x along x of D, z out of the pad; pixel (i, j) belongs to rest[i, j]."""
    X_DP: np.ndarray
    """(n, 2, 4, 4): the pads' frames at the end, origin in the middle of the undeformed contact face."""
    chamfer: np.ndarray
    """(n, 2) of the contact layers."""
    steps: np.ndarray
    """(n,) taken."""
    stopped: np.ndarray
    """(n,) bool: by the chamfer distance."""
    rest: np.ndarray
    """(61, 61, 3): places of the pixels in P."""


def rest_points() -> np.ndarray:
    """(61, 61, 3): where the pixels of a contact layer stand in P."""
    at = (np.arange(SIDE) - (SIDE - 1) / 2) * (SIZE[0] / SIDE)
    x, y = np.meshgrid(at, at, indexing="ij")
    return np.stack([x, y, np.zeros_like(x)], axis=-1)


class EipPress:
    """Two pads of 61 x 10 x 61 particles, moved towards each other, a rigid object between them.

    grid, dt, speed       cells a side of D, s, domains a second of each hand (the authors': 128, 2e-3, 0.4)
    young, poisson, density    the paper's 3 and 0.25; 2
    steps, gap            at most so many steps; distance of the contact faces at the start
    chamfer, form         stops a press whose pad 0 deforms by more; "mean" as in the authors' code (1e-4), or the "sum"
                          that Eq. 12 prints. 0: never
    contact               "stop": particles inside the object stand still (step d); "mixing": the object is mass in the
                          grid (the authors' code), ``object_density`` 10
    hand_offset           adds 1/100 of the hand's velocity to what particles gather (the authors' code, not the paper)
    follow_blend          the deformation follows Eq. 8's blended motion, not the grid (Eqs. 9 and 11)
    check_every           steps between two looks at the chamfer distance
    device, threads       "cpu", with presses on ``threads`` threads (0: all), or "cuda"
    """

    def __init__(
        self,
        *,
        device: str = "cpu",
        threads: int = 0,
        grid: int = 128,
        young: float = 3.0,
        poisson: float = 0.25,
        density: float = 2.0,
        speed: float = 0.4,
        dt: float = 2e-3,
        steps: int = 256,
        gap: float = 0.2,
        chamfer: float = 1e-4,
        form: str = "mean",
        contact: str = "stop",
        object_density: float = 10.0,
        hand_offset: bool = False,
        follow_blend: bool = False,
        check_every: int = 4,
    ) -> None:
        for name, value, allowed in (
            ("form", form, FORMS),
            ("contact", contact, CONTACTS),
            ("device", device, DEVICES),
        ):
            if value not in allowed:
                raise _core.Error(f"EipPress: {name} is {value!r}; give one of {', '.join(allowed)}")
        if not (isinstance(grid, int | np.integer) and 32 <= grid <= 1024):
            raise _core.Error(f"EipPress: grid is {grid!r}; give a whole number of 32 to 1024 cells a side")
        self.device = device
        self.options: dict[str, Any] = {
            "grid": int(grid), "young": float(young), "poisson": float(poisson), "density": float(density),
            "speed": float(speed), "dt": float(dt), "steps": int(steps), "gap": float(gap), "chamfer": float(chamfer),
            "sum": form == "sum", "mixing": contact == "mixing", "object_density": float(object_density),
            "hand_offset": bool(hand_offset), "follow_blend": bool(follow_blend), "check_every": int(check_every),
            "threads": int(threads),
        }  # fmt: skip
        _core.check_eip_options(self.options)

    def run(self, objects: Sequence[Any], which: Any, X_DO: Any) -> EipResult:
        """Press k: objects[which[k]] at the pose X_DO[k]. Objects: taxel.MarkerDistance, taxel.Body or (vertices,
        triangles), in D's lengths; meshes are looked up on a lattice of half a cell."""
        if isinstance(objects, _core.Body | _core.MarkerDistance):
            raise _core.Error(
                "EipPress.run: objects is one shape; give a list of them, and which of them each press takes"
            )
        shapes = [self._distance(shape) for shape in objects]
        index = [int(k) for k in np.asarray(which).reshape(-1)]
        poses = np.array([pose_matrix(X, f"X_DO[{k}]") for k, X in enumerate(X_DO)]).reshape(-1, 4, 4)
        run = _core.run_eip_presses_cuda if self.device == "cuda" else _core.run_eip_presses
        images, X_DP, chamfer, steps, stopped = run(self.options, shapes, index, poses)
        return EipResult(images, X_DP, chamfer, steps, stopped.astype(bool), rest_points())

    def series(self, shape: Any, X_DO: Any) -> EipSeries:
        """One press to be stepped by hand, on the CPU."""
        return EipSeries(self.options, self._distance(shape), X_DO)

    def _distance(self, shape: Any) -> Any:
        cell = 1.0 / self.options["grid"]
        return object_distance(shape, cell / 2, 4 * cell)


class EipSeries(Uncopied):
    """A press step by step: ``step(n)``, then look. One thread at a time; Ctrl-C ends ``step`` after a whole one."""

    _instead = "begin another with EipPress.series"

    def __init__(self, options: dict[str, Any], shape: Any, X_DO: Any) -> None:
        self._core = _core.EipPress(options, shape, pose_matrix(X_DO, "X_DO"))

    def step(self, n: int = 1) -> bool:
        """False when the press is over."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise _core.Error(f"EipSeries.step: n is {n!r}; give a whole number of 1 or more")
        return self._core.step(int(n))

    @property
    def steps(self) -> int:
        return self._core.steps

    def chamfer(self, pad: int = 0) -> float:
        """Of the contact layer, as of the last look (``check_every``)."""
        return self._core.chamfer(pad)

    @property
    def positions(self) -> np.ndarray:
        """(74420, 3) in D, pad 0 first."""
        return self._core.positions

    @property
    def layers(self) -> np.ndarray:
        """(74420,): 0 touches, 9 is at the hand."""
        return self._core.layers

    def layer_image(self, pad: int, layer: int) -> np.ndarray:
        """(61, 61, 3), as EipResult.images."""
        return self._core.layer_image(pad, layer)

    def result(self) -> EipResult:
        images, X_DP, chamfer, steps, stopped = self._core.result()
        return EipResult(images, X_DP, chamfer, steps, stopped.astype(bool), rest_points())
