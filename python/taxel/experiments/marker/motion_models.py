"""The marker models of ``marker-motions``: what calibrates them, and their fields for the samples of the test.

Calibration set (seed 1) and test (seed 0) are paths of a 35 mm ball on the elastic layer of `taxel.reference`; they
share no sample. HydroShear and FOTS are fitted as their authors fit them: one parameter after the other, on the motions
that show it. taxel's own mode is fitted to the same presses, shears and slips as HydroShear, at once and one by one.
Of these none but FOTS is shown a twist, none a roll. HydroShear fitted to twists is there to say what its form could.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...calibrate import MarkerSample, MarkerSamples, calibrate_markers, make_setup
from ...calibrate.marker_example import example_path
from ...calibrate.marker_models import FotsModel, Setup, Step, TaxelModel, make_model
from ...marker import MarkerField
from ...reference.motions import FULL, KINDS, PIXEL, QUICK, follow, marker_grid, motion

CALIBRATION_SEED, TEST_SEED = 1, 0
SURFACE = 2e-3
"""Height of the gel's face over the origin of a flat Mini, m; the reference counts from the face."""
PUBLISHED, GAIN, SEQUENCE, JOINT = "as published", "with dilation's gain", "one by one", "all at once"
ON_TWISTS, DEFAULTS = "presses, twists", "none, its defaults"
MATERIAL = "none: thickness, Poisson's ratio, friction"
FITTED_ON = ("press", "shear", "slip", "twist")
_KIND = {"dilation": "press", "shear": "shear", "twist": "twist", "roll": "roll"}

Progress = Callable[..., Iterable[Any]]


@dataclass(frozen=True)
class Contender:
    """A model with its numbers."""

    key: str
    title: str
    fit: str
    """How its numbers were found."""
    model: Any
    values: dict[str, float]
    notes: tuple[str, ...] = ()

    def predict(self, samples: MarkerSamples) -> list[np.ndarray]:
        """(63, 2) px a sample."""
        return self.model.predict(samples, self.values)


def _on_layer(path: np.ndarray, quick: bool) -> dict[str, Any]:
    """What the reference says along a path in the frame of the Mini."""
    lowered = path.copy()
    lowered[:, 2, 3] -= SURFACE
    return follow(lowered, settings=QUICK if quick else FULL)


def _plain(work: Any, _label: str) -> Any:
    return work


def calibration_set(count: int, quick: bool, progress: Progress = _plain) -> MarkerSamples:
    """``count`` samples each of press, shear (0.1 to 0.3 mm), slip (1 to 2.5 mm) and twist.

    The experiment takes the quick reference for it, full run or not: it is off by 0.02 to 0.05 px, and what the models
    leave is ten times that.
    """
    rng = np.random.default_rng(CALIBRATION_SEED)
    paths = [(kind, i, example_path(kind, rng)) for kind in FITTED_ON for i in range(count)]
    samples = tuple(
        MarkerSample(kind, path, _on_layer(path, quick)["pixels"][-1], f"{kind}_{i}")
        for kind, i, path in progress(paths, "reference, calibration set")
    )
    return MarkerSamples(samples, marker_grid(), PIXEL)


def test_set(count: int, quick: bool, progress: Progress = _plain) -> tuple[MarkerSamples, list[dict[str, Any]]]:
    """``count`` samples of each motion of Table I; and contact and forces of the reference at their ends."""
    work = [(kind, i) for kind in KINDS for i in range(count)]
    samples, ends = [], []
    for kind, i in progress(work, "reference, test set"):
        path, drawn = motion(kind, i, TEST_SEED)
        path[:, 2, 3] += SURFACE
        found = _on_layer(path, quick)
        samples.append(MarkerSample(_KIND[kind], path, found["pixels"][-1], f"{kind}_{i}"))
        last = {name: found[name][-1] for name in ("force", "contact_area", "slip_fraction")}
        ends.append({"motion": kind, "index": i, "drawn": drawn, **last})
    return MarkerSamples(tuple(samples), marker_grid(), PIXEL), ends


@dataclass(frozen=True)
class _Work:
    """A calibration to be done."""

    key: str
    title: str
    how: str
    model: Any
    kinds: tuple[str, ...]
    fit: str = "sequence"
    rounds: int = 1
    held: dict[str, float] = field(default_factory=dict)

    def calibrated(self, samples: MarkerSamples, setup: Setup) -> Contender:
        chosen = samples.of(*self.kinds)
        if chosen is None:
            raise ValueError(f"no sample of {', '.join(self.kinds)} to calibrate {self.title}")
        found = calibrate_markers(
            chosen, self.model, setup=setup, fit=self.fit, rounds=self.rounds, held_out=0.0, fixed=self.held
        )
        return Contender(self.key, self.title, self.how, self.model, found.values, found.notes)


class LayerModel:
    """`taxel.MarkerField` in mode "layer": the material is all it has."""

    name = "layer"

    def __init__(self, setup: Setup) -> None:
        self._field = MarkerField(setup.pad, setup.markers, setup.indenter, mode="layer")

    def predict(self, samples: MarkerSamples, _values: dict[str, float]) -> list[np.ndarray]:
        found = []
        for one in samples:
            self._field.reset()
            found.append(self._field.follow(one.path)[-1, :, :2])
        return found


