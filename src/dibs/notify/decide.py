"""The two decisions of a delivery: whether to send now, and what the answer of the channel means."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from dibs.notify.model import (
    Drop,
    DueNotice,
    GiveUp,
    Ok,
    Outcome,
    Retry,
    Send,
    Settlement,
    Verdict,
    Wait,
)
from dibs.notify.retry import RetryPlan
from dibs.notify.windows import is_inside, opens_at

# The notice itself could not be made or addressed: nothing was tried on the subscriber's side.
SKIPPED_REASONS = frozenset({"invalid_recipient", "template_error"})


@dataclass(frozen=True, slots=True)
class DeliveryPolicy:
    """The numbers that a delivery obeys."""

    expire_after: timedelta = timedelta(hours=1)
    verify_email: bool = False
    retries: RetryPlan = field(default_factory=RetryPlan)


def decide_delivery(
    notice: DueNotice, available: bool, now: datetime, policy: DeliveryPolicy, *, has_place: bool = True
) -> Verdict:
    """Whether a due notice is sent, waits for its hours, or is no longer wanted.

    `available`: what it announces can still be had. `has_place`: the cap of its subscription has room for it.
    """
    if notice.kind == "verification":
        return _decide_verification(notice, now)
    unwanted = _unwanted(notice, now, policy) or (None if has_place else "capped")
    if unwanted:
        return Drop("skipped", unwanted)
    window = notice.window
    if window and not is_inside(window, now):
        until = opens_at(window, now)
        return Wait(until, "outside_window", expires_at=until + policy.expire_after)
    if not available:
        return Drop("expired", "closed_meanwhile")
    if now >= notice.expires_at:
        return Drop("expired", "too_old")
    return Send()


def _decide_verification(notice: DueNotice, now: datetime) -> Verdict:
    if notice.verified:
        return Drop("skipped", "already_verified")
    if notice.subscription_status not in ("pending", "active"):
        return Drop("skipped", notice.subscription_status)
    if now >= notice.expires_at:
        return Drop("expired", "too_old")
    return Send()


def _unwanted(notice: DueNotice, now: datetime, policy: DeliveryPolicy) -> str | None:
    if notice.subscription_status not in ("pending", "active"):
        return notice.subscription_status
    if must_verify(notice.channel, policy.verify_email) and not notice.verified:
        return "unverified"
    if notice.snooze_until and notice.snooze_until > now:
        return "snoozed"
    return None


def must_verify(channel: str, verify_email: bool) -> bool:
    """Whether an address of this channel has to be proven by a link first."""
    return verify_email and channel == "email"


def judge(outcome: Outcome, attempts: int, now: datetime, policy: DeliveryPolicy, chance: float) -> Settlement:
    """What a finished attempt means for the notice; `attempts` are those finished before it."""
    match outcome:
        case Ok():
            return Settlement("sent", None, attempted=True)
        case GiveUp(reason, detail, suppress, ours):
            return Settlement(
                "skipped" if reason in SKIPPED_REASONS else "failed",
                reason,
                detail,
                attempted=True,
                suppress=suppress,
                blames_address=not ours,
            )
        case Retry(reason, detail, after, ours):
            due = policy.retries.next_at(attempts + 1, now, retry_after=after, chance=chance)
            if due is None:
                return Settlement("failed", reason, detail, attempted=True, blames_address=not ours)
            return Settlement("pending", reason, detail, due_at=due, attempted=True)
