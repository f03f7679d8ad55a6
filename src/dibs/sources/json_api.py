"""Any JSON API: a URL template gives the request, a JMESPath expression the slots."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError

from dibs.config import JsonProvider
from dibs.errors import Invalid
from dibs.sources.body import LONGEST_KEY, decoded, single
from dibs.sources.contract import Ask, DetectedBy
from dibs.sources.http import Request
from dibs.sources.model import Answer, Detail, Failure, Fault, Observation, Target, Validators

VARIABLE = re.compile(r"\{(\w+)\}")
PLAIN = ("id", "group", "starts_at", "title", "url", "open")
MAX_VALUE = 200


class JsonSource:
    """The provider of kind `json`."""

    kind = "json"
    detected_by: DetectedBy = "poll"

    def __init__(self, name: str, config: JsonProvider) -> None:
        self.name = name
        self._config = config
        self._variables = list(dict.fromkeys(VARIABLE.findall(config.url)))
        self._zone = ZoneInfo(config.timezone)
        self._slots = jmespath.compile(config.slots)
        self.asks = dict.fromkeys(self._variables, "…")

    def target(self, query: Mapping[str, Any]) -> Target:
        extra = sorted(set(query) - set(self._variables))
        if extra:
            raise Invalid(f"query.{extra[0]} is not a variable of the provider's URL.", field=f"query.{extra[0]}")
        values = {name: _value(name, query.get(name)) for name in self._variables}
        return Target("_".join(values.values()), values)

    async def look(self, ask: Ask, target: Target, validators: Validators) -> Answer | Failure:
        url = VARIABLE.sub(lambda match: quote(target.query[match[1]], safe=""), self._config.url)
        return single(await ask(Request(url, headers=self._config.headers, validators=validators)))

    def read(self, answer: Answer, target: Target) -> Observation | Failure:  # noqa: ARG002 -- the contract's
        try:
            document = decoded(msgspec.json.decode, answer.bodies[0])
        except msgspec.DecodeError:
            return Failure(Fault.TRANSIENT, "not_json")
        try:
            records = self._slots.search(document)
        except (JMESPathError, TypeError, ValueError, RecursionError) as error:
            return Failure(Fault.TRANSIENT, f"not_mappable: {type(error).__name__}")
        if not isinstance(records, list):
            # A missing list is another shape of document (an error, a notice), not an empty one.
            return Failure(Fault.TRANSIENT, "no_list: the expression `slots` found no list in the answer")
        return _observe(records, self._describe)

    def _describe(self, record: dict[str, Any], slot_key: str) -> Detail:
        starts = record.get("starts_at")
        more = {name: value for name, value in record.items() if name not in PLAIN}
        payload = {
            "title": _text(record.get("title")) or _text(record["id"]),
            "starts_at": starts,
            "url": _text(record.get("url")),
            **more,
        }
        return Detail(
            slot_key=slot_key,
            group_key=(_text(record.get("group")) or _text(record["id"]) or slot_key)[:LONGEST_KEY],
            subject=self.subject(slot_key),
            payload=payload,
            starts_at=parse_start(starts, self._zone),
        )

    def subject(self, slot_key: str) -> dict[str, Any]:
        identity, separator, starts = slot_key.partition("|")
        return {"id": identity, "starts_at": starts if separator else None}

    def named(self, slot_key: str) -> Detail:
        if not slot_key or not slot_key.isprintable():
            raise Invalid("slot_key is id or id|starts_at.", field="slot_key")
        subject = self.subject(slot_key)
        payload = {"title": subject["id"], "starts_at": subject["starts_at"], "url": None}
        starts_at = parse_start(subject["starts_at"], self._zone)
        return Detail(slot_key, subject["id"], subject, payload, starts_at=starts_at)

    def target_date(self, target: Target) -> date | None:
        for value in target.query.values():
            try:
                return date.fromisoformat(value)
            except ValueError:
                continue
        return None


def _value(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or not 0 < len(str(value)) <= MAX_VALUE:
        raise Invalid(
            f"query.{name} is needed by the provider's URL: a text or a number of at most {MAX_VALUE} characters.",
            field=f"query.{name}",
        )
    text = str(value)
    if not text.isprintable():
        raise Invalid(f"query.{name} contains characters that cannot be shown.", field=f"query.{name}")
    return text


def _observe(records: list[Any], describe: Any) -> Observation:
    found: dict[str, dict[str, Any]] = {}
    shut: set[str] = set()
    blurred: set[str] = set()
    nameless = 0
    for record in records:
        key = _key(record)
        if key is None:
            nameless += 1
            continue
        is_open = _is_open(record)
        if is_open is None:
            blurred.add(key)
        elif is_open:
            found[key] = record
        else:
            shut.add(key)
    # A slot named twice is open if one of its records says so.
    return Observation(
        found=found,
        describe=lambda key: describe(found[key], key),
        shut=frozenset(shut - found.keys()),
        blurred=frozenset(blurred - found.keys()),
        nameless=nameless,
    )


def _key(record: Any) -> str | None:
    if not isinstance(record, dict):
        return None
    identity, starts = _text(record.get("id")), record.get("starts_at")
    if not identity:
        return None
    start = "" if starts is None else _text(starts)
    if start is None:
        return None
    key = f"{identity}|{start}" if start else identity
    return key if len(key) <= LONGEST_KEY else None


def _is_open(record: dict[str, Any]) -> bool | None:
    """None when the record does not say it in a way we know."""
    value = record.get("open", True)
    if value is None:
        return False
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value > 0
    return {"true": True, "yes": True, "open": True, "false": False, "no": False, "closed": False}.get(
        value.lower() if isinstance(value, str) else ""
    )


def _text(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    # PostgreSQL stores no NUL, neither in text nor in JSON.
    return str(value).replace("\x00", "")


def parse_start(value: Any, zone: ZoneInfo) -> datetime | None:
    """The moment a provider means: ISO text (naive: in the provider's zone) or seconds since 1970."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    if moment is None:
        return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError:
        return None
