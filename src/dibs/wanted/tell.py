"""Brings everybody who asked to where they belong: subscribed, moved, or let go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import DibsError, Invalid
from dibs.notify import Notify, Wish
from dibs.notify.subscribe import Secrets
from dibs.notify.tokens import hash_token, new_manage_token
from dibs.telemetry import emit
from dibs.telemetry import events_wanted as events
from dibs.wanted import ask_store
from dibs.wanted.model import AskView
from dibs.work import Queue, claim

ASKS = Queue(table="wanted_ask", key="ask_id", key_type="bigint")
BATCH = 50
LEASE_S = 60.0
IDLE_S = 10.0
STOPPED = "no_longer_watched"
TRY_AGAIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class _Outcome:
    subscription_hash: bytes
    topic: str | None = None
    subscription_id: int | None = None
    problem: str | None = None
    due_at: datetime | None = None
    # The person ended the subscription that came of it: they do not want another.
    withdrawn: bool = False


class Tell:
    """Compares each ask with where it belongs; whatever happened before, the result is the same."""

    def __init__(self, database: Database, clock: Clock, notify: Notify, *, worker: str) -> None:
        self._database = database
        self._clock = clock
        self._notify = notify
        self._worker = worker

    async def run_once(self) -> float:
        async with self._database.transaction() as connection:
            claimed = await claim(
                connection, ASKS, limit=BATCH, lease_s=LEASE_S, worker=self._worker, now=self._clock.for_database()
            )
        for ask_id in claimed.keys:
            await self.settle(ask_id, claimed.token)
        return 0.0 if len(claimed.keys) == BATCH else IDLE_S

    async def settle(self, ask_id: int, token: UUID) -> None:
        """For whoever holds the lease of this ask."""
        async with self._database.connection() as connection:
            ask = await ask_store.get_ask(connection, ask_id=ask_id)
        if ask is None:
            return
        outcome = await self._bring(ask, token)
        if outcome is None:
            return
        async with self._database.transaction() as connection:
            await ask_store.settle_ask(
                connection,
                ask_id=ask_id,
                token=token,
                changes=ask.changes,
                topic=outcome.topic,
                subscription_id=outcome.subscription_id,
                subscription_hash=outcome.subscription_hash,
                withdrawn=outcome.withdrawn,
                problem=outcome.problem,
                due_at=outcome.due_at,
                now=self._clock.now(),
            )

    async def _bring(self, ask: AskView, token: UUID) -> _Outcome | None:
        """Where the ask is now; None when the lease was lost meanwhile."""
        key = ask.subscription_hash
        if ask.topic is not None and ask.topic != ask.belongs_to:
            if await self._let_go(ask, ask.topic):
                return _Outcome(key, withdrawn=True)
            key = hash_token(new_manage_token())
        if ask.belongs_to is None:
            return _Outcome(key)
        if ask.topic == ask.belongs_to and ask.subscription_id is not None:
            return _Outcome(key, ask.topic, ask.subscription_id)
        async with self._database.transaction() as connection:
            held = await ask_store.intend_ask(
                connection, ask_id=ask.ask_id, token=token, topic=ask.belongs_to, subscription_hash=key
            )
        return await self._subscribe(ask, ask.belongs_to, key) if held else None

    async def _subscribe(self, ask: AskView, topic: str, key: bytes) -> _Outcome:
        wish = Wish(topic, ask.channel, ask.address, ask.locale, ask.preferences)
        try:
            made = await self._notify.subscribe.subscribe(wish, secrets=Secrets(key, ask.webhook_secret))
        except Invalid as error:
            # It would be refused again: the channel or the address is no longer allowed here.
            return _Outcome(key, topic, None, error.detail)
        except DibsError as error:
            return _Outcome(key, topic, None, error.detail, self._clock.now() + TRY_AGAIN)
        emit(events.TOLD, request_id=ask.request_id, ask_id=ask.ask_id, subscription_id=made.subscription_id)
        return _Outcome(key, topic, made.subscription_id)

    async def _let_go(self, ask: AskView, topic: str) -> bool:
        """Ends the subscription that this ask made, and says whether the person had ended it before.

        One that the person made elsewhere has another hash: it is theirs, and stays.
        """
        found = await self._notify.manage.list(topic=topic, channel=ask.channel, address=ask.address)
        made = next((one for one in found if one.manage_token_hash == ask.subscription_hash), None)
        if made is None:
            return False
        if made.status == "unsubscribed":
            return made.reason != STOPPED
        how = "by_owner" if ask.withdrawn_at else STOPPED
        await self._notify.manage.unsubscribe(made.subscription_id, how=how)
        return False
