"""From photos of ball presses to a `TactileCamera` (docs/guide/tactile-image.md).

The gel about a ball has a closed form (src/taxel/marker/ball_press.h), so each pixel of a photo is a pair of a known
normal and a measured colour. Labels of where the ball touches are only a start: table and presses are fitted in turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .. import _core
from .camera import Light, TactileCamera
from .presses import BallPress

REACH = 3.0
"""Pixels within this many labelled radii show the press; those beyond show the untouched gel."""
WEIGHT = 1e5
"""All samples together weigh this, so that smoothing and ridge mean the same for any number of photos."""
HUBER = 8.0
"""Residuals above this many grey levels count linearly: pixels in a shadow, at a defect of the gel."""


@dataclass(frozen=True)
class ImageFit:
    """What the calibration found on the way."""

    presses: list[BallPress]
    """With the refined centres and radii."""
    error: np.ndarray
    """Mean absolute difference per channel within twice the contact radius, averaged over presses, grey levels."""
    coverage: np.ndarray
    """(nodes, nodes) weight of pixels at each node of the table; zero: filled by smoothing."""


@dataclass
class _Model:
    table: np.ndarray
    decay: float  # m
    lights: list[Light] = field(default_factory=list)


class _Photo:
    """A press on a coarser grid: `factor` x `factor` pixels become one."""

    def __init__(self, press: BallPress, factor: int, drift: np.ndarray | None = None) -> None:
        self.press, self.factor = press, factor
        self.pixel = press.pixel * factor
        self.shape = press.image.shape[0] // factor, press.image.shape[1] // factor
        self.difference = _bin(press.image, factor) - _bin(press.background, factor)
        if drift is not None:
            self.difference -= drift
        rows, cols = self.shape
        self.x = np.arange(cols, dtype=float)[None, :]
        self.y = np.arange(rows, dtype=float)[:, None]
        # Places across the whole image, also where binning cuts a rest off.
        fine = press.image.shape
        self.place_x = (2 * (self.x * factor + (factor - 1) / 2) + 1) / fine[1] - 1
        self.place_y = (2 * (self.y * factor + (factor - 1) / 2) + 1) / fine[0] - 1

    def coarse(self, press: BallPress) -> np.ndarray:
        """Column, row and radius of the contact on this grid."""
        shift = (self.factor - 1) / 2
        x, y = press.center
        return np.array([(x - shift) / self.factor, (y - shift) / self.factor, press.radius / self.factor])

    def fine(self, contact: np.ndarray) -> BallPress:
        shift = (self.factor - 1) / 2
        x, y, radius = contact * self.factor
        return replace(self.press, center=(x + shift, y + shift), radius=radius)

    def distance(self, contact: np.ndarray) -> np.ndarray:
        return np.hypot(self.x - contact[0], self.y - contact[1])

    def window(self, contact: np.ndarray, radii: float = REACH) -> np.ndarray:
        """About the contact; its size hangs on the label, so that errors of other radii compare."""
        return self.distance(contact) < radii * self.press.radius / self.factor

    def profile(self, contact: np.ndarray, decay: float, end: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Radii up to `end`, denser at the rim of the contact, with the gel's height and slope there, in pixels."""
        beyond = contact[2] + max(end - contact[2], 1.0) * np.linspace(0, 1, 80)[1:] ** 2
        radii = np.concatenate([np.linspace(0, contact[2], 40), beyond])
        ball = self.press.ball_radius / self.pixel
        height, slope, _ = _core.ball_press(ball, float(contact[2]), decay / self.pixel, radii)
        return radii, np.asarray(height), np.asarray(slope)

    def height(self, contact: np.ndarray, decay: float) -> np.ndarray:
        """Height map of the closed form, m."""
        r = self.distance(contact)
        radii, height, _ = self.profile(contact, decay, float(r.max()))
        return (np.interp(r, radii, height) * self.pixel).astype(np.float32)

    def samples(self, contact: np.ndarray, decay: float, where: np.ndarray) -> np.ndarray:
        """(N, 4) normals of the closed form and places of the pixels in `where`."""
        rows, cols = np.nonzero(where)
        dx, dy = cols - contact[0], rows - contact[1]
        r = np.hypot(dx, dy)
        radii, _, slope = self.profile(contact, decay, float(r.max()))
        s = np.interp(r, radii, slope)
        n = -s / np.sqrt(1 + s * s) / np.maximum(r, 1e-9)
        places = self.place_x[0, cols], self.place_y[rows, 0]
        return np.ascontiguousarray(np.column_stack([n * dx, n * dy, *places]), dtype=np.float32)

    def predict(self, model: _Model, contact: np.ndarray, where: np.ndarray) -> np.ndarray:
        colours = np.asarray(_core.look_up_colours(model.table, self.samples(contact, model.decay, where)))
        if model.lights:
            colours = colours - self.shadow(model, contact)[where]
        return colours

    def shadow(self, model: _Model, contact: np.ndarray) -> np.ndarray:
        height = self.height(contact, model.decay)
        total = np.zeros((*self.shape, 3), np.float32)
        for light in model.lights:
            share = _core.shadow_share(height, self.pixel, light.azimuth, light.slope, light.softness)
            total += np.asarray(share)[..., None] * np.array(light.strength, np.float32)
        return total

    def limit(self, contact: np.ndarray) -> np.ndarray:
        contact = contact.copy()
        contact[2] = np.clip(contact[2], 1.0, 0.97 * self.press.ball_radius / self.pixel)
        return contact


