"""Photos of ball presses, which calibrate a tactile camera."""

from __future__ import annotations

import csv
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import _core


@dataclass(frozen=True)
class BallPress:
    """A photo of a ball pressed into the gel, with where it touches."""

    image: np.ndarray
    """(rows, cols, 3) RGB, 0 to 255."""
    background: np.ndarray
    """The same without the ball."""
    center: tuple[float, float]
    """Column and row of the middle of the contact, px; pixel centres are whole numbers."""
    radius: float
    """Of the contact, px."""
    ball_radius: float
    """m."""
    pixel: float
    """Edge of a pixel on the gel, m."""
    name: str = ""

    def __post_init__(self) -> None:
        where = f"ball press {self.name}".strip()
        shape = np.shape(self.image)
        if len(shape) != 3 or shape[2] != 3:
            raise _core.Error(f"{where}: the photo must be (rows, cols, 3); got shape {shape}")
        if np.shape(self.background) != shape:
            raise _core.Error(f"{where}: photo {shape} and background {np.shape(self.background)} differ in shape")
        if not (self.pixel > 0 and self.ball_radius > 0 and self.radius > 0):
            raise _core.Error(f"{where}: pixel, ball_radius and radius must be positive")
        if not np.all(np.isfinite(self.center)):
            raise _core.Error(f"{where}: the center is not finite")


# The package ships neither. Ball: FOTS, which uses sensors and photos of the same kind, states 4.70 mm; the largest
# labelled contact (1.98 mm) needs more than 3.95 mm. For the Mini see docs/guide/tactile-image.md.
TAXIM_BALL_RADIUS = {"gelsight": 2.35e-3, "gelsight_mini": 2.35e-3}


def presses_from_taxim(sensor: str = "gelsight", ball_radius: float | None = None) -> list[BallPress]:
    """The ball presses in the data of the Python package ``taxim`` (pip install taxim==1.4.1), if it is installed.

    sensor: ``gelsight`` (48 photos) or ``gelsight_mini`` (24). Nothing is downloaded and none of its code is run. The
    package holds no ball radius; ``ball_radius`` (m) replaces our guess. The labels of the Mini are rough.
    """
    if sensor not in TAXIM_BALL_RADIUS:
        raise _core.Error(f"sensor '{sensor}' is not in taxim's data; use {' or '.join(TAXIM_BALL_RADIUS)}")
    found = importlib.util.find_spec("taxim")
    if found is None or found.origin is None:
        raise _core.Error("the package taxim is not installed; its data come with: pip install taxim==1.4.1")
    path = Path(found.origin).parent / "calib" / sensor / "dataPack.npz"
    if not path.is_file():
        raise _core.Error(f"{path} is missing; taxim 1.4.1 has it")
    pixel = 0.0295e-3  # "pixmm" of its params.json, for both sensors
    with np.load(path, allow_pickle=False) as data:
        images = data["imgs"][..., ::-1]  # stored blue first
        background = np.ascontiguousarray(data["f0"][..., ::-1])
        centers, radii = data["touch_center"].astype(float), data["touch_radius"].astype(float)
    return [
        BallPress(
            np.ascontiguousarray(image),
            background,
            (float(c[0]), float(c[1])),
            float(r),
            ball_radius or TAXIM_BALL_RADIUS[sensor],
            pixel,
            f"{sensor} {k}",
        )
        for k, (image, c, r) in enumerate(zip(images, centers, radii, strict=True))
    ]


def presses_from_folder(
    folder: str | os.PathLike,
    *,
    ball_radius: float,
    pixel: float,
    labels: str = "annotate.csv",
    background: str = "background.png",
) -> list[BallPress]:
    """Photos in a folder with a table of labels, as FOTS lays them out.

    The table has the columns img_names, center_x, center_y, radius (px). ball_radius and pixel in metres. Needs Pillow.
    """
    try:
        from PIL import Image
    except ImportError:
        raise _core.Error("reading photos needs Pillow; install it with: pip install pillow") from None
    base = Path(folder)
    for name in (labels, background):
        if not (base / name).is_file():
            raise _core.Error(f"{base / name} is missing")

    def photo(name: str) -> np.ndarray:
        with Image.open(base / name) as image:
            return np.asarray(image.convert("RGB"))

    untouched = photo(background)
    presses = []
    with open(base / labels, newline="") as file:
        rows = csv.DictReader(file)
        lacking = {"img_names", "center_x", "center_y", "radius"} - set(rows.fieldnames or ())
        if lacking:
            raise _core.Error(f"{base / labels}: the columns {', '.join(sorted(lacking))} are missing")
        for line, row in enumerate(rows, start=2):
            try:
                numbers = [float(row[key]) for key in ("center_x", "center_y", "radius")]
            except (TypeError, ValueError):
                raise _core.Error(f"{base / labels}, line {line}: center_x, center_y, radius must be numbers") from None
            if not (base / row["img_names"]).is_file():
                raise _core.Error(f"{base / labels}, line {line}: {row['img_names']} is missing")
            presses.append(
                BallPress(
                    photo(row["img_names"]),
                    untouched,
                    (numbers[0], numbers[1]),
                    numbers[2],
                    ball_radius,
                    pixel,
                    row["img_names"],
                )
            )
    if not presses:
        raise _core.Error(f"{base / labels}: no press in it")
    return presses
