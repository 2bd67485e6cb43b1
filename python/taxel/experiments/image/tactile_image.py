"""Tactile images of held-out ball presses against the photos, ours and Taxim's.

Photos: the data of the package ``taxim`` 1.4.1 (48 GelSight, 24 GelSight Mini). Ours is calibrated on three quarters of
the presses and rendered on the rest, for several splits. Taxim is its own code and its own shipped table, which was
made from all the photos, so it has seen those that are held out here.

Two ways to say where the ball is. *labels*: contact centre and radius as shipped, at face value. *registered*: each
renderer moves the ball to where its own image fits the photo best; three numbers a press. Ours: Gauss-Newton on centre
and radius from the labels. Taxim: at our centres and at the labels, the best of a range of depths.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

import taxel
from taxel import _core
from taxel.image import BallPress, TactileCamera, calibrate_image, presses_from_taxim, register
from taxel.report import table

SPLITS = 3
HELD_OUT = 0.25
WINDOW = 2.0
"""Half side of the square window about the labelled centre, in labelled radii."""
TAXIM_BALL = 2.0e-3
"""The ball its table was made with, as far as its data tell: just above the largest labelled contact, 1.98 mm."""
TAXIM_DEPTHS = (0.1e-3, 0.2e-3, 0.35e-3, 0.55e-3, 0.8e-3, 1.1e-3, 1.4e-3, 1.7e-3)


def _distance(press: BallPress) -> np.ndarray:
    rows, cols = np.indices(press.image.shape[:2])
    return np.hypot(cols - press.center[0], rows - press.center[1]) * press.pixel


def penetration(press: BallPress, decay_length: float) -> np.ndarray:
    """The ball of a press over the gel: as deep as its contact radius says."""
    radius = press.ball_radius
    contact = min(press.radius * press.pixel, 0.97 * radius)
    depth = _core.ball_press(radius, contact, decay_length, np.zeros(1))[2]
    r = _distance(press)
    return np.where(r < radius, depth - radius + np.sqrt(np.maximum(radius**2 - r**2, 0)), -1.0)


def render(camera: TactileCamera, press: BallPress) -> np.ndarray:
    return camera.render(camera.press(penetration(press, camera.decay_length)))


def errors(image: np.ndarray, label: BallPress) -> np.ndarray:
    """(2, 3): mean absolute difference to the photo per channel, in the window and over the frame."""
    wrong = np.abs(image.astype(float) - label.image)
    rows, cols = np.indices(wrong.shape[:2])
    side = WINDOW * label.radius
    window = (np.abs(cols - label.center[0]) < side) & (np.abs(rows - label.center[1]) < side)
    return np.stack([wrong[window].mean(axis=0), wrong.mean(axis=(0, 1))])


class Taxim:
    """The package's own renderer on its own calibration, on the CPU."""

    def __init__(self, sensor: str) -> None:
        import jax
        from taxim import taxim_jax

        base = Path(importlib.util.find_spec("taxim").origin).parent / "calib" / sensor
        self._engine = taxim_jax.TaximJax(calib_folder=base, device=jax.devices("cpu")[0])
        gel = np.load(base / "gelmap.npy").astype(float) * 0.0295
        self._gel = gel - gel.max()
        self.flat = self._render(np.full(gel.shape, 50.0))
        """Its image of the gel that nothing touches."""

    def _render(self, height: np.ndarray) -> np.ndarray:
        return 255.0 * np.asarray(self._engine.render(height, with_shadow=True))

    def __call__(self, press: BallPress, depth: float) -> np.ndarray:
        """The ball `depth` below the gel's surface at its centre."""
        radius, r = 1e3 * TAXIM_BALL, 1e3 * _distance(press)
        ball = np.where(r < radius, radius - np.sqrt(np.maximum(radius**2 - r**2, 0)), 50.0)
        level = self._gel[int(press.center[1]), int(press.center[0])]
        return self._render(ball + level - 1e3 * depth)


def taxim_errors(sensor: str, presses: list[BallPress], centres: list[BallPress]) -> tuple[np.ndarray, np.ndarray]:
    """(n, 3, 2, 3) errors: labels, registered, registered less its answer to an untouched gel; and its images."""
    engine = Taxim(sensor)
    result, images = [], []
    for label, centre in zip(presses, centres, strict=True):
        contact = min(label.radius * label.pixel, 0.99 * TAXIM_BALL)
        shown = engine(label, TAXIM_BALL - np.sqrt(TAXIM_BALL**2 - contact**2))
        tried = [shown, *(engine(centre, depth) for depth in TAXIM_DEPTHS)]
        bare = [np.clip(t - engine.flat + label.background, 0, 255) for t in tried]
        scores, bare_scores = np.array([errors(t, label) for t in tried]), np.array([errors(t, label) for t in bare])
        best, bare_best = scores[:, 0].mean(axis=1).argmin(), bare_scores[:, 0].mean(axis=1).argmin()
        result.append([scores[0], scores[best], bare_scores[bare_best]])
        images.append(np.round(tried[best]).astype(np.uint8))
    return np.array(result), np.array(images)


