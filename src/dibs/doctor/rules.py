"""What a measurement means; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import urlsplit

from dibs.config import Config, JsonProvider
from dibs.doctor.model import Finding

# Leases and due times go by the database's clock; what people see goes by the host's. A second is not noticed.
SKEW_NOTED_S = 1.0
SKEW_BAD_S = 5.0


def judge_clock(before: datetime, database: datetime, after: datetime) -> Finding:
    """The database's time against the middle of the host's question."""
    skew = (database - (before + (after - before) / 2)).total_seconds()
    uncertain = (after - before).total_seconds() / 2
    said = f"the database is {abs(skew):.2f} s {'ahead of' if skew > 0 else 'behind'} this host"
    todo = "let both hosts follow the same time servers (chrony or systemd-timesyncd)"
    surely = max(0.0, abs(skew) - uncertain)
    if surely >= SKEW_BAD_S:
        return Finding("clock", "problem", said, todo)
    if surely >= SKEW_NOTED_S:
        return Finding("clock", "note", said, todo)
    return Finding("clock", "ok", f"database and host agree within {abs(skew) + uncertain:.2f} s")


def judge_extensions(wanted: Sequence[str], available: Mapping[str, bool]) -> Finding:
    """Which of the wanted extensions can be used."""
    lacking = [name for name in wanted if name not in available]
    if lacking:
        return Finding(
            "extensions",
            "problem",
            f"the server lacks {', '.join(lacking)}",
            "install PostgreSQL's contrib package on the database server (Debian: apt-get install postgresql-contrib)",
        )
    waiting = [name for name in wanted if not available[name]]
    if waiting:
        commands = " ".join(f"CREATE EXTENSION {name};" for name in waiting)
        return Finding(
            "extensions",
            "note",
            f"{', '.join(waiting)} not yet installed in this database; the first migration does it",
            f"if dibs may not install them, run as a superuser in this database: {commands}",
        )
    return Finding("extensions", "ok", ", ".join(wanted))


def judge_version(version: int, oldest: int) -> Finding:
    """Whether the server is new enough."""
    if version < oldest:
        todo = f"use PostgreSQL {oldest} or newer, or leave database.url empty"
        return Finding("database", "problem", f"PostgreSQL {version} is too old", todo)
    return Finding("database", "ok", f"PostgreSQL {version} answers")


def judge_configuration(config: Config) -> list[Finding]:
    """What is allowed and still worth a word."""
    findings: list[Finding] = []
    if not config.providers:
        todo = "add a [providers.NAME] section; docs/how-to/first-api.md shows one"
        findings.append(Finding("configuration", "note", "no provider is configured: nothing is watched", todo))
    if config.http.host not in ("127.0.0.1", "localhost", "::1") and not config.http.public_url:
        todo = "set http.public_url to the address people use; links in notices are made from it"
        findings.append(Finding("configuration", "note", f"listens on {config.http.host}, no public_url is set", todo))
    if config.http.allow_private_targets:
        todo = "set http.allow_private_targets = false unless your providers live inside your network"
        findings.append(Finding("configuration", "note", "providers and webhooks may reach private addresses", todo))
    return findings or [Finding("configuration", "ok", "every key is known and has the right type")]


def addresses(config: Config) -> dict[str, str]:
    """Where each provider lives: scheme and host only, because a path may need variables or a key."""
    found = {
        f"provider {name}": provider.url if isinstance(provider, JsonProvider) else provider.base_url
        for name, provider in config.providers.items()
    }
    if config.collect.reddit.client_id:
        found["collect reddit"] = config.collect.reddit.api_base
    if config.collect.google_places.api_key:
        found["collect google_places"] = config.collect.google_places.base_url
    return {name: _root(url) for name, url in found.items()}


def _root(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"
