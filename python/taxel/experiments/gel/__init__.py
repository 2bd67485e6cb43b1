"""Gels of particles (Elastic Interaction of Particles)."""
