"""Whether a sighting is collected now, and if not, why. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dibs.demand.model import Decision, Pressure


@dataclass(frozen=True, slots=True)
class Limits:
    """From the configuration; the defaults are the decided numbers."""

    low_result_threshold: int = 25
    min_viewport_miles: float = 1.7
    max_targets: int = 5
    max_waiting: int = 3
    max_batches: int = 10


@dataclass(frozen=True, slots=True)
class Sighting:
    """What the search itself says: how much it found, how wide it looked, and where."""

    results: int
    viewport_miles: float | None
    location_key: str | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known about the request: whether it runs, and how long its place rests."""

    running: bool = False
    cooldown_until: datetime | None = None


def refuse(sighting: Sighting, limits: Limits) -> Decision | None:
    """Why this search asks for no collection, whatever the request's state; None if it does."""
    if sighting.results >= limits.low_result_threshold:
        return Decision.ENOUGH_RESULTS
    if sighting.location_key is None:
        return Decision.RECORDED_NO_LOCATION
    if sighting.viewport_miles is not None and sighting.viewport_miles < limits.min_viewport_miles:
        return Decision.RECORDED_SMALL_VIEWPORT
    return None


def is_under_pressure(pressure: Pressure, limits: Limits) -> bool:
    """Too much waits or is being processed to add to it."""
    return pressure.waiting >= limits.max_waiting or pressure.batches >= limits.max_batches


def decide_collection(
    sighting: Sighting,
    standing: Standing,
    pressure: Pressure,
    *,
    queued_by_this_search: int,
    limits: Limits,
    now: datetime,
) -> Decision:
    """The one place where it is decided; the demand is recorded whatever it says.

    `pressure` is that before the search, so that one search may queue all its targets, up to the limit.
    """
    if standing.running:
        return Decision.ALREADY_RUNNING
    refused = refuse(sighting, limits)
    if refused:
        return refused
    if standing.cooldown_until is not None and now < standing.cooldown_until:
        return Decision.COOLDOWN
    if is_under_pressure(pressure, limits) or queued_by_this_search >= limits.max_targets:
        return Decision.DEFERRED
    return Decision.QUEUED
