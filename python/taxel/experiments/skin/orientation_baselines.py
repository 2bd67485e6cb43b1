"""Line fitting as the paper's baselines do it: the yaw of what is pressed, in [0, pi), from one image.

An image is (16, 16), scaled to [0, 1]; columns are x, rows are y and count upwards. For PCA cells up to NOISE_THRESHOLD
count as untouched. For Hough the paper does not say its threshold. With that of PCA a band is so wide that its longest
line is the diagonal; on presses of the five training objects the median error falls from 0.16 rad at 0.15 to 0.11 at
half the maximum and the mean stays the same from 0.3 on, so half the maximum is taken. Both are in the table.
"""

from __future__ import annotations

import numpy as np

NOISE_THRESHOLD = 0.15
HALF = 0.5  # of the greatest cell
HOUGH_VOTES = 7  # a line needs more
HOUGH_ANGLES = 180  # one degree apart; distances are told to one cell


def pca_yaw(image: np.ndarray, threshold: float = NOISE_THRESHOLD) -> float | None:
    """The first principal axis of the image taken as a density; None when nothing is above the noise."""
    weight = np.where(image > threshold, image, 0.0)
    total = weight.sum()
    if total == 0:
        return None
    y, x = np.indices(image.shape)
    x = x - (weight * x).sum() / total
    y = y - (weight * y).sum() / total
    xx, xy, yy = (weight * x * x).sum(), (weight * x * y).sum(), (weight * y * y).sum()
    return float(0.5 * np.arctan2(2 * xy, xx - yy) % np.pi)


def hough_yaw(image: np.ndarray, threshold: float = HALF, votes: int = HOUGH_VOTES) -> float | None:
    """The line with the most touched cells on it; None when no line has more than ``votes`` of them.

    The longest line in a wide band is its diagonal: the band's width over its length is the error to expect.
    """
    return _most_voted(image > threshold, votes)


def hough_outline_yaw(image: np.ndarray, threshold: float = NOISE_THRESHOLD, votes: int = HOUGH_VOTES) -> float | None:
    """As ``hough_yaw`` with the cells of the outline only: those with a side on an untouched cell or on the pad's edge.

    Not the paper's baseline; it tells how much of that one's error is the width of the contact.
    """
    touched = image > threshold
    around = np.pad(touched, 1)
    surrounded = around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]
    return _most_voted(touched & ~surrounded, votes)


def _most_voted(cells: np.ndarray, votes: int) -> float | None:
    """Direction of the line with the most cells on it; of several with as many, the mean direction."""
    rows, columns = np.nonzero(cells)
    normal = np.pi * np.arange(HOUGH_ANGLES) / HOUGH_ANGLES
    distance = np.rint(np.outer(np.cos(normal), columns) + np.outer(np.sin(normal), rows)).astype(int)
    reach = sum(cells.shape)
    width = 2 * reach + 1
    line = distance + reach + width * np.arange(HOUGH_ANGLES)[:, None]
    count = np.bincount(line.ravel(), minlength=width * HOUGH_ANGLES).reshape(HOUGH_ANGLES, width)
    if count.max() <= votes:
        return None
    best = np.repeat(normal, (count == count.max()).sum(axis=1)) + np.pi / 2
    return float(0.5 * np.arctan2(np.sin(2 * best).sum(), np.cos(2 * best).sum()) % np.pi)
