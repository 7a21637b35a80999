"""The customers: search, add, change and delete.

Published behaviour: after a customer with an absent field was added, a text filter on that field
raises. In the other modes an absent field holds no text, so that it is not found.

Source:
    WorkBench at 42f1b6d, `src/tools/customer_relationship_manager.py`.
"""

from __future__ import annotations

import re

from sandboxes.workbench.patterns import compiled
from sandboxes.workbench.rows import add_row, delete_row, new_id, write_field
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import TableSpec
from sandboxes.workbench.toolkit import TABLES, tool
from tracer.records import Json

CUSTOMERS = TABLES.add("customers")(
    TableSpec(
        name="customers",
        file="sandbox/customer_relationship_manager_data.csv",
        key="customer_id",
        columns=(
            "customer_id",
            "assigned_to_email",
            "customer_name",
            "customer_email",
            "customer_phone",
            "last_contact_date",
            "product_interest",
            "status",
            "follow_up_by",
            "notes",
        ),
    )
)
STATUSES = ("Qualified", "Won", "Lost", "Lead", "Proposal")
PRODUCTS = ("Software", "Hardware", "Services", "Consulting", "Training")
SHOWN = 5
_FIELDS = {
    "customer_name": "Name of the customer.",
    "assigned_to_email": "Address of the person the customer is assigned to.",
    "status": f"One of {', '.join(STATUSES)}.",
    "customer_email": "Address of the customer.",
    "customer_phone": "Telephone number of the customer.",
    "last_contact_date": "Day of the last contact, YYYY-MM-DD.",
    "product_interest": f"One of {', '.join(PRODUCTS)}.",
    "notes": "Notes about the customer.",
    "follow_up_by": "Day of the next contact, YYYY-MM-DD.",
}
_TEXT_FILTERS = (
    "customer_name",
    "customer_email",
    "product_interest",
    "status",
    "assigned_to_email",
)


@tool(
    "customer_relationship_manager.search_customers",
    "Search customers: the first 5 whose fields hold every text or pattern that is given.",
    {
        **{name: _FIELDS[name] for name in _TEXT_FILTERS},
        "last_contact_date_min": "Earliest day of the last contact, YYYY-MM-DD.",
        "last_contact_date_max": "Latest day of the last contact, YYYY-MM-DD.",
        "follow_up_by_min": "Earliest day of the next contact, YYYY-MM-DD.",
        "follow_up_by_max": "Latest day of the next contact, YYYY-MM-DD.",
    },
    writes=False,
)
def search_customers(
    state: State,
    customer_name: Json = None,
    customer_email: Json = None,
    product_interest: Json = None,
    status: Json = None,
    assigned_to_email: Json = None,
    last_contact_date_min: Json = None,
    last_contact_date_max: Json = None,
    follow_up_by_min: Json = None,
    follow_up_by_max: Json = None,
) -> Json:
    """Customers that pass every filter, one filter after the other, in the order of the table."""
    patterns = (customer_name, customer_email, product_interest, status, assigned_to_email)
    texts = {key: value for key, value in zip(_TEXT_FILTERS, patterns, strict=True) if value}
    contact = ("last_contact_date", last_contact_date_min, last_contact_date_max)
    follow_up = ("follow_up_by", follow_up_by_min, follow_up_by_max)
    if not texts and not any((*contact[1:], *follow_up[1:])):
        return "No search parameters provided. Please provide at least one parameter."
    table = state.table(CUSTOMERS.name)
    found = [table.record(row) for row in table.entries]
    for field, value in texts.items():
        found = _holding(found, field, value, mended=state.mended)
    for field, first, last in (contact, follow_up):
        if first:
            found = [one for one in found if one[field] is not None and one[field] >= first]
        if last:
            found = [one for one in found if one[field] is not None and one[field] <= last]
    return found[:SHOWN]


def _holding(
    found: list[dict[str, Json]], field: str, value: Json, *, mended: bool
) -> list[dict[str, Json]]:
    """The records whose field holds the pattern.

    Raises:
        ValueError: One of them has no such field, in the official mode.
    """
    pattern = compiled(value, re.IGNORECASE)
    if mended:
        found = [record for record in found if record[field] is not None]
    elif any(record[field] is None for record in found):
        raise ValueError(f"a customer without {field} cannot be searched by it")
    hits = pattern.hits(str(record[field]) for record in found)
    return [record for record, hit in zip(found, hits, strict=True) if hit]


@tool(
    "customer_relationship_manager.update_customer",
    "Change one field of a customer.",
    {
        "customer_id": "Id of the customer, 8 digits.",
        "field": f"One of {', '.join(_FIELDS)}.",
        "new_value": "What the field is to hold.",
    },
    writes=True,
)
def update_customer(
    state: State, customer_id: Json = None, field: Json = None, new_value: Json = None
) -> Json:
    """Change one field of a customer, where the value is one that the field may hold."""
    if not customer_id or not field or not new_value:
        return "Customer ID, field, or new value not provided."
    if field == "status" and new_value not in STATUSES:
        return (
            "Status not valid. Please choose from: 'Qualified', 'Won', 'Lost', 'Lead', 'Proposal'"
        )
    if field == "product_interest" and new_value not in PRODUCTS:
        return (
            "Product interest not valid. Please choose from: 'Software', 'Hardware', 'Services', "
            "'Consulting', 'Training'"
        )
    if field in ("customer_email", "assigned_to_email"):
        new_value = new_value.lower()
    table = state.table(CUSTOMERS.name)
    if table.rows_of(customer_id) and field not in table.columns:
        return (
            "Field not valid. Please choose from: 'customer_name', 'assigned_to_email', "
            "'customer_email', 'customer_phone', 'last_contact_date', 'product_interest', "
            "'status', 'notes', 'follow_up_by'"
        )
    return write_field(state, CUSTOMERS.name, "Customer", customer_id, field, new_value)


@tool(
    "customer_relationship_manager.add_customer",
    "Add a customer; gives the id. Name, assigned person and status are needed.",
    _FIELDS,
    writes=True,
)
def add_customer(
    state: State,
    customer_name: Json = None,
    assigned_to_email: Json = None,
    status: Json = None,
    customer_email: Json = None,
    customer_phone: Json = None,
    last_contact_date: Json = None,
    product_interest: Json = None,
    notes: Json = "",
    follow_up_by: Json = None,
) -> Json:
    """Put a customer at the end of the table."""
    if not all([customer_name, assigned_to_email, status]):
        return "Please provide all required fields: customer_name, assigned_to_email, status."
    table = state.table(CUSTOMERS.name)
    key = new_id(state, table)
    record = {
        "customer_id": key,
        "assigned_to_email": assigned_to_email.lower(),
        "customer_name": customer_name,
        "customer_email": customer_email.lower() if customer_email else customer_email,
        "customer_phone": customer_phone,
        "last_contact_date": last_contact_date,
        "product_interest": product_interest,
        "status": status,
        "follow_up_by": follow_up_by,
        "notes": notes,
    }
    add_row(state, table, record, label=None)
    return key


@tool(
    "customer_relationship_manager.delete_customer",
    "Delete a customer.",
    {"customer_id": "Id of the customer, 8 digits."},
    writes=True,
)
def delete_customer(state: State, customer_id: Json = None) -> Json:
    """Take a customer out of the table."""
    return delete_row(state, CUSTOMERS.name, "Customer", customer_id)
