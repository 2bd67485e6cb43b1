"""Bristles and their friction, and the static tests on them (OpenGRASP)."""
