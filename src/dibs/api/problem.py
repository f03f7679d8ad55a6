"""Every error as RFC 9457 problem+json."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import psycopg
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from dibs.errors import DibsError, Invalid, TooLarge, Unavailable
from dibs.telemetry import emit, events

MEDIA_TYPE = "application/problem+json"
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
    },
}
CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}


def problem(
    status: int, title: str, detail: str, code: str, extra: dict[str, Any] | None = None, headers: Any = None
) -> Response:
    body = {"type": f"urn:dibs:{code}", "title": title, "status": status, "detail": detail, "code": code}
    return Response(_encoded({**(extra or {}), **body}), status, headers, media_type=MEDIA_TYPE)


def _encoded(body: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        # It repeats something of the request that is no text; ASCII with escapes carries even that.
        return json.dumps(body).encode()


def problem_of(error: DibsError) -> Response:
    headers: dict[str, str] = {}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    retry_after = error.extra.get("retry_after_s")
    if retry_after is not None:
        headers["Retry-After"] = str(max(1, round(retry_after)))
    return problem(error.status, error.title, error.detail, error.code, error.extra, headers)


def install(api: FastAPI) -> None:
    """Makes the application answer every error as a problem."""
    api.add_exception_handler(DibsError, _known)
    api.add_exception_handler(RequestValidationError, _malformed)
    api.add_exception_handler(HTTPException, _http)
    api.add_exception_handler(psycopg.OperationalError, _database)
    api.add_exception_handler(psycopg.DataError, _data)
    api.add_exception_handler(UnicodeEncodeError, _no_text)
    api.add_exception_handler(Exception, _unexpected)


async def _known(_: Request, error: Exception) -> Response:
    return problem_of(error) if isinstance(error, DibsError) else await _unexpected(_, error)


async def _malformed(_: Request, error: Exception) -> Response:
    """Names each field that is wrong and why; what was sent is not repeated, it may be a secret."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    fields = [{"field": ".".join(str(part) for part in one["loc"]), "problem": one["msg"]} for one in found]
    detail = "; ".join(f"{one['field']}: {one['problem']}" for one in fields) or "The request cannot be read."
    return problem(422, Invalid.title, detail, Invalid.default_code, {"fields": fields})


async def _http(_: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    detail = str(getattr(error, "detail", error))
    if status == 400:
        # FastAPI says so of a body that is no text at all; to a caller it is malformed like any other.
        return problem(422, Invalid.title, detail, Invalid.default_code)
    if status == 413:
        return problem_of(TooLarge(detail))
    headers = getattr(error, "headers", None)
    return problem(status, detail, detail, CODES.get(status, "error"), headers=headers)


async def _database(request: Request, error: Exception) -> Response:
    emit(events.REQUEST_FAILED, path=request.url.path, error=str(error).strip())
    return problem_of(Unavailable("The database cannot be reached now; try again in a moment."))


async def _data(_: Request, error: Exception) -> Response:
    """A value that no column takes, such as a NUL in a text."""
    detail = str(error).strip().splitlines()[0]
    return problem(422, Invalid.title, f"A value cannot be stored: {detail}.", Invalid.default_code)


async def _no_text(_: Request, _error: Exception) -> Response:
    """Half a surrogate pair: JSON can write it, and it is no character."""
    detail = "A text in the request holds half a character (a lone surrogate); send whole characters."
    return problem(422, Invalid.title, detail, Invalid.default_code)


async def _unexpected(request: Request, error: Exception) -> Response:
    emit(events.REQUEST_FAILED, exc_info=error, path=request.url.path, error=type(error).__name__)
    return problem(500, DibsError.title, "This is a mistake of ours; the log of the server says more.", "internal")
