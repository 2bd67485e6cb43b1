"""Layouts of taxels, what they read of a contact, and the electronics behind them."""

from .skin import Layout, Reading, SignalChain, Skin, Truth

__all__ = [
    "Layout",
    "Reading",
    "SignalChain",
    "Skin",
    "Truth",
]
