"""Detection: what each difference between two looks means."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.config import Policy
from dibs.sources.model import Detail, Observation
from dibs.watch.detect import detect
from dibs.watch.model import Detection, Memory, Outcome, Reason, State

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
EACH = Policy()
FROM_ZERO = Policy(open_rule="group_from_zero", dedupe_s=1800)
TWO_MISSES = Policy(misses_to_close=2, close_clears_dedupe=True)


def seen(*keys: str, **more: Any) -> Observation:
    """A look that found `keys`; the group is what stands before the slash."""
    found = dict.fromkeys(keys)
    return Observation(found, lambda key: Detail(key, key.split("/")[0], {}, {}), **more)


class Target:
    """Runs looks one after the other and keeps the hub's memory, as the database would."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.state = State()
        self.memory: dict[str, Memory] = {}
        self.now = NOW

    def look(self, observation: Observation, after: float = 15.0, *, quietly: bool = False) -> Detection:
        self.now += timedelta(seconds=after)
        known = replace(self.state, memory=dict(self.memory))
        found = detect(known, observation, self.policy, self.now, quietly=quietly)
        for change in found.changes:
            if change.slot is None:
                continue
            old = self.memory.get(change.slot_key, Memory(open=False, generation=0))
            event = change.event
            opened = self.now if event and event.status_after == "Open" else old.opened_event_at
            closed = old.closed_event_at if change.slot.open else self.now
            self.memory[change.slot_key] = Memory(
                open=change.slot.open,
                generation=change.slot.generation,
                opened_event_at=opened,
                closed_event_at=closed,
                quiet=change.slot.quiet,
            )
        self.state = found.state
        return found


def opened(found: Detection) -> list[str]:
    return sorted(c.slot_key for c in found.events if c.event and c.event.status_after == "Open")


def closed(found: Detection) -> list[str]:
    return sorted(c.slot_key for c in found.events if c.event and c.event.status_after == "Closed")


def reasons(found: Detection) -> dict[str, Reason]:
    return {change.slot_key: change.reason for change in found.changes}


def test_the_first_look_records_without_events():
    target = Target(EACH)
    found = target.look(seen("a/1", "b/1"))
    assert found.outcome is Outcome.BOOTSTRAPPED
    assert not found.events
    assert {c.slot_key for c in found.opened} == {"a/1", "b/1"}
    assert found.state.tracked == {"a/1": "a", "b/1": "b"}


def test_a_new_slot_is_an_opening_and_a_missing_one_closes():
    target = Target(EACH)
    target.look(seen("a/1"))
    found = target.look(seen("a/1", "a/2"))
    (change,) = found.events
    assert change.event is not None
    assert (change.event.status_before, change.event.status_after) == ("Closed", "Open")
    assert (change.event.seat_delta, change.event.generation) == (1, 1)
    gone = target.look(seen("a/1"))
    (change,) = gone.events
    assert change.event is not None
    assert (change.event.status_before, change.event.status_after) == ("Open", "Closed")
    assert change.event.seat_delta == -1
    assert target.look(seen("a/1")).outcome is Outcome.UNCHANGED


def test_only_a_group_that_had_nothing_gives_events():
    target = Target(FROM_ZERO)
    target.look(seen("a/1"))
    found = target.look(seen("a/1", "a/2", "b/1", "b/2"))
    assert opened(found) == ["b/1", "b/2"]
    assert reasons(found)["a/2"] is Reason.GROUP_HAD_SLOTS
    assert {c.slot_key for c in found.opened} == {"a/2", "b/1", "b/2"}


def test_a_group_whose_slots_are_replaced_at_once_did_not_have_nothing():
    target = Target(FROM_ZERO)
    target.look(seen("a/1", "b/1"))
    assert opened(target.look(seen("a/2", "b/1"))) == []


def test_two_misses_close():
    target = Target(TWO_MISSES)
    target.look(seen("a/1", "b/1"))
    first = target.look(seen("b/1"))
    assert reasons(first) == {"a/1": Reason.MISSING}
    assert not first.state.settled
    assert closed(target.look(seen("b/1"))) == ["a/1"]


def test_one_miss_of_two_is_forgiven():
    target = Target(TWO_MISSES)
    target.look(seen("a/1", "b/1"))
    target.look(seen("b/1"))
    back = target.look(seen("a/1", "b/1"))
    assert reasons(back) == {"a/1": Reason.SEEN_AGAIN}
    assert not back.events
    assert back.state.settled


