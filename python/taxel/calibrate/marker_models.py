"""Marker models as calibration sees them: names and ranges of parameters, which motions tell them, and predictions.

A new model is a class with

    name         for messages
    parameters   tuple of Parameter
    steps        tuple of Step: its one-variable fits, in order
    predict(samples, values) -> list of (N, 2) px

and, where it has derivatives of its own, ``jacobian(samples, values, names)``: d prediction / d log(parameter), list of
(N, 2, len(names)). Without that, differences are taken.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .. import _core
from .._core import Error
from ..marker import Fots, MarkerField, MarkerPad, TacSL, gelsight_mini_markers
from .marker_samples import MarkerSample, MarkerSamples

STICK = 1e5
"""The friction that the paper puts in place of an unknown one, so that nothing slips."""
POLICY_STEP = 1.0 / 60.0
"""Seconds between the poses of a path, for models that need velocities; the rate of the HydroShear release."""
SENSORS = ("gelsight_mini", "gelsight_mini_dome")


@dataclass(frozen=True)
class Parameter:
    """A positive number to be fitted, on a logarithmic scale."""

    name: str
    start: float
    low: float
    high: float
    unit: str = ""


@dataclass(frozen=True)
class Step:
    """A fit of one parameter to the samples of some kinds.

    gain   a parameter in which the prediction is a straight line; it takes its best value at every trial and is then
           thrown away (the rescaling of the paper, without rescaling the dilation)
    hold   values of other parameters in the first round, before those are known
    """

    parameter: str
    kinds: tuple[str, ...]
    gain: str | None = None
    hold: Mapping[str, float] | None = None


class MarkerModel(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def steps(self) -> tuple[Step, ...]: ...

    def predict(self, samples: MarkerSamples, values: Mapping[str, float]) -> list[np.ndarray]: ...


@dataclass(frozen=True)
class Setup:
    """What is known beforehand: gel, markers, indenter."""

    pad: Any
    markers: np.ndarray
    """(N, 3), m."""
    indenter: Any
    pixel: float
    points: Any = None
    """Of the indenter, (M, 3), or a list with those of each object; normals and areas the same."""
    normals: Any = None
    areas: Any = None


def make_setup(
    samples: MarkerSamples,
    sensor: str | MarkerPad = "gelsight_mini",
    indenter: Any = None,
    *,
    radius: float = 0.75e-3,
    seed: int = 0,
) -> Setup:
    """The sensor under the markers of the samples. indenter: a Body or (vertices, triangles); a 35 mm ball if left out.

    sensor: ``gelsight_mini`` (flat, 4 mm), ``gelsight_mini_dome``, or a MarkerPad of your own. radius, seed: of the
    points of the indenter that MarkerField follows.
    """
    if isinstance(sensor, str):
        if sensor not in SENSORS:
            raise Error(f"sensor is {sensor!r}; give {' or '.join(SENSORS)}, or a taxel.MarkerPad in Python")
        sensor = gelsight_mini_markers(dome=sensor.endswith("dome"))
    half = 0.5 * np.array(sensor.size[:2])
    out = np.flatnonzero((np.abs(samples.markers) > half).any(axis=1))
    if len(out):
        x, y = 1e3 * samples.markers[out[0]]
        raise Error(
            f"marker {out[0]} lies at ({x:.2f}, {y:.2f}) mm, beside the gel, which is {2e3 * half[0]:.2f} x "
            f"{2e3 * half[1]:.2f} mm; rest places are counted from the middle of the gel, in m"
        )
    height = np.full(len(samples.markers), 0.5 * sensor.size[2])
    markers = np.column_stack([samples.markers, height])
    if not isinstance(sensor.pad, _core.Body):  # domed: down onto the facets, whose slope is below 0.3
        for _ in range(12):
            markers[:, 2] -= _core.signed_distance(sensor.pad, markers)
    indenter = _core.Body.sphere(17.5e-3) if indenter is None else indenter
    probe = MarkerField(sensor.pad, markers, indenter, radius=radius, seed=seed)
    return Setup(sensor.pad, markers, indenter, samples.pixel, probe.points, probe.normals, probe.areas)


def check_indenter_starts_outside(setup: Setup, samples: MarkerSamples) -> None:
    """A first pose inside the gel would start without memory of how it came there."""
    for one in samples:
        X = one.path[0]
        deepest = float(np.min(_core.signed_distance(setup.pad, setup.points @ X[:3, :3].T + X[:3, 3])))
        if deepest < 0:
            raise Error(
                f"sample {one.name!r}: its first pose is already {-1e3 * deepest:.3g} mm inside the gel; begin "
                "before the touch. The pad's origin is in the middle of the gel, 2 mm below its face for a Mini"
            )


def _ends_of_paths(model: MarkerField | Fots, samples: MarkerSamples) -> list[np.ndarray]:
    """Displacements (N, 2) after each sample's path, which starts without memory."""
    found = []
    for one in samples:
        model.reset()
        for X in one.path:
            pixels = model.step(X)
        found.append(np.array(pixels[:, :2]))
    return found


