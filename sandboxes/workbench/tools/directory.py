"""The company directory: names to addresses."""

from __future__ import annotations

from sandboxes.workbench.patterns import compiled
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import TableSpec
from sandboxes.workbench.toolkit import TABLES, tool
from tracer.records import Json

DIRECTORY = TABLES.add("company_directory")(
    TableSpec(
        name="company_directory",
        file="raw/email_addresses.csv",
        key="email_address",
        columns=("email_address",),
        header=False,
        compared=False,
    )
)


def addresses(state: State) -> list[str]:
    """All addresses, in the order of the file."""
    return [row.values[0] for row in state.table(DIRECTORY.name).entries]


@tool(
    "company_directory.find_email_address",
    "Look up e-mail addresses of colleagues by name. Gives all addresses that contain it.",
    {"name": "First name, last name or a part of either."},
    writes=False,
)
def find_email_address(state: State, name: Json = "") -> Json:
    """Addresses that match the lower-cased name as a regular expression."""
    if name == "":
        return "Name not provided."
    pattern = compiled(name.lower())
    known = addresses(state)
    return [address for address, hit in zip(known, pattern.hits(known), strict=True) if hit]
