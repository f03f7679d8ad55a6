"""What a running process is made of; faces and loops take it as their only argument."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field
from functools import cached_property

from dibs.access import Gate
from dibs.clock import Clock
from dibs.config import Config
from dibs.db import Database
from dibs.openings import Stream
from dibs.sources import Client
from dibs.watch import (
    CatalogLoader,
    Ingest,
    Poller,
    RollingWindows,
    WatchedProvider,
    Watches,
    watched_providers,
)
from dibs.work import Wake


def worker_name() -> str:
    """Who holds a lease, for people who look: host and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass
class Parts:
    """Configuration, database, clock, and one object per domain, made when first asked for."""

    config: Config
    db: Database
    clock: Clock
    wake: Wake
    signing_key: bytes
    client: Client
    worker: str = field(default_factory=worker_name)

    @cached_property
    def gate(self) -> Gate:
        return Gate(self.db, self.clock)

    @cached_property
    def stream(self) -> Stream:
        return Stream(self.db, self.wake)

    @cached_property
    def providers(self) -> dict[str, WatchedProvider]:
        return watched_providers(self.config, self.clock)

    @cached_property
    def watches(self) -> Watches:
        return Watches(self.db, self.clock, self.providers)

    @cached_property
    def ingest(self) -> Ingest:
        return Ingest(self.db, self.clock, self.providers)

    @cached_property
    def poller(self) -> Poller:
        return Poller(self.db, self.clock, self.client, self.providers, self.worker, self.wake)

    @cached_property
    def windows(self) -> RollingWindows:
        return RollingWindows(self.db, self.clock, self.providers, self.watches)

    @cached_property
    def catalogs(self) -> CatalogLoader:
        return CatalogLoader(self.db, self.clock, self.client, self.providers, self.ingest, self.worker)

    @property
    def public_url(self) -> str:
        """Where people reach this installation, without a slash at the end."""
        http = self.config.http
        return (http.public_url or f"http://{http.host}:{http.port}").rstrip("/")
