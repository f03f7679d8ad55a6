"""Reddit: search in a community, its newest posts, the comments of a post.

It speaks OAuth (a token for a client, renewed before it ends and once when it is refused) and asks in turns.
Every answer is a value: pages, or a Failure. A failed call is never an empty page.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from urllib.parse import quote, urlencode

from dibs.clock import Clock
from dibs.config.sections import Reddit
from dibs.db import Database
from dibs.sources.http import Client, Request, Response
from dibs.sources.model import Failure, Fault
from dibs.sources.reddit_wire import (
    CommentPage,
    Malformed,
    PostPage,
    Token,
    read_comments,
    read_more,
    read_posts,
    read_token,
)
from dibs.sources.turn_rule import Manners
from dibs.sources.turns import Sleep, Turns

SERVICE = "reddit"
PAGE = 100
LONGEST_QUERY = 512
MORE_AT_ONCE = 100
COMMENTS_AT_ONCE = 500
DEPTH = 10
# A token is renewed this long before it ends, so that none ends under way.
SPARE = timedelta(seconds=60)

Page = TypeVar("Page")


def manners_of(config: Reddit) -> Manners:
    """Reddit averages over ten minutes, so a short burst is fine and a long one is not."""
    return Manners(
        per_minute=config.requests_per_minute,
        burst=max(1, config.requests_per_minute // 2),
        gap_s=config.page_gap_s,
        search_gap_s=config.search_gap_s,
    )


@dataclass(frozen=True, slots=True)
class _Held:
    token: Token
    until: datetime


class RedditSource:
    """One client of Reddit. Tasks of a process share it, and its token."""

    def __init__(
        self,
        config: Reddit,
        client: Client,
        db: Database,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._config = config
        self._client = client
        self._clock = clock
        self._turns = Turns(SERVICE, manners_of(config), db, clock, timeout_s=config.timeout_s, sleep=sleep)
        self._held: _Held | None = None
        self._renewing = asyncio.Lock()

    @property
    def configured(self) -> bool:
        """Reddit itself wants a client; a stand-in at another address may do without."""
        return bool(self._config.client_id) or self._config.api_base != Reddit().api_base

    async def search(
        self, community: str, term: str, *, sort: str, time_filter: str | None, after: str | None = None
    ) -> PostPage | Failure:
        """One page of posts that the community's search gives for the term. Posts only."""
        query = {
            "q": term[:LONGEST_QUERY],
            "restrict_sr": "1",
            "sort": sort,
            "type": "link",
            "limit": str(PAGE),
            "raw_json": "1",
        }
        if time_filter:
            query["t"] = time_filter
        if after:
            query["after"] = after
        # The spacing of searches is for the first page; the pages after it follow more closely.
        path = f"/r/{quote(community)}/search?{urlencode(query)}"
        return await self._read(path, read_posts, search=after is None)

    async def newest(self, community: str, *, after: str | None = None) -> PostPage | Failure:
        """One page of the community's newest posts."""
        query = {"limit": str(PAGE), "raw_json": "1", **({"after": after} if after else {})}
        return await self._read(f"/r/{quote(community)}/new?{urlencode(query)}", read_posts)

    async def comments(self, community: str, post_id: str, *, limit: int) -> CommentPage | Failure:
        """The comments of a post, loaded by its id; at most `limit` of them."""
        query = urlencode(
            {
                "limit": str(min(limit, COMMENTS_AT_ONCE)),
                "sort": "top",
                "depth": str(DEPTH),
                "raw_json": "1",
            }
        )
        path = f"/r/{quote(community)}/comments/{post_id.removeprefix('t3_')}?{query}"
        return await self._read(path, lambda body: read_comments(body, limit))

    async def more_comments(self, post_id: str, children: list[str], *, limit: int) -> CommentPage | Failure:
        """Comments that a tree only hinted at; up to 100 ids at once."""
        query = urlencode(
            {
                "link_id": post_id,
                "children": ",".join(children[:MORE_AT_ONCE]),
                "api_type": "json",
                "raw_json": "1",
            }
        )
        return await self._read(f"/api/morechildren?{query}", lambda body: read_more(body, limit))

    async def _read(self, path: str, read: Callable[[bytes], Page], *, search: bool = False) -> Page | Failure:
        answer = await self._ask(path, search=search)
        if isinstance(answer, Failure):
            return answer
        try:
            return read(answer.body)
        except Malformed as error:
            return Failure(Fault.TRANSIENT, f"malformed: {error}"[:300], answer.status)

    async def _ask(self, path: str, *, search: bool) -> Response | Failure:
        held = await self._token()
        if isinstance(held, Failure):
            return held
        answer = await self._send(path, held, search=search)
        if isinstance(answer, Failure) and answer.status == 401:
            # It ended early, or was taken back: one new token, one more try.
            self._forget(held)
            held = await self._token()
            if isinstance(held, Failure):
                return held
            answer = await self._send(path, held, search=search)
        return answer

    async def _send(self, path: str, held: _Held, *, search: bool) -> Response | Failure:
        headers = {
            "Authorization": f"Bearer {held.token.access_token}",
            "User-Agent": self._config.user_agent,
        }
        url = self._config.api_base.rstrip("/") + path
        request = Request(url, headers=headers, follow=False)
        return _no_redirect(await self._turns.ask(self._client, request, search=search))

    def _forget(self, held: _Held) -> None:
        if self._held is held:
            self._held = None

    async def _token(self) -> _Held | Failure:
        async with self._renewing:
            if self._held and self._clock.now() < self._held.until:
                return self._held
            if not self.configured:
                return Failure(Fault.CONFIGURATION, "collect.reddit has no client_id")
            token = await self._new_token()
            if isinstance(token, Failure):
                return token
            lasts = max(timedelta(seconds=min(token.expires_in, 86_400)) - SPARE, timedelta(seconds=1))
            self._held = _Held(token, self._clock.now() + lasts)
            return self._held

    async def _new_token(self) -> Token | Failure:
        pair = f"{self._config.client_id}:{self._config.client_secret}".encode()
        request = Request(
            self._config.auth_base.rstrip("/") + "/api/v1/access_token",
            method="POST",
            headers={
                "Authorization": f"Basic {b64encode(pair).decode()}",
                "User-Agent": self._config.user_agent,
            },
            form={"grant_type": "client_credentials"},
            follow=False,
        )
        answer = _no_redirect(await self._turns.ask(self._client, request))
        if isinstance(answer, Failure):
            return answer
        try:
            return read_token(answer.body)
        except Malformed as error:
            return Failure(Fault.TRANSIENT, f"malformed: {error}", answer.status)


def _no_redirect(answer: Response | Failure) -> Response | Failure:
    """A subreddit that does not exist redirects to a search for its name; the token stays here."""
    if isinstance(answer, Failure) and answer.status is not None and 300 <= answer.status < 400:
        return Failure(Fault.CONFIGURATION, f"redirected (http_{answer.status}): no such community?", answer.status)
    return answer
