"""Openings, subscriptions and recording receivers for the tests of notify."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any

from aiohttp import web
from aiosmtpd.smtp import SMTP, Envelope, Session

from dibs.notify import Notify, Subscribed, Wish, build_notify
from dibs.notify.channels import Channel
from dibs.notify.model import ChannelName, Message, Ok, Outcome
from dibs.openings import NewEvent, SlotState, put_slots, record, slot_id_of, topics_of
from dibs.parts import Parts

PATIENCE_S = 200
WATCH = "shop:a"
TOPIC = f"watch:{WATCH}"


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Waits for a condition that another process brings about."""
    for _ in range(PATIENCE_S * 20):
        if await holds():
            return
        await asyncio.sleep(0.05)
    raise TimeoutError("it did not come about")


def slot_state(parts: Parts, key: str, *, is_open: bool = True, generation: int = 1) -> SlotState:
    now = parts.clock.now()
    return SlotState(
        slot_id=slot_id_of("shop", key),
        provider="shop",
        slot_key=key,
        watch_key=WATCH,
        group_key="g",
        starts_at=None,
        open=is_open,
        opened_at=now,
        closed_at=None if is_open else now,
        last_seen_at=now,
        misses=0,
        generation=generation,
        payload={"title": f"Table {key}"},
    )


def new_event(parts: Parts, key: str, status: str, generation: int) -> NewEvent:
    opened = status == "Open"
    return NewEvent(
        provider="shop",
        watch_key=WATCH,
        slot_id=slot_id_of("shop", key),
        slot_key=key,
        group_key="g",
        subject={"id": key},
        status_before="Closed" if opened else "Open",
        status_after="Open" if opened else "Closed",
        seat_delta=1 if opened else -1,
        event_at=parts.clock.now(),
        detected_by="poll",
        dedupe_key=f"{key}|{status}|{generation}",
        trace_id="0" * 32,
        payload={
            "title": f"Table {key}",
            "url": f"https://shop.example/{key}",
            "starts_at": "2026-03-05T19:30:00-05:00",
        },
        topics=topics_of("shop", key, "g", WATCH),
        generation=generation,
        reason="test",
    )


async def open_slots(parts: Parts, *keys: str, generation: int = 1) -> list[int]:
    """The slots open; the ids of their events."""
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot_state(parts, key, generation=generation) for key in keys])
        made = await record(connection, [new_event(parts, key, "Open", generation) for key in keys])
    return [event.open_event_id for event in made]


async def close_slots(parts: Parts, *keys: str, generation: int = 1, quietly: bool = False) -> None:
    """The slots close; `quietly`: without an event."""
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot_state(parts, key, is_open=False, generation=generation) for key in keys])
        if not quietly:
            await record(connection, [new_event(parts, key, "Closed", generation) for key in keys])


async def come_back(parts: Parts, *keys: str) -> None:
    """The slots are open again under the event they had."""
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot_state(parts, key) for key in keys])


class RecordingChannel:
    """Accepts at once, or answers as it is told, and remembers what it was given."""

    width = 64

    def __init__(self, name: ChannelName = "webhook", answer: Callable[[Message], Outcome] | None = None) -> None:
        self.name: ChannelName = name
        self.answer = answer
        self.sent: list[Message] = []
        self.arrived = asyncio.Event()

    async def check(self, address: str) -> str:
        return address

    def host(self, address: str) -> str:
        return address.partition("//")[2].partition("/")[0]

    async def send(self, message: Message) -> Outcome:
        self.sent.append(message)
        self.arrived.set()
        return self.answer(message) if self.answer else Ok()

    async def close(self) -> None:
        return


