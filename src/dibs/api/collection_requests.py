"""The demand list, and collecting one request now."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.demand.model import CollectionRequest
from dibs.demand.requests import why_not
from dibs.parts import Parts

router = APIRouter(prefix="/api", tags=["demand"])

RequestId = Annotated[int, Path(ge=1, lt=2**63)]


class ProgressShown(Struct, frozen=True):
    stage: str
    posts_found: int
    batches_total: int
    batches_done: int
    mentions_found: int
    entities_found: int


class CollectionRequestShown(Struct, frozen=True):
    request_id: int
    term: str
    entity_type: str
    reason: str
    location_key: str | None
    run_location_key: str | None
    occurrence_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    status: str
    last_outcome: str | None
    due_at: datetime | None
    cooldown_until: datetime | None
    sort_history: dict[str, Any]
    attempted: list[dict[str, Any]]
    error: str | None
    why_not: str | None
    progress: ProgressShown | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


class RunBody(BaseModel):
    """Where to collect; only a request without a place of its own needs to be told."""

    model_config = ConfigDict(extra="forbid")

    location_key: Annotated[str, Field(max_length=60)] | None = None


@router.get(
    "/collection-requests",
    dependencies=needs("read"),
    responses=shows(CollectionRequestShown, many=True),
    summary="What people looked for",
)
async def list_requests(
    parts: PartsOf,
    status: Literal["pending", "queued", "processing", "completed"] | None = None,
    location_key: Annotated[str | None, Query(max_length=60)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    before = decode_cursor(cursor, tuple[datetime, int])
    found = await parts.collection_requests.list(
        limit=limit + 1, status=status, location_key=location_key, before=before
    )
    return page([_show(parts, one) for one in found], limit, lambda one: [one.last_seen_at, one.request_id])


@router.get(
    "/collection-requests/{request_id}",
    dependencies=needs("read"),
    responses=shows(CollectionRequestShown),
    summary="One request",
)
async def get_request(parts: PartsOf, request_id: RequestId) -> Response:
    return answer(_show(parts, await parts.collection_requests.get(request_id)))


@router.post(
    "/collection-requests/{request_id}/run",
    dependencies=needs("admin"),
    responses=shows(CollectionRequestShown),
    summary="Collect it now, inside the provider's pace",
)
async def run_request(parts: PartsOf, request_id: RequestId, body: RunBody | None = None) -> Response:
    request = await parts.collection_requests.run(request_id, body.location_key if body else None)
    return answer(_show(parts, request))


def _show(parts: Parts, request: CollectionRequest) -> CollectionRequestShown:
    return CollectionRequestShown(
        request.request_id,
        request.term,
        request.entity_type,
        request.reason,
        request.location_key,
        request.run_location_key,
        request.occurrence_count,
        request.first_seen_at,
        request.last_seen_at,
        request.status,
        request.last_outcome,
        request.due_at,
        request.cooldown_until,
        request.sort_history,
        request.attempted,
        request.error,
        why_not(request, parts.clock.now()),
        _progress(request),
        request.queued_at,
        request.started_at,
        request.finished_at,
    )


def _progress(request: CollectionRequest) -> ProgressShown | None:
    if request.stage is None:
        return None
    return ProgressShown(
        request.stage,
        request.posts_found,
        request.batches_total,
        request.batches_done,
        request.mentions_found,
        request.entities_found,
    )
