"""One polite way to ask the outside world: time limit, size limit, conditional requests, no way inside."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any
from urllib.parse import urljoin

import aiohttp
import msgspec
from yarl import URL

from dibs.sources.address import PrivateAddressError, PublicResolver, refuse_private_literal
from dibs.sources.model import UNCONDITIONAL, Failure, Fault, Validators

MAX_BODY = 20 * 1024 * 1024
CHUNK = 256 * 1024
MAX_SAID = 16 * 1024
"""As much of a refusal as is read, to learn the provider's own reason."""
MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PASSING = frozenset({408, 425})
"""4xx that time mends; every other one (429 apart) needs a person."""
OWN_HEADERS = {"User-Agent": "dibs/1", "Accept": "application/json"}
NONE: Mapping[str, str] = MappingProxyType({})
LONGEST_VALIDATOR = 1000
LONGEST_WAIT_S = 86_400.0
"""A provider that asks for more than a day has made a mistake."""


class Request(msgspec.Struct, frozen=True):
    url: str
    method: str = "GET"
    headers: Mapping[str, str] = NONE
    json: Any = None
    form: Mapping[str, str] | None = None
    validators: Validators = UNCONDITIONAL
    follow: bool = True


class Response(msgspec.Struct, frozen=True):
    status: int
    body: bytes
    validators: Validators
    content_type: str = ""
    headers: Mapping[str, str] = NONE

    @property
    def not_modified(self) -> bool:
        return self.status == 304


class Client:
    """Asks, and answers with a response or the reason why there is none."""

    def __init__(self, session: aiohttp.ClientSession, *, allow_private: bool, max_body: int = MAX_BODY) -> None:
        self._session = session
        self._allow_private = allow_private
        self._max_body = max_body

    async def ask(
        self, request: Request, *, timeout_s: float = 12.0, max_body: int | None = None
    ) -> Response | Failure:
        try:
            async with asyncio.timeout(timeout_s):
                return await self._follow(request, max_body or self._max_body)
        except TimeoutError:
            return Failure(Fault.TRANSIENT, f"timeout after {timeout_s:g} s")
        except PrivateAddressError as error:
            return Failure(Fault.CONFIGURATION, f"private_address: {error}")
        except aiohttp.ClientPayloadError:
            return Failure(Fault.TRANSIENT, "truncated: the body ended early")
        except ValueError as error:
            return Failure(Fault.CONFIGURATION, _unsendable(error))
        except (aiohttp.ClientError, OSError) as error:
            return _unreachable(error)

    async def _follow(self, request: Request, max_body: int) -> Response | Failure:
        url, headers = self._guarded(request.url), _headers(request)
        for _ in range(MAX_REDIRECTS + 1):
            async with self._session.request(
                request.method, url, headers=headers, json=request.json, data=request.form, allow_redirects=False
            ) as answer:
                if answer.status not in REDIRECTS or not request.follow:
                    return await self._read(answer, max_body)
                onward = self._guarded(urljoin(str(url), answer.headers.get("Location", "")))
            if onward.origin() != url.origin():
                # Keys and tokens are for the host they were configured for, not for wherever it points.
                headers = OWN_HEADERS
            url = onward
        return Failure(Fault.CONFIGURATION, f"more than {MAX_REDIRECTS} redirects")

    def _guarded(self, address: str) -> URL:
        """The address as the request will read it, so that nothing passes here that leads elsewhere there."""
        try:
            url = URL(address)
        except ValueError:
            raise aiohttp.InvalidURL(address) from None
        if url.scheme not in ("http", "https") or not url.host:
            raise aiohttp.InvalidURL(address)
        if not self._allow_private:
            refuse_private_literal(url.host)
        return url

    async def _read(self, answer: aiohttp.ClientResponse, max_body: int) -> Response | Failure:
        if answer.status == 304:
            return Response(304, b"", _validators(answer))
        if not 200 <= answer.status < 300:
            failure = failure_of(answer.status, answer.headers.get("Retry-After"), _date(answer.headers.get("Date")))
            said = await answer.content.read(MAX_SAID)
            return replace(failure, headers=answer.headers, body=said)
        body = await (answer.read() if _fits(answer, max_body) else _bounded(answer, max_body))
        if body is None:
            return Failure(Fault.CONFIGURATION, f"too_large: more than {max_body} bytes")
        return Response(answer.status, body, _validators(answer), answer.content_type, answer.headers)


