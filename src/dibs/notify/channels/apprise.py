"""Everything else: any Apprise URL whose scheme the installation allows.

Apprise is synchronous and its plugins talk to many kinds of services, so it lives in a child process: it cannot
block the loop, it can be ended when a plugin hangs, and there the way to private addresses is closed underneath
the plugins, whatever library they use.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import msgspec

from dibs.config.sections import Apprise as AppriseSection
from dibs.errors import Unavailable
from dibs.notify.addresses import check_scheme, refuse
from dibs.notify.message import details, headline, link
from dibs.notify.model import ChannelName, GiveUp, Message, Ok, Outcome, Retry
from dibs.notify.phrases import phrases

LONGEST_ANSWER = 64 * 1024
# The first start loads every plugin of the library.
START_S = 60.0


class Answer(msgspec.Struct):
    """What the child says about one request."""

    id: int
    sent: bool = False
    reason: str = ""
    detail: str = ""


class Child:
    """The process that knows Apprise; any number of requests may wait in it at once."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._ids = count(1)
        self._reading = asyncio.create_task(self._read(), name="notify.apprise")
        self.usable = True

    @classmethod
    async def start(cls, *, allow_private: bool, threads: int) -> Child:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "dibs.notify.channels.apprise_child",
            str(threads),
            *(["--allow-private"] if allow_private else []),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LONGEST_ANSWER,
        )
        child = cls(process)
        try:
            # Anything answered means that it is up; a nameless URL costs it nothing.
            async with asyncio.timeout(START_S):
                await child.ask({"check": ""})
        except BaseException:
            await child.end()
            raise
        return child

    async def ask(self, request: dict[str, Any]) -> Answer:
        """Raises OSError when the child is gone."""
        number = next(self._ids)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if self._process.stdin is None or not self.usable:
                raise OSError("the child is gone")
            self._process.stdin.write(msgspec.json.encode({**request, "id": number}) + b"\n")
            await self._process.stdin.drain()
            return await answer
        finally:
            del self._waiting[number]

    async def retire(self) -> None:
        """A request of it hangs: nothing new goes there, and it is ended when the others are done."""
        self.usable = False
        others = [answer for answer in self._waiting.values() if not answer.done()]
        if others:
            await asyncio.wait(others, timeout=START_S)
        await self.end()

    async def end(self) -> None:
        self.usable = False
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await self._reading

    async def _read(self) -> None:
        stdout = self._process.stdout
        while stdout:
            line = await stdout.readline()
            if not line:
                break
            answer = msgspec.json.decode(line, type=Answer)
            waiting = self._waiting.get(answer.id)
            if waiting and not waiting.done():
                waiting.set_result(answer)
        self.usable = False
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(OSError("the child ended"))
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
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._retiring: set[asyncio.Task[None]] = set()

    async def check(self, address: str) -> str:
        scheme = check_scheme(address, self._schemes)
        try:
            answer = await (await self._started()).ask({"check": address})
        except (OSError, TimeoutError):
            raise Unavailable("Apprise cannot be asked about this address now; try again in a moment.") from None
        if answer.reason:
            raise refuse(f"Apprise cannot make sense of this {scheme}:// URL; see its documentation of {scheme}.")
        return address

    def host(self, address: str) -> str:
        parts = urlsplit(address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()

    async def send(self, message: Message) -> Outcome:
        try:
            child = await self._started()
        except (OSError, TimeoutError) as error:
            return Retry("apprise_process", f"{type(error).__name__}: {error}"[:200], ours=True)
        try:
            async with asyncio.timeout(self._timeout_s):
                return outcome_of(await child.ask(_request(message)))
        except TimeoutError:
            task = asyncio.create_task(child.retire())
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)
            return Retry("timeout", f"the service did not answer within {self._timeout_s:g} s")
        except OSError as error:
            return Retry("apprise_process", str(error)[:200], ours=True)

    async def _started(self) -> Child:
        async with self._starting:
            if self._child is None or not self._child.usable:
                self._child = await Child.start(allow_private=self._allow_private, threads=self.width)
            return self._child

    async def close(self) -> None:
        child, self._child = self._child, None
        if child:
            await child.end()
        if self._retiring:
            await asyncio.wait(self._retiring)


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
