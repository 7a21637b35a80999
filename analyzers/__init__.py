"""From stored traces to findings: metrics, pairs, statistics, tables."""
