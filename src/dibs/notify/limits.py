"""How often somebody may ask: by client address, by subscription, by the address that would get the mail."""

from __future__ import annotations

from datetime import datetime, timedelta

from dibs.clock import Clock
from dibs.db import Connection, Keyspace, advisory_lock
from dibs.errors import TooMany
from dibs.notify import subscription_store as store

REQUESTS_PER_CLIENT = 10
REQUEST_WINDOW = timedelta(minutes=10)
# Long enough to find the mail the next day.
VERIFICATION_S = 86_400.0


async def limit_requests(connection: Connection, clock: Clock, client: str) -> None:
    """Counts a request of `client` and refuses it when there were too many lately."""
    await advisory_lock(connection, Keyspace.SUBSCRIBE, f"client:{client}")
    now = clock.now()
    count, oldest = await store.count_requests(connection, client=client, since=now - REQUEST_WINDOW)
    if count >= REQUESTS_PER_CLIENT and oldest:
        wait_s = max((oldest + REQUEST_WINDOW - now).total_seconds(), 1.0)
        raise TooMany(
            f"At most {REQUESTS_PER_CLIENT} of these in {REQUEST_WINDOW.seconds // 60} minutes; "
            f"try again in {wait_s:.0f} s.",
            code="too_many_requests",
            retry_after_s=round(wait_s),
        )
    await store.note_request(connection, client=client, now=now)


async def ask_to_confirm(
    connection: Connection, *, subscription_id: int, address_key: str, now: datetime, again: bool
) -> None:
    """Queues the mail with the confirmation link.

    `again`: it was asked before. Then an address that was asked within the last ten minutes, about whatever, is
    left alone. Whoever asked is not told which it was: that would say what the address is subscribed to.
    """
    client = f"confirm:{address_key}"
    await advisory_lock(connection, Keyspace.SUBSCRIBE, client)
    count, _ = await store.count_requests(connection, client=client, since=now - REQUEST_WINDOW)
    if again and count:
        return
    await store.note_request(connection, client=client, now=now)
    await store.queue_verification(connection, subscription_id=subscription_id, expire_after_s=VERIFICATION_S, now=now)
