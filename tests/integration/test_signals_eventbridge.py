"""EventBridge: rules, connection and destinations are made once and corrected, on a server that speaks its API."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from dibs.cli.main import app
from dibs.errors import Invalid
from dibs.signals.eventbridge import Wanted, apply, check, connect, name_of, rate_of

# moto and what it brings use things that their own makers have deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

ROLE = "arn:aws:iam::123456789012:role/dibs-events"
WANTED = Wanted(
    public_url="https://dibs.example/",
    role_arn=ROLE,
    cadences={"1min": 60.0, "5min": 300.0, "fast": 10.0},
    token="secret-1",
)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from moto.server import ThreadedMotoServer  # noqa: PLC0415 -- its import warns

        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def events(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    client = connect("eu-north-1", endpoint)
    yield client
    _empty(client)
    client.close()


def _empty(client: Any) -> None:
    for rule in client.list_rules()["Rules"]:
        targets = client.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        if targets:
            client.remove_targets(Rule=rule["Name"], Ids=[target["Id"] for target in targets])
        client.delete_rule(Name=rule["Name"])
    for destination in client.list_api_destinations()["ApiDestinations"]:
        client.delete_api_destination(Name=destination["Name"])
    for connection in client.list_connections()["Connections"]:
        client.delete_connection(Name=connection["Name"])


def actions(changes: list[Any]) -> list[tuple[str, str, str]]:
    return [(change.kind, change.name, change.action) for change in changes]


def every(action: str) -> list[tuple[str, str, str]]:
    return [
        ("connection", "dibs-ticks", action),
        ("api_destination", "dibs-1min", action),
        ("rule", "dibs-1min", action),
        ("target", "dibs-1min", action),
        ("api_destination", "dibs-5min", action),
        ("rule", "dibs-5min", action),
        ("target", "dibs-5min", action),
        ("rule", "dibs-fast", "skip"),
    ]


def test_what_is_missing_is_made_and_what_is_right_left_alone(events: Any) -> None:
    assert actions(apply(events, WANTED)) == every("create")
    again = msgspec.structs.replace(WANTED, token="")
    assert actions(apply(events, again)) == every("unchanged")
    assert events.describe_rule(Name="dibs-5min")["ScheduleExpression"] == "rate(5 minutes)"
    assert events.describe_rule(Name="dibs-1min")["ScheduleExpression"] == "rate(1 minute)"
    destination = events.describe_api_destination(Name="dibs-5min")
    assert destination["InvocationEndpoint"] == "https://dibs.example/api/cadences/5min/tick"
    (target,) = events.list_targets_by_rule(Rule="dibs-5min")["Targets"]
    assert (target["Arn"], target["RoleArn"]) == (destination["ApiDestinationArn"], ROLE)


def test_what_differs_is_corrected(events: Any) -> None:
    apply(events, WANTED)
    other = msgspec.structs.replace(
        WANTED, public_url="https://new.example", cadences={"1min": 60.0, "5min": 600.0}, token=""
    )
    changed = [change for change in actions(apply(events, other)) if change[2] != "unchanged"]
    assert changed == [
        ("api_destination", "dibs-1min", "update"),
        ("api_destination", "dibs-5min", "update"),
        ("rule", "dibs-5min", "update"),
    ]
    assert events.describe_rule(Name="dibs-5min")["ScheduleExpression"] == "rate(10 minutes)"


def test_a_dry_run_only_looks(events: Any) -> None:
    assert actions(apply(events, WANTED, dry_run=True)) == every("create")
    assert events.list_rules()["Rules"] == []
    assert events.list_connections()["Connections"] == []


def test_the_first_time_a_token_is_needed(events: Any) -> None:
    with pytest.raises(Invalid, match="--token"):
        apply(events, msgspec.structs.replace(WANTED, token=""))


async def test_the_command_says_what_it_did(events: Any, endpoint: str, tmp_path: Path) -> None:
    config = tmp_path / "dibs.toml"
    config.write_text('[http]\npublic_url = "https://dibs.example"\n', encoding="utf-8")
    call = ["cadence", "eventbridge", "apply", "--role-arn", ROLE, "--token", "secret-2", "--json"]
    call += ["--region", "eu-north-1", "--endpoint-url", endpoint, "--config", str(config)]
    dry = await asyncio.to_thread(CliRunner().invoke, app, [*call, "--dry-run"])
    assert dry.exit_code == 0, dry.output
    assert events.list_rules()["Rules"] == []
    done = await asyncio.to_thread(CliRunner().invoke, app, call)
    assert done.exit_code == 0, done.output
    assert json.loads(done.output) == json.loads(dry.output)
    assert "secret-2" not in done.output
    assert len(events.list_rules()["Rules"]) == 4


@pytest.mark.parametrize(
    ("interval_s", "rate"),
    [(60, "rate(1 minute)"), (300, "rate(5 minutes)"), (5400, "rate(90 minutes)"), (59, None), (90, None), (0.5, None)],
)
def test_only_whole_minutes_have_a_rate(interval_s: float, rate: str | None) -> None:
    assert rate_of(interval_s) == rate


def test_names_are_what_aws_takes() -> None:
    assert name_of("dibs", "every 5/min") == "dibs-every-5-min"
    assert len(name_of("dibs", "x" * 200)) == 64


@pytest.mark.parametrize(
    "change", [{"public_url": "http://dibs.example"}, {"public_url": ""}, {"role_arn": ""}, {"role_arn": "admin"}]
)
def test_what_eventbridge_would_refuse_is_refused_first(change: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        check(msgspec.structs.replace(WANTED, **change))
