"""Twenty thousand hits and squeezes of skins: none may create energy, let the body through, become NaN, or crash.

Skin, object, how they meet, time step, integrator, solver and coupling are drawn for each run from a generator of its
own, whose seed is the number of the run (contact_impacts_scene.py), so that one of them can be run again:

    from taxel.experiments import contact_impacts
    case = contact_impacts.draw(137)
    print(case, contact_impacts.run_case(case))

**Energy.** Judged is the work W of the contacts, not a difference of large energies: with f the generalised force of
the contacts in a step and v, v' the velocities before and after it,

    W = sum of h f . (v + v') / 2

which is what they add to the kinetic energy, exactly: M (v' - v) = h (f + all others), so that the change of
v M v / 2 is h (f + all others) . (v + v') / 2. Integrator errors are in the other terms and so are not counted: gravity
in a semi-implicit step (h m g (v' - v) / 2 a step, which sums to m g h v over a bounce), gyroscopic terms of a body that
tumbles, servos. Contacts may store energy and give it back, hence at every moment

    W <= U0 + 1 % of E_in + m g v h

U0: elastic energy of an overlap at the start, the integral of the static force along the way out. E_in: kinetic energy
at the start, plus the work that gravity, motors and applied forces did so far, at its greatest. The last term is
the lift of the first overlap: what the body falls past the surface before a contact can see it, with v the speed along
the normal at the first touch (at least g h), and m all that moves.

**Core.** No middle of an object may pass the core of the skin (``SkinDepth``), nor come out on its other side. How far
the deepest point of the object got is recorded (``compression``, in thicknesses).

``coupling="sense"`` leaves physics to MuJoCo: such a run must be that of the same scene without taxel, bit for bit,
and what MuJoCo's own contact does is recorded but not judged. ``explicit`` is meant for steps of 0.02 to 0.2 ms
(docs/mujoco.md), far below those drawn here: recorded and counted in a class of its own, not judged.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel
from taxel.experiments.contact_impacts_scene import (
    Case,
    SkinDepth,
    build,
    draw,
    inner_point,
    object_shape,
    surface_points,
)
from taxel.experiments.contact_scenes import GRAVITY

__all__ = ["Case", "draw", "run", "run_case", "run_many"]

RUNS, QUICK_RUNS = 20_000, 500
VERSION = 1
"""Of the draws: rows of another one are other runs."""
ENERGY_LIMIT = 0.01
EXPLICIT_STEP = 2e-4
"""Longest step for which explicit coupling is meant, s."""
HIT_SECONDS, RAMP, HOLD, AFTER = 0.4, 0.15, 0.05, 0.2
"""s: of a hit; of a squeeze until it is full, held, and released."""
FAR = 0.5
"""Where the object is this far from its start, the run ends, m."""
TIME_LIMIT = 120.0
"""Wall time after which a run counts as hung, s."""
COUPLINGS = ("rows", "explicit", "sense")


def _contact_force(data: mujoco.MjData) -> np.ndarray:
    """Generalised force of all contacts in the last step: rows of the solver, and what explicit coupling adds."""
    return data.qfrc_constraint + data.qfrc_passive - data.qfrc_damper - data.qfrc_spring


def _elastic_energy(case: Case, model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Of the overlap at the start: static force along the way out, integrated."""
    reader, at = taxel.Reader(model), mujoco.MjData(model)
    start = model.jnt_qposadr[model.joint("object").id]
    way, forces, up = np.linspace(0, -1.02 * case.gap, 25), [], np.array(case.up)
    for out in way:
        at.qpos[:] = data.qpos
        at.qpos[start : start + 3] += out * up
        mujoco.mj_kinematics(model, at)
        forces.append(up @ reader.wrench(at, "object")[:3])
    return float(np.trapezoid(forces, way))


