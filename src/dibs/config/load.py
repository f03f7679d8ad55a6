"""Reads the file and the environment into one `Config`, or says which key is wrong."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from dibs.config.sections import Config, Provider, ResyProvider
from dibs.errors import CannotStart

PREFIX = "DIBS_"
# Variables of ours that are not configuration.
NOT_KEYS = frozenset({"CONFIG", "ROOT", "PYTHON", "CHROMIUM", "TEST_PROCESSES", "README_PICTURE", "TEST_DATABASE"})
PROVIDER_NAME = re.compile(r"^[a-z0-9][a-z0-9_-]{0,40}$")


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Config:
    """The configuration of `path` (none: defaults) with the environment over it."""
    document = _read(path) if path else {}
    _check_types(document)
    _overlay(document, environ or {})
    config = _convert(document)
    _check(config)
    base = path.parent if path else Path()
    return config.changed(data_dir=str((base / config.data_dir).resolve()))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CannotStart(f"There is no configuration file {path}; create it or leave --config out.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CannotStart(f"The configuration file {path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise CannotStart(f"The configuration file {path} is not valid TOML: {error}.") from None


def _overlay(document: dict[str, Any], environ: Mapping[str, str]) -> None:
    for variable, text in sorted(environ.items()):
        name = variable.removeprefix(PREFIX)
        if name == variable or name in NOT_KEYS:
            continue
        *sections, key = [part.lower() for part in name.split("__")]
        table = document
        for section in sections:
            table = table.setdefault(section, {})
            if not isinstance(table, dict):
                raise CannotStart(f"{variable} names a table where the configuration file has a value.")
        table[key] = _value(text)


def _value(text: str) -> Any:
    """Lists and tables are written as JSON; everything else stays text and is converted by its type."""
    if text[:1] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _check_types(document: dict[str, Any]) -> None:
    """A file says what it means: "8765" is no number there. What is missing may still come from the environment."""
    providers = document.get("providers", {})
    _typed({**document, "providers": {}} if isinstance(providers, dict) else document, Config, strict=True)
    for name, provider in providers.items():
        try:
            _typed(provider, Provider, f"providers.{name}", strict=True)
        except CannotStart as error:
            if "is required" not in error.detail:
                raise


def _convert(document: dict[str, Any]) -> Config:
    providers = document.get("providers", {})
    if isinstance(providers, dict):
        for name, provider in providers.items():
            _typed(provider, Provider, f"providers.{name}")
    return _typed(document, Config)


def _typed(value: Any, kind: Any, place: str = "", *, strict: bool = False) -> Any:
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise CannotStart(_named(str(error), place)) from None


def _named(message: str, prefix: str) -> str:
    """msgspec says `… - at `$.http.port``; people look for `http.port`."""
    sentence, _, where = message.partition(" - at ")
    inner = where.strip("`").removeprefix("$").lstrip(".")
    place = ".".join(part for part in (prefix, inner) if part)
    unknown = re.search(r"unknown field `(.+?)`", sentence)
    if unknown:
        key = f"{place}.{unknown[1]}" if place else unknown[1]
        return f"Unknown configuration key `{key}`; remove it or correct its spelling."
    missing = re.search(r"missing required field `(.+?)`", sentence)
    if missing:
        key = f"{place}.{missing[1]}" if place else missing[1]
        return f"The configuration key `{key}` is required."
    return f"The configuration key `{place or 'top level'}` is wrong: {sentence}."


def _check(config: Config) -> None:
    if "://" in config.database.url and not config.database.url.startswith(("postgresql://", "postgres://")):
        raise CannotStart("The configuration key `database.url` is wrong: it does not begin with postgresql://.")
    for name, provider in config.providers.items():
        if not PROVIDER_NAME.match(name):
            raise CannotStart(f"The provider name `{name}` may hold only lower-case letters, digits, - and _.")
        if isinstance(provider, ResyProvider):
            _check_zone(f"providers.{name}.timezone", provider.timezone)
        cadence = provider.cadence
        if cadence.min_interval_s > cadence.max_interval_s:
            raise CannotStart(f"providers.{name}.cadence: min_interval_s is larger than max_interval_s.")


def _check_zone(key: str, zone: str) -> None:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CannotStart(f"The configuration key `{key}` names no time zone: {zone!r}.") from None
