"""Soft contact in MuJoCo: rest, friction, grasps, random drops and hits, and the same scenes in Drake."""
