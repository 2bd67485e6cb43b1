"""Which object was touched, from 1 to 10 tactile images: a ResNet-32 that sees the touches stacked as channels.

    python -m taxel.learn.touch_recognition DATA.npz OUT.json [--device cuda] [--seeds 3] [--iterations 1500] [--jobs 9]

This file, captured.py and touch_networks.py beside it need NumPy and torch only: they run without taxel. DATA.npz is
a file of presses (``taxel.experiments.gel.presses``): object, pad, press (n,), image (n, H, W, 3) with rows along y,
columns along x.

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
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

if __package__:
    from .captured import Schedule, Step
    from .touch_networks import make_network, need_torch, symmetric_copy, turned
else:  # run as a plain file
    sys.path.insert(0, str(Path(__file__).parent))
    from captured import Schedule, Step  # type: ignore[import-not-found,no-redef]
    from touch_networks import (  # type: ignore[import-not-found,no-redef]
        make_network,
        need_torch,
        symmetric_copy,
        turned,
    )

TOUCHES = (1, 2, 4, 6, 8, 10)
TRAIN, TEST = 2000, 200  # presses: numbers 0 to 1999, 2000 to 2199; any further ones are a second, larger test
WAYS = ("channels", "shared")  # that are trained; for one touch they are the same
BATCH = 128
ITERATIONS = 1500
LEARNING_RATE = 0.1
WEIGHT_DECAY = 5e-4
SMOOTHING = 0.1
NOISE = 0.03  # of the standard deviation of a channel
SHIFT = 4.0  # pixels
SETS_PER_OBJECT = 100
HALF = True  # on a GPU the network's activations are bfloat16, its weights float32


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


class Training:
    """One network on its way: ``step`` is called ``iterations`` times, ``finish`` once.

    On a GPU the steps are graphs on a stream of their own (``captured``), so several trainings can go on at a time. The
    same seed gives the same network on a CPU; on a GPU but for the order in which its libraries sum.
    """

    def __init__(
        self,
        touches: Touches,
        number: int,
        *,
        seed: int,
        iterations: int = ITERATIONS,
        batch: int = BATCH,
        way: str = "channels",
    ) -> None:
        torch = need_torch()
        self.touches, self.touched, self.way, self.iterations, self.batch = touches, number, way, iterations, batch
        self.seed = seed
        device = touches.device
        self.on_gpu = device.type == "cuda"
        if self.on_gpu:
            torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = True
        rng = np.random.default_rng([seed, number, 1])
        torch.manual_seed(1000 * seed + number)
        self.form = torch.channels_last if self.on_gpu else torch.contiguous_format
        self.network = make_network(number, touches.count, way).to(device).to(memory_format=self.form)
        self.optimizer = torch.optim.SGD(
            [
                {"params": [p for p in self.network.parameters() if p.ndim > 1], "weight_decay": WEIGHT_DECAY},
                {"params": [p for p in self.network.parameters() if p.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=LEARNING_RATE,
            momentum=0.9,
            nesterov=True,
            fused=self.on_gpu,
        )
        warm = max(1, iterations // 20)
        rates = [
            LEARNING_RATE * min((k + 1) / warm, 0.5 * (1 + math.cos(math.pi * k / iterations)))
            for k in range(iterations)
        ]
        self.schedule = Schedule(self.optimizer, rates, device)
        # All draws beforehand: the steps then never wait for the host.
        objects = rng.integers(touches.count, size=(iterations, batch))
        sets = draw_sets(touches, objects.ravel(), number, rng).reshape(iterations, batch * number)
        self.sets, self.labels = (torch.as_tensor(a, device=device) for a in (sets, objects))
        self.losses = torch.zeros(iterations, device=device)
        self.generator = torch.Generator(device).manual_seed(1000 * seed + number)
        self.network.train()
        self.step = Step(self._body, self.generator)

    def _body(self) -> None:
        torch = need_torch()
        k = self.schedule.start()
        images = self.touches.images[self.sets.index_select(0, k)[0]]
        drawn = {"device": images.device, "generator": self.generator}
        n = len(images)
        angle = (2 * math.pi) * torch.rand(n, **drawn)
        shift = SHIFT * (2 * torch.rand(n, 2, **drawn) - 1)
        images = turned(images, angle, torch.rand(n, **drawn) < 0.5, shift)
        images = images + NOISE * torch.randn(images.shape, **drawn)
        images = images.reshape(self.batch, 3 * self.touched, *images.shape[-2:]).contiguous(memory_format=self.form)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.on_gpu and HALF, cache_enabled=False):
            scores = self.network(images)
        labels = self.labels.index_select(0, k)[0]
        loss = torch.nn.functional.cross_entropy(scores.float(), labels, label_smoothing=SMOOTHING)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.losses.index_copy_(0, k, loss.detach()[None])

    def finish(self) -> tuple[Any, dict[str, Any]]:
        """The network, and what came of it: the loss at the end, and means of twenty parts of the training."""
        self.step.wait()
        self.network.eval()
        losses = self.losses.cpu().numpy().astype(float)
        weights = 0.98 ** np.arange(self.iterations)[::-1]
        parts = [float(part.mean()) for part in np.array_split(losses, min(20, self.iterations))]
        return self.network, {
            "iterations": self.iterations,
            "loss": float(weights @ losses / weights.sum()),
            "losses": parts,
        }


def train(touches: Touches, number: int, **options: Any) -> tuple[Any, dict[str, Any]]:
    """A network for ``number`` touches, and what came of it (options: those of ``Training``)."""
    return train_together([Training(touches, number, **options)])[0]


def train_together(trainings: Sequence[Training]) -> list[tuple[Any, dict[str, Any]]]:
    """Steps in turn, so that all end at a time, however many steps each has."""
    start = time.perf_counter()
    most = max(t.iterations for t in trainings)
    for k in range(most):
        for t in trainings:
            if (k + 1) * t.iterations // most > k * t.iterations // most:
                t.step()
    found = [t.finish() for t in trainings]
    return [(network, note | {"seconds": time.perf_counter() - start}) for network, note in found]


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


Task = tuple[str, int, int, int, int]
"""Way, number of touches, seed, iterations, batch."""


def train_some(parts: dict[str, Touches], tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Networks, trained together and tested."""
    trainings = [
        Training(parts["train"], number, seed=seed, iterations=iterations, batch=batch, way=way)
        for way, number, seed, iterations, batch in tasks
    ]
    found = []
    for (way, number, seed, *_), (network, training) in zip(tasks, train_together(trainings), strict=True):
        start = time.perf_counter()
        tests = evaluate(network, {name: touches for name, touches in parts.items() if name != "train"}, number)
        training["test_seconds"] = time.perf_counter() - start
        found.append({"way": way, "touches": number, "seed": seed, "training": training, "tests": tests})
    return found


