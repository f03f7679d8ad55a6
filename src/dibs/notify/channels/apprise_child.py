"""The child process of the apprise channel: reads one JSON request a line, answers one a line, in any order.

It ends with its parent, because its input ends then.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import apprise
import msgspec

from dibs.sources.address import PrivateAddressError, is_public

LONGEST_DETAIL = 300
REFUSED = "the host's name leads to an address that is not public"


class Notes(threading.local):
    """What happened during the send of this thread."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.refused = False


NOTES = Notes()


class Memory(logging.Handler):
    """Keeps what the library logs about a send: it is the only place where it says why."""

    def emit(self, record: logging.LogRecord) -> None:
        NOTES.lines.append(record.getMessage())


def close_the_way_inside() -> None:
    """Every connection of this process goes through here, after names were resolved."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(sock: socket.socket, address: Any) -> None:
        _check(sock, address)
        connect(sock, address)

    def guarded_ex(sock: socket.socket, address: Any) -> int:
        _check(sock, address)
        return connect_ex(sock, address)

    setattr(socket.socket, "connect", guarded)  # noqa: B010 -- a type checker is right to mind, a sandbox is not
    setattr(socket.socket, "connect_ex", guarded_ex)  # noqa: B010 -- as above


def _check(sock: socket.socket, address: Any) -> None:
    if sock.family not in (socket.AF_INET, socket.AF_INET6) or not is_public(str(address[0])):
        NOTES.refused = True
        raise PrivateAddressError(REFUSED)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """One request; whatever a plugin raises is an answer too."""
    NOTES.lines.clear()
    NOTES.refused = False
    try:
        notifier = apprise.Apprise.instantiate(
            str(request.get("check") or request.get("url")), suppress_exceptions=True
        )
        if not isinstance(notifier, apprise.NotifyBase):
            return {"reason": "invalid_url", "detail": "Apprise cannot make sense of the URL"}
        if "check" in request:
            return {}
        sent = bool(notifier.notify(title=request["title"], body=request["body"]))
    except Exception as error:  # noqa: BLE001 -- plugins are many and raise what they like
        NOTES.lines.append(f"{type(error).__name__}: {error}")
        sent = False
    if sent:
        return {"sent": True}
    if NOTES.refused:
        return {"reason": "private_address", "detail": REFUSED}
    return {"detail": "; ".join(NOTES.lines)[:LONGEST_DETAIL]}


def main(threads: int, *, allow_private: bool) -> None:
    # Plugins may print; the parent must only read answers.
    answers = os.dup(1)
    os.dup2(2, 1)
    logger = logging.getLogger("apprise")
    logger.addHandler(Memory(logging.WARNING))
    logger.setLevel(logging.WARNING)
    if not allow_private:
        close_the_way_inside()
    # Loading the plugins takes a lock that threads would fight over.
    apprise.Apprise.instantiate("json://localhost")
    writing = threading.Lock()

    def work(request: dict[str, Any]) -> None:
        line = msgspec.json.encode({"id": request["id"], **answer(request)}) + b"\n"
        with writing:
            os.write(answers, line)

    pool = ThreadPoolExecutor(threads)
    for line in sys.stdin.buffer:
        pool.submit(work, msgspec.json.decode(line))
    # A plugin that hangs must not keep the process alive.
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), allow_private="--allow-private" in sys.argv)
