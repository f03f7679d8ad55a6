"""The trace of an opening."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from dibs.api.answers import answer, shows
from dibs.api.auth import PartsOf, needs
from dibs.trace import Trace

router = APIRouter(prefix="/api", tags=["openings"])


@router.get(
    "/openings/{open_event_id}/trace",
    dependencies=needs("read"),
    responses=shows(Trace),
    summary="The whole life of an opening: seen, told, held, got",
)
async def get_trace(parts: PartsOf, open_event_id: Annotated[int, Path(ge=0, lt=2**63)]) -> Response:
    return answer(await parts.tracer.trace(open_event_id))