def load(path: str) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return {name: file[name] for name in ("object", "pad", "press", "image")}


_shared: dict[str, Touches] = {}


def _start_worker(path: str, train_presses: int, test_presses: int, device: str) -> None:
    need_torch().set_num_threads(1)
    _shared.update(split(load(path), train_presses, test_presses, device))


def _work(task: Task) -> dict[str, Any]:
    return train_some(_shared, [task])[0]


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
    before: dict[str, Any] | None = None,
    store: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Each number of touches, each way, each seed.

    jobs: trainings at a time: on a GPU on as many streams, on a CPU in processes that read ``path``.
    before: what a run that was cut off had stored; its networks are not trained again.
    store: called with what there is whenever networks are done.
    """
    torch = need_torch()
    on_gpu = str(device).startswith("cuda")
    # The largest first, so that no long one is left alone at the end; the smallest after it: a run that is cut off has
    # both ends of the table.
    order = sorted(touches, reverse=True)
    order.insert(1, order.pop())
    tasks: list[Task] = [
        (way, n, seed, max(1, iterations // half), max(1, batch // half))
        for n in order
        for way, half in (("shared", 2), ("channels", 1))
        for seed in range(seeds)
        if n > 1 or way == "channels"
    ]
    result: dict[str, Any] = {
        "iterations": iterations,
        "batch": batch,
        "device": torch.cuda.get_device_name() if on_gpu else f"CPU, {torch.get_num_threads()} threads",
        "torch": torch.__version__,
        "presses": {
            "train": train_presses,
            "test": test_presses,
            "fresh": len(np.unique(data["press"])) - train_presses - test_presses,
        },
    }
    found: list[dict[str, Any]] = []
    earlier = 0.0
    if before:
        if any(before[key] != result[key] for key in ("iterations", "batch", "presses")):
            raise ValueError("before: other iterations, batch or presses; start anew, in another folder")
        found += before["networks"]
        earlier = before["seconds"]
        done = {(one["way"], one["touches"], one["seed"]) for one in found}
        tasks = [task for task in tasks if task[:3] not in done]
    start = time.perf_counter()

    def keep(some: list[dict[str, Any]]) -> None:
        for one in some:
            found.append(one)
            told = ", ".join(f"{name} {accuracy(t['confusion']):.3f}" for name, t in one["tests"].items())
            seconds = one["training"]["seconds"]
            say(f"{one['way']:8} {one['touches']:2} touches, seed {one['seed']}: {seconds:.0f} s, {told}")
        found.sort(key=lambda one: (one["touches"], one["way"], one["seed"]))
        result.update(networks=found, seconds=earlier + time.perf_counter() - start)
        if store:
            store(result)

    if jobs > 1 and not on_gpu:
        from multiprocessing import get_context

        if path is None:
            raise ValueError("jobs: more than one needs the path of the data, which each process reads")
        given = (path, train_presses, test_presses, device)
        with get_context("spawn").Pool(min(jobs, max(1, len(tasks))), _start_worker, given) as pool:
            for one in pool.imap_unordered(_work, tasks, chunksize=1):
                keep([one])
    else:
        parts = split(data, train_presses, test_presses, device)
        for first in range(0, len(tasks), jobs):
            keep(train_some(parts, tasks[first : first + jobs]))
    keep([])
    return result


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
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time (default: 1; on a GPU 9 are faster)")
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