def run_case(case: Case) -> dict[str, Any]:
    """Runs one and says what was wrong with it, if anything."""
    started = time.perf_counter()
    model, data = build(case)
    row = _simulate(case, model, data)
    failures = row["failures"]
    if case.coupling == "sense":
        alone_model, alone = build(case, soft=False)
        native = _simulate(case, alone_model, alone, steps=row["steps"])
        same = np.array_equal(data.qpos, alone.qpos, equal_nan=True)
        row["native_failures"] = native["failures"]
        failures[:] = [] if same else ["physics: not that of MuJoCo alone"]
    judged = case.coupling != "explicit" or case.step <= EXPLICIT_STEP
    return {
        "version": VERSION,
        **asdict(case),
        **row,
        "wall_s": time.perf_counter() - started,
        "judged": judged,
        "within": not (judged and failures),
    }


def _simulate(case: Case, model: mujoco.MjModel, data: mujoco.MjData, steps: int | None = None) -> dict[str, Any]:
    h, up, thrown = case.step, np.array(case.up), case.object == "plane"
    skin, mover = model.body("skin").id, model.body("mount" if thrown else "object").id
    masses = model.body_mass[1:]
    depth = SkinDepth(case)
    points = surface_points(case.skin, case.skin_size) if thrown else surface_points(case.object, case.size)
    middle = np.zeros(3) if thrown else inner_point(case.object, case.size)
    mujoco.mj_forward(model, data)
    mujoco.mj_energyVel(model, data)
    start_qpos, start_energy = data.xpos[mover].copy(), float(data.energy[1])
    stored = _elastic_energy(case, model, data) if case.gap < 0 and model.nplugin else 0.0
    squeezed = case.action != "hit"
    seconds = RAMP + HOLD + AFTER if squeezed else HIT_SECONDS
    count = steps if steps is not None else round(seconds / h)
    potential0 = GRAVITY * masses @ data.xipos[1:, 2]
    work = outer = most_outer = peak = compression = gain = 0.0
    lift, worst_at, released, failure = None, None, False, []
    speed_out, passed = 0.0, None
    last, entry = None, None
    done = 0
    for k in range(count):
        now = k * h
        if squeezed:
            load = case.force * min(1.0, now / RAMP) if now < RAMP + HOLD and not released else 0.0
            if case.action == "plate":
                data.ctrl[model.actuator("plate").id] = load
            else:
                data.xfrc_applied[mover, :3] = -load * up
        v, x = data.qvel.copy(), data.xipos[mover].copy()
        mujoco.mj_step(model, data)
        done = k + 1
        # From here positions in mjData are those at the beginning of the step, velocities those at its end.
        mean = 0.5 * (v + data.qvel)
        if not np.isfinite(data.qvel).all() or not np.isfinite(data.qpos).all():
            break
        force = _contact_force(data)
        touching = bool(np.any(force != 0))
        if touching and lift is None:
            speed = max(abs(float(_mover_velocity(model, v, mover) @ up)), GRAVITY * h)
            lift = float(masses[model.body_weldid[1:] > 0].sum()) * GRAVITY * speed * h
        work += h * float(force @ mean)
        outer += h * float(data.qfrc_actuator @ mean) + float(data.xfrc_applied[mover, :3] @ (data.xipos[mover] - x))
        come = outer + potential0 - GRAVITY * masses @ data.xipos[1:, 2]
        most_outer = max(most_outer, float(come))
        unit = start_energy + most_outer + stored
        allowed = stored + ENERGY_LIMIT * unit + (lift or 0.0)
        if touching and unit > 0:
            gain = max(gain, (work - stored - (lift or 0.0)) / unit)
        if work > allowed and worst_at is None:
            worst_at = now
        if touching:
            peak = max(peak, _force_on(model, mover, force))
            speed_out = float(np.linalg.norm(_mover_velocity(model, data.qvel, mover)))
        # Where things are.
        X_skin, X_object = _pose(data, skin), _pose(data, mover)
        if thrown:
            heights = (X_skin[0] + points @ X_skin[1].T) @ up
            compression = max(compression, -float(heights.min()) / case.thickness)
            if passed is None and float((X_skin[0] + X_skin[1] @ _skin_middle(case)) @ up) < 0:
                passed = now
        else:
            p = (X_object[0] + X_object[1] @ middle - X_skin[0]) @ X_skin[1]
            if depth.plane or (p[2] > depth.low[2] and touching if depth.pad else np.linalg.norm(p) < 0.2):
                inside = (X_object[0] + points @ X_object[1].T - X_skin[0]) @ X_skin[1]
                compression = max(compression, float(depth(inside).max()) / case.thickness)
            if passed is None and last is not None and _passes(depth, last, p):
                passed = now
            if passed is None and not (depth.pad or depth.plane) and last is not None:
                before, after = (float(d) for d in depth(np.array([last, p])))
                if before <= 0 < after:
                    entry = depth.outward(last)
                elif after <= 0 < before and entry is not None and depth.outward(p) @ entry < -0.3:
                    passed = now
            last = p
        away = float(np.linalg.norm(data.xpos[mover] - start_qpos))
        if squeezed and away > 0.02 + 2 * case.size:
            released = True
        if steps is None and away > FAR:
            break
    finite = bool(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
    warnings = {
        mujoco.mjtWarning(i).name.removeprefix("mjWARN_"): int(w.number) for i, w in enumerate(data.warning) if w.number
    }
    if not finite or warnings.keys() & {"BADQPOS", "BADQVEL", "BADQACC"}:
        failure.append(f"nan: {', '.join(warnings) or 'state'}")
    if worst_at is not None:
        failure.append(f"energy: contacts gave {100 * gain:.3g} % of what came in, beyond it from {worst_at:.3f} s on")
    if passed is not None:
        failure.append(f"core: passed at {passed:.3f} s")
    return {
        "failures": failure,
        "touched": lift is not None,
        "compression": compression,
        "peak_force": peak,
        "exit_speed": speed_out,
        "energy_gain": gain if np.isfinite(gain) else None,
        "energy_in": start_energy + most_outer + stored,
        "work": work if np.isfinite(work) else None,
        "stored": stored,
        "lift": lift,
        "steps": done,
        "warnings": warnings,
    }


def _pose(data: mujoco.MjData, body: int) -> tuple[np.ndarray, np.ndarray]:
    return data.xpos[body], data.xmat[body].reshape(3, 3)


def _skin_middle(case: Case) -> np.ndarray:
    """A point inside the skin's core: its middle; of a pad the middle of its back."""
    points = surface_points(case.skin, case.skin_size)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    if SkinDepth(case).pad:
        middle[2] = points[:, 2].min()
    return middle


def _mover_velocity(model: mujoco.MjModel, v: np.ndarray, body: int) -> np.ndarray:
    """Linear velocity of a body on a free joint or a slide, world frame."""
    start, count = model.body_dofadr[body], model.body_dofnum[body]
    if count == 6:
        return v[start : start + 3]
    axis = np.empty(3)
    mujoco.mju_rotVecQuat(axis, model.jnt_axis[model.body_jntadr[body]], model.body_quat[body])
    return axis * v[start]


def _force_on(model: mujoco.MjModel, body: int, force: np.ndarray) -> float:
    """Magnitude of the contact force on the object, N."""
    start, count = model.body_dofadr[body], model.body_dofnum[body]
    return float(np.linalg.norm(force[start : start + (3 if count == 6 else 1)]))


def _passes(depth: SkinDepth, before: np.ndarray, after: np.ndarray) -> bool:
    """The middle went into the core between two steps; under a pad only what came through it counts."""
    way = before + np.linspace(0, 1, 9)[:, None] * (after - before)
    d = depth(way)
    return bool(np.any((d[1:] > depth.core) & (d[:-1] <= depth.core) & (d[:-1] > (0 if depth.pad else -np.inf))))


# --- Many of them ---


def _worker(pipe: Any) -> None:
    folder = os.environ.get("TAXEL_IMPACTS_LOG")  # MuJoCo writes its warnings to a file in the working folder
    if folder:
        os.chdir(folder)
    while True:
        seed = pipe.recv()
        if seed is None:
            return
        try:
            row = run_case(draw(seed))
        except Exception as error:
            row = _lost(seed, f"error: {type(error).__name__}: {error}")
        pipe.send(row)


def _lost(seed: int, why: str) -> dict[str, Any]:
    """The row of a run that has no numbers."""
    case = draw(seed)
    none = dict.fromkeys(("compression", "peak_force", "exit_speed", "energy_gain", "energy_in", "work"))
    return {
        "version": VERSION, **asdict(case), **none, "failures": [why], "touched": None, "warnings": {}, "steps": 0,
        "wall_s": None, "judged": True, "within": False,
    }  # fmt: skip


class _Worker:
    """A process that runs one case after another, and may die of it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_worker, args=(other,), daemon=True)
        self.process.start()
        other.close()
        self.seed: int | None = None
        self.since = 0.0

    def give(self, seed: int) -> None:
        self.seed, self.since = seed, time.monotonic()
        self.pipe.send(seed)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run_many(seeds: list[int], jobs: int = 1, time_limit: float = TIME_LIMIT) -> Iterator[dict[str, Any]]:
    """Rows of these runs, in the order in which they end. Each runs in a process of its own kind: one that crashes or
    takes longer than ``time_limit`` seconds is a row as well."""
    todo = list(reversed(seeds))
    workers = [_Worker() for _ in range(max(1, min(jobs, len(todo))))]
    try:
        while True:
            for worker in workers:
                if worker.seed is None and todo:
                    worker.give(todo.pop())
            busy = [worker for worker in workers if worker.seed is not None]
            if not busy:
                return
            wait([w for worker in busy for w in (worker.pipe, worker.process.sentinel)], timeout=1.0)
            for worker in busy:
                row, seed = None, worker.seed
                try:
                    if worker.pipe.poll():
                        row = worker.pipe.recv()
                    elif not worker.process.is_alive():
                        row = _lost(seed, f"crash: the process ended with {worker.process.exitcode}")
                    elif time.monotonic() - worker.since > time_limit:
                        row = _lost(seed, f"hang: not done within {time_limit:g} s")
                except (EOFError, ConnectionError):
                    worker.process.join(5)
                    row = _lost(seed, f"crash: the process ended with {worker.process.exitcode}")
                if row is None:
                    continue
                worker.seed = None
                if row["failures"] and row["failures"][0].startswith(("crash", "hang")):
                    worker.stop()
                    workers[workers.index(worker)] = _Worker()
                yield row
    finally:
        for worker in workers:
            worker.stop()


def read_rows(folder: Path) -> dict[int, dict[str, Any]]:
    """All rows in the folder by number; a last line that was cut off does not count."""
    rows = {}
    for path in sorted(folder.glob("contact-impacts*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            if row["version"] != VERSION:
                raise ValueError(
                    f"{path}: runs of version {row['version']}, this is version {VERSION}; give another --out"
                )
            rows[row["seed"]] = row
    return rows


def parse_shard(text: str) -> tuple[int, int]:
    try:
        part, parts = (int(x) for x in text.split("/"))
        if not 1 <= part <= parts:
            raise ValueError
    except ValueError:
        raise ValueError(f"--shard {text}: give part/parts, from 1/8 to 8/8 for example") from None
    return part, parts


# --- Summary ---

KINDS = ("nan", "energy", "core", "physics", "crash", "hang", "error")


def kinds(row: dict[str, Any]) -> set[str]:
    return {text.split(":")[0] for text in row["failures"]}


def summary(rows: list[dict[str, Any]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Counts by class: header and lines."""

    def line(name: str, chosen: list[dict[str, Any]]) -> tuple[str, ...]:
        count = Counter(kind for row in chosen for kind in kinds(row))
        gains = [r["energy_gain"] for r in chosen if r["energy_gain"] is not None]
        deep = [r["compression"] for r in chosen if r["compression"] is not None]
        return (
            name,
            str(len(chosen)),
            str(sum(bool(r["failures"]) for r in chosen)),
            *(str(count[kind]) for kind in KINDS),
            f"{100 * max(gains, default=0.0):.3g} %",
            str(sum(d > 1 for d in deep)),
        )

    lines = [line(f"coupling {c}", [r for r in rows if r["coupling"] == c]) for c in COUPLINGS]
    chosen = [r for r in rows if r["coupling"] == "rows"]
    for key in ("integrator", "solver", "step", "field", "skin", "object", "action", "aim", "mount"):
        for value in sorted({r[key] for r in chosen}, key=str):
            lines.append(line(f"{key} {value}", [r for r in chosen if r[key] == value]))
    header = ("runs", "count", "failed", *KINDS, "greatest gain", "deeper than core")
    return header, lines


def picture(rows: list[dict[str, Any]], path: Path) -> None:
    """Work of the contacts over what came in against compression, one dot a run."""
    from taxel.cli.common import need_matplotlib

    plt = need_matplotlib()
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", sharey=True)
    for axis, coupling in zip(axes, ("rows", "explicit"), strict=True):
        chosen = [
            r
            for r in rows
            if r["coupling"] == coupling and r["work"] is not None and r["touched"] and r["energy_in"] > 0
        ]
        x = np.clip([r["compression"] for r in chosen], 1e-3, 1e2)
        y = np.array([(r["work"] + r["energy_in"]) / r["energy_in"] for r in chosen])
        bad = np.array([bool(r["failures"]) for r in chosen], bool)
        if len(chosen):
            axis.plot(x[~bad], np.clip(y[~bad], -1, 1e12), ".", color="tab:blue", markersize=3, label="within")
            axis.plot(x[bad], np.clip(y[bad], -1, 1e12), ".", color="tab:red", markersize=5, label="failed")
        axis.axvline(1, color="0.5", linewidth=0.8)
        axis.axhline(1, color="0.5", linewidth=0.8)
        axis.set_xscale("log")
        axis.set_yscale("symlog", linthresh=1)
        axis.set_xlabel("greatest compression, thicknesses (1: the core)")
        axis.set_title(f"coupling {coupling}: {len(chosen)} runs, {int(bad.sum())} failed")
    axes[0].set_ylabel("energy out / energy in")
    axes[0].legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def run(
    out: Any,
    folder: Path,
    quick: bool = False,
    runs: int | None = None,
    shard: str | None = None,
    jobs: int | None = None,
) -> dict[str, Any]:
    """``runs``: how many; ``shard``: "3/8" runs every eighth of them, from the third on; ``jobs``: processes.

    Rows are appended to a file in ``folder``; what is there already is not run again, and all of it is in the summary.
    """
    from taxel.cli.common import table

    number = runs if runs is not None else QUICK_RUNS if quick else RUNS
    if number < 1:
        raise ValueError(f"--runs {number}: give at least 1")
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs {jobs}: give at least 1")
    part, parts = parse_shard(shard) if shard else (1, 1)
    rows = read_rows(folder)
    seeds = [seed for seed in range(number) if seed % parts == part - 1 and seed not in rows]
    path = folder / (f"contact-impacts-{part}-of-{parts}.jsonl" if shard else "contact-impacts.jsonl")
    os.environ["TAXEL_IMPACTS_LOG"] = str(folder)
    with path.open("a") as file:
        for row in out.progress(run_many(seeds, jobs or os.cpu_count() or 1), "runs", len(seeds)):
            file.write(json.dumps(row) + "\n")
            file.flush()
            rows[row["seed"]] = row
            if not row["within"]:
                out.print(f"{draw(row['seed'])}: {'; '.join(row['failures'])}")
    chosen = [rows[seed] for seed in sorted(rows)]
    out.print(table(*summary(chosen)))
    image = folder / "contact-impacts.png"
    picture(chosen, image)
    out.print(f"wrote {image} and {path}")
    return {"experiment": "contact-impacts", "version": VERSION, "energy_limit": ENERGY_LIMIT, "rows": chosen}
