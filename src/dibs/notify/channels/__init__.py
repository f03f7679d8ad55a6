"""The ways a notice reaches somebody. One small contract; tests/conformance runs every channel through it.

A channel checks addresses, says which host an address shares its fate with, and sends one message:

* `Ok` — the other side took responsibility for it;
* `Retry(after)` — it may work later: the network, a timeout, 429, 5xx, a 4xx of SMTP;
* `GiveUp(reason)` — it will never work.

A send raises nothing for what the other side does, holds no database connection and never blocks the loop.
Sending twice under one idempotency key must be recognisable as the same notice by the receiver: the
webhook-id, the Message-ID.
"""

from dibs.notify.channels.apprise import AppriseChannel
from dibs.notify.channels.contract import Channel
from dibs.notify.channels.email import EmailChannel
from dibs.notify.channels.webhook import WebhookChannel

__all__ = ["AppriseChannel", "Channel", "EmailChannel", "WebhookChannel"]
