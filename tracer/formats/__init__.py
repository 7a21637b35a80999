"""Bytes to spans, one file a format."""
