"""The child process of the apprise channel: reads one JSON request a line, answers one a line.

It ends with its parent, because its input ends then.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from typing import IO, Any

import apprise
import msgspec

from dibs.sources.address import PrivateAddressError, is_public

LONGEST_DETAIL = 300


class Memory(logging.Handler):
    """Keeps what the library logs about a send: it is the only place where it says why."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Gatekeeper:
    """Stands between the plugins and the network."""

    def __init__(self) -> None:
        self.refused = ""

    def close_the_way_inside(self) -> None:
        """Every connection of this process goes through here, after names were resolved."""
        connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

        def guarded(sock: socket.socket, address: Any) -> None:
            self._check(sock, address)
            connect(sock, address)

        def guarded_ex(sock: socket.socket, address: Any) -> int:
            self._check(sock, address)
            return connect_ex(sock, address)

        setattr(socket.socket, "connect", guarded)  # noqa: B010 -- a type checker is right to mind, a sandbox is not
        setattr(socket.socket, "connect_ex", guarded_ex)  # noqa: B010 -- as above

    def _check(self, sock: socket.socket, address: Any) -> None:
        inside = sock.family not in (socket.AF_INET, socket.AF_INET6) or not is_public(str(address[0]))
        if inside:
            self.refused = "the host's name leads to an address that is not public"
            raise PrivateAddressError(self.refused)


def send(request: dict[str, Any], memory: Memory, keeper: Gatekeeper) -> dict[str, Any]:
    """One send; whatever a plugin raises is an answer too."""
    memory.lines.clear()
    keeper.refused = ""
    try:
        notifier = apprise.Apprise.instantiate(request["url"], suppress_exceptions=True)
        if notifier is None:
            return {"sent": False, "reason": "invalid_url", "detail": "Apprise cannot make sense of the URL"}
        sent = bool(notifier.notify(title=request["title"], body=request["body"]))
    except Exception as error:  # noqa: BLE001 -- plugins are many and raise what they like
        memory.lines.append(f"{type(error).__name__}: {error}")
        sent = False
    if sent:
        return {"sent": True}
    if keeper.refused:
        return {"sent": False, "reason": "private_address", "detail": keeper.refused}
    return {"sent": False, "detail": "; ".join(memory.lines)[:LONGEST_DETAIL]}


def main(arguments: list[str]) -> None:
    # Plugins may print; the parent must only read answers.
    answers: IO[bytes] = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    memory, keeper = Memory(), Gatekeeper()
    logger = logging.getLogger("apprise")
    logger.addHandler(memory)
    logger.setLevel(logging.WARNING)
    if "--allow-private" not in arguments:
        keeper.close_the_way_inside()
    for line in sys.stdin.buffer:
        answers.write(msgspec.json.encode(send(msgspec.json.decode(line), memory, keeper)) + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
