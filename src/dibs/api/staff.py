"""What staff do at the door: quote, validate and hold by hand, confirm."""

from __future__ import annotations

from fastapi import APIRouter, Response
from msgspec import Struct

from dibs.api.answers import answer, shows
from dibs.api.auth import PartsOf, StaffCaller, needs
from dibs.api.bookings import IdempotencyKey
from dibs.api.capacity_shapes import CandidateAnswer, ConfirmBody, ManualBody, QuoteAnswer, QuoteBody, known_id
from dibs.capacity import confirm_hold, hold_tables, quote, validate
from dibs.capacity.hold import ManualHold
from dibs.capacity.model import Assignment
from dibs.capacity.validate import Checks

router = APIRouter(prefix="/api/staff", tags=["capacity"])


class ValidateAnswer(Struct):
    ok: bool
    checks: Checks


@router.post(
    "/auto/quote",
    dependencies=needs("staff"),
    responses=shows(QuoteAnswer),
    summary="Hold the best tables there are",
)
async def auto_quote(parts: PartsOf, body: QuoteBody, caller: StaffCaller) -> Response:
    quoted = await quote(
        parts.capacity,
        body.occasion(),
        body.filters(),
        held_by=str(caller.token_id),
        ttl_s=body.hold_ttl_seconds,
    )
    return answer(QuoteAnswer.of(quoted))


@router.post(
    "/auto/confirm",
    dependencies=needs("staff"),
    responses=shows(Assignment),
    summary="Turn a hold into a confirmed booking",
)
async def auto_confirm(parts: PartsOf, body: ConfirmBody, idempotency_key: IdempotencyKey = None) -> Response:
    return await _confirm(parts, body, idempotency_key)


@router.post(
    "/manual/confirm",
    dependencies=needs("staff"),
    responses=shows(Assignment),
    summary="The same as auto/confirm",
)
async def manual_confirm(parts: PartsOf, body: ConfirmBody, idempotency_key: IdempotencyKey = None) -> Response:
    return await _confirm(parts, body, idempotency_key)


async def _confirm(parts: PartsOf, body: ConfirmBody, idempotency_key: str | None) -> Response:
    confirmed = await confirm_hold(
        parts.capacity,
        known_id(body.hold_id, "hold"),
        booking_id=known_id(body.booking_id, "booking") if body.booking_id is not None else None,
        guest=body.guest,
        idempotency_key=idempotency_key,
    )
    return answer(confirmed)


@router.post(
    "/manual/validate",
    dependencies=needs("staff"),
    responses=shows(ValidateAnswer),
    summary="What a hold of these tables would be refused for",
)
async def manual_validate(parts: PartsOf, body: ManualBody) -> Response:
    checks = await validate(
        parts.capacity,
        body.occasion(),
        [known_id(one, "table") for one in body.table_ids],
        require_adjacency=body.require_adjacency,
    )
    return answer(ValidateAnswer(checks.ok, checks))


@router.post(
    "/manual/hold", dependencies=needs("staff"), responses=shows(QuoteAnswer), summary="Hold exactly these tables"
)
async def manual_hold(parts: PartsOf, body: ManualBody, caller: StaffCaller) -> Response:
    held = await hold_tables(
        parts.capacity,
        body.occasion(),
        [known_id(one, "table") for one in body.table_ids],
        held_by=str(caller.token_id),
        require_adjacency=body.require_adjacency,
        ttl_s=body.hold_ttl_seconds,
    )
    return answer(_held(held))


def _held(held: ManualHold) -> QuoteAnswer:
    return QuoteAnswer(
        hold_id=held.hold_id,
        expires_at=held.expires_at,
        window=held.window,
        zone_id=held.zone_id,
        candidate=CandidateAnswer.of(held.candidate),
        alternates=[],
        next_times=[],
        reason=None,
        detail=None,
        skipped={},
    )
