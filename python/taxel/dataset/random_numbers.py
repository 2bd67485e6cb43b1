"""Random numbers of a sample: a pure function of seed, sample and attempt.

Philox (4 x 64 bits) turns a counter into numbers. A sample owns ``BLOCKS`` counters, an attempt the next word of the
counter, so that any sample can be drawn alone, in any order, by any worker.
"""

from __future__ import annotations

import numpy as np

NUMBERS = 32
"""Uniform numbers of an attempt; each has its place (``samples.py``), used or not."""
BLOCKS = NUMBERS // 4
ATTEMPTS = 16
"""How often a sample is drawn anew where its press cannot be made."""


def uniforms(seed: int, first: int, count: int, attempt: int = 0) -> np.ndarray:
    """(count, NUMBERS) in [0, 1) of the samples ``first``, ``first`` + 1, ..."""
    begin = first * BLOCKS
    word = (1 << 64) - 1
    counter = [begin & word, begin >> 64, attempt, 0]
    bits = np.random.Philox(key=np.array([seed, 0], np.uint64), counter=np.array(counter, np.uint64))
    return np.random.Generator(bits).random(count * NUMBERS).reshape(count, NUMBERS)
