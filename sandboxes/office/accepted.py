"""Accepted forms of an answer: short macros that stand for every way to write one value."""

from __future__ import annotations

from datetime import date, time

_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
"""
_ONES, _TENS = _WORDS.split()[:20], _WORDS.split()[20:]


def expand(form: str) -> list[str]:
    """The forms that one line of an answer key stands for.

    `@eur 62.00`, `@date 2026-01-28`, `@time 15:00` and `@count 43 lamps` are macros; any other text
    stands for itself.

    Raises:
        ValueError: There is no such macro.

    Example:
        >>> expand("@time 15:00")
        ['15:00', '3:00 pm', '3 pm']
        >>> expand("rev 2")
        ['rev 2']
    """
    if not form.startswith("@"):
        return [form]
    name, _, value = form[1:].partition(" ")
    makers = {"eur": _amount, "date": _date, "time": _time, "count": _count}
    if name not in makers:
        raise ValueError(f"unknown macro {form!r}; known: {', '.join(sorted(makers))}")
    return list(dict.fromkeys(makers[name](value)))


def _amount(value: str) -> list[str]:
    cents = round(float(value) * 100)
    whole, rest = divmod(cents, 100)
    numbers = [f"{whole:,}.{rest:02d}", f"{whole}.{rest:02d}"]
    if rest % 10 == 0 and rest:
        numbers.append(f"{whole}.{rest // 10}")
    if rest == 0:
        numbers += [f"{whole:,}", str(whole)]
    forms = [
        text
        for number in numbers
        for text in (
            f"EUR {number}",
            f"{number} EUR",
            f"€{number}",
            f"{number} €",
            f"{number} euros",
            f"{number} euro",
        )
    ]
    # A bare number is told from others only when it is long: four digits, or cents.
    return forms + (numbers if whole >= 1000 or rest else [])


def _date(value: str) -> list[str]:
    day = date.fromisoformat(value)
    months = [f"{day:%B}", f"{day:%b}"]
    forms = [form for month in months for form in (f"{day.day} {month}", f"{month} {day.day}")]
    return [*forms, f"{day.day} of {months[0]}", value]


def _time(value: str) -> list[str]:
    hour = time.fromisoformat(value)
    half = "am" if hour.hour < 12 else "pm"
    twelve = hour.hour % 12 or 12
    forms = [value, f"{twelve}:{hour.minute:02d} {half}"]
    return forms if hour.minute else [*forms, f"{twelve} {half}"]


def _count(value: str) -> list[str]:
    number, _, noun = value.partition(" ")
    return [f"{number} {noun}", f"{noun} {number}", f"{in_words(int(number))} {noun}"]


def in_words(number: int) -> str:
    """A whole number below 1,000 in words.

    Raises:
        ValueError: It is negative or 1,000 or more.

    Example:
        >>> in_words(252), in_words(40)
        ('two hundred and fifty-two', 'forty')
    """
    if not 0 <= number < 1000:
        raise ValueError(f"in_words: {number} is outside 0 to 999; write the form out by hand")
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    hundreds, rest = divmod(number, 100)
    return f"{_ONES[hundreds]} hundred" + (f" and {in_words(rest)}" if rest else "")
