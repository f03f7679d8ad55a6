"""The nouns of what is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from dibs.places.geo import Bounds
from dibs.signals.model import PROVIDER as OWN

WantedStatus = Literal["open", "watched", "stopped"]
WatchedBy = Literal["person", "rule"]
AskStatus = Literal["waiting", "subscribed", "refused", "withdrawn"]


class Reason(StrEnum):
    """What the look for a place among the known ones gave."""

    MATCHED = "matched"
    AMBIGUOUS = "ambiguous"
    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"
    # It is known, and nothing can look at it now: its watch is paused or gone.
    NOT_WATCHABLE = "not_watchable"


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers of the rule."""

    enabled: bool
    occurrences: int
    window_days: int
    look_again_s: float
    days_ahead: int
    within_km: float


class Candidate(Struct, frozen=True):
    """A place that may be the one; `provider` and `group_key` name it."""

    provider: str
    group_key: str
    name: str
    topic: str


@dataclass(frozen=True, slots=True)
class Group:
    """A place that a provider was seen to have, or a product of our own."""

    provider: str
    group_key: str
    names: tuple[str, ...]
    topic: str
    # The watch that saw it last; None for own inventory.
    watch_key: str | None = None
    # Where the provider looks; None: anywhere.
    area: Bounds | None = None

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.provider, self.group_key, self.names[0], self.topic)


@dataclass(frozen=True, slots=True)
class Choice:
    """The place a person named."""

    provider: str
    group_key: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which place is meant, or why none was taken and which ones come near."""

    reason: Reason
    group: Group | None = None
    candidates: tuple[Candidate, ...] = ()


class WantedPlace(Struct, frozen=True, kw_only=True):
    """What became of a request, as everybody sees it."""

    request_id: int
    term: str
    location_key: str | None
    occurrence_count: int
    occurrences_in_window: int
    last_seen_at: datetime
    status: WantedStatus
    verdict: Reason | None
    candidates: list[Candidate]
    provider: str | None
    group_key: str | None
    name: str | None
    topic: str | None
    watched_by: WatchedBy | None
    watched_at: datetime | None
    stopped_at: datetime | None
    askers: int
    told: int

    @property
    def where(self) -> str:
        """The place and who has it, as people would say it."""
        return f"{self.name} in our own inventory" if self.provider == OWN else f"{self.name} at {self.provider}"


@dataclass(frozen=True, slots=True)
class AskView:
    """A person who asked, and where they belong as things stand."""

    ask_id: int
    request_id: int
    channel: str
    address: str
    locale: str
    preferences: dict[str, Any]
    token_hash: bytes
    subscription_hash: bytes
    webhook_secret: str | None
    asked_at: datetime
    withdrawn_at: datetime | None
    topic: str | None
    subscription_id: int | None
    problem: str | None
    changes: int
    belongs_to: str | None

    @property
    def status(self) -> AskStatus:
        if self.withdrawn_at is not None:
            return "withdrawn"
        if self.subscription_id is not None:
            return "subscribed"
        return "refused" if self.problem else "waiting"


@dataclass(frozen=True, slots=True)
class Watching:
    """A watch that can still see something."""

    watch_key: str
    paused: bool
    ours: bool
