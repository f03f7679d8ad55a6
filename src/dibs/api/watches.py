"""Watches: add, list, change, remove, poll now, refresh quietly."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from msgspec import Struct
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.watch import PollResult, Reconciled, Watch
from dibs.watch.model import Outcome
from dibs.watch.state_store import Snapshot

router = APIRouter(prefix="/api", tags=["watches"])

Key = Annotated[str, Path(max_length=500)]
Name = Annotated[str | None, Query(max_length=300)]


class NewWatch(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"provider": "resy", "query": {"date": "2026-02-28", "time_slot": "20:30"}}]},
    )

    provider: str = Field(min_length=1, max_length=100)
    query: dict[str, Any]
    policy: dict[str, Any] | None = None
    cadence: dict[str, Any] | None = None


class WatchChange(BaseModel):
    """What is left out stays; a null inside policy or cadence goes back to the provider's own."""

    model_config = ConfigDict(extra="forbid")

    policy: dict[str, Any] | None = None
    cadence: dict[str, Any] | None = None
    paused: bool | None = None
    status: Literal["paused", "active", "new", "healthy", "degraded", "suspect", "failing"] | None = None

    def wants_paused(self) -> bool | None:
        if self.paused is not None or self.status is None:
            return self.paused
        return self.status == "paused"


class Polled(Struct, kw_only=True):
    """How a look went: what it opened and closed are counts."""

    snapshot_id: int | None
    outcome: Outcome
    opened: int
    closed: int
    open_count: int
    reason: str


@router.post("/watches", dependencies=needs("admin"), responses=shows(Watch, status=201), summary="Watch something")
async def create_watch(parts: PartsOf, body: NewWatch) -> Response:
    watch, created = await parts.watches.add(body.provider, body.query, body.policy, body.cadence)
    return answer(watch, 201 if created else 200)


@router.get("/watches", dependencies=needs("read"), responses=shows(Watch, many=True), summary="All watches")
async def list_watches(parts: PartsOf, provider: Name = None, limit: Limit = 100, cursor: Cursor = None) -> Response:
    after = decode_cursor(cursor, tuple[str])
    found = await parts.watches.page(limit=limit + 1, after=after[0] if after else None, provider=provider)
    return page(found, limit, lambda watch: [watch.key])


@router.post("/watches/{key:path}/poll", dependencies=needs("admin"), responses=shows(Polled), summary="Poll now")
async def poll_watch(parts: PartsOf, key: Key) -> Response:
    return answer(_shown(await parts.poller.poll_now(key)))


@router.post(
    "/watches/{key:path}/baseline",
    dependencies=needs("admin"),
    responses=shows(Polled),
    summary="Refresh what is known, without events",
)
async def refresh_baseline(parts: PartsOf, key: Key) -> Response:
    return answer(_shown(await parts.poller.poll_now(key, quietly=True)))


@router.get(
    "/watches/{key:path}/snapshots",
    dependencies=needs("read"),
    responses=shows(Snapshot, many=True),
    summary="The looks of a watch",
)
async def list_snapshots(
    parts: PartsOf,
    key: Key,
    within_minutes: Annotated[int, Query(ge=1, le=60 * 24 * 366)] = 1440,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    found = await parts.watches.snapshots(
        key,
        since=parts.clock.now() - timedelta(minutes=within_minutes),
        limit=limit + 1,
        before=decode_cursor(cursor, tuple[datetime, int]),
    )
    return page(found, limit, lambda one: [one.seen_at, one.snapshot_id])


@router.get("/watches/{key:path}", dependencies=needs("read"), responses=shows(Watch), summary="One watch")
async def get_watch(parts: PartsOf, key: Key) -> Response:
    return answer(await parts.watches.get(key))


@router.patch("/watches/{key:path}", dependencies=needs("admin"), responses=shows(Watch), summary="Change a watch")
async def change_watch(parts: PartsOf, key: Key, body: WatchChange) -> Response:
    changed = await parts.watches.change(key, policy=body.policy, cadence=body.cadence, paused=body.wants_paused())
    return answer(changed)


@router.delete("/watches/{key:path}", dependencies=needs("admin"), status_code=204, summary="Stop watching")
async def delete_watch(parts: PartsOf, key: Key) -> Response:
    await parts.watches.remove(key)
    return Response(status_code=204)


class StatusEvent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    provider: str = Field(min_length=1, max_length=100)
    slot_key: str = Field(min_length=1, max_length=500)
    status: Literal["Open", "Closed", "Wait", "Unknown"]
    observed_at: AwareDatetime | None = None
    source: str = Field(min_length=1, max_length=200)


@router.post(
    "/status-events",
    dependencies=needs("admin"),
    responses=shows(Reconciled, status=201),
    summary="Tell what somebody else saw of a slot",
)
async def create_status_event(parts: PartsOf, body: StatusEvent) -> Response:
    reconciled = await parts.ingest.reconcile(body.provider, body.slot_key, body.status, body.source, body.observed_at)
    return answer(reconciled, 201)


def _shown(result: PollResult) -> Polled:
    return Polled(
        snapshot_id=result.snapshot_id,
        outcome=Outcome(result.outcome),
        opened=result.opened,
        closed=result.closed,
        open_count=result.open_count,
        reason=result.reason,
    )
