"""Reddit's documents: listings of posts, trees of comments.

One bad record is left out and counted; a document that is no listing, or one whose records are all bad, is
`Malformed`: that is a failure, never "nothing found".
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec
from msgspec import Raw, Struct

ID = re.compile(r"[a-z0-9]{1,16}")
FULL_NAME = re.compile(r"t[0-9]_[a-z0-9]{1,16}")
LONGEST_TITLE = 1_000
LONGEST_TEXT = 40_000
LARGEST = 2**31 - 1
# Before Reddit existed, or after we are all gone: the record is broken.
EARLIEST = datetime(2005, 1, 1, tzinfo=UTC).timestamp()
LATEST = datetime(2100, 1, 1, tzinfo=UTC).timestamp()
GONE = frozenset({"[deleted]", "[removed]"})
POST, COMMENT, MORE = "t3", "t1", "more"


class Malformed(ValueError):
    """The body is not what Reddit sends."""


@dataclass(frozen=True, slots=True)
class RedditPost:
    """A post; `post_id` is its full name (t3_…)."""

    post_id: str
    subreddit: str
    title: str
    body: str
    permalink: str
    score: int
    comment_count: int
    posted_at: datetime


@dataclass(frozen=True, slots=True)
class RedditComment:
    """A comment; `comment_id` is its full name (t1_…)."""

    comment_id: str
    parent_id: str
    body: str
    score: int
    posted_at: datetime


@dataclass(frozen=True, slots=True)
class PostPage:
    """One page of a listing."""

    posts: list[RedditPost]
    after: str | None
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class CommentPage:
    """Comments of one answer, and the ids of those it only hints at."""

    comments: list[RedditComment]
    more: list[str]
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """The right to ask, for a while."""

    access_token: str
    expires_in: float


class _Token(Struct):
    access_token: str
    expires_in: float = 3600.0


class _Thing(Struct):
    kind: str
    data: Raw


class _ListingData(Struct):
    children: list[Raw]
    after: str | None = None


class _Listing(Struct):
    data: _ListingData
    kind: str = "Listing"


class _Post(Struct):
    id: str
    created_utc: float
    title: str | None = None
    selftext: str | None = None
    subreddit: str | None = None
    permalink: str | None = None
    score: float | None = None
    num_comments: float | None = None


class _Comment(Struct):
    id: str
    created_utc: float
    body: str | None = None
    parent_id: str | None = None
    score: float | None = None
    replies: Raw = Raw(b'""')


class _More(Struct):
    children: list[str]


class _MoreAnswerData(Struct):
    things: list[Raw]


class _MoreAnswerJson(Struct):
    data: _MoreAnswerData


class _MoreAnswer(Struct):
    json: _MoreAnswerJson


_listing = msgspec.json.Decoder(_Listing)
_pair = msgspec.json.Decoder(list[Raw])
_thing = msgspec.json.Decoder(_Thing)
_post = msgspec.json.Decoder(_Post)
_comment = msgspec.json.Decoder(_Comment)
_more = msgspec.json.Decoder(_More)
_more_answer = msgspec.json.Decoder(_MoreAnswer)
_token = msgspec.json.Decoder(_Token)
# What a decoder says to bytes that are not its document; the depth of a hostile one included.
NOT_READABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_token(body: bytes) -> Token:
    try:
        found = _token.decode(body)
    except NOT_READABLE as error:
        raise Malformed("no access token in the answer") from error
    if not found.access_token or not math.isfinite(found.expires_in):
        raise Malformed("no access token in the answer")
    return Token(found.access_token, found.expires_in)


def read_posts(body: bytes) -> PostPage:
    """A page of search or of /new."""
    try:
        listing = _listing.decode(body)
    except NOT_READABLE as error:
        raise Malformed(f"not a listing: {error}") from error
    found = [_read_post(raw) for raw in listing.data.children]
    posts = {post.post_id: post for post in found if post}
    if found and not any(found):
        raise Malformed("no post of the listing can be read")
    after = listing.data.after
    return PostPage(list(posts.values()), after if _is_full_name(after) else None, found.count(None))


def _read_post(raw: Raw) -> RedditPost | None:
    try:
        thing = _thing.decode(raw)
        found = _post.decode(thing.data)
    except NOT_READABLE:
        return None
    at = _moment(found.created_utc)
    if thing.kind != POST or not ID.fullmatch(found.id) or at is None:
        return None
    return RedditPost(
        post_id=f"t3_{found.id}",
        subreddit=(found.subreddit or "").lower(),
        title=_text(found.title, LONGEST_TITLE),
        body=_text(found.selftext, LONGEST_TEXT),
        permalink=_permalink(found.permalink),
        score=_whole(found.score),
        comment_count=max(_whole(found.num_comments), 0),
        posted_at=at,
    )


def read_comments(body: bytes, limit: int) -> CommentPage:
    """The answer to /comments/{id}: the post, then its tree; at most `limit` comments of it."""
    try:
        _, tree = _pair.decode(body)
        children = _listing.decode(tree).data.children
    except (*NOT_READABLE, ValueError) as error:
        raise Malformed(f"not a post with its comments: {error}") from error
    return _walk(children, limit)


def read_more(body: bytes, limit: int) -> CommentPage:
    """The answer to /api/morechildren: comments in a row, each with its parent's name."""
    try:
        things = _more_answer.decode(body).json.data.things
    except NOT_READABLE as error:
        raise Malformed(f"not an answer to morechildren: {error}") from error
    return _walk(things, limit)


