"""Some samples of a data set as a picture."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from ..report import need_matplotlib
from .folder import Folder, write_whole
from .shard_file import read_shard

ROWS, COLUMNS = 3, 6


def draw_samples(folder: Folder) -> bool:
    """samples.png from the first shard that is there; False where matplotlib is not installed or nothing to draw."""
    names = [name for name in ("taxels", "markers") if name in folder.job.plan.readings]
    first = next((n for n in range(folder.job.plan.shards) if folder.is_done(n)), None)
    if not names or first is None:
        return False
    try:
        plt = need_matplotlib()
    except ImportError:
        return False
    rows = read_shard(folder.file(first))
    chosen = _choose(rows)
    if not len(chosen):
        return False
    figure, axes = plt.subplots(ROWS, COLUMNS, figsize=(12, 7), squeeze=False, layout="constrained")
    for axis in axes.ravel():
        axis.axis("off")
    sensor = folder.job.plan.sensor()
    draw = _draw_taxels if names[0] == "taxels" else _draw_markers
    for axis, row in zip(axes.ravel(), chosen, strict=False):
        of_sample = rows[names[0]][rows["sample"] == rows["sample"][row]]
        draw(axis, rows[names[0]][row], sensor, float(np.abs(of_sample).max()))
        axis.set_title(_title(rows, row), fontsize=8)
    title = f"{sensor.title}, model {folder.job.plan.model}: {names[0]}, scaled to the greatest of each sample"
    figure.suptitle(title, fontsize=11)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=110, format="png")
    plt.close(figure)
    write_whole(folder.path / "samples.png", drawn.getvalue())
    return True


def _choose(rows: dict[str, np.ndarray]) -> np.ndarray:
    """The last frames of the first samples: all frames of one with several, then others."""
    samples = np.unique(rows["sample"])
    count = ROWS * COLUMNS
    per = int(np.max(np.bincount((rows["sample"] - rows["sample"][0]).astype(int)))) if len(samples) else 1
    if per == 1:
        return np.arange(min(count, len(rows["sample"])))
    wanted = samples[: max(1, count // per)]
    return np.flatnonzero(np.isin(rows["sample"], wanted))[:count]


def _title(rows: dict[str, np.ndarray], row: int) -> str:
    name = str(rows["object"][row]).split("/")[-1].removeprefix("ycb:")
    words = f"{rows['motion'][row]}"
    if rows["frame"].max() > 0:
        words += f" {100 * rows['progress'][row]:.0f} %"
    if rows["finger"].max() > 0:
        words += f", finger {rows['finger'][row]}"
    if "force" in rows:
        words += f", {np.linalg.norm(rows['force'][row]):.2g} N"
    return f"{name}\n{words}"


def _draw_taxels(axis: Any, values: np.ndarray, sensor: Any, greatest: float) -> None:
    # Codes of a device may fall with the load (4095: none); the colours then do, too.
    low, high = (0.0, greatest) if values.min() >= 0 and sensor.unit != "counts" else (None, None)
    if values.ndim == 1:
        points = sensor.skin().layout.points
        axis.scatter(points[:, 0], points[:, 1], c=values, s=14, cmap="inferno", vmin=low, vmax=high)
        axis.set_aspect("equal")
    else:
        axis.imshow(values, origin="lower", cmap="inferno", vmin=low, vmax=high)


def _draw_markers(axis: Any, values: np.ndarray, sensor: Any, greatest: float) -> None:
    flat = values.reshape(-1, 3)
    rows, columns = values.shape[:2] if values.ndim == 3 else (len(flat), 1)
    pitch = float(np.max(sensor.markers.get("pitch", 1.0))) / float(sensor.markers.get("pixel", 1.0))
    y, x = np.divmod(np.arange(len(flat)), columns)
    axis.scatter(x * pitch, y * pitch, s=3, color="0.6")
    longer = 1.3 * pitch / max(greatest, 1e-9)
    u, v = longer * flat[:, 0], longer * flat[:, 1]
    axis.quiver(x * pitch, y * pitch, u, v, angles="xy", scale_units="xy", scale=1, color="C3", width=0.012)
    axis.set_xlim(-pitch, columns * pitch)
    axis.set_ylim(-pitch, rows * pitch)
    axis.set_aspect("equal")
