"""Paired tests and intervals; one file a statistic."""
