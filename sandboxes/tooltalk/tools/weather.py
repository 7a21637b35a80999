"""Weather: today, the next days, and what a month is usually like.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/weather.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.state import World
from sandboxes.tooltalk.toolkit import text, tool
from tracer.records import Json

SUITE = "Weather"
FORECAST_DAYS = 3
_PLACE = text("A city.")


def city_name(location: Json) -> str:
    """The city as the database names it.

    Raises:
        AttributeError: It is no text; Python's text is the published answer.
    """
    name: str = location.lower().strip()
    return name


@tool("CurrentWeather", SUITE, "Show today's weather.", login=False, location=_PLACE)
def current_weather(world: World, /, location: Json) -> Json:
    """The day of the clock."""
    return {"weather": _row(_days(world, location), world.now.date())}


@tool(
    "ForecastWeather",
    SUITE,
    "Show the weather of the next three days.",
    login=False,
    location=_PLACE,
)
def forecast_weather(world: World, /, location: Json) -> Json:
    """The days after the clock's."""
    days, today = _days(world, location), world.now.date()
    ahead = (today + timedelta(days=number) for number in range(1, FORECAST_DAYS + 1))
    return {"forecast": [_row(days, day) for day in ahead]}


@tool(
    "HistoricWeather",
    SUITE,
    "Show what the weather is usually like in a month.",
    login=False,
    location=_PLACE,
    month=text("Full name of the month."),
)
def historic_weather(world: World, /, location: Json, month: Json) -> Json:
    """The figures of a month."""
    city, month = city_name(location), month.lower()
    months = _of_city(world, "HistoricWeather", city)
    if month not in months:
        raise Refusal(f"Historic weather data for {city} missing for month {month}")
    return {"weather": dict(months[month])}


def _days(world: World, location: Json) -> Mapping[str, Json]:
    return _of_city(world, "Weather", city_name(location))


def _of_city(world: World, database: str, city: str) -> Mapping[str, Json]:
    found = world.owned(database, city)
    if found is None:
        raise Refusal(f"Location {city} not found in database")
    return found


def _row(days: Mapping[str, Json], day: date) -> dict[str, Json]:
    """The weather of a day.

    Raises:
        KeyError: There is none; the text of this exception is the published answer.
    """
    if day.isoformat() not in days:
        raise KeyError(day)
    return dict(days[day.isoformat()])
