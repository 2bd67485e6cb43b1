"""The yaw of an object from one tactile image: the paper's Table I, on simulated presses.

Networks learn from presses of five primitives; they, PCA and Hough are then asked about seven objects never trained on.
The paper asks about real readings of real objects, which are not public: here the seven are pressed on the simulated
pad (``orientation_objects`` says what and how), so the gap between simulation and reality is not part of the numbers.

The recording and the training can be on two machines:

    python -m taxel.experiments.skin.orientation record DATA.npz
    python -m taxel.learn.orientation DATA.npz TRAINED.json --device cuda
    python -m taxel.experiments.skin.orientation report DATA.npz TRAINED.json --out DIR
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from taxel.learn import orientation as learn

from .orientation_baselines import NOISE_THRESHOLD, hough_outline_yaw, hough_yaw, pca_yaw
from .orientation_data import QUICK, Amounts, collect, published_pad

# Table I of the paper, rad: (mean, standard deviation) of each object as in unseen_objects(), of all, median of all.
PAPER: dict[str, tuple[list[tuple[float, float] | None], tuple[float, float], float]] = {
    "NN + pitch": (
        [(0.07, 0.0), (0.2, 0.02), (0.16, 0.01), (0.1, 0.0), (0.05, 0.0), (0.06, 0.0), (0.07, 0.01)],
        (0.1, 0.09),
        0.05,
    ),
    "NN no-pitch": (
        [(0.11, 0.0), (0.14, 0.01), (0.09, 0.0), (0.1, 0.01), (0.09, 0.0), (0.1, 0.01), (0.11, 0.01)],
        (0.1, 0.08),
        0.07,
    ),
    "PCA": (
        [(0.16, 0.15), (0.08, 0.05), (0.13, 0.15), (0.14, 0.22), (0.05, 0.04), (0.19, 0.28), (0.04, 0.02)],
        (0.11, 0.13),
        0.13,
    ),
    "Hough": (
        [None, (0.13, 0.12), (0.25, 0.26), (0.22, 0.0), (0.08, 0.1), (0.09, 0.16), (0.06, 0.06)],
        (0.14, 0.12),
        0.11,
    ),
}
PAPER_SAMPLES_PER_MINUTE = 25

NETWORKS = {"pitch": "NN + pitch", "no-pitch": "NN no-pitch", "soft": "NN no-pitch + soft"}
BASELINES: dict[str, Callable[[np.ndarray], float | None]] = {
    "PCA": pca_yaw,
    "Hough": hough_yaw,
    "Hough at 0.15": partial(hough_yaw, threshold=NOISE_THRESHOLD),
    "Hough, outline": hough_outline_yaw,
}

# (set, model, number, limit in rad): below or at the limit is within.
LIMITS = (
    ("held-out", "NN no-pitch", "mean", 0.05),
    ("held-out-pitch", "NN + pitch", "mean", 0.05),
    ("unseen", "NN + pitch", "mean", 0.10),
    ("unseen", "NN no-pitch", "mean", 0.10),
    ("unseen", "PCA", "mean", 0.11),
    ("unseen", "Hough", "mean", 0.14),
    ("unseen", "NN + pitch", "median", 0.05),
    ("unseen", "NN no-pitch", "median", 0.05),
)


@dataclass(frozen=True)
class Errors:
    """Of one model on one set. A network is asked about the draw of its own seed only: the draws stay independent."""

    errors: np.ndarray
    """rad; NaN: no estimate."""
    yaw: np.ndarray
    """Estimates; NaN: none."""
    object: np.ndarray
    seed: np.ndarray
    image: np.ndarray
    """Index of each in the set."""

    def of(self, k: int) -> np.ndarray:
        errors = self.errors[self.object == k]
        return errors[np.isfinite(errors)]

    def known(self) -> np.ndarray:
        return self.errors[np.isfinite(self.errors)]

    def half_interval(self, k: int | None = None) -> float:
        """Half the 95 % interval of the mean, from the spread of the draws' means (Student); NaN for a single draw."""
        means = []
        for seed in np.unique(self.seed):
            errors = self.errors[(self.seed == seed) & (k is None or self.object == k)]
            if np.isfinite(errors).any():
                means.append(np.nanmean(errors))
        if len(means) < 2:
            return float("nan")
        return float(student_95(len(means) - 1) * np.std(means, ddof=1) / np.sqrt(len(means)))


def student_95(freedom: int) -> float:
    """0.975 quantile of Student's t."""
    table = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
    return table[freedom - 1] if freedom <= len(table) else 1.96 + 2.4 / freedom


