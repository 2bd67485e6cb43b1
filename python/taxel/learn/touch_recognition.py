"""Which object was touched, from 1 to 10 tactile images: a ResNet-32 that sees the touches stacked as channels.

    python -m taxel.learn.touch_recognition DATA.npz OUT.json [--device cuda] [--seeds 3] [--iterations 4000] [--jobs 6]

This file needs NumPy and torch only: it also runs by itself where taxel is not installed. DATA.npz is a file of presses
(``taxel.experiments.gel.presses``): object, pad, press (n,), image (n, H, W, 3) with rows along y, columns along x.

From the paper (EIP, section IV-C): ten objects, 2000 images to train and 200 to test, ResNet-32 trained from scratch,
N random images of the same object as 3 N channels, drawn anew in each iteration. Open in the paper, chosen here:

- one image a press, that of pad 0, as in the authors' code; so 2000 and 200 presses, and no press is on both sides;
- the first convolution has stride 2: the features have the sizes of CIFAR (31, 16, 8), one pixel a cell of the grid;
- SGD with Nesterov momentum, cosine rate, label smoothing. Each touch is turned by any angle, mirrored and shifted: the
  same press made elsewhere on the pad (a mirrored touch is one of the mirrored object, of which most of the ten are
  their own); then noise. The answer is the mean over eight turned and mirrored copies of the touches, in eight orders;
- tests with N > 1 use fixed random sets of N different test presses of one object. They overlap, so they count for less
  than their number: by Hoeffding's inequality for U-statistics the variance of the accuracy over all sets is at most
  N / n of that of a single set, n test presses. The interval is therefore Wilson's for n / N independent sets.

Three ways to put N touches together:

channels  the paper's: 3 N channels go into the network
shared    ours: every touch goes through the same ResNet-32, its features are averaged before the last layer. The order
          of the touches, which means nothing, then changes nothing. Half the iterations with half the sets each
added     the network for one touch, its log-probabilities of N touches added: no training of its own
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

TOUCHES = (1, 2, 4, 6, 8, 10)
TRAIN, TEST = 2000, 200  # presses: numbers 0 to 1999, 2000 to 2199; any further ones are a second, larger test
WAYS = ("channels", "shared")  # that are trained; for one touch they are the same
BATCH = 128
ITERATIONS = 4000
LEARNING_RATE = 0.1
WEIGHT_DECAY = 5e-4
SMOOTHING = 0.1
NOISE = 0.03  # of the standard deviation of a channel
SHIFT = 4.0  # pixels
SETS_PER_OBJECT = 100


def need_torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("training needs torch; run: pip install 'taxel[learn]'") from None
    return torch


# --- images -----------------------------------------------------------------------------------------------------------


def turned(images: Any, angle: Any, mirrored: Any, shift: Any) -> Any:
    """Square touches (B, 3, H, H) as if the object had been mirrored (x to -x), turned about z of the pad and shifted.

    angle (B,) rad; mirrored (B,) bool; shift (B, 2) pixels along x and y. Vectors turn with the picture. What comes in
    over the edge repeats the edge.
    """
    torch = need_torch()
    c, s = torch.cos(angle), torch.sin(angle)
    m = 1.0 - 2.0 * mirrored.to(angle.dtype)
    rows, columns = images.shape[-2:]
    # affine_grid takes each pixel to where it comes from: q = M R^T (p - shift), in halves of the picture's sides.
    tx, ty = 2 * shift[:, 0] / columns, 2 * shift[:, 1] / rows
    back = torch.stack(
        [
            torch.stack([m * c, m * s, -m * (c * tx + s * ty)], dim=1),
            torch.stack([-s, c, s * tx - c * ty], dim=1),
        ],
        dim=1,
    )
    grid = torch.nn.functional.affine_grid(back, list(images.shape), align_corners=False)
    moved = torch.nn.functional.grid_sample(
        images, grid.to(images.dtype), mode="bilinear", padding_mode="border", align_corners=False
    )
    c, s, m = (a[:, None, None] for a in (c, s, m))
    ux, uy = m * moved[:, 0], moved[:, 1]
    return torch.stack([c * ux - s * uy, s * ux + c * uy, moved[:, 2]], dim=1)


def symmetric_copy(images: Any, copy: int) -> Any:
    """Exact: copy 0 to 3 of touches (B, 3, H, W) is turned by quarters, 4 to 7 mirrored (x to -x) before that."""
    torch = need_torch()
    x, y, z = images[:, 0], images[:, 1], images[:, 2]
    if copy >= 4:
        x, y, z = -x.flip(-1), y.flip(-1), z.flip(-1)
    for _ in range(copy % 4):
        # Columns are x, rows are y: what was at (x, y) goes to (-y, x).
        x, y, z = (-torch.rot90(y, -1, (-2, -1)), torch.rot90(x, -1, (-2, -1)), torch.rot90(z, -1, (-2, -1)))
    return torch.stack([x, y, z], dim=1)


# --- network ----------------------------------------------------------------------------------------------------------


def make_network(touches: int, classes: int, way: str = "channels") -> Any:
    """From (B, 3 N, H, W) to (B, classes): ResNet-32 in its CIFAR form, shortcuts without weights."""
    torch = need_torch()
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.step, self.more = outputs // inputs, outputs - inputs
            self.conv1 = nn.Conv2d(inputs, outputs, 3, self.step, 1, bias=False)
            self.norm1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.norm2 = nn.BatchNorm2d(outputs)

        def forward(self, x: Any) -> Any:
            y = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
            if self.more:
                x = nn.functional.pad(x[:, :, :: self.step, :: self.step], (0, 0, 0, 0, 0, self.more))
            return torch.relu(x + y)

    class Shared(nn.Module):
        def __init__(self, features: Any, last: Any) -> None:
            super().__init__()
            self.features, self.last = features, last

        def forward(self, x: Any) -> Any:
            each = self.features(x.reshape(-1, 3, *x.shape[-2:]))
            return self.last(each.reshape(len(x), touches, -1).mean(1))

    widths = [16] * 6 + [32] * 5 + [64] * 5
    shared = way == "shared"
    features = nn.Sequential(
        nn.Conv2d(3 if shared else 3 * touches, 16, 3, 2, 1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        *(Block(a, b) for a, b in pairwise(widths)),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    last = nn.Linear(64, classes)
    network = Shared(features, last) if shared else nn.Sequential(features, last)
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out")
    return network


# --- data -------------------------------------------------------------------------------------------------------------


class Touches:
    """Images (n, 3, H, W) on a device, scaled by the training images' spread, with the object of each."""

    def __init__(self, images: Any, objects: np.ndarray) -> None:
        self.images, self.objects = images, np.asarray(objects)
        self.device = images.device
        self.count = int(self.objects.max()) + 1
        self.of = [np.flatnonzero(self.objects == k) for k in range(self.count)]

    def __len__(self) -> int:
        return len(self.objects)


