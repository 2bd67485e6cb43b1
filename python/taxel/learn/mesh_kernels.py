"""Triton kernels of the mesh network (``touch_mesh``): GPU only; importing this needs triton, which comes with torch.

Each does what a line of torch does, without what that line sends through memory: matrices of distances (``nearest``),
matrices of weights (``read``), products with a matrix of neighbours that is nearly empty (``mix``).
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

# --- the closest of other points --------------------------------------------------------------------------------------


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
    least = tl.full([ROWS, COLUMNS], float("inf"), tl.float32)
    best = tl.zeros([ROWS, COLUMNS], tl.int32)
    for first in range(0, M, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        there = column < M
        dx = ax[:, None] - tl.load(b + 3 * column, mask=there, other=1e18)[None, :]
        dy = ay[:, None] - tl.load(b + 3 * column + 1, mask=there, other=1e18)[None, :]
        dz = az[:, None] - tl.load(b + 3 * column + 2, mask=there, other=1e18)[None, :]
        distance = dx * dx + dy * dy + dz * dz
        best = tl.where(distance < least, first, best)
        least = tl.minimum(distance, least)
    value = tl.min(least, axis=1)
    number = tl.where(least == value[:, None], best + tl.arange(0, COLUMNS)[None, :], 2147483647)
    tl.store(found + tl.program_id(1) * N + row, tl.min(number, axis=1).to(tl.int64), mask=own)


def nearest(a: Any, b: Any) -> Any:
    """(B, N) int64: for each point of a (B, N, 3) the number of the closest of b (B, M, 3)."""
    a, b = a.float().contiguous(), b.float().contiguous()
    batch, count = a.shape[:2]
    found = torch.empty(batch, count, dtype=torch.int64, device=a.device)
    _nearest[triton.cdiv(count, 32), batch](a, b, found, count, b.shape[1], ROWS=32, COLUMNS=128)
    return found


# --- a graph layer ----------------------------------------------------------------------------------------------------


@triton.jit
def _mix(y, bias, index, weight, out, V, C, K: tl.constexpr, RELU: tl.constexpr, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = e < V * C
    v = e // C
    c = e - v * C
    y += tl.program_id(1).to(tl.int64) * V * 2 * C
    z = tl.load(y + v * 2 * C + c, mask=own, other=0.0).to(tl.float32) + tl.load(bias + c, mask=own, other=0.0)
    for k in tl.static_range(K):
        n = tl.load(index + v * K + k, mask=own, other=0)
        w = tl.load(weight + v * K + k, mask=own, other=0.0)
        z += w * tl.load(y + n * 2 * C + C + c, mask=own, other=0.0).to(tl.float32)
    if RELU:
        z = tl.maximum(z, 0.0)
    tl.store(out + tl.program_id(1).to(tl.int64) * V * C + e, z, mask=own)


@triton.jit
def _mix_back(g, out, index, weight, dy, V, C, K: tl.constexpr, RELU: tl.constexpr, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = e < V * C
    v = e // C
    c = e - v * C
    batch = tl.program_id(1).to(tl.int64)
    g += batch * V * C
    out += batch * V * C
    dy += batch * V * 2 * C
    z = tl.load(g + e, mask=own, other=0.0).to(tl.float32)
    if RELU:
        z = tl.where(tl.load(out + e, mask=own, other=0.0) > 0, z, 0.0)
    tl.store(dy + v * 2 * C + c, z, mask=own)
    total = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(K):
        at = tl.load(index + v * K + k, mask=own, other=0) * C + c
        w = tl.load(weight + v * K + k, mask=own, other=0.0)
        z = tl.load(g + at, mask=own, other=0.0).to(tl.float32)
        if RELU:
            z = tl.where(tl.load(out + at, mask=own, other=0.0) > 0, z, 0.0)
        total += w * z
    tl.store(dy + v * 2 * C + C + c, total, mask=own)


class _Mix(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Any, bias: Any, index: Any, weight: Any, back: Any, relu: bool) -> Any:
        y = y.contiguous()
        B, V, C = y.shape[0], y.shape[1], y.shape[2] // 2
        out = torch.empty(B, V, C, dtype=y.dtype, device=y.device)
        grid = (triton.cdiv(V * C, 1024), B)
        _mix[grid](y, bias, index, weight, out, V, C, K=index.shape[1], RELU=relu, BLOCK=1024)
        ctx.save_for_backward(out, index, back)
        ctx.relu = relu
        return out

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        out, index, back = ctx.saved_tensors
        g = g.contiguous()
        B, V, C = out.shape
        dy = torch.empty(B, V, 2 * C, dtype=out.dtype, device=out.device)
        grid = (triton.cdiv(V * C, 1024), B)
        _mix_back[grid](g, out, index, back, dy, V, C, K=index.shape[1], RELU=ctx.relu, BLOCK=1024)
        return dy, dy[..., :C].sum(0, dtype=torch.float32).sum(0), None, None, None, None


def mix(y: Any, bias: Any, index: Any, weight: Any, back: Any, relu: bool) -> Any:
    """(B, V, C): y[..., :C] + bias + weighted sum of y[..., C:] over neighbours; then, if asked for, ReLU.

    y       (B, V, 2 C)
    index   (V, K) int32 neighbours; weight (V, K) theirs in the sum of a vertex, 0 where it has fewer
    back    (V, K): that of the vertex in the sum of its neighbour; neighbours are mutual
    """
    return _Mix.apply(y, bias.float(), index, weight, back, relu)


# --- maps at places ---------------------------------------------------------------------------------------------------


@triton.jit
def _weights(at, place, own, cell, H, W, DTYPE: tl.constexpr):
    """(places, cells) of the bilinear sum."""
    x = 0.5 * W * (tl.load(at + 2 * place, mask=own, other=-9.0) + 1) - 0.5
    y = 0.5 * H * (tl.load(at + 2 * place + 1, mask=own, other=-9.0) + 1) - 0.5
    row = cell // W
    column = (cell - row * W).to(tl.float32)
    row = row.to(tl.float32)
    across = tl.maximum(1 - tl.abs(x[:, None] - column[None, :]), 0.0)
    down = tl.maximum(1 - tl.abs(y[:, None] - row[None, :]), 0.0)
    return (across * down).to(DTYPE)


@triton.jit
def _read(maps, at, out, V, H, W, C, PLACES: tl.constexpr, CELLS: tl.constexpr, CHANNELS: tl.constexpr):
    n = tl.program_id(2).to(tl.int64)
    maps += n * H * W * C
    at += n * V * 2
    out += n * V * C
    place = tl.program_id(0) * PLACES + tl.arange(0, PLACES)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    total = tl.zeros([PLACES, CHANNELS], tl.float32)
    for first in range(0, H * W, CELLS):
        cell = first + tl.arange(0, CELLS)
        weights = _weights(at, place, place < V, cell, H, W, maps.dtype.element_ty)
        there = (cell < H * W)[:, None] & (channel < C)[None, :]
        values = tl.load(maps + cell[:, None] * C + channel[None, :], mask=there, other=0.0)
        total += tl.dot(weights, values)
    there = (place < V)[:, None] & (channel < C)[None, :]
    tl.store(out + place[:, None] * C + channel[None, :], total, mask=there)


@triton.jit
def _read_back(g, at, found, V, H, W, C, PLACES: tl.constexpr, CELLS: tl.constexpr, CHANNELS: tl.constexpr):
    n = tl.program_id(2).to(tl.int64)
    found += n * H * W * C
    at += n * V * 2
    g += n * V * C
    cell = tl.program_id(0) * CELLS + tl.arange(0, CELLS)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    total = tl.zeros([CELLS, CHANNELS], tl.float32)
    for first in range(0, V, PLACES):
        place = first + tl.arange(0, PLACES)
        weights = _weights(at, place, place < V, cell, H, W, g.dtype.element_ty)
        there = (place < V)[:, None] & (channel < C)[None, :]
        values = tl.load(g + place[:, None] * C + channel[None, :], mask=there, other=0.0)
        total += tl.dot(tl.trans(weights), values)
    there = (cell < H * W)[:, None] & (channel < C)[None, :]
    tl.store(found + cell[:, None] * C + channel[None, :], total, mask=there)


def _channels(C: int) -> int:
    return max(16, min(64, triton.next_power_of_2(C)))


class _Read(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, maps: Any, at: Any) -> Any:
        N, C, H, W = maps.shape
        V = at.shape[1]
        at = at.contiguous()
        flat = maps.permute(0, 2, 3, 1).contiguous()
        out = torch.empty(N, V, C, dtype=maps.dtype, device=maps.device)
        block = _channels(C)
        grid = (triton.cdiv(V, 64), triton.cdiv(C, block), N)
        _read[grid](flat, at, out, V, H, W, C, PLACES=64, CELLS=64, CHANNELS=block)
        ctx.save_for_backward(at)
        ctx.size = H, W
        return out

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (at,) = ctx.saved_tensors
        H, W = ctx.size
        N, V, C = g.shape
        g = g.contiguous()
        found = torch.empty(N, H, W, C, dtype=g.dtype, device=g.device)
        block = _channels(C)
        grid = (triton.cdiv(H * W, 64), triton.cdiv(C, block), N)
        _read_back[grid](g, at, found, V, H, W, C, PLACES=64, CELLS=64, CHANNELS=block)
        return found.permute(0, 3, 1, 2), None


def read(maps: Any, at: Any) -> Any:
    """(N, V, C): maps (N, C, H, W) at places (N, V, 2), bilinear, zero outside; the gradient goes to the maps alone.

    Sums over the cells are products of matrices whose weights are made on the way; so is the gradient, which
    grid_sample adds up with atomics, thousands of points to a map of 7 x 7.
    """
    return _Read.apply(maps, at.detach().float())
