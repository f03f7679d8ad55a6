"""`dibs cadence` and `dibs signals`, as one calls them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dibs.cli.main import app
from dibs.parts import Parts
from dibs.signals.allocate import allocate
from signals_harness import DAY, KEY, plan, put, run_sql


@pytest.fixture
def config_file(dsn: str, tmp_path: Path) -> Path:
    file = tmp_path / "dibs.toml"
    file.write_text(f'data_dir = "{tmp_path}"\n[database]\nurl = "{dsn}"\n', encoding="utf-8")
    return file


async def dibs(config: Path, *arguments: str) -> tuple[int, str]:
    """Runs the command in a thread, where it can have a loop of its own."""
    result = await asyncio.to_thread(CliRunner().invoke, app, [*arguments, "--config", str(config)])
    return result.exit_code, result.output


async def on_a_date_far_ahead(parts: Parts) -> None:
    """The command uses the real clock, so its date must not be over by then."""
    ahead = DAY.replace(year=2120)
    await put(parts, plan(first=ahead, last=ahead))
    await allocate(parts.db, parts.clock, KEY, ahead, reference="r1", quantity=10)


async def test_tick_list_and_audit(parts: Parts, config_file: Path) -> None:
    await on_a_date_far_ahead(parts)
    code, text = await dibs(config_file, "signals", "list", "--state", "dirty", "--json")
    assert code == 0, text
    assert [signal["value"] for signal in json.loads(text)] == [10]
    code, text = await dibs(config_file, "cadence", "tick", "5min")
    assert (code, text.strip()) == (0, "5min: 1 dirty, 1 estimated, 1 changed, 0 skipped")
    code, text = await dibs(config_file, "cadence", "tick", "5min", "--json")
    assert json.loads(text) == {"cadence": "5min", "checked": 0, "estimated": 0, "changed": 0, "skipped": 0}
    code, text = await dibs(config_file, "cadence", "list", "--json")
    assert [(one["cadence_id"], one["products"]) for one in json.loads(text)] == [("5min", 1)]
    code, text = await dibs(config_file, "signals", "audit")
    assert (code, text.strip()) == (0, "1 clean signals compared, 0 differ")


async def test_the_audit_fails_when_it_finds_a_drift(parts: Parts, config_file: Path) -> None:
    await on_a_date_far_ahead(parts)
    await run_sql(parts.db, "UPDATE availability_signal SET seen = changes")
    code, text = await dibs(config_file, "signals", "audit")
    assert code == 1
    assert "parks::camping::lake::site-a 2120-03-12: cached 10, truth 0" in text
    code, text = await dibs(config_file, "signals", "audit", "--json")
    assert code == 1
    assert json.loads(text[text.index('{"compared"') :])["drifts"][0]["truth"] == 0


async def test_mistakes_are_one_sentence(config_file: Path) -> None:
    code, text = await dibs(config_file, "cadence", "tick", "hourly")
    assert code == 1
    assert "There is no cadence 'hourly'" in text
    code, text = await dibs(config_file, "signals", "list", "--state", "muddy")
    assert code == 1
    assert "--state must be dirty or clean" in text
    role = ["--role-arn", "arn:aws:iam::123456789012:role/events"]
    code, text = await dibs(config_file, "cadence", "eventbridge", "apply", *role, "--public-url", "http://plain")
    assert code == 1
    assert "https" in text
