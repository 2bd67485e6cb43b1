"""The closest points of other sets, as a Triton kernel: on a GPU alone, where torch brought triton with it."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

_ROWS, _COLUMNS = 64, 128


@triton.jit
def _nearest(a, b, found, N, M, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Each program: ROWS points of a of one batch against all of b."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    a += tl.program_id(1) * N * 3
    b += tl.program_id(1) * M * 3
    own = row < N
    ax = tl.load(a + 3 * row, mask=own, other=0.0)
    ay = tl.load(a + 3 * row + 1, mask=own, other=0.0)
    az = tl.load(a + 3 * row + 2, mask=own, other=0.0)
    least = tl.full([ROWS], float("inf"), tl.float32)
    best = tl.zeros([ROWS], tl.int32)
    for first in range(0, M, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        there = column < M
        dx = ax[:, None] - tl.load(b + 3 * column, mask=there, other=1e18)[None, :]
        dy = ay[:, None] - tl.load(b + 3 * column + 1, mask=there, other=1e18)[None, :]
        dz = az[:, None] - tl.load(b + 3 * column + 2, mask=there, other=1e18)[None, :]
        value, index = tl.min(dx * dx + dy * dy + dz * dz, axis=1, return_indices=True)
        best = tl.where(value < least, first + index, best)
        least = tl.minimum(value, least)
    tl.store(found + tl.program_id(1) * N + row, best.to(tl.int64), mask=own)


def nearest(a: Any, b: Any) -> Any:
    """(B, N) int64: for each point of a (B, N, 3) the number of the closest of b (B, M, 3), float32 both."""
    a, b = a.float().contiguous(), b.float().contiguous()
    batch, count = a.shape[:2]
    found = torch.empty(batch, count, dtype=torch.int64, device=a.device)
    _nearest[triton.cdiv(count, _ROWS), batch](a, b, found, count, b.shape[1], ROWS=_ROWS, COLUMNS=_COLUMNS)
    return found
