"""taxel sensors: the catalogue of tactile sensors."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

import numpy as np

import taxel

from ..report import Output, add_json, table
from ..sensors import TactileSensor, catalogue, derived
from .common import check_model


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "sensors",
        help="the catalogue of tactile sensors",
        description="Lists the sensors of the catalogue; with a name, everything about one, and its MJCF.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="one sensor, in full")
    parser.add_argument(
        "--model", choices=("pressure", "bristle", "marker", "gel"), help="what the pad is, with a NAME"
    )
    parser.add_argument("--electronics", action="store_true", help="with what the real device's electronics do")
    add_json(parser)
    parser.set_defaults(run=run)


def plain(values: Any) -> Any:
    """A parameter as text; a long list only by its length."""
    if np.size(values) > 8:
        return f"{np.size(values)} numbers"
    return " ".join(f"{v:g}" for v in np.ravel(values)) if not isinstance(values, str | bool) else str(values)


def size_mm(sensor: TactileSensor) -> str:
    return " x ".join(f"{1e3 * x:.4g}" for x in np.diff(sensor.bounds, axis=0)[0])


def made_of_numbers(sensor: TactileSensor) -> dict[str, Any] | None:
    """The material, and what each model takes from it."""
    made = sensor.made_of
    if made is None:
        return None
    return {
        **{key: getattr(made, key) for key in ("young", "poisson", "thickness", "friction", "damping", "contact")},
        "size": made.size(),
        "source": dict(made.source),
        "models": [
            {"model": d.model, "key": d.key, "rule": d.rule, "used": d.used, "unit": d.unit, "overridden": d.overridden}
            for d in derived(sensor)
        ],
    }


def made_of_text(sensor: TactileSensor) -> list[str]:
    """The same for a person."""
    made = sensor.made_of
    if made is None:
        return []
    size = made.size()
    tuned = "a wide, flat press" if np.isinf(size) else f"contacts of {1e3 * size * made.thickness:.3g} mm radius"
    lines = [
        "",
        "made of",
        f"  young = {made.young:g} Pa, poisson = {made.poisson:g}, thickness = {1e3 * made.thickness:g} mm, friction = "
        f"{plain(made.friction)}, damping = {made.damping:.3g} s",
        f"  models with one stiffness are made for {tuned} (contact= changes it; docs/theory/material.md)",
    ]
    for what, words in made.source.items():
        lines += textwrap.wrap(f"{what}: {words}", 118, initial_indent="  ", subsequent_indent="    ")
    rows = []
    for d in derived(sensor):
        used = "-" if d.used is None else plain(d.used)
        note = "overridden" if d.overridden else "the model's own default" if d.used is None else ""
        rows.append((d.model, d.key, f"{plain(d.rule)} {d.unit}".rstrip(), used, note))
    text = table(("model", "number", "by the material", "in use", ""), rows, left=5)
    return [*lines, "", *("  " + line.rstrip() for line in text.splitlines())]


def numbers_of(sensor: TactileSensor) -> dict[str, Any]:
    return {
        "name": sensor.name,
        "title": sensor.title,
        "taxels": sensor.count,
        "shape": sensor.shape,
        "bounds_m": sensor.bounds,
        "geom": sensor.geom.type,
        "unit": sensor.unit,
        "made_of": made_of_numbers(sensor),
        "material": dict(sensor.material),
        "layout": dict(sensor.taxels),
        "chain": dict(sensor.chain),
        "electronics": dict(sensor.electronics),
        "models": sensor.models,
        "markers": dict(sensor.markers or sensor.marker_keys),
        "source": dict(sensor.source),
        "gel": dict(sensor.gel or sensor.gel_keys),
        "magnetic": dict(sensor.magnetic),
        "mjcf": None if sensor.gel else sensor.mjcf(),
    }


def describe(sensor: TactileSensor) -> str:
    shape = "" if sensor.shape is None else f", {sensor.shape[0]} rows of {sensor.shape[1]}"
    what = "markers" if sensor.markers else "taxels"
    lines = [
        sensor.title,
        f"{sensor.geom.type}, {size_mm(sensor)} mm; {sensor.count} {what}{shape}; reads {sensor.unit}",
    ]
    groups = {
        "material": sensor.material,
        "taxels": sensor.taxels,
        "chain": sensor.chain,
        "with electronics=True": sensor.electronics,
        "with taxel.sensors.Magnetometers": sensor.magnetic,
        'with model="marker"': sensor.marker_keys,
        'with model="gel"': sensor.gel or sensor.gel_keys,
    }
    if sensor.markers:
        groups = {"material": sensor.material if sensor.soft else {}, "markers": sensor.markers}
    lines += made_of_text(sensor)
    for title, keys in groups.items():
        if keys and not (title == "with electronics=True" and sensor.chain):
            lines += ["", title, *(f"  {key} = {plain(value)}" for key, value in keys.items())]
    lines += ["", "sources"]
    for what, words in sensor.source.items():
        lines += textwrap.wrap(f"{what}: {words}", 118, initial_indent="  ", subsequent_indent="    ")
    if sensor.gel:
        return "\n".join(lines) + "\n\nA gel lives in Python, not in MJCF: TactileSensor.add_to, then gel_sensor\n"
    return "\n".join(lines) + f"\n\nMJCF\n{sensor.mjcf()}"


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    factories = catalogue()
    if options.name is not None:
        if options.name not in factories:
            raise taxel.Error(f"there is no sensor {options.name!r}; the catalogue has {', '.join(factories)}")
        keys = {"electronics": True} if options.electronics else {}
        if options.model is not None:
            check_model(options.name, options.model)
            keys["model"] = options.model
        sensor = factories[options.name](**keys)
        out.print(describe(sensor))
        out.finish(numbers_of(sensor))
        return 0
    for option in ("electronics", "model"):
        if getattr(options, option):
            raise ValueError(f"--{option} goes with a NAME")
    found = [factory() for factory in factories.values()]
    rows = [
        (
            s.name,
            "x".join(str(n) for n in s.shape) if s.shape else str(s.count),
            size_mm(s),
            f"{s.material['modulus']:.3g}",
            s.unit,
            "yes" if s.electronics else "-",
            " ".join(s.models),
            textwrap.shorten(next(iter(s.source.values())), 58, placeholder=" ..."),
        )
        for s in found
    ]
    header = ("name", "taxels", "size, mm", "modulus, Pa", "unit", "electronics", "models", "source")
    out.print(table(header, rows, left=8))
    out.print("\ntaxel sensors NAME: everything about one; taxel press NAME sphere: try it")
    out.finish({"sensors": [numbers_of(s) for s in found]})
    return 0