def baseline_errors(data: Any, name: str, estimate: Callable[[np.ndarray], float | None]) -> Errors:
    guesses = (estimate(image) for image in data[f"{name}.images"])
    yaw = np.array([np.nan if guess is None else guess for guess in guesses])
    everything = np.arange(len(yaw))
    errors = learn.yaw_error(yaw, data[f"{name}.yaw"])
    return Errors(errors, yaw, data[f"{name}.object"], data[f"{name}.seed"], everything)


def network_errors(data: Any, name: str, trainings: list[dict[str, Any]]) -> Errors:
    """Network k on draw k; further networks start again with the first draw."""
    seeds = data[f"{name}.seed"]
    draws = int(seeds.max()) + 1
    parts = []
    for k, training in enumerate(trainings):
        chosen = np.flatnonzero(seeds == k % draws)
        found = training["sets"][name]
        parts.append((chosen, np.array(found["errors"])[chosen], np.array(found["yaw"])[chosen]))
    image, errors, yaw = (np.concatenate([part[i] for part in parts]) for i in range(3))
    owner = np.concatenate([np.full(len(part[0]), k) for k, part in enumerate(parts)])
    return Errors(errors, yaw, data[f"{name}.object"][image], owner, image)


def all_errors(data: Any, training: dict[str, Any] | None) -> dict[str, dict[str, Errors]]:
    """By set, then by model; the networks first."""
    result: dict[str, dict[str, Errors]] = {}
    for name in map(str, data["sets"]):
        result[name] = {}
        for key, label in NETWORKS.items():
            if training and key in training["networks"]:
                result[name][label] = network_errors(data, name, training["networks"][key])
        for label, estimate in BASELINES.items():
            result[name][label] = baseline_errors(data, name, estimate)
    return result


# --- what is printed --------------------------------------------------------------------------------------------------


def _plus_minus(pair: tuple[float, float] | None) -> str:
    return "-" if pair is None else f"{pair[0]:.2f}±{pair[1]:.2f}"


def _cell(errors: np.ndarray) -> str:
    return f"{errors.mean():.3f}±{errors.std():.2f}" if len(errors) else "-"


def error_table(names: list[str], models: dict[str, Errors], paper: bool) -> str:
    """The paper's Table I; its own line under ours where it has one."""
    from taxel.report import table

    rows = []
    for model, found in models.items():
        known = found.known()
        half = found.half_interval()
        rows.append(
            [model]
            + [_cell(found.of(k)) for k in range(len(names))]
            + [_cell(known), "-" if np.isnan(half) else f"±{half:.3f}", f"{np.median(known):.3f}"]
            + [f"{100 * (1 - len(known) / len(found.errors)):.0f} %"]
        )
        if paper and model in PAPER:
            objects, average, median = PAPER[model]
            rows.append(["  paper", *map(_plus_minus, objects), _plus_minus(average), "", f"{median:.2f}", ""])
    return table(("rad", *names, "average", "95 %", "median", "no line"), rows)


TITLES = {
    "unseen": "Objects never trained on, 3 to 5 N, each at 30 yaws (Table I; ± is the spread over images)",
    "unseen-pitch": "The same, pitched by up to ±2 degrees",
    "held-out": "Fresh presses of the five training objects, 3 to 9 N, any yaw",
    "held-out-pitch": "The same, pitched by up to ±2 degrees",
    "soft": "Soft objects (1e5 Pa): the foam brick, and the five training objects",
}


def limit_rows(errors: dict[str, dict[str, Errors]], judged: bool) -> list[dict[str, Any]]:
    rows = []
    for name, model, number, limit in LIMITS:
        if model not in errors[name]:
            continue
        found = errors[name][model]
        value = float(getattr(np, number)(found.known()))
        row = {"set": name, "model": model, "number": number, "value": value, "limit": limit}
        if number == "mean":
            row["half_interval_95"] = found.half_interval()
        rows.append(row | ({"within": value <= limit} if judged else {}))
    return rows


