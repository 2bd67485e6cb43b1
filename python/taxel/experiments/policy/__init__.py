"""Policies that feel, in worlds they were trained in and in others."""