class HydroShear:
    """`taxel.MarkerField` in one of its published modes.

    Mode "paper" has lambda_d, lambda_s, stiffness (the K of Eq. 15) and friction; "release" has no K, and the scale of
    the shear in px/m in its place. dilate_scale is fitted only where `free` of the fit names it.
    """

    def __init__(self, setup: Setup, mode: str = "paper") -> None:
        self.name, self.setup, self.mode = mode, setup, mode
        scale = 1.0 / setup.pixel
        dilation = (
            Parameter("lambda_d", 2e4, 1e3, 1e6, "1/m2"),
            Parameter("dilate_scale", scale, 1e-3 * scale, 1e3 * scale, "px/m"),
        )
        shear = Parameter("lambda_s", 1.08e4, 1e3, 1e6, "1/m2")
        gain = (
            Parameter("stiffness", 1.0, 1e-4, 1e4)
            if mode == "paper"
            else Parameter("shear_scale", scale, 1e-4 * scale, 1e4 * scale, "px/m")
        )
        self.parameters = (*dilation, shear, gain, Parameter("friction", 0.5, 0.02, 20.0))
        self.fixed = ("dilate_scale",)
        stick = {"friction": STICK}
        self.steps = (
            Step("lambda_d", ("press",), gain="dilate_scale"),  # the gain counts only where it is free
            Step("dilate_scale", ("press",)),
            Step("lambda_s", ("shear",), gain=gain.name, hold=stick),
            Step(gain.name, ("shear",), hold=stick),
            Step("friction", ("slip",)),
        )

    def predict(self, samples: MarkerSamples, values: Mapping[str, float]) -> list[np.ndarray]:
        s = self.setup
        given: dict[str, Any] = dict(values)
        field = MarkerField(s.pad, s.markers, s.indenter, mode=self.mode, points=s.points, normals=s.normals, **given)
        return _ends_of_paths(field, samples)


class TaxelModel:
    """`taxel.MarkerField` in mode "taxel", with its own derivatives.

    Markers tell mu E / K, not the stiffnesses themselves: those stay as they are, and friction is fitted.
    """

    name = "taxel"
    fixed = ()

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        scale = 1.0 / setup.pixel
        self.parameters = (
            Parameter("lambda_d", 4e4, 1e3, 1e6, "1/m2"),
            Parameter("dilate_scale", 750 * scale, scale, 1e5 * scale, "px/m2"),
            Parameter("squeeze", 4.4, 0.01, 100.0),
            Parameter("lambda_s", 1.35e5, 1e3, 3e6, "1/m2"),
            Parameter("shear_scale", 1.9 * scale, 1e-2 * scale, 1e3 * scale, "px/m"),
            Parameter("friction", 0.5, 0.02, 20.0),
        )
        stick = {"friction": STICK}
        self.steps = (
            Step("lambda_d", ("press",), gain="dilate_scale"),
            Step("dilate_scale", ("press",)),
            Step("lambda_s", ("shear",), gain="shear_scale", hold=stick),
            Step("shear_scale", ("shear",), hold=stick),
            Step("squeeze", ("press", "shear")),
            Step("friction", ("slip",)),
        )
        self._field = MarkerField(
            setup.pad, setup.markers, setup.indenter, points=setup.points, normals=setup.normals, areas=setup.areas
        )

    def _at(self, values: Mapping[str, float]) -> MarkerField:
        self._field.parameters = dict(values)
        return self._field

    def predict(self, samples: MarkerSamples, values: Mapping[str, float]) -> list[np.ndarray]:
        return _ends_of_paths(self._at(values), samples)

    def jacobian(self, samples: MarkerSamples, values: Mapping[str, float], names: Sequence[str]) -> list[np.ndarray]:
        """d px / d log(parameter), (N, 2, len(names)) a sample."""
        field, found = self._at(values), []
        field.reset()
        for one in samples:
            _, columns = field.jacobian(one.path)
            found.append(np.stack([values[name] * columns[name][:, :2] for name in names], axis=-1))
        return found


