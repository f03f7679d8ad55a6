"""A Reddit that knows the truth: communities, posts and trees of comments, behind the real wire format.

It asks for what Reddit asks for (OAuth with tokens that end, a User-Agent, at most 100 requests a minute over
ten minutes) and has its caps: 100 posts a page, about 250 a search, 1,000 a listing, long trees cut by
`more`. `troubles` makes it fail on demand, `asked` tells what it was asked.
"""

from __future__ import annotations

import secrets
from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from aiohttp import web

from dibs.clock import Clock
from dibs.sim.trouble import Troubles

PAGE = 100
SEARCH_CAP = 250
LISTING_CAP = 1000
WINDOW = timedelta(minutes=10)
PER_WINDOW = 1000
FIRST_COMMENTS = 50
WINDOWS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 31, "year": 366, "all": 10**5}


@dataclass(slots=True)
class SimComment:
    """What somebody answered, and what was answered to that."""

    id: str
    body: str
    score: int
    at: datetime
    replies: list[SimComment] = field(default_factory=list["SimComment"])


@dataclass(slots=True)
class SimPost:
    """A post with its tree."""

    id: str
    community: str
    title: str
    body: str
    score: int
    at: datetime
    comments: list[SimComment] = field(default_factory=list[SimComment])


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the data host."""

    path: str
    query: dict[str, str]
    at: datetime


Talk = str | tuple[str, Sequence["Talk"]]
"""A comment, or one with the replies to it."""


class RedditSim:
    def __init__(
        self,
        clock: Clock,
        *,
        client_id: str = "sim-client",
        client_secret: str = "sim-secret",  # noqa: S107 -- opens nothing but this simulation
        token_s: float = 3600,
        per_window: int = PER_WINDOW,
        first_comments: int = FIRST_COMMENTS,
    ) -> None:
        self.clock = clock
        self.client_id = client_id
        self.client_secret = client_secret
        self.token_s = token_s
        self.per_window = per_window
        self.first_comments = first_comments
        self.communities: dict[str, list[SimPost]] = {}
        self.troubles = Troubles()
        self.asked: list[Asked] = []
        self.tokens: dict[str, datetime] = {}
        self._numbers = 0
        self._window_start = clock.now()
        self._used = 0

    # The truth

    def found(self, community: str) -> None:
        self.communities.setdefault(community.lower(), [])

    def post(
        self,
        community: str,
        title: str,
        body: str = "",
        *,
        comments: Iterable[Talk] = (),
        score: int = 1,
        age: timedelta = timedelta(days=1),
    ) -> SimPost:
        at = self.clock.now() - age
        made = SimPost(self._id(), community.lower(), title, body, score, at)
        made.comments = [self._comment(talk, at) for talk in comments]
        self.communities.setdefault(made.community, []).append(made)
        return made

    def _comment(self, talk: Talk, after: datetime) -> SimComment:
        body, replies = talk if isinstance(talk, tuple) else (talk, ())
        at = after + timedelta(minutes=5)
        return SimComment(self._id(), body, 2, at, [self._comment(reply, at) for reply in replies])

    def _id(self) -> str:
        self._numbers += 1
        number, digits = self._numbers + 36**5, ""
        while number:
            number, digit = divmod(number, 36)
            digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        return digits

    # The wire

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/api/v1/access_token", self._access_token)
        app.router.add_get("/r/{community}/search", self._search)
        app.router.add_get("/r/{community}/new", self._new)
        app.router.add_get("/r/{community}/comments/{post}", self._comments)
        app.router.add_get("/api/morechildren", self._morechildren)
        return app

    async def _access_token(self, request: web.Request) -> web.StreamResponse:
        trouble = self.troubles.meet(request.path)
        if trouble:
            return await trouble.answer(request)
        form = await request.post()
        scheme, _, pair = request.headers.get("Authorization", "").partition(" ")
        try:
            name, _, secret = b64decode(pair).decode().partition(":")
        except ValueError:
            return _refuse(401, "Unauthorized")
        if scheme != "Basic" or (name, secret) != (self.client_id, self.client_secret):
            return _refuse(401, "Unauthorized")
        if form.get("grant_type") not in {"client_credentials", "password"}:
            return web.json_response({"error": "unsupported_grant_type"})
        token = secrets.token_urlsafe(24)
        self.tokens[token] = self.clock.now() + timedelta(seconds=self.token_s)
        return web.json_response(
            {"access_token": token, "token_type": "bearer", "expires_in": self.token_s, "scope": "*"}
        )

    async def _search(self, request: web.Request) -> web.StreamResponse:
        refused = await self._enter(request)
        if refused is not None:
            return refused
        community, query = request.match_info["community"].lower(), request.query
        if community not in self.communities:
            return _refuse(404, "Not Found")
        wanted = query.get("q", "")
        if not 0 < len(wanted) <= 512:
            return _refuse(400, "Bad Request")
        here = [community] if query.get("restrict_sr") in {"1", "true", "on"} else list(self.communities)
        found = [post for key in here for post in self.communities[key] if _speaks_of(post, wanted)]
        sort = query.get("sort", "relevance")
        if sort != "new":
            since = self.clock.now() - timedelta(days=WINDOWS.get(query.get("t", "all"), 10**5))
            found = [post for post in found if post.at >= since]
        found.sort(key=lambda post: _rank(post, sort, wanted), reverse=True)
        return self._listing(found[:SEARCH_CAP], query)

    async def _new(self, request: web.Request) -> web.StreamResponse:
        refused = await self._enter(request)
        if refused is not None:
            return refused
        posts = self.communities.get(request.match_info["community"].lower())
        if posts is None:
            return _refuse(404, "Not Found")
        newest = sorted(posts, key=lambda post: (post.at, post.id), reverse=True)
        return self._listing(newest[:LISTING_CAP], request.query)

    async def _comments(self, request: web.Request) -> web.StreamResponse:
        refused = await self._enter(request)
        if refused is not None:
            return refused
        post = self._post(request.match_info["post"])
        if post is None:
            return _refuse(404, "Not Found")
        limit = min(_count(request.query.get("limit"), self.first_comments), self.first_comments)
        depth = _count(request.query.get("depth"), 10)
        children = _tree(post.comments, f"t3_{post.id}", [limit], depth)
        return self._answer([_as_listing([_as_post(post)], None), _as_listing(children, None)])

    async def _morechildren(self, request: web.Request) -> web.StreamResponse:
        refused = await self._enter(request)
        if refused is not None:
            return refused
        post = self._post(request.query.get("link_id", "").removeprefix("t3_"))
        if post is None:
            return _refuse(404, "Not Found")
        wanted = request.query.get("children", "").split(",")[:PAGE]
        things: list[dict[str, Any]] = []
        for comment, parent in _flat(post.comments, f"t3_{post.id}"):
            if comment.id in wanted:
                things.append(_as_comment(comment, parent, ""))
                hidden = [reply.id for reply in comment.replies if reply.id not in wanted]
                if hidden:
                    things.append(_as_more(hidden, f"t1_{comment.id}"))
        return self._answer({"json": {"errors": [], "data": {"things": things}}})

    async def _enter(self, request: web.Request) -> web.StreamResponse | None:
        """Who asks, whether they may, and how often they did."""
        self.asked.append(Asked(request.path, dict(request.query), self.clock.now()))
        trouble = self.troubles.meet(request.path)
        if trouble:
            return await trouble.answer(request)
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or self.tokens.get(token, datetime.min.replace(tzinfo=self._tz)) <= self.clock.now():
            return _refuse(401, "Unauthorized")
        self._roll_window()
        if self._used >= self.per_window or not request.headers.get("User-Agent"):
            return _refuse(429, "Too Many Requests", {**self._limits(), "Retry-After": self._reset()})
        self._used += 1
        return None

    @property
    def _tz(self) -> Any:
        return self.clock.now().tzinfo

    def _roll_window(self) -> None:
        if self.clock.now() - self._window_start >= WINDOW:
            self._window_start, self._used = self.clock.now(), 0

    def _reset(self) -> str:
        return str(ceil((self._window_start + WINDOW - self.clock.now()).total_seconds()))

    def _limits(self) -> dict[str, str]:
        left = max(self.per_window - self._used, 0)
        return {
            "X-Ratelimit-Used": str(self._used),
            "X-Ratelimit-Remaining": f"{left:.1f}",
            "X-Ratelimit-Reset": self._reset(),
        }

    def _post(self, post_id: str) -> SimPost | None:
        every = (post for posts in self.communities.values() for post in posts)
        return next((post for post in every if post.id == post_id), None)

    def _listing(self, posts: list[SimPost], query: Any) -> web.Response:
        names = [f"t3_{post.id}" for post in posts]
        after = query.get("after")
        first = names.index(after) + 1 if after in names else len(posts) if after else 0
        size = max(1, min(PAGE, _count(query.get("limit"), 25)))
        page = posts[first : first + size]
        rest = first + size < len(posts)
        return self._answer(
            _as_listing([_as_post(post) for post in page], f"t3_{page[-1].id}" if page and rest else None)
        )

    def _answer(self, document: Any) -> web.Response:
        return web.json_response(document, headers=self._limits())


def _speaks_of(post: SimPost, wanted: str) -> bool:
    """As the search does it: every word, anywhere in the post; never in its comments."""
    text = f"{post.title} {post.body}".lower()
    return all(word in text for word in wanted.lower().replace('"', " ").split())


def _rank(post: SimPost, sort: str, wanted: str) -> tuple[float, str]:
    if sort == "top":
        return float(post.score), post.id
    if sort == "relevance":
        return float(wanted.lower() in post.title.lower()), post.id
    return post.at.timestamp(), post.id


def _tree(comments: list[SimComment], parent: str, budget: list[int], depth: int) -> list[dict[str, Any]]:
    """The top of the tree, as far as the budget goes; the rest is only hinted at."""
    shown: list[dict[str, Any]] = []
    for position, comment in enumerate(comments):
        if budget[0] <= 0 or depth <= 0:
            return [*shown, _as_more([one.id for one in comments[position:]], parent)]
        budget[0] -= 1
        replies = _tree(comment.replies, f"t1_{comment.id}", budget, depth - 1)
        shown.append(_as_comment(comment, parent, _as_listing(replies, None) if replies else ""))
    return shown


def _flat(comments: list[SimComment], parent: str) -> Iterable[tuple[SimComment, str]]:
    for comment in comments:
        yield comment, parent
        yield from _flat(comment.replies, f"t1_{comment.id}")


def _as_listing(children: list[dict[str, Any]], after: str | None) -> dict[str, Any]:
    return {"kind": "Listing", "data": {"after": after, "dist": len(children), "children": children}}


def _as_post(post: SimPost) -> dict[str, Any]:
    slug = "_".join(post.title.lower().split())[:40]
    data = {
        "id": post.id,
        "name": f"t3_{post.id}",
        "title": post.title,
        "selftext": post.body,
        "author": "somebody",
        "subreddit": post.community,
        "permalink": f"/r/{post.community}/comments/{post.id}/{slug}/",
        "score": post.score,
        "num_comments": sum(1 for _ in _flat(post.comments, "")),
        "created_utc": post.at.timestamp(),
    }
    return {"kind": "t3", "data": data}


def _as_comment(comment: SimComment, parent: str, replies: Any) -> dict[str, Any]:
    data = {
        "id": comment.id,
        "name": f"t1_{comment.id}",
        "parent_id": parent,
        "author": "somebody",
        "body": comment.body,
        "score": comment.score,
        "created_utc": comment.at.timestamp(),
        "replies": replies,
    }
    return {"kind": "t1", "data": data}


def _as_more(ids: list[str], parent: str) -> dict[str, Any]:
    return {"kind": "more", "data": {"count": len(ids), "parent_id": parent, "id": ids[0], "children": ids}}


def _count(text: str | None, default: int) -> int:
    return int(text) if text and text.isdigit() else default


def _refuse(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    return web.json_response({"message": message, "error": status}, status=status, headers=headers)
