"""A gel pad on a geom of a MuJoCo model: docs/guide/gel-sensor.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from .. import _core
from ..common.alone import Uncopied
from ..gel import Gel, GelTaxels
from ..gel.face import FaceFit, face_grid
from ..gel.face_load import about, of_the_face, within_friction
from ..gel.gel import object_distance, one_gel, positive, unit_vector
from ..skin import Layout, Reading, Skin
from . import engine
from .gel_geoms import geom_friction, geom_id, geom_shape, geom_title, own_contact

MACH = 0.1
"""Objects may move so fast against the gel, over its pressure wave, in quasi-static use."""
REST_MACH, REST_SHARE = 1e-4, 1e-3
"""Below this Mach number, and this share of a cell, a gel that nothing is near to stands still."""
FLAT, LESS_FLAT, VERY_FLAT = 0.6, 0.65, 0.35
"""A gel pressed to less than this share of its thickness takes half steps, and a third below the last of them: its rims
are stretched, and waves are faster there."""
STEADY = 2e-3
"""A gel whose forces change by less than this share in an update has settled."""


@dataclass(frozen=True)
class GelWrench:
    """Force (N) and torque about the centre of mass of the body (N m), world frame, as ``xfrc_applied`` has them."""

    objects: np.ndarray
    """(K, 6) on the body of each object."""
    pad: np.ndarray
    """(6,) on the body of the pad: the opposite of the sum, at the same places."""


class GelSensor(Uncopied):
    """An elastic gel of particles that MuJoCo's bodies press.

        sensor = taxel.GelSensor(model, "pad", ["can"], cell=1e-3, young=1e5, two_way=True)
        while ...:
            sensor.update(data)                    # moves the gel on to data.time, and pushes back
            mujoco.mj_step(model, data)
        sensor.image                               # (H, W, 3) displacements of the contact face, m, pad's frame

    pad           geom (name or number): a box, or a closed mesh; it is the gel at rest, its back glued to the body.
                  Frame P is that of the geom; of a mesh, that of its file
    objects       geoms that may press: box, sphere, cylinder, capsule, ellipsoid or mesh (as it is, not its hull)
    cell          of the gel's grid, m; left out: a quarter of the thickness
    young, poisson, density, law, per_cell, damping, rounds, threads    of ``taxel.Gel``; left out: 2e5, 0.45, 1000
    out           direction out of the contact face in P; left out: z
    friction      Coulomb's coefficient, one or one an object; left out: as MuJoCo mixes that of the geoms
    quasi_static  the gel's density is raised so that ``steps`` (8) gel steps fill an engine step (``mass_scale`` says
                  by how much). An update in which an object goes faster than Mach 0.1 takes more steps.
                  False: the density as it is, and as many gel steps as that needs
    two_way       the forces go into ``data.xfrc_applied`` of both bodies. MuJoCo's own contact between the pad and the
                  objects must be off: contype/conaffinity, or ``<exclude>``. False: nothing is handed back
    rest          cells: while the objects have moved by less since the gel's last step, a gel that has settled keeps
                  its forces and takes no steps. 0: it always steps
    lag_damping   two-way: the forces are those at the end of the coming step, foreseen with this share of the gel's
                  stiffness (1). 0: those of now, held over the step, which throws light bodies off
    taxels        a layout (taxel.Layout or taxel.Skin, frame P) that ``read`` reads, with the electronics ``chain``
    spacing       of the lattice on which the distance of meshes and ellipsoids is looked up, m; half a cell
    pixel         m a pixel, for ``markers(..., unit="px")``
    gel           a taxel.Gel instead of one made from the geom: then cell, young, ... are its own

    The poses are those of ``data.qpos`` at the call, also right after ``mj_step``. An update at the same time repeats
    the last answer; an earlier time starts anew.

    A sensor serves one thread at a time: a second one gets an Error at once.
    """

    _instead = "make another with the same arguments"

    def __init__(
        self,
        model: Any,
        pad: str | int,
        objects: str | int | Sequence[str | int],
        *,
        cell: float | None = None,
        young: float | None = None,
        poisson: float | None = None,
        density: float = 1000.0,
        out: Any = None,
        friction: float | Sequence[float] | None = None,
        quasi_static: bool = True,
        steps: int | None = None,
        two_way: bool = False,
        rest: float = 2e-4,
        lag_damping: float = 1.0,
        taxels: Layout | Skin | None = None,
        chain: dict[str, Any] | None = None,
        pixel: float | None = None,
        gel: Gel | None = None,
        spacing: float | None = None,
        **options: Any,
    ) -> None:
        mujoco = engine.need_mujoco()
        self.model, self.pad = model, geom_id(model, pad, "GelSensor: pad")
        names = [objects] if isinstance(objects, str | int | np.integer) else list(objects)
        self.objects = [geom_id(model, name, "GelSensor: objects") for name in names]
        if not self.objects or self.pad in self.objects or len(set(self.objects)) != len(self.objects):
            raise _core.Error(f"GelSensor: objects is {objects!r}; give different geoms that are not the pad")
        if steps is not None and (not isinstance(steps, int | np.integer) or steps < 1):
            raise _core.Error(f"GelSensor: steps is {steps!r}; give a whole number of 1 or more")
        if not (math.isfinite(lag_damping) and lag_damping >= 0):
            raise _core.Error(f"GelSensor: lag_damping is {lag_damping!r}; give a number of 0 or more")
        if not (math.isfinite(rest) and 0 <= rest <= 0.01):
            raise _core.Error(f"GelSensor: rest is {rest!r}; give a part of a cell from 0 to 0.01")
        self.rest = float(rest)
        self.timestep, self.two_way, self.lag_damping = float(model.opt.timestep), bool(two_way), float(lag_damping)
        self.quasi_static, self.density = bool(quasi_static), positive("density", density)
        self.pixel = None if pixel is None else positive("pixel", pixel)
        if self.two_way:
            self._refuse_own_contact()
        shape, self._X_GP = geom_shape(model, self.pad, "GelSensor: pad")
        if gel is None:
            gel = self._make_gel(
                shape, cell, 2e5 if young is None else young, 0.45 if poisson is None else poisson,
                (0.0, 0.0, 1.0) if out is None else out, 8 if steps is None else int(steps), options,
            )  # fmt: skip
        elif options or any(given is not None for given in (cell, young, poisson, out, steps)):
            raise _core.Error(
                "GelSensor: cell, young, poisson, out and steps belong to the gel that is given; leave them out"
            )
        elif gel._objects or gel.out is None or not len(gel.contact_points):
            raise _core.Error(
                "GelSensor: gel must be made from a shape, with a direction out, and have no objects of its own yet"
            )
        one_gel(gel, "GelSensor")
        self.gel = gel
        self.mass_scale = gel.density / self.density
        """The gel's density over that of the material: 1 for ``quasi_static=False``."""
        one = friction is None or np.isscalar(friction)
        values: list[Any] = [friction] * len(names) if one else list(cast("Sequence[float]", friction))
        if len(values) != len(names):
            raise _core.Error(f"GelSensor: {len(values)} values of friction for {len(names)} objects")
        self._X_GO, self._balls, self._distance = [], [], []
        for k, (geom, mu) in enumerate(zip(self.objects, values, strict=True)):
            body, X_GO = geom_shape(model, geom, f"GelSensor: objects[{k}]")
            distance = object_distance(body, gel.cell / 2 if spacing is None else spacing, 4 * gel.cell)
            low, high = np.asarray(distance.box)
            # Far away until the first update says where it is.
            far = np.eye(4)
            far[:3, 3] = gel.start.mean(axis=0) + gel.out * (1 + np.linalg.norm(high - low))
            gel.add(distance, far, geom_friction(model, self.pad, geom) if mu is None else float(mu))
            self._distance.append(distance)
            self._X_GO.append(X_GO)
            self._balls.append((0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))))
        self._middle = 0.5 * (gel.start.min(axis=0) + gel.start.max(axis=0))
        self._radius = 0.5 * float(np.linalg.norm(np.ptp(gel.start, axis=0))) + gel.cell
        self._fresh, self._dt = gel.save(), gel.dt
        self._scratch = mujoco.MjData(model)
        self._trial: Any = mujoco.MjData(model) if self.two_way else None
        self._bodies = [int(model.geom_bodyid[g]) for g in (self.pad, *self.objects)]
        self.taxels = None if taxels is None else GelTaxels(gel, taxels, chain=chain, timestep=self.timestep)
        if taxels is None and chain is not None:
            raise _core.Error("GelSensor: chain is the electronics behind taxels; give taxels, too")
        self._added = np.zeros((model.nbody, 6))
        self._face: FaceFit | None = None
        self._markers: tuple[np.ndarray, FaceFit] | None = None
        self.reset()

    def _make_gel(
        self, shape: Any, cell: float | None, young: float, poisson: float, out: Any, steps: int, options: dict
    ) -> Gel:
        vertices = np.asarray(shape[0] if isinstance(shape, tuple) else shape.surface()[0])
        axis = unit_vector(out, "GelSensor: out")
        if not 0 <= poisson <= 0.4999:
            raise _core.Error(f"GelSensor: poisson is {poisson!r}; give 0 to 0.4999")
        positive("young", young)
        cell = float(np.ptp(vertices @ axis)) / 4 if cell is None else positive("cell", cell)
        for name in ("dt", "gravity", "shape", "particles", "volume", "held"):
            if name in options:
                raise TypeError(f"GelSensor has no option {name!r}; it follows from the model")
        cfl = positive("cfl", options.pop("cfl", 0.6))
        modulus = young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson))
        longest = cfl * cell / math.sqrt(modulus / self.density)
        dt = self.timestep / (steps if self.quasi_static else max(1, math.ceil(self.timestep / longest)))
        density = max(self.density, modulus * (dt / (cfl * cell)) ** 2)
        return Gel(shape, cell=cell, young=young, poisson=poisson, density=density, out=out, dt=dt, cfl=cfl, **options)

    def _refuse_own_contact(self) -> None:
        model = self.model
        for geom in self.objects:
            if why := own_contact(model, self.pad, geom):
                raise _core.Error(
                    f"GelSensor: two_way, and MuJoCo's own contact acts between the pad {geom_title(model, self.pad)} "
                    f'and {geom_title(model, geom)} as well: {why}. Give the pad contype="0" conaffinity="0", or '
                    "<contact><exclude body1=... body2=.../></contact>, or leave two_way out"
                )

    # Motion

    def reset(self) -> None:
        """The gel as it was made; what the next update sees is its start."""
        self.gel.restore(self._fresh)
        self._time: float | None = None
        self._idle, self._settled = True, False
        self._loads = np.zeros((len(self.objects), 6))
        self._applied = np.zeros((len(self.objects), 6))
        self._added[:] = 0
        self.wrench = GelWrench(np.zeros((len(self.objects), 6)), np.zeros(6))
        self.steps = 0
        """Gel steps of the last update."""
        self.gaps = np.full(len(self.objects), np.inf)
        """From the contact face to each object, m, below 0 where it is pressed in; a lower bound where it is far."""
        if self.taxels is not None:
            self.taxels.reset()

    @property
    def speed_limit(self) -> float:
        """Of an object against the gel, m/s, below which a press is quasi-static: Mach 0.1."""
        return MACH * self.gel.wave_speed

    def pose(self, data: Any) -> np.ndarray:
        """X_WP (4, 4) of the pad's frame at ``data.qpos``."""
        self._kinematics(data)
        return self._X_WP()

    def _kinematics(self, data: Any) -> None:
        mujoco, scratch = engine.need_mujoco(), self._scratch
        scratch.qpos[:] = data.qpos
        scratch.mocap_pos[:], scratch.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(self.model, scratch)

    def _X_WP(self) -> np.ndarray:
        return _geom_pose(self._scratch, self.pad) @ self._X_GP

    def update(self, data: Any) -> GelWrench:
        """Moves the gel on to ``data.time`` with the geoms at ``data.qpos``. Forces and torques on all bodies."""
        engine._check_pair(self.model, data, "update")
        now = float(data.time)
        if self._time is not None and now < self._time - 1e-12:
            self.reset()
        if self._time is not None and now <= self._time + 1e-12:
            return self.wrench
        self._kinematics(data)
        X_WP = self._X_WP()
        X_PW = np.eye(4)
        X_PW[:3, :3], X_PW[:3, 3] = X_WP[:3, :3].T, -X_WP[:3, :3].T @ X_WP[:3, 3]
        poses = [X_PW @ _geom_pose(self._scratch, g) @ X for g, X in zip(self.objects, self._X_GO, strict=True)]
        for geom, X in zip(self.objects, poses, strict=True):
            if not np.isfinite(X).all():
                raise _core.Error(
                    f"GelSensor: geom {geom_title(self.model, geom)} is nowhere: data.qpos is not finite at "
                    f"{now:g} s; look at what came before (mj_step warns of it), the gel is as it was"
                )
        if self._time is None:
            self._place(poses)
        else:
            self._advance(data, poses, now - self._time)
        self._time = now
        if self.two_way:
            self._hand_back(data)
        return self.wrench

    def _place(self, poses: list[np.ndarray]) -> None:
        self._look(poses, 0.0)
        for geom, gap in zip(self.objects, self.gaps, strict=True):
            if gap < -0.1 * self.gel.cell:
                raise _core.Error(
                    f"GelSensor: geom {geom_title(self.model, geom)} starts {-1e3 * gap:.3g} mm inside the gel of "
                    f"{geom_title(self.model, self.pad)}; start apart and press"
                )
        self.gel.advance(0, poses)

    def _look(self, poses: list[np.ndarray], travel: float) -> None:
        """How near the objects are; exactly where that matters."""
        points = None
        for k, (X, (middle, radius)) in enumerate(zip(poses, self._balls, strict=True)):
            apart = float(np.linalg.norm(X[:3, :3] @ middle + X[:3, 3] - self._middle)) - radius - self._radius
            if apart <= travel + self.gel.cell:
                if points is None:
                    points = self.gel.contact_points + self.gel.displacements
                apart = float(self._distance[k]((points - X[:3, 3]) @ X[:3, :3]).min())
            self.gaps[k] = apart

    def _advance(self, data: Any, poses: list[np.ndarray], elapsed: float) -> None:
        gel = self.gel
        travel = max(
            _travel(before, after, middle, radius)
            for before, after, (middle, radius) in zip(gel._poses, poses, self._balls, strict=True)
        )
        before = self.gaps.copy()
        self._look(poses, travel)
        if self._idle and min(before.min(), self.gaps.min()) > travel + gel.cell:
            # Nothing is near and nothing moves: the gel needs no steps.
            gel.advance(0, poses)
            self._answer(data, np.zeros((len(poses), 6)))
            self.steps = 0
            return
        near = max(
            _travel(b, a, middle, self._radius)
            for b, a, middle in zip(gel._poses, poses, self._touching(gel._poses), strict=True)
        )
        if self._settled and near < self.rest * gel.cell:
            self.steps = 0
            self._answer(data, self._loads)
            return
        self._choose_step()
        steps = max(1, math.ceil(elapsed / gel.dt - 1e-6))
        if self.quasi_static and self.gaps.min() < 2 * travel + gel.cell:
            steps = max(steps, math.ceil(near / (self.speed_limit * gel.dt)))
        try:
            gel.advance(steps, poses)
        except _core.Error as error:
            raise _core.Error(
                f"GelSensor: the gel of {geom_title(self.model, self.pad)} broke down, pressed to "
                f"{100 * self._thickness():.0f} % of its thickness: {error}. Give more steps= (now "
                f"{round(self.timestep / self._dt)}), a stiffer gel (young=), or press less; then reset()"
            ) from None
        self.steps = steps
        loads = np.array([np.concatenate([gel.force(k), gel.torque(k)]) for k in range(len(poses))])
        still = gel.mach < REST_MACH and np.abs(gel.displacements).max() < REST_SHARE * gel.cell
        self._idle = bool(still and not loads.any())
        change = np.abs(loads[:, :3] - self._loads[:, :3]).max()
        self._settled = bool(change <= STEADY * np.abs(loads[:, :3]).max())
        self._loads = loads
        self._answer(data, loads)

    def _thickness(self) -> float:
        """What is left where it is pressed most, as a share of the gel at rest."""
        return 1 + float((self.gel.displacements @ self.gel.out).min()) / self.gel.height

    def _choose_step(self) -> None:
        left = self._thickness()
        pressed = self.gel.dt < self._dt
        share = 3 if left < VERY_FLAT else 2 if left < (LESS_FLAT if pressed else FLAT) else 1
        self.gel.set_step(self._dt / share)

    def _touching(self, poses: list[np.ndarray]) -> list[np.ndarray]:
        """The middle of the contact face in the frame of each object."""
        middle = self.gel.contact_points.mean(axis=0)
        return [X[:3, :3].T @ (middle - X[:3, 3]) for X in poses]

    # Forces

    @property
    def stiffness(self) -> tuple[float, float]:
        """Along ``out`` and across it, N/m: that of a bonded layer over what is touched now, (lambda + 2 mu) A / H and
        mu A / H. Upper bounds of the gel's own."""
        gel = self.gel
        touched = float(gel.contact_areas[np.any(gel.point_forces, axis=1)].sum())
        wave, shear = gel.density * gel.wave_speed**2, gel.density * gel.shear_speed**2
        return wave * touched / gel.height, shear * touched / gel.height

    def _answer(self, data: Any, loads: np.ndarray) -> None:
        """From (K, 6) in P about its origin to the bodies."""
        X_WP = self._X_WP()
        if self.two_way and self.lag_damping and loads.any():
            loads = self._end_of_step(data, loads)
        self._applied = loads
        R = X_WP[:3, :3]
        force, torque = loads[:, :3] @ R.T, loads[:, 3:] @ R.T
        centers = self._scratch.xipos[self._bodies]
        moments = [t + np.cross(X_WP[:3, 3] - c, f) for f, t, c in zip(force, torque, centers[1:], strict=True)]
        total = force.sum(axis=0)
        pad = np.concatenate([-total, -torque.sum(axis=0) - np.cross(X_WP[:3, 3] - centers[0], total)])
        self.wrench = GelWrench(np.hstack([force, np.array(moments)]), pad)

    def _end_of_step(self, data: Any, loads: np.ndarray) -> np.ndarray:
        """The forces as they will be at the end of the coming step, to first order: backward Euler.

        The loads of now, held over a step h, are a spring with a delay, which throws light bodies off where h^2 K A
        exceeds 1 (K stiffness of the touched face, A mobility of the two bodies at it: the inverse of their mass). With
        v the velocity at the end of a trial step under the forces f0 that act now, other forces f change it by
        h A (f - f0). The gel's own mass m, a third of what lies behind the face, goes with it: it makes loads of -m a,
        where a changes by A (f - f0) as well. So

            f = loads - h K (v + h A (f - f0)) - m A (f - f0)
            f = f0 + (1 + (h^2 K + m) A)^-1 (loads - h K v - f0)

        At rest f is the load itself, whatever K, m and A. Six components each, about the middle of the touched face.
        """
        model, gel, out, h = self.model, self.gel, self.gel.out, float(self.model.opt.timestep)
        assert out is not None  # asked when the sensor was made
        touched = np.any(gel.point_forces, axis=1)
        if not touched.any() or not self._try_step(data):
            return loads
        X_WP, areas = self._X_WP(), gel.contact_areas[touched]
        points = (gel.contact_points + gel.displacements)[touched]
        middle = areas @ points / areas.sum()
        normal, shear = self.stiffness
        # What is pressed flat is thinner, hence stiffer.
        left = 1 + float(areas @ (gel.displacements[touched] @ out)) / (areas.sum() * gel.height)
        # Where the face is bent around the object, a motion along it presses as well.
        n = gel.point_forces[touched]
        n = n / np.linalg.norm(n, axis=1)[:, None]
        bent = n - (n @ out)[:, None] * out
        D = np.outer(out, out) + bent[:, :, None] * bent[:, None, :]
        D = (shear * np.eye(3) + (normal - shear) * D) / min(1.0, max(left, 0.2))
        K = of_the_face(D, points - middle, areas)
        m = of_the_face(gel.density * areas.sum() * gel.height / 3 * np.eye(3), points - middle, areas)
        reach = float(np.linalg.norm(points - middle, axis=1).max())
        sizes = np.linalg.norm(loads[:, :3], axis=1)
        found = np.zeros_like(loads)
        for k in range(len(loads)):
            if not sizes[k] > 0:
                continue
            J = self._jacobian(k, X_WP[:3, :3] @ middle + X_WP[:3, 3], X_WP[:3, :3])
            MJ = np.zeros_like(J)
            engine.need_mujoco().mj_solveM(model, self._trial, MJ, J)
            share = self.lag_damping * sizes[k] / sizes.sum()
            before, now = about(self._applied[k], middle), about(loads[k], middle)
            change = now - h * share * K @ (J @ self._trial.qvel) - before
            ahead = before + np.linalg.solve(np.eye(6) + share * (h * h * K + m) @ (J @ MJ.T), change)
            found[k] = about(within_friction(ahead, out, gel._friction[k], reach), -middle)
        return found

    def _try_step(self, data: Any) -> bool:
        """A step of the engine aside, under the forces that act now; False where it breaks down."""
        mujoco, model = engine.need_mujoco(), self.model
        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        state = np.empty(mujoco.mj_stateSize(model, kind))
        mujoco.mj_getState(model, data, state, kind)
        mujoco.mj_setState(model, self._trial, state, kind)
        mujoco.mj_step(model, self._trial)
        return bool(np.isfinite(self._trial.qvel).all())

    def _jacobian(self, k: int, at: np.ndarray, R_WP: np.ndarray) -> np.ndarray:
        """(6, nv): velocity and spin of object k against the pad at a point of the world, in P."""
        mujoco, parts = engine.need_mujoco(), []
        for body in (self._bodies[0], self._bodies[k + 1]):
            J = np.zeros((6, self.model.nv))
            mujoco.mj_jac(self.model, self._trial, J[:3], J[3:], at, body)
            parts.append(J)
        J = parts[1] - parts[0]
        return np.ascontiguousarray(np.vstack([R_WP.T @ J[:3], R_WP.T @ J[3:]]))

    def _hand_back(self, data: Any) -> None:
        new = np.zeros_like(self._added)
        for body, wrench in zip(self._bodies, [self.wrench.pad, *self.wrench.objects], strict=True):
            new[body] += wrench
        # Others may use xfrc_applied as well: only what was added last time is taken back.
        data.xfrc_applied[:] += new - self._added
        self._added = new

    # Readings

    @property
    def image(self) -> np.ndarray:
        """(H, W, 3) displacements of the contact face, m, frame P: of a box at its contact points, of any other gel at
        ``face_points``."""
        if self.gel.image_shape is not None:
            return self.gel.image
        if self._face is None:
            self._face = FaceFit(self.gel, self.face_points)
        return self._face()

    @property
    def face_points(self) -> np.ndarray:
        """(H, W, 3): where the pixels of ``image`` are at rest, m, frame P."""
        if self.gel.image_shape is not None:
            return self.gel.contact_points.reshape(*self.gel.image_shape, 3)
        return face_grid(self.gel)

    def markers(self, points: Any, unit: str = "m") -> np.ndarray:
        """(..., 3) displacements of markers at ``points`` (..., 3) of the contact face at rest, frame P: m, or px of
        ``pixel``."""
        if unit not in ("m", "px"):
            raise _core.Error(f"GelSensor.markers: unit is {unit!r}; give 'm' or 'px'")
        if unit == "px" and self.pixel is None:
            raise _core.Error("GelSensor.markers: how large is a pixel? give pixel= in m to GelSensor")
        where = np.asarray(points, float)
        if where.shape[-1:] != (3,) or not np.isfinite(where).all():
            raise _core.Error(f"GelSensor.markers: points have the shape {where.shape}; give finite (..., 3)")
        if self._markers is None or not np.array_equal(self._markers[0], where):
            self._markers = (where.copy(), FaceFit(self.gel, where))
        found = self._markers[1]()
        return found / self.pixel if unit == "px" else found

    def read(self) -> Reading:
        """What the taxels read, through the signal chain."""
        if self.taxels is None:
            raise _core.Error("GelSensor.read: no taxels; give taxels= a layout, or use image and markers")
        return self.taxels.read(self._time or 0.0)


def _geom_pose(data: Any, geom: int) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
    return X


def _travel(before: np.ndarray, after: np.ndarray, middle: np.ndarray, radius: float) -> float:
    """The most that a point of a ball moves."""
    turn = after[:3, :3] - before[:3, :3]
    return float(np.linalg.norm(turn @ middle + after[:3, 3] - before[:3, 3]) + radius * np.linalg.norm(turn, 2))
