"""Signals over HTTP, in the shape of their document."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, encode_cursor, shows
from dibs.api.auth import PartsOf, needs
from dibs.errors import Invalid
from dibs.signals import rules
from dibs.signals.model import Signal, State
from dibs.signals.read import get_signal, list_signals

router = APIRouter(prefix="/api/signals", tags=["signals"])


@router.get("", dependencies=needs("read"), responses=shows(Signal, many=True), summary="Signals that are not over")
async def get_signals(
    parts: PartsOf,
    cadence: Annotated[str | None, Query(max_length=rules.LONGEST_TEXT)] = None,
    state: State | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    after = decode_cursor(cursor, tuple[int, date])
    if after and not 0 <= after[0] < 2**62:
        raise Invalid("The cursor is not one of ours; start again without it.")
    found = await list_signals(parts.db, parts.clock, limit=limit + 1, cadence_id=cadence, state=state, after=after)
    shown = found[:limit]
    following = encode_cursor([shown[-1][0], shown[-1][1].sk]) if len(found) > limit else None
    return answer({"items": [signal for _, signal in shown], "next_cursor": following})


@router.get("/{global_id}", dependencies=needs("read"), responses=shows(Signal), summary="One signal")
async def get_one(parts: PartsOf, global_id: UUID) -> Response:
    return answer(await get_signal(parts.db, parts.clock, global_id))