def test_a_flap_inside_the_window_brings_the_same_opening_back():
    target = Target(EACH)
    target.look(seen("b/1"))
    target.look(seen("a/1", "b/1"))
    target.look(seen("b/1"))
    back = target.look(seen("a/1", "b/1"))
    assert not back.events
    (change,) = back.opened
    assert change.reason is Reason.WITHIN_DEDUPE
    assert change.slot is not None
    assert change.slot.generation == 1


def test_a_reopening_after_the_window_is_a_new_one():
    target = Target(EACH)
    target.look(seen("b/1"))
    target.look(seen("a/1", "b/1"))
    target.look(seen("b/1"))
    back = target.look(seen("a/1", "b/1"), after=200)
    assert opened(back) == ["a/1"]
    assert back.events[0].event is not None
    assert back.events[0].event.generation == 2


def test_a_close_can_clear_the_window():
    target = Target(TWO_MISSES)
    target.look(seen("b/1"))
    target.look(seen("a/1", "b/1"))
    target.look(seen("b/1"))
    target.look(seen("b/1"))
    assert opened(target.look(seen("a/1", "b/1"))) == ["a/1"]


def test_a_partial_look_opens_but_never_closes():
    target = Target(EACH)
    target.look(seen("a/1", "b/1"))
    found = target.look(seen("c/1", complete=False, groups=frozenset({"c"})))
    assert found.outcome is Outcome.PARTIAL
    assert opened(found) == ["c/1"]
    assert closed(found) == []
    back = target.look(seen("a/1", "b/1", "c/1"))
    assert not back.events


def test_a_group_first_seen_after_an_unknown_look_is_no_opening():
    target = Target(FROM_ZERO)
    target.look(seen("a/1"))
    target.look(seen("a/1", complete=False, groups=frozenset({"a"})))
    found = target.look(seen("a/1", "b/1"))
    assert reasons(found) == {"b/1": Reason.UNKNOWN_BEFORE}
    assert not found.events


def test_a_group_that_a_partial_look_showed_empty_was_at_zero():
    target = Target(FROM_ZERO)
    target.look(seen("a/1"))
    target.look(seen("a/1", complete=False, groups=frozenset({"a", "b"})))
    assert opened(target.look(seen("a/1", "b/1"))) == ["b/1"]


def test_without_groups_the_past_is_unknown_but_the_slot_is_news():
    target = Target(EACH)
    target.look(seen("a/1"))
    target.look(seen("a/1", complete=False))
    found = target.look(seen("a/1", "b/1"))
    (change,) = found.events
    assert change.event is not None
    assert change.event.status_before == "Unknown"


def test_a_slot_unknown_for_ten_minutes_closes_quietly_and_returns_without_an_event():
    target = Target(EACH)
    target.look(seen("a/1", "b/1"))
    out_of_sight = seen("b/1", complete=False, groups=frozenset({"b"}))
    assert not target.look(out_of_sight).events
    assert not target.look(out_of_sight, after=599).events
    found = target.look(out_of_sight, after=1)
    (change,) = found.events
    assert change.event is not None
    assert (change.event.status_after, change.event.seat_delta) == ("Unknown", 0)
    back = target.look(seen("a/1", "b/1"))
    assert not back.events
    assert reasons(back) == {"a/1": Reason.RETURNED}


def test_a_quietly_closed_slot_that_a_full_look_misses_is_closed_for_sure():
    target = Target(EACH)
    target.look(seen("a/1", "b/1"))
    out_of_sight = seen("b/1", complete=False, groups=frozenset({"b"}))
    target.look(out_of_sight)
    target.look(out_of_sight, after=600)
    sure = target.look(seen("b/1"))
    assert reasons(sure) == {"a/1": Reason.CLOSE_CONFIRMED}
    assert opened(target.look(seen("a/1", "b/1"))) == ["a/1"]


def test_a_slot_named_as_closed_closes_at_once():
    target = Target(TWO_MISSES)
    target.look(seen("a/1", "b/1"))
    assert closed(target.look(seen("b/1", shut=frozenset({"a/1"})))) == ["a/1"]


