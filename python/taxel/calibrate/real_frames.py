"""Two real marker frames (FOTS) and how well forms explain markers that they were not fitted to.

Frame 0 is a press of a small ball, frame 1 the same press after a slide; the slide is the difference of the two. Nobody
recorded depth, force or pose, so the forms have a free centre, free factors and a free offset of the whole field (the
photo of the untouched gel was taken in another place). They are fitted to a random half of the 99 markers and tested on
the other half, again and again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._core import Error
from ..common.scipy import need_scipy
from .real_forms import FORMS, Form
from .real_layer import LayerBank, LayerFit

DATA = Path(__file__).parent / "data"
BARS = {"press": 1.323, "slide": 1.047}
"""px: FOTS's form fitted to all markers and tested on the same ones."""
ROUNDING = float(np.sqrt(2.0 / 12.0))
"""px a marker, of displacements rounded to whole pixels; a slide is the difference of two."""


@dataclass(frozen=True)
class FormScore:
    """Errors are sqrt(mean |error|^2) over markers, px."""

    frame: str
    form: str
    free: int
    ours: bool
    in_sample: float
    """Fitted to all markers."""
    cosine: float
    """Mean cosine between the two over markers that moved by more than 0.5 px, in-sample."""
    train: np.ndarray
    """(splits,)"""
    test: np.ndarray
    """(splits,): on the other half."""
    unknowns: np.ndarray
    factors: np.ndarray
    prediction: np.ndarray
    """(n, 2), of the fit to all markers."""


@dataclass(frozen=True)
class RealFrames:
    """Scores of all forms."""

    places: np.ndarray
    moved: dict[str, np.ndarray]
    splits: int
    scores: tuple[FormScore, ...]
    layer: tuple[LayerFit, ...] = ()
    """Where mode layer was fitted: to all markers, then to each half."""

    def score(self, frame: str, form: str | None = None) -> FormScore:
        """Of a form; left out, ours."""
        for s in self.scores:
            if s.frame == frame and (s.form == form if form else s.ours):
                return s
        raise Error(f"frame {frame!r} has no form {form!r}; there are {', '.join(s.form for s in self.scores)}")

    def report(self) -> str:
        head = ("form", "free", "in-sample", "cosine", "fitted half", "other half", "spread", "")
        lines = [
            f"99 markers of a GelSight (FOTS); errors in px a marker, mean and spread over {self.splits} random halves"
        ]
        for frame, moved in self.moved.items():
            zero = float(np.sqrt(np.nanmean((moved**2).sum(axis=1))))
            rows = [head]
            for s in (s for s in self.scores if s.frame == frame):
                mark = "below the bar" if s.test.mean() < BARS[frame] else ""
                rows.append(
                    (
                        s.form + (" *" if s.ours else ""),
                        str(s.free),
                        f"{s.in_sample:.3f}",
                        f"{s.cosine:.3f}",
                        f"{s.train.mean():.3f}",
                        f"{s.test.mean():.3f}",
                        f"{s.test.std():.3f}",
                        mark,
                    )
                )
            widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
            text = [
                r[0].ljust(widths[0]) + "".join(f"  {c:>{w}}" for c, w in zip(r[1:], widths[1:], strict=True))
                for r in rows
            ]
            lines += ["", f"{frame}: no prediction {zero:.3f}, bar {BARS[frame]:.3f} (FOTS's form, in-sample)", text[0]]
            lines += ["  ".join("-" * w for w in widths).rstrip(), *(t.rstrip() for t in text[1:])]
        lines += ["", "* ours: as many free numbers as the form of FOTS in the first row of its frame"]
        if self.layer:
            one = self.layer[0]
            gel = one.sensor
            lines += [
                "mode layer: and four of the gel, shared by both frames. Fitted to all markers: "
                f"thickness {1e3 * gel.thickness:g} mm, poisson {gel.poisson:g}, friction {gel.friction:g}, markers "
                f"{1e3 * gel.marker_depth:.3g} mm below the face; ball of radius {1e3 * one.ball:.2g} mm, "
                f"{1e3 * one.depth:.2g} mm deep, slid by ({one.way[0]:.1f}, {one.way[1]:.1f}) px"
            ]
        return "\n".join(lines)

    def numbers(self) -> dict[str, Any]:
        layer = [
            {
                **dataclasses.asdict(f.sensor),
                "radius_px": {frame: fields.radius for frame, fields in f.fields.items()},
                "ball": f.ball,
                "depth": f.depth,
                "way_px": f.way,
            }
            for f in self.layer
        ]
        return {
            **({"mode_layer": {"all": layer[0], "halves": layer[1:]}} if layer else {}),
            "markers": len(self.places),
            "splits": self.splits,
            "bars_px": BARS,
            "rounding_px": ROUNDING,
            "scores": [
                {
                    "frame": s.frame,
                    "form": s.form,
                    "ours": s.ours,
                    "free": s.free,
                    "in_sample": s.in_sample,
                    "cosine": s.cosine,
                    "train_mean": s.train.mean(),
                    "test_mean": s.test.mean(),
                    "test_std": s.test.std(),
                    "test_min": s.test.min(),
                    "test_max": s.test.max(),
                    "unknowns": s.unknowns,
                    "factors": s.factors,
                }
                for s in self.scores
            ],
        }


