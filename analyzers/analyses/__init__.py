"""One file an analysis; each files itself with `analyzers.analysis.ANALYSES.add`."""
