"""The client: limits, conditional requests, and no way inside."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from dibs.sim.server import SimServer
from dibs.sources import Client, Failure, Fault, Request, Response, open_client
from dibs.sources.address import PrivateAddressError, PublicResolver, is_public, refuse_private_literal
from dibs.sources.http import failure_of
from dibs.sources.model import Validators


async def large(request: web.Request) -> web.Response:
    body = gzip.compress(b" " * 3_000_000)
    return web.Response(body=body, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})


async def streamed(request: web.Request) -> web.StreamResponse:
    """In chunks, without saying how much it will be."""
    answer = web.StreamResponse()
    await answer.prepare(request)
    for _ in range(int(request.query["times"])):
        await answer.write(b" " * 100_000)
    await answer.write_eof()
    return answer


async def plain(request: web.Request) -> web.Response:
    return web.Response(body=b" " * int(request.query["size"]))


async def tagged(request: web.Request) -> web.Response:
    if request.headers.get("If-None-Match") == '"v1"':
        return web.Response(status=304, headers={"ETag": '"v1"'})
    return web.Response(body=b"[]", headers={"ETag": '"v1"', "Last-Modified": "Mon, 02 Mar 2026 12:00:00 GMT"})


async def told(request: web.Request) -> web.Response:
    return web.json_response(dict(request.headers))


async def odd(request: web.Request) -> web.Response:
    return web.Response(body=b"[]", headers={"ETag": unquote(request.headers["X-Tag"])})


async def moved(request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": request.query["to"]})


async def circle(request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/circle"})


@pytest.fixture
async def server() -> AsyncIterator[SimServer]:
    routes = {
        ("GET", "/large"): large,
        ("GET", "/streamed"): streamed,
        ("GET", "/plain"): plain,
        ("GET", "/tagged"): tagged,
        ("GET", "/told"): told,
        ("GET", "/odd"): odd,
        ("GET", "/moved"): moved,
        ("GET", "/circle"): circle,
    }
    async with SimServer(routes).running() as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with open_client(allow_private=True, max_body=1_000_000) as opened:
        yield opened


async def test_a_body_is_measured_after_decompression(server: SimServer, client: Client):
    result = await client.ask(Request(server.url + "/large"))
    assert isinstance(result, Failure)
    assert result.reason.startswith("too_large")
    allowed = await client.ask(Request(server.url + "/large"), max_body=4_000_000)
    assert isinstance(allowed, Response)
    assert len(allowed.body) == 3_000_000


@pytest.mark.parametrize("path", ["/plain?size=1000001", "/streamed?times=11"])
async def test_a_body_that_is_too_large_is_refused(server: SimServer, client: Client, path: str):
    result = await client.ask(Request(server.url + path))
    assert isinstance(result, Failure)
    assert result.reason.startswith("too_large")


@pytest.mark.parametrize("path", ["/plain?size=1000000", "/streamed?times=10"])
async def test_a_body_of_the_largest_size_is_read(server: SimServer, client: Client, path: str):
    result = await client.ask(Request(server.url + path))
    assert isinstance(result, Response)
    assert len(result.body) == 1_000_000


@pytest.mark.parametrize(
    "address",
    ["", "nonsense", "/relative", "ftp://example.org/", "http://", "http://[::1", "http://example.org:99999/"],
)
async def test_an_address_that_is_none_is_a_mistake(client: Client, address: str):
    result = await client.ask(Request(address))
    assert isinstance(result, Failure)
    assert (result.fault, result.reason) == (Fault.CONFIGURATION, "the address is not a valid URL")


@pytest.mark.parametrize(
    "onward", ["http://[", "http://h:99999/", f"http://{'a' * 300}/", "http://xn--0.com/", "http://a..b/", "ftp://x/"]
)
async def test_a_redirect_to_an_address_that_is_none_is_a_failure(server: SimServer, client: Client, onward: str):
    result = await client.ask(Request(f"{server.url}/moved?to={onward}"))
    assert isinstance(result, Failure)
    assert result.reason == "the address is not a valid URL"


@pytest.mark.parametrize("value", ["a\n", "a\x00", "a\r\nX-Other: b"])
async def test_a_header_that_cannot_be_sent_is_a_failure_that_does_not_tell_it(
    server: SimServer, client: Client, value: str
):
    result = await client.ask(Request(server.url + "/told", headers={"X-Api-Key": value}))
    assert isinstance(result, Failure)
    assert (result.fault, result.reason) == (Fault.CONFIGURATION, "a header holds characters that cannot be sent")


@pytest.mark.parametrize("tag", ['"\xff\xfe"', '"' + "x" * 2000 + '"'])
async def test_a_validator_that_cannot_be_kept_is_none(server: SimServer, client: Client, tag: str):
    result = await client.ask(Request(server.url + "/odd", headers={"X-Tag": quote(tag)}))
    assert isinstance(result, Response)
    assert result.validators == Validators()


async def test_a_second_request_is_conditional(server: SimServer, client: Client):
    first = await client.ask(Request(server.url + "/tagged"))
    assert isinstance(first, Response)
    assert first.validators == Validators('"v1"', "Mon, 02 Mar 2026 12:00:00 GMT")
    second = await client.ask(Request(server.url + "/tagged", validators=first.validators))
    assert isinstance(second, Response)
    assert second.not_modified


async def test_a_redirect_to_another_host_does_not_carry_the_keys_along(server: SimServer, client: Client):
    secret = {"X-Api-Key": "secret", "Authorization": "Bearer secret"}
    near = await client.ask(Request(server.url + "/moved?to=/told", headers=secret))
    assert isinstance(near, Response)
    assert near.body.count(b"secret") == 2
    elsewhere = server.url.replace("127.0.0.1", "localhost") + "/told"
    far = await client.ask(Request(f"{server.url}/moved?to={elsewhere}", headers=secret))
    assert isinstance(far, Response)
    assert b"secret" not in far.body
    assert b"dibs/1" in far.body


async def test_redirects_are_followed_up_to_a_point(server: SimServer, client: Client):
    result = await client.ask(Request(server.url + "/moved?to=/tagged"))
    assert isinstance(result, Response)
    stayed = await client.ask(Request(server.url + "/moved?to=/tagged", follow=False))
    assert isinstance(stayed, Failure)
    assert stayed.status == 302
    endless = await client.ask(Request(server.url + "/circle"))
    assert isinstance(endless, Failure)
    assert endless.fault is Fault.CONFIGURATION


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org", "http://", "nonsense", ""])
async def test_only_http_is_spoken(client: Client, url: str):
    result = await client.ask(Request(url))
    assert isinstance(result, Failure)
    assert result.fault is Fault.CONFIGURATION


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"])
async def test_nothing_leads_inside(server: SimServer, host: str):
    port = server.url.rpartition(":")[2]
    async with open_client(allow_private=False) as guarded:
        result = await guarded.ask(Request(f"http://{host}:{port}/tagged"))
    assert isinstance(result, Failure)
    assert server.log.entries == []


async def test_a_redirect_does_not_lead_inside_either(server: SimServer):
    """The control: the first request is let through, so that only the second can be refused."""
    async with open_client(allow_private=True) as opened:
        opened._guarded = _only_the_first(opened._guarded)
        opened._allow_private = False
        result = await opened.ask(Request(server.url + "/moved?to=/tagged"))
    assert isinstance(result, Failure)
    assert result.reason.startswith("private_address")
    assert [entry.path for entry in server.log.entries] == ["/moved"]


def _only_the_first(guarded: Callable[[str], URL]) -> Any:
    calls: list[str] = []

    def check(address: str) -> URL:
        calls.append(address)
        return guarded(address) if len(calls) > 1 else URL(address)

    return check


class Rebinding(AbstractResolver):
    """A name that leads outside at first and inside afterwards."""

    def __init__(self) -> None:
        self.answers = ["93.184.216.34", "127.0.0.1"]

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        address = self.answers.pop(0)
        return [ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        return


async def test_every_resolution_is_looked_at():
    resolver = PublicResolver(Rebinding())
    assert (await resolver.resolve("rebind.example", 80))[0]["host"] == "93.184.216.34"
    with pytest.raises(PrivateAddressError):
        await resolver.resolve("rebind.example", 80)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "::127.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1%eth0", "not an address", "",
    ],
)  # fmt: skip
def test_these_are_not_public(address: str):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_these_are_public(address: str):
    assert is_public(address)
    refuse_private_literal(address)


def test_what_a_status_means():
    assert failure_of(429, "7") == Failure(Fault.LIMITED, "http_429", 429, 7.0)
    assert failure_of(503, None).fault is Fault.TRANSIENT
    assert failure_of(408, None).fault is Fault.TRANSIENT
    assert failure_of(400, None).fault is Fault.CONFIGURATION
    said_at = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    assert failure_of(429, "Mon, 02 Mar 2026 12:00:45 GMT", said_at).retry_after_s == 45
    assert failure_of(429, "Mon, 02 Mar 2026 11:00:00 GMT", said_at).retry_after_s == 0
    assert failure_of(429, "soon", said_at).retry_after_s is None
