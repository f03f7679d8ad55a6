"""Mail over SMTP, on connections that are kept open while there is more to send."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from email.message import EmailMessage
from email.utils import parseaddr

import aiosmtplib
from jinja2 import TemplateError

from dibs.config.sections import Email as EmailSection
from dibs.notify.addresses import check_email
from dibs.notify.channels.mail import as_sent, compose
from dibs.notify.model import ChannelName, GiveUp, Message, Ok, Outcome, Retry

# Servers hang up on idle clients after a while; a connection older than this is not trusted.
IDLE_S = 10.0


class EmailChannel:
    """Hands mails to the configured relay."""

    name: ChannelName = "email"

    def __init__(self, section: EmailSection) -> None:
        self.width = section.max_in_flight
        self._section = section
        self._idle: list[tuple[float, aiosmtplib.SMTP]] = []

    async def check(self, address: str) -> str:
        return check_email(address)

    def host(self, address: str) -> str:  # noqa: ARG002 -- the contract's
        # Every mail goes through the one relay, and a slow relay is slow for all of them.
        return ""

    async def send(self, message: Message) -> Outcome:
        try:
            mail = compose(message, self._section.sender)
        except (TemplateError, ValueError, TypeError, KeyError, UnicodeError) as error:
            return GiveUp("template_error", f"the mail could not be composed: {error}"[:200], ours=True)
        try:
            async with asyncio.timeout(self._section.timeout_s):
                await self._deliver(message, mail)
        except TimeoutError:
            return Retry("smtp_timeout", f"the relay did not answer within {self._section.timeout_s:g} s", ours=True)
        except (aiosmtplib.SMTPException, OSError) as error:
            return outcome_of(error)
        return Ok()

    async def _deliver(self, message: Message, mail: EmailMessage) -> None:
        while True:
            async with self._relay() as (relay, fresh):
                try:
                    await relay.sendmail(parseaddr(self._section.sender)[1], [message.address], as_sent(mail))
                except aiosmtplib.SMTPServerDisconnected:
                    if fresh:
                        raise
                    # It hung up while the connection was idle; the mail was not looked at.
                    continue
                return

    @asynccontextmanager
    async def _relay(self) -> AsyncIterator[tuple[aiosmtplib.SMTP, bool]]:
        """A connection for one mail, and whether it is new; kept for the next mail unless something broke."""
        relay = await self._reuse()
        fresh = relay is None
        relay = relay or await self._connect()
        try:
            yield relay, fresh
        except aiosmtplib.SMTPRecipientsRefused:
            self._keep(relay)
            raise
        except BaseException:
            relay.close()
            raise
        if relay.is_connected:
            self._keep(relay)

    def _keep(self, relay: aiosmtplib.SMTP) -> None:
        self._idle.append((time.monotonic(), relay))

    async def _reuse(self) -> aiosmtplib.SMTP | None:
        while self._idle:
            since, relay = self._idle.pop()
            if relay.is_connected and time.monotonic() - since < IDLE_S:
                return relay
            relay.close()
        return None

    async def _connect(self) -> aiosmtplib.SMTP:
        section = self._section
        relay = aiosmtplib.SMTP(
            hostname=section.host,
            port=section.port,
            username=section.username or None,
            password=section.password or None,
            start_tls=section.starttls,
            use_tls=False,
            timeout=section.timeout_s,
        )
        await relay.connect()
        return relay

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for _, relay in idle:
            with suppress(aiosmtplib.SMTPException, OSError, TimeoutError):
                await asyncio.wait_for(relay.quit(), 1)
            relay.close()


def outcome_of(error: Exception) -> Outcome:
    """What a refusal by the relay means; a code of 4xx passes, 5xx stays."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        refused = error.recipients[0]
        return _recipient(refused.code, refused.message)
    if isinstance(error, aiosmtplib.SMTPRecipientRefused):
        return _recipient(error.code, error.message)
    if isinstance(error, aiosmtplib.SMTPAuthenticationError):
        # Only a person can mend it, and it says nothing about the subscriber.
        return Retry("smtp_login", f"{error.code} {error.message}"[:200], ours=True)
    if isinstance(error, aiosmtplib.SMTPResponseException):
        detail = f"{error.code} {error.message}"[:200]
        if 500 <= error.code < 600:
            return GiveUp(f"smtp_{error.code}", detail, ours=isinstance(error, aiosmtplib.SMTPSenderRefused))
        return Retry(f"smtp_{error.code}", detail, ours=True)
    return Retry("smtp_unreachable", f"{type(error).__name__}: {error}"[:200], ours=True)


def _recipient(code: int, said: str) -> Outcome:
    detail = f"{code} {said}"[:200]
    if 500 <= code < 600:
        return GiveUp("invalid_recipient", detail)
    return Retry(f"smtp_{code}", detail)
