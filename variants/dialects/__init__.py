"""Dialects, one file each: lists of features with their sources."""
