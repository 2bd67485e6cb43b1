"""The yaw of an object from one tactile image: network, loss and training of the orientation experiment.

    python -m taxel.learn.orientation DATA.npz OUT.json [--device cuda] [--seeds 5] [--epochs 40]

This file needs NumPy and torch only: it also runs by itself where taxel is not installed (python orientation.py ...).

DATA.npz, as ``taxel.experiments.skin.orientation_data`` writes it:
    train.images (N, 16, 16)   one press each, scaled to [0, 1], no noise, no copies: both are made here
    train.yaw, train.pitch, train.modulus (N,)   radians; modulus of the object in Pa, 0 is rigid
    <set>.images, <set>.yaw, <set>.object, <set>.seed   for each test set, noise in the images; object: index of a name
    <set>.names, sets

Read from the paper: two convolutions without padding, 5x5x32 and 3x3x64, stride 2; 128 features; 128-64-6 with dropout
0.2; the six numbers are two columns of a rotation, made orthonormal by Gram-Schmidt; Adam at 1e-3, 40 epochs, 20 %
validation, the weights of the least running validation loss over 10 batches. Open in the paper, chosen here: batches of
BATCH images; one validation batch after each training batch; all four copies of a press on the same side of the split;
the noise is drawn once an image, afresh for each copy; the target lies in the plane of the pad, whatever the pitch.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 128
EPOCHS = 40
LEARNING_RATE = 1e-3
VALIDATION = 0.2
RUNNING = 10  # batches of the running validation loss
NOISE_MEAN, NOISE_SCALE = 0.02, 0.05  # of an image scaled to [0, 1]

TRAINING_SETS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "no-pitch": lambda pitch, modulus: (pitch == 0) & (modulus == 0),
    "pitch": lambda pitch, modulus: modulus == 0,
    "soft": lambda pitch, modulus: pitch == 0,
}
"""Which presses a network learns from."""


# --- angles and images ------------------------------------------------------------------------------------------------


def yaw_error(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angle between lines at the yaws a and b, in [0, pi/2]: a line has no front."""
    d = np.mod(np.subtract(a, b), np.pi)
    return np.minimum(d, np.pi - d)