def _bin(image: np.ndarray, factor: int) -> np.ndarray:
    rows, cols = image.shape[0] // factor, image.shape[1] // factor
    cut = np.asarray(image[: rows * factor, : cols * factor], dtype=np.float32)
    return cut.reshape(rows, factor, cols, factor, 3).mean(axis=(1, 3))


def _spread(image: np.ndarray, factor: int, shape: tuple[int, int]) -> np.ndarray:
    """The binned image on the fine grid again, linear between the middles of the bins."""
    for axis in (0, 1):
        at = np.clip((np.arange(shape[axis]) - (factor - 1) / 2) / factor, 0, image.shape[axis] - 1)
        low = np.minimum(at.astype(int), image.shape[axis] - 2)
        weight = (at - low).reshape([-1 if a == axis else 1 for a in range(3)])
        image = np.take(image, low, axis) * (1 - weight) + np.take(image, low + 1, axis) * weight
    return image.astype(np.float32)


def _drift(photos: list[_Photo], contacts: list[np.ndarray]) -> np.ndarray:
    """Median over photos of the difference to the untouched image, away from the ball; zero where no photo shows it."""
    stack = np.stack([p.difference for p in photos])
    for k, (photo, contact) in enumerate(zip(photos, contacts, strict=True)):
        stack[k][photo.window(contact)] = np.nan
    seen = np.isfinite(stack[..., 0]).sum(axis=0) >= 3
    drift = np.zeros_like(stack[0])
    drift[seen] = np.nanmedian(stack[:, seen], axis=0)
    return drift


def _fit_table(photos, contacts, model: _Model | None, decay: float, nodes: int, smoothing: float, ridge: float):
    """The table of least squares; with a model, its residuals thin out outliers and its shadows are taken out."""
    fit = _core.PhotometricFit(nodes)
    parts = []
    for photo, contact in zip(photos, contacts, strict=True):
        where = photo.window(contact)
        colours = photo.difference[where]
        weights = np.ones(len(colours), np.float32)
        if model is not None:
            residual = np.abs(photo.predict(model, contact, where) - colours).max(axis=1)
            weights = np.minimum(1.0, HUBER / np.maximum(residual, 1e-6))
            if model.lights:
                colours = colours + photo.shadow(model, contact)[where]
        parts.append(np.column_stack([photo.samples(contact, decay, where), colours, weights]))
    scale = WEIGHT / sum(len(p) for p in parts)
    for part in parts:
        part[:, 7] *= scale
        fit.add(np.ascontiguousarray(part, dtype=np.float32))
    return np.asarray(fit.solve(smoothing, ridge)), np.asarray(fit.coverage())


