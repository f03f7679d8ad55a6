"""A configured provider as the watch sees it: its source, its pace, and the settings its watches inherit."""

from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from dibs.clock import Clock
from dibs.config import Cadence, Config, Pace, Policy, Provider
from dibs.errors import Invalid
from dibs.sources import Source, build_source
from dibs.sources.pace import ProviderPace
from dibs.work import Queue

Section = TypeVar("Section", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class WatchedProvider:
    name: str
    config: Provider
    source: Source
    pace: ProviderPace
    queue: Queue

    def policy(self, override: dict[str, Any]) -> Policy:
        """The provider's policy with what the watch says differently."""
        return _overlaid(self.config.policy, override, Policy, "policy") if override else self.config.policy

    def cadence(self, override: dict[str, Any]) -> Cadence:
        return _overlaid(self.config.cadence, override, Cadence, "cadence") if override else self.config.cadence


def _overlaid(inherited: msgspec.Struct, override: dict[str, Any], kind: type[Section], field: str) -> Section:
    try:
        return msgspec.convert({**msgspec.to_builtins(inherited), **override}, kind)
    except msgspec.ValidationError as error:
        raise Invalid(f"{field}: {error}", field=field) from None


def watched_provider(name: str, config: Provider, clock: Clock) -> WatchedProvider:
    pace: Pace = config.pace
    return WatchedProvider(name, config, build_source(name, config), ProviderPace(name, pace, clock), _queue(name))


def watched_providers(config: Config, clock: Clock) -> dict[str, WatchedProvider]:
    return {name: watched_provider(name, section, clock) for name, section in config.providers.items()}


def _queue(provider: str) -> Queue:
    # A queue's condition is text of the program; the configured name goes in as a quoted literal.
    literal = provider.replace("'", "''").replace("%", "%%")
    return Queue(
        table="watch",
        key="watch_key",
        ready=f"NOT item.paused AND item.provider = '{literal}'",
        order="item.due_at",
    )
