"""A worker process of notify alone, to be killed: python tests/notify_worker.py DSN MAIL_PORT."""

from __future__ import annotations

import asyncio
import sys

from dibs.clock import SystemClock
from dibs.config import Config
from dibs.config.sections import Channels, Email, Http, Webhook
from dibs.config.sections import Notify as NotifySection
from dibs.db import Database
from dibs.notify import build_notify
from dibs.notify.loops import loops
from dibs.telemetry import configure_logs
from dibs.work import Wake


def configuration(mail_port: int) -> Config:
    """Short leases, so that what a killed worker held is soon free."""
    return Config(
        http=Http(allow_private_targets=True),
        channels=Channels(
            email=Email(host="127.0.0.1", port=mail_port, sender="dibs@example.org", timeout_s=60),
            webhook=Webhook(timeout_s=60),
        ),
        # A busy machine may answer late; only kills are to be seen here.
        notify=NotifySection(lock_ttl_s=3.0, batch=100, max_attempts=50),
    )


async def main(dsn: str, mail_port: int) -> None:
    configure_logs("error", "json")
    config = configuration(mail_port)
    database = Database(dsn, size=6)
    await database.open()
    wake = Wake(dsn)
    await wake.start()
    notify = build_notify(
        config,
        database,
        SystemClock(),
        wake,
        worker="killable",
        public_url="https://dibs.example",
        signing_key=b"killable",
    )
    for loop in loops(notify, wake):
        loop.start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