def _refine(photo: _Photo, model: _Model, contact: np.ndarray, steps: int) -> np.ndarray:
    """Gauss-Newton on column, row and radius of the contact."""
    where = photo.window(contact, 2.2)
    target = photo.difference[where]

    def residual(c: np.ndarray) -> np.ndarray:
        return (photo.predict(model, photo.limit(c), where) - target).ravel()

    error = residual(contact)
    best = np.abs(error).mean()
    for _ in range(steps):
        J = np.stack([(residual(contact + d) - residual(contact - d)) / 0.5 for d in 0.25 * np.eye(3)], axis=1)
        H = J.T @ J
        H[np.diag_indices(3)] *= 1.01
        step = np.clip(-np.linalg.lstsq(H, J.T @ error, rcond=None)[0], -3, 3)
        for share in (1.0, 0.4, 0.1):
            tried = photo.limit(contact + share * step)
            trial = residual(tried)
            if np.abs(trial).mean() < best:
                contact, error, best = tried, trial, np.abs(trial).mean()
                break
        else:
            break
    return contact


def _error(photos, contacts, model: _Model) -> np.ndarray:
    errors = []
    for photo, contact in zip(photos, contacts, strict=True):
        where = photo.window(contact, 2.0)
        errors.append(np.abs(photo.predict(model, contact, where) - photo.difference[where]).mean(axis=0))
    return np.mean(errors, axis=0)


