"""What fits print: tables of estimates, and keys as MJCF."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from ..common.description import to_text
from .statistics import Estimate

Row = tuple[str, str, str, str]
"""What, value with unit, interval, remark."""


def row(what: str, one: Estimate, unit: str = "", scale: float = 1.0, remark: str = "") -> Row:
    """As many digits as make sense with an interval of that width."""
    if one.high > one.low and math.isfinite(one.half) and one.half > 1e-12 * abs(one.value):
        decimals = 1 - math.floor(math.log10(one.half * scale))
        value, low, high = (
            f"{round(x * scale, decimals) + 0.0:.{max(0, decimals)}f}" for x in (one.value, one.low, one.high)
        )
        return (what, f"{value} {unit}".rstrip(), f"{low} .. {high}", remark)
    interval = "-"
    if one.high > one.low and not math.isfinite(one.half):
        low, high = (f"{x * scale:.3g}" if math.isfinite(x) else "?" for x in (one.low, one.high))
        interval = f"{low} .. {high}"
    return (what, f"{one.value * scale:.4g} {unit}".rstrip(), interval, remark)


def table(rows: list[Row]) -> str:
    rows = [("", "fitted", "95 % interval", ""), *rows]
    widths = [max(len(r[i]) for r in rows) for i in range(3)]
    lines = [f"{r[0]:{widths[0]}}  {r[1]:>{widths[1]}}  {r[2]:>{widths[2]}}  {r[3]}".rstrip() for r in rows]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)


def digits(x: float, count: int = 6) -> float:
    return float(f"{float(x):.{count}g}")


def config_lines(keys: Mapping[str, Any]) -> str:
    """Keys as MJCF, to paste into the <instance> of a pad of bristles."""
    return "\n".join(f"<config key={quoteattr(k)} value={quoteattr(to_text(v))}/>" for k, v in keys.items())