def test_the_last_slot_named_as_closed_is_no_empty_answer():
    target = Target(EACH)
    target.look(seen("a/1"))
    assert closed(target.look(seen(shut=frozenset({"a/1"})))) == ["a/1"]


def test_a_slot_whose_record_is_unreadable_stays():
    target = Target(EACH)
    target.look(seen("a/1", "b/1"))
    found = target.look(seen("b/1", blurred=frozenset({"a/1"})))
    assert not found.changes


def test_new_unreadable_records_make_a_look_partial_and_old_ones_do_not():
    target = Target(EACH)
    target.look(seen("a/1", "b/1", nameless=1))
    assert closed(target.look(seen("b/1", nameless=1))) == ["a/1"]
    found = target.look(seen("c/1", nameless=2))
    assert found.outcome is Outcome.PARTIAL
    assert closed(found) == []


def test_a_slot_another_watch_opened_is_no_news_and_stays_while_it_is_seen_there():
    target = Target(EACH)
    target.look(seen("b/1"))
    target.memory["a/1"] = Memory(open=True, generation=1, seen_elsewhere=True)
    found = target.look(seen("a/1", "b/1"))
    assert not found.events
    assert reasons(found) == {"a/1": Reason.ALREADY_OPEN}
    gone = target.look(seen("b/1"))
    assert reasons(gone) == {"a/1": Reason.SEEN_ELSEWHERE}
    assert not gone.events


def test_an_answer_that_may_be_older_than_a_close_is_not_believed():
    target = Target(EACH)
    target.look(seen("b/1"))
    until = target.now + timedelta(seconds=60)
    target.memory["a/1"] = Memory(open=False, generation=1, distrust_until=until)
    found = target.look(seen("a/1", "b/1"))
    assert reasons(found) == {"a/1": Reason.STALE_ANSWER}
    assert not found.settled
    assert opened(target.look(seen("a/1", "b/1"), after=60)) == ["a/1"]


def test_a_baseline_refresh_says_nothing():
    target = Target(EACH)
    target.look(seen("a/1", "b/1"))
    found = target.look(seen("b/1", "c/1"), quietly=True)
    assert found.outcome is Outcome.BOOTSTRAPPED
    assert not found.events
    assert set(found.state.tracked) == {"b/1", "c/1"}
    assert not target.memory["a/1"].open


@pytest.mark.parametrize("policy", [EACH, FROM_ZERO, TWO_MISSES])
def test_an_empty_answer_closes_nothing_and_its_end_opens_nothing(policy: Policy):
    target = Target(policy)
    full = [f"g{n}/1" for n in range(5)]
    target.look(seen(*full))
    found = target.look(seen())
    assert (found.outcome, found.reason) == (Outcome.SUSPECT, "empty_answer")
    assert not found.changes
    assert not target.look(seen()).changes
    back = target.look(seen(*full))
    assert not back.events
    assert back.state.suspicion is None


LOOKS = st.lists(st.frozensets(st.sampled_from([f"{g}/{n}" for g in "abc" for n in range(3)])), max_size=12)


@given(looks=LOOKS, misses=st.integers(1, 2), rule=st.sampled_from(["each", "group_from_zero"]))
def test_events_of_a_slot_alternate(looks: list[frozenset[str]], misses: int, rule: Any):
    """An opening of a slot is never followed by another one without a close between them."""
    target = Target(Policy(open_rule=rule, misses_to_close=misses, dedupe_s=0))
    last: dict[str, str] = {}
    for keys in looks:
        for change in target.look(seen(*keys)).events:
            assert change.event is not None
            after = change.event.status_after
            if after == "Open":
                assert last.get(change.slot_key) != "Open"
            last[change.slot_key] = after


@given(looks=LOOKS)
def test_what_is_tracked_after_a_trusted_full_look_is_what_it_showed(looks: list[frozenset[str]]):
    target = Target(EACH)
    for keys in looks:
        found = target.look(seen(*keys))
        if found.outcome is not Outcome.SUSPECT:
            assert set(found.state.tracked) == keys


@given(looks=LOOKS, now=st.integers(0, 400))
def test_detection_is_a_function(looks: list[frozenset[str]], now: int):
    first, second = Target(EACH), Target(EACH)
    for keys in looks:
        assert first.look(seen(*keys), now).changes == second.look(seen(*keys), now).changes
