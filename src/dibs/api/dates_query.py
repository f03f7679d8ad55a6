"""What is asked of `GET …/dates`, read by hand from the request and described for OpenAPI."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from fastapi import Request

from dibs.api.answers import MOST, decode_cursor
from dibs.errors import Invalid
from dibs.signals import rules
from dibs.signals.model import ProductKey
from dibs.signals.read import check_span

MONTH = timedelta(days=31)
LONGEST_CURSOR = 500
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TRUE = frozenset({"true", "1", "on", "yes", "t", "y"})
FALSE = frozenset({"false", "0", "off", "no", "f", "n"})


def _in_query(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": description}


def _in_path(name: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1, "maxLength": rules.LONGEST_PART}
    return {"name": name, "in": "path", "required": True, "schema": schema}


PARAMETERS: list[dict[str, Any]] = [
    *(_in_path(name) for name in ProductKey.__struct_fields__),
    _in_query("from", {"type": "string", "format": "date"}, "The first date; none: today."),
    _in_query("to", {"type": "string", "format": "date"}, "The last date, inclusive; none: a month after the first."),
    _in_query("fresh", {"type": "boolean", "default": False}, "Compute now instead (staff)."),
    _in_query("limit", {"type": "integer", "minimum": 1, "maximum": MOST, "default": MOST}, f"At most {MOST}."),
    _in_query("cursor", {"type": "string", "maxLength": LONGEST_CURSOR}, "`next_cursor` of the page before."),
]


@dataclass(frozen=True, slots=True)
class DatesQuery:
    """Which dates of which product."""

    key: ProductKey
    first: date
    last: date
    fresh: bool
    limit: int


def read(request: Request, now: datetime) -> DatesQuery:
    """The question, or which part of it makes no sense."""
    path, query = request.path_params, request.query_params
    key = ProductKey(path["collection_id"], path["activity_type"], path["activity_id"], path["product_id"])
    rules.check_key(key)
    first, last = span(now, _date(query, "from"), _date(query, "to"))
    check_span(first, last)
    cursor = query.get("cursor")
    if cursor is not None and len(cursor) > LONGEST_CURSOR:
        raise Invalid("`cursor` is too long.", field="cursor")
    after = decode_cursor(cursor, tuple[date])
    if after:
        first = max(first, min(after[0], rules.LAST_DATE) + timedelta(days=1))
    return DatesQuery(key, first, last, _flag(query, "fresh"), _limit(query))


def span(now: datetime, first: date | None, last: date | None) -> tuple[date, date]:
    """From a day before today in UTC, because it may still be that day where the product is."""
    start = first or now.date() - timedelta(days=1)
    return start, last or min(start, rules.LAST_DATE) + MONTH


def _date(query: Mapping[str, str], name: str) -> date | None:
    text = query.get(name)
    if text is None:
        return None
    try:
        # Python also reads 20260312 and 2026-W11-4, which are no RFC 3339 dates.
        day = date.fromisoformat(text) if DATE.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise Invalid(f"`{name}` must be a date like 2026-03-12.", field=name)
    return day


def _flag(query: Mapping[str, str], name: str) -> bool:
    text = query.get(name, "false").lower()
    if text in TRUE or text in FALSE:
        return text in TRUE
    raise Invalid(f"`{name}` must be true or false.", field=name)


def _limit(query: Mapping[str, str]) -> int:
    text = query.get("limit", str(MOST))
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= MOST):
        raise Invalid(f"`limit` must be a number from 1 to {MOST}.", field="limit")
    return int(text)
