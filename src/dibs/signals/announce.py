"""Tells the hub what own inventory has: an edge is an event like any other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from dibs.db import Connection
from dibs.openings import NewEvent, SlotState, put_slots, record, slot_id_of, topics_of
from dibs.signals.model import PROVIDER, Edge
from dibs.signals.rules import edge_of
from dibs.telemetry import new_trace_id


def read_edges(rows: Iterable[dict[str, Any]]) -> list[Edge]:
    """The edges of a statement that gives them as JSON."""
    return msgspec.convert(list(rows), list[Edge])


async def announce(connection: Connection, edges: Sequence[Edge], now: datetime) -> None:
    """Records an event for each edge; call it in the transaction that wrote the values."""
    if not edges:
        return
    trace_id = new_trace_id()
    await put_slots(connection, [_slot(edge, now) for edge in edges])
    await record(connection, [_event(edge, now, trace_id) for edge in edges])


async def baseline(connection: Connection, edges: Sequence[Edge], now: datetime) -> None:
    """Saves the slots without an event: what was there from the start, or has ended with its date."""
    await put_slots(connection, [_slot(edge, now) for edge in edges])


def slot_key_of(edge: Edge) -> str:
    return f"{edge.product_key}:{edge.date}"


def _slot(edge: Edge, now: datetime) -> SlotState:
    is_open = edge.available > 0
    key = slot_key_of(edge)
    return SlotState(
        slot_id=slot_id_of(PROVIDER, key),
        provider=PROVIDER,
        slot_key=key,
        watch_key=f"cadence:{edge.cadence_id}",
        group_key=edge.product_key,
        starts_at=edge.starts_at,
        open=is_open,
        opened_at=edge.opened_at,
        closed_at=None if is_open else now,
        last_seen_at=now,
        misses=0,
        generation=edge.generation,
        payload=_payload(edge),
    )


def _event(edge: Edge, now: datetime, trace_id: str) -> NewEvent:
    status = edge_of(edge.before, edge.available)
    is_open = status == "Open"
    key = slot_key_of(edge)
    return NewEvent(
        provider=PROVIDER,
        watch_key=f"cadence:{edge.cadence_id}",
        slot_id=slot_id_of(PROVIDER, key),
        slot_key=key,
        group_key=edge.product_key,
        subject={
            "collection_id": edge.collection_id,
            "activity_type": edge.activity_type,
            "activity_id": edge.activity_id,
            "product_id": edge.product_id,
            "date": edge.date,
        },
        status_before="Closed" if is_open else "Open",
        status_after="Open" if is_open else "Closed",
        seat_delta=edge.available - edge.before,
        event_at=now,
        detected_by="signal",
        # The signal's own id, so that a date that was withdrawn and seeded again starts anew.
        dedupe_key=f"signal|{edge.global_id}|{edge.generation}|{'Open' if is_open else 'Closed'}",
        trace_id=trace_id,
        payload=_payload(edge),
        topics=_topics(edge, key),
        generation=edge.generation,
        reason="available" if is_open else edge.reason or "sold_out",
    )


def _topics(edge: Edge, key: str) -> list[str]:
    """By the product's key alone, and by the form that every other opening has."""
    own = [f"slot:{key}", f"group:{edge.product_key}", edge.product_key]
    return [*own, *topics_of(PROVIDER, key, edge.product_key, f"cadence:{edge.cadence_id}")]


def _payload(edge: Edge) -> dict[str, Any]:
    return {
        "title": f"{edge.name}, {edge.date}",
        "starts_at": edge.starts_at,
        "url": None,
        "date": edge.date,
        "product": edge.product_key,
        "value": edge.tier or edge.available,
        "tier": edge.tier,
        "available": edge.available,
        "capacity": edge.capacity,
        "version": edge.version,
    }
