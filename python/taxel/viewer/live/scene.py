"""The 3-D part of the page: geoms, taxels in place, contact surface, marker arrows, the force, the hand's gizmo."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .colours import ARROW, BANDS, FORCE, GLASS, PAD, PLATE, SURFACE, linear, ramp
from .frame import Contact, Frame, MarkerFrame, Numbers, SkinFrame
from .geom_meshes import geom_colour, geom_mesh, is_drawn
from .press_world import OBJECT, PressWorld
from .world import World

FINEST, TRIANGLES = 4, 1200  # a triangle's side is cut into so many parts at most, the surface into so many triangles
CONTACTS = 15.0  # updates of the contact surface a second, at most: it is most of what goes over the wire
TILE, DISC = 0.88, 0.26  # side and radius of a drawn taxel, as parts of its own
LIFT, LIFT_PRESSED = 0.02, 0.16  # between a taxel and what lies under it, as parts of its side
ARROW_PITCHES = 1.2  # the longest arrow of the markers is at most so many pitches long
MOST_STRETCH = 30.0
LONGEST_FORCE = 0.3  # of the scene's size, an arrow of the force
SOFT_OPACITY, OBJECT_OPACITY = 0.32, 0.28
GIZMO = 0.22  # of the scene's size


class Scene:
    """Nodes of one world; ``clear`` removes them. ``show`` holds what may be switched off."""

    def __init__(self, server: Any, world: World, show: dict[str, bool], opacity: float = OBJECT_OPACITY) -> None:
        self.server, self.world, self.visible = server, world, show
        self.middle, self.size = self._extent()
        self.gizmo: Any = None
        self._nodes: list[Any] = []
        self._geoms: dict[int, Any] = {}
        self._taxels: dict[str, Any] = {}
        self._markers: dict[str, Any] = {}
        self._sides: dict[str, np.ndarray] = {}
        self._stretch = 1.0
        self._force_scale = 0.0
        self._next_contact = 0.0
        self._above = np.zeros(3)
        with server.atomic():
            self._add_geoms(opacity)
            self._add_taxels()
            self._bands = [self._add_band(k) for k in range(BANDS)]
            self._force = self._keep(
                server.scene.add_arrows(
                    "/force", np.zeros((1, 2, 3)), FORCE, shaft_radius=0.005 * self.size,
                    head_radius=0.014 * self.size, head_length=0.04 * self.size, visible=False,
                )
            )  # fmt: skip

    def clear(self) -> None:
        with self.server.atomic():
            for node in self._nodes:
                node.remove()
            self._nodes = []
            self.drop_gizmo()

    def _keep(self, node: Any) -> Any:
        self._nodes.append(node)
        return node

    def _extent(self) -> tuple[np.ndarray, float]:
        """Middle and size of what there is to see, without floors."""
        if isinstance(self.world, PressWorld):
            low, high = self.world.pad.bounds
            return np.array([0.0, 0.0, self.world.top]), float(np.linalg.norm(high - low))
        model, data = self.world.model, self.world.data
        seen = [g for g in range(model.ngeom) if is_drawn(model, g) and model.geom_rbound[g] > 0]
        if not seen:
            return np.array(model.stat.center), float(model.stat.extent)
        around, places = model.geom_rbound[seen, None], data.geom_xpos[seen]
        low, high = (places - around).min(axis=0), (places + around).max(axis=0)
        return 0.5 * (low + high), float(np.linalg.norm(high - low))

    # --- What is there from the beginning ---

    def _add_geoms(self, opacity: float) -> None:
        model, data = self.world.model, self.world.data
        felt = {skin.geom for skin in self.world.skins} | {marker.geom for marker in self.world.markers}
        if isinstance(self.world, PressWorld):
            felt.add(model.geom(self.world.name).id)
        for g in range(model.ngeom):
            mesh = geom_mesh(model, g) if is_drawn(model, g) else None
            if mesh is None:
                continue
            colour, alpha = geom_colour(model, g)
            if model.geom(g).name == OBJECT:
                colour, alpha = GLASS, opacity
            elif g in felt:
                colour = PAD if isinstance(self.world, PressWorld) else colour
                alpha = min(alpha, SOFT_OPACITY)
            quaternion = np.empty(4)
            self.world.mujoco.mju_mat2Quat(quaternion, data.geom_xmat[g])
            self._geoms[g] = self._keep(
                self.server.scene.add_mesh_simple(
                    f"/geoms/{g}", mesh[0], mesh[1], color=colour, opacity=None if alpha >= 1 else alpha,
                    flat_shading=len(mesh[1]) <= 12, position=data.geom_xpos[g], wxyz=quaternion, cast_shadow=False,
                    receive_shadow=False,
                )
            )  # fmt: skip
        if isinstance(self.world, PressWorld):
            self._add_plate()

    def _add_plate(self) -> None:
        assert isinstance(self.world, PressWorld)
        low, high = self.world.pad.bounds
        thick = 0.04 * self.size
        edges = np.array([*(high - low)[:2] + 0.1 * self.size, thick])
        self._keep(
            self.server.scene.add_box(
                "/plate", color=PLATE, dimensions=edges, cast_shadow=False, receive_shadow=False,
                position=(*0.5 * (low + high)[:2], low[2] - 0.5 * thick - 1e-4),
            )
        )  # fmt: skip

    def set_opacity(self, opacity: float) -> None:
        """Of the object in the hand."""
        for g, node in self._geoms.items():
            if self.world.model.geom(g).name == OBJECT:
                node.opacity = opacity if opacity < 1 else None

    def _add_taxels(self) -> None:
        """Tiles or discs; where they are and their colours come with the frames."""
        layouts = {s.name: (s.layout, s.pose(self.world.data)) for s in self.world.skins}
        if isinstance(self.world, PressWorld) and self.world.gel is not None:
            assert self.world.gel.taxels is not None
            layouts[self.world.name] = self.world.gel.taxels.layout, self.world.gel.pose(self.world.data)
        for name, (layout, X_WS) in layouts.items():
            tiles = layout.rows > 0 or (isinstance(self.world, PressWorld) and self.world.sensor.shape is not None)
            vertices, triangles = _square() if tiles else _disc()
            frames = np.stack([layout.axes, layout.second_axes, layout.normals], axis=2)
            self._sides[name] = np.sqrt(layout.areas) * (TILE if tiles else DISC)
            self._taxels[name] = self._keep(
                self.server.scene.add_batched_meshes_simple(
                    f"/taxels/{name}", vertices, triangles, quaternions(X_WS[:3, :3] @ frames),
                    layout.points @ X_WS[:3, :3].T + X_WS[:3, 3],
                    batched_scales=self._sides[name],
                    batched_colors=linear(ramp(np.zeros(len(layout)))), side="double", lod="off", cast_shadow=False,
                    receive_shadow=False, visible=self.visible["taxels"],
                )
            )  # fmt: skip
        self._normals = {n: layout.normals @ X_WS[:3, :3].T for n, (layout, X_WS) in layouts.items()}
        self._frames = {n: X_WS[:3, :3] for n, (_, X_WS) in layouts.items()}

    def _add_band(self, k: int) -> Any:
        colour = tuple(int(c) for c in ramp(np.array((k + 0.5) / BANDS), SURFACE))
        triangle = np.zeros((3, 3)), np.array([(0, 1, 2)])
        return self._keep(
            self.server.scene.add_mesh_simple(
                f"/contact/{k}", *triangle, color=colour, side="double", cast_shadow=False, receive_shadow=False,
                flat_shading=True, visible=False,
            )
        )  # fmt: skip

    # --- Frame by frame ---

    def update(self, frame: Frame, whole: bool = False) -> None:
        """``whole``: also what is not due yet, because no frame may follow soon."""
        with self.server.atomic():
            for g in self.world.moving:
                if (node := self._geoms.get(g)) is not None:
                    node.position, node.wxyz = frame.positions[g], frame.quaternions[g]
            for skin in frame.skins:
                self._update_taxels(skin)
            if (now := time.perf_counter()) >= self._next_contact or whole:
                self._next_contact = now + 1 / CONTACTS
                self._update_contact(frame.contact)
            for marker in frame.markers:
                self._update_markers(marker)
            self._update_force(frame.numbers)

    def _update_taxels(self, skin: SkinFrame) -> None:
        node = self._taxels[skin.name]
        node.visible = self.visible["taxels"]
        if not self.visible["taxels"]:
            return
        node.batched_colors = linear(ramp(skin.shares))
        lift = self._sides[skin.name] * np.where(skin.shares > 0.02, LIFT_PRESSED, LIFT)
        node.batched_positions = (skin.points + lift[:, None] * self._normals[skin.name]).astype(np.float32)
        R = self._rotation(skin.name)
        if R is not None and not np.allclose(R, self._frames[skin.name], atol=1e-6):
            layout = next(s.layout for s in self.world.skins if s.name == skin.name)
            frames = np.stack([layout.axes, layout.second_axes, layout.normals], axis=2)
            node.batched_wxyzs = quaternions(R @ frames).astype(np.float32)
            self._frames[skin.name], self._normals[skin.name] = R, layout.normals @ R.T

    def _rotation(self, name: str) -> np.ndarray | None:
        """Of a sensor's frame, where it can move."""
        sensor = next((s for s in self.world.skins if s.name == name), None)
        if sensor is None or sensor.geom not in self.world.moving:
            return None
        return sensor.pose(self.world.data)[:3, :3]

    def _update_contact(self, contact: Contact | None) -> None:
        if contact is None or not self.visible["contact"]:
            for band in self._bands:
                band.visible = False
            return
        vertices, pressures = finer(contact)
        level = pressures / max(float(contact.pressures.max()), 1e-9)
        chosen = np.clip((BANDS * level).astype(int), 0, BANDS - 1)
        for k, band in enumerate(self._bands):
            part = vertices[chosen == k]
            band.visible = bool(len(part))
            if len(part):
                band.vertices = part.reshape(-1, 3).astype(np.float32)
                band.faces = np.arange(3 * len(part), dtype=np.uint32).reshape(-1, 3)

    def _update_markers(self, marker: MarkerFrame) -> None:
        pitch = _pitch(marker.places)
        longest = float(np.linalg.norm(marker.moved, axis=1).max())
        if longest > 0:  # never shrinks within a world: arrows stay comparable
            self._stretch = MOST_STRETCH if self._stretch == 1.0 else self._stretch
            self._stretch = min(self._stretch, max(1.0, ARROW_PITCHES * pitch / longest))
        out = np.array([0.0, 0.0, 0.2 * pitch])
        points = np.stack([marker.places + out, marker.places + out + self._stretch * marker.moved], axis=1)
        if marker.name not in self._markers:
            self._markers[marker.name] = self._keep(
                self.server.scene.add_arrows(
                    f"/markers/{marker.name}", points, ARROW, shaft_radius=0.05 * pitch, head_radius=0.13 * pitch,
                    head_length=0.25 * pitch,
                )
            )  # fmt: skip
        node = self._markers[marker.name]
        node.points, node.visible = points.astype(np.float32), self.visible["markers"]

    def _update_force(self, numbers: Numbers) -> None:
        """An arrow at the centre of pressure, as long as the force; the longest so far fits the scene."""
        known = np.isfinite(numbers.center).all() and numbers.normal > 1e-3 and self.visible["force"]
        self._force.visible = bool(known)
        if not known or (X_WS := self._watched_pose()) is None:
            return
        self._force_scale = max(self._force_scale, numbers.normal)
        length = LONGEST_FORCE * self.size * numbers.normal / self._force_scale
        at = X_WS[:3, :3] @ (*numbers.center, self._top) + X_WS[:3, 3]
        self._force.points = np.array([[at + length * X_WS[:3, 2], at]], np.float32)

    @property
    def _top(self) -> float:
        return self.world.top if isinstance(self.world, PressWorld) else 0.0

    def _watched_pose(self) -> np.ndarray | None:
        world = self.world
        sensors: list[Any] = [*world.skins, *world.markers]
        found = next((s for s in sensors if s.name == world.watched), world.gel)
        return None if found is None else found.pose(world.data)

    # --- The hand ---

    def add_gizmo(self, position: np.ndarray, quaternion: np.ndarray, dragged: Callable[[Any], Any]) -> None:
        """Handles to drag what the hand holds; ``dragged`` gets viser's event. They float above the object, clear of
        what is touched; turned is about the body's origin all the same."""
        self.drop_gizmo()
        self._above = np.array([0.0, 0.0, self._height()])
        self.gizmo = self.server.scene.add_transform_controls(
            "/hand", scale=GIZMO * self.size, line_width=3.0, depth_test=False, opacity=0.9,
            position=position + self._above, wxyz=quaternion,
        )  # fmt: skip
        self.gizmo.on_update(dragged)

    def move_gizmo(self, position: np.ndarray, quaternion: np.ndarray | None = None) -> None:
        """To a pose of the body."""
        if self.gizmo is None:
            return
        self.gizmo.position = position + self._above
        if quaternion is not None:
            self.gizmo.wxyz = quaternion

    def pose_of_gizmo(self, gizmo: Any) -> tuple[np.ndarray, np.ndarray]:
        """Position and quaternion of the body that a dragged gizmo asks for."""
        return np.array(gizmo.position) - self._above, np.array(gizmo.wxyz)

    def _height(self) -> float:
        """Of the gizmo over the body's origin, which is the lowest point of a pressed object."""
        if not isinstance(self.world, PressWorld):
            return 0.0
        thing = self.world.thing
        return min(float(np.ptp((thing.surface()[0] @ thing.turned(0, 0)[0].T)[:, 2])), 0.4 * self.size)

    def drop_gizmo(self) -> None:
        if self.gizmo is not None:
            self.gizmo.remove()
            self.gizmo = None


