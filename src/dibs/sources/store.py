"""The statements of the pace."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from dibs.db import Connection, execute, fetch_all, fetch_maybe, fetch_value, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class LaneRow:
    lane: int
    degraded: bool


@dataclass(frozen=True, slots=True)
class PauseRow:
    """`fresh`: the provider was at its normal pace until now."""

    paused_until: datetime
    fresh: bool


@dataclass(frozen=True, slots=True)
class PaceRow:
    provider: str
    profile: str
    paused_until: datetime | None
    successes: int
    reason: str
    changed_at: datetime | None


async def ensure_pace(connection: Connection, *, provider: str, workers: int) -> None:
    values = {"provider": provider, "workers": workers}
    await execute(connection, sql("ensure_pace"), values)


async def take_lanes(
    connection: Connection,
    *,
    provider: str,
    workers: int,
    degraded_workers: int,
    wanted: int,
    holder: UUID,
    lease_s: float,
    insist: bool,
    now: datetime | None,
) -> list[LaneRow]:
    values = {
        "provider": provider,
        "workers": workers,
        "degraded_workers": degraded_workers,
        "wanted": wanted,
        "holder": holder,
        "lease_s": lease_s,
        "insist": insist,
        "now": now,
    }
    return await fetch_all(connection, sql("take_lanes"), values, LaneRow)


async def keep_lane(
    connection: Connection,
    *,
    provider: str,
    lane: int,
    holder: UUID,
    lease_s: float,
    insist: bool,
    now: datetime | None,
) -> bool:
    values = {
        "provider": provider,
        "lane": lane,
        "holder": holder,
        "lease_s": lease_s,
        "insist": insist,
        "now": now,
    }
    return await fetch_value(connection, sql("keep_lane"), values) is not None


async def rest_lanes(
    connection: Connection,
    *,
    provider: str,
    lanes: Sequence[int],
    holders: Sequence[UUID],
    used: Sequence[bool],
    gap_s: float,
    now: datetime | None,
) -> int:
    values = {
        "provider": provider,
        "lanes": list(lanes),
        "holders": list(holders),
        "used": list(used),
        "gap_s": gap_s,
        "now": now,
    }
    return await execute(connection, sql("rest_lanes"), values)


async def pause_provider(
    connection: Connection, *, provider: str, pause_s: float, asked: bool, reason: str, now: datetime | None
) -> PauseRow | None:
    values = {"provider": provider, "pause_s": pause_s, "asked": asked, "reason": reason, "now": now}
    return await fetch_maybe(connection, sql("pause_provider"), values, PauseRow)


async def count_successes(
    connection: Connection, *, provider: str, count: int, recover_after: int, now: datetime | None
) -> str | None:
    values = {"provider": provider, "count": count, "recover_after": recover_after, "now": now}
    return await fetch_value(connection, sql("count_successes"), values)


async def list_paces(connection: Connection) -> list[PaceRow]:
    return await fetch_all(connection, sql("list_paces"), None, PaceRow)
