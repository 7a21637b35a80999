"""One file a command: arguments, parts, one call."""
