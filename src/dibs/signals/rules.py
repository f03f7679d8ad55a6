"""The decisions about own inventory: what a pattern may be, what an edge is, when a schedule is due again."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dibs.errors import Invalid
from dibs.signals.model import Pattern, ProductKey, ProductPlan, Tier

# One colon may stand inside a part (`bcparks:250`); two separate the parts of a key.
KEY_PART = re.compile(r"[\w.~@+-]+(:[\w.~@+-]+)*")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
LONGEST_PART = 100
LONGEST_TEXT = 200
# Ten years of dates: more is a typing mistake.
LONGEST_RANGE_DAYS = 3660
# A date whose end in some zone falls outside what the languages around us can write is a typing mistake too.
FIRST_DATE = date(1970, 1, 1)
LAST_DATE = date(2199, 12, 31)
LARGEST_CAPACITY = 1_000_000
MOST_TIERS = 50


def check_key(key: ProductKey) -> None:
    """Refuses a part that could not be told apart inside a key."""
    for field in key.__struct_fields__:
        part = getattr(key, field)
        if len(part) > LONGEST_PART or not KEY_PART.fullmatch(part):
            raise Invalid(
                f"`{field}` may hold letters, digits, . _ ~ @ + - and single colons, up to {LONGEST_PART} characters.",
                field=field,
            )


def check_text(field: str, text: str, *, longest: int = LONGEST_TEXT) -> None:
    """Refuses what is empty, too long, or cannot be stored or shown."""
    if not text.strip() or len(text) > longest or CONTROL.search(text):
        raise Invalid(f"`{field}` must be 1 to {longest} characters without control characters.", field=field)


def check_plan(plan: ProductPlan, cadences: Collection[str]) -> None:
    """Refuses a product that makes no sense, naming the field."""
    check_text("name", plan.name)
    _check_zone(plan.timezone)
    check_capacity(plan.capacity)
    for field, day in (("range_start", plan.range_start), ("range_end", plan.range_end)):
        if not FIRST_DATE <= day <= LAST_DATE:
            raise Invalid(f"`{field}` must be from {FIRST_DATE} to {LAST_DATE}.", field=field)
    days = (plan.range_end - plan.range_start).days
    if days < 0:
        raise Invalid("`range_end` is before `range_start`; it is the last date, inclusive.", field="range_end")
    if days >= LONGEST_RANGE_DAYS:
        raise Invalid(f"The range may span at most {LONGEST_RANGE_DAYS} days.", field="range_end")
    if plan.floor:
        check_text("floor.restaurant", plan.floor.restaurant)
    check_pattern(plan.pattern, cadences)


def check_pattern(pattern: Pattern, cadences: Collection[str]) -> None:
    """Refuses a pattern whose cadence has no schedule or whose tiers are not in order."""
    where = "availability_estimation_pattern"
    if pattern.cadence.id not in cadences:
        known = ", ".join(sorted(cadences))
        raise Invalid(
            f"There is no cadence {pattern.cadence.id!r}; configured are: {known}.",
            code="unknown_cadence",
            field=f"{where}.cadence.id",
        )
    if pattern.estimation_mode == "tiered" and not pattern.tiers:
        raise Invalid("A tiered pattern needs `tiers`, from the lowest to the highest.", field=f"{where}.tiers")
    if len(pattern.tiers) > MOST_TIERS:
        raise Invalid(f"A pattern may have at most {MOST_TIERS} tiers.", field=f"{where}.tiers")
    for tier in pattern.tiers:
        check_text(f"{where}.tiers.id", tier.id)
        if not (math.isfinite(tier.max_percentage) and 0 <= tier.max_percentage <= 1):
            raise Invalid("`max_percentage` is a share from 0 to 1.", field=f"{where}.tiers.max_percentage")
    if any(low.max_percentage >= high.max_percentage for low, high in pairwise(pattern.tiers)):
        raise Invalid("`tiers` must rise: each `max_percentage` above the one before.", field=f"{where}.tiers")
    if len({tier.id for tier in pattern.tiers}) < len(pattern.tiers):
        raise Invalid("Each tier needs an `id` of its own.", field=f"{where}.tiers.id")


def check_quantity(quantity: int) -> None:
    _check_count("quantity", quantity, least=1)


def check_capacity(capacity: int) -> None:
    _check_count("capacity", capacity, least=0)


def _check_count(field: str, count: int, *, least: int) -> None:
    if not least <= count <= LARGEST_CAPACITY:
        raise Invalid(f"`{field}` must be from {least} to {LARGEST_CAPACITY}.", field=field)


def _check_zone(zone: str) -> None:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(
            f"`timezone` names no time zone: {zone!r}; use one like America/New_York.", field="timezone"
        ) from None


def tiers_down(pattern: Pattern) -> tuple[list[str], list[float]] | tuple[None, None]:
    """The tiers as `tier_of` reads them: ids from the highest down, with their bounds negated."""
    if pattern.estimation_mode == "exact":
        return None, None
    downwards: list[Tier] = list(reversed(pattern.tiers))
    return [tier.id for tier in downwards], [-tier.max_percentage for tier in downwards]


def edge_of(before: int, after: int) -> Literal["Open", "Closed"] | None:
    """Whether a cached availability came from nothing, went to nothing, or neither."""
    if (before > 0) == (after > 0):
        return None
    return "Open" if after > 0 else "Closed"


def next_due(due_at: datetime, interval_s: float, now: datetime) -> datetime:
    """The next moment of a schedule after `now`: however many were missed, they were one tick."""
    missed = max(0, math.floor((now - due_at).total_seconds() / interval_s))
    following = due_at + timedelta(seconds=interval_s * (missed + 1))
    return following if following > now else following + timedelta(seconds=interval_s)
