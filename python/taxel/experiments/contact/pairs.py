"""Every soft shape dropped on every rigid one and on every soft one: does it come to rest with the force m g?

The lower body is fixed, the upper one falls from about 1 mm. On flat tops (and between the legs of the U) it is free;
on round ones, from which it would roll off, and where a roller lies across the legs of the U, a joint guides it along
z. A plane cannot move in MuJoCo, so it is always the lower one; two planes can make no contact. The force is read
where it acts, in the rows of MuJoCo's solver, and its worst value over the last tenth of a second counts, so a body
that still chatters is not at rest.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from ...viewer.offscreen import Offscreen, View
from .scenes import GRAVITY

MASS = 0.5
STEP = 0.002
DROP = 0.001
SECONDS = 1.5
AT_REST = 0.1
"""The last part of the time, over which the worst force counts, s."""
LIMIT = 1e-3
"""Of the force, relative to m g."""
MODULUS = {"upper": 3e5, "lower": 2e5}
DISSIPATION = 20.0

FRUSTUM = [
    (0.028, 0, -0.02), (0.014, 0.024, -0.02), (-0.014, 0.024, -0.02),
    (-0.028, 0, -0.02), (-0.014, -0.024, -0.02), (0.014, -0.024, -0.02),
    (0.02, 0, 0.02), (0.01, 0.017, 0.02), (-0.01, 0.017, 0.02),
    (-0.02, 0, 0.02), (-0.01, -0.017, 0.02), (0.01, -0.017, 0.02),
]  # fmt: skip
"""Corners of a six-sided frustum that stands on its wide end; MuJoCo makes the faces."""


def u_mesh() -> tuple[np.ndarray, np.ndarray]:
    """A U with its legs down: 6 cm wide, 4 cm high, 4 cm deep, legs and bridge of 1.5 cm."""
    profile = np.array(
        [[-3, -2], [-1.5, -2], [-1.5, 0.5], [1.5, 0.5], [1.5, -2], [3, -2], [3, 2], [1.5, 2], [-1.5, 2], [-3, 2]]
    )
    cells = [(0, 1, 2), (0, 2, 9), (2, 8, 9), (2, 3, 8), (3, 7, 8), (3, 6, 7), (3, 4, 6), (4, 5, 6)]
    count = len(profile)
    vertices = np.array([[x, y, z] for y in (-2, 2) for x, z in profile]) * 0.01
    triangles = [*cells, *((c + count, b + count, a + count) for a, b, c in cells)]
    for i in range(count):
        j = (i + 1) % count
        triangles += [(i, i + count, j), (j, i + count, j + count)]
    return vertices, np.array(triangles)


def _mesh_asset(name: str, shape: str, scale: float) -> str:
    scaled = f'name="{name}" scale="{scale} {scale} {scale}"'
    if shape == "convex mesh":
        return f'<mesh {scaled}\n          vertex="{_wrapped(np.array(FRUSTUM))}"/>'
    vertices, triangles = u_mesh()
    return (
        f'<mesh {scaled} inertia="exact"\n          vertex="{_wrapped(vertices)}"\n          '
        f'face="{_wrapped(triangles)}"/>'
    )


def _wrapped(rows: np.ndarray) -> str:
    """Five rows to a line, as in a file that people read."""
    texts = [" ".join(f"{x:g}" for x in row) for row in rows]
    return ("\n" + 18 * " ").join("  ".join(texts[k : k + 5]) for k in range(0, len(texts), 5))


@dataclass(frozen=True)
class Shape:
    """MJCF of a shape of about 5 cm; sizes are given in m for scale 1."""

    type: str
    size: tuple[float, ...] = ()
    mesh: str = ""
    turned: str = ""
    turned_below: str = ""
    """How it lies as the upper and as the lower body: MJCF Euler angles in degrees."""
    flat_top: bool = False
    """Nothing rolls off it when it is the lower body."""
    roller: bool = False
    """Rolls about a horizontal axis at the least push."""

    def geom(self, place: str, scale: float, attributes: str) -> str:
        text = f'<geom name="{place}" type="{self.type}"'
        if self.mesh:
            text += f' mesh="{self.mesh}_{place}"'
        elif self.type == "plane":
            text += ' size="0.2 0.2 0.05"'
        else:
            text += ' size="' + " ".join(f"{scale * s:g}" for s in self.size) + '"'
        if turned := self.turned_below if place == "lower" else self.turned:
            text += f' euler="{turned}"'
        return f"{text} {attributes}/>"


SHAPES = {
    "plane": Shape("plane", flat_top=True),
    "sphere": Shape("sphere", (0.025,)),
    "capsule": Shape("capsule", (0.018, 0.02), turned="0 90 0", turned_below="0 90 0", roller=True),
    "ellipsoid": Shape("ellipsoid", (0.03, 0.024, 0.018)),
    "cylinder": Shape("cylinder", (0.025, 0.02), flat_top=True),
    "cylinder lying": Shape("cylinder", (0.02, 0.025), turned="0 90 0", turned_below="0 90 0", roller=True),
    "box": Shape("box", (0.025, 0.02, 0.02), flat_top=True),
    "convex mesh": Shape("mesh", mesh="frustum", turned_below="180 0 0", flat_top=True),
    "U mesh": Shape("mesh", mesh="u", turned_below="180 0 0", flat_top=True),
}
SOFT = ("upper", "lower", "both")


@dataclass(frozen=True)
class Pair:
    upper: str
    lower: str
    soft: str
    """Which of the two is soft: upper, lower or both."""
    mass: float = MASS
    step: float = STEP
    integrator: str = "implicitfast"
    modulus: dict[str, float] = field(default_factory=lambda: dict(MODULUS))
    dissipation: float = DISSIPATION

    @property
    def free(self) -> bool:
        return SHAPES[self.lower].flat_top and not (SHAPES[self.upper].roller and self.lower == "U mesh")

    @property
    def name(self) -> str:
        return f"{self.upper} on {self.lower}, soft: {self.soft}"


def scene(pair: Pair, height: float = 0.1, comment: str = "") -> str:
    """MJCF of the pair; the upper body starts with its frame at ``height``."""
    upper, lower = SHAPES[pair.upper], SHAPES[pair.lower]
    # The lower one is a little larger, and nothing is aligned with anything.
    scales = {"upper": 1.0, "lower": 1.2}
    soft = [place for place in ("lower", "upper") if pair.soft in (place, "both")]
    instances, tuples = [], []
    for place in soft:
        keys = {"modulus": f"{pair.modulus[place]:g}", "dissipation": f"{pair.dissipation:g}", "friction": "0.6"}
        if place == "lower" and pair.lower == "plane":
            keys["thickness"] = "0.02"
        config = "".join(f'\n        <config key="{k}" value="{v}"/>' for k, v in keys.items())
        instances.append(f'      <instance name="{place}_skin">{config}\n      </instance>')
        tuples.append(f'    <tuple name="{place}_skin"><element objtype="geom" objname="{place}"/></tuple>')
    assets = [
        "    " + _mesh_asset(f"{SHAPES[shape].mesh}_{place}", shape, scales[place])
        for place, shape in (("upper", pair.upper), ("lower", pair.lower))
        if SHAPES[shape].mesh
    ]
    joint = "<freejoint/>" if pair.free else '<joint name="guide" type="slide" axis="0 0 1"/>'
    grey, orange = 'rgba="0.6 0.6 0.65 1"', 'rgba="0.9 0.6 0.3 0.6"'
    colour = {place: orange if place in soft else grey for place in ("upper", "lower")}
    newline = "\n"
    return f"""<mujoco model="{pair.name}">
{comment}  <option cone="elliptic" timestep="{pair.step:g}" integrator="{pair.integrator}"/>
  <extension>
    <plugin plugin="taxel">
{newline.join(instances)}
    </plugin>
  </extension>
  <custom>
{newline.join(tuples)}
  </custom>
{f"  <asset>{newline}{newline.join(assets)}{newline}  </asset>{newline}" if assets else ""}  <default>
    <geom friction="0.6 0 0"/>
  </default>
  <worldbody>
    <light pos="0.2 -0.3 0.6" dir="-0.3 0.4 -1"/>
    {lower.geom("lower", scales["lower"], colour["lower"])}
    <body name="upper" pos="0.002 0.001 {height:.5g}" euler="0 0 20">
      {joint}
      {upper.geom("upper", scales["upper"], f'mass="{pair.mass:g}" {colour["upper"]}')}
    </body>
  </worldbody>
