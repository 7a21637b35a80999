"""Tracing of a script without a line of its code: what `stagetrace trace` puts into its process."""
