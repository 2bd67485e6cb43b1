"""How the fields of marker models compare to those of the elastic layer, over the same grasps.

HydroShear calibrates every model on the real sensor before it trains with it. Here the layer is the sensor: the gain of
a model is what brings its displacements nearest to the layer's (least squares), over rollouts of the task's expert with
noise on its actions. Unit vectors have no gain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MODELS = ("taxel", "hydroshear", "hydroshear_paper", "fots", "fots_contact", "tacsl_shear")
NOISE = 0.3
"""Of the expert's actions, which are within 1."""


@dataclass(frozen=True)
class Likeness:
    """Of one model to the layer."""

    gain: float
    alike: float
    """Cosine of the angle between all displacements."""
    change_alike: float
    """The same of what has changed since the grasp began: the press itself left out."""
    size: float
    """px, root mean square."""

    def numbers(self) -> dict[str, float]:
        return {"gain": self.gain, "alike": self.alike, "change_alike": self.change_alike, "rms_px": self.size}


def likenesses(
    task: str, worlds: int, steps: int, *, seed: int = 5, models: tuple[str, ...] = MODELS, pitch: float = 0.8e-3
) -> dict[str, Likeness]:
    """By name of the model; and "layer" itself."""
    import torch

    from ...tasks.camera import PX
    from ...tasks.registry import make

    env = make(
        task, worlds=worlds, touch="layer", touch_options={"pitch": pitch}, touch_noise=0.0, seed=seed, threads=1
    )
    everyone, nobody = (torch.full((worlds,), v, dtype=torch.bool) for v in (True, False))

    others = {name: env.other_touch(name) for name in models}
    for touch in others.values():
        env.feel(touch, everyone)
    felt: dict[str, list[Any]] = {name: [] for name in ("layer", *models)}
    random = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        actions = env.expert()
        env.step(actions + NOISE * torch.randn(actions.shape, generator=random))
        for touch in others.values():
            env.feel(touch, nobody)
        for name, row in felt.items():
            row.append((env.touch if name == "layer" else others[name]).values.double() / PX)
    env.close()
    fields = {name: torch.stack(row) for name, row in felt.items()}
    layer = fields["layer"]
    return {name: _likeness(field, layer) for name, field in fields.items()}


def _likeness(field: Any, layer: Any) -> Likeness:
    change, layer_change = field - field[:1], layer - layer[:1]

    def cosine(a: Any, b: Any) -> float:
        return float((a * b).sum() / (a.norm() * b.norm()).clamp(min=1e-300))

    gain = float((field * layer).sum() / (field * field).sum().clamp(min=1e-300))
    return Likeness(gain, cosine(field, layer), cosine(change, layer_change), float(field.square().mean().sqrt()))
