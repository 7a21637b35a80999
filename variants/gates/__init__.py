"""Checks of one candidate, each filed under the name its verdict bears."""
