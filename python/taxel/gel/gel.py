"""An elastic gel of particles (MLS-MPM): the skin of a sensor as a solid.

    pad = taxel.Body.box((0.02, 0.025, 0.004))
    gel = taxel.Gel(pad, cell=0.5e-3, young=2e5, poisson=0.48)
    ball = gel.add(taxel.Body.sphere(0.006), taxel.pose((0, 0, 0.0081)), friction=0.5)
    gel.move(taxel.pose((0, 0, 0.0075)))          # pressed by 0.5 mm, slowly
    gel.force(ball), gel.image                     # N on the ball; (H, W, 3) displacements of the contact face, m

The model, its limits and its proofs: docs/guide/gel.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .. import _core
from ..common.alone import Uncopied
from ..common.convert import is_number, rigid_pose, vector3
from ..marker import MarkerDistance
from .fill import SkinPoints, fill_shape, skin_points

LAWS = ("corotated", "neo-hookean")
GRIDS = ("rest", "space")
DEVICES = ("cpu", "cuda")
LEAST_CELLS = 2
"""In the thickness of a gel."""
AVERAGE_ABOVE = 0.4
"""Poisson's ratio from which the volume change is averaged over cells unless told."""


def _number(name: str, value: Any, where: str = "Gel") -> float:
    if not is_number(value):
        raise _core.Error(f"{where}: {name} is {value!r}; give a number")
    return float(value)


def check_material(young: Any, poisson: Any, where: str) -> tuple[float, float]:
    """Young's modulus and Poisson's ratio as numbers that a wave speed can be made of."""
    young, poisson = _number("young", young, where), _number("poisson", poisson, where)
    if not (math.isfinite(young) and young > 0):
        raise _core.Error(f"{where}: young is {young:g} Pa; it must be finite and > 0 (soft silicone: 1e5 to 1e6)")
    if not 0 <= poisson <= 0.4999:
        raise _core.Error(f"{where}: poisson is {poisson}; it must lie in 0 to 0.4999 (0.49 is nearly incompressible)")
    return young, poisson


def unit_vector(value: Any, name: str) -> np.ndarray:
    direction = vector3(value, name)
    length = float(np.linalg.norm(direction))
    if not (math.isfinite(length) and length > 0):
        what = "the zero vector" if length == 0 else repr(value)
        raise _core.Error(f"{name} is {what}; give the direction out of the contact face, as (0, 0, 1)")
    return direction / length


def positive(name: str, value: float) -> float:
    """The value; an Error unless it is a finite number above 0."""
    if not (_number(name, value) > 0 and math.isfinite(value)):
        raise _core.Error(f"Gel: {name} is {value!r}; give a finite number above 0")
    return float(value)