def _with_gain(model: Any) -> Any:
    """The same model, with the gain of its dilation fitted to the presses, too."""
    model.fixed = ()
    if all(step.parameter != "dilate_scale" for step in model.steps):
        wide = (Step("lambda_d", ("press",), gain="dilate_scale"), Step("dilate_scale", ("press",)))
        model.steps = wide + tuple(step for step in model.steps if step.parameter != "lambda_d")
    return model


def _on_twists(setup: Setup) -> Any:
    """HydroShear with its shear fitted to twists: what its form could do if twists were all."""
    model = _with_gain(make_model("paper", setup))
    model.steps = tuple(s if s.kinds == ("press",) else Step(s.parameter, ("twist",), s.gain) for s in model.steps)
    return model


def _work(setup: Setup) -> list[_Work]:
    hydroshear, fots = ("press", "shear", "slip"), ("press", "shear", "twist")
    shipped = {"fots": 1e3, "contact_center": 1e3, "hydroshear_original": 1.0, "hydroshear_reimpl": 2.5}
    names = {"fots": "FOTS", "contact_center": "FOTS, contact centre"}
    work = [_Work("tacsl", "TacSL", PUBLISHED, make_model("tacsl", setup), ("shear", "slip"))]
    for variant, gain in shipped.items():
        title = names.get(variant, f"FOTS in HydroShear, {variant.rpartition('_')[2]}")
        work.append(_Work(variant, title, PUBLISHED, FotsModel(setup, variant), fots, held={"dilate_scale": gain}))
    for mode in ("paper", "release"):
        work.append(_Work(mode, f"HydroShear, {mode}", PUBLISHED, make_model(mode, setup), hydroshear))
    for variant, title in names.items():
        work.append(_Work(f"{variant}_gain", title, GAIN, _with_gain(FotsModel(setup, variant)), fots))
    for mode in ("paper", "release"):
        work.append(_Work(f"{mode}_gain", f"HydroShear, {mode}", GAIN, _with_gain(make_model(mode, setup)), hydroshear))
    model = _with_gain(make_model("paper", setup))
    work.append(_Work("paper_joint", "HydroShear, paper", JOINT, model, hydroshear, "joint", 3))
    work.append(_Work("paper_twist", "HydroShear, paper", ON_TWISTS, _on_twists(setup), ("press", "twist"), "joint", 3))
    work.append(_Work("taxel_sequence", "taxel", SEQUENCE, TaxelModel(setup), hydroshear, "sequence", 3))
    work.append(_Work("taxel", "taxel", JOINT, TaxelModel(setup), hydroshear, "joint", 3))
    return work


def contenders(samples: MarkerSamples, progress: Progress = _plain, only: Sequence[str] = ()) -> list[Contender]:
    """All models, calibrated on the samples, in the order of the table; or those whose keys are in ``only``."""
    setup = make_setup(samples, "gelsight_mini")
    work = [one for one in _work(setup) if not only or one.key in only]
    found = [one.calibrated(samples, setup) for one in progress(work, "calibrating")]
    if not only or "taxel_default" in only:
        taxel = TaxelModel(setup)
        default = {n: v for n, v in taxel._field.parameters.items() if not n.startswith("creep")}
        place = next((k for k, c in enumerate(found) if c.key.startswith("taxel")), len(found))
        found.append(Contender("layer", "layer", MATERIAL, LayerModel(setup), {}))
        found.insert(place, Contender("taxel_default", "taxel", DEFAULTS, taxel, default))
    return found


def rmse(predicted: np.ndarray, true: np.ndarray) -> float:
    """sqrt(mean over taxels of |difference|^2), px."""
    return float(np.sqrt(((predicted - true) ** 2).sum(axis=1).mean()))


def cosine_similarity(predicted: np.ndarray, true: np.ndarray) -> float:
    """Mean over all taxels; 0 for a taxel that a model leaves where it is."""
    sizes = np.linalg.norm(predicted, axis=1) * np.linalg.norm(true, axis=1)
    dots = (predicted * true).sum(axis=1)
    return float(np.where(sizes > 0, dots / np.where(sizes > 0, sizes, 1.0), 0.0).mean())


def scores(predictions: list[np.ndarray], samples: MarkerSamples, ends: list[dict[str, Any]]) -> dict[str, Any]:
    """By motion: rmse (mean over samples of the root mean square over taxels), its spread, and cs."""
    result = {}
    for kind in KINDS:
        chosen = [k for k, end in enumerate(ends) if end["motion"] == kind]
        pairs = [(predictions[k], samples.samples[k].displacement) for k in chosen]
        each = [rmse(*pair) for pair in pairs]
        result[kind] = {
            "rmse": float(np.mean(each)),
            "spread": float(np.std(each)),
            "cs": float(np.mean([cosine_similarity(*pair) for pair in pairs])),
            "samples": each,
        }
    return result


def rotation_share(predictions: list[np.ndarray], samples: MarkerSamples, ends: list[dict[str, Any]]) -> float:
    """How much of the motion around the centre in twists comes through: slope of predicted over true, mean."""
    shares = []
    for moved, one, end in zip(predictions, samples, ends, strict=True):
        if end["motion"] == "twist":
            r = samples.markers - one.path[-1][:2, 3]
            around = np.column_stack([-r[:, 1], r[:, 0]]) / np.linalg.norm(r, axis=1, keepdims=True)
            true, found = (one.displacement * around).sum(axis=1), (moved * around).sum(axis=1)
            shares.append(found @ true / (true @ true))
    return float(np.mean(shares))
