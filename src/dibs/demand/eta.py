"""What a person is told when something was queued. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

# Nothing measured yet: two hours.
UNMEASURED_RUN_MS = 120 * 60_000
MINUTE_MS = 60_000


def eta_ms(backlog: int, mean_run_ms: float | None) -> int:
    """When it should be done: everything before it, and itself."""
    return round((backlog + 1) * (UNMEASURED_RUN_MS if mean_run_ms is None else mean_run_ms))


def spoken(milliseconds: int) -> str:
    """As a person says it: "12 min", "about 1 hour", "about 3 hours"."""
    minutes = max(1, ceil(milliseconds / MINUTE_MS))
    if minutes < 60:
        return f"{minutes} min"
    hours = (minutes + 30) // 60
    return "about 1 hour" if hours == 1 else f"about {hours} hours"


def listed(terms: Sequence[str]) -> str:
    """ "tacos", "tacos and ramen", "tacos, ramen and pho"."""
    return " and ".join([", ".join(terms[:-1]), terms[-1]] if len(terms) > 1 else terms)


def message(terms: Sequence[str], milliseconds: int) -> str:
    """The sentence shown beside the results."""
    return f"We're expanding results for {listed(terms)}. Check back in {spoken(milliseconds)}."