def line_angle(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Angle between the lines along vectors (..., 3), in [0, pi/2]; exact for small angles too."""
    return np.arctan2(np.linalg.norm(np.cross(u, v), axis=-1), np.abs(np.sum(np.multiply(u, v), axis=-1)))


def direction(yaw: np.ndarray) -> np.ndarray:
    """(..., 3): the line at a yaw, in the plane of the pad."""
    return np.stack([np.cos(yaw), np.sin(yaw), np.zeros_like(yaw)], axis=-1)


def turned(images: np.ndarray, quarters: int) -> np.ndarray:
    """Images (..., 16, 16) of what is pressed, turned by quarters of a full turn about the pad's normal.

    Columns are x, rows are y and count upwards, so a quarter turn takes what was at (x, y) to (-y, x).
    """
    return np.rot90(images, -quarters, axes=(-2, -1))


def symmetric_copies(images: np.ndarray, yaw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each press four times, (4 N, ...): as it is, by a quarter turn (yaw + pi/2), and both by half a turn (same yaw).

    Copy k of press i is at k N + i.
    """
    images = np.concatenate([images, turned(images, 1)])
    yaw = np.concatenate([yaw, np.mod(yaw + np.pi / 2, np.pi)])
    return np.concatenate([images, turned(images, 2)]), np.concatenate([yaw, yaw])


def with_noise(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return images + rng.normal(NOISE_MEAN, NOISE_SCALE, images.shape).astype(images.dtype)


# --- network and loss -------------------------------------------------------------------------------------------------


def need_torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("the network needs torch; run: pip install 'taxel[learn]'") from None
    return torch


def make_network() -> Any:
    """(N, 1, 16, 16) to the six numbers of a rotation."""
    nn = need_torch().nn
    return nn.Sequential(
        nn.Conv2d(1, 32, 5, stride=2),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),  # 2 x 2 x 64
        nn.Linear(256, 128),
        nn.ReLU(),
        nn.Linear(128, 128),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(128, 64),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(64, 6),
    )


def rotation(six: Any) -> Any:
    """(N, 3, 3): the first two columns from (N, 6) by Gram-Schmidt, the third their cross product."""
    torch = need_torch()
    x = torch.nn.functional.normalize(six[:, :3], dim=1)
    y = torch.nn.functional.normalize(six[:, 3:] - (x * six[:, 3:]).sum(1, keepdim=True) * x, dim=1)
    return torch.stack([x, y, torch.linalg.cross(x, y)], dim=2)


def symmetric_loss(R: Any, z_p: Any) -> Any:
    """(N,): angle between the lines along R z and z_p, the paper's min(|acos(R z . z_p)|, |acos(-R z . z_p)|).

    As atan2(|sine|, |cosine|): acos has an infinite slope where the angle is 0. The sine is kept off 0 by 1e-6 rad.
    """
    torch = need_torch()
    z = R[:, :, 2]
    sine = (torch.linalg.cross(z, z_p).square().sum(1) + 1e-12).sqrt()
    return torch.atan2(sine, (z * z_p).sum(1).abs())


def predict(network: Any, images: Any) -> np.ndarray:
    """(N, 3): the line told for each image."""
    torch = need_torch()
    network.eval()
    with torch.no_grad():
        device = next(network.parameters()).device
        images = torch.as_tensor(np.ascontiguousarray(images), dtype=torch.float32, device=device)
        parts = [rotation(network(part[:, None]))[:, :, 2] for part in images.split(4096)]
    return torch.cat(parts).double().cpu().numpy() if parts else np.zeros((0, 3))


# --- training ---------------------------------------------------------------------------------------------------------


def train(
    images: np.ndarray,
    yaw: np.ndarray,
    *,
    seed: int,
    epochs: int = EPOCHS,
    batch: int = BATCH,
    device: str = "cpu",
    report: Callable[[int], None] | None = None,
) -> tuple[Any, dict[str, float]]:
    """Trains on clean presses (N, 16, 16), each used in its four copies with noise: network, what came of it.

    The same seed gives the same network on the same kind of device.
    """
    torch = need_torch()
    rng = np.random.default_rng([seed, 1])
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    presses = len(images)
    held = np.zeros(presses, dtype=bool)
    held[rng.permutation(presses)[: round(VALIDATION * presses)]] = True
    copies, angles = symmetric_copies(images.astype(np.float32), yaw)
    copies = with_noise(copies, rng)
    held = np.tile(held, 4)

    def tensors(rows: np.ndarray) -> tuple[Any, Any]:
        z_p = torch.as_tensor(direction(angles[rows]), dtype=torch.float32, device=device)
        return torch.as_tensor(copies[rows], device=device)[:, None], z_p

    x, z_p = tensors(~held)
    x_val, z_val = tensors(held)
    network = make_network().to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    recent: deque[Any] = deque(maxlen=RUNNING)
    least, best = math.inf, {}
    start = time.perf_counter()
    cursor, order_val = 0, torch.as_tensor(rng.permutation(len(x_val)), device=device)
    for epoch in range(epochs):
        order = torch.as_tensor(rng.permutation(len(x)), device=device)
        for rows in order.split(batch):
            network.train()
            optimizer.zero_grad(set_to_none=True)
            loss = symmetric_loss(rotation(network(x[rows])), z_p[rows]).mean()
            loss.backward()
            optimizer.step()
            network.eval()
            with torch.no_grad():
                rows = order_val[cursor : cursor + batch]
                cursor = cursor + batch if cursor + batch < len(order_val) else 0
                recent.append(symmetric_loss(rotation(network(x_val[rows])), z_val[rows]).mean())
                running = torch.stack(tuple(recent)).mean().item()
            if len(recent) == RUNNING and running < least:
                least = running
                best = {name: value.clone() for name, value in network.state_dict().items()}
        if report:
            report(epoch + 1)
    if best:
        network.load_state_dict(best)
    network.eval()
    validation = line_angle(predict(network, x_val[:, 0].cpu().numpy()), direction(angles[held]))
    return network, {
        "presses": presses,
        "images": len(angles),
        "seconds": time.perf_counter() - start,
        "running_validation": least,
        "validation": float(validation.mean()),
    }


def summary(errors: np.ndarray) -> dict[str, float]:
    return {
        "mean": float(np.mean(errors)),
        "std": float(np.std(errors)),
        "median": float(np.median(errors)),
        "count": len(errors),
    }


def evaluate(network: Any, data: Any) -> dict[str, Any]:
    """Errors (angle between lines in space, rad) on each test set: by object, overall, and each estimate."""
    result = {}
    for name in data["sets"]:
        z = predict(network, data[f"{name}.images"])
        errors = line_angle(z, direction(data[f"{name}.yaw"]))
        which = data[f"{name}.object"]
        result[str(name)] = {
            "objects": {str(o): summary(errors[which == k]) for k, o in enumerate(data[f"{name}.names"])},
            "all": summary(errors),
            "errors": errors.round(6).tolist(),
            "yaw": np.mod(np.arctan2(z[:, 1], z[:, 0]), np.pi).round(6).tolist(),
        }
    return result


def train_one(data: Any, name: str, seed: int, epochs: int, batch: int, device: str) -> dict[str, Any]:
    """One network: training set ``name``, seed; evaluated on every test set."""
    rows = TRAINING_SETS[name](data["train.pitch"], data["train.modulus"])
    network, training = train(
        data["train.images"][rows], data["train.yaw"][rows], seed=seed, epochs=epochs, batch=batch, device=device
    )
    return {"seed": seed, "training": training, "sets": evaluate(network, data)}


_shared: Any = None


def _start_worker(data: Any) -> None:
    global _shared
    _shared = data
    need_torch().set_num_threads(1)


def _work(task: tuple[str, int, int, int, str]) -> dict[str, Any]:
    return train_one(_shared, *task)


def train_all(
    data: Any,
    *,
    seeds: int = 5,
    epochs: int = EPOCHS,
    batch: int = BATCH,
    device: str = "cpu",
    jobs: int = 1,
    say: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Each training set with each seed. ``jobs``: trainings at a time, each in a process of its own."""
    torch = need_torch()
    names = [n for n in TRAINING_SETS if n != "soft" or np.any(data["train.modulus"])]
    tasks = [(name, seed, epochs, batch, device) for name in names for seed in range(seeds)]
    networks: dict[str, list[dict[str, Any]]] = {name: [] for name in names}

    def keep(task: tuple, found: dict[str, Any]) -> None:
        networks[task[0]].append(found)
        told = ", ".join(f"{s} {r['all']['mean']:.4f}" for s, r in found["sets"].items())
        training = found["training"]
        say(
            f"{task[0]}, seed {task[1]}: {training['images']} images, {training['seconds']:.0f} s, "
            f"validation {training['validation']:.4f} rad; {told}"
        )

    if jobs > 1:
        from multiprocessing import get_context

        with get_context("spawn").Pool(min(jobs, len(tasks)), _start_worker, (data,)) as pool:
            for task, found in zip(tasks, pool.imap(_work, tasks, chunksize=1), strict=True):
                keep(task, found)
    else:
        for task in tasks:
            keep(task, train_one(data, *task))
    where = (
        torch.cuda.get_device_name() if str(device).startswith("cuda") else f"CPU, {torch.get_num_threads()} threads"
    )
    return {"networks": networks, "epochs": epochs, "batch": batch, "device": where, "torch": torch.__version__}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Trains the orientation networks and writes their errors.")
    parser.add_argument("data", metavar="DATA.npz")
    parser.add_argument("out", metavar="OUT.json")
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--seeds", type=int, default=5, help="trainings of each network (default: 5)")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time (default: 1)")
    options = parser.parse_args(arguments)
    with np.load(options.data) as file:
        data = {name: file[name] for name in file.files}
    result = train_all(
        data, seeds=options.seeds, epochs=options.epochs, batch=options.batch, device=options.device, jobs=options.jobs
    )
    Path(options.out).write_text(json.dumps(result) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
