"""`dibs feed`: what just opened."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import msgspec
import typer

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.openings import EventFilter, OpenEvent, list_events
from dibs.parts import Parts

Name = Annotated[str | None, typer.Option(help="Only these.")]


def feed(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as openings happen.")] = False,
    within_minutes: Annotated[int, typer.Option(min=1, help="How far back.")] = 10,
    provider: Name = None,
    watch: Name = None,
    group: Name = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Print what just opened, oldest first."""

    async def work(parts: Parts) -> None:
        chosen = EventFilter(
            since=parts.clock.now() - timedelta(minutes=within_minutes),
            provider=provider,
            watch=watch,
            group=group,
            status="Open",
            still_open=not follow,
        )
        if not follow:
            for event in reversed(await list_events(parts.db, chosen, limit=500)):
                _print(event, as_json=as_json)
            return
        await parts.stream.start()
        try:
            await _follow(parts, chosen, as_json=as_json)
        finally:
            await parts.stream.stop()

    with_parts(config, work)


async def _follow(parts: Parts, chosen: EventFilter, *, as_json: bool) -> None:
    past = await list_events(parts.db, chosen, limit=500)
    for event in reversed(past):
        _print(event, as_json=as_json)
    # The list is in the order of time and the stream in the order of commits, so a last id would not say where one
    # ends and the other begins.
    printed = {event.open_event_id for event in past}
    async for event in parts.stream.follow(since_start=True):
        if event is not None and event.open_event_id not in printed and chosen.passes(event):
            _print(event, as_json=as_json)


def _print(event: OpenEvent, *, as_json: bool) -> None:
    if as_json:
        line = msgspec.json.encode(event).decode()
    else:
        starts = event.payload.get("starts_at") or ""
        title = event.payload.get("title") or event.slot_key
        url = event.payload.get("url") or ""
        line = "  ".join(
            part for part in (f"{event.event_at:%H:%M:%S}", event.provider, str(title), str(starts), str(url)) if part
        )
    out.print(line, highlight=False, markup=False)
    out.file.flush()
