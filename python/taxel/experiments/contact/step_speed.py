"""A whole step timed beside Drake's: a free cylinder of 0.5 kg at rest on a soft pad, time step 1 ms.

Both sides let the cylinder go at the pad's face, wait until it rests and time the steps that follow, in turns. A mesh
that is too coarse is quick and wrong, so each setting comes with its error of the depth at rest against statics, and
the ratio that counts is that at equal error.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel
from taxel import _core

from .drake_runs import CYLINDER, DrakePlant, Scene, model, static_depth

STEP = 1e-3
SETTLE = 3.0  # s
SOLVERS = ("tamsi", "similar", "lagged", "sap")
HINTS = (0.01, 0.005, 0.0025, 0.00125, 0.000625)
NATIVE_LIMIT = 0.02
OURS: dict[str, dict[str, Any]] = {
    "rows, 16 blocks": {},
    "rows, 4 blocks": {"blocks": 4},
    "explicit": {"coupling": "explicit"},
    "sense": {"coupling": "sense"},
}
"""Settings of our step. Sensing leaves the physics to MuJoCo's own contact and computes the surface for the sensor."""


class OurStep:
    def __init__(self, name: str, m: mujoco.MjModel) -> None:
        self.name, self.model, self.data = name, m, mujoco.MjData(m)
        mujoco.mj_step(self.model, self.data, nstep=round(SETTLE / STEP))

    def time(self, steps: int) -> float:
        """CPU seconds a step."""
        start = time.thread_time()
        mujoco.mj_step(self.model, self.data, nstep=steps)
        return (time.thread_time() - start) / steps

    @property
    def depth(self) -> float:
        return CYLINDER.sizes[0] - float(self.data.qpos[2])


class DrakeStep:
    def __init__(self, solver: str, hint: float, scene: Scene) -> None:
        self.solver, self.hint = solver, hint
        self.plant = DrakePlant(scene, hint, STEP, solver, record=False)
        self.plant.advance(SETTLE)

    def time(self, steps: int) -> float:
        return self.plant.advance(steps * STEP) / steps

    @property
    def depth(self) -> float:
        return CYLINDER.sizes[0] - self.plant.height


