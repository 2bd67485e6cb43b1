"""What the grasp experiments share: smooth motion, and the look of the tactile images in figures and films."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...viewer.panel import BLUE, FAINT, INK, ORANGE, Panel


def smooth(s: float) -> float:
    """From 0 to 1 with no jump of speed or acceleration."""
    s = min(1.0, max(0.0, s))
    return s**3 * (10 - 15 * s + 6 * s * s)


def object_in(data: Any, body: str, thing: str = "object") -> np.ndarray:
    """Place of the object in the frame of a body."""
    frame, other = data.body(body), data.body(thing)
    return frame.xmat.reshape(3, 3).T @ (other.xpos - frame.xpos)


def along_finger(image: np.ndarray, side: str) -> np.ndarray:
    """An image of the gripper's arrays (14 rows to the fingertip, 6 columns) with the fingertip below.

    The right finger is the left one turned by 180 degrees, so its columns run the other way; here the same place of an
    object between them is at the same place of both images.
    """
    return image if side == "left" else image[:, ::-1]


def sums_panel(
    panel: Panel, x: int, y: int, names: tuple[str, str], sums: np.ndarray, wanted: float, greatest: float
) -> None:
    """Two bars with a mark at the force that is wanted."""
    for k, (name, colour) in enumerate(zip(names, (BLUE, ORANGE), strict=True)):
        top = y + 24 * k
        panel.text(x, top, name, 13, FAINT)
        panel.bar(x + 50, top + 2, 124, 12, float(sums[k]) / greatest, colour, wanted / greatest)
        panel.text(x + 232, top, f"{sums[k]:.2f} N", 13, INK, anchor="ra")
