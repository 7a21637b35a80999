"""One file a metric; each files itself with `analyzers.base.metric`."""
