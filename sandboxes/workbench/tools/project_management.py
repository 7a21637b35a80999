"""The tasks of a project board: read, search, create, change and delete.

Source:
    WorkBench at 42f1b6d, `src/tools/project_management.py`.
"""

from __future__ import annotations

import re

from sandboxes.workbench.patterns import compiled
from sandboxes.workbench.rows import add_row, delete_row, new_id, read_field, write_field
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import Table, TableSpec
from sandboxes.workbench.toolkit import TABLES, tool
from tracer.records import Json

PROJECT_TASKS = TABLES.add("project_tasks")(
    TableSpec(
        name="project_tasks",
        file="sandbox/project_tasks.csv",
        key="task_id",
        columns=("task_id", "task_name", "assigned_to_email", "list_name", "due_date", "board"),
    )
)
LISTS = ("Backlog", "In Progress", "In Review", "Completed")
BOARDS = ("Back end", "Front end", "Design")
_BAD_ASSIGNEE = "Assignee email not valid. Please choose from the list of team members."
_BAD_LIST = (
    "List not valid. Please choose from: 'Backlog', 'In Progress', 'In Review', 'Completed'."
)
_BAD_BOARD = "Board not valid. Please choose from: 'Back end', 'Front end', 'Design'."
_FIELDS = {
    "task_name": "Name of the task.",
    "assigned_to_email": "Address of the person it is assigned to.",
    "list_name": f"One of {', '.join(LISTS)}.",
    "due_date": "Day it is due, YYYY-MM-DD.",
    "board": f"One of {', '.join(BOARDS)}.",
}


@tool(
    "project_management.get_task_information_by_id",
    "Read one field of a task.",
    {"task_id": "Id of the task, 8 digits.", "field": f"One of task_id, {', '.join(_FIELDS)}."},
    writes=False,
)
def get_task_information_by_id(state: State, task_id: Json = None, field: Json = None) -> Json:
    """One field of a task."""
    return read_field(state, PROJECT_TASKS.name, "Task", task_id, field)


@tool(
    "project_management.search_tasks",
    "Search tasks: all whose fields hold every text or pattern that is given.",
    _FIELDS,
    writes=False,
)
def search_tasks(
    state: State,
    task_name: Json = None,
    assigned_to_email: Json = None,
    list_name: Json = None,
    due_date: Json = None,
    board: Json = None,
) -> Json:
    """Tasks that hold every pattern, in the order of the table."""
    values = (task_name, assigned_to_email, list_name, due_date, board)
    wanted = {field: value for field, value in zip(_FIELDS, values, strict=True) if value}
    if not wanted:
        return "No search parameters provided."
    table = state.table(PROJECT_TASKS.name)
    found = [table.record(row) for row in table.entries]
    for field, value in wanted.items():
        hits = compiled(value, re.IGNORECASE).hits(str(record[field]) for record in found)
        found = [record for record, hit in zip(found, hits, strict=True) if hit]
    return found


@tool(
    "project_management.create_task",
    "Create a task; gives its id. All fields are needed.",
    _FIELDS,
    writes=True,
)
def create_task(
    state: State,
    task_name: Json = None,
    assigned_to_email: Json = None,
    list_name: Json = None,
    due_date: Json = None,
    board: Json = None,
) -> Json:
    """Put a task at the end of the table."""
    if not all([task_name, assigned_to_email, list_name, due_date, board]):
        return "Missing task details."
    table = state.table(PROJECT_TASKS.name)
    assigned_to_email = assigned_to_email.lower()
    if assigned_to_email not in _assignees(table):
        return _BAD_ASSIGNEE
    if list_name not in LISTS:
        return _BAD_LIST
    if board not in BOARDS:
        return _BAD_BOARD
    key = new_id(state, table)
    record = {
        "task_id": key,
        "task_name": task_name,
        "assigned_to_email": assigned_to_email,
        "list_name": list_name,
        "due_date": due_date,
        "board": board,
    }
    add_row(state, table, record, label=None)
    return key


@tool(
    "project_management.delete_task",
    "Delete a task.",
    {"task_id": "Id of the task, 8 digits."},
    writes=True,
)
def delete_task(state: State, task_id: Json = None) -> Json:
    """Take a task out of the table."""
    return delete_row(state, PROJECT_TASKS.name, "Task", task_id)


@tool(
    "project_management.update_task",
    "Change one field of a task.",
    {
        "task_id": "Id of the task, 8 digits.",
        "field": f"One of {', '.join(_FIELDS)}.",
        "new_value": "What the field is to hold.",
    },
    writes=True,
)
def update_task(
    state: State, task_id: Json = None, field: Json = None, new_value: Json = None
) -> Json:
    """Change one field of a task, where the value is one that the field may hold."""
    if not task_id or not field or not new_value:
        return "Task ID, field, or new value not provided."
    table = state.table(PROJECT_TASKS.name)
    if field == "assigned_to_email":
        new_value = new_value.lower()
    if field == "board" and new_value not in BOARDS:
        return _BAD_BOARD
    if field == "list_name" and new_value not in LISTS:
        return _BAD_LIST
    if field == "assigned_to_email" and new_value not in _assignees(table):
        return _BAD_ASSIGNEE
    if table.rows_of(task_id) and field not in table.columns:
        return "Field not valid."
    return write_field(state, PROJECT_TASKS.name, "Task", task_id, field, new_value)


def _assignees(table: Table) -> set[Json]:
    """Who owns a task; nobody else can be given one."""
    place = table.position("assigned_to_email")
    return {row.values[place] for row in table.entries}