@dataclass
class Rig:
    """Notify over a recording channel."""

    parts: Parts
    notify: Notify
    channel: RecordingChannel

    async def subscribe(
        self, address: str = "https://a.example/", topic: str = TOPIC, **preferences: Any
    ) -> Subscribed:
        return await self.notify.subscribe.subscribe(Wish(topic, "webhook", address, None, preferences))

    async def fan_out(self) -> None:
        while True:
            async with self.parts.db.connection() as connection:
                cursor = await connection.execute("SELECT count(*) FROM fanout WHERE due_at IS NOT NULL")
                row = await cursor.fetchone()
            if not row or not row[0]:
                return
            advance: Any = getattr(self.parts.clock, "advance", None)
            if advance:
                advance(0.1)
            await self.notify.fan_out.run_once()

    async def tell(self) -> int:
        """Fans out and delivers everything that is due now; how many were claimed."""
        await self.fan_out()
        return await self.notify.deliver.drain()

    async def statuses(self, **filters: Any) -> list[tuple[str, str | None]]:
        notices = await self.notify.notices.list(limit=500, **filters)
        return [(notice.fanout_status, notice.reason) for notice in reversed(notices)]


def rig(
    parts: Parts,
    answer: Callable[[Message], Outcome] | None = None,
    channel: RecordingChannel | None = None,
) -> Rig:
    channel = channel or RecordingChannel("webhook", answer)
    channels: dict[ChannelName, Channel] = {channel.name: channel}
    notify = build_notify(
        parts.config,
        parts.db,
        parts.clock,
        parts.wake,
        worker="test",
        public_url="https://dibs.example",
        signing_key=parts.signing_key,
        channels=channels,
    )
    return Rig(parts, notify, channel)


@dataclass
class Hook:
    """One received webhook."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A web server that records what is posted to it; `hold` keeps what was accepted from being answered."""

    url: str = ""
    hooks: list[Hook] = field(default_factory=list[Hook])
    answer: Callable[[web.Request], web.StreamResponse] | None = None
    hold: Callable[[Hook], Awaitable[None]] | None = None
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        hook = Hook(request.path, dict(request.headers), await request.read())
        self.hooks.append(hook)
        self.arrived.set()
        if self.hold:
            await self.hold(hook)
        return self.answer(request) if self.answer else web.Response(status=204)


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver on loopback."""
    receiver = Receiver()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", receiver.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    receiver.url = f"http://{host}:{port}"
    try:
        yield receiver
    finally:
        await runner.cleanup()


@dataclass
class Mailbox:
    """What a mail server got; `refuse` is what it answers to a recipient, `refuse_data` to a mail.

    `hold` keeps a mail that was accepted from being answered.
    """

    port: int = 0
    raw: list[bytes] = field(default_factory=list[bytes])
    hold: Callable[[bytes], Awaitable[None]] | None = None
    refuse: str | None = None
    refuse_data: str | None = None

    @property
    def mails(self) -> list[EmailMessage]:
        """What arrived, parsed; parsing is slow, so it waits until somebody looks."""
        parser = BytesParser(EmailMessage, policy=default)
        return [parser.parsebytes(content) for content in self.raw]

    def headers(self, name: str) -> list[str]:
        """One header of every mail, without parsing the rest."""
        return [header_of(content, name) for content in self.raw]


def header_of(mail: bytes, name: str) -> str:
    """One header of a mail as it came over the wire."""
    found = re.search(rb"^" + name.encode() + rb": (.*?)\r?$", mail, re.MULTILINE)
    return found[1].decode() if found else ""


class Postman:
    """What the mail server calls; the server looks at every attribute of it, so it has nothing else."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    async def handle_RCPT(  # noqa: N802 -- aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if self._mailbox.refuse:
            return self._mailbox.refuse
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 -- aiosmtpd's name
        if self._mailbox.refuse_data:
            return self._mailbox.refuse_data
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        self._mailbox.raw.append(content)
        if self._mailbox.hold:
            await self._mailbox.hold(content)
        return "250 accepted"


@asynccontextmanager
async def mail_server() -> AsyncIterator[Mailbox]:
    """A real SMTP server on loopback, in this loop."""
    mailbox = Mailbox()
    postman = Postman(mailbox)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(postman, loop=loop, enable_SMTPUTF8=True), "127.0.0.1", 0)
    mailbox.port = server.sockets[0].getsockname()[1]
    try:
        yield mailbox
    finally:
        server.close()