def quaternions(R: np.ndarray) -> np.ndarray:
    """(n, 4), w first, of rotations (n, 3, 3)."""
    import mujoco

    out = np.empty((len(R), 4))
    for k, matrix in enumerate(np.ascontiguousarray(R)):
        mujoco.mju_mat2Quat(out[k], matrix.ravel())
    return out


def finer(contact: Contact) -> tuple[np.ndarray, np.ndarray]:
    """Corners (m, 3, 3) of the surface's triangles, cut while they are few, and the pressure in the middle of each."""
    corners, pressures = contact.vertices[contact.triangles], contact.pressures[contact.triangles]
    n = min(FINEST, int(np.sqrt(TRIANGLES / len(corners))))
    if n < 2:
        return corners, pressures.mean(axis=1)
    weights = _parts(n)  # (parts, 3 corners, 3 weights)
    cut = np.einsum("pcw,twx->tpcx", weights, corners).reshape(-1, 3, 3)
    return cut, np.einsum("pw,tw->tp", weights.mean(axis=1), pressures).ravel()


@cache
def _parts(n: int) -> np.ndarray:
    """Barycentric corners of the n * n parts of a triangle."""

    def corner(i: int, j: int) -> tuple[float, float, float]:
        return i / n, j / n, 1 - (i + j) / n

    found = []
    for i in range(n):
        for j in range(n - i):
            found.append((corner(i, j), corner(i + 1, j), corner(i, j + 1)))
            if i + j < n - 1:
                found.append((corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)))
    return np.array(found)


def _pitch(places: np.ndarray) -> float:
    return float(np.linalg.norm(places[1] - places[0])) if len(places) > 1 else 1e-3


def _square() -> tuple[np.ndarray, np.ndarray]:
    corners = 0.5 * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)
    return corners, np.array([(0, 1, 2), (0, 2, 3)])


def _disc(n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    angle = 2 * np.pi * np.arange(n) / n
    rim = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(n)])
    k = np.arange(n)
    return np.concatenate([np.zeros((1, 3)), rim]), np.column_stack([np.zeros(n, int), 1 + k, 1 + (k + 1) % n])
