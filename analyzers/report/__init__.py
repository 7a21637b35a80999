"""Tables of a comparison, and how they look on a terminal, in Markdown, CSV and JSON."""