def native_model() -> mujoco.MjModel:
    """The same scene in MuJoCo alone: no plugin, its own point contact."""
    half = np.array(CYLINDER.pad) / 2
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option cone="elliptic" timestep="{STEP}" integrator="implicitfast"/>
        <worldbody><geom name="pad" type="box" size="{half[0]} {half[1]} {half[2]}" pos="0 0 {-half[2]}"/>
        {CYLINDER.mjcf()}</worldbody></mujoco>"""
    )


def time_query(depth: float, repeats: int) -> tuple[float, int]:
    """Microseconds and faces of the contact query alone."""
    pad, cylinder = CYLINDER.bodies()
    pose = taxel.pose((0, 0, CYLINDER.pad[2] / 2 + CYLINDER.sizes[0] - depth), rpy=(0, np.pi / 2, 0))
    nanoseconds, faces, _, _ = _core.time_contact(pad, taxel.pose(), cylinder, pose, repeats)
    return nanoseconds / 1e3, faces


def frictionless_depth(name: str) -> float:
    return OurStep(name, model(replace(CYLINDER, friction=0.0), STEP, **OURS[name])).depth


def run(out: Any, with_drake: bool, quick: bool = False) -> dict[str, Any]:
    """``drake`` stays empty where ``with_drake`` is False."""
    exact = static_depth(CYLINDER)
    ours = [OurStep(name, model(CYLINDER, STEP, **settings)) for name, settings in OURS.items()]
    native = OurStep("native MuJoCo", native_model())
    theirs: list[DrakeStep] = []
    slippery = replace(CYLINDER, friction=0.0)
    free: dict[tuple[str, float], float] = {}
    if with_drake:
        settings = [(s, h) for s in SOLVERS for h in (HINTS[1:3] if quick else HINTS)]
        for solver, hint in out.progress(settings, "Drake comes to rest"):
            try:
                theirs.append(DrakeStep(solver, hint, CYLINDER))
            except (RuntimeError, ValueError) as error:  # TAMSI will be taken out
                out.print(f"Drake without {solver}: {error}")
                continue
            free[solver, hint] = DrakeStep(solver, hint, slippery).depth
    samples: dict[int, list[float]] = {id(s): [] for s in (*ours, native, *theirs)}
    rounds = range(3 if quick else 15)
    for _ in out.progress(rounds, "steps", len(rounds)):
        for s in (*ours, native):
            samples[id(s)].append(s.time(100 if quick else 400))
        for s in theirs:
            samples[id(s)].append(s.time(30 if quick else 100))

    def timed(s: OurStep | DrakeStep) -> dict[str, float]:
        t = 1e6 * np.array(samples[id(s)])
        return {"microseconds": float(np.median(t)), "least": float(t.min())}

    rows = [
        {
            "setting": s.name,
            **timed(s),
            "depth": None if s.name == "sense" else s.depth,
            "depth_error": None if s.name == "sense" else s.depth / exact - 1,
            "depth_error_free": None if s.name == "sense" else frictionless_depth(s.name) / exact - 1,
        }
        for s in ours
    ]
    query, faces = time_query(exact, 15 if quick else 60)
    drake = [
        {
            "solver": s.solver,
            "hint": s.hint,
            "faces": s.plant.faces,
            **timed(s),
            "depth": s.depth,
            "depth_error": s.depth / exact - 1,
            "depth_error_free": free[s.solver, s.hint] / exact - 1,
        }
        for s in theirs
    ]
    for row in drake:
        # Of the least times: other work on the machine disturbs the longer steps more.
        row["ratio"] = row["least"] / rows[0]["least"]
    return {
        "exact_depth": exact,
        "exact_depth_half_rim": static_depth(CYLINDER, 0.5),
        "rows": rows,
        "native": {"setting": native.name, **timed(native)},
        "query": {"microseconds": query, "faces": faces},
        "drake": drake,
        "equal": {solver: equal_error(rows[0], drake, solver) for solver in dict.fromkeys(r["solver"] for r in drake)},
    }


def equal_error(
    ours: dict[str, Any], drake: list[dict[str, Any]], solver: str, key: str = "depth_error"
) -> dict[str, Any] | None:
    """The coarsest setting of a Drake solver whose depth is no worse than ours; None where there is none."""
    good = [r for r in drake if r["solver"] == solver and abs(r[key]) <= abs(ours[key])]
    return max(good, key=lambda r: r["hint"], default=None)


def count_native(source: Path | None = None) -> dict[str, Any] | str:
    """Instructions of a scene without soft geoms, plugin not loaded and loaded; or why they were not counted.

    Compiles benchmarks/native_scene.cc against the installed MuJoCo and runs it under callgrind.
    """
    source = source or next(
        (p for p in (Path("benchmarks/native_scene.cc"), Path("../benchmarks/native_scene.cc")) if p.exists()), None
    )
    if source is None or not source.exists():
        return "benchmarks/native_scene.cc is not here; run from a checkout"
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return "there is no C++ compiler; run: apt install g++"
    if shutil.which("valgrind") is None:
        return "valgrind is not installed; run: apt install valgrind"
    package = Path(mujoco.__file__).parent
    library = next(package.glob("libmujoco.so*"))
    counts, states = [], []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "native_scene"
        built = subprocess.run(
            [compiler, "-O2", "-std=c++20", str(source), f"-I{package / 'include'}", str(library)]
            + [f"-Wl,-rpath,{package}", "-o", str(program)],
            capture_output=True,
            text=True,
        )
        if built.returncode:
            return f"benchmarks/native_scene.cc does not compile: {built.stderr.strip().splitlines()[0]}"
        for plugin in ([], [taxel.plugin_path()]):
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--toggle-collect=Simulate"]
                + [str(program), *plugin],
                capture_output=True,
                text=True,
                cwd=folder,
            )
            found = re.search(r"Collected : (\d+)", done.stderr)
            if done.returncode or not found:
                return f"valgrind failed: {(done.stderr.strip().splitlines() or ['no output'])[-1]}"
            counts.append(int(found[1]))
            states.append(done.stdout.strip())
    rise = counts[1] / counts[0] - 1
    return {
        "without": counts[0],
        "loaded": counts[1],
        "rise": rise,
        "same_state": states[0] == states[1],
        "within": rise < NATIVE_LIMIT and states[0] == states[1],
    }


# --- tables ---------------------------------------------------------------------------------------------------------

HEADER = ("step", "setting", "us, least", "median", "depth mm", "error", "without friction", "Drake / ours")


def _percent(value: float | None) -> str:
    if value is None:
        return "-"
    # On a coarse mesh without friction the cylinder slides off its facets and the pad.
    return f"{100 * value:+.3f} %" if abs(value) < 1 else "slid off"


def cells(numbers: dict[str, Any]) -> list[tuple[str, ...]]:
    def line(step: str, setting: str, r: dict[str, Any], ratio: str = "") -> tuple[str, ...]:
        depth = "-" if r.get("depth") is None else f"{1e3 * r['depth']:.4f}"
        return (
            step,
            setting,
            f"{r['least']:.0f}",
            f"{r['microseconds']:.0f}",
            depth,
            _percent(r.get("depth_error")),
            _percent(r.get("depth_error_free")),
            ratio,
        )

    lines = [line("taxel", r["setting"], r) for r in numbers["rows"]]
    lines.append(line("MuJoCo alone", "no soft geoms", numbers["native"]))
    for r in numbers["drake"]:
        setting = f"{1e3 * r['hint']:g} mm, {r['faces']} faces"
        lines.append(line(f"Drake {r['solver']}", setting, r, f"{r['ratio']:.1f}x"))
    return lines


def verdicts(numbers: dict[str, Any]) -> list[str]:
    """The ratio at equal depth error, a line a solver."""
    ours = numbers["rows"][0]
    lines = []
    for solver, row in numbers["equal"].items():
        if row is None:
            best = min((r for r in numbers["drake"] if r["solver"] == solver), key=lambda r: abs(r["depth_error"]))
            lines.append(
                f"{solver}: no mesh reaches our {_percent(ours['depth_error'])}; the nearest, {_setting(best)}"
            )
        else:
            lines.append(f"{solver}: {_setting(row)}; ours {_percent(ours['depth_error'])}")
    if numbers["drake"]:
        best = min(numbers["drake"], key=lambda r: abs(r["depth_error_free"]))
        lines.append(
            f"without friction: ours {_percent(ours['depth_error_free'])}; the best of Drake, {best['solver']}, "
            + _setting(best, "depth_error_free")
        )
    return lines


def _setting(row: dict[str, Any], key: str = "depth_error") -> str:
    return f"{1e3 * row['hint']:g} mm with {_percent(row[key])}, takes {row['ratio']:.1f} times our time"
