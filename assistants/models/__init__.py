"""Chat models and embedders, one a file."""