def real_frames() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Rest places (99, 2) and displacements of ``press`` and ``slide``, (99, 2), px."""
    press, both = (
        np.loadtxt(DATA / name, delimiter=",", skiprows=1) for name in ("fots_press.csv", "fots_press_and_slide.csv")
    )
    return press[:, :2], {"press": press[:, 2:], "slide": both[:, 2:] - press[:, 2:]}


def fit_real_frames(
    splits: int = 50,
    seed: int = 0,
    forms: Iterable[Form] = FORMS,
    moved: dict[str, np.ndarray] | None = None,
    progress: Callable[..., Iterable[Any]] | None = None,
    bank: LayerBank | None = None,
) -> RealFrames:
    """Fits the forms to random halves of the markers.

    moved: displacements to take in place of FOTS's own; bank: gels of mode layer to fit as well.
    """
    need_scipy("fitting the real frames")
    if splits < 1:
        raise Error(f"splits is {splits}; give 1 or more")
    if seed < 0:
        raise Error(f"seed is {seed}; give 0 or more")
    places, own = real_frames()
    moved = own if moved is None else moved
    rng = np.random.default_rng(seed)
    halves = [np.sort(rng.permutation(len(places))[: (len(places) + 1) // 2]) for _ in range(splits)]
    forms = [f for f in forms if f.frame in moved]
    scores = [_score(f, places, moved[f.frame], halves) for f in (progress(forms, "forms") if progress else forms)]
    if bank is None:
        return RealFrames(places, moved, splits, tuple(scores))
    layer, more = _score_layer(bank, places, moved, halves, progress)
    return RealFrames(places, moved, splits, (*scores, *more), layer)


def _rms(error: np.ndarray) -> float:
    return float(np.sqrt((error**2).sum(axis=1).mean()))


def _score_layer(
    bank: LayerBank,
    places: np.ndarray,
    moved: dict[str, np.ndarray],
    halves: list[np.ndarray],
    progress: Callable[..., Iterable[Any]] | None,
) -> tuple[tuple[LayerFit, ...], list[FormScore]]:
    """Gel and poses are fitted to the same half, of both frames at once."""
    found = np.all([np.isfinite(m).all(axis=1) for m in moved.values()], axis=0)
    fits, errors = [], []
    every = [np.arange(len(places)), *halves]
    for half in progress(every, "halves") if progress else every:
        fit = np.isin(np.arange(len(places)), half) & found
        one = bank.fit(places[fit], {frame: m[fit] for frame, m in moved.items()})
        fits.append(one)
        errors.append({frame: np.linalg.norm(one.predict(frame, places) - m, axis=1) for frame, m in moved.items()})
    scores = []
    for frame, m in moved.items():
        best = fits[0]
        prediction = best.predict(frame, places)
        inside = [np.isin(np.arange(len(places)), half) for half in halves]
        parts = [
            [float(np.sqrt((e[frame][which & found] ** 2).mean())) for e, which in zip(errors[1:], sides, strict=True)]
            for sides in (inside, [~i for i in inside])
        ]
        scores.append(
            FormScore(
                frame,
                "mode layer",
                6 if frame == "press" else 7,
                False,
                float(np.sqrt((errors[0][frame][found] ** 2).mean())),
                _cosine(prediction, m, found),
                np.array(parts[0]),
                np.array(parts[1]),
                *best.solved[frame],
                prediction,
            )
        )
    return tuple(fits), scores


def _cosine(prediction: np.ndarray, moved: np.ndarray, found: np.ndarray) -> float:
    far = found & (np.linalg.norm(np.nan_to_num(moved), axis=1) > 0.5)
    lengths = np.linalg.norm(prediction[far], axis=1) * np.linalg.norm(moved[far], axis=1)
    return float(((prediction[far] * moved[far]).sum(axis=1) / np.maximum(lengths, 1e-12)).mean())


def _score(form: Form, places: np.ndarray, moved: np.ndarray, halves: list[np.ndarray]) -> FormScore:
    found = np.isfinite(moved).all(axis=1)
    best = form.solve(places[found], moved[found])
    prediction = form.predict(places, *best)
    train, test = [], []
    for half in halves:
        fit = np.isin(np.arange(len(places)), half) & found
        other = ~fit & found
        one = form.solve(places[fit], moved[fit])
        train.append(_rms(form.predict(places[fit], *one) - moved[fit]))
        test.append(_rms(form.predict(places[other], *one) - moved[other]))
    return FormScore(
        form.frame,
        form.name,
        form.free,
        form.ours,
        _rms((prediction - moved)[found]),
        _cosine(prediction, moved, found),
        np.array(train),
        np.array(test),
        *best,
        prediction,
    )
