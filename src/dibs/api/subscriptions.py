"""Subscriptions: ask to be told, change one's mind, try it out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, StrictInt

from dibs.access import Caller
from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, bearer, caller_of, counted_client, needs, parts_of
from dibs.errors import Forbidden, Unauthorized
from dibs.notify import Change, Wish
from dibs.notify.model import ChannelName, Subscription, SubscriptionEvent, SubscriptionStatus
from dibs.notify.try_out import TestReport

router = APIRouter(prefix="/api/subscriptions", tags=["subscriptions"])
Id = Annotated[int, Path(ge=1, lt=2**63)]


class Body(BaseModel):
    """A request body; an unknown field in it is an error."""

    model_config = ConfigDict(extra="forbid")


class DeliveryWindowBody(Body):
    """Hours by the wall clock of a zone; an end before the start lies on the next day."""

    start: str = Field(examples=["08:00"], max_length=5)
    end: str = Field(examples=["22:00"], max_length=5)
    timezone: str = Field(examples=["America/New_York"], max_length=100)


class PreferencesBody(Body):
    """What is left out stays as it is; null clears it."""

    delivery_window: DeliveryWindowBody | None = None
    max_notifications: StrictInt | None = Field(None, ge=1, le=1_000_000)
    snooze_until: datetime | None = None


class SubscribeBody(Body):
    """Who is to be told, about what, how."""

    topic: str = Field(examples=["watch:resy:2026-02-28_20:30"], max_length=500)
    channel: ChannelName
    address: str = Field(examples=["ann@example.org"], max_length=2100)
    locale: str | None = Field(None, max_length=35)
    preferences: PreferencesBody | None = None


class ChangeBody(Body):
    """What is to be different."""

    status: Literal["active", "paused"] | None = None
    locale: str | None = Field(None, max_length=35)
    preferences: PreferencesBody | None = None


class SubscribedAnswer(Struct, omit_defaults=True):
    """`manage_token` and `webhook_secret` are shown this once."""

    subscription_id: int
    status: SubscriptionStatus
    existing: bool
    manage_token: str | None = None
    webhook_secret: str | None = None


class DeliveryWindowAnswer(Struct):
    """A delivery window."""

    start: str
    end: str
    timezone: str


class PreferencesAnswer(Struct):
    """What the subscriber wants."""

    delivery_window: DeliveryWindowAnswer | None
    max_notifications: int | None
    snooze_until: datetime | None


class SubscriptionAnswer(Struct):
    """A subscription; `reason` says why it is paused, suppressed or unsubscribed."""

    subscription_id: int
    topic: str
    channel: ChannelName
    address: str
    locale: str
    status: SubscriptionStatus
    reason: str | None
    preferences: PreferencesAnswer
    last_sent_at: datetime | None
    failing_since: datetime | None
    verified_at: datetime | None
    created_at: datetime
    updated_at: datetime


class NeedsToSubscribe:
    """Creating needs a `read` token, or nothing where the configuration says so."""

    async def __call__(self, request: Request) -> Caller | None:
        caller = await caller_of(request)
        if caller is None and not parts_of(request).config.notify.public_subscribe:
            raise Unauthorized("This needs a token: Authorization: Bearer …")
        return caller


class NeedsOwner:
    """Lets an administrator pass, or whoever has this subscription's manage token; says which."""

    async def __call__(
        self,
        request: Request,
        subscription_id: Id,
        x_manage_token: Annotated[str | None, Header(max_length=512)] = None,
    ) -> Caller | None:
        if x_manage_token and await parts_of(request).notify.manage.is_owner(subscription_id, x_manage_token):
            return None
        caller = await caller_of(request)
        if caller is None:
            wrong = "That is not its manage token." if x_manage_token else "This needs the manage token."
            raise Unauthorized(f"{wrong} Send X-Manage-Token, or the token of an administrator.")
        if not caller.may("admin"):
            raise Forbidden("This needs the scope admin, or the subscription's manage token as X-Manage-Token.")
        return caller


Subscriber = Annotated[Caller | None, Depends(NeedsToSubscribe())]
Owner = Annotated[Caller | None, Depends(NeedsOwner())]
may_ask = [Depends(bearer)]


