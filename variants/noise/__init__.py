"""Deterministic damage to the surface of a text."""
