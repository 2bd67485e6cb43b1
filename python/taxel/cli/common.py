"""What several commands ask of their options."""

from __future__ import annotations


def check_model(name: str, model: str) -> None:
    """Error where the catalogue's sensor has no such model; names it does not know are left to others."""
    from ..sensors import catalogue

    factory = catalogue().get(name)
    if factory is None or model in (models := factory().models):
        return
    more = ""
    if model == "bristle":
        more = f'; with a thickness of yours it is made in Python: taxel.sensors.{name}(thickness=..., model="bristle")'
    raise ValueError(f"--model {model}: {name} is known as {' or '.join(models)} only{more}")
