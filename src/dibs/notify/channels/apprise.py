"""Everything else: any Apprise URL whose scheme the installation allows.

Apprise is synchronous and its plugins talk to many kinds of services, so each send happens in a child process:
it cannot block the loop, it can be ended when it hangs, and there the way to private addresses is closed
underneath the plugins, whatever library they use.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import msgspec

from dibs.config.sections import Apprise as AppriseSection
from dibs.notify.addresses import check_scheme, refuse
from dibs.notify.message import details, headline, link
from dibs.notify.model import ChannelName, GiveUp, Message, Ok, Outcome, Retry
from dibs.notify.phrases import phrases

LONGEST_ANSWER = 64 * 1024


class Answer(msgspec.Struct):
    """What the child says about one send."""

    sent: bool
    reason: str = ""
    detail: str = ""


class Child:
    """One process that sends, one message at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, *, allow_private: bool) -> Child:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "dibs.notify.channels.apprise_child",
            *(["--allow-private"] if allow_private else []),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LONGEST_ANSWER,
        )
        return cls(process)

    async def ask(self, request: dict[str, Any]) -> Answer:
        """Raises OSError or ValueError when the child is gone or talks nonsense."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise OSError("the child has no pipes")
        stdin.write(msgspec.json.encode(request) + b"\n")
        await stdin.drain()
        line = await stdout.readline()
        if not line:
            raise OSError("the child ended")
        return msgspec.json.decode(line, type=Answer)

    async def end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        # The transport is closed with its loop otherwise, which is too late for a clean shutdown.
        if self._process.stdin:
            self._process.stdin.close()


class AppriseChannel:
    """Sends through the Apprise library."""

    name: ChannelName = "apprise"

    def __init__(self, section: AppriseSection, *, allow_private: bool) -> None:
        self.width = section.max_in_flight
        self._schemes = frozenset(scheme.lower() for scheme in section.schemes)
        self._timeout_s = section.timeout_s
        self._allow_private = allow_private
        self._idle: list[Child] = []

    def check(self, address: str) -> str:
        scheme = check_scheme(address, self._schemes)
        if not understands(address):
            raise refuse(f"Apprise cannot make sense of this {scheme}:// URL; see its documentation of {scheme}.")
        return address

    def host(self, address: str) -> str:
        parts = urlsplit(address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()

    async def send(self, message: Message) -> Outcome:
        child = self._idle.pop() if self._idle else None
        try:
            async with asyncio.timeout(self._timeout_s):
                child = child or await Child.start(allow_private=self._allow_private)
                answer = await child.ask(_request(message))
        except TimeoutError:
            await _end(child)
            return Retry("timeout", f"the service did not answer within {self._timeout_s:g} s")
        except (OSError, ValueError, msgspec.DecodeError) as error:
            await _end(child)
            return Retry("apprise_process", f"{type(error).__name__}: {error}"[:200], ours=True)
        except asyncio.CancelledError:
            await _end(child)
            raise
        self._idle.append(child)
        return outcome_of(answer)

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for child in idle:
            await child.end()


async def _end(child: Child | None) -> None:
    if child:
        await child.end()


def outcome_of(answer: Answer) -> Outcome:
    """Apprise only says yes or no; what it logged tells the rest."""
    if answer.sent:
        return Ok()
    if answer.reason in ("private_address", "invalid_url"):
        return GiveUp(answer.reason, answer.detail)
    return Retry(answer.reason or "apprise_refused", answer.detail or "the service did not take the notice")


def _request(message: Message) -> dict[str, Any]:
    words = phrases(message.locale)
    lines = [f"{label}: {value}" for label, value in details(message)]
    if message.kind == "test":
        lines.insert(0, words.test_text)
    url = link(message)
    if url:
        lines.append(url)
    lines.append(f"{words.unsubscribe}: {message.unsubscribe_url}")
    return {"url": message.address, "title": headline(message), "body": "\n".join(lines)}


@cache
def _library() -> Any:
    # Imported here: its hundred plugins cost half a second that most processes need not pay.
    import apprise  # noqa: PLC0415 -- see above

    return apprise


def understands(address: str) -> bool:
    """Whether Apprise can make a notifier of the URL."""
    return _library().Apprise.instantiate(address, suppress_exceptions=True) is not None
