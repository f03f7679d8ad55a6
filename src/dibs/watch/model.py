"""The nouns of watching."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from dibs.sources.model import Detail

SlotStatus = Literal["Open", "Closed", "Wait", "Unknown"]


@dataclass(frozen=True, slots=True)
class Pending:
    """What is undecided about a tracked slot; a slot with nothing undecided has none.

    `elsewhere`: this watch no longer sees it, and another one does; it closes when nobody does.
    """

    misses: int = 0
    unknown_since: datetime | None = None
    quiet: bool = False
    elsewhere: bool = False

    @property
    def missed(self) -> bool:
        """Whether a look that could see it has missed it already."""
        return self.misses > 0 or self.quiet


@dataclass(frozen=True, slots=True)
class Memory:
    """What the hub remembers of a slot, whichever watch it came through.

    `silent_since`: it is open since then, and that was announced to nobody.
    """

    open: bool
    generation: int
    opened_event_at: datetime | None = None
    closed_event_at: datetime | None = None
    quiet: bool = False
    seen_elsewhere: bool = False
    distrust_until: datetime | None = None
    silent_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """When the previous look began, and how much it could see."""

    complete: bool = True
    groups: frozenset[str] | None = None
    at: datetime | None = None

    def could_see(self, group: str) -> bool:
        return self.complete or (self.groups is not None and group in self.groups)

    def was_before(self, moment: datetime | None) -> bool:
        return self.at is not None and moment is not None and self.at < moment


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A drop that is not believed yet."""

    since: datetime
    samples: int
    count: int


@dataclass(frozen=True, slots=True)
class State:
    """All that a watch knows between two looks. `tracked` maps slot key to group key."""

    bootstrapped: bool = False
    tracked: Mapping[str, str] = field(default_factory=dict[str, str])
    pending: Mapping[str, Pending] = field(default_factory=dict[str, Pending])
    memory: Mapping[str, Memory] = field(default_factory=dict[str, Memory])
    look: Look = field(default_factory=Look)
    counts: tuple[int, ...] = ()
    suspicion: Suspicion | None = None
    nameless: int = 0
    nameless_since: datetime | None = None

    @property
    def seen_open(self) -> int:
        """How many slots the watch itself holds for open."""
        return len(self.tracked) - sum(one.quiet or one.elsewhere for one in self.pending.values())

    @property
    def settled(self) -> bool:
        """Nothing is undecided, so the same answer again can change nothing."""
        return self.bootstrapped and not self.pending and self.suspicion is None


class Outcome(StrEnum):
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    BOOTSTRAPPED = "bootstrapped"
    PARTIAL = "partial"
    SUSPECT = "suspect"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a slot was treated as it was; reaches logs, events and the replay unchanged."""

    OPENED = "opened"
    BOOTSTRAP = "bootstrap"
    GROUP_HAD_SLOTS = "group_had_slots"
    UNKNOWN_BEFORE = "unknown_before"
    WITHIN_DEDUPE = "within_dedupe"
    RETURNED = "returned_from_unknown"
    ALREADY_OPEN = "already_open"
    STALE_ANSWER = "stale_answer"
    SEEN_AGAIN = "seen_again"
    MISSING = "missing"
    NOT_LOOKED_AT = "not_looked_at"
    CLOSED = "closed"
    SEEN_ELSEWHERE = "seen_elsewhere"
    CLOSED_ALREADY = "closed_already"
    UNKNOWN_TOO_LONG = "unknown_too_long"
    CLOSE_CONFIRMED = "close_confirmed"
    NOT_IN_CATALOG = "not_in_catalog"


@dataclass(frozen=True, slots=True)
class EventDraft:
    status_before: SlotStatus
    status_after: SlotStatus
    seat_delta: int
    generation: int


@dataclass(frozen=True, slots=True)
class SlotAfter:
    """The slot's row in the hub after this look."""

    open: bool
    generation: int
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One slot's verdict. `group_key` None: the watch no longer tracks it; `slot` None: the hub keeps its row."""

    slot_key: str
    reason: Reason
    group_key: str | None = None
    pending: Pending | None = None
    slot: SlotAfter | None = None
    event: EventDraft | None = None
    detail: Detail | None = None


@dataclass(frozen=True, slots=True)
class Detection:
    outcome: Outcome
    reason: str
    changes: tuple[Change, ...]
    state: State

    @property
    def settled(self) -> bool:
        """Whether the same answer again may be skipped unread."""
        return self.state.settled and all(c.reason is not Reason.STALE_ANSWER for c in self.changes)

    @property
    def opened(self) -> list[Change]:
        return [c for c in self.changes if c.slot and c.slot.open]

    @property
    def closed(self) -> list[Change]:
        return [c for c in self.changes if c.slot and not c.slot.open]

    @property
    def events(self) -> list[Change]:
        return [c for c in self.changes if c.event]
