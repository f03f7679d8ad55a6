"""Whether a notice is sent, waits or is dropped; and what an answer of a channel means."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.notify.decide import DeliveryPolicy, decide_delivery, judge
from dibs.notify.model import Drop, DueNotice, GiveUp, Ok, Retry, Send, Settlement, Verdict, Wait
from dibs.notify.retry import JITTER, RetryPlan

NOW = datetime(2026, 5, 1, 16, 0, tzinfo=UTC)  # noon in New York
POLICY = DeliveryPolicy()


def notice() -> DueNotice:
    return DueNotice(
        notification_id=1,
        kind="opening",
        open_event_id=1,
        subscription_id=7,
        fanout_attempts=0,
        expires_at=NOW + timedelta(hours=1),
        reserved=False,
        channel="email",
        address="ann@example.org",
        locale="en",
        topic="watch:soc:92025:NB",
        subscription_status="active",
        verified=False,
        window_start=None,
        window_end=None,
        window_timezone=None,
        capped=False,
        snooze_until=None,
        manage_token_hash=b"",
        webhook_secret=None,
    )


def quiet(**changes: object) -> DueNotice:
    """A notice to somebody who wants to be told from 18:00 to 20:00 New York time only."""
    hours = replace(notice(), window_start=time(18), window_end=time(20), window_timezone="America/New_York")
    return replace(hours, **changes)


def decide(notice: DueNotice, now: datetime, policy: DeliveryPolicy, *, available: bool = True) -> Verdict:
    return decide_delivery(notice, available, now, policy)


def test_a_wanted_notice_of_an_open_slot_is_sent() -> None:
    assert decide(notice(), NOW, POLICY) == Send()
    assert decide(replace(notice(), subscription_status="pending"), NOW, POLICY) == Send()


@pytest.mark.parametrize("status", ["paused", "suppressed", "unsubscribed"])
def test_nobody_who_left_is_told(status: str) -> None:
    left = replace(notice(), subscription_status=status)
    assert decide(left, NOW, POLICY) == Drop("skipped", status)


def test_verification_is_asked_of_mail_only_and_only_when_configured() -> None:
    strict = DeliveryPolicy(verify_email=True)
    assert decide(notice(), NOW, strict) == Drop("skipped", "unverified")
    assert decide(replace(notice(), verified=True), NOW, strict) == Send()
    assert decide(replace(notice(), channel="webhook"), NOW, strict) == Send()


def test_a_snoozed_notice_is_skipped_until_the_snooze_ends() -> None:
    assert decide(replace(notice(), snooze_until=NOW + timedelta(seconds=1)), NOW, POLICY) == Drop("skipped", "snoozed")
    assert decide(replace(notice(), snooze_until=NOW), NOW, POLICY) == Send()


def test_outside_its_hours_a_notice_waits_and_its_age_counts_from_their_start() -> None:
    opens = datetime(2026, 5, 1, 22, 0, tzinfo=UTC)
    waiting = Wait(opens, "outside_window", opens + timedelta(hours=1))
    assert decide(quiet(), NOW, POLICY) == waiting
    assert decide(quiet(), NOW, POLICY, available=False) == waiting, "it may come back until then"
    assert decide(quiet(expires_at=waiting.expires_at), opens, POLICY) == Send()


def test_when_the_hours_come_a_closed_slot_is_not_announced() -> None:
    opens = datetime(2026, 5, 1, 22, 0, tzinfo=UTC)
    assert decide(quiet(), opens, POLICY, available=False) == Drop("expired", "closed_meanwhile")


def test_an_old_notice_expires() -> None:
    assert decide(replace(notice(), expires_at=NOW), NOW, POLICY) == Drop("expired", "too_old")


def test_a_verification_knows_neither_hours_nor_snooze() -> None:
    mail = quiet(kind="verification", subscription_status="pending", snooze_until=NOW + timedelta(days=1))
    assert decide(mail, NOW, POLICY) == Send()
    assert decide(replace(mail, verified=True), NOW, POLICY) == Drop("skipped", "already_verified")
    assert decide(replace(mail, subscription_status="unsubscribed"), NOW, POLICY) == Drop("skipped", "unsubscribed")


def test_an_accepted_notice_is_sent() -> None:
    assert judge(Ok(), 0, NOW, POLICY, 0.5) == Settlement("sent", None, attempted=True)


def test_three_attempts_with_the_documents_delays_then_it_has_failed() -> None:
    retry = Retry("http_503", "503 Service Unavailable")
    assert judge(retry, 0, NOW, POLICY, 0.0).due_at == NOW + timedelta(seconds=2)
    assert judge(retry, 1, NOW, POLICY, 0.0).due_at == NOW + timedelta(seconds=7)
    last = judge(retry, 2, NOW, POLICY, 0.0)
    assert (last.status, last.due_at, last.reason) == ("failed", None, "http_503")
    assert last.attempted


def test_giving_up_is_final_and_a_bad_recipient_is_skipped_not_failed() -> None:
    gone = judge(GiveUp("gone", "410 Gone", suppress=True), 0, NOW, POLICY, 0.0)
    assert (gone.status, gone.reason, gone.suppress) == ("failed", "gone", True)
    refused = judge(GiveUp("invalid_recipient", "550 no such user"), 0, NOW, POLICY, 0.0)
    assert (refused.status, refused.suppress) == ("skipped", False)


def test_a_fault_of_ours_is_not_held_against_the_address() -> None:
    assert not judge(Retry("smtp_unreachable", "refused", ours=True), 2, NOW, POLICY, 0.0).blames_address
    assert judge(Retry("timeout", "10 s"), 2, NOW, POLICY, 0.0).blames_address


@given(
    st.lists(st.floats(0, 100), max_size=5),
    st.integers(1, 8),
    st.integers(1, 8),
    st.none() | st.floats(-5, 1e7),
    st.floats(0, 1, exclude_max=True),
)
def test_a_retry_never_undercuts_the_schedule_or_the_other_side(
    delays: list[float], most: int, attempts: int, asked: float | None, chance: float
) -> None:
    due = RetryPlan(delays, most).next_at(attempts, NOW, retry_after=asked, chance=chance)
    if attempts >= most:
        assert due is None
        return
    planned = delays[min(attempts, len(delays) - 1)] if delays else 0.0
    least = max(planned, min(asked or 0.0, 86_400.0))
    assert due is not None
    waited = (due - NOW).total_seconds()
    assert least - 1e-5 <= waited <= least * (1 + JITTER) + 1e-5