def report(out: Any, folder: Path, data: Any, training: dict[str, Any] | None, judged: bool = True) -> dict[str, Any]:
    """Prints the tables, draws the pictures, returns the numbers."""
    from taxel.report import table

    errors = all_errors(data, training)
    numbers: dict[str, Any] = {"experiment": "orientation", "sets": {}}
    for name, title in TITLES.items():
        if name not in errors:
            continue
        names = [str(n) for n in data[f"{name}.names"]]
        out.print(f"{title}\n")
        out.print(error_table(names, errors[name], name == "unseen") + "\n")
        numbers["sets"][name] = {
            model: {
                "objects": {
                    n: learn.summary(found.of(k)) | {"half_interval_95": found.half_interval(k)}
                    for k, n in enumerate(names)
                    if len(found.of(k))
                },
                "all": learn.summary(found.known()) | {"half_interval_95": found.half_interval()},
                "asked": len(found.errors),
            }
            for model, found in errors[name].items()
        }
    presses = sum(len(data[f"{name}.yaw"]) for name in ("held-out", "held-out-pitch"))
    rate = float(presses / sum(float(data[f"{name}.seconds"]) for name in ("held-out", "held-out-pitch")))
    numbers["samples_per_second"] = rate
    out.print(
        f"{rate:.0f} presses a second on one core, image included: {rate * 60 / PAPER_SAMPLES_PER_MINUTE:.0f} times "
        f"the paper's {PAPER_SAMPLES_PER_MINUTE} a minute (which stepped an engine)"
    )
    from .orientation_mujoco import compare

    stepped = compare(20 if judged else 2)
    numbers["stepped"] = stepped
    out.print(
        f"stepped in MuJoCo until it rests: {stepped['presses_per_second']:.0f} presses a second; images within "
        f"{stepped['image_difference']:.2%} of those by statics ({stepped['presses']} presses)"
    )
    if training:
        numbers["training"] = {key: training[key] for key in ("epochs", "batch", "device", "torch")} | {
            key: [{"seed": t["seed"]} | t["training"] for t in trained] for key, trained in training["networks"].items()
        }
        out.print(f"networks: {training['epochs']} epochs, batches of {training['batch']}, {training['device']}")
    rows = limit_rows(errors, judged)
    for number, value, limit in (
        ("presses a second, least", stepped["presses_per_second"], 25.0),
        ("difference of the images", stepped["image_difference"], 0.02),
    ):
        fine = value >= limit if "least" in number else value <= limit
        row = {"set": "stepped in MuJoCo", "model": "press", "number": number, "value": value, "limit": limit}
        rows.append(row | ({"within": bool(fine)} if judged else {}))
    if judged:
        out.print()
        out.print(
            table(
                ("set", "model", "", "rad", "limit", ""),
                [
                    (
                        r["set"],
                        r["model"],
                        r["number"],
                        f"{r['value']:.3f}",
                        f"{r['limit']:g}",
                        "within" if r["within"] else "OUTSIDE",
                    )
                    for r in rows
                ],
                left=3,
            )
        )
    files = [draw_samples(folder, data, errors), draw_errors(folder, data, errors["unseen"])]
    out.print("\npictures: " + ", ".join(str(f) for f in files))
    return numbers | {"rows": rows, "pictures": files}


# --- pictures ---------------------------------------------------------------------------------------------------------

COLOURS = {"NN + pitch": "#ff5a36", "NN no-pitch": "#ffb000", "PCA": "#35c4e8", "Hough": "#8fd14f"}


def draw_samples(folder: Path, data: Any, errors: dict[str, dict[str, Errors]]) -> Path:
    """Random images of each object with the true direction (dotted) and those told, as the paper's Figs. 6 and 9."""
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    rng = np.random.default_rng(0)
    sets = ("held-out", "unseen", "unseen")
    columns = max(len(data[f"{name}.names"]) for name in sets)
    figure, axes = plt.subplots(len(sets), columns, figsize=(1.7 * columns, 2.0 * len(sets)), layout="constrained")
    for line, name in zip(axes, sets, strict=True):
        for ax in line:
            ax.axis("off")
        for k, (ax, label) in enumerate(zip(line, data[f"{name}.names"], strict=False)):
            first = next(iter(errors[name].values()))
            i = int(rng.choice(first.image[first.object == k]))
            ax.imshow(data[f"{name}.images"][i], origin="lower", extent=(-4, 4, -4, 4), cmap="viridis", vmin=0, vmax=1)
            for model, colour in COLOURS.items():
                at = np.flatnonzero(errors[name][model].image == i) if model in errors[name] else []
                if len(at) and np.isfinite(errors[name][model].yaw[at[0]]):
                    _draw_line(ax, errors[name][model].yaw[at[0]], color=colour, linewidth=1.4)
            _draw_line(ax, data[f"{name}.yaw"][i], color="white", linestyle=":", linewidth=1.8)
            ax.set_title(str(label), fontsize=9)
    handles = [plt.Line2D([], [], color="0.6", linestyle=":", label="true")]
    shown = [model for model in COLOURS if model in errors["unseen"]]
    handles += [plt.Line2D([], [], color=COLOURS[model], label=model) for model in shown]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9)
    path = folder / "orientation_samples.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


