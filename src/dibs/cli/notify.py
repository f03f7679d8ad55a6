"""`dibs notify`: subscriptions and notices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.notify import Change, Subscribed, Wish
from dibs.notify.model import Delivery, Notification, Subscription, SubscriptionEvent
from dibs.notify.try_out import TestReport
from dibs.parts import Parts

app = typer.Typer(no_args_is_help=True, help="Subscriptions and notices: who is told, and what became of it.")

Id = Annotated[int, typer.Argument(help="The subscription's number.", min=1)]
Limit = Annotated[int, typer.Option(help="How many, newest first.", min=1, max=500)]


@app.command()
def subscribe(
    topic: Annotated[str, typer.Argument(help="What to be told about, for example watch:soc:92025:NB.")],
    channel: Annotated[str, typer.Argument(help="email, webhook or apprise.")],
    address: Annotated[str, typer.Argument(help="Where to: an address or a URL.")],
    window: Annotated[str | None, typer.Option(help="Hours, as 08:00-22:00; needs --timezone.")] = None,
    timezone: Annotated[str | None, typer.Option(help="The zone of the hours, as America/New_York.")] = None,
    most: Annotated[int | None, typer.Option(help="Pause after so many notices.", min=1)] = None,
    locale: Annotated[str | None, typer.Option(help="The language of mails, as en or de-AT.")] = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Subscribe an address; prints the manage token and the webhook secret, once."""
    preferences = _preferences(window, timezone, most)

    async def work(parts: Parts) -> Subscribed:
        return await _closing(
            parts, parts.notify.subscribe.subscribe(Wish(topic, channel, address, locale, preferences))
        )

    made = with_parts(config, work)
    if as_json:
        _print_json(made)
        return
    _say(f"{'already subscribed' if made.existing else 'subscribed'}: {made.subscription_id} ({made.status})")
    for label, secret in (("manage token", made.manage_token), ("webhook secret", made.webhook_secret)):
        if secret:
            _say(f"{label} (shown only once): {secret}")


