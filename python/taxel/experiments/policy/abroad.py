"""Policies in a world they have never seen: is a student that was trained with a poor model of touch worth less?

HydroShear's headline is that students trained with its markers work on the real sensor and those trained with other
models do not (112 of 120 against 41 to 73). There is no robot here. In its place stands a gel that shares nothing with
the models but the material: the elastic layer, solved (mode "layer"), seen by a camera with noise, wrong places of
rest, lost markers and a late frame, on pads softer and more slippery than those of the training. Nothing is trained
there. Every student had the same budget: docs/guide/train.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...report import need_matplotlib, table
from ...report.progress import Progress
from .marker_gains import MODELS, likenesses

TASK = "peg"
EPISODES, QUICK_EPISODES = 96, 2
WORLDS, QUICK_WORLDS = 32, 2
SEED = 1_000_003
UNIT = 0.5
"""px: what counts as a marker at rest where a policy knows unit vectors."""
EYE = {"offset": 0.3, "lost": 0.02, "lag": 1}
EYE_NOISE = 0.2
"""px; 0.1 at home."""
PADS = {"modulus": 1.4e5, "gel_friction": 0.8}
"""At home 2e5 Pa and 1.0."""
GEL = {"poisson": 0.48, "friction": 0.8}
PITCH, QUICK_PITCH = 0.8e-3, 1.5e-3
"""Of the layer's cells, m: its fields are 2 and 4 % off those of 0.6 mm."""
NAMED = {
    "none": "no touch",
    "taxel": "taxel",
    "layer": "elastic layer",
    "hydroshear": "HydroShear, release",
    "hydroshear_paper": "HydroShear, paper",
    "fots": "FOTS",
    "fots_contact": "FOTS, contact centre",
    "tacsl_shear": "TacSL shear",
    "pressure": "pressure skin",
}
DRAWN = "_randomised"
SHOWN = {f"{name}{drawn}": f"{NAMED[name]}{drawn.replace('_', ', ')}" for name in NAMED for drawn in ("", DRAWN)}
PUBLISHED = {"tacsl_shear": 19, "fots": 1, "fots_contact": 20, "hydroshear": 25}
"""Of 30 insertions on the real robot (Table II)."""


@dataclass(frozen=True)
class Place:
    """A world to be played in."""

    name: str
    words: str
    gel: bool = False
    """Markers of the elastic layer."""
    eye: bool = False
    pads: bool = False


PLACES = (
    Place("home", "as trained"),
    Place("gel", "markers of the elastic layer", gel=True),
    Place("abroad", "that, a worse camera, and other pads", gel=True, eye=True, pads=True),
)


def options_at(place: Place, touch: str, home: dict[str, Any], pitch: float = PITCH) -> tuple[str, dict[str, Any]]:
    """(touch, options of ``taxel.tasks.make``) of a policy that was trained with this touch and these options."""
    options = dict(home)
    if place.pads:
        options |= PADS
    if touch == "none":
        return touch, options
    camera = dict(options.get("touch_camera") or {})
    if place.gel and touch != "pressure":  # a skin is read by its own pads
        # What a model was scaled by to be like the gel, the gel itself is not; unit vectors stay what they are.
        camera.pop("gain", None)
        options.pop("published_fots", None)
        options["touch_options"] = {**GEL, "pitch": pitch}
        if touch == "tacsl_shear":
            camera["unit"] = UNIT
        touch = "layer"
    if place.eye:
        camera |= {"lag": EYE["lag"]} if touch == "pressure" else EYE
        options["touch_noise"] = EYE_NOISE
    return touch, options | {"touch_camera": camera}


def input_of(config: Any) -> str:
    """Name of what a student was trained with: its touch, and whether its gels or cameras differed."""
    camera = config.options.get("touch_camera") or {}
    numbers = [*(config.options.get("touch_options") or {}).values(), camera.get("gain")]
    drawn = bool(camera.get("offset")) or any(isinstance(v, tuple | list) for v in numbers)
    return f"{config.touch}{DRAWN}" if drawn else str(config.touch)


def students_in(given: str | None) -> dict[str, Any]:
    """Input -> policy of the task: students that come with taxel, or all runs and checkpoints of a folder. They know
    soft pads: abroad these are others."""
    from ...learn.policy.checkpoint import load_policy
    from ...learn.policy.library import shipped

    if given is None:
        paths = [p for name, p in shipped().items() if name.startswith(f"{TASK}-")]
    else:
        folder = Path(given)
        if not folder.is_dir():
            raise ValueError(f"--policies {given}: no such folder; give one with runs of taxel train, or checkpoints")
        paths = sorted([*folder.glob("*.pt"), *(p.parent for p in folder.glob("*/policy.pt"))])
    found = {}
    for path in paths:
        policy = load_policy(path)
        if policy.config.task == TASK and policy.config.role == "student":
            if policy.config.contact != "soft":
                if given is None:
                    continue
                raise ValueError(
                    f"{path}: was trained with {policy.config.contact} contact, and the other pads are soft ones; "
                    "leave it out of --policies"
                )
            felt = input_of(policy.config)
            if felt not in SHOWN:
                raise ValueError(
                    f"{path}: feels {policy.config.touch}, which has no stranger's gel here; leave it out of --policies"
                )
            if felt in found:
                raise ValueError(f"--policies {given}: two students of {TASK} were trained with {felt}; leave one")
            found[felt] = policy
    if not found:
        raise ValueError(f"--policies {given}: no student of {TASK} there; train some (docs/guide/train.md)")
    return {touch: found[touch] for touch in SHOWN if touch in found}