def _draw_line(ax: Any, yaw: float, **style: Any) -> None:
    x, y = 3.6 * np.cos(yaw), 3.6 * np.sin(yaw)
    ax.plot([-x, x], [-y, y], **style)
    ax.set_xlim(-4, 4)
    ax.set_ylim(-4, 4)


def draw_errors(folder: Path, data: Any, models: dict[str, Errors]) -> Path:
    """Mean error of each unseen object with its 95 % interval; a black bar is the paper's value."""
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    names = [str(n) for n in data["unseen.names"]]
    shown = [model for model in COLOURS if model in models]
    figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
    width = 0.8 / len(shown)
    for m, model in enumerate(shown):
        found = models[model]
        x = np.arange(len(names) + 1) + (m - (len(shown) - 1) / 2) * width
        every = [found.of(k) for k in range(len(names))] + [found.known()]
        means = [e.mean() if len(e) else 0.0 for e in every]
        halves = [found.half_interval(k) for k in (*range(len(names)), None)]
        axes.bar(x, means, width, yerr=np.nan_to_num(halves), color=COLOURS[model], label=model, error_kw={"lw": 1})
        objects, average, _ = PAPER[model]
        for at, value in zip(x, (*objects, average), strict=True):
            if value is not None:
                axes.plot([at - 0.5 * width, at + 0.5 * width], [value[0]] * 2, color="black", linewidth=1.5)
    axes.plot([], [], color="black", linewidth=1.5, label="paper (real readings)")
    axes.set_xticks(range(len(names) + 1), [*names, "average"], rotation=15)
    axes.set_ylabel("mean error, rad")
    axes.set_title("Yaw of objects never trained on", fontsize=11)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize=8)
    path = folder / "orientation_errors.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


# --- the command ------------------------------------------------------------------------------------------------------


def run(out: Any, folder: Path, quick: bool = False, as_published: str | None = None) -> dict[str, Any]:
    """Records, trains where torch is there, and reports. Quick: few presses and epochs, limits not judged.

    as_published  the authors' field ("distance" or "laplace") and rays, in training and test, instead of ours
    """
    try:
        torch = learn.need_torch()
    except ImportError as error:
        torch = None
        out.print(f"PCA and Hough only: {error}\n")
    pad, read_image = published_pad(as_published) if as_published else (None, None)
    amounts = QUICK if quick else Amounts()
    data = collect(amounts, out.progress, training=torch is not None, read_image=read_image, pad=pad)
    training = None
    if torch:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        seeds, epochs = (1, 5) if quick else (5, learn.EPOCHS)
        jobs = 1 if quick or device == "cuda" else os.cpu_count() or 1
        training = learn.train_all(data, seeds=seeds, epochs=epochs, device=device, jobs=jobs, say=out.print)
        out.print()
    return report(out, folder, data, training, judged=not quick) | {"as_published": as_published}


def main(arguments: list[str] | None = None) -> int:
    from taxel.report import Output, add_json, out_folder

    parser = argparse.ArgumentParser(prog="python -m taxel.experiments.skin.orientation")
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="press everything and write the images")
    recording.add_argument("data", metavar="DATA.npz")
    recording.add_argument("--quick", action="store_true", help="few presses")
    recording.add_argument("--as-published", choices=("distance", "laplace"), help="the authors' field and rays")
    reporting = commands.add_parser("report", help="tables and pictures from the images and the trained networks")
    reporting.add_argument("data", metavar="DATA.npz")
    reporting.add_argument("training", metavar="TRAINED.json")
    reporting.add_argument("--out", default="out/reproduce", metavar="DIR")
    add_json(reporting)
    options = parser.parse_args(arguments)
    if options.command == "record":
        pad, read_image = published_pad(options.as_published) if options.as_published else (None, None)
        amounts = QUICK if options.quick else Amounts()
        data = collect(amounts, Output(None).progress, read_image=read_image, pad=pad)
        np.savez_compressed(options.data, **data)
        return 0
    out = Output(options.json)
    with np.load(options.data) as file:
        data = {name: file[name] for name in file.files}
    numbers = report(out, out_folder(options.out), data, json.loads(Path(options.training).read_text()))
    out.finish(numbers)
    return 0 if all(row["within"] for row in numbers["rows"]) else 1


if __name__ == "__main__":
    raise SystemExit(main())
