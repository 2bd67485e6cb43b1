"""Marker motion on a gel (HydroShear)."""
