"""Random numbers by counter: keyed by seed, world, episode and place, so that they are the same on every engine and
device, do not hang on the order of resets, and need no state but the number of the episode."""

from __future__ import annotations

import math

import torch

_MASK = 0xFFFFFFFF


def _mix(x: torch.Tensor) -> torch.Tensor:
    """A bijection of 32 bits (two rounds of multiply and shift) in 64-bit integers."""
    x = x & _MASK
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & _MASK
    x = x ^ (x >> 15)
    x = (x * 0x3C6EF372) & _MASK
    return x ^ (x >> 16)


def _bits(seed: int | torch.Tensor, moment: torch.Tensor, count: int) -> torch.Tensor:
    """(worlds, count) of 32 bits; seed: one for all worlds, or (worlds,); moment (worlds,): what else they hang on."""
    device = moment.device
    world = torch.arange(len(moment), device=device, dtype=torch.int64)
    key = _mix(world * 0x9E3779B1 + (seed & _MASK))
    key = _mix(key + (moment.to(torch.int64) & _MASK) * 0x85EBCA77)
    place = torch.arange(count, device=device, dtype=torch.int64) * 0x27D4EB2F
    return _mix(_mix(key[:, None] + place) + 0x165667B1)


def uniform(seed: int | torch.Tensor, episode: torch.Tensor, count: int, dtype: torch.dtype) -> torch.Tensor:
    """(worlds, count) in -1 .. 1, for the episodes (worlds,) that begin."""
    return (_bits(seed, episode, count).to(dtype) + 0.5) * (2.0 / 4294967296.0) - 1.0


def normal(seed: int | torch.Tensor, moment: torch.Tensor, count: int) -> torch.Tensor:
    """(worlds, count) of a normal distribution (0, 1), float32: of 23 bits each, so within 5.2."""
    return normal_of(_bits(seed, moment, count))


def normal_of(bits: torch.Tensor) -> torch.Tensor:
    """Of 32 random bits each. With 24 of them the largest would round to 1 in float32, whose number is infinite."""
    u = ((bits >> 9).to(torch.float32) + 0.5) * (2.0 / 8388608.0) - 1.0
    return math.sqrt(2.0) * torch.special.erfinv(u)
