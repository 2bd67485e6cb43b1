"""Many pads of one gel at once, on a GPU or on threads: ``taxel.Gel(shape, ..., device="cuda", pads=64)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .. import _core
from ..common.convert import rigid_pose
from ..gel.gel import Gel, object_distance
from .cuda import CudaArray, to_device

Array = Any
"""taxel.CudaArray on a GPU, a NumPy array on the CPU; float32."""
READINGS = ("skin_position", "skin_force", "displacement", "traction", "position", "deformation")


class GelPads(Gel):
    """As taxel.Gel, with the same words: so many pads of one description, with objects and hands of their own ways.

        gel = taxel.Gel(pad, cell=0.5e-3, device="cuda", pads=64)
        ball = gel.add(taxel.Body.sphere(0.006), starts, friction=0.5)    # starts (64, 4, 4), or one pose for all
        gel.advance(400, ends, smooth=True)                               # ends the same
        torch.from_dlpack(gel.force(ball)), gel.displacements             # (64, 3); (64, N, 3)

    The shape of an object is the same in all pads; its poses (pads, 4, 4) and its friction (pads,) need not be, and one
    pose or number serves all. Where an object shall not touch, put it away from the gel. Poses come from the host.
    Without ``pads`` there is one, and arrays have no axis for it.

    The model is that of the gel on the CPU with its grid at rest, step by step; all of a step runs on the device. Same
    input, same bits. Not here: the grid in space, velocities, energy and other steps on the way (``set_step``), and
    ``displacement_at``.
    """

    _core: _core.GelPads

    def _make_core(self, *numbers: Any) -> Any:
        count = 1 if self.pads is None else self.pads
        if isinstance(count, bool) or not isinstance(count, int | np.integer):
            raise _core.Error(f"Gel: pads is {count!r}; give a whole number of 1 or more")
        self._count = int(count)
        return _core.GelPads(*(*numbers, self._count, self.device == "cuda"))

    # Objects and motion

    def add(self, shape: Any, X_PO: Any, friction: Any = 0.5, *, spacing: float | None = None) -> int:
        """As ``Gel.add``: one pose or (pads, 4, 4), one coefficient of friction or (pads,)."""
        X = self._many(X_PO, "X_PO")
        try:
            mu = np.broadcast_to(np.asarray(friction, float), (self._count,))
        except (TypeError, ValueError):
            mu = np.array([np.nan])
        if not (mu >= 0).all():
            raise _core.Error(
                f"Gel.add: friction is {friction!r}; give 0 or more, math.inf for an object that sticks: one number, "
                f"or one for each of the {self._count} pads"
            )
        distance = object_distance(shape, self.cell / 2 if spacing is None else spacing, 4 * self.cell)
        if len(self.contact_points):
            skin = self._host(self._skin("skin_position"))
            for k in range(self._count):
                depth = -float(np.min(distance((skin[k] - X[k, :3, 3]) @ X[k, :3, :3])))
                if depth > self.cell:
                    raise _core.Error(
                        f"Gel.add: at X_PO the object is {depth:.3g} m inside the gel of pad {k}, over a cell of "
                        f"{self.cell:.3g} m; put it outside and move it in"
                    )
        self._core.add_object(distance, mu.tolist(), X)
        self._objects.append(distance)
        self._friction.append(float(mu[0]))
        self._poses.append(X)
        return len(self._objects) - 1

    def advance(self, steps: int, X_PO: Any = None, hand: Any = None, *, smooth: bool = False) -> None:
        """As ``Gel.advance``; of each object one pose or (pads, 4, 4), and so of the hand. Waits for the device."""
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
            raise _core.Error(f"Gel.advance: steps is {steps!r}; give a whole number of 0 or more")
        poses, held = self._wanted(X_PO), self._wanted_hand(hand)
        ways = np.stack(poses, axis=1) if poses else np.zeros((self._count, 0, 4, 4))
        try:
            self._core.advance(int(steps), np.ascontiguousarray(ways), np.ascontiguousarray(held), bool(smooth))
        except _core.Error:
            raise
        except BaseException:  # stopped on the way
            self._poses = list(np.moveaxis(np.asarray(self._core.poses), 1, 0)) if poses else []
            self._hand = np.asarray(self._core.hands)[:, 0]
            raise
        self._poses, self._hand = poses, held

    def _many(self, X: Any, name: str) -> np.ndarray:
        """(pads, 4, 4) of so many poses, or of one for all."""
        if np.shape(X) == (self._count, 4, 4):
            return np.stack([rigid_pose(x, f"{name}[{k}]") for k, x in enumerate(X)])
        if len(np.shape(X)) == 3:
            raise _core.Error(f"Gel: {name} has the shape {np.shape(X)}; give one pose, or ({self._count}, 4, 4)")
        return np.tile(rigid_pose(X, name), (self._count, 1, 1))

    def _wanted(self, X_PO: Any) -> list[np.ndarray]:
        if X_PO is None:
            return list(self._poses)
        if len(self._objects) == 1 and not (isinstance(X_PO, list | tuple) and len(X_PO) == 1):
            return [self._many(X_PO, "X_PO")]
        if isinstance(X_PO, str) or not isinstance(X_PO, Sequence | np.ndarray) or len(X_PO) != len(self._objects):
            raise _core.Error(f"Gel: give poses of each object ({len(self._objects)}): one for all pads, or one a pad")
        return [self._many(X, f"X_PO[{k}]") for k, X in enumerate(X_PO)]

    def _wanted_hand(self, hand: Any) -> np.ndarray:
        if hand is None:
            return np.broadcast_to(self._hand, (self._count, 4, 4))
        return self._many(hand, "hand")

    def _forces(self) -> np.ndarray:
        return np.moveaxis(np.concatenate([self._core.loads, self._core.hand_loads], axis=1)[..., :3], 1, 0)

    # Readings

    def _load(self, k: int) -> tuple[Any, Any]:
        if not 0 <= k < len(self._objects):
            raise _core.Error(f"Gel: no object {k}; there are {len(self._objects)}")
        load = np.asarray(self._core.loads)[:, k]
        return self._give(load[:, :3]), self._give(load[:, 3:])

    @property
    def hand_force(self) -> Any:
        """On the hands through the backs, N, (pads, 3)."""
        return self._give(np.asarray(self._core.hand_loads)[:, 0, :3])

    @property
    def displacements(self) -> Any:
        """(pads, N, 3) of the contact points, m, relative to where the hand of a pad has carried them."""
        return self._one(self._skin("displacement"))

    @property
    def tractions(self) -> Any:
        """(pads, N, 3) on the gel at the contact points, Pa."""
        return self._one(self._skin("traction"))

    @property
    def point_forces(self) -> Any:
        """(pads, N, 3) on the gel at the contact points in the last step, N."""
        return self._one(self._skin("skin_force"))

    @property
    def image(self) -> Any:
        """(pads, H, W, 3) displacements of the contact face of a box, m."""
        if self.image_shape is None:
            raise _core.Error("Gel.image: the contact face is not that of a box; use displacements")
        array = self._skin("displacement")
        return self._one(_shaped(array, (self._count, *self.image_shape, 3)))

    @property
    def skin_positions(self) -> Any:
        """(pads, N, 3): contact points."""
        return self._one(self._skin("skin_position"))

    @property
    def positions(self) -> Any:
        """(pads, N, 3) of the particles, m."""
        out = self._room(len(self.start), 3)
        self._read(position=out)
        return self._one(out)

    @property
    def deformations(self) -> Any:
        """(pads, N, 3, 3) deformation gradients F."""
        out = self._room(len(self.start), 3, 3)
        self._read(deformation=out)
        return self._one(out)

    @property
    def mach(self) -> Any:
        """As ``Gel.mach``, (pads,) on the host; one number without ``pads``."""
        mach = np.array(self._core.mach)
        return mach if self.pads is not None else float(mach[0])

    def _skin(self, name: str) -> Array:
        out = self._room(len(self.contact_points), 3)
        self._read(**{name: out})
        return out

    def _room(self, *shape: int) -> Array:
        shape = (self._count, *shape)
        return CudaArray(shape) if self.device == "cuda" else np.zeros(shape, np.float32)

    def _read(self, **arrays: Array) -> None:
        address = dict.fromkeys(READINGS, 0)
        for name, array in arrays.items():
            address[name] = array.address if isinstance(array, CudaArray) else array.ctypes.data
        areas = np.ascontiguousarray(self.contact_areas, float)
        self._core.read(area=areas, **address)

    def _host(self, array: Array) -> np.ndarray:
        return array.numpy() if isinstance(array, CudaArray) else array

    def _give(self, values: np.ndarray) -> Any:
        values = np.ascontiguousarray(values, np.float32)
        return self._one(to_device(values) if self.device == "cuda" else values)

    def _one(self, array: Array) -> Any:
        return array if self.pads is not None else array[0]

    # What one gel has and many have not

    def _refuse_here(self, *_: Any, **__: Any) -> NoReturn:
        raise _core.Error("Gel: many pads and a gel on the GPU have no such reading or setting; use a gel on the CPU")

    displacement_at = set_step = set_velocities = set_deformations = _refuse_here
    velocities = energy = momentum = property(_refuse_here)


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
    return CudaArray(shape, array._memory) if isinstance(array, CudaArray) else array.reshape(shape)
