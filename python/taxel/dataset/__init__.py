"""Tactile data at scale: samples of presses and motions, drawn by a plan, in shards that can be made again alone.

    from taxel.dataset import make_dataset, read_shard

    make_dataset("plan.yaml", "out", jobs=2)
    columns = read_shard("out/shards/shard-00000000.parquet")

The command is ``taxel dataset``; docs/guide/dataset.md is the guide.
"""

from __future__ import annotations

from .plan import EXAMPLE, Plan, read_plan
from .run import Made, make_dataset
from .shard_file import read_shard

__all__ = ["EXAMPLE", "Made", "Plan", "make_dataset", "read_plan", "read_shard"]