def _find_lights(photos, contacts, model: _Model) -> list[Light]:
    """For each channel the one light whose shadow explains most of what the table left over outside the contacts."""
    some = list(zip(photos, contacts, strict=True))[:: max(1, len(photos) // 12)]
    heights = [photo.height(contact, model.decay) for photo, contact in some]
    outside = [photo.window(contact) & (photo.distance(contact) > contact[2]) for photo, contact in some]
    left = np.concatenate(
        [photo.difference[w] - photo.predict(model, c, w) for (photo, c), w in zip(some, outside, strict=True)]
    )
    deepest = float(np.median([h.max() for h in heights]))
    best: list[tuple[float, Light | None]] = [(0.0, None)] * 3
    for azimuth in np.arange(24) * np.pi / 12:
        for slope in (0.1, 0.2, 0.35):
            for softness in (0.05 * deepest, 0.3 * deepest):
                share = np.concatenate(
                    [
                        np.asarray(_core.shadow_share(h, p.pixel, azimuth, slope, softness))[w]
                        for h, (p, _), w in zip(heights, some, outside, strict=True)
                    ]
                )
                norm = float(share @ share)
                if norm < 1e-6:
                    continue
                for c in range(3):
                    strength = -float(share @ left[:, c]) / norm
                    gain = strength * strength * norm
                    if strength > 0 and gain > best[c][0]:
                        colours = [0.0, 0.0, 0.0]
                        colours[c] = strength
                        best[c] = gain, Light(float(azimuth), slope, softness, (colours[0], colours[1], colours[2]))
    return [light for _, light in best if light is not None]


def _strengths(photos, contacts, model: _Model) -> list[Light]:
    """The lights with their strengths fitted anew to what the table leaves over; one that does not help is dropped."""
    kept = []
    bare = _Model(model.table, model.decay)
    for light in model.lights:
        channel = int(np.argmax(light.strength))
        top = bottom = 0.0
        for photo, contact in zip(photos, contacts, strict=True):
            where = photo.window(contact)
            height = photo.height(contact, model.decay)
            share = np.asarray(_core.shadow_share(height, photo.pixel, light.azimuth, light.slope, light.softness))
            left = (photo.difference[where] - photo.predict(bare, contact, where))[:, channel]
            top -= float(share[where] @ left)
            bottom += float(share[where] @ share[where])
        if top > 0 and bottom > 0:
            strength = [0.0, 0.0, 0.0]
            strength[channel] = top / bottom
            kept.append(replace(light, strength=(strength[0], strength[1], strength[2])))
    return kept


def _check(presses: Sequence[BallPress]) -> None:
    if len(presses) < 3:
        raise _core.Error(f"calibrate_image: {len(presses)} presses; give at least 3, spread over the image")
    first = presses[0]
    for press in presses[1:]:
        if press.image.shape != first.image.shape or press.pixel != first.pixel:
            raise _core.Error(f"calibrate_image: presses {first.name} and {press.name} differ in size or pixel scale")


def calibrate_image(
    presses: Sequence[BallPress],
    *,
    decay_length: float | None = None,
    refine: bool = True,
    shadows: bool = True,
    drift: bool = True,
    nodes: int = 25,
    smoothing: float = 4.0,
    ridge: float = 0.04,
    bin_size: int | None = None,
) -> TactileCamera:
    """A camera from photos of ball presses.

    decay_length: of the gel's skin, m; None tries several and keeps the one that explains the photos best. refine: move
    centres and radii to where the photos put them (labels are read off by hand). shadows: look for a light per channel
    whose cast shadow explains what the table leaves over. drift: correct the untouched image by what the photos show
    away from the balls. nodes, smoothing, ridge: see src/taxel/marker/photometric_table.h. bin_size: pixels that
    are averaged for the fit; None makes the shorter side of the photos about 120. ``camera.fit`` tells what was found.
    """
    _check(presses)
    first = presses[0]
    factor = bin_size or max(1, round(min(first.image.shape[:2]) / 120))
    photos = [_Photo(press, factor) for press in presses]
    labels = [photo.limit(photo.coarse(press)) for photo, press in zip(photos, presses, strict=True)]
    ball = min(press.ball_radius for press in presses)

    def attempt(decay: float, contacts: list[np.ndarray], rounds: int):
        model = _Model(_fit_table(photos, contacts, None, decay, nodes, smoothing, ridge)[0], decay)
        for _ in range(rounds):
            if refine:
                contacts = [_refine(p, model, c, 3) for p, c in zip(photos, contacts, strict=True)]
            model = _Model(_fit_table(photos, contacts, model, decay, nodes, smoothing, ridge)[0], decay)
        return float(_error(photos, contacts, model).mean()), contacts, model

    # Labels may be far too large: a coarse search over their common scale, then over the decay length.
    guess = decay_length or 0.4 * ball
    starts = []
    for scale in (1.0, 0.7, 0.5) if refine else (1.0,):
        starts.append(attempt(guess, [p.limit(c * [1, 1, scale]) for p, c in zip(photos, labels, strict=True)], 3))
    best = min(starts, key=lambda s: s[0])
    if decay_length is None:
        for share in (0.15, 0.25, 0.6, 0.9):
            best = min(best, attempt(share * ball, best[1], 2), key=lambda s: s[0])
    _, contacts, model = best

    offset = None
    if drift:
        offset = _drift(photos, contacts)
        photos = [_Photo(press, factor, offset) for press in presses]
    for round_ in range(4):
        if shadows:
            find = _find_lights if round_ == 0 else _strengths
            model = replace(model, lights=find(photos, contacts, model))
        model = replace(model, table=_fit_table(photos, contacts, model, model.decay, nodes, smoothing, ridge)[0])
        if refine:
            contacts = [_refine(p, model, c, 3) for p, c in zip(photos, contacts, strict=True)]
    table, coverage = _fit_table(photos, contacts, model, model.decay, nodes, smoothing, ridge)
    model = replace(model, table=table)

    background = first.background.astype(np.float32)
    if offset is not None:
        background = background + _spread(offset, factor, background.shape[:2])
    camera = TactileCamera(background, first.pixel, model.table, model.lights, model.decay)
    camera.fit = ImageFit(
        [p.fine(c) for p, c in zip(photos, contacts, strict=True)], _error(photos, contacts, model), coverage
    )
    return camera


def register(camera: TactileCamera, press: BallPress, steps: int = 8) -> BallPress:
    """The press with its centre and radius moved to where this camera's image fits the photo best."""
    factor = max(1, round(min(press.image.shape[:2]) / 120))
    offset = _bin(camera.background, factor) - _bin(press.background, factor)
    photo = _Photo(press, factor, offset)
    model = _Model(camera.table, camera.decay_length, list(camera.lights))
    start = photo.limit(photo.coarse(press))
    found = []
    for scale in (1.0, 0.7, 0.5):
        contact = _refine(photo, model, photo.limit(start * [1, 1, scale]), steps)
        where = photo.window(start, 2.2)
        error = np.abs(photo.predict(model, contact, where) - photo.difference[where]).mean()
        found.append((float(error), contact))
    return photo.fine(min(found, key=lambda f: f[0])[1])