@app.command(name="list")
def list_(
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    status: Annotated[str | None, typer.Option(help="Only this status.")] = None,
    channel: Annotated[str | None, typer.Option(help="Only this channel.")] = None,
    limit: Limit = 50,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List subscriptions."""

    async def work(parts: Parts) -> list[Subscription]:
        return await parts.notify.manage.list(topic=topic, status=status, channel=channel, limit=limit)

    found = with_parts(config, work)
    if as_json:
        _print_json([_shown(one) for one in found])
        return
    table = Table("id", "topic", "channel", "address", "status", "why", "last told")
    for one in found:
        table.add_row(
            str(one.subscription_id),
            one.topic,
            one.channel,
            one.address,
            one.status,
            one.reason,
            _time(one.last_sent_at),
        )
    out.print(table, markup=False)


@app.command()
def history(subscription_id: Id, limit: Limit = 50, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Print what happened to a subscription, newest first."""

    async def work(parts: Parts) -> list[SubscriptionEvent]:
        await parts.notify.manage.get(subscription_id)
        return await parts.notify.manage.history(subscription_id, limit=limit)

    found = with_parts(config, work)
    if as_json:
        _print_json(found)
        return
    table = Table("when", "what", "detail")
    for event in found:
        table.add_row(_time(event.at), event.kind, msgspec.json.encode(event.detail).decode())
    out.print(table, markup=False)


@app.command()
def pause(subscription_id: Id, config: ConfigFile = None) -> None:
    """Tell nobody until it is resumed."""
    _change(config, subscription_id, Change(status="paused"))


@app.command()
def resume(subscription_id: Id, config: ConfigFile = None) -> None:
    """Tell again; a reached cap starts anew."""
    _change(config, subscription_id, Change(status="active"))


@app.command()
def snooze(
    subscription_id: Id,
    hours: Annotated[float, typer.Argument(help="For how long; 0 ends a snooze.", min=0, max=24 * 366)],
    config: ConfigFile = None,
) -> None:
    """Skip notices for some hours."""

    async def work(parts: Parts) -> Subscription:
        until = (parts.clock.now() + timedelta(hours=hours)).astimezone(UTC) if hours else None
        return await parts.notify.manage.change(subscription_id, Change(preferences={"snooze_until": until}))

    changed = with_parts(config, work)
    _say(
        f"{subscription_id} is snoozed until {_time(changed.snooze_until)}" if hours else f"{subscription_id} is awake"
    )


@app.command()
def unsubscribe(subscription_id: Id, config: ConfigFile = None) -> None:
    """End a subscription; it stays readable."""

    async def work(parts: Parts) -> Subscription:
        return await parts.notify.manage.unsubscribe(subscription_id, how="by_administrator")

    _say(f"{subscription_id} is {with_parts(config, work).status}")


@app.command(name="test")
def try_out(subscription_id: Id, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Send a test notice now and say what happened."""

    async def work(parts: Parts) -> TestReport:
        subscription = await parts.notify.manage.get(subscription_id)
        return await _closing(parts, parts.notify.try_out.send_test(subscription, limited=False))

    report = with_parts(config, work)
    if as_json:
        _print_json(report)
    else:
        _say(f"{report.outcome} after {report.took_ms} ms" + (f": {report.detail}" if report.detail else ""))
    if not report.ok:
        raise typer.Exit(1)


@app.command()
def notices(
    status: Annotated[str | None, typer.Option(help="pending, sent, skipped, failed or expired.")] = None,
    subscription: Annotated[int | None, typer.Option(help="Only of this subscription.", min=1)] = None,
    opening: Annotated[int | None, typer.Option(help="Only of this opening.", min=1)] = None,
    limit: Limit = 50,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List notices: what, to whom, when, and why not."""

    async def work(parts: Parts) -> list[Delivery]:
        return await parts.notify.notices.deliveries(
            status=status, subscription_id=subscription, open_event_id=opening, limit=limit
        )

    found = with_parts(config, work)
    if as_json:
        _print_json(found)
        return
    table = Table("id", "what", "to", "status", "tries", "when", "why")
    for one in found:
        when = _time(one.finished_at or one.next_attempt_at)
        why = one.error or one.reason
        table.add_row(
            str(one.notification_id), one.title, one.address, one.fanout_status, str(one.fanout_attempts), when, why
        )
    out.print(table, markup=False)


@app.command()
def requeue(
    notification_id: Annotated[int, typer.Argument(help="The notice's number.", min=1)], config: ConfigFile = None
) -> None:
    """Try a notice again from the start, under the same id."""

    async def work(parts: Parts) -> Notification:
        return await parts.notify.notices.requeue(notification_id)

    _say(f"{notification_id} is {with_parts(config, work).fanout_status}")


def _preferences(window: str | None, timezone: str | None, most: int | None) -> dict[str, Any]:
    wishes: dict[str, Any] = {}
    if window:
        start, separator, end = window.partition("-")
        if not separator or not timezone:
            raise typer.BadParameter("give hours as 08:00-22:00 together with --timezone", param_hint="--window")
        wishes["delivery_window"] = {"start": start, "end": end, "timezone": timezone}
    if most is not None:
        wishes["max_notifications"] = most
    return wishes


def _change(config: Any, subscription_id: int, change: Change) -> None:
    async def work(parts: Parts) -> Subscription:
        return await parts.notify.manage.change(subscription_id, change)

    _say(f"{subscription_id} is {with_parts(config, work).status}")


async def _closing(parts: Parts, doing: Any) -> Any:
    """A channel may have opened connections or a process for what was done."""
    try:
        return await doing
    finally:
        await parts.notify.close()


def _shown(subscription: Subscription) -> dict[str, Any]:
    fields = {name: getattr(subscription, name) for name in subscription.__dataclass_fields__}
    return {name: value for name, value in fields.items() if name not in ("manage_token_hash", "webhook_secret")}


def _time(at: datetime | None) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S}" if at else ""


def _print_json(value: Any) -> None:
    out.print(msgspec.json.encode(value).decode(), highlight=False, markup=False)


def _say(line: str) -> None:
    out.print(line, highlight=False, markup=False)