</mujoco>
"""


def start_height(pair: Pair) -> float:
    """Where the two are 1.0 to 1.25 mm apart along z: found by lowering the upper body until they touch."""
    taxel.load()
    model = mujoco.MjModel.from_xml_string(scene(pair))
    data, reader = mujoco.MjData(model), taxel.Reader(model, scale="none")
    at, start = (2, 0.0) if pair.free else (0, 0.1)
    for z in np.arange(0.1, 0.0, -0.00025):
        data.qpos[at] = z - start
        mujoco.mj_kinematics(model, data)
        if reader(data):
            return float(z) + DROP + 0.00025
    raise taxel.Error(f"{pair.name}: they do not touch anywhere")


def drop(pair: Pair, seconds: float = SECONDS, look: Callable[..., None] | None = None) -> dict[str, Any]:
    """Drops the upper body and says how it came to rest; ``look(model, data)`` may look at the end."""
    model = mujoco.MjModel.from_xml_string(scene(pair, start_height(pair)))
    data = mujoco.MjData(model)
    weight = pair.mass * GRAVITY
    steps, last = round(seconds / pair.step), round(AT_REST / pair.step)
    started = time.perf_counter()
    mujoco.mj_step(model, data, nstep=steps - last)
    forces = np.empty(last)
    for k in range(last):
        mujoco.mj_step(model, data)
        forces[k] = taxel.wrench(model, data, "upper")[2]
    milliseconds = 1e3 * (time.perf_counter() - started) / steps
    finite = bool(np.isfinite(data.qpos).all() and np.isfinite(forces).all())
    error = float(np.abs(forces / weight - 1).max()) if finite else float("inf")
    touches = taxel.touches(model, data)
    if look:
        look(model, data)
    return {
        "upper": pair.upper,
        "lower": pair.lower,
        "soft": pair.soft,
        "held": "free" if pair.free else "guided along z",
        "force": float(forces[-1]),
        "error": error,
        "elastic_share": float(sum(elastic_force(t)[2] for t in touches) / weight),
        "speed": float(np.abs(data.qvel).max()) if finite else float("inf"),
        "fell": float(model.body("upper").pos[2] - data.body("upper").xpos[2]),
        "area": float(sum(t.surface.area for t in touches)),
        "warnings": int(sum(w.number for w in data.warning)),
        "ms_per_step": milliseconds,
        "within": finite and error < LIMIT and not any(w.number for w in data.warning),
    }


def elastic_force(touch: taxel.Touch) -> np.ndarray:
    """Of the pressure alone, on the upper body."""
    return touch.surface.force_on_A if touch.name2 == "upper" else touch.surface.force_on_B


QUICK = [
    ("sphere", "plane", "upper"),
    ("sphere", "sphere", "both"),
    ("capsule", "ellipsoid", "lower"),
    ("capsule", "plane", "both"),
    ("ellipsoid", "box", "upper"),
    ("cylinder", "box", "lower"),
    ("cylinder lying", "cylinder", "both"),
    ("box", "plane", "lower"),
    ("box", "capsule", "upper"),
    ("convex mesh", "box", "both"),
    ("U mesh", "sphere", "lower"),
    ("sphere", "U mesh", "upper"),
]


def pairs(quick: bool) -> Iterator[Pair]:
    if quick:
        yield from (Pair(*names) for names in QUICK)
        return
    for upper in SHAPES:
        for lower in SHAPES:
            for soft in SOFT:
                if upper != "plane":
                    yield Pair(upper, lower, soft)


def matrix_picture(rows: list[dict[str, Any]], path: Path) -> None:
    """Three tables, one for each choice of the soft body: colour is the worst force error as a power of ten."""
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    names = list(SHAPES)
    figure, axes = plt.subplots(1, 3, figsize=(15, 5.6), layout="constrained", sharey=True)
    for axis, soft in zip(axes, SOFT, strict=True):
        grid = np.full((len(names), len(names)), np.nan)
        for row in rows:
            if row["soft"] == soft:
                error = np.clip(row["error"], 1e-16, 1.0) if np.isfinite(row["error"]) else 1.0
                grid[names.index(row["upper"]), names.index(row["lower"])] = np.log10(error)
        colours = plt.get_cmap("RdYlGn_r").with_extremes(bad="0.9")
        # The middle of the colours is the limit.
        picture = axis.imshow(grid, cmap=colours, vmin=-6, vmax=0)
        for i in range(len(names)):
            for j in range(len(names)):
                text = "-" if np.isnan(grid[i, j]) else f"{grid[i, j]:.0f}"
                axis.text(j, i, text, ha="center", va="center", fontsize=8)
        axis.set_xticks(range(len(names)), names, rotation=60, ha="right")
        axis.set_yticks(range(len(names)), names)
        axis.set_title(f"soft: {soft}")
        axis.set_xlabel("lower, fixed")
    axes[0].set_ylabel("upper, dropped")
    figure.colorbar(picture, ax=axes, label="log10 of |force / (m g) - 1|, worst of the last 0.1 s", shrink=0.8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


class ContactSheet:
    """A small picture of every pair at rest."""

    def __init__(self) -> None:
        self.pictures: list[np.ndarray] = []

    def __call__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        lookat = tuple(0.5 * (data.geom("lower").xpos + data.geom("upper").xpos))
        with Offscreen(model, 120, 120) as camera:
            self.pictures.append(camera(data, View(lookat, 0.22, 120, -18)))

    def write(self, path: Path) -> None:
        from taxel.report import need_matplotlib

        across = 3 * len(SHAPES) if len(self.pictures) > 3 * len(SHAPES) else 6
        blank = np.full_like(self.pictures[0], 255)
        filled = self.pictures + [blank] * (-len(self.pictures) % across)
        lines = [np.concatenate(filled[k : k + across], axis=1) for k in range(0, len(filled), across)]
        need_matplotlib().imsave(path, np.concatenate(lines))


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import table

    chosen = list(pairs(quick))
    sheet = ContactSheet() if os.environ.get("MUJOCO_GL") else None
    rows = [drop(pair, look=sheet) for pair in out.progress(chosen, "pairs")]
    out.print(
        table(
            ("upper", "lower", "soft", "upper is", "force error", "fell mm", "area cm2", "speed", "ms/step", ""),
            [
                (
                    r["upper"],
                    r["lower"],
                    r["soft"],
                    r["held"],
                    f"{r['error']:.1e}",
                    f"{1e3 * r['fell']:.2f}",
                    f"{1e4 * r['area']:.2f}",
                    f"{r['speed']:.0e}",
                    f"{r['ms_per_step']:.2f}",
                    "within" if r["within"] else "OUTSIDE",
                )
                for r in rows
            ],
            left=4,
        )
    )
    worst = max(rows, key=lambda r: r["error"])
    out.print(
        f"{len(rows)} pairs, {sum(not r['within'] for r in rows)} outside {LIMIT:g}; worst {worst['error']:.1e} "
        f"({worst['upper']} on {worst['lower']}, soft: {worst['soft']}). Plane on plane: no contact possible; "
        "a plane on another shape: MuJoCo's planes do not move, see that shape on the plane."
    )
    path = folder / "contact-pairs.png"
    matrix_picture(rows, path)
    out.print(f"wrote {path}")
    if sheet:
        sheet.write(folder / "contact-pairs-sheet.png")
        out.print(f"wrote {folder / 'contact-pairs-sheet.png'}")
    else:
        out.print("with MUJOCO_GL=egl (or osmesa) set, a picture of every pair at rest is drawn too")
    return {"experiment": "contact-pairs", "limit": LIMIT, "rows": rows}
