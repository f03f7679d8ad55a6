"""What the functions in the database refuse, as the errors of the contract; and the one retry."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import psycopg
from psycopg import errors as pg

from dibs.errors import Conflict, DibsError, Gone, Invalid, NotFound, TooMany

T = TypeVar("T")

CODES: dict[str, tuple[type[DibsError], str]] = {
    "CP001": (Conflict, "capacity_conflict"),
    "CP002": (Conflict, "hold_conflict"),
    "CP003": (Conflict, "idempotency_mismatch"),
    "CP004": (Conflict, "inactive_booking"),
    "CP010": (Gone, "hold_expired"),
    "CP020": (Invalid, "cross_zone"),
    "CP021": (Invalid, "inactive_table"),
    "CP022": (Invalid, "fixed_merge"),
    "CP023": (Invalid, "not_adjacent"),
    "CP024": (Invalid, "insufficient_capacity"),
    "CP030": (TooMany, "too_many_holds"),
    "CP040": (NotFound, "not_found"),
    "22023": (Invalid, "invalid_request"),
}
TAKEN = "The tables were taken by somebody else at the same moment; choose again."


def known(error: psycopg.Error) -> DibsError | None:
    """The error of the contract, or None for one that nobody expects."""
    if isinstance(error, pg.ExclusionViolation):
        return Conflict(TAKEN, code="capacity_conflict")
    if isinstance(error, pg.UniqueViolation) and error.diag.table_name == "booking_assignment_idempotency":
        return Conflict("This idempotency key was used at the same moment; use a new one.", code="idempotency_mismatch")
    kind = CODES.get(error.sqlstate or "")
    return kind[0](error.diag.message_primary or TAKEN, code=kind[1]) if kind else None


async def attempt(work: Callable[[], Awaitable[T]]) -> T:
    """Does `work`, once more after a deadlock or a serialization failure; after that the race counts as lost."""
    try:
        return await _translated(work)
    except (pg.DeadlockDetected, pg.SerializationFailure):
        pass
    try:
        return await _translated(work)
    except (pg.DeadlockDetected, pg.SerializationFailure):
        raise Conflict(TAKEN, code="capacity_conflict") from None


async def _translated(work: Callable[[], Awaitable[T]]) -> T:
    try:
        return await work()
    except psycopg.Error as error:
        expected = known(error)
        if expected is None:
            raise
        raise expected from None