def _fits(answer: aiohttp.ClientResponse, max_body: int) -> bool:
    """Whether the answer says itself that it is small enough; a packed one only says how small it was made."""
    length = answer.content_length
    return length is not None and length <= max_body and "Content-Encoding" not in answer.headers


async def _bounded(answer: aiohttp.ClientResponse, max_body: int) -> bytes | None:
    """The body, or None as soon as it is too large."""
    body = bytearray()
    async for chunk in answer.content.iter_chunked(CHUNK):
        body += chunk
        if len(body) > max_body:
            return None
    return bytes(body)


def _headers(request: Request) -> dict[str, str]:
    headers = {**OWN_HEADERS, **request.headers}
    if request.validators.etag:
        headers["If-None-Match"] = request.validators.etag
    if request.validators.last_modified:
        headers["If-Modified-Since"] = request.validators.last_modified
    return headers


def _validators(answer: aiohttp.ClientResponse) -> Validators:
    return Validators(_sendable(answer.headers.get("ETag")), _sendable(answer.headers.get("Last-Modified")))


def _sendable(value: str | None) -> str | None:
    """What can be stored and sent back; a validator that cannot is none."""
    return value if value and value.isascii() and value.isprintable() and len(value) <= LONGEST_VALIDATOR else None


def _unsendable(error: ValueError) -> str:
    if "header" in str(error) and not isinstance(error, aiohttp.InvalidURL):
        return "a header holds characters that cannot be sent"
    return "the address is not a valid URL"


def _unreachable(error: Exception) -> Failure:
    cause = error.__cause__ or error.__context__
    inside = next((e for e in (error, cause) if isinstance(e, PrivateAddressError)), None)
    if inside is not None:
        return Failure(Fault.CONFIGURATION, f"private_address: {inside}")
    return Failure(Fault.TRANSIENT, f"unreachable: {type(error).__name__}")


def failure_of(status: int, retry_after: str | None, said_at: datetime | None = None) -> Failure:
    """What a status outside 2xx means. `said_at` is the provider's own clock, from its Date header."""
    wait = _retry_after(retry_after, said_at)
    if status == 429:
        return Failure(Fault.LIMITED, "http_429", status, wait)
    if status >= 500 or status in PASSING:
        return Failure(Fault.TRANSIENT, f"http_{status}", status, wait)
    return Failure(Fault.CONFIGURATION, f"http_{status}", status, wait)


def _retry_after(value: str | None, said_at: datetime | None) -> float | None:
    """Seconds to wait; the header may be a number of seconds or a date by the provider's clock."""
    if not value:
        return None
    if value.isascii() and value.strip().isdigit():
        return min(float(value), LONGEST_WAIT_S)
    until = _date(value)
    if until is None or said_at is None:
        return None
    return min(max((until - said_at).total_seconds(), 0.0), LONGEST_WAIT_S)


def _date(value: str | None) -> datetime | None:
    if not value:
        return None
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@asynccontextmanager
async def open_client(*, allow_private: bool, max_body: int = MAX_BODY) -> AsyncIterator[Client]:
    """A client with its own connections, closed at the end."""
    resolver = None if allow_private else PublicResolver()
    connector = aiohttp.TCPConnector(resolver=resolver, limit=0, ttl_dns_cache=60)
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        max_line_size=16 * 1024,
        max_field_size=16 * 1024,
    ) as session:
        yield Client(session, allow_private=allow_private, max_body=max_body)