class FotsModel:
    """`taxel.Fots`: dilation on presses, then shear, then twist, as FOTS calibrates it."""

    name = "fots"
    fixed = ()

    def __init__(self, setup: Setup, variant: str = "fots") -> None:
        self.setup, self.variant = setup, variant
        self.parameters = (
            Parameter("lambda_d", 1.25e-3, 1e-5, 1e-1, "1/px2"),
            Parameter("dilate_scale", 1e3, 1.0, 1e6, "1/m"),
            Parameter("lambda_s", 2.1e-4, 1e-6, 1e-1, "1/px2"),
            Parameter("lambda_t", 3.8e-4, 1e-6, 1e-1, "1/px2"),
        )
        self.steps = (
            Step("lambda_d", ("press",), gain="dilate_scale"),
            Step("dilate_scale", ("press",)),
            Step("lambda_s", ("shear",)),
            Step("lambda_t", ("twist",)),
        )

    def predict(self, samples: MarkerSamples, values: Mapping[str, float]) -> list[np.ndarray]:
        s = self.setup
        given: dict[str, Any] = dict(values)
        model = Fots(s.markers, s.indenter, self.variant, pixel=s.pixel, **given)
        return _ends_of_paths(model, samples)


class TacSLModel:
    """`taxel.TacSL`: shear forces of the last step of a path, times pixels per newton. It has no other parameter that
    markers could tell: normal forces move nothing sideways."""

    name = "tacsl"
    fixed = ()

    def __init__(self, setup: Setup, step: float = POLICY_STEP) -> None:
        self.setup, self.step = setup, step
        self.parameters = (Parameter("shear_gain", 1e4, 1e-2, 1e10, "px/N"),)
        self.steps = (Step("shear_gain", ("shear", "slip", "twist", "roll")),)
        self._model = TacSL(setup.markers, setup.indenter)

    def predict(self, samples: MarkerSamples, values: Mapping[str, float]) -> list[np.ndarray]:
        return [values["shear_gain"] * self._shear(one) for one in samples]

    def _shear(self, one: MarkerSample) -> np.ndarray:
        from ..reference.layer_contact import rotation_vector

        before, X = one.path[-2], one.path[-1]
        velocity = (X[:3, 3] - before[:3, 3]) / self.step
        turning = rotation_vector(X[:3, :3] @ before[:3, :3].T) / self.step
        read = self._model.read(np.eye(4), X, object_velocity=velocity, object_angular_velocity=turning)
        return np.array(read.tactile_shear_force)


MODELS = ("paper", "release", "taxel", "fots", "tacsl")


def make_model(name: str, setup: Setup) -> MarkerModel:
    """By its name; mode "taxel" where this build of MarkerField has it."""
    if name not in MODELS:
        raise Error(f"model is {name!r}; give one of {', '.join(MODELS)}")
    if name == "fots":
        return FotsModel(setup)
    if name == "tacsl":
        return TacSLModel(setup)
    if name == "taxel":
        return TaxelModel(setup)
    return HydroShear(setup, name)


def known_parameters(model: MarkerModel) -> tuple[str, ...]:
    return tuple(p.name for p in model.parameters)


def has_own_derivatives(model: Any) -> bool:
    return inspect.ismethod(getattr(model, "jacobian", None))


def starting_values(model: Any, given: Mapping[str, float] | None = None) -> dict[str, float]:
    """The model's own, with those given in their place."""
    values = {p.name: p.start for p in model.parameters}
    for name, value in (given or {}).items():
        if name not in values:
            raise Error(f"model {model.name!r} has no parameter {name!r}; there are {', '.join(values)}")
        if not (np.isfinite(value) and value > 0):
            raise Error(f"{name} is {value}; give a number above 0")
        values[name] = float(value)
    return values


def free_parameters(model: Any, free: Sequence[str] | None, fixed: Sequence[str]) -> tuple[str, ...]:
    """Those to fit: the ones named, or all that the model does not keep, less the fixed."""
    names = known_parameters(model)
    for name in (*(free or ()), *fixed):
        if name not in names:
            raise Error(f"model {model.name!r} has no parameter {name!r}; there are {', '.join(names)}")
    chosen = tuple(free) if free is not None else tuple(n for n in names if n not in model.fixed)
    return tuple(n for n in names if n in chosen and n not in fixed)
