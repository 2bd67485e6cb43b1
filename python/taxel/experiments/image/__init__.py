"""The camera behind a gel (Taxim, GelSight)."""
