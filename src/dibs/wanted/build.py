"""What is wanted, as one object: its verbs over one catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dibs.clock import Clock
from dibs.config import Config
from dibs.db import Database
from dibs.demand.requests import Requests
from dibs.notify import Notify
from dibs.wanted.ask import Ask
from dibs.wanted.catalogue import Catalogue
from dibs.wanted.consider import Consider
from dibs.wanted.keep import Keep
from dibs.wanted.model import Settings
from dibs.wanted.tell import Tell
from dibs.wanted.watch import WatchDemand
from dibs.watch import WatchedProvider, Watches


@dataclass(frozen=True, slots=True)
class Wanted:
    """Everything that can be done with what is wanted."""

    catalogue: Catalogue
    watch: WatchDemand
    ask: Ask
    consider: Consider
    tell: Tell
    keep: Keep


def settings_of(config: Config) -> Settings:
    section = config.wanted
    return Settings(
        enabled=section.enabled,
        occurrences=section.occurrences,
        window_days=section.window_days,
        look_again_s=section.look_again_s,
        days_ahead=section.days_ahead,
        within_km=config.demand.max_community_km,
    )


def build_wanted(
    config: Config,
    database: Database,
    clock: Clock,
    *,
    requests: Requests,
    notify: Notify,
    watches: Watches,
    providers: Mapping[str, WatchedProvider],
    worker: str,
) -> Wanted:
    settings = settings_of(config)
    catalogue = Catalogue(database, clock, providers, settings.within_km)
    keep = Keep(database, clock, providers, watches, days=settings.days_ahead)
    watch = WatchDemand(database, clock, requests, catalogue, keep, settings)
    tell = Tell(database, clock, notify, worker=worker)
    most = config.notify.max_per_topic
    return Wanted(
        catalogue=catalogue,
        watch=watch,
        ask=Ask(database, clock, requests, notify, tell, worker=worker, max_per_request=most),
        consider=Consider(database, clock, requests, catalogue, watch, settings, worker=worker),
        tell=tell,
        keep=keep,
    )
