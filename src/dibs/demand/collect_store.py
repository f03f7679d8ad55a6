"""The statements of collecting."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dibs.db import Connection, fetch_all, statements
from dibs.places.model import Comment, Post

sql = statements(__name__)


async def list_comments(connection: Connection, *, post_ids: Sequence[str]) -> list[Comment]:
    return await fetch_all(connection, sql("list_comments"), {"post_ids": list(post_ids)}, Comment)


async def list_left_posts(connection: Connection, *, location_key: str, before: datetime, limit: int) -> list[Post]:
    values = {"location_key": location_key, "before": before, "limit": limit}
    return await fetch_all(connection, sql("list_left_posts"), values, Post)


async def list_rejected_names(connection: Connection, *, location_key: str) -> list[str]:
    rows = await fetch_all(connection, sql("list_rejected_names"), {"location_key": location_key})
    return [row["name"] for row in rows]
