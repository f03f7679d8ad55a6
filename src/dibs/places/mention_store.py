"""The statements about posts, comments and mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dibs.db import Connection, Json, execute, fetch_all, fetch_one, statements
from dibs.places.model import Comment, Mention, Post

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class StoredPost:
    """A post that is stored now; unprocessed: nobody read it since it last changed."""

    post_id: str
    unprocessed: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """How many mentions came and went."""

    added: int
    removed: int


async def put_posts(connection: Connection, *, posts: Sequence[Post], now: datetime) -> list[StoredPost]:
    once = {post.post_id: post for post in posts}
    values = {"posts": Json(list(once.values())), "now": now}
    return await fetch_all(connection, sql("put_posts"), values, StoredPost)


async def put_comments(connection: Connection, *, comments: Sequence[Comment]) -> int:
    once = {comment.comment_id: comment for comment in comments}
    return await execute(connection, sql("put_comments"), {"comments": Json(list(once.values()))})


async def mark_posts_processed(
    connection: Connection, *, post_ids: Sequence[str], extractor: str, now: datetime
) -> int:
    values = {"post_ids": list(post_ids), "extractor": extractor, "now": now}
    return await execute(connection, sql("mark_posts_processed"), values)


async def lock_posts(connection: Connection, *, post_ids: Sequence[str]) -> None:
    await execute(connection, sql("lock_posts"), {"post_ids": list(post_ids)})


async def replace_mentions(connection: Connection, *, post_ids: Sequence[str], mentions: Iterable[Mention]) -> Replaced:
    """Call it in a transaction: the posts stay locked until its end."""
    await lock_posts(connection, post_ids=post_ids)
    values = {"post_ids": list(post_ids), "mentions": Json(list(_with_the_bare_ones(mentions)))}
    return await fetch_one(connection, sql("replace_mentions"), values, Replaced)


def _with_the_bare_ones(mentions: Iterable[Mention]) -> set[Mention]:
    """Every restaurant that is named in a source counts once there, with or without a food."""
    given = set(mentions)
    return given | {replace(mention, subject_id=None) for mention in given}
