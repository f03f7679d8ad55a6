"""The page behind a claim link: what is kept, until when, and the buttons. No account needed."""

from __future__ import annotations

from html import escape
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query, Response

from dibs.api.auth import PartsOf, open_to_all
from dibs.api.plain_page import HTML_ANSWER, form, page
from dibs.errors import Conflict, Gone, NotFound
from dibs.offers.announce import title_of
from dibs.offers.model import Offer

router = APIRouter(tags=["line"], dependencies=open_to_all)
Token = Annotated[str, Query(max_length=512, description="From the link in the notice.")]


@router.get("/claim", summary="What is kept for you", responses=HTML_ANSWER)
async def get_claim(parts: PartsOf, token: Token = "") -> Response:
    try:
        view = await parts.claim.look(token)
    except NotFound as error:
        return page("This link does not work", escape(error.detail), status=404)
    if view.offer.status != "live" or view.over:
        return _ended(view.offer)
    buttons = (
        form("/claim", token, "Claim it", action="claim")
        + form("/claim", token, "Not this one, keep my place", action="decline")
        + form("/claim", token, "Leave the line", action="leave")
    )
    return page("Kept for you", _kept(view.offer), buttons)


@router.post("/claim", summary="Claim it, or let it go", responses=HTML_ANSWER)
async def post_claim(
    parts: PartsOf, token: Token = "", action: Literal["claim", "decline", "leave"] = "claim"
) -> Response:
    try:
        if action == "claim":
            return _ended(await parts.claim.claim(token))
        return _ended(await parts.claim.decline(token, leave=action == "leave"))
    except NotFound as error:
        return page("This link does not work", escape(error.detail), status=404)
    except (Gone, Conflict) as error:
        return page("Too late", escape(error.detail), status=error.status)


def _kept(offer: Offer) -> str:
    until = f"<strong>{offer.expires_at.astimezone(ZoneInfo(offer.timezone)):%H:%M:%S}</strong>"
    if offer.product:
        return f"<strong>{escape(title_of(offer))}</strong>, kept for you until {until} ({escape(offer.timezone)})."
    return f"{_described(offer)} It is kept for you until {until}."


def _ended(offer: Offer) -> Response:
    if offer.status == "claimed":
        return page("It is yours", f"{_described(offer)} {_proof(offer)}")
    if offer.status == "declined":
        kept = offer.place_status in ("waiting", "offered")
        text = "You keep your place in line; we write again when something else opens."
        return page("Let go", text if kept else "You left the line.")
    return page("This offer is over", f"{'It' if offer.product else 'The table'} went to the next in line.", status=410)


def _proof(offer: Offer) -> str:
    """What the person shows at the door."""
    if offer.product:
        return f"Your reference: <strong>{escape(offer.reference)}</strong>."
    return f"Your booking: <strong>{offer.booking_id}</strong>."


def _described(offer: Offer) -> str:
    if offer.product:
        return f"<strong>{escape(title_of(offer))} {offer.service_date.year}</strong>."
    start = offer.start_at.astimezone(ZoneInfo(offer.timezone))
    guests = "1 guest" if offer.party_size == 1 else f"{offer.party_size} guests"
    place = f"<strong>{escape(offer.name)}</strong>"
    return f"A table for {guests} at {place} on {start:%A, %d %B %Y at %H:%M} ({escape(offer.timezone)})."
