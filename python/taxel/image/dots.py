"""Where the printed dots of a gel are in a photo, and where they went.

    from taxel.image import DotTracker, track_dots

    tracks = track_dots(untouched, pressed)       # two photos
    tracker = DotTracker(untouched)               # a film
    for photo in film:
        tracks = tracker.update(photo)
    tracks.rest, tracks.displacement              # (n, 2) px: column, row; NaN where a dot is lost
    tracks.reason                                 # why, dot by dot; "" where it was found

Finding: the background is what is left when everything dark and small is closed over; the darkness of a pixel is what
it lacks of it, as a fraction. Connected dark pixels of the size that most of them have are dots. The place is the mean
of the pixels of a dot, each weighted by its share in the dot: 0 below a quarter of the dot's darkness, 1 above three
quarters, so that neither texture inside a dot nor noise around it pulls.

Matching: nearest neighbours both ways, then again and again from where the neighbours of a dot say it should be (an
affine map fitted to their motion). Two photos may differ by up to half a pitch between neighbouring dots, films by
that much from photo to photo.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core

NEIGHBOURS = 8
ROUNDS = 6


@dataclass(frozen=True)
class Dots:
    """Dots of one photo."""

    places: np.ndarray
    """(n, 2): column and row, px; pixel centres are whole numbers."""
    radius: np.ndarray
    """(n,), of a disc of the same area, px."""
    cut: np.ndarray
    """(n,) bool: the dot touches the edge of the photo, so its place is too far inside."""

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True)
class DotTracks:
    """Dots of an untouched gel and where they are in another photo."""

    rest: np.ndarray
    """(n, 2) px."""
    displacement: np.ndarray
    """(n, 2) px; NaN for a lost dot."""
    reason: tuple[str, ...]
    """Of each dot: "" (found), or why it is lost."""

    @property
    def found(self) -> np.ndarray:
        return np.isfinite(self.displacement).all(axis=1)

    @property
    def places(self) -> np.ndarray:
        """(n, 2) px; NaN for a lost dot."""
        return self.rest + self.displacement


def _ndimage() -> Any:
    try:
        from scipy import ndimage
    except ImportError:
        raise _core.Error("finding dots needs SciPy; install it with: pip install scipy") from None
    return ndimage


def _grey(image: Any, name: str) -> np.ndarray:
    array = np.asarray(image, dtype=float)
    if array.ndim == 3 and array.shape[2] in (3, 4):
        array = array[..., :3].mean(axis=2)
    if array.ndim != 2 or min(array.shape) < 8:
        raise _core.Error(f"{name}: give (rows, cols) or (rows, cols, 3), at least 8 x 8; got {np.shape(image)}")
    if not np.isfinite(array).all():
        raise _core.Error(f"{name}: a pixel is not finite")
    return array


def _otsu(values: np.ndarray) -> float:
    """The threshold that splits a histogram into the two classes with the least variance inside them."""
    if np.ptp(values) < 1e-12:
        return np.inf
    counts, edges = np.histogram(values, bins=200)
    middle = 0.5 * (edges[1:] + edges[:-1])
    below, above = np.cumsum(counts), counts.sum() - np.cumsum(counts)
    sums = np.cumsum(counts * middle)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = below * above * (sums / below - (sums[-1] - sums) / above) ** 2
    return float(edges[1:][np.nanargmax(between)])


def find_dots(
    image: Any, *, dot_radius: float | None = None, contrast: float = 0.15, name: str = "image", empty: bool = False
) -> Dots:
    """The dark dots of a photo (grey or RGB, 0 to 255 or 0 to 1), from the top row by row where they lie in rows.

    dot_radius  px, roughly; left out, a fiftieth of the shorter side is taken to begin with, and then what is found
    contrast    a dot is at least by this fraction darker than what surrounds it
    empty       give none where there are none, in place of an error
    """
    ndimage = _ndimage()
    grey = _grey(image, name)
    if dot_radius is not None and not 0.5 <= dot_radius <= 0.25 * min(grey.shape):
        raise _core.Error(f"dot_radius is {dot_radius} px; give 0.5 to a quarter of the photo's shorter side")
    if not 0.0 < contrast < 1.0:
        raise _core.Error(f"contrast is {contrast}; give a fraction between 0 and 1")
    guess = dot_radius or max(2.0, 0.02 * min(grey.shape))
    found = _find(ndimage, grey, guess, contrast)
    if dot_radius is None and len(found):
        found = _find(ndimage, grey, float(np.median(found.radius)), contrast)
    if not len(found) and not empty:
        raise _core.Error(
            f"{name}: no dots found that are {contrast:.0%} darker than what surrounds them and about {guess:.1f} px "
            "in radius; is this the photo of a dotted gel? Give dot_radius (px), or a lower contrast"
        )
    return found


def _find(ndimage: Any, grey: np.ndarray, radius: float, contrast: float) -> Dots:
    size = 2 * int(np.ceil(1.6 * radius)) + 1
    smooth = ndimage.gaussian_filter(grey, 0.15 * radius)
    background = ndimage.gaussian_filter(ndimage.grey_closing(smooth, size, mode="nearest"), radius)
    dark = 1.0 - grey / np.maximum(background, 1e-3 * max(1e-9, float(background.max())))
    blurred = 1.0 - smooth / np.maximum(background, 1e-3 * max(1e-9, float(background.max())))
    threshold = max(0.5 * contrast, _otsu(blurred))
    label, count = ndimage.label(blurred > threshold)
    none = Dots(np.zeros((0, 2)), np.zeros(0), np.zeros(0, bool))
    if count == 0:
        return none
    index = np.arange(1, count + 1)
    area = ndimage.sum_labels(np.ones_like(grey), label, index)
    peak = ndimage.maximum(blurred, label, index)
    plausible = (area >= max(4.0, 0.3 * np.pi * radius**2)) & (peak >= contrast)
    if not plausible.any():
        return none
    usual = float(np.median(area[plausible]))
    places, radii, cut = [], [], []
    rows, cols = grey.shape
    boxes = ndimage.find_objects(label)
    for i in np.flatnonzero(plausible & (area > 0.35 * usual) & (area < 2.5 * usual)):
        margin = 2 + int(0.25 * radius)
        r, c = boxes[i]
        box = (
            slice(max(0, r.start - margin), min(rows, r.stop + margin)),
            slice(max(0, c.start - margin), min(cols, c.stop + margin)),
        )
        own = label[box] == i + 1
        near = ndimage.binary_dilation(own, iterations=margin) & ((label[box] == 0) | own)
        depth = float(np.percentile(dark[box][own], 75))
        share = np.clip((dark[box] / depth - 0.25) / 0.5, 0.0, 1.0) * near
        share[ndimage.binary_fill_holes(own) & ~own] = 1.0  # a glint inside a dot
        y, x = np.mgrid[box]
        total = share.sum()
        places.append(((share * x).sum() / total, (share * y).sum() / total))
        radii.append(np.sqrt(total / np.pi))
        cut.append(r.start == 0 or c.start == 0 or r.stop == rows or c.stop == cols)
    if not places:
        return none
    order = _reading_order(np.array(places))
    return Dots(np.array(places)[order], np.array(radii)[order], np.array(cut)[order])


def _reading_order(places: np.ndarray) -> np.ndarray:
    """Row by row: rows are split where the sorted heights jump by more than a third of the pitch."""
    by_height = np.argsort(places[:, 1], kind="stable")
    if len(places) < 3:
        return by_height
    jump = np.diff(places[by_height, 1]) > _pitch(places) / 3
    row = np.concatenate([[0], np.cumsum(jump)])
    return by_height[np.lexsort((places[by_height, 0], row))]


def _pitch(places: np.ndarray) -> float:
    """The median distance to the nearest other dot."""
    if len(places) < 2:
        return np.inf
    distance, _ = _tree(places).query(places, k=2)
    return float(np.median(distance[:, 1]))


def _tree(points: np.ndarray) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(points)


class DotTracker:
    """Follows the dots of ``reference``, the photo of the untouched gel, or their places (n, 2) in px where there is no
    such photo.

    dot_radius, contrast  as in `find_dots`
    reach  how far a dot may be from where its neighbours say, as a fraction of the pitch (0.35)
    edge   keep dots that the edge of the photo cuts; their places are up to a radius off
    """

    def __init__(
        self,
        reference: Any,
        *,
        dot_radius: float | None = None,
        contrast: float = 0.15,
        reach: float = 0.35,
        edge: bool = False,
    ) -> None:
        _ndimage()
        if not 0.0 < reach <= 0.5:
            raise _core.Error(f"reach is {reach}; give a fraction of the pitch above 0, up to 0.5")
        self.contrast, self.edge = contrast, edge
        given = np.asarray(reference)
        if given.ndim == 2 and given.shape[1] == 2:
            self.rest = np.array(given, dtype=float)
            if not len(self.rest) or not np.isfinite(self.rest).all():
                raise _core.Error("reference: the places of the dots are empty or not finite")
        else:
            dots = find_dots(reference, dot_radius=dot_radius, contrast=contrast, name="reference")
            keep = np.ones(len(dots), bool) if edge else ~dots.cut
            if not keep.any():
                raise _core.Error("reference: every dot is cut by the edge of the photo; pass edge=True to keep them")
            self.rest = dots.places[keep]
            dot_radius = dot_radius or float(np.median(dots.radius))
        self.dot_radius = dot_radius
        self.pitch = _pitch(self.rest)
        if not self.pitch > 0:
            raise _core.Error("reference: two dots lie at the same place; give each place once")
        self._reach = reach * (self.pitch if np.isfinite(self.pitch) else 20.0)
        count = min(NEIGHBOURS, len(self.rest) - 1)
        self._near = _tree(self.rest).query(self.rest, k=count + 1)[1][:, 1:] if count else None
        self.reset()

    def reset(self) -> None:
        """Back to the untouched gel."""
        self._guess = np.zeros_like(self.rest)

    def update(self, image: Any) -> DotTracks:
        """Where the dots are in the next photo; displacements count from the untouched gel."""
        seen = find_dots(image, dot_radius=self.dot_radius, contrast=self.contrast, empty=True)
        return self.match(seen)

    def match(self, seen: Dots) -> DotTracks:
        """As `update`, from dots that are found already."""
        if not len(seen):
            raise _core.Error(
                f"image: none of the {len(self.rest)} dots is seen; is it lit as the reference, and the same sensor?"
            )
        tree = _tree(seen.places)
        prediction = self._guess.copy()
        reach = 0.5 * self.pitch if np.isfinite(self.pitch) else self._reach
        for _ in range(ROUNDS):
            chosen = self._mutual(tree, prediction, reach)
            moved = self._moved(seen, chosen)
            after = self._from_neighbours(moved)
            known = np.isfinite(after).all(axis=1)
            settled = np.allclose(after[known], prediction[known], atol=1e-3)
            prediction = np.where(known[:, None], after, prediction)
            reach = self._reach
            if settled:
                break
        chosen = self._mutual(tree, prediction, reach)
        displacement = self._moved(seen, chosen)
        reason = [""] * len(self.rest)
        distance, nearest = tree.query(self.rest + prediction)
        for i in np.flatnonzero(chosen < 0):
            if distance[i] > reach:
                reason[i] = f"no dot within {reach:.1f} px of where its neighbours say"
            else:
                reason[i] = f"the dot at {seen.places[nearest[i]].round(1).tolist()} fits another better"
        if not self.edge:
            for i in np.flatnonzero(chosen >= 0):
                if seen.cut[chosen[i]]:
                    displacement[i], reason[i] = np.nan, "cut by the edge of the photo"
        found = np.isfinite(displacement).all(axis=1)
        self._guess = np.where(found[:, None], displacement, prediction)
        return DotTracks(self.rest.copy(), displacement, tuple(reason))

    def _mutual(self, tree: Any, prediction: np.ndarray, reach: float) -> np.ndarray:
        """Index of the dot seen for each dot at rest, -1 where there is none: nearest both ways."""
        expected = self.rest + prediction
        distance, chosen = tree.query(expected)
        back = _tree(expected).query(tree.data)[1]
        good = (distance <= reach) & (back[chosen] == np.arange(len(expected)))
        return np.where(good, chosen, -1)

    def _moved(self, seen: Dots, chosen: np.ndarray) -> np.ndarray:
        moved = np.full_like(self.rest, np.nan)
        moved[chosen >= 0] = seen.places[chosen[chosen >= 0]] - self.rest[chosen >= 0]
        return moved

    def _from_neighbours(self, moved: np.ndarray) -> np.ndarray:
        """What an affine map of a dot's neighbours says of it; the one or two farthest from the map do not count."""
        if self._near is None:
            return np.where(np.isfinite(moved), moved, 0.0)
        out = np.full_like(moved, np.nan)
        for i, near in enumerate(self._near):
            use = near[np.isfinite(moved[near]).all(axis=1)]
            if len(use) == 0:
                continue
            for _ in range(2):
                if len(use) < 4:
                    out[i] = np.median(moved[use], axis=0)
                    break
                design = np.column_stack([np.ones(len(use)), (self.rest[use] - self.rest[i]) / self.pitch])
                map_, *_ = np.linalg.lstsq(design, moved[use], rcond=None)
                out[i] = map_[0]
                off = np.linalg.norm(moved[use] - design @ map_, axis=1)
                use = use[off <= max(3.0 * float(np.median(off)), 0.05 * self.pitch)]
        return out


def track_dots(reference: Any, image: Any, **options: Any) -> DotTracks:
    """Where the dots of ``reference`` (a photo, or their places (n, 2)) are in ``image``; options of `DotTracker`."""
    return DotTracker(reference, **options).update(image)
