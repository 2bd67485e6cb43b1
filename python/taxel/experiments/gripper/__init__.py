"""Grippers and fingers that hold things by feel (OpenGRASP)."""
