"""How an answer is encoded, and how OpenAPI learns its shape."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Query, Response

from dibs.errors import Invalid

MOST = 500
SCHEMAS: set[type[Any]] = set()
T = TypeVar("T")

Limit = Annotated[int, Query(ge=1, le=MOST, description=f"How many, at most {MOST}.")]
Cursor = Annotated[str | None, Query(max_length=500, description="`next_cursor` of the page before.")]


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """The value as JSON."""
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")


def page(items: Sequence[Any], limit: int, cursor: Callable[[Any], list[Any]]) -> Response:
    """One page of a list that was read with `limit + 1`: the extra item only says that there is more."""
    shown = items[:limit]
    more = len(items) > limit
    return answer({"items": shown, "next_cursor": encode_cursor(cursor(shown[-1])) if more else None})


def encode_cursor(position: list[Any]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def decode_cursor(cursor: str | None, shape: type[T]) -> T | None:
    """The position a cursor stands for; a bad one is the caller's mistake."""
    if cursor is None:
        return None
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        return msgspec.json.decode(base64.urlsafe_b64decode(padded), type=shape)
    except (binascii.Error, msgspec.DecodeError, UnicodeError, ValueError):
        raise Invalid("The cursor is not one of ours; start again without it.", code="invalid_request") from None


def shows(kind: type[Any], *, status: int = 200, many: bool = False) -> dict[int | str, dict[str, Any]]:
    """`responses=` of a route that answers with `kind`, or with a page of it."""
    SCHEMAS.add(kind)
    item = {"$ref": f"#/components/schemas/{kind.__name__}"}
    schema = item
    if many:
        schema = {
            "type": "object",
            "required": ["items", "next_cursor"],
            "properties": {
                "items": {"type": "array", "items": item},
                "next_cursor": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
        }
    return {status: {"description": "Successful Response", "content": {"application/json": {"schema": schema}}}}


def component_schemas() -> dict[str, Any]:
    """The schemas of everything that `shows` named."""
    kinds = sorted(SCHEMAS, key=lambda kind: kind.__name__)
    _, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    return components
