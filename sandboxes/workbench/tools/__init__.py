"""WorkBench's tools, one domain a file."""