def play(policy: Any, place: Place, episodes: int, worlds: int, pitch: float = PITCH) -> Any:
    """The score of a policy there, without noise in its actions."""
    import torch

    from ...learn.policy.evaluate import evaluate
    from ...learn.policy.recall import with_recall
    from ...tasks.registry import make

    config = policy.config
    touch, options = options_at(place, config.touch, config.options, pitch)
    torch.manual_seed(SEED)
    env = make(
        config.task, worlds=min(worlds, episodes), touch=touch, seed=SEED, contact=config.contact,
        stage=config.curriculum.last, **{**options, "threads": 0},
    )  # fmt: skip
    show = Progress(f"{SHOWN[input_of(config)]}, {place.name}", episodes, "episodes")
    try:
        return evaluate(with_recall(env, config.network.recall), policy, episodes, progress=show)
    finally:
        env.close()
        show.done()


def run(out: Any, folder: Path, quick: bool, policies: str | None = None) -> dict[str, Any]:
    from ...learn.policy import need_rsl_rl

    need_rsl_rl()
    plt = need_matplotlib()
    episodes, worlds = (QUICK_EPISODES, QUICK_WORLDS) if quick else (EPISODES, WORLDS)
    students = students_in(policies)
    if quick:  # the last: it feels
        students = dict(list(students.items())[-1:])
    models = ("hydroshear",) if quick else MODELS
    pitch = QUICK_PITCH if quick else PITCH
    alike = likenesses(TASK, *((2, 10) if quick else (16, 120)), models=models, pitch=pitch)
    rows = []
    for touch, policy in students.items():
        for place in PLACES:
            if policy.config.touch in ("none", "pressure") and place.gel and not place.pads:
                continue  # feels nothing of the markers
            score = play(policy, place, episodes, worlds, pitch)
            rows.append({"touch": touch, "place": place.name, **score.numbers()})
    for touch, like in alike.items():
        rows.append({"touch": touch, "place": "field", **like.numbers()})
    out.print(f"{TASK}: {episodes} episodes each, no noise in the actions; " + "; ".join(_words(p) for p in PLACES))
    out.print(table(("touch", *(p.name for p in PLACES), "real robot"), [_cells(rows, t) for t in students], left=1))
    shown = [
        (SHOWN[t], f"{like.size:.2f}", f"{like.gain:.2f}", f"{like.alike:.2f}", f"{like.change_alike:.2f}")
        for t, like in alike.items()
    ]
    out.print("fields of the models against the layer's, over the same grasps:")
    out.print(table(("model", "rms px", "gain", "alike", "change alike"), shown, left=1))
    draw(plt, folder / "touch_abroad.png", rows, list(students))
    out.print(f"picture: {folder / 'touch_abroad.png'}")
    budget = {t: {**p.about, "options": p.config.options, "seed": p.config.seed} for t, p in students.items()}
    return {"rows": rows, "episodes": episodes, "budget": budget}


def _words(place: Place) -> str:
    return f"{place.name}: {place.words}"


def _row(rows: list[dict[str, Any]], touch: str, place: Place) -> dict[str, Any] | None:
    return next((r for r in rows if r["touch"] == touch and r["place"] == place.name), None)


def _cells(rows: list[dict[str, Any]], touch: str) -> tuple[str, ...]:
    cells = [SHOWN[touch]]
    for place in PLACES:
        row = _row(rows, touch, place)
        low, high = row["interval"] if row else (0.0, 0.0)
        cells.append(f"{row['success']:.3f} [{low:.2f}, {high:.2f}]" if row else "")
    real = PUBLISHED.get(touch)
    return (*cells, f"{real} of 30" if real else "")


def draw(plt: Any, path: Path, rows: list[dict[str, Any]], touches: list[str]) -> None:
    colours = dict(zip((p.name for p in PLACES), ("#3b6ea5", "#7fb069", "#e07a3f"), strict=True))
    figure, ax = plt.subplots(figsize=(max(6.0, 1.14 * len(touches) + 1.6), 3.8), layout="constrained")
    wide = 0.26
    for k, place in enumerate(PLACES):
        for i, touch in enumerate(touches):
            row = _row(rows, touch, place)
            if row is None:
                continue
            x, y = i + (k - 1) * wide, row["success"]
            low, high = row["interval"]
            ax.bar(x, y, 0.92 * wide, color=colours[place.name], label=place.words if i == len(touches) - 1 else None)
            ax.errorbar(x, y, [[max(0.0, y - low)], [max(0.0, high - y)]], color="#333333", lw=1, capsize=2)
    for i, touch in enumerate(touches):
        if touch in PUBLISHED:
            ax.plot(i + wide, PUBLISHED[touch] / 30, "k*", ms=8)
    ax.set_xticks(range(len(touches)), [SHOWN[t].replace(", ", ",\n") for t in touches])
    ax.set_ylim(0, 1.06)
    ax.set_ylabel("peg inserted")
    ax.plot([], [], "k*", label="published, real robot (30)")
    ax.legend(fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)
