"""Webhooks, signed as Standard Webhooks says."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import urlsplit

import aiohttp
from standardwebhooks.webhooks import Webhook

from dibs.config.sections import Webhook as WebhookSection
from dibs.notify.addresses import check_url, refuse
from dibs.notify.message import body
from dibs.notify.model import ChannelName, GiveUp, Message, Ok, Outcome, Retry
from dibs.notify.retry import retry_after
from dibs.sources.address import PrivateAddressError, PublicResolver, refuse_private_literal

USER_AGENT = "dibs/1 (+webhook)"
# Enough for an error page to be drained so that its connection can be used again.
MOST_OF_AN_ANSWER = 64 * 1024
DRAIN_S = 1.0


class WebhookChannel:
    """Posts the event to the subscriber's URL."""

    name: ChannelName = "webhook"

    def __init__(self, section: WebhookSection, *, allow_private: bool, user_agent: str = USER_AGENT) -> None:
        self.width = section.max_in_flight
        self._user_agent = user_agent
        self._timeout_s = section.timeout_s
        self._allow_private = allow_private
        self._session: aiohttp.ClientSession | None = None

    async def check(self, address: str) -> str:
        parts = check_url(address)
        try:
            self._guard(address)
        except PrivateAddressError:
            raise refuse(f"{parts.hostname} is not a public address; webhooks may only go to public ones.") from None
        return address

    def host(self, address: str) -> str:
        return urlsplit(address).netloc.lower()

    async def send(self, message: Message) -> Outcome:
        data = body(message)
        try:
            self._guard(message.address)
            answer = await self._post(message, data)
        except TimeoutError:
            return Retry("timeout", f"no answer within {self._timeout_s:g} s")
        except (aiohttp.ClientError, OSError) as error:
            return _network(error)
        await _drain(answer)
        return outcome_of(answer.status, answer.headers.get("Retry-After"), message.sent_at)

    async def _post(self, message: Message, data: bytes) -> aiohttp.ClientResponse:
        """The answer as soon as its status is known."""
        async with asyncio.timeout(self._timeout_s):
            return await self._open().post(
                message.address, data=data, headers=_headers(message, data), allow_redirects=False
            )

    def _guard(self, address: str) -> None:
        if not self._allow_private:
            refuse_private_literal(urlsplit(address).hostname or "")

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            # The limit is the lanes'; a second one in here would only hide a wait from them.
            connector = aiohttp.TCPConnector(
                resolver=None if self._allow_private else PublicResolver(), limit=0, ttl_dns_cache=60
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
                headers={"User-Agent": self._user_agent, "Content-Type": "application/json"},
            )
        return self._session

    async def close(self) -> None:
        session, self._session = self._session, None
        if session:
            await session.close()


async def _drain(answer: aiohttp.ClientResponse) -> None:
    """Reads the rest of an answer. However that ends, its status stands: who said yes has the notice."""
    try:
        if not answer.content.at_eof():
            async with asyncio.timeout(DRAIN_S):
                await answer.content.read(MOST_OF_AN_ANSWER)
    except (aiohttp.ClientError, OSError):
        pass
    finally:
        # Closes the connection if something is left in it.
        answer.release()


def _headers(message: Message, data: bytes) -> dict[str, str]:
    signed_at = datetime.fromtimestamp(int(message.sent_at.timestamp()), UTC)
    signature = Webhook(message.secret or "").sign(message.idempotency_key, signed_at, data.decode())
    return {
        "webhook-id": message.idempotency_key,
        "webhook-timestamp": str(int(signed_at.timestamp())),
        "webhook-signature": signature,
    }


def outcome_of(status: int, asked: str | None, now: datetime) -> Outcome:
    """What the answer of a webhook's endpoint means."""
    detail = f"{status} {_phrase(status)}".strip()
    if 200 <= status < 300:
        return Ok()
    if 300 <= status < 400:
        return GiveUp("redirect", f"{detail}: webhooks do not follow redirects; subscribe with the final URL")
    if status == HTTPStatus.GONE:
        return GiveUp("gone", f"{detail}: the endpoint asked for no more notices", suppress=True)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= 500:
        return Retry(f"http_{status}", detail, after=retry_after(asked, now))
    return GiveUp(f"http_{status}", detail)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _network(error: Exception) -> Outcome:
    chain = (error, error.__cause__, error.__context__)
    if any(isinstance(link, PrivateAddressError) for link in chain):
        return GiveUp("private_address", "the host's name leads to an address that is not public")
    if isinstance(error, aiohttp.InvalidURL):
        return GiveUp("invalid_url", "the address is not a URL that can be called")
    return Retry("network", f"{type(error).__name__}: {error}"[:200])
