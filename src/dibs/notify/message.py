"""What a notice says, before a channel gives it its form."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from dibs.notify.model import Message
from dibs.notify.phrases import phrases
from dibs.openings import OpenEvent

TYPES = {"opening": "opening.opened", "test": "opening.test", "verification": "subscription.verify"}
LONGEST_TITLE = 200


def idempotency_key(event: OpenEvent, subscription_id: int) -> str:
    """The same for every attempt at telling this subscription of this event, in whichever database."""
    named = f"{event.dedupe_key}|{subscription_id}".encode()
    return f"ntc_{hashlib.sha256(named).hexdigest()[:32]}"


def unsubscribe_url(public_url: str, token: str) -> str:
    """Tokens consist of digits, letters and a dot, so nothing needs to be quoted."""
    return f"{public_url}/unsubscribe?token={token}"


def verify_url(public_url: str, token: str) -> str:
    return f"{public_url}/verify?token={token}"


def body(message: Message) -> bytes:
    """The body of a webhook; the same bytes at every attempt as long as the event is the same."""
    data = msgspec.structs.replace(message.event, subscription_id=message.subscription_id)
    return msgspec.json.encode({"type": TYPES[message.kind], "timestamp": message.event.event_at, "data": data})


def title(message: Message) -> str:
    """What has opened, on one line."""
    named = str(message.event.payload.get("title") or message.event.slot_key)
    return " ".join(named.split())[:LONGEST_TITLE]


def link(message: Message) -> str | None:
    """Where it can be booked; only a web address, whatever a provider put there."""
    url = message.event.payload.get("url")
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return url.strip() if parts.scheme in ("http", "https") and parts.netloc else None


def headline(message: Message) -> str:
    words = phrases(message.locale)
    if message.kind == "verification":
        return words.verify_headline
    if message.kind == "test":
        return words.test_headline
    return words.opened.format(title=title(message))


def details(message: Message) -> list[tuple[str, str]]:
    """Labelled facts, in the order in which people want them."""
    words = phrases(message.locale)
    facts: list[tuple[str, str]] = []
    starts_at = message.event.payload.get("starts_at")
    if starts_at and not message.event.payload.get("all_day"):
        facts.append((words.when, local_time(starts_at, message)))
    kept_until = message.event.payload.get("kept_until")
    if kept_until:
        facts.append((words.kept, local_time(kept_until, message)))
    for key, label in (("meeting_summary", words.meets), ("venue", words.where), ("location", words.where)):
        value = message.event.payload.get(key)
        if isinstance(value, str) and value and value != title(message):
            facts.append((label, " ".join(value.split())))
    if message.kind == "opening":
        facts.append((words.seen, local_time(message.event.event_at, message)))
    return facts


def local_time(moment: object, message: Message) -> str:
    """A moment by the wall clock of the place, else of the person, else as the provider wrote it."""
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError:
            return " ".join(moment.split())
    if not isinstance(moment, datetime):
        return str(moment)
    zone = _zone(message.event.payload.get("timezone")) or _zone(message.timezone)
    if moment.tzinfo is None:
        # A provider's wall clock: it says nothing about the zone, so nothing is converted.
        return phrases(message.locale).moment(moment)
    return phrases(message.locale).moment(moment.astimezone(zone or moment.tzinfo))


def _zone(name: Any) -> ZoneInfo | None:
    if not isinstance(name, str) or not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def sample_event(topic: str, subscription_id: int, now: datetime) -> OpenEvent:
    """The invented event of a test notice."""
    key = f"test|{subscription_id}|{now.astimezone(UTC).isoformat()}"
    return OpenEvent(
        open_event_id=0,
        provider="test",
        watch_key="test",
        slot_id=hashlib.sha256(key.encode()).hexdigest()[:32],
        slot_key=topic,
        group_key="test",
        subject={},
        item_id=None,
        status_before="Closed",
        status_after="Open",
        seat_delta=1,
        event_at=now,
        detected_by="manual",
        snapshot_id=None,
        dedupe_key=key,
        trace_id="",
        payload={"title": topic},
        topics=[topic],
        still_open=True,
        closed_at=None,
        generation=0,
        reason="test",
    )
