"""The statements about what is wanted, and about what is known of places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import msgspec

from dibs.db import Connection, Json, execute, fetch_all, fetch_value, statements
from dibs.wanted.model import Candidate, Reason, WantedPlace, WantedStatus, WatchedBy, Watching

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class SeenGroup:
    provider: str
    group_key: str
    title: str | None
    watch_key: str


@dataclass(frozen=True, slots=True)
class OwnGroup:
    group_key: str
    title: str
    restaurant: str | None


@dataclass(frozen=True, slots=True)
class MadeWatch:
    watch_key: str
    provider: str
    day: date


async def list_groups(connection: Connection, *, providers: Sequence[str]) -> list[SeenGroup]:
    return await fetch_all(connection, sql("list_groups"), {"providers": list(providers)}, SeenGroup)


async def list_own(connection: Connection, *, today: date) -> list[OwnGroup]:
    return await fetch_all(connection, sql("list_own"), {"today": today}, OwnGroup)


async def list_watching(connection: Connection, *, provider: str, since: date) -> list[Watching]:
    return await fetch_all(connection, sql("list_watching"), {"provider": provider, "since": since}, Watching)


async def note_watches(connection: Connection, *, provider: str, days: dict[str, date]) -> int:
    values = {"provider": provider, "watch_keys": list(days.keys()), "days": list(days.values())}
    return await execute(connection, sql("note_watches"), values)


async def list_past_watches(connection: Connection, *, before: date) -> list[MadeWatch]:
    return await fetch_all(connection, sql("list_past_watches"), {"before": before}, MadeWatch)


async def forget_watch(connection: Connection, *, watch_key: str) -> bool:
    return await execute(connection, sql("forget_watch"), {"watch_key": watch_key}) == 1


async def list_kept(connection: Connection, *, providers: Sequence[str]) -> list[Candidate]:
    rows = await fetch_all(connection, sql("list_kept"), {"providers": list(providers)})
    return [Candidate(**row) for row in rows]


async def raise_wanted(
    connection: Connection, *, since: datetime, today: date, window_days: int, occurrences: int, now: datetime
) -> int:
    values = {"since": since, "today": today, "window_days": window_days, "occurrences": occurrences, "now": now}
    return await execute(connection, sql("raise_wanted"), values)


async def count_within(connection: Connection, *, request_id: int, today: date, window_days: int) -> int:
    values = {"request_id": request_id, "today": today, "window_days": window_days}
    return int(await fetch_value(connection, sql("count_within"), values))


async def open_wanted(connection: Connection, *, request_id: int) -> bool:
    return await execute(connection, sql("open_wanted"), {"request_id": request_id}) == 1


async def lock_wanted(connection: Connection, *, request_id: int) -> WantedStatus:
    return await fetch_value(connection, sql("lock_wanted"), {"request_id": request_id})


async def put_verdict(
    connection: Connection, *, request_id: int, verdict: Reason, candidates: Sequence[Candidate]
) -> bool:
    values = {
        "request_id": request_id,
        "verdict": verdict,
        "candidates": Json(msgspec.to_builtins(list(candidates))),
    }
    return await execute(connection, sql("put_verdict"), values) == 1


async def link_wanted(
    connection: Connection, *, request_id: int, place: Candidate, watched_by: WatchedBy, now: datetime
) -> bool:
    values = {
        "request_id": request_id,
        "provider": place.provider,
        "group_key": place.group_key,
        "name": place.name,
        "topic": place.topic,
        "watched_by": watched_by,
        "now": now,
    }
    return await execute(connection, sql("link_wanted"), values) == 1


async def stop_wanted(connection: Connection, *, request_id: int, now: datetime) -> bool:
    return await execute(connection, sql("stop_wanted"), {"request_id": request_id, "now": now}) == 1


async def list_wanted(
    connection: Connection,
    *,
    today: date,
    window_days: int,
    limit: int,
    request_ids: Sequence[int] | None = None,
    status: str | None = None,
    before: int | None = None,
) -> list[WantedPlace]:
    values = {
        "today": today,
        "window_days": window_days,
        "request_ids": None if request_ids is None else list(request_ids),
        "status": status,
        "before": before,
        "limit": limit,
    }
    return msgspec.convert(await fetch_all(connection, sql("list_wanted"), values), list[WantedPlace])
