"""The nouns of the hub."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

Status = Literal["Open", "Closed", "Wait", "Unknown"]
DetectedBy = Literal["open_sections", "poll", "section_status_event", "signal", "manual"]


class NewEvent(Struct, frozen=True, kw_only=True):
    """A transition that somebody has just seen."""

    provider: str
    watch_key: str
    slot_id: str
    slot_key: str
    group_key: str
    subject: dict[str, Any]
    status_before: Status
    status_after: Status
    seat_delta: int
    event_at: datetime
    detected_by: DetectedBy
    dedupe_key: str
    trace_id: str
    payload: dict[str, Any]
    topics: list[str]
    generation: int
    reason: str
    item_id: int | None = None
    snapshot_id: int | None = None
    private: bool = False


class RecordedEvent(Struct, frozen=True, kw_only=True):
    """An event that was written; one whose key was taken is not among them."""

    open_event_id: int
    slot_id: str
    dedupe_key: str
    status_after: Status


class OpenEvent(Struct, frozen=True, kw_only=True):
    """An event as the API shows it."""

    open_event_id: int
    provider: str
    watch_key: str
    slot_id: str
    slot_key: str
    group_key: str
    subject: dict[str, Any]
    item_id: int | None
    subscription_id: int | None = None
    status_before: str
    status_after: str
    seat_delta: int
    event_at: datetime
    detected_by: str
    snapshot_id: int | None
    dedupe_key: str
    trace_id: str
    payload: dict[str, Any]
    topics: list[str]
    still_open: bool
    closed_at: datetime | None
    generation: int
    reason: str
    private: bool = False


class SlotState(Struct, frozen=True, kw_only=True):
    """What a slot is to become."""

    slot_id: str
    provider: str
    slot_key: str
    watch_key: str
    group_key: str
    starts_at: datetime | None
    open: bool
    opened_at: datetime | None
    closed_at: datetime | None
    last_seen_at: datetime
    misses: int
    generation: int
    payload: dict[str, Any]


class SlotClosing(Struct, frozen=True, kw_only=True):
    """A slot that is gone. `quiet`: out of sight too long rather than gone."""

    slot_id: str
    at: datetime
    misses: int = 0
    quiet: bool = False


class Slot(Struct, frozen=True, kw_only=True):
    """A slot as the API shows it."""

    slot_id: str
    slot_key: str
    watch_key: str
    provider: str
    group_key: str
    starts_at: datetime | None
    open: bool
    opened_at: datetime | None
    closed_at: datetime | None
    last_seen_at: datetime
    misses: int
    payload: dict[str, Any]


class OpenNow(Struct, frozen=True, kw_only=True):
    """How much of a provider is open at this moment."""

    provider: str
    slots: int
    groups: int


class HourCount(Struct, frozen=True, kw_only=True):
    """How often something of a provider opened within an hour."""

    hour: datetime
    provider: str
    openings: int


def slot_id_of(provider: str, slot_key: str) -> str:
    """The fingerprint of a slot: the same thing has the same id, whoever sees it."""
    return hashlib.sha256(f"{provider}|{slot_key}".encode()).hexdigest()[:32]


def topics_of(provider: str, slot_key: str, group_key: str, watch_key: str) -> list[str]:
    """What one can subscribe to that this slot belongs to."""
    return [f"slot:{provider}:{slot_key}", f"group:{provider}:{group_key}", f"watch:{watch_key}"]
