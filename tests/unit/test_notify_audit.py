"""The audit of the kill test goes red where it should: a repeat is explained by a kill, or is a fault."""

from __future__ import annotations

from notify_audit import Accepted, Attempt, faults

A, B = "worker-1", "worker-2"
ONCE = [Accepted("x", "ntc_1", A)]
SENT = [Attempt("x", A, "sent")]
TWICE = [Accepted("x", "ntc_1", A), Accepted("x", "ntc_1", B)]
KILLED_BETWEEN = [Attempt("x", A, None), Attempt("x", B, "sent")]


def test_what_is_right_is_not_a_fault() -> None:
    assert faults(ONCE, SENT, set()) == []
    assert faults(TWICE, KILLED_BETWEEN, {A}) == []
    assert faults(TWICE[::-1], KILLED_BETWEEN, {A}) == [], "what the dead had sent may be read late"


def test_a_claim_that_died_before_its_send_repeats_nothing() -> None:
    assert faults([Accepted("x", "ntc_1", B)], KILLED_BETWEEN, {A}) == []


def test_a_repeat_without_a_kill_is_a_fault() -> None:
    assert faults([*ONCE, *ONCE], SENT, set()) == ["x: it was accepted 1 times more from worker-1 than kills explain"]
    assert faults(TWICE, SENT, set()), "nobody held it for that"
    assert faults(TWICE, KILLED_BETWEEN, set()) == ["x: worker-1 lives and lost its lease"]


def test_a_repeat_after_a_written_outcome_is_a_fault_even_if_the_worker_died_later() -> None:
    written = [Attempt("x", A, "pending"), Attempt("x", B, "sent")]
    assert faults(TWICE, written, {A}) == ["x: it was accepted 1 times more from worker-1 than kills explain"]
    assert faults(TWICE, [Attempt("x", A, "sent"), Attempt("x", B, "sent")], {A})


def test_one_kill_explains_one_repeat() -> None:
    assert faults([*TWICE, Accepted("x", "ntc_1", A)], KILLED_BETWEEN, {A})


def test_another_id_and_a_notice_that_never_came_are_faults() -> None:
    assert faults([ONCE[0], Accepted("x", "ntc_2", B)], KILLED_BETWEEN, {A}) == ["x: it has the ids ['ntc_1', 'ntc_2']"]
    assert faults([], SENT, set())
    assert faults(ONCE, [], set())
