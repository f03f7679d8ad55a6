"""A worker process of notify alone, to be killed: python tests/notify_worker.py DSN MAIL_PORT NAME.

Its name is the owner of its leases, and what it tells the servers it sends to.
"""

from __future__ import annotations

import asyncio
import sys

from dibs.clock import SystemClock
from dibs.config import Config
from dibs.config.sections import Channels, Email, Http, Webhook
from dibs.config.sections import Notify as NotifySection
from dibs.db import Database
from dibs.notify import build_notify
from dibs.notify.channels import Channel, EmailChannel, WebhookChannel
from dibs.notify.loops import loops
from dibs.notify.model import ChannelName
from dibs.telemetry import configure_logs
from dibs.work import Wake


def configuration(mail_port: int, name: str) -> Config:
    """Nothing ends by itself here, however slow the machine: no send times out and no lease runs out."""
    return Config(
        http=Http(allow_private_targets=True),
        channels=Channels(
            email=Email(host="127.0.0.1", port=mail_port, sender=f"{name}@example.org", timeout_s=3600),
            webhook=Webhook(timeout_s=3600),
        ),
        notify=NotifySection(lock_ttl_s=3600.0, batch=100, max_attempts=50),
    )


async def main(dsn: str, mail_port: int, name: str) -> None:
    configure_logs("error", "json")
    config = configuration(mail_port, name)
    database = Database(dsn, size=6)
    await database.open()
    wake = Wake(dsn)
    await wake.start()
    channels: dict[ChannelName, Channel] = {
        "email": EmailChannel(config.channels.email),
        "webhook": WebhookChannel(config.channels.webhook, allow_private=True, user_agent=name),
    }
    notify = build_notify(
        config,
        database,
        SystemClock(),
        wake,
        worker=name,
        public_url="https://dibs.example",
        signing_key=b"killable",
        channels=channels,
    )
    for loop in loops(notify, wake):
        loop.start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
