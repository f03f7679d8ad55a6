"""The pages behind the links of a notice: unsubscribe and confirm. Plain HTML, no console, no script.

Looking changes nothing, because mail scanners follow links; the button does. A mail program unsubscribes with
one POST (RFC 8058).
"""

from __future__ import annotations

from html import escape
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from dibs.api.auth import PartsOf, open_to_all
from dibs.errors import NotFound
from dibs.notify.model import Subscription

router = APIRouter(tags=["subscriptions"], dependencies=open_to_all)
Token = Annotated[str, Query(max_length=512, description="From the link in a notice, or the manage token.")]
HTML_ANSWER = {200: {"description": "A page for people", "content": {"text/html": {}}}}
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'",
}
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>{title}</title>
<style>
body {{ margin: 0; font: 16px/1.5 system-ui, sans-serif; background: #f4f5f7; color: #1c2430 }}
main {{ max-width: 32rem; margin: 12vh auto 0; padding: 2rem; background: #fff; border-radius: 8px }}
h1 {{ margin: 0 0 1rem; font-size: 1.4rem }}
button {{ padding: .7rem 1.4rem; border: 0; border-radius: 6px; background: #0b5cad; color: #fff; font: inherit }}
button:focus-visible {{ outline: 3px solid #f2a900 }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p>{form}</main></body>
</html>
"""
FORM = '<form method="post" action="{action}"><button type="submit">{label}</button></form>'


@router.get("/unsubscribe", summary="Ask before unsubscribing", responses=HTML_ANSWER)
async def get_unsubscribe(parts: PartsOf, token: Token = "") -> Response:
    subscription = await parts.notify.manage.by_unsubscribe_token(token)
    if subscription is None:
        return _unknown()
    if subscription.status == "unsubscribed":
        return _left(subscription)
    text = f"You are told about {_named(subscription)}. Do you want no more notices about it?"
    return _page("Unsubscribe", text, _form("/unsubscribe", token, "Unsubscribe"))


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
    return _page("Confirm your subscription", text, _form("/verify", token, "Confirm"))


@router.post("/verify", summary="Confirm a subscription", responses=HTML_ANSWER)
async def post_verify(parts: PartsOf, token: Token = "") -> Response:
    try:
        subscription = await parts.notify.manage.verify(token)
    except NotFound:
        return _unknown()
    if subscription.status == "unsubscribed":
        return _left(subscription)
    return _page("Thank you", f"Your subscription to {_named(subscription)} is confirmed.")


def _left(subscription: Subscription) -> Response:
    return _page("You are unsubscribed", f"You get no more notices about {_named(subscription)}.")


def _unknown() -> Response:
    text = "This link is not valid. It may be incomplete; copy the whole of it from the notice."
    return _page("This link does not work", text, status=404)


def _named(subscription: Subscription) -> str:
    return f"<strong>{escape(subscription.topic)}</strong>"


def _form(path: str, token: str, label: str) -> str:
    return FORM.format(action=escape(f"{path}?{urlencode({'token': token})}"), label=label)


def _page(title: str, text: str, form: str = "", *, status: int = 200) -> Response:
    return Response(
        PAGE.format(title=title, text=text, form=form), status, HEADERS, media_type="text/html; charset=utf-8"
    )
