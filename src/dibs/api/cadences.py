"""Cadences over HTTP: their schedules, and the tick that an EventBridge API destination calls."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from dibs.api.answers import answer, shows
from dibs.api.auth import PartsOf, needs
from dibs.signals import rules
from dibs.signals.model import Cadence, Tick
from dibs.signals.read import list_cadences
from dibs.signals.tick import tick

router = APIRouter(prefix="/api/cadences", tags=["signals"])

CadenceId = Annotated[str, Path(max_length=rules.LONGEST_TEXT)]


@router.get(
    "", dependencies=needs("read"), responses=shows(Cadence, many=True), summary="Schedules, last ticks, dirty counts"
)
async def get_cadences(parts: PartsOf) -> Response:
    found = await list_cadences(parts.db, parts.clock)
    return answer({"items": found, "next_cursor": None})


@router.post("/{cadence_id}/tick", dependencies=needs("staff"), responses=shows(Tick), summary="Tick now")
async def post_tick(parts: PartsOf, cadence_id: CadenceId) -> Response:
    rules.check_text("cadence_id", cadence_id)
    return answer(await tick(parts.db, parts.clock, cadence_id, parts.config.signals.schedule()))