def split(data: Any, train: int = TRAIN, test: int = TEST, device: str = "cpu", pad: int = 0) -> dict[str, Touches]:
    """ "train", "test" and, where there are more presses, "fresh": by the number of the press; images of one pad."""
    torch = need_torch()
    press = data["press"]
    rows = {
        "train": press < train,
        "test": (press >= train) & (press < train + test),
        "fresh": press >= train + test,
    }
    own = data["pad"] == pad
    spread = np.sqrt(np.mean(np.square(data["image"][rows["train"] & own].astype(np.float32)), axis=(0, 1, 2)))
    result = {}
    for name, chosen in rows.items():
        chosen = np.flatnonzero(chosen & own)
        if not len(chosen) and name == "fresh":
            continue
        wanted = {"train": train, "test": test}.get(name, len(chosen))
        if len(chosen) != wanted:
            need = f"make presses 0 to {train + test - 1}"
            raise ValueError(f"data: {len(chosen)} presses to {name}, {wanted} needed; {need}")
        images = (data["image"][chosen].astype(np.float32) / spread).transpose(0, 3, 1, 2)
        result[name] = Touches(torch.as_tensor(np.ascontiguousarray(images), device=device), data["object"][chosen])
    return result


def draw_sets(touches: Touches, objects: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """(B, N): for each object of (B,), N different touches of it."""
    result = np.empty((len(objects), number), dtype=np.int64)
    for k in np.unique(objects):
        own, rows = touches.of[k], np.flatnonzero(objects == k)
        if len(own) < number:
            raise ValueError(f"object {k}: {len(own)} touches, {number} different ones needed; make more presses")
        taken = np.empty((len(rows), 0), dtype=np.int64)
        for j in range(number):
            # One of those not yet taken: count past the taken ones, from the lowest up.
            pick = rng.integers(len(own) - j, size=len(rows))
            for column in taken.T:
                pick += pick >= column
            result[rows, j] = own[pick]
            taken = np.sort(np.column_stack([taken, pick]), axis=1)
    return result


def test_sets(touches: Touches, number: int, per_object: int = SETS_PER_OBJECT, seed: int = 0) -> np.ndarray:
    """(S, N): the fixed sets to test with; for one touch each image once. No set twice, in whatever order."""
    if number == 1:
        return np.arange(len(touches))[:, None]
    rng = np.random.default_rng([seed, number])
    found = []
    for k, own in enumerate(touches.of):
        most = min(per_object, math.comb(len(own), number))
        sets: dict[tuple[int, ...], None] = {}
        while len(sets) < most:
            for one in draw_sets(touches, np.full(most, k), number, rng):
                if len(sets) < most:
                    sets.setdefault(tuple(sorted(one)))
        found += list(sets)
    return np.array(found, dtype=np.int64)


test_sets.__test__ = False  # type: ignore[attr-defined]  # its name is for readers, not for pytest


# --- training ---------------------------------------------------------------------------------------------------------


def train(
    touches: Touches,
    number: int,
    *,
    seed: int,
    iterations: int = ITERATIONS,
    batch: int = BATCH,
    way: str = "channels",
    report: Callable[[int], None] | None = None,
) -> tuple[Any, dict[str, float]]:
    """A network for ``number`` touches, and what came of it. The same seed gives the same one on a CPU."""
    torch = need_torch()
    device = touches.device
    on_gpu = device.type == "cuda"
    # TF32 and no autocast: so small a network waits for launches, and casts would add to them.
    torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = on_gpu
    rng = np.random.default_rng([seed, number, 1])
    torch.manual_seed(1000 * seed + number)
    form = torch.channels_last if on_gpu else torch.contiguous_format
    network = make_network(number, touches.count, way).to(device).to(memory_format=form)
    decayed = [p for p in network.parameters() if p.ndim > 1]
    plain = [p for p in network.parameters() if p.ndim <= 1]
    optimizer = torch.optim.SGD(
        [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": plain, "weight_decay": 0.0}],
        lr=LEARNING_RATE,
        momentum=0.9,
        nesterov=True,
    )
    warm = max(1, iterations // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: min((k + 1) / warm, 0.5 * (1 + math.cos(math.pi * k / iterations)))
    )
    # All draws beforehand: the loop then never waits for the host.
    objects = rng.integers(touches.count, size=(iterations, batch))
    sets = torch.as_tensor(
        draw_sets(touches, objects.ravel(), number, rng).reshape(iterations, batch * number), device=device
    )
    labels = torch.as_tensor(objects, device=device)
    start = time.perf_counter()
    network.train()
    total = torch.zeros((), device=device)
    for k in range(iterations):
        images = touches.images[sets[k]]
        n = len(images)
        angle = (2 * math.pi) * torch.rand(n, device=device)
        shift = SHIFT * (2 * torch.rand(n, 2, device=device) - 1)
        images = turned(images, angle, torch.rand(n, device=device) < 0.5, shift)
        images = images + NOISE * torch.randn_like(images)
        images = images.reshape(batch, 3 * number, *images.shape[-2:]).contiguous(memory_format=form)
        loss = torch.nn.functional.cross_entropy(network(images), labels[k], label_smoothing=SMOOTHING)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        total = 0.98 * total + 0.02 * loss.detach()
        if report:
            report(k + 1)
    network.eval()
    final = float(total / (1 - 0.98**iterations))
    return network, {"iterations": iterations, "loss": final, "seconds": time.perf_counter() - start}


def log_probabilities(network: Any, touches: Touches, sets: np.ndarray, copies: int = 8, part: int = 512) -> np.ndarray:
    """(S, classes): of each set of touches, the mean over its turned and mirrored copies, each in another order."""
    torch = need_torch()
    device = touches.device
    network.eval()
    found = []
    with torch.no_grad():
        for rows in torch.as_tensor(sets, device=device).split(part):
            total = 0.0
            for copy in range(copies):
                images = touches.images[rows.roll(copy, 1).flatten()]
                one = symmetric_copy(images, copy).reshape(len(rows), -1, *images.shape[-2:])
                total = total + network(one).log_softmax(1)
            found.append(total / copies)
    return torch.cat(found).double().cpu().numpy()


# --- what came of it --------------------------------------------------------------------------------------------------


def wilson(share: float, count: float) -> tuple[float, float]:
    """95 % interval of a share seen in ``count`` independent trials."""
    z = 1.959964
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def confusion(touches: Touches, sets: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """(classes, classes) counts: rows are what it was, columns what it was taken for."""
    result = np.zeros((touches.count, touches.count), dtype=int)
    np.add.at(result, (touches.objects[sets[:, 0]], scores.argmax(axis=1)), 1)
    return result


def evaluate(network: Any, tests: dict[str, Touches], number: int, copies: int = 8) -> dict[str, Any]:
    """Confusion on each test; for one touch also that of added log-probabilities for more touches."""
    result: dict[str, Any] = {}
    for name, touches in tests.items():
        sets = test_sets(touches, number)
        scores = log_probabilities(network, touches, sets, copies)
        result[name] = {"confusion": confusion(touches, sets, scores).tolist()}
        if number == 1:
            least = min(len(own) for own in touches.of)
            more = {n: test_sets(touches, n) for n in TOUCHES if n <= least}
            result[name]["added"] = {
                str(n): confusion(touches, s, scores[s].sum(axis=1)).tolist() for n, s in more.items()
            }
    return result


def train_one(
    parts: dict[str, Touches], way: str, number: int, seed: int, iterations: int, batch: int
) -> dict[str, Any]:
    """One network, trained and tested."""
    network, training = train(parts["train"], number, seed=seed, iterations=iterations, batch=batch, way=way)
    start = time.perf_counter()
    tests = evaluate(network, {name: touches for name, touches in parts.items() if name != "train"}, number)
    training["test_seconds"] = time.perf_counter() - start
    return {"way": way, "touches": number, "seed": seed, "training": training, "tests": tests}


def load(path: str) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return {name: file[name] for name in ("object", "pad", "press", "image")}


_shared: dict[str, Touches] = {}


def _start_worker(path: str, train_presses: int, test_presses: int, device: str) -> None:
    need_torch().set_num_threads(1)
    _shared.update(split(load(path), train_presses, test_presses, device))


def _work(task: tuple[str, int, int, int, int]) -> dict[str, Any]:
    return train_one(_shared, *task)


def train_all(
    data: Any,
    *,
    touches: Sequence[int] = TOUCHES,
    seeds: int = 3,
    iterations: int = ITERATIONS,
    batch: int = BATCH,
    device: str = "cpu",
    jobs: int = 1,
    train_presses: int = TRAIN,
    test_presses: int = TEST,
    path: str | None = None,
    say: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Each number of touches, each way, each seed. ``jobs``: trainings at a time, in processes that read ``path``."""
    torch = need_torch()
    # The largest first, so that no long one is left alone at the end.
    tasks = [
        (way, n, seed, max(1, iterations // half), max(1, batch // half))
        for n in sorted(touches, reverse=True)
        for way, half in (("shared", 2), ("channels", 1))
        for seed in range(seeds)
        if n > 1 or way == "channels"
    ]
    found: list[dict[str, Any]] = []
    start = time.perf_counter()

    def keep(one: dict[str, Any]) -> None:
        found.append(one)
        told = ", ".join(f"{name} {accuracy(t['confusion']):.3f}" for name, t in one["tests"].items())
        say(
            f"{one['way']:8} {one['touches']:2} touches, seed {one['seed']}: {one['training']['seconds']:.0f} s, {told}"
        )

    if jobs > 1:
        from multiprocessing import get_context

        if path is None:
            raise ValueError("jobs: more than one needs the path of the data, which each process reads")
        given = (path, train_presses, test_presses, device)
        with get_context("spawn").Pool(min(jobs, len(tasks)), _start_worker, given) as pool:
            for one in pool.imap_unordered(_work, tasks, chunksize=1):
                keep(one)
    else:
        parts = split(data, train_presses, test_presses, device)
        for task in tasks:
            keep(train_one(parts, *task))
    where = (
        torch.cuda.get_device_name() if str(device).startswith("cuda") else f"CPU, {torch.get_num_threads()} threads"
    )
    found.sort(key=lambda one: (one["touches"], one["way"], one["seed"]))
    return {
        "networks": found,
        "iterations": iterations,
        "batch": batch,
        "device": where,
        "torch": torch.__version__,
        "seconds": time.perf_counter() - start,
        "presses": {
            "train": train_presses,
            "test": test_presses,
            "fresh": len(np.unique(data["press"])) - train_presses - test_presses,
        },
    }


def accuracy(counts: Any) -> float:
    counts = np.asarray(counts)
    return float(np.trace(counts) / counts.sum())


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Trains the recognition networks and writes what they take for what.")
    parser.add_argument("data", metavar="DATA.npz")
    parser.add_argument("out", metavar="OUT.json")
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--seeds", type=int, default=3, help="trainings for each number of touches (default: 3)")
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time (default: 1)")
    parser.add_argument("--touches", type=int, nargs="+", default=list(TOUCHES))
    parser.add_argument("--train", type=int, default=TRAIN, help="presses to train with (default: 2000)")
    parser.add_argument("--test", type=int, default=TEST, help="presses to test with (default: 200)")
    options = parser.parse_args(arguments)
    result = train_all(
        load(options.data),
        touches=options.touches,
        seeds=options.seeds,
        iterations=options.iterations,
        batch=options.batch,
        device=options.device,
        jobs=options.jobs,
        train_presses=options.train,
        test_presses=options.test,
        path=options.data,
    )
    Path(options.out).write_text(json.dumps(result) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
