"""The statements about runs: promote, start, progress, finish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from dibs.db import Connection, Json, fetch_all, fetch_value, statements
from dibs.demand.model import Attempt, Outcome, Progress, SortHistory, Status

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A row of what starts now."""

    request_id: int
    term: str
    entity_type: str
    reason: str
    location_key: str
    lat: float
    lng: float
    safe_interval_days: float
    bias_lat: float | None
    bias_lng: float | None
    bias_radius_m: float | None
    sort_history: dict[str, Any]
    errors_in_a_row: int
    started_at: datetime


async def promote_due(connection: Connection, *, most: int, now: datetime) -> list[int]:
    rows = await fetch_all(connection, sql("promote_due"), {"most": most, "now": now})
    return [row["request_id"] for row in rows]


async def start_runs(
    connection: Connection, *, token: UUID, request_ids: Sequence[int], now: datetime | None
) -> list[StartedRun]:
    values = {"token": token, "request_ids": list(request_ids), "now": now}
    return await fetch_all(connection, sql("start_runs"), values, StartedRun)


async def report_progress(
    connection: Connection,
    *,
    token: UUID,
    request_id: int,
    progress: Progress,
    attempted: Iterable[Attempt],
    lease_s: float,
    now: datetime | None,
) -> bool:
    values = {
        "token": token,
        "request_id": request_id,
        "stage": str(progress.stage),
        "posts_found": progress.posts_found,
        "batches_total": progress.batches_total,
        "batches_done": progress.batches_done,
        "mentions_found": progress.mentions_found,
        "entities_found": progress.entities_found,
        "attempted": Json(list(attempted)),
        "lease_s": lease_s,
        "now": now,
    }
    return await fetch_value(connection, sql("report_progress"), values) is not None


async def finish_run(
    connection: Connection,
    *,
    request_id: int,
    outcome: Outcome,
    status: Status,
    attempted: Iterable[Attempt],
    sort_history: SortHistory,
    cooldown_until: datetime,
    errors_in_a_row: int,
    posts: int,
    mentions: int,
    error: str | None,
    now: datetime,
) -> int:
    values = {
        "request_id": request_id,
        "outcome": str(outcome),
        "status": str(status),
        "attempted": Json(list(attempted)),
        "sort_history": Json(dict(sort_history)),
        "cooldown_until": cooldown_until,
        "errors_in_a_row": errors_in_a_row,
        "posts": posts,
        "mentions": mentions,
        "error": error,
        "now": now,
    }
    return await fetch_value(connection, sql("finish_run"), values)
