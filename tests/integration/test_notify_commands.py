"""`dibs notify`, as one calls it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dibs.cli.main import app
from dibs.parts import Parts
from notify_harness import TOPIC, open_slots, receiving


@pytest.fixture
def config_file(dsn: str, tmp_path: Path) -> Path:
    file = tmp_path / "dibs.toml"
    text = f'data_dir = "{tmp_path}"\n[database]\nurl = "{dsn}"\n[http]\nallow_private_targets = true\n'
    file.write_text(text, encoding="utf-8")
    return file


async def dibs(config: Path, *arguments: str) -> tuple[int, str]:
    """Runs the command in a thread, where it can have a loop of its own."""
    result = await asyncio.to_thread(CliRunner().invoke, app, ["notify", *arguments, "--config", str(config)])
    return result.exit_code, result.output


async def test_a_subscription_from_birth_to_end(config_file: Path) -> None:
    async with receiving() as receiver:
        hours = ["--window", "20:00-02:00", "--timezone", "Europe/Berlin", "--most", "3"]
        code, text = await dibs(config_file, "subscribe", TOPIC, "webhook", f"{receiver.url}/hook", *hours, "--json")
        assert code == 0, text
        made = json.loads(text)
        assert made["manage_token"]
        number = str(made["subscription_id"])
        code, text = await dibs(config_file, "test", number)
        assert code == 0, text
        assert text.startswith("sent after")
        assert len(receiver.hooks) == 1
    code, text = await dibs(config_file, "test", number)
    assert code == 1, "the receiver is gone"
    for command, status in (("pause", "paused"), ("resume", "active")):
        assert (await dibs(config_file, command, number)) == (0, f"{number} is {status}\n")
    assert "snoozed until" in (await dibs(config_file, "snooze", number, "8"))[1]
    assert "awake" in (await dibs(config_file, "snooze", number, "0"))[1]
    code, text = await dibs(config_file, "list", "--json")
    shown = json.loads(text)[0]
    assert (shown["status"], shown["max_notifications"]) == ("active", 3)
    assert "manage_token_hash" not in shown
    assert "webhook_secret" not in shown
    assert (await dibs(config_file, "unsubscribe", number)) == (0, f"{number} is unsubscribed\n")
    code, text = await dibs(config_file, "history", number, "--json")
    assert json.loads(text)[0]["kind"] == "unsubscribed"
    assert (await dibs(config_file, "list"))[0] == 0


async def test_notices_are_listed_and_requeued(parts: Parts, config_file: Path) -> None:
    await dibs(config_file, "subscribe", TOPIC, "webhook", "http://127.0.0.1:1/hook")
    await open_slots(parts, "1")
    await parts.notify.fan_out.run_once()
    code, text = await dibs(config_file, "notices", "--status", "pending", "--json")
    assert code == 0, text
    notice = json.loads(text)[0]
    assert (notice["title"], notice["fanout_status"]) == ("Table 1", "pending")
    assert (await dibs(config_file, "requeue", str(notice["notification_id"])))[0] == 0
    code, text = await dibs(config_file, "requeue", "999999")
    assert (code, "no notification" in text) == (1, True)
    assert (await dibs(config_file, "notices"))[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("subscribe", TOPIC, "pigeon", "x"),
        ("subscribe", TOPIC, "email", "nonsense"),
        ("subscribe", TOPIC, "email", "a@example.org", "--window", "8-9"),
        ("test", "999999"),
        ("history", "999999"),
        ("pause", "999999"),
    ],
)
async def test_mistakes_are_told_in_one_sentence(config_file: Path, arguments: tuple[str, ...]) -> None:
    code, text = await dibs(config_file, *arguments)
    assert code in (1, 2)
    assert "Traceback" not in text
