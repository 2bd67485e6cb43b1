"""One material, all models."""
