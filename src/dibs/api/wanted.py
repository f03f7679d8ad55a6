"""Demand that becomes a watch: watch what people look for, and ask to be told."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from msgspec import Struct
from pydantic import Field, model_validator

from dibs.access import Caller
from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, bearer, caller_of, counted_client, needs, parts_of
from dibs.api.subscriptions import Body, NeedsToSubscribe, PreferencesBody
from dibs.errors import Forbidden, Unauthorized
from dibs.notify.model import ChannelName
from dibs.wanted import AskView, AskWish, Choice, WantedPlace
from dibs.wanted.model import AskStatus, WantedStatus

router = APIRouter(prefix="/api", tags=["demand"])
RequestId = Annotated[int, Path(ge=1, lt=2**63)]
AskId = Annotated[int, Path(ge=1, lt=2**63)]


class WatchBody(Body):
    """Which place it is; needed only when several come into question."""

    provider: str | None = Field(None, min_length=1, max_length=100)
    group_key: str | None = Field(None, min_length=1, max_length=500)

    @model_validator(mode="after")
    def both_or_none(self) -> WatchBody:
        if (self.provider is None) != (self.group_key is None):
            raise ValueError("provider and group_key name a place together; send both or none")
        return self

    def choice(self) -> Choice | None:
        return Choice(self.provider, self.group_key) if self.provider and self.group_key else None


class AskBody(Body):
    """Who is to be told, and how."""

    channel: ChannelName
    address: str = Field(examples=["ann@example.org"], max_length=2100)
    locale: str | None = Field(None, max_length=35)
    preferences: PreferencesBody | None = None


class WatchedAnswer(Struct):
    """What became of it, and in one sentence."""

    wanted: WantedPlace
    created: bool
    sentence: str


class AskShown(Struct):
    """An ask; `problem` says why it could not be turned into a subscription."""

    ask_id: int
    request_id: int
    status: AskStatus
    channel: str
    address: str
    topic: str | None
    subscription_id: int | None
    problem: str | None
    asked_at: datetime
    withdrawn_at: datetime | None


class AskedAnswer(Struct, omit_defaults=True):
    """`manage_token` and `webhook_secret` are shown this once; the token manages the subscription too."""

    ask: AskShown
    existing: bool
    manage_token: str | None = None
    webhook_secret: str | None = None


class NeedsAskOwner:
    """Lets an administrator pass, or whoever has the ask's manage token."""

    async def __call__(
        self, request: Request, ask_id: AskId, x_manage_token: Annotated[str | None, Header(max_length=512)] = None
    ) -> Caller | None:
        if x_manage_token and await parts_of(request).wanted.ask.is_owner(ask_id, x_manage_token):
            return None
        caller = await caller_of(request)
        if caller is None:
            raise Unauthorized("This needs the ask's manage token as X-Manage-Token, or the token of an administrator.")
        if not caller.may("admin"):
            raise Forbidden("This needs the scope admin, or the ask's manage token as X-Manage-Token.")
        return caller


asker = [Depends(bearer), Depends(NeedsAskOwner())]


@router.post(
    "/collection-requests/{request_id}/watch",
    dependencies=needs("admin"),
    status_code=201,
    responses={**shows(WatchedAnswer, status=201), **shows(WatchedAnswer)},
    summary="Watch what people look for",
)
async def watch_request(parts: PartsOf, request_id: RequestId, body: WatchBody | None = None) -> Response:
    watched = await parts.wanted.watch.watch(request_id, body.choice() if body else None)
    return answer(WatchedAnswer(watched.place, watched.created, watched.sentence), 201 if watched.created else 200)


@router.delete(
    "/collection-requests/{request_id}/watch",
    dependencies=needs("admin"),
    responses=shows(WantedPlace),
    summary="Stop watching it; those who asked wait again",
)
async def stop_watching(parts: PartsOf, request_id: RequestId) -> Response:
    return answer(await parts.wanted.watch.stop(request_id))


@router.post(
    "/collection-requests/{request_id}/ask",
    dependencies=[Depends(bearer), Depends(NeedsToSubscribe())],
    status_code=201,
    responses={**shows(AskedAnswer, status=201), **shows(AskedAnswer)},
    summary="Ask to be told once it is watched and opens",
)
async def ask(request: Request, parts: PartsOf, request_id: RequestId, body: AskBody) -> Response:
    client = counted_client(request, await caller_of(request))
    preferences = body.preferences.model_dump(exclude_unset=True, mode="json") if body.preferences else {}
    wish = AskWish(body.channel, body.address, body.locale, preferences)
    asked = await parts.wanted.ask.ask(request_id, wish, client=client)
    shown = AskedAnswer(_show(asked.ask), asked.existing, asked.manage_token, asked.webhook_secret)
    return answer(shown, 200 if asked.existing else 201)


@router.get(
    "/collection-requests/{request_id}/asks/{ask_id}",
    dependencies=asker,
    responses=shows(AskShown),
    summary="One ask",
)
async def get_ask(parts: PartsOf, request_id: RequestId, ask_id: AskId) -> Response:
    return answer(_show(await parts.wanted.ask.get(ask_id, request_id)))


@router.delete(
    "/collection-requests/{request_id}/asks/{ask_id}",
    dependencies=asker,
    responses=shows(AskShown),
    summary="Withdraw an ask, with the subscription that came of it",
)
async def withdraw_ask(parts: PartsOf, request_id: RequestId, ask_id: AskId) -> Response:
    return answer(_show(await parts.wanted.ask.withdraw(ask_id, request_id)))


@router.get(
    "/wanted",
    dependencies=needs("read"),
    responses=shows(WantedPlace, many=True),
    summary="What people want watched, and what became of it",
)
async def list_wanted(
    parts: PartsOf, status: WantedStatus | None = None, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    before = decode_cursor(cursor, tuple[int])
    found = await parts.wanted.watch.list(limit=limit + 1, status=status, before=before[0] if before else None)
    return page(found, limit, lambda one: [one.request_id])


def _show(ask: AskView) -> AskShown:
    return AskShown(
        ask.ask_id,
        ask.request_id,
        ask.status,
        ask.channel,
        ask.address,
        ask.topic,
        ask.subscription_id,
        ask.problem,
        ask.asked_at,
        ask.withdrawn_at,
    )