@router.post(
    "",
    status_code=201,
    dependencies=may_ask,
    responses={**shows(SubscribedAnswer, status=201), **shows(SubscribedAnswer)},
    summary="Subscribe",
)
async def post_subscription(request: Request, parts: PartsOf, caller: Subscriber, body: SubscribeBody) -> Response:
    wish = Wish(body.topic, body.channel, body.address, body.locale, _wishes(body.preferences) or {})
    made = await parts.notify.subscribe.subscribe(wish, client=counted_client(request, caller))
    shown = SubscribedAnswer(made.subscription_id, made.status, made.existing, made.manage_token, made.webhook_secret)
    return answer(shown, 200 if made.existing else 201)


@router.get(
    "", dependencies=needs("admin"), responses=shows(SubscriptionAnswer, many=True), summary="All subscriptions"
)
async def get_subscriptions(
    parts: PartsOf,
    topic: Annotated[str | None, Query(max_length=500)] = None,
    channel: ChannelName | None = None,
    status: SubscriptionStatus | None = None,
    address: Annotated[str | None, Query(max_length=2100)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    before = decode_cursor(cursor, tuple[int])
    found = await parts.notify.manage.list(
        topic=topic,
        channel=channel,
        status=status,
        address=address,
        before=before[0] if before else None,
        limit=limit + 1,
    )
    return page([show(one) for one in found], limit, lambda one: [one.subscription_id])


@router.get("/{subscription_id}", dependencies=may_ask, responses=shows(SubscriptionAnswer), summary="One subscription")
async def get_subscription(parts: PartsOf, _: Owner, subscription_id: Id) -> Response:
    return answer(show(await parts.notify.manage.get(subscription_id)))


@router.patch(
    "/{subscription_id}",
    dependencies=may_ask,
    responses=shows(SubscriptionAnswer),
    summary="Pause, resume, change preferences",
)
async def patch_subscription(parts: PartsOf, _: Owner, subscription_id: Id, body: ChangeBody) -> Response:
    change = Change(body.status, body.locale, _wishes(body.preferences))
    return answer(show(await parts.notify.manage.change(subscription_id, change)))


@router.delete("/{subscription_id}", status_code=204, dependencies=may_ask, summary="Unsubscribe")
async def delete_subscription(parts: PartsOf, caller: Owner, subscription_id: Id) -> Response:
    how = "by_administrator" if caller else "by_owner"
    await parts.notify.manage.unsubscribe(subscription_id, how=how)
    return Response(status_code=204)


@router.get(
    "/{subscription_id}/events",
    dependencies=may_ask,
    responses=shows(SubscriptionEvent, many=True),
    summary="Its history, newest first",
)
async def get_subscription_events(
    parts: PartsOf, _: Owner, subscription_id: Id, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    await parts.notify.manage.get(subscription_id)
    before = decode_cursor(cursor, tuple[int])
    found = await parts.notify.manage.history(subscription_id, before=before[0] if before else None, limit=limit + 1)
    return page(found, limit, lambda one: [one.subscription_event_id])


@router.post(
    "/{subscription_id}/test",
    dependencies=may_ask,
    responses=shows(TestReport),
    summary="Send a test notice now and say what happened",
)
async def post_test(parts: PartsOf, caller: Owner, subscription_id: Id) -> Response:
    subscription = await parts.notify.manage.get(subscription_id)
    return answer(await parts.notify.try_out.send_test(subscription, limited=caller is None))


def show(subscription: Subscription) -> SubscriptionAnswer:
    """A subscription without its secrets."""
    window = subscription.window
    shown = None
    if window:
        shown = DeliveryWindowAnswer(f"{window.start:%H:%M}", f"{window.end:%H:%M}", window.timezone)
    return SubscriptionAnswer(
        subscription_id=subscription.subscription_id,
        topic=subscription.topic,
        channel=subscription.channel,
        address=subscription.address,
        locale=subscription.locale,
        status=subscription.status,
        reason=subscription.reason,
        preferences=PreferencesAnswer(shown, subscription.max_notifications, subscription.snooze_until),
        last_sent_at=subscription.last_sent_at,
        failing_since=subscription.failing_since,
        verified_at=subscription.verified_at,
        created_at=subscription.created_at,
        updated_at=subscription.updated_at,
    )


def _wishes(preferences: PreferencesBody | None) -> dict[str, Any] | None:
    return preferences.model_dump(exclude_unset=True) if preferences else None
