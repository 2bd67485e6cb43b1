"""Table I of Elastic Interaction of Particles: which of ten objects was touched, from 1 to 10 tactile images.

The objects are those of ``objects.py``, the presses those of ``presses.py``, the networks those of
``taxel.learn.touch_recognition``; each file says what the paper leaves open and what was chosen. Presses and training
can be on two machines:

    python -m taxel.experiments.gel.presses make DATA.npz --count 4200
    python -m taxel.learn.touch_recognition DATA.npz TRAINED.json --device cuda --jobs 9
    python -m taxel.experiments.gel.recognition DATA.npz TRAINED.json --out DIR --json RESULT.json
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from taxel.learn import touch_recognition as learn

from .objects import ycb_objects
from .presses import COARSE, FULL, load_presses, make_presses, pads, save_presses

PAPER = {1: 0.375, 2: 0.510, 4: 0.605, 6: 0.810, 8: 0.905, 10: 0.935}
PAPER_TEST = 200
FRESH = 2000  # further presses that no network has seen: ten times the paper's test
FALL = 0.01  # by which the accuracy may fall from one number of touches to the next and still count as rising

JUDGED = ("channels", "shared")  # held to the paper's numbers: its own network first, ours second

QUICK_TRAIN, QUICK_TEST = 40, 20  # presses


# --- numbers ----------------------------------------------------------------------------------------------------------


def _part(found: list[Any], presses: int, touches: int) -> dict[str, Any]:
    """Accuracy on one test: mean and spread over the networks, and its interval for the independent sets there are."""
    each = [learn.accuracy(counts) for counts in found]
    independent = presses / touches
    return {
        "accuracy": float(np.mean(each)),
        "seeds": each,
        "interval_95": list(learn.wilson(float(np.mean(each)), independent)),
        "sets": int(np.sum(found[0])),
        "independent_sets": independent,
        "presses": presses,
    }


def summary(training: dict[str, Any], presses: dict[str, int]) -> list[dict[str, Any]]:
    """A row for each number of touches: test, then way (channels, shared, added). presses: how many each test has."""
    rows = []
    networks = training["networks"]
    for touches in sorted({n["touches"] for n in networks}):
        row: dict[str, Any] = {"touches": touches, "paper": PAPER.get(touches)}
        for test, count in presses.items():
            found = {
                way: [n["tests"][test]["confusion"] for n in networks if (n["way"], n["touches"]) == (way, touches)]
                for way in learn.WAYS
            }
            found["shared"] = found["shared"] or found["channels"]  # one touch: the same network
            added = (n["tests"][test].get("added", {}).get(str(touches)) for n in networks)
            found["added"] = [counts for counts in added if counts]
            row[test] = {way: _part(counts, count, touches) for way, counts in found.items() if counts}
        rows.append(row)
    return rows


def judge(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bars, for each of JUDGED: as good as the paper with one and with ten touches, and rising in between."""
    return [row for way in JUDGED for row in _judge_way(rows, way)]


def _judge_way(rows: list[dict[str, Any]], way: str) -> list[dict[str, Any]]:
    by = {row["touches"]: row["test"][way]["accuracy"] for row in rows}
    found: list[dict[str, Any]] = [
        {"number": f"accuracy, touches: {n}", "value": by[n], "limit": PAPER[n], "within": by[n] >= PAPER[n]}
        for n in (1, 10)
    ]
    steps = np.diff([by[n] for n in sorted(by)])
    rises = by[max(by)] - by[min(by)]
    found.append({"number": "rise from 1 to 10 touches", "value": rises, "limit": 0.0, "within": rises > 0})
    least = float(steps.min())
    found.append({"number": "least step between them", "value": least, "limit": -FALL, "within": least > -FALL})
    return [row | {"way": way, "within": bool(row["within"])} for row in found]


