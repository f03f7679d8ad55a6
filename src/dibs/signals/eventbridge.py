"""Ticks from outside: the EventBridge rules, connection and API destinations that call `POST …/tick`.

One connection holds the token; each cadence has a rule with its schedule and a destination with its URL. Applying is
idempotent: what is there and right is left alone, so it can run in every deployment. Needs the extra `aws`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal
from urllib.parse import quote

from msgspec import Struct

from dibs.errors import Invalid, Unavailable

HEADER = "Authorization"
# A tick that was missed is made good by the next one; an event older than this would only repeat it.
OLDEST_EVENT_S = 60
RETRIES = 2
NAME = re.compile(r"[^.\-_A-Za-z0-9]")
LONGEST_NAME = 64

Action = Literal["create", "update", "unchanged", "skip"]


class Wanted(Struct, frozen=True, kw_only=True):
    """What is to exist in AWS."""

    public_url: str
    role_arn: str
    cadences: Mapping[str, float]
    prefix: str = "dibs"
    # Empty: an existing connection keeps the token it has, which AWS never shows.
    token: str = ""


class Change(Struct, frozen=True, kw_only=True):
    """One resource, and what was or would be done to it."""

    kind: Literal["connection", "api_destination", "rule", "target"]
    name: str
    action: Action
    detail: str = ""


def connect(region: str | None = None, endpoint_url: str | None = None) -> Any:
    """The client of EventBridge; credentials are found as boto3 always finds them."""
    try:
        import boto3  # noqa: PLC0415 -- an extra: most installations have no use for it
        import botocore.exceptions  # noqa: PLC0415 -- see above
    except ImportError:
        raise Unavailable("This needs boto3; install it with: pip install 'dibs[aws]'", code="missing_extra") from None
    try:
        return boto3.client("events", region_name=region, endpoint_url=endpoint_url)
    except botocore.exceptions.NoRegionError:
        raise Invalid("No AWS region is set; give --region or set AWS_REGION.", field="region") from None


def check(wanted: Wanted) -> None:
    """Refuses what EventBridge would refuse, before anything is touched."""
    if not wanted.public_url.startswith("https://"):
        raise Invalid(
            "EventBridge only calls https:// addresses; set http.public_url or give --public-url.", field="public_url"
        )
    if not re.fullmatch(r"arn:[\w-]+:iam::\d{12}:role/.+", wanted.role_arn):
        raise Invalid(
            "--role-arn must be the ARN of a role that may events:InvokeApiDestination, "
            "like arn:aws:iam::123456789012:role/dibs-events.",
            field="role_arn",
        )


def rate_of(interval_s: float) -> str | None:
    """The schedule expression of an interval; None when EventBridge has none for it."""
    minutes = interval_s / 60
    if minutes < 1 or minutes != int(minutes):
        return None
    return f"rate({int(minutes)} {'minute' if minutes == 1 else 'minutes'})"


def name_of(prefix: str, cadence_id: str) -> str:
    return NAME.sub("-", f"{prefix}-{cadence_id}")[:LONGEST_NAME]


def apply(events: Any, wanted: Wanted, *, dry_run: bool = False) -> list[Change]:
    """Creates or corrects what `wanted` says; `dry_run` only looks."""
    check(wanted)
    connection, arn = _connection(events, wanted, dry_run=dry_run)
    changes = [connection]
    for cadence_id, interval_s in sorted(wanted.cadences.items()):
        rate = rate_of(interval_s)
        if rate is None:
            detail = f"every {interval_s:g} s: EventBridge ticks in whole minutes; its schedule here keeps running"
            changes.append(Change(kind="rule", name=name_of(wanted.prefix, cadence_id), action="skip", detail=detail))
            continue
        changes += _cadence(events, wanted, cadence_id, rate, arn, dry_run=dry_run)
    return changes


def _connection(events: Any, wanted: Wanted, *, dry_run: bool) -> tuple[Change, str]:
    name = name_of(wanted.prefix, "ticks")
    known = _found(events, events.describe_connection, Name=name)
    if known is None and not wanted.token:
        raise Invalid("The connection does not exist yet; give the token it shall use with --token.", field="token")
    shape: dict[str, Any] = {
        "Name": name,
        "AuthorizationType": "API_KEY",
        "AuthParameters": {"ApiKeyAuthParameters": {"ApiKeyName": HEADER, "ApiKeyValue": f"Bearer {wanted.token}"}},
    }
    if known is None:
        made = {} if dry_run else events.create_connection(**shape)
        return Change(kind="connection", name=name, action="create"), made.get("ConnectionArn", "")
    header = known.get("AuthParameters", {}).get("ApiKeyAuthParameters", {}).get("ApiKeyName")
    right = known.get("AuthorizationType") == "API_KEY" and header == HEADER
    if right and not wanted.token:
        return Change(kind="connection", name=name, action="unchanged"), known["ConnectionArn"]
    if not wanted.token:
        raise Invalid("The connection is not ours as it is; give the token it shall use with --token.", field="token")
    if not dry_run:
        events.update_connection(**shape)
    return Change(kind="connection", name=name, action="update", detail="token set"), known["ConnectionArn"]


def _cadence(
    events: Any, wanted: Wanted, cadence_id: str, rate: str, connection_arn: str, *, dry_run: bool
) -> Iterator[Change]:
    name = name_of(wanted.prefix, cadence_id)
    url = f"{wanted.public_url.rstrip('/')}/api/cadences/{quote(cadence_id, safe='')}/tick"
    destination: dict[str, Any] = {
        "ConnectionArn": connection_arn,
        "InvocationEndpoint": url,
        "HttpMethod": "POST",
        "InvocationRateLimitPerSecond": 1,
    }
    known = _found(events, events.describe_api_destination, Name=name)
    action = _action(known, destination)
    arn = (known or {}).get("ApiDestinationArn", "")
    if action != "unchanged" and not dry_run:
        write = events.create_api_destination if known is None else events.update_api_destination
        arn = write(Name=name, **destination)["ApiDestinationArn"]
    yield Change(kind="api_destination", name=name, action=action, detail=url)
    yield _rule(events, name, {"ScheduleExpression": rate, "State": "ENABLED"}, dry_run=dry_run)
    yield _target(events, name, arn, wanted.role_arn, dry_run=dry_run)


def _rule(events: Any, name: str, rule: dict[str, Any], *, dry_run: bool) -> Change:
    action = _action(_found(events, events.describe_rule, Name=name), rule)
    if action != "unchanged" and not dry_run:
        events.put_rule(Name=name, Description="dibs: brings dirty signals up to date", **rule)
    return Change(kind="rule", name=name, action=action, detail=rule["ScheduleExpression"])


def _target(events: Any, name: str, arn: str, role_arn: str, *, dry_run: bool) -> Change:
    target: dict[str, Any] = {
        "Arn": arn,
        "RoleArn": role_arn,
        "RetryPolicy": {"MaximumRetryAttempts": RETRIES, "MaximumEventAgeInSeconds": OLDEST_EVENT_S},
    }
    listed = _found(events, events.list_targets_by_rule, Rule=name) or {}
    known = next((one for one in listed.get("Targets", []) if one["Id"] == name), None)
    action = _action(known, target)
    if action != "unchanged" and not dry_run:
        refused = events.put_targets(Rule=name, Targets=[{"Id": name, **target}])
        if refused.get("FailedEntryCount"):
            why = refused["FailedEntries"][0].get("ErrorMessage", "no reason given")
            raise Unavailable(f"EventBridge refused the target of {name}: {why}")
    return Change(kind="target", name=name, action=action)


def _action(known: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> Action:
    if known is None:
        return "create"
    return "unchanged" if all(known.get(key) == value for key, value in wanted.items()) else "update"


def _found(events: Any, describe: Callable[..., dict[str, Any]], **names: str) -> dict[str, Any] | None:
    try:
        return describe(**names)
    except events.exceptions.ResourceNotFoundException:
        return None