def our_errors(presses: list[BallPress], held: np.ndarray) -> tuple[np.ndarray, TactileCamera, list[BallPress]]:
    """(n held, 2, 2, 3) by labels and registered; the camera of the latter and where it put the balls."""
    train = [p for k, p in enumerate(presses) if k not in set(held.tolist())]
    plain, camera = calibrate_image(train, refine=False), calibrate_image(train)
    found = [register(camera, presses[k]) for k in held]
    result = [
        [errors(render(plain, presses[k]), presses[k]), errors(render(camera, moved), presses[k])]
        for k, moved in zip(held, found, strict=True)
    ]
    return np.array(result), camera, found


def _row(sensor: str, way: str, renderer: str, score: np.ndarray, spread: np.ndarray | None = None) -> dict[str, Any]:
    row = {"sensor": sensor, "ball": way, "renderer": renderer}
    for k, where in enumerate(("window", "frame")):
        for c, colour in enumerate(("red", "green", "blue")):
            row[f"{where} {colour}"] = round(float(score[k, c]), 2)
    if spread is not None:
        row["spread over splits"] = round(float(spread.max()), 2)
    return row


def evaluate(out, folder: Path, sensor: str, splits: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    presses = presses_from_taxim(sensor)
    cache = folder / f"taxim_{sensor}.npz"
    if cache.is_file():
        with np.load(cache) as held_back:
            theirs, images = held_back["errors"], held_back["images"]
    else:
        out.print(f"{sensor}: rendering {len(presses)} presses with Taxim (its JAX code, once)")
        theirs, images = taxim_errors(sensor, presses, calibrate_image(presses).fit.presses)
        np.savez_compressed(cache, errors=theirs, images=images)
    ours, taxims, shown = [], [], {}
    for split in range(splits):
        order = np.random.default_rng(split).permutation(len(presses))
        held = order[: int(HELD_OUT * len(presses))]
        score, camera, found = our_errors(presses, held)
        ours.append(score.mean(axis=0))
        taxims.append(theirs[held].mean(axis=0))
        out.print(
            f"{sensor}, split {split}: ours {ours[-1][1, 0].round(2)}, Taxim {taxims[-1][1, 0].round(2)} in the window"
        )
        if not shown:
            shown = {
                "presses": [presses[k] for k in held],
                "ours": [render(camera, moved) for moved in found],
                "taxim": images[held],
                "camera": camera,
            }
    ours, taxims = np.array(ours), np.array(taxims)
    mean, std = ours.mean(axis=0), ours.std(axis=0)
    rows = []
    for k, way in enumerate(("labels", "registered")):
        theirs_mean = taxims.mean(axis=0)[k]
        row = _row(sensor, way, "taxel", mean[k], std[k])
        row["within"] = bool((mean[k] < theirs_mean).all())
        rows += [row, _row(sensor, way, "Taxim", theirs_mean, taxims.std(axis=0)[k])]
    rows.append(_row(sensor, "registered", "Taxim less its flat answer", taxims.mean(axis=0)[2]))
    rows[2]["within"] = rows[2]["within"] and bool((mean[1] < taxims.mean(axis=0)[2]).all())
    untouched = np.array([[errors(p.background, p)] for p in presses]).mean(axis=0)[0]
    rows.append(_row(sensor, "none", "untouched image", untouched))
    return rows, shown


def draw(shown: dict[str, dict[str, Any]], path: Path, count: int = 3) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = ("photo", "taxel", "Taxim", "|taxel - photo| x 4", "|Taxim - photo| x 4")
    figure, axes = plt.subplots(len(shown) * count, 5, figsize=(11, 2.05 * len(shown) * count))
    for s, (sensor, held) in enumerate(shown.items()):
        for k in range(count):
            press, ours, theirs = held["presses"][k], held["ours"][k], held["taxim"][k]
            photo = press.image.astype(float)
            wrong = [np.clip(4 * np.abs(i.astype(float) - photo), 0, 255).astype(np.uint8) for i in (ours, theirs)]
            side = int(2.5 * press.radius)
            x, y = (int(v) for v in press.center)
            cut = slice(max(0, y - side), y + side), slice(max(0, x - side), x + side)
            for axis, name, image in zip(axes[s * count + k], names, (press.image, ours, theirs, *wrong), strict=True):
                axis.imshow(image[cut])
                axis.set_xticks([])
                axis.set_yticks([])
                if s + k == 0:
                    axis.set_title(name)
            axes[s * count + k, 0].set_ylabel(sensor.replace("_", " "))
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    for package, reason in (("taxim", "its photos"), ("jax", "Taxim's renderer")):
        if importlib.util.find_spec(package) is None:
            raise taxel.Error(f"tactile-image needs the package {package} for {reason}: pip install taxim==1.4.1 jax")
    rows, shown = [], {}
    for sensor in ("gelsight", "gelsight_mini"):
        more, shown[sensor] = evaluate(out, folder, sensor, 1 if quick else SPLITS)
        rows += more
    keys = list(rows[0].keys() - {"within"})
    keys.sort(key=list(rows[0]).index)
    out.print(table(keys, [[str(row.get(key, "")) for key in keys] for row in rows], left=3))
    picture = folder / "tactile_image.png"
    draw(shown, picture)
    out.print(f"wrote {picture}")
    return {"experiment": "tactile-image", "rows": rows, "pictures": [str(picture)]}
