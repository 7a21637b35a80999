"""Retrievers, one a file."""
