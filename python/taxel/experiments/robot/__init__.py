"""Robots of others with skins on them."""