def report(out: Any, folder: Path, data: Any, training: dict[str, Any], judged: bool = True) -> dict[str, Any]:
    """Prints the table, draws the pictures, returns the numbers. Of data only the first few presses are drawn."""
    from taxel.report import markdown, table

    from . import recognition_plots as plots

    settings = json.loads(str(data["settings"]))
    names = settings["objects"]
    presses = {name: count for name, count in training["presses"].items() if count and name != "train"}
    rows = summary(training, presses)

    def cell(part: dict[str, Any] | None) -> str:
        if part is None:
            return "-"
        low, high = part["interval_95"]
        spread = f" ±{np.std(part['seeds'], ddof=1):.3f}" if len(part["seeds"]) > 1 else ""
        return f"{part['accuracy']:.3f}{spread} ({low:.2f}..{high:.2f})"

    ways = {"channels": "channels (paper's way)", "shared": "shared network", "added": "log-prob. added"}
    header = ["touches", "paper", *ways.values(), "sets", "independent"]
    if "fresh" in presses:
        header += [f"{presses['fresh']} fresh: channels", "shared", "added", "independent"]
    lines = []
    for row in rows:
        line = [str(row["touches"]), "-" if row["paper"] is None else f"{row['paper']:.3f}"]
        for test in presses:
            parts = row[test]
            line += [cell(parts.get(way)) for way in ways]
            line += [str(parts["channels"]["sets"])] if test == "test" else []
            line.append(f"{parts['channels']['independent_sets']:.0f}")
        lines.append(line)
    out.print(
        f"Accuracy on {presses['test']} test presses of {len(names)} objects, {training['presses']['train']} to train "
        "with; ± spread of the seeds, in brackets 95 % for independent sets\n"
    )
    out.print(table(header, lines) + "\n")
    (folder / "gel_recognition.md").write_text(markdown(header, lines))
    out.print(
        f"{sum(training['presses'].values())} presses ({settings['redrawn']} drawn again)"
        + (f" in {training['press_seconds']:.0f} s" if "press_seconds" in training else "")
        + f"; {len(training['networks'])} networks of {training['iterations']} iterations in {training['seconds']:.0f} "
        f"s, {training['device']}"
    )
    result: dict[str, Any] = {"experiment": "gel-recognition", "table": rows, "objects": names, "settings": settings}
    result["training"] = {
        key: training[key] for key in ("iterations", "batch", "device", "torch", "seconds", "presses")
    }
    test = "fresh" if "fresh" in presses else "test"
    kept = {n: JUDGED[-1] if n > 1 else "channels" for n in (rows[0]["touches"], rows[-1]["touches"])}
    result["confusion"] = {
        str(n): np.sum(
            [
                np.array(one["tests"][test]["confusion"])
                for one in training["networks"]
                if (one["way"], one["touches"]) == (way, n)
            ],
            axis=0,
        ).tolist()
        for n, way in kept.items()
    }
    result["rows"] = judge(rows) if judged else []
    if judged:
        told = [
            (r["way"], r["number"], f"{r['value']:.3f}", f"{r['limit']:g}", "within" if r["within"] else "OUTSIDE")
            for r in result["rows"]
        ]
        out.print("\n" + table(("network", "", "value", "at least", ""), told, left=2))
    pictures = [
        plots.draw_samples(folder, data, names),
        plots.draw_table(folder, rows),
        plots.draw_confusion(folder, names, result["confusion"]),
    ]
    out.print("\npictures: " + ", ".join(str(p) for p in pictures))
    return result | {"pictures": pictures}


# --- the command ------------------------------------------------------------------------------------------------------


def run(
    out: Any, folder: Path, quick: bool = False, data: str | None = None, device: str | None = None
) -> dict[str, Any]:
    """Presses, trains and reports.

    Quick: few presses on half the grid, few iterations, one and two touches, nothing judged.
    data: a file of presses to use; where it is left out, they are made, and kept in the folder.
    device: "cpu" or "cuda", for the presses and the networks; left out, "cuda" where torch has one.
    """
    torch = learn.need_torch()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    count = QUICK_TRAIN + QUICK_TEST if quick else learn.TRAIN + learn.TEST + FRESH
    seconds: dict[str, float] = {}
    if data is None:
        from taxel.report import Progress

        settings = COARSE if quick else FULL
        start = time.perf_counter()
        presses = make_presses(
            ycb_objects("recognition"),
            range(count),
            0,
            pads(settings, device),
            spacing=1 / 256 if quick else None,
            settings=settings,
            progress=Progress("presses", count),
        )
        seconds["press_seconds"] = time.perf_counter() - start
        data = str(folder / "gel_recognition_presses.npz")
        save_presses(data, presses)
    else:
        presses = load_presses(data)
        if quick:
            few = presses["press"] < count
            presses = {name: value[few] if np.ndim(value) else value for name, value in presses.items()}
    if quick:
        training = learn.train_all(
            presses,
            touches=(1, 2),
            seeds=1,
            iterations=12,
            batch=16,
            device=device,
            train_presses=QUICK_TRAIN,
            test_presses=QUICK_TEST,
            say=out.print,
        )
    else:
        jobs = 9 if device == "cuda" else 1
        training = learn.train_all(presses, device=device, jobs=jobs, path=data, say=out.print)
    out.print()
    return report(out, folder, presses, training | seconds, judged=not quick)


def main(arguments: list[str] | None = None) -> int:
    from taxel.report import Output, add_json, out_folder

    parser = argparse.ArgumentParser(
        prog="python -m taxel.experiments.gel.recognition", description="The report of presses and trained networks."
    )
    parser.add_argument("data", metavar="DATA.npz")
    parser.add_argument("training", metavar="TRAINED.json")
    parser.add_argument("--out", default="out/reproduce", metavar="DIR")
    add_json(parser)
    options = parser.parse_args(arguments)
    out = Output(options.json)
    training = json.loads(Path(options.training).read_text())
    numbers = report(out, out_folder(options.out), load_presses(options.data), training)
    out.finish(numbers)
    return 0 if all(row["within"] for row in numbers["rows"]) else 1


if __name__ == "__main__":
    raise SystemExit(main())
