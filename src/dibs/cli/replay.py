"""`dibs replay`: a policy tried on history."""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from dibs.cli.run import AsJson, ConfigFile, configuration, finish, out
from dibs.cli.watch import pairs
from dibs.clock import SystemClock
from dibs.config import Config
from dibs.config.sections import ResyProvider, SocProvider
from dibs.errors import Invalid
from dibs.watch.model import Outcome
from dibs.watch.provider import WatchedProvider, watched_provider
from dibs.watch.record import Recording, read_recordings
from dibs.watch.replay import Replayed, replay

Files = Annotated[list[Path], typer.Argument(help="Files of a provider's record_dir.", exists=True, dir_okay=False)]
Policy = Annotated[list[str] | None, typer.Option(help="As open_rule=each; may be repeated.")]


def replay_files(files: Files, policy: Policy = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Run recorded answers through detection and print what would have been emitted."""

    async def work() -> None:
        settings = configuration(config)
        recordings = [one for file in files for one in _read(file)]
        for name in sorted({one.provider for one in recordings}):
            own = [one for one in recordings if one.provider == name]
            provider = _provider(settings, own[0])
            chosen = provider.policy(pairs(policy, "--policy"))
            looks = list(replay(own, provider.source, chosen))
            for replayed in looks:
                # Most looks show what the one before showed.
                if replayed.outcome is not Outcome.UNCHANGED:
                    _print(replayed, as_json=as_json)
            if not as_json:
                out.print(_summary(name, looks), highlight=False, markup=False)

    finish(work())


def _read(file: Path) -> list[Recording]:
    try:
        return read_recordings(file)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError):
        raise Invalid(f"{file} is not a recording of dibs.") from None


def _provider(config: Config, recording: Recording) -> WatchedProvider:
    section = config.providers.get(recording.provider)
    if section is None:
        defaults = {"resy": ResyProvider, "soc": SocProvider}
        if recording.kind not in defaults:
            raise Invalid(f"The provider {recording.provider} has to be configured: its `slots` reads the answers.")
        section = defaults[recording.kind]()
    return watched_provider(recording.provider, section, SystemClock())


def _print(replayed: Replayed, *, as_json: bool) -> None:
    if as_json:
        out.print(msgspec.json.encode(_row(replayed)).decode(), highlight=False, markup=False)
        return
    why = f" ({replayed.reason})" if replayed.reason else ""
    at = f"{replayed.seen_at:%Y-%m-%d %H:%M:%S}"
    out.print(f"{at}  {replayed.watch_key}  {replayed.outcome}{why}", highlight=False, markup=False)
    for change in replayed.events:
        if change.event:
            out.print(f"    {change.event.status_after:7} {change.slot_key}", highlight=False, markup=False)


def _summary(provider: str, looks: list[Replayed]) -> str:
    emitted = Counter(change.event.status_after for one in looks for change in one.events if change.event)
    watches = len({one.watch_key for one in looks})
    events = ", ".join(f"{count} {status}" for status, count in sorted(emitted.items())) or "nothing"
    return f"{provider}: {len(looks)} looks of {watches} watches would have emitted {events}"


def _row(replayed: Replayed) -> dict[str, Any]:
    return {
        "watch_key": replayed.watch_key,
        "seen_at": replayed.seen_at,
        "outcome": replayed.outcome,
        "reason": replayed.reason,
        "events": [
            {"slot_key": change.slot_key, "status_after": change.event.status_after, "reason": change.reason}
            for change in replayed.events
            if change.event
        ],
    }
