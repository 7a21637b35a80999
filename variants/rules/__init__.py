"""Rules of dialect features over a parse, one object a feature, grouped by what they change."""
