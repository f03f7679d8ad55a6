"""Slots and events to put into the hub."""

from __future__ import annotations

from dibs.openings import NewEvent, SlotState, slot_id_of, topics_of
from dibs.parts import Parts


def slot(parts: Parts, key: str, *, is_open: bool = True, group: str = "g") -> SlotState:
    now = parts.clock.now()
    return SlotState(
        slot_id=slot_id_of("shop", key),
        provider="shop",
        slot_key=key,
        watch_key="shop:a",
        group_key=group,
        starts_at=None,
        open=is_open,
        opened_at=now,
        closed_at=None if is_open else now,
        last_seen_at=now,
        misses=0,
        generation=1,
        payload={"title": key},
    )


def opened(parts: Parts, key: str, *, status: str = "Open", generation: int = 1, group: str = "g") -> NewEvent:
    return NewEvent(
        provider="shop",
        watch_key="shop:a",
        slot_id=slot_id_of("shop", key),
        slot_key=key,
        group_key=group,
        subject={"id": key},
        status_before="Closed" if status == "Open" else "Open",
        status_after="Open" if status == "Open" else "Closed",
        seat_delta=1 if status == "Open" else -1,
        event_at=parts.clock.now(),
        detected_by="poll",
        dedupe_key=f"{key}|{status}|{generation}",
        trace_id="0" * 32,
        payload={"title": key, "url": "https://shop.example/"},
        topics=topics_of("shop", key, group, "shop:a"),
        generation=generation,
        reason="new",
    )
