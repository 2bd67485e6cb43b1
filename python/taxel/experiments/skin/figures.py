"""The figures of HydroelasticTouch that show contacts and images.

Above (its Figs. 2 and 3): a cuboid and an ellipsoid on the Myrmex pad. MuJoCo's own contact is a few points (yellow,
from its collision of the same geoms at the same pose); ours is a surface with a pressure; beside it what the 16 x 16
cells read. Below (its Figs. 8 and 9): the five primitives of the training set at 45 degrees, 6 N.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .orientation_data import PAD_SIZE, X_WPAD, Press, make_pad, rest, skin_reader
from .orientation_mujoco import GEOMS
from .orientation_objects import Object, training_objects

FORCE = 6.0


def native_points(thing: Object, yaw: float, height: float) -> np.ndarray:
    """(N, 3): where MuJoCo's own collision puts its contacts."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(
        name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[s / 2 for s in PAD_SIZE], pos=X_WPAD[:3, 3]
    )
    quat = [np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
    body = spec.worldbody.add_body(name="object", pos=[0, 0, height], quat=quat)
    body.add_freejoint()
    for (_, X_OB), (kind, size) in zip(thing.parts, GEOMS[thing.name], strict=True):
        turned = np.zeros(4)
        mujoco.mju_mat2Quat(turned, X_OB[:3, :3].ravel())
        body.add_geom(type=kind, size=size, pos=X_OB[:3, 3], quat=turned, mass=0.1)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return np.array([c.pos for c in data.contact]).reshape(-1, 3)


def pressed(thing: Object, yaw: float) -> dict[str, Any]:
    pad = make_pad()
    surfaces, force, height = rest(pad, Press(thing, yaw, FORCE))
    image = skin_reader(pad)(surfaces, X_WPAD)
    return {
        "object": thing.name,
        "surfaces": [s for s in surfaces if s],
        "image": image,
        "force": force,
        "sum": float(image.sum() * PAD_SIZE[0] * PAD_SIZE[1] / image.size),
        "points": native_points(thing, yaw, height),
        "faces": sum(len(s) for s in surfaces),
        "greatest": max(s.max_pressure for s in surfaces if s),
    }


def draw_surface(ax: Any, shot: dict[str, Any], greatest: float) -> None:
    from matplotlib.collections import PolyCollection

    for s in shot["surfaces"]:
        corners = [1e3 * s.vertices[a:b, :2] for a, b in zip(s.face_start[:-1], s.face_start[1:], strict=True)]
        faces = PolyCollection(corners, array=s.face_pressures, cmap="turbo", edgecolors="0.25", linewidths=0.3)
        faces.set_clim(0, greatest)
        ax.add_collection(faces)
    frame(ax)


def frame(ax: Any) -> None:
    half = 1e3 * PAD_SIZE[0] / 2
    ax.set(xlim=(-half, half), ylim=(-half, half), aspect="equal", xticks=[], yticks=[])


def draw_image(ax: Any, shot: dict[str, Any], greatest: float) -> None:
    half = 1e3 * PAD_SIZE[0] / 2
    ax.imshow(shot["image"], origin="lower", extent=(-half, half, -half, half), cmap="turbo", vmin=0, vmax=greatest)
    frame(ax)


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    things = {thing.name: thing for thing in training_objects()}
    above = [pressed(things[name], 0.0) for name in ("cuboid", "ellipsoid")]
    below = [pressed(thing, np.pi / 4) for thing in things.values()]
    figure, axes = plt.subplots(3, 6, figsize=(14, 7.6), layout="constrained")
    for k, shot in enumerate(above):
        points, surface, image = axes[0, 3 * k : 3 * k + 3]
        points.scatter(*(1e3 * shot["points"][:, :2].T), c="gold", edgecolors="k", s=60)
        points.set_facecolor("#e8eef5")
        frame(points)
        points.set_title(f"{shot['object']}: MuJoCo, {len(shot['points'])} points", fontsize=9)
        draw_surface(surface, shot, shot["greatest"])
        surface.set_title(f"surface, up to {1e-3 * shot['greatest']:.1f} kPa", fontsize=9)
        draw_image(image, shot, shot["image"].max())
        image.set_title(f"sensor, sum {shot['sum']:.3f} N", fontsize=9)
    for k, shot in enumerate(below):
        draw_surface(axes[1, k], shot, shot["greatest"])
        axes[1, k].set_title(f"{shot['object']}, {1e-3 * shot['greatest']:.1f} kPa", fontsize=9)
        draw_image(axes[2, k], shot, shot["image"].max())
    axes[1, 0].set_ylabel("surface, 6 N")
    axes[2, 0].set_ylabel("sensor")
    for ax in axes[1:, 5]:
        ax.axis("off")
    path = folder / "figures.png"
    figure.savefig(path, dpi=100)
    plt.close(figure)
    rows = [
        {
            "object": s["object"],
            "force": s["force"],
            "sum": s["sum"],
            "points": len(s["points"]),
            "faces": s["faces"],
            # What hangs over the pad's edge loads no cell; the walls of a block press sideways only.
            "within": bool(abs(s["sum"] / s["force"] - 1) < 1e-6),
        }
        for s in (*above, *below)
    ]
    out.print("object           force N   sum of taxels N   MuJoCo's points   our faces")
    for r in rows:
        out.print(f"{r['object']:15} {r['force']:8.4f} {r['sum']:16.6f} {r['points']:16} {r['faces']:11}")
    out.print(f"picture: {path}")
    return {"experiment": "figures", "rows": rows, "picture": path}
