"""The rules of a dialect as a Markdown table, for the documentation."""

from __future__ import annotations

from variants.features import Dialect


def rule_table(dialect: Dialect) -> str:
    """One row a feature, in the order in which features are preferred."""
    rows = [
        "| eWAVE | feature | rated | tier | before | after |",
        "|---|---|---|---|---|---|",
    ]
    for feature in dialect.features:
        tier = f"guarded: {feature.guard}" if feature.guard else "safe"
        first, second = feature.examples[0]
        cells = [str(feature.ewave), feature.name, dialect.letter(feature), tier, first, second]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"
