"""Layouts of taxels, what they read of a contact, and the electronics behind them."""

from .skin import Layout, Reading, SignalChain, Skin, Truth, columns_by_taxels

__all__ = [
    "Layout",
    "Reading",
    "SignalChain",
    "Skin",
    "Truth",
    "columns_by_taxels",
]
