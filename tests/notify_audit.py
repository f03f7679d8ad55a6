"""What was accepted against what was attempted: whether every repeat is one that a kill explains."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from dibs.db import Database

# A ledger beside the queue: every claim of a notice is an attempt; it has an outcome once its lease was given back.
LEDGER = """
CREATE TABLE attempt (
    notification_id bigint,
    token           uuid,
    subscription_id bigint,
    worker          text,
    outcome         text,
    PRIMARY KEY (notification_id, token)
);
CREATE FUNCTION note_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.lease_token IS NOT NULL AND NEW.lease_token IS NULL THEN
        UPDATE attempt SET outcome = NEW.fanout_status
        WHERE notification_id = OLD.notification_id AND token = OLD.lease_token;
    END IF;
    IF NEW.lease_token IS NOT NULL THEN
        INSERT INTO attempt VALUES (NEW.notification_id, NEW.lease_token, NEW.subscription_id, NEW.leased_by);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_attempt AFTER UPDATE ON notification FOR EACH ROW
    WHEN (OLD.lease_token IS DISTINCT FROM NEW.lease_token) EXECUTE FUNCTION note_attempt();
"""
ATTEMPTS = "SELECT subscription.address, worker, outcome FROM attempt JOIN subscription USING (subscription_id)"


@dataclass(frozen=True)
class Accepted:
    """A server took a notice from a worker."""

    to: str
    notice: str
    worker: str


@dataclass(frozen=True)
class Attempt:
    """A worker held a notice; without an outcome it may have been sent."""

    to: str
    worker: str
    outcome: str | None


@dataclass
class _Notice:
    names: set[str] = field(default_factory=set[str])
    accepted_from: list[str] = field(default_factory=list[str])
    lost_by: list[str] = field(default_factory=list[str])
    sent_by: list[str] = field(default_factory=list[str])

    def faults(self, killed: Collection[str]) -> Iterable[str]:
        if len(self.names) != 1:
            yield f"it has the ids {sorted(self.names)}"
        if len(self.sent_by) != 1:
            yield f"it was written down as sent by {self.sent_by}"
        for worker in self.lost_by:
            if worker not in killed:
                yield f"{worker} lives and lost its lease"
        # Each lost attempt explains one acceptance, and the one whose outcome was written explains one more.
        for worker, times in (Counter(self.accepted_from) - Counter(self.lost_by + self.sent_by)).items():
            yield f"it was accepted {times} times more from {worker} than kills explain"
        for worker in self.sent_by:
            if worker not in self.accepted_from:
                yield f"{worker} wrote that it was sent, and nobody got it"


def faults(accepted: Iterable[Accepted], attempts: Iterable[Attempt], killed: Collection[str]) -> list[str]:
    """Everything that is not as it should be; a repeat is so only after a kill between acceptance and commit."""
    notices: defaultdict[str, _Notice] = defaultdict(_Notice)
    for one in accepted:
        notices[one.to].names.add(one.notice)
        notices[one.to].accepted_from.append(one.worker)
    for attempt in attempts:
        if attempt.outcome is None:
            notices[attempt.to].lost_by.append(attempt.worker)
        elif attempt.outcome == "sent":
            notices[attempt.to].sent_by.append(attempt.worker)
    return [f"{to}: {fault}" for to, notice in notices.items() for fault in notice.faults(killed)]


async def keep_ledger(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute(LEDGER)


async def read_ledger(database: Database) -> list[Attempt]:
    async with database.connection() as connection:
        cursor = await connection.execute(ATTEMPTS)
        return [Attempt(*row) for row in await cursor.fetchall()]
