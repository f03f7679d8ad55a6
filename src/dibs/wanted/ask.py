"""A person asks to be told, and may change their mind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from dibs.clock import Clock
from dibs.db import Connection, Database, Json
from dibs.demand.requests import Requests
from dibs.errors import NotFound, TooMany
from dibs.notify import Notify
from dibs.notify.limits import limit_requests
from dibs.notify.model import Preferences
from dibs.notify.preferences import check_locale, merge
from dibs.notify.reach import reach
from dibs.notify.tokens import hash_token, new_manage_token, new_webhook_secret, owns
from dibs.telemetry import emit, metrics_wanted
from dibs.telemetry import events_wanted as events
from dibs.wanted import ask_store, store
from dibs.wanted.model import AskView
from dibs.wanted.tell import LEASE_S, Tell
from dibs.wanted.watch import check_place


@dataclass(frozen=True, slots=True)
class AskWish:
    """Who wants to be told, as it came in."""

    channel: str
    address: str
    locale: str | None = None
    preferences: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer; the secrets are shown this once and only for a new ask."""

    ask: AskView
    existing: bool
    manage_token: str | None = None
    webhook_secret: str | None = None


@dataclass(frozen=True, slots=True)
class _Recorded:
    ask_id: int
    existing: bool
    # Set when it can be settled at once: then whoever recorded it does.
    lease: UUID | None


class Ask:
    """Keeps who asked: one live ask per request, channel and address."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        requests: Requests,
        notify: Notify,
        tell: Tell,
        *,
        worker: str,
        max_per_request: int,
    ) -> None:
        self._database = database
        self._clock = clock
        self._requests = requests
        self._notify = notify
        self._tell = tell
        self._worker = worker
        self._most = max_per_request

    async def ask(self, request_id: int, wish: AskWish, *, client: str | None = None) -> Asked:
        """`client` is the address of a caller without a token, whose requests are counted."""
        check_place(await self._requests.get(request_id))
        values = await self._checked(request_id, wish)
        token = new_manage_token()
        secret = new_webhook_secret() if values["channel"] == "webhook" else None
        secrets = {"token_hash": hash_token(token), "webhook_secret": secret}
        recorded = await self._record(request_id, {**values, **secrets}, client)
        if recorded.existing:
            return Asked(await self.get(recorded.ask_id), True)
        emit(events.ASKED, request_id=request_id, ask_id=recorded.ask_id, channel=values["channel"])
        metrics_wanted.ASKS.inc()
        if recorded.lease:
            await self._tell.settle(recorded.ask_id, recorded.lease)
        return Asked(await self.get(recorded.ask_id), False, token, secret)

    async def _record(self, request_id: int, values: dict[str, Any], client: str | None) -> _Recorded:
        async with self._database.transaction() as connection:
            if client is not None:
                await limit_requests(connection, self._clock, client)
            await store.open_wanted(connection, request_id=request_id)
            watched = await store.lock_wanted(connection, request_id=request_id) == "watched"
            known = await self._known(connection, values)
            if known is not None:
                return _Recorded(known, True, None)
            await self._limit(connection, request_id)
            lease = uuid4() if watched else None
            leased = {"token": lease, "lease_s": LEASE_S, "worker": self._worker}
            return _Recorded(await ask_store.insert_ask(connection, {**values, **leased}), False, lease)

    async def _checked(self, request_id: int, wish: AskWish) -> dict[str, Any]:
        person = await reach(self._notify.channels, wish.channel, wish.address)
        merge(Preferences(), wish.preferences)
        return {
            "request_id": request_id,
            "channel": person.channel,
            "address": person.address,
            "address_key": person.key,
            "locale": check_locale(wish.locale),
            "preferences": Json(wish.preferences),
            "now": self._clock.now(),
            "database_now": self._clock.for_database(),
        }

    async def _known(self, connection: Connection, values: dict[str, Any]) -> int | None:
        return await ask_store.find_live_ask(
            connection, request_id=values["request_id"], channel=values["channel"], address_key=values["address_key"]
        )

    async def _limit(self, connection: Connection, request_id: int) -> None:
        if self._most and await ask_store.count_asks(connection, request_id=request_id) >= self._most:
            raise TooMany(
                f"{self._most} people asked for this already; wait until one changes their mind.",
                code="too_many_subscriptions",
            )

    async def get(self, ask_id: int, request_id: int | None = None) -> AskView:
        async with self._database.connection() as connection:
            found = await ask_store.get_ask(connection, ask_id=ask_id)
        if found is None or (request_id is not None and found.request_id != request_id):
            raise NotFound(f"There is no ask {ask_id}.")
        return found

    async def is_owner(self, ask_id: int, token: str) -> bool:
        async with self._database.connection() as connection:
            found = await ask_store.get_ask(connection, ask_id=ask_id)
        return found is not None and owns(token, found.token_hash)

    async def withdraw(self, ask_id: int, request_id: int | None = None) -> AskView:
        """Not any more; again it changes nothing. The subscription that came of it ends too."""
        await self.get(ask_id, request_id)
        lease = uuid4()
        async with self._database.transaction() as connection:
            held = await ask_store.withdraw_ask(
                connection,
                ask_id=ask_id,
                token=lease,
                lease_s=LEASE_S,
                now=self._clock.now(),
                database_now=self._clock.for_database(),
            )
        if held:
            await self._tell.settle(ask_id, lease)
        return await self.get(ask_id)
