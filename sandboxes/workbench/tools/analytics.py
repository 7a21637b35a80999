"""The visits of a website: counts a day, visitors, and plots of which only the file name is kept.

Published behaviour that later reads show: the mean duration without bounds turns the durations of
the whole table into numbers for the rest of the run. In the other modes it does not.

Source:
    WorkBench at 42f1b6d, `src/tools/analytics.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from sandboxes.workbench.rows import add_row
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import TableSpec
from sandboxes.workbench.toolkit import TABLES, tool
from tracer.records import Json

VISITS = TABLES.add("visits")(
    TableSpec(
        name="visits",
        file="sandbox/analytics_data.csv",
        key="visitor_id",
        columns=(
            "date_of_visit",
            "visitor_id",
            "page_views",
            "session_duration_seconds",
            "traffic_source",
            "user_engaged",
        ),
        compared=False,
        booleans=("user_engaged",),
    )
)
PLOTS = TABLES.add("plots")(
    TableSpec(name="plots", file="", key="file_path", columns=("file_path",), key_is_id=False)
)
VALUES = (
    "total_visits",
    "session_duration_seconds",
    "user_engaged",
    "visits_direct",
    "visits_referral",
    "visits_search_engine",
    "visits_social_media",
)
KINDS = ("bar", "line", "scatter", "histogram")
_DAY, _SECONDS, _SOURCE, _ENGAGED = 0, 3, 4, 5
_BOUNDS = {"time_min": "First day, YYYY-MM-DD.", "time_max": "Last day, YYYY-MM-DD."}


@tool(
    "analytics.get_visitor_information_by_id",
    "Read all visits of a visitor.",
    {"visitor_id": "Id of the visitor, 4 digits."},
    writes=False,
)
def get_visitor_information_by_id(state: State, visitor_id: Json = None) -> Json:
    """The visits of a visitor."""
    if not visitor_id:
        return "Visitor ID not provided."
    table = state.table(VISITS.name)
    found = [table.record(row) for row in table.rows_of(visitor_id)]
    for record in found:
        for column in state.numbers:
            record[column] = float(record[column])
    return found or "Visitor not found."


@tool(
    "analytics.create_plot",
    "Plot a value over days; gives the path of the picture.",
    {
        **_BOUNDS,
        "value_to_plot": f"One of {', '.join(VALUES)}.",
        "plot_type": f"One of {', '.join(KINDS)}.",
    },
    writes=True,
)
def create_plot(
    state: State,
    time_min: Json = None,
    time_max: Json = None,
    value_to_plot: Json = None,
    plot_type: Json = None,
) -> Json:
    """Note the path of a plot."""
    if not time_min:
        return "Start date not provided."
    if not time_max:
        return "End date not provided."
    if value_to_plot not in VALUES:
        return (
            "Value to plot must be one of 'total_visits', 'session_duration_seconds', "
            "'user_engaged', 'direct', 'referral', 'search engine', 'social media'"
        )
    if plot_type not in KINDS:
        return "Plot type must be one of 'bar', 'line', 'scatter', or 'histogram'"
    path = f"plots/{time_min}_{time_max}_{value_to_plot}_{plot_type}.png"
    table = state.table(PLOTS.name)
    add_row(state, table, {"file_path": path}, label=len(table.entries))
    return path


@tool("analytics.total_visits_count", "Count the visits of each day.", _BOUNDS, writes=False)
def total_visits_count(state: State, time_min: Json = None, time_max: Json = None) -> Json:
    """Day to number of visits."""
    return _by_day(state, time_min, time_max, lambda row: 1)


@tool(
    "analytics.engaged_users_count",
    "Count the visits of each day in which the visitor was engaged.",
    _BOUNDS,
    writes=False,
)
def engaged_users_count(state: State, time_min: Json = None, time_max: Json = None) -> Json:
    """Day to number of engaged visits; a day with other visits only has 0."""
    return _by_day(state, time_min, time_max, lambda row: int(row[_ENGAGED]))


@tool(
    "analytics.traffic_source_count",
    "Count the visits of each day that came from one source.",
    {**_BOUNDS, "traffic_source": "One of direct, referral, search engine, social media."},
    writes=False,
)
def traffic_source_count(
    state: State, time_min: Json = None, time_max: Json = None, traffic_source: Json = None
) -> Json:
    """Day to number of visits from the source; all visits when none is given."""
    if not traffic_source:
        return _by_day(state, time_min, time_max, lambda row: 1)
    return _by_day(state, time_min, time_max, lambda row: int(row[_SOURCE] == traffic_source))


@tool(
    "analytics.get_average_session_duration",
    "Average the duration of the sessions of each day, in seconds.",
    _BOUNDS,
    writes=False,
)
def get_average_session_duration(
    state: State, time_min: Json = None, time_max: Json = None
) -> Json:
    """Day to mean duration."""
    if not time_min and not time_max and not state.mended:
        state.numbers.add("session_duration_seconds")
    sums = _by_day(state, time_min, time_max, lambda row: float(row[_SECONDS]))
    counts = _by_day(state, time_min, time_max, lambda row: 1)
    return {day: total / counts[day] for day, total in sums.items()}


def _by_day(
    state: State, first: Json, last: Json, value: Callable[[tuple[Json, ...]], float]
) -> dict[str, float]:
    """Day to the sum of a value over its visits, in the order of days; bounds compare as text."""
    sums: dict[str, float] = {}
    for row in state.table(VISITS.name).entries:
        day = row.values[_DAY]
        if (not first or day >= first) and (not last or day <= last):
            sums[day] = sums.get(day, 0) + value(row.values)
    return dict(sorted(sums.items()))
