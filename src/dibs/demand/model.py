"""Nouns of demand: what was looked for, what was decided, what is collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from dibs.places.geo import Bounds, Point
from dibs.places.model import EntityType


class Reason(StrEnum):
    """Why something is wanted."""

    LOW_RESULT = "low_result"
    UNRESOLVED = "unresolved"


class Decision(StrEnum):
    """What came of a sighting."""

    QUEUED = "queued"
    RECORDED_NO_LOCATION = "recorded_no_location"
    RECORDED_SMALL_VIEWPORT = "recorded_small_viewport"
    COOLDOWN = "cooldown"
    DEFERRED = "deferred"
    ALREADY_RUNNING = "already_running"
    ENOUGH_RESULTS = "enough_results"


class Status(StrEnum):
    """Where a request stands."""

    PENDING = "pending"
    QUEUED = "queued"
    PROCESSING = "processing"
    COMPLETED = "completed"


class Outcome(StrEnum):
    """How a run ended."""

    SUCCESS = "success"
    NO_RESULTS = "no_results"
    ERROR = "error"
    DEFERRED = "deferred"


class Sort(StrEnum):
    """An order in which a community's search lists posts."""

    NEW = "new"
    RELEVANCE = "relevance"
    TOP = "top"


class TimeFilter(StrEnum):
    """How far back a search looks; `new` knows none."""

    MONTH = "month"
    YEAR = "year"


class Stage(StrEnum):
    """What a run is doing; visible while it runs."""

    SEARCHING = "searching"
    LOADING = "loading"
    PROCESSING = "processing"
    ENRICHING = "enriching"


@dataclass(frozen=True, slots=True)
class Term:
    """A word or name with the kind of thing it stands for."""

    text: str
    entity_type: EntityType


@dataclass(frozen=True, slots=True)
class Query:
    """A search as a person made it, already checked."""

    text: str
    terms: tuple[Term, ...] = ()
    bounds: Bounds | None = None
    user_location: Point | None = None
    limit: int = 25


@dataclass(frozen=True, slots=True)
class Wanted:
    """A target of collection: what was missing, and why."""

    term: str
    entity_type: EntityType
    reason: Reason


@dataclass(frozen=True, slots=True)
class Bias:
    """Around where a new restaurant is to be looked up."""

    lat: float
    lng: float
    radius_m: float | None = None


@dataclass(frozen=True, slots=True)
class Pressure:
    """How much is waiting and running already, and how long a run takes."""

    waiting: int = 0
    processing: int = 0
    batches: int = 0
    mean_run_ms: float | None = None

    @property
    def backlog(self) -> int:
        return self.waiting + self.processing


@dataclass(frozen=True, slots=True)
class SortRun:
    """When a sort ran last in a place, and how far back it looked."""

    last_run_at: datetime
    last_time_filter: TimeFilter | None = None


SortHistory = Mapping[Sort, SortRun]


@dataclass(frozen=True, slots=True)
class SortStep:
    """One search to make."""

    sort: Sort
    time_filter: TimeFilter | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One search that was made, and how many posts it gave."""

    location_key: str
    sort: Sort
    time_filter: TimeFilter | None
    posts: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Run:
    """A request that this worker holds and collects now."""

    token: UUID
    request_id: int
    term: str
    entity_type: EntityType
    reason: Reason
    location_key: str
    center: Point
    safe_interval_days: float
    bias: Bias | None
    sort_history: SortHistory
    errors_in_a_row: int
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run has done so far."""

    stage: Stage
    posts_found: int = 0
    batches_total: int = 0
    batches_done: int = 0
    mentions_found: int = 0
    entities_found: int = 0


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended and what it asked; `error` says what a person should know."""

    outcome: Outcome
    attempted: tuple[Attempt, ...] = ()
    posts: int = 0
    mentions: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class CollectionRequest:
    """What was looked for and did not show, and what is done about it."""

    request_id: int
    term: str
    entity_type: EntityType
    reason: Reason
    location_key: str | None
    run_location_key: str | None
    occurrence_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    status: Status
    last_outcome: Outcome | None
    due_at: datetime | None
    cooldown_until: datetime | None
    sort_history: dict[str, Any]
    attempted: list[dict[str, Any]]
    error: str | None
    refused: Decision | None
    stage: Stage | None
    posts_found: int
    batches_total: int
    batches_done: int
    mentions_found: int
    entities_found: int
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Target:
    """A wanted thing with what was decided about it."""

    term: str
    entity_type: EntityType
    reason: Reason
    decision: Decision
    request_id: int


@dataclass(frozen=True, slots=True)
class OnDemand:
    """What a search set in motion; the message is there only when something was really queued."""

    queued: bool = False
    eta_ms: int | None = None
    message: str | None = None
    targets: tuple[Target, ...] = field(default=())
