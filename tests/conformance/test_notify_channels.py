"""One contract for every channel, over real sockets: a web server, a mail server, a child process.

Each channel is run through the same questions; what is special to one follows below.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from aiohttp import web
from standardwebhooks.webhooks import Webhook

from dibs.config.sections import Apprise as AppriseSection
from dibs.config.sections import Email as EmailSection
from dibs.config.sections import Webhook as WebhookSection
from dibs.errors import Invalid
from dibs.notify.channels import AppriseChannel, Channel, EmailChannel, WebhookChannel
from dibs.notify.message import sample_event
from dibs.notify.model import GiveUp, Message, Ok, Retry
from dibs.notify.tokens import new_webhook_secret
from notify_harness import Mailbox, Receiver, mail_server, receiving

SECRET = new_webhook_secret()


def message(address: str, **changes: Any) -> Message:
    now = datetime.now(UTC)
    event = msgspec.structs.replace(
        sample_event("watch:shop:a", 7, now),
        open_event_id=5,
        payload={
            "title": "Table for 2 <script>",
            "starts_at": "2026-03-05T19:30:00-05:00",
            "url": "https://shop.example/book?a=1&b=2",
        },
    )
    made = Message(
        kind="opening",
        idempotency_key="ntc_0123",
        subscription_id=7,
        address=address,
        locale="en",
        timezone="America/Los_Angeles",
        topic="watch:shop:a",
        secret=SECRET,
        sent_at=now,
        event=event,
        unsubscribe_url="https://dibs.example/unsubscribe?token=7.ab&x=1",
    )
    return msgspec.structs.replace(made, **changes)


@dataclass
class Bench:
    """A channel, an address that works, and ways to make the other side misbehave."""

    channel: Channel
    address: str
    count: Callable[[], int]
    refuse_for_good: Callable[[], None]
    refuse_for_now: Callable[[], None]
    dead: str | None


@contextmanager
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@asynccontextmanager
async def webhook_bench() -> AsyncIterator[Bench]:
    async with receiving() as receiver:
        channel = WebhookChannel(WebhookSection(timeout_s=20), allow_private=True)
        yield Bench(
            channel,
            f"{receiver.url}/hook",
            lambda: len(receiver.hooks),
            lambda: setattr(receiver, "answer", lambda _: web.Response(status=404)),
            lambda: setattr(receiver, "answer", lambda _: web.Response(status=503)),
            f"http://127.0.0.1:{closed_port()}/",
        )
        await channel.close()


@asynccontextmanager
async def email_bench() -> AsyncIterator[Bench]:
    async with mail_server() as mailbox:
        channel = EmailChannel(EmailSection(host="127.0.0.1", port=mailbox.port, sender="dibs@example.org"))
        yield Bench(
            channel,
            "ann@example.org",
            lambda: len(mailbox.raw),
            lambda: setattr(mailbox, "refuse", "550 5.1.1 no such user"),
            lambda: setattr(mailbox, "refuse", "450 4.2.1 try later"),
            None,
        )
        await channel.close()


@asynccontextmanager
async def apprise_bench() -> AsyncIterator[Bench]:
    async with receiving() as receiver:
        channel = AppriseChannel(AppriseSection(schemes=["json"], timeout_s=60), allow_private=True)
        yield Bench(
            channel,
            receiver.url.replace("http://", "json://") + "/apprise",
            lambda: len(receiver.hooks),
            lambda: setattr(receiver, "answer", lambda _: web.Response(status=503)),
            lambda: setattr(receiver, "answer", lambda _: web.Response(status=503)),
            f"json://127.0.0.1:{closed_port()}/",
        )
        await channel.close()


BENCHES = {"webhook": webhook_bench, "email": email_bench, "apprise": apprise_bench}


@pytest.fixture(params=list(BENCHES))
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    async with BENCHES[request.param]() as made:
        yield made


async def test_an_accepted_message_is_ok_and_arrived(bench: Bench) -> None:
    assert await bench.channel.send(message(bench.address)) == Ok()
    assert await bench.channel.send(message(bench.address)) == Ok()
    assert bench.count() == 2


async def test_a_refusal_for_good_is_given_up_and_one_for_now_retried(bench: Bench) -> None:
    bench.refuse_for_now()
    outcome = await bench.channel.send(message(bench.address))
    assert isinstance(outcome, Retry)
    assert outcome.reason
    assert outcome.detail
    bench.refuse_for_good()
    outcome = await bench.channel.send(message(bench.address))
    # Apprise tells yes or no only, so every no is worth another try.
    assert isinstance(outcome, GiveUp if bench.channel.name != "apprise" else Retry)


async def test_a_dead_endpoint_is_retried(bench: Bench) -> None:
    if bench.dead is None:
        channel: Channel = EmailChannel(EmailSection(host="127.0.0.1", port=closed_port()))
        outcome = await channel.send(message(bench.address))
        assert isinstance(outcome, Retry)
        assert outcome.ours, "our relay is down: nothing against the subscriber"
    else:
        assert isinstance(await bench.channel.send(message(bench.dead)), Retry)


async def test_sends_run_beside_each_other(bench: Bench) -> None:
    outcomes = await asyncio.gather(*(bench.channel.send(message(bench.address)) for _ in range(5)))
    assert outcomes == [Ok()] * 5
    assert bench.count() == 5


async def test_its_own_addresses_pass_and_nonsense_is_refused(bench: Bench) -> None:
    assert await bench.channel.check(bench.address) == bench.address
    assert bench.channel.host(bench.address) or bench.channel.name == "email"
    for nonsense in ("", "nonsense", "\x00", "ftp://example.org/"):
        with pytest.raises(Invalid):
            await bench.channel.check(nonsense)


async def test_closing_twice_is_fine(bench: Bench) -> None:
    await bench.channel.send(message(bench.address))
    await bench.channel.close()
    await bench.channel.close()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


@pytest.fixture
async def webhook() -> AsyncIterator[WebhookChannel]:
    channel = WebhookChannel(WebhookSection(timeout_s=20), allow_private=True)
    yield channel
    await channel.close()


async def test_the_official_library_verifies_a_webhook(receiver: Receiver, webhook: WebhookChannel) -> None:
    sent = message(f"{receiver.url}/hook")
    await webhook.send(sent)
    hook = receiver.hooks[0]
    document = Webhook(SECRET).verify(hook.body, hook.headers)
    assert hook.headers["webhook-id"] == "ntc_0123"
    assert hook.headers["Content-Type"] == "application/json"
    assert document["type"] == "opening.opened"
    assert document["data"]["open_event_id"] == 5
    assert document["data"]["subscription_id"] == 7
    assert document["data"]["payload"]["title"] == "Table for 2 <script>"
    await webhook.send(sent)
    assert receiver.hooks[1].body == hook.body, "a retry is the same notice"


async def test_a_test_notice_says_so(receiver: Receiver, webhook: WebhookChannel) -> None:
    await webhook.send(message(receiver.url, kind="test"))
    assert msgspec.json.decode(receiver.hooks[0].body)["type"] == "opening.test"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (200, None),
        (204, None),
        (299, None),
        (301, "redirect"),
        (307, "redirect"),
        (400, "http_400"),
        (404, "http_404"),
        (410, "gone"),
        (429, "http_429"),
        (500, "http_500"),
        (503, "http_503"),
    ],
)
async def test_what_each_status_means(
    receiver: Receiver, webhook: WebhookChannel, status: int, reason: str | None
) -> None:
    elsewhere = {"Location": f"{receiver.url}/elsewhere"} if 300 <= status < 400 else {}
    receiver.answer = lambda _: web.Response(status=status, headers=elsewhere)
    outcome = await webhook.send(message(receiver.url))
    assert isinstance(outcome, Ok if status < 300 else Retry if status == 429 or status >= 500 else GiveUp)
    assert getattr(outcome, "reason", None) == reason
    assert getattr(outcome, "suppress", False) == (status == 410)
    assert len(receiver.hooks) == 1, "a redirect is not followed"


async def test_retry_after_is_passed_on(receiver: Receiver, webhook: WebhookChannel) -> None:
    receiver.answer = lambda _: web.Response(status=429, headers={"Retry-After": "17"})
    assert await webhook.send(message(receiver.url)) == Retry("http_429", "429 Too Many Requests", 17.0)


@pytest.mark.parametrize(("status", "outcome"), [("200 OK", Ok), ("503 Busy", Retry), ("404 Not Found", GiveUp)])
async def test_an_answer_that_breaks_off_or_hangs_after_its_status_still_counts(
    status: str, outcome: type[Ok | Retry | GiveUp]
) -> None:
    """Whoever said yes has the notice: sending it again would tell them twice."""
    hang = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 100\r\n\r\nnot all".encode())
        await writer.drain()
        if b"/hangs" in head:
            await hang.wait()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    channel = WebhookChannel(WebhookSection(timeout_s=60), allow_private=True)
    try:
        assert isinstance(await channel.send(message(f"{url}/breaks")), outcome)
        assert isinstance(await channel.send(message(f"{url}/hangs")), outcome)
    finally:
        hang.set()
        await channel.close()
        server.close()


async def test_a_silent_endpoint_times_out() -> None:
    channel = WebhookChannel(WebhookSection(timeout_s=0.2), allow_private=True)
    with silent_port() as port:
        outcome = await channel.send(message(f"http://127.0.0.1:{port}/"))
    assert isinstance(outcome, Retry)
    assert outcome.reason == "timeout"
    await channel.close()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "10.0.0.1", "[::ffff:127.0.0.1]"]
)
async def test_private_addresses_are_refused_also_after_resolution(receiver: Receiver, host: str) -> None:
    port = receiver.url.rpartition(":")[2]
    channel = WebhookChannel(WebhookSection(timeout_s=20), allow_private=False)
    outcome = await channel.send(message(f"http://{host}:{port}/"))
    assert isinstance(outcome, GiveUp), outcome
    assert outcome.reason in ("private_address", "invalid_url")
    assert receiver.hooks == []
    await channel.close()


async def test_a_private_literal_is_refused_when_subscribing() -> None:
    channel = WebhookChannel(WebhookSection(), allow_private=False)
    with pytest.raises(Invalid, match="not a public address"):
        await channel.check("http://192.168.1.1/hook")
    assert await channel.check("https://example.org/hook")


async def test_apprise_cannot_reach_inside_either(receiver: Receiver) -> None:
    channel = AppriseChannel(AppriseSection(schemes=["json"], timeout_s=60), allow_private=False)
    outcome = await channel.send(message(receiver.url.replace("http://", "json://")))
    assert isinstance(outcome, GiveUp)
    assert outcome.reason == "private_address"
    assert receiver.hooks == []
    await channel.close()


async def test_an_apprise_service_that_hangs_is_cut_off_without_blocking_the_loop() -> None:
    channel = AppriseChannel(AppriseSection(schemes=["json"], timeout_s=5), allow_private=True)
    beats = 0

    async def heart() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0.01)

    beating = asyncio.create_task(heart())
    with silent_port() as port:
        outcome = await channel.send(message(f"json://127.0.0.1:{port}/?rto=60&cto=60"))
    beating.cancel()
    assert isinstance(outcome, Retry)
    assert beats > 5
    await channel.close()


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    async with mail_server() as made:
        yield made


@pytest.fixture
async def email(mailbox: Mailbox) -> AsyncIterator[EmailChannel]:
    channel = EmailChannel(EmailSection(host="127.0.0.1", port=mailbox.port, sender="dibs@example.org"))
    yield channel
    await channel.close()


async def test_the_unsubscribe_link_is_on_the_wire_as_it_is(mailbox: Mailbox, email: EmailChannel) -> None:
    """An encoded word is not allowed there, and no mail program would follow it."""
    long = "https://dibs.example/unsubscribe?token=" + "Zm9v" * 50
    await email.send(msgspec.structs.replace(message("ann@example.org"), unsubscribe_url=long))
    assert mailbox.headers("List-Unsubscribe") == [f"<{long}>"]
    assert mailbox.headers("Content-Language") == ["en"]


async def test_a_mail_has_text_html_and_the_headers_that_mail_programs_need(
    mailbox: Mailbox, email: EmailChannel
) -> None:
    await email.send(message("ann@example.org"))
    await email.send(message("ann@example.org"))
    mail = mailbox.mails[0]
    assert mail["Message-ID"] == "<ntc_0123@example.org>" == mailbox.mails[1]["Message-ID"]
    assert mail["List-Unsubscribe"] == "<https://dibs.example/unsubscribe?token=7.ab&x=1>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["Subject"] == "Open now: Table for 2 <script>"
    assert mail["To"] == "ann@example.org"
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text
    assert html
    plain = text.get_content()
    assert "Thu 05 Mar 2026, 16:30 PST" in plain, "by the person's clock"
    assert "https://shop.example/book?a=1&b=2" in plain
    assert "https://dibs.example/unsubscribe?token=7.ab&x=1" in plain
    page = html.get_content()
    assert "<script>" not in page
    assert "Table for 2 &lt;script&gt;" in page


async def test_a_title_cannot_smuggle_headers_or_links(mailbox: Mailbox, email: EmailChannel) -> None:
    event = msgspec.structs.replace(
        message("a@b.org").event,
        payload={"title": "x\r\nBcc: all@example.org", "url": "javascript:alert(1)", "starts_at": "\r\nX: y"},
    )
    assert await email.send(message("ann@example.org", event=event)) == Ok()
    mail = mailbox.mails[0]
    assert mail["Bcc"] is None
    body = mail.get_body(("html",))
    assert body
    assert "javascript:" not in body.get_content()


@pytest.mark.parametrize(
    ("locale", "words"),
    [("de-AT", "Jetzt frei"), ("es", "Disponible ahora"), ("fr_FR", "Disponible :"), ("xx", "Open now")],
)
async def test_mails_speak_the_subscribers_language(
    mailbox: Mailbox, email: EmailChannel, locale: str, words: str
) -> None:
    await email.send(message("ann@example.org", locale=locale))
    assert mailbox.mails[0]["Subject"].startswith(words)


async def test_a_relay_that_hung_up_meanwhile_is_called_again(mailbox: Mailbox, email: EmailChannel) -> None:
    await email.send(message("ann@example.org"))
    _, relay = email._idle[0]
    assert relay.transport
    relay.transport.close()
    await asyncio.sleep(0)
    assert await email.send(message("ann@example.org")) == Ok()
    assert len(mailbox.mails) == 2


async def test_a_refused_body_is_given_up_and_a_refused_recipient_names_it(
    mailbox: Mailbox, email: EmailChannel
) -> None:
    mailbox.refuse_data = "554 5.7.1 spam"
    outcome = await email.send(message("ann@example.org"))
    assert isinstance(outcome, GiveUp)
    assert outcome.reason == "smtp_554"
    mailbox.refuse = "550 5.1.1 no such user"
    outcome = await email.send(message("ann@example.org"))
    assert isinstance(outcome, GiveUp)
    assert outcome.reason == "invalid_recipient"