class Gel(Uncopied):
    """A block of elastomer held at its back, and rigid objects that touch it. Frame P: that of the shape.

    shape      the gel: a taxel.Body or (vertices, triangles) of a closed mesh
    cell       of the grid, m: a fifth of the thickness or less; the answer gets better with 1/cell
    young, poisson, density    Pa, 0 to 0.4999, kg/m^3
    law        "corotated" (the paper's) or "neo-hookean"
    per_cell   particles along an axis of a cell: 2, or 3
    fill       "lattice", "poisson" or "carve" (taxel.fill_shape)
    out        direction out of the contact face; points of the surface facing it can be touched. None: all of the
               surface can be touched, and nothing is held
    held       the back, facing against ``out``, is glued to the hand; False: nothing is held
    damping    1/s; left out: near critical for the gel's slowest shear mode, which suits slow presses. 0: none
    cfl, dt    the time step as cells of the pressure wave a step, or in s
    average_volume    against locking of nearly incompressible gels; left out: for poisson above 0.4
    threads    of the CPU, 0 for all; the numbers do not depend on it
    device, pads    "cuda": on a GPU. pads: so many copies of the gel at once, on either device, each with its own ways
               of objects and hand; all arrays then begin with that axis (taxel.batch.GelPads, docs/guide/gel.md)
    grid       "rest": the grid stands in the gel at rest, so that nothing is left of a load that is gone. "space": it
               stands in space, as in the MPM of others; a gel that is dragged on for long keeps a set

    Instead of a shape: ``particles`` (N, 3) and the ``volume`` of each, m^3; with ``skin`` (taxel.SkinPoints) they can
    be touched and held.

    A gel serves one thread at a time: a second one gets an Error at once. Ctrl-C ends ``advance``, ``move`` and
    ``settle`` after a whole step, with the objects where that step brought them.
    """

    _instead = "make another with the same arguments, and restore() what save() gave"

    def __new__(cls, *_: Any, device: str = "cpu", pads: int | None = None, **__: Any) -> Gel:
        if device not in DEVICES:
            raise _core.Error(f"Gel: device is {device!r}; give one of {', '.join(DEVICES)}")
        if cls is Gel and (device != "cpu" or pads is not None):
            from ..batch.gel_pads import GelPads

            cls = GelPads
        return super().__new__(cls)

    def __init__(
        self,
        shape: Any = None,
        *,
        cell: float,
        young: float = 2e5,
        poisson: float = 0.45,
        density: float = 1000.0,
        law: str = "corotated",
        per_cell: int = 2,
        fill: Literal["lattice", "poisson", "carve"] = "lattice",
        particles: Any = None,
        volume: float | None = None,
        skin: SkinPoints | None = None,
        out: Any = (0.0, 0.0, 1.0),
        held: bool = True,
        damping: float | None = None,
        cfl: float = 0.6,
        dt: float | None = None,
        gravity: Any = (0.0, 0.0, 0.0),
        average_volume: bool | None = None,
        rounds: int = 2,
        threads: int = 1,
        grid: Literal["rest", "space"] = "rest",
        device: Literal["cpu", "cuda"] = "cpu",
        pads: int | None = None,
    ) -> None:
        if law not in LAWS:
            raise _core.Error(f"Gel: law is {law!r}; give one of {', '.join(LAWS)}")
        if grid not in GRIDS:
            raise _core.Error(f"Gel: grid is {grid!r}; give one of {', '.join(GRIDS)}")
        if (shape is None) == (particles is None):
            raise _core.Error("Gel: give a shape to fill, or particles and their volume")
        if per_cell not in (1, 2, 3, 4):
            raise _core.Error(f"Gel: per_cell is {per_cell!r}; give 2 or 3 (1 leaves gaps, 4 is the most)")
        young, poisson = check_material(young, poisson, "Gel")
        positive("density", density)
        self.cell, self.out = positive("cell", cell), None
        if out is not None:
            self.out = unit_vector(out, "Gel: out")
        back = skin
        if shape is None:
            if volume is None:
                raise _core.Error("Gel: particles without their volume; give volume, m^3 of each")
            start = np.ascontiguousarray(particles, float)
            self.volume = positive("volume", volume)
        else:
            if volume is not None or skin is not None:
                raise _core.Error("Gel: volume and skin of the particles follow from the shape; leave them out")
            spacing = self.cell / per_cell
            # As many particles as on a lattice: blue noise of that distance has 0.71 of them.
            filling = fill_shape(shape, spacing * (0.89 if fill == "poisson" else 1.0), fill)
            start, self.volume = filling.points, filling.volume
            skin = skin_points(shape, spacing)
            # Four held points per cell, as on the contact face. One per cell does not see a glued face that bulges
            # from node to node: a box of four cells was 15 % too soft (docs/guide/gel.md).
            back = skin
        if start.ndim != 2 or start.shape[1] != 3 or not len(start):
            raise _core.Error(f"Gel: particles have the shape {start.shape}; give (N, 3) with N above 0")
        self.start = start
        along = start if self.out is None else start @ self.out
        height = float(np.ptp(along, axis=0).max()) + self.cell / per_cell
        if not np.isfinite(height):
            bad = int(np.flatnonzero(~np.isfinite(start).all(axis=1))[0])
            raise _core.Error(f"Gel: particle {bad} is at {start[bad]}; give finite positions, m")
        if shape is not None and height < LEAST_CELLS * self.cell:
            raise _core.Error(
                f"Gel: the gel is {height:.3g} m thick, {height / self.cell:.2g} cells of {self.cell:.3g} m; at least "
                f"{LEAST_CELLS} are needed: give a cell of {height / 5:.2g} m (a fifth of the thickness) or less"
            )
        self.shear_speed = math.sqrt(young / (2 * (1 + poisson)) / density)
        """Of a shear wave, m/s."""
        self.damping = math.pi * self.shear_speed / height if damping is None else float(damping)
        self.height = height
        """Of the gel along ``out``, m; its longest side where that is None."""
        self.device: str = device
        self.pads = pads
        """Copies of the gel; None: one, without an axis for them."""
        self._core = self._make_core(
            start, self.volume, self.cell, float(young), float(poisson), float(density), law == "neo-hookean",
            0.0 if dt is None else positive("dt", dt), float(cfl), self.damping, vector3(gravity, "gravity"),
            poisson > AVERAGE_ABOVE if average_volume is None else bool(average_volume), int(rounds), int(threads),
            grid == "space",
        )  # fmt: skip
        self.young, self.poisson, self.density, self.law = float(young), float(poisson), float(density), law
        self.wave_speed = math.sqrt(young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)) / density)
        """Of the pressure wave, m/s."""
        self._objects: list[_core.MarkerDistance] = []
        self._friction: list[float] = []
        self._poses: list[np.ndarray] = []
        self._hand = np.eye(4)
        self.settled = True
        """Whether the last ``settle`` or ``move`` came to rest."""
        self.contact_points = self.contact_normals = np.zeros((0, 3))
        self.contact_areas = np.zeros(0)
        self.image_shape: tuple[int, int] | None = None
        if skin is not None:
            self._make_skin(skin, back if held else None)

    def _make_core(self, *numbers: Any) -> Any:
        return _core.GelSolver(*numbers)

    def _make_skin(self, skin: SkinPoints, back: SkinPoints | None) -> None:
        front = np.arange(len(skin)) if self.out is None else skin.facing(self.out)
        held = np.zeros((0, 3))
        if back is not None and self.out is not None:
            held = back.points[back.facing(-self.out)]
            if not len(held):
                raise _core.Error(
                    f"Gel: no point of the surface faces {-self.out}, so nothing would hold the gel; give another "
                    "direction out, or held=False"
                )
        if not len(front):
            raise _core.Error(f"Gel: no point of the surface faces {self.out}; give another direction out")
        if self.out is not None and len(set(skin.faces[front])) == 1 and skin.faces[front[0]] >= 0:
            face = skin.points[front]
            axis = int(np.argmax(np.abs(self.out)))
            first, second = (k for k in range(3) if k != axis)
            self.image_shape = (len(np.unique(face[:, first])), len(np.unique(face[:, second])))
        self.contact_points, self.contact_normals = skin.points[front], skin.normals[front]
        self.contact_areas = skin.areas[front]
        # A gel that nothing holds turns as it likes, and where its normals point is not known.
        outward = rim = np.zeros((0, 3))
        if len(held):
            outward, rim = self.contact_normals, self._rim(skin, np.asarray(self.out))
        self._core.set_skin(self.contact_points, held, outward, rim)

    @staticmethod
    def _rim(skin: SkinPoints, out: np.ndarray) -> np.ndarray:
        """Points of the sides: they roll onto an object that presses the gel flat, and must not pass it."""
        sides = np.setdiff1d(np.arange(len(skin)), np.union1d(skin.facing(out), skin.facing(-out)))
        return skin.points[sides]

    # Objects and motion

    def add(self, shape: Any, X_PO: Any, friction: float = 0.5, *, spacing: float | None = None) -> int:
        """A rigid object at a pose; its number. friction: Coulomb's coefficient, 0: none, math.inf: sticks.

        Meshes and ellipsoids are looked up on a lattice with ``spacing`` (half a cell).
        """
        if not (isinstance(friction, int | float | np.floating) and friction >= 0):
            raise _core.Error(f"Gel.add: friction is {friction!r}; give 0 or more, math.inf for an object that sticks")
        X = rigid_pose(X_PO, "X_PO")
        distance = object_distance(shape, self.cell / 2 if spacing is None else spacing, 4 * self.cell)
        skin = self._core.skin_positions[: len(self.contact_points)]
        if len(skin):
            depth = -float(np.min(distance((skin - X[:3, 3]) @ X[:3, :3])))
            if depth > self.cell:
                raise _core.Error(
                    f"Gel.add: at X_PO the object is {depth:.3g} m inside the gel, over a cell of {self.cell:.3g} m; "
                    "put it outside and move it in"
                )
        self._objects.append(distance)
        self._friction.append(float(friction))
        self._poses.append(X)
        try:
            self._core.set_objects(self._objects, np.array(self._poses), self._friction)
        except Exception:
            for kept in (self._objects, self._friction, self._poses):
                kept.pop()
            raise
        return len(self._objects) - 1

    def advance(self, steps: int, X_PO: Any = None, hand: Any = None, *, smooth: bool = False) -> None:
        """Time steps in which the objects go from where they are to ``X_PO``: one pose, or one an object; left out,
        they stay. ``hand``: pose of the back in P, which starts at the identity. At constant speed, or ``smooth``ly
        from rest to rest. 0 steps put them there without a motion, and friction lets go of objects that were elsewhere.
        """
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
            raise _core.Error(f"Gel.advance: steps is {steps!r}; give a whole number of 0 or more")
        poses = self._wanted(X_PO)
        held = self._wanted_hand(hand)
        try:
            self._core.advance(int(steps), np.array(poses).reshape(-1, 4, 4) if poses else [], held, bool(smooth))
        except _core.Error:
            raise
        except BaseException:  # stopped on the way
            self._poses, self._hand = list(self._core.poses), self._core.hand[0]
            raise
        self._poses, self._hand = poses, held

    def move(self, X_PO: Any = None, hand: Any = None, *, speed: float = 0.05, settle: float = 1e-3) -> int:
        """Goes there smoothly, at most at ``speed`` times that of a shear wave, then settles. Steps taken."""
        if not positive("speed", speed) <= 0.5:
            raise _core.Error(f"Gel.move: speed is {speed} of a shear wave's; slow presses need 0.05, at most 0.5")
        poses = self._wanted(X_PO)
        held = self._wanted_hand(hand)
        distance = self._travel(self._hand, held, self.start)
        for before, after, shape in zip(self._poses, poses, self._objects, strict=True):
            distance = max(distance, self._travel(before, after, corners(shape)))
        steps = math.ceil(1.875 * distance / (speed * self.shear_speed * self.dt))
        self.advance(steps, poses, held, smooth=True)
        return steps + self.settle(settle)

    def settle(self, tolerance: float = 1e-3, limit: int = 40) -> int:
        """Waits until the forces change by less than ``tolerance`` of themselves (or of E cell^2 / 100, where nothing
        touches) in the time that a shear wave takes through the gel twice; at most ``limit`` such times, and then
        ``settled`` is False. Steps taken."""
        if not 0 < _number("tolerance", tolerance) < 1:
            raise _core.Error(f"Gel.settle: tolerance is {tolerance}; give a share above 0, as 1e-3")
        pause = max(8, math.ceil(2 * self.height / (self.shear_speed * self.dt)))
        before, least = None, 0.01 * self.young * self.cell**2
        for k in range(limit):
            self.advance(pause)
            now = self._forces()
            if before is not None:
                size = np.abs(now).max(axis=(0, -1), initial=least)
                if np.all(np.abs(now - before).max(axis=(0, -1)) <= tolerance * size):
                    self.settled = True
                    return (k + 1) * pause
            before = now
        self.settled = False
        return limit * pause

    def _forces(self) -> np.ndarray:
        """On all objects and the hand: (objects + 1, ..., 3)."""
        return np.array([self.force(i) for i in range(len(self._objects))] + [self._core.hand_load[0]])

    def _wanted_hand(self, hand: Any) -> np.ndarray:
        return self._hand if hand is None else rigid_pose(hand, "hand")

    def _wanted(self, X_PO: Any) -> list[np.ndarray]:
        if X_PO is None:
            return list(self._poses)
        if len(self._objects) == 1 and np.shape(X_PO) != (1, 4, 4):
            return [rigid_pose(X_PO, "X_PO")]
        if isinstance(X_PO, str) or not isinstance(X_PO, Sequence | np.ndarray) or len(X_PO) != len(self._objects):
            raise _core.Error(f"Gel: give one pose an object ({len(self._objects)})")
        return [rigid_pose(X, f"X_PO[{k}]") for k, X in enumerate(X_PO)]

    @staticmethod
    def _travel(before: np.ndarray, after: np.ndarray, points: np.ndarray) -> float:
        most = 0.0
        for a, b in zip(*(X.reshape(-1, 4, 4) for X in np.broadcast_arrays(before, after)), strict=True):
            if np.array_equal(a, b):
                continue
            moved = points @ (b[:3, :3] - a[:3, :3]).T + b[:3, 3] - a[:3, 3]
            most = max(most, float(np.linalg.norm(moved, axis=1).max(initial=0.0)))
        return most

    # Readings

    def force(self, k: int = 0) -> np.ndarray:
        """On object k, N, frame P: the mean over the last call of ``advance``."""
        return self._load(k)[0]

    def torque(self, k: int = 0) -> np.ndarray:
        """On object k about P's origin, N m."""
        return self._load(k)[1]

    def _load(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        if not 0 <= k < len(self._objects):
            raise _core.Error(f"Gel: no object {k}; there are {len(self._objects)}")
        return self._core.loads[k]

    @property
    def hand_force(self) -> np.ndarray:
        """On the hand through the back, N."""
        return self._core.hand_load[0]

    @property
    def displacements(self) -> np.ndarray:
        """(N, 3) of the contact points, m, frame P, relative to where the hand has carried them."""
        now = self._core.skin_positions[: len(self.contact_points)]
        R, p = self._hand[:3, :3], self._hand[:3, 3]
        return (now - p) @ R - self.contact_points

    @property
    def tractions(self) -> np.ndarray:
        """(N, 3) on the gel at the contact points, Pa."""
        return self.point_forces / self.contact_areas[:, None]

    @property
    def point_forces(self) -> np.ndarray:
        """(N, 3) on the gel at the contact points in the last step, N."""
        return self._core.skin_forces[: len(self.contact_points)]

    @property
    def image(self) -> np.ndarray:
        """(H, W, 3) displacements of the contact face of a box, m; rows and columns along its axes in their order."""
        if self.image_shape is None:
            raise _core.Error("Gel.image: the contact face is not that of a box; use displacements or displacement_at")
        return self.displacements.reshape(*self.image_shape, 3)

    def displacement_at(self, points: Any) -> np.ndarray:
        """(..., 3) at points of the contact face (markers): from the contact points around each, by a linear fit along
        the face. Needs SciPy; for the same points again and again ``taxel.GelSensor`` makes the fit once."""
        from .face import FaceFit

        return FaceFit(self, points)()

    # State and numbers

    def set_step(self, dt: float) -> None:
        """Another time step from now on, s; nothing moves. Shorter ones keep a gel stable that is pressed flat."""
        self._core.set_step(positive("dt", dt))

    def save(self) -> Any:
        """All that the gel remembers; ``restore`` it and the future is the same, bit by bit."""
        return self._core.save(), [X.copy() for X in self._poses], self._hand.copy()

    def restore(self, state: Any) -> None:
        core, poses, hand = state
        self._core.restore(core)
        self._poses, self._hand = [X.copy() for X in poses], hand.copy()

    def set_velocities(self, velocities: Any) -> None:
        """(N, 3), m/s."""
        self._core.set_velocities(np.ascontiguousarray(velocities, float))

    def set_deformations(self, F: Any) -> None:
        """(N, 3, 3) deformation gradients."""
        self._core.set_deformations(np.ascontiguousarray(F, float))

    @property
    def positions(self) -> np.ndarray:
        """(N, 3) of the particles, m."""
        return self._core.positions

    @property
    def velocities(self) -> np.ndarray:
        return self._core.velocities

    @property
    def deformations(self) -> np.ndarray:
        """(N, 3, 3) deformation gradients F."""
        return self._core.deformations

    @property
    def skin_positions(self) -> np.ndarray:
        """(M, 3): contact points, then those held by the hand."""
        return self._core.skin_positions

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic and elastic, J."""
        return self._core.energy

    @property
    def momentum(self) -> np.ndarray:
        return self._core.momentum

    @property
    def dt(self) -> float:
        """s."""
        return self._core.dt

    @property
    def time(self) -> float:
        return self._core.time

    @property
    def cfl(self) -> float:
        """Cells that a pressure wave runs in a step."""
        return self._core.cfl

    @property
    def mach(self) -> float:
        """Greatest speed of a particle in the last step over that of the pressure wave: well below 0.1 is
        quasi-static."""
        return self._core.mach

    def __len__(self) -> int:
        return len(self.start)


def one_gel(gel: Gel, where: str) -> None:
    """An Error for many pads, of which this one shall be read."""
    if gel.device != "cpu" or gel.pads is not None:
        raise _core.Error(f"{where} reads one gel on the CPU; this one has device={gel.device!r} and pads={gel.pads}")


def object_distance(shape: Any, spacing: float, margin: float) -> _core.MarkerDistance:
    """A signed distance that kernels can read: exact for what has a formula, else on a lattice."""
    if isinstance(shape, _core.MarkerDistance):
        return shape
    exact = MarkerDistance(shape)
    if exact.has_formula:
        return exact
    return MarkerDistance(shape, "trilinear", spacing=positive("spacing", spacing), margin=margin)


def corners(shape: _core.MarkerDistance) -> np.ndarray:
    low, high = shape.box
    if not np.isfinite([low, high]).all():
        return np.zeros((1, 3))
    return np.array(np.meshgrid(*zip(low, high, strict=True), indexing="ij")).reshape(3, -1).T
