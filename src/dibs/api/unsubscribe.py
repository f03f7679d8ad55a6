"""The pages behind the links of a notice: unsubscribe and confirm. Plain HTML, no console, no script.

Looking changes nothing, because mail scanners follow links; the button does. A mail program unsubscribes with
one POST (RFC 8058).
"""

from __future__ import annotations

from html import escape
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from dibs.api.auth import PartsOf, open_to_all
from dibs.api.plain_page import HTML_ANSWER, form, page
from dibs.errors import NotFound
from dibs.notify.model import Subscription

router = APIRouter(tags=["subscriptions"], dependencies=open_to_all)
Token = Annotated[str, Query(max_length=512, description="From the link in a notice, or the manage token.")]


@router.get("/unsubscribe", summary="Ask before unsubscribing", responses=HTML_ANSWER)
async def get_unsubscribe(parts: PartsOf, token: Token = "") -> Response:
    subscription = await parts.notify.manage.by_unsubscribe_token(token)
    if subscription is None:
        return _unknown()
    if subscription.status == "unsubscribed":
        return _left(subscription)
    text = f"You are told about {_named(subscription)}. Do you want no more notices about it?"
    return page("Unsubscribe", text, form("/unsubscribe", token, "Unsubscribe"))


@router.post("/unsubscribe", summary="Unsubscribe (also RFC 8058 one-click)", responses=HTML_ANSWER)
async def post_unsubscribe(request: Request, parts: PartsOf, token: Token = "") -> Response:
    subscription = await parts.notify.manage.by_unsubscribe_token(token)
    if subscription is None:
        return _unknown()
    one_click = b"List-Unsubscribe=One-Click" in await request.body()
    how = "one_click" if one_click else "by_link"
    return _left(await parts.notify.manage.unsubscribe(subscription.subscription_id, how=how))


@router.get("/verify", summary="Ask before confirming", responses=HTML_ANSWER)
async def get_verify(token: Token = "") -> Response:
    text = "Press the button to confirm that you want these notices."
    return page("Confirm your subscription", text, form("/verify", token, "Confirm"))


@router.post("/verify", summary="Confirm a subscription", responses=HTML_ANSWER)
async def post_verify(parts: PartsOf, token: Token = "") -> Response:
    try:
        subscription = await parts.notify.manage.verify(token)
    except NotFound:
        return _unknown()
    if subscription.status == "unsubscribed":
        return _left(subscription)
    return page("Thank you", f"Your subscription to {_named(subscription)} is confirmed.")


def _left(subscription: Subscription) -> Response:
    return page("You are unsubscribed", f"You get no more notices about {_named(subscription)}.")


def _unknown() -> Response:
    text = "This link is not valid. It may be incomplete; copy the whole of it from the notice."
    return page("This link does not work", text, status=404)


def _named(subscription: Subscription) -> str:
    return f"<strong>{escape(subscription.topic)}</strong>"