def _walk(children: list[Raw], limit: int) -> CommentPage:
    """Breadth first and without recursion: what stands high in the tree comes first under the limit."""
    found: dict[str, RedditComment] = {}
    more: dict[str, None] = {}
    skipped = 0
    level = children
    while level and len(found) < limit:
        deeper: list[Raw] = []
        for kind, data in _things(level):
            if kind == MORE:
                more.update(dict.fromkeys(_read_more_ids(data)))
            elif kind == COMMENT and len(found) < limit:
                comment, replies = _read_comment(data)
                deeper += replies
                if comment:
                    found.setdefault(comment.comment_id, comment)
                else:
                    skipped += 1
            else:
                skipped += kind != COMMENT
        level = deeper
    if children and skipped >= len(children) and not found and not more:
        raise Malformed("no comment of the tree can be read")
    return CommentPage(list(found.values()), list(more), skipped)


def _things(raws: list[Raw]) -> Iterator[tuple[str, Raw]]:
    for raw in raws:
        try:
            thing = _thing.decode(raw)
        except NOT_READABLE:
            yield "", raw
        else:
            yield thing.kind, thing.data


def _read_comment(data: Raw) -> tuple[RedditComment | None, list[Raw]]:
    try:
        found = _comment.decode(data)
    except NOT_READABLE:
        return None, []
    replies = _replies(found.replies)
    at = _moment(found.created_utc)
    if not ID.fullmatch(found.id) or at is None:
        return None, replies
    parent = found.parent_id if _is_full_name(found.parent_id) else ""
    body = _text(found.body, LONGEST_TEXT)
    return RedditComment(f"t1_{found.id}", parent or "", body, _whole(found.score), at), replies


def _replies(raw: Raw) -> list[Raw]:
    """Nothing is "" on this wire, not null and not an empty listing."""
    try:
        return _listing.decode(raw).data.children
    except NOT_READABLE:
        return []


def _read_more_ids(data: Raw) -> list[str]:
    try:
        return [one for one in _more.decode(data).children if ID.fullmatch(one)]
    except NOT_READABLE:
        return []


def _is_full_name(name: str | None) -> bool:
    return bool(name and FULL_NAME.fullmatch(name))


def _moment(seconds: float) -> datetime | None:
    if not EARLIEST <= seconds <= LATEST:  # NaN is not between anything
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _whole(number: float | None) -> int:
    if number is None or not math.isfinite(number):
        return 0
    return int(max(-LARGEST, min(LARGEST, number)))


def _text(text: str | None, longest: int) -> str:
    """What can be stored and shown; a removed text is none."""
    if not text or text in GONE:
        return ""
    return html.unescape(text).replace("\x00", "").encode("utf-8", "replace").decode()[:longest]


def _permalink(path: str | None) -> str:
    """A path on Reddit, so that a link we make of it cannot lead elsewhere."""
    return path if path and path.startswith("/r/") and len(path) <= 500 and path.isprintable() else ""
