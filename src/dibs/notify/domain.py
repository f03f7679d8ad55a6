"""Notify as one object: its verbs, over shared channels."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from dibs.clock import Clock
from dibs.config import Config
from dibs.db import Database
from dibs.notify.channels import AppriseChannel, Channel, EmailChannel, WebhookChannel
from dibs.notify.compose import Composer
from dibs.notify.decide import DeliveryPolicy
from dibs.notify.deliver import Deliver, DeliverySettings
from dibs.notify.fan_out import FanOut
from dibs.notify.lanes import Lanes
from dibs.notify.manage import Manage
from dibs.notify.model import ChannelName
from dibs.notify.prune import Measure, Prune
from dibs.notify.requeue import Notices
from dibs.notify.retry import RetryPlan
from dibs.notify.subscribe import Subscribe
from dibs.notify.try_out import TryOut
from dibs.work import Wake

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Notify:
    """Everything that can be done with subscriptions and notices."""

    channels: dict[ChannelName, Channel]
    subscribe: Subscribe
    manage: Manage
    notices: Notices
    try_out: TryOut
    fan_out: FanOut
    deliver: Deliver
    prune: Prune
    measure: Measure

    async def close(self) -> None:
        """Lets connections and child processes of the channels go."""
        for channel in self.channels.values():
            await channel.close()


def channels_of(config: Config) -> dict[ChannelName, Channel]:
    """The channels that the configuration describes."""
    private = config.http.allow_private_targets
    return {
        "email": EmailChannel(config.channels.email),
        "webhook": WebhookChannel(config.channels.webhook, allow_private=private),
        "apprise": AppriseChannel(config.channels.apprise, allow_private=private),
    }


def policy_of(config: Config) -> DeliveryPolicy:
    """The numbers of a delivery, from the configuration."""
    section = config.notify
    return DeliveryPolicy(
        expire_after=timedelta(seconds=section.expire_after_s),
        verify_email=section.verify_email,
        retries=RetryPlan(tuple(section.retry_delays_s), section.max_attempts),
    )


def build_notify(
    config: Config,
    database: Database,
    clock: Clock,
    wake: Wake,
    *,
    worker: str,
    public_url: str,
    signing_key: bytes,
    channels: dict[ChannelName, Channel] | None = None,
) -> Notify:
    """Notify over `channels`, by default those of the configuration."""
    section = config.notify
    channels = channels or channels_of(config)
    lanes = Lanes({name: channel.width for name, channel in channels.items()}, config.channels.webhook.max_per_host)
    composer = Composer(clock, public_url, signing_key)
    settings = DeliverySettings(
        worker=worker,
        batch=section.batch,
        lock_ttl_s=section.lock_ttl_s,
        patience_s=section.suppress_after_days * DAY_S,
    )
    return Notify(
        channels=channels,
        subscribe=Subscribe(
            database,
            clock,
            channels,
            verify_email=section.verify_email,
            max_per_topic=section.max_per_topic,
        ),
        manage=Manage(database, clock, verify_email=section.verify_email),
        notices=Notices(database, clock, expire_after_s=section.expire_after_s, lock_ttl_s=section.lock_ttl_s),
        try_out=TryOut(
            database,
            clock,
            channels=channels,
            lanes=lanes,
            composer=composer,
            verify_email=section.verify_email,
        ),
        fan_out=FanOut(
            database,
            clock,
            wake,
            worker=worker,
            verify_email=section.verify_email,
            expire_after_s=section.expire_after_s,
            wave_size=section.wave_size,
            wave_s=section.wave_s,
        ),
        deliver=Deliver(
            database,
            clock,
            wake,
            channels=channels,
            lanes=lanes,
            composer=composer,
            policy=policy_of(config),
            settings=settings,
        ),
        prune=Prune(database, clock, days=section.retention_days),
        measure=Measure(database, clock),
    )
