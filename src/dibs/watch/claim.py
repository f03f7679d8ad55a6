"""Takes due watches, each with the lane its requests will use, in one short transaction."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import msgspec

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.sources import Target, Validators
from dibs.sources.pace import Lane
from dibs.watch import store
from dibs.watch.provider import WatchedProvider
from dibs.watch.store import ClaimedRow


class Claimed(msgspec.Struct, frozen=True):
    """A watch that is ours until its lease ends.

    `claimed_at` is by the database's clock, which is `ahead` of ours by so much: what is written is dated by it,
    because hosts need not agree.
    """

    row: ClaimedRow
    token: UUID
    lane: Lane
    provider: WatchedProvider
    claimed_at: datetime
    ahead: timedelta

    @property
    def key(self) -> str:
        return self.row.watch_key

    @property
    def target(self) -> Target:
        return Target(self.row.bucket_id, self.row.query)

    @property
    def validators(self) -> Validators:
        """Only an answer that was fully understood may be asked for conditionally."""
        if self.row.source_hash is None:
            return Validators()
        return Validators(self.row.etag, self.row.last_modified)


async def claim_due(
    database: Database, clock: Clock, provider: WatchedProvider, *, most: int, worker: str
) -> list[Claimed]:
    """As many due watches as there are lanes that have rested."""
    token, pace = uuid4(), provider.pace
    async with database.connection() as connection:
        await pace.prepare(connection)
        rows = await store.claim_due(
            connection,
            provider=provider.name,
            workers=pace.workers,
            degraded_workers=pace.degraded_workers,
            most=most,
            token=token,
            worker=worker,
            lease_s=pace.lease_s,
            now=clock.for_database(),
        )
    here = clock.now()
    return [Claimed(row, token, Lane(row.lane, token, row.degraded), provider, row.at, row.at - here) for row in rows]


async def claim_named(
    database: Database, clock: Clock, provider: WatchedProvider, watch_key: str, worker: str
) -> Claimed | None:
    """This watch now, due or not; None while somebody else has it or no lane is free."""
    async with database.transaction() as connection:
        lanes = await provider.pace.take(connection, 1, insist=True)
        if not lanes:
            return None
        token = uuid4()
        held = await store.claim_watch(
            connection,
            watch_key=watch_key,
            token=token,
            worker=worker,
            lease_s=provider.pace.lease_s,
            now=clock.for_database(),
        )
        if not held:
            await _give_back(connection, provider, lanes)
            return None
        (row,) = await store.list_claimed(connection, watch_keys=[watch_key], now=clock.for_database())
    return Claimed(row, token, lanes[0], provider, row.at, row.at - clock.now())


async def _give_back(connection: Connection, provider: WatchedProvider, lanes: list[Lane]) -> None:
    if lanes:
        await provider.pace.rest(connection, lanes, used=False)
