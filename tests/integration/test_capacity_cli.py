"""`dibs floor` and `dibs quote`, as people type them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from capacity_harness import floor_document
from dibs.cli.main import app


@pytest.fixture
def run(dsn: str, tmp_path: Path) -> Callable[..., Result]:
    config = tmp_path / "dibs.toml"
    config.write_text(f'data_dir = "{tmp_path}"\n[database]\nurl = "{dsn}"\n')

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(app, [*arguments, "--config", str(config)], env={"COLUMNS": "200"})

    return call


@pytest.fixture
def floor_file(tmp_path: Path) -> Path:
    file = tmp_path / "blue-door.json"
    file.write_text(json.dumps(floor_document()))
    return file


def test_load_show_and_quote(run: Callable[..., Result], floor_file: Path) -> None:
    call = run
    loaded = call("floor", "load", str(floor_file))
    assert loaded.exit_code == 0, loaded.output
    assert "blue-door: 6 tables in 2 zones, 2 adjacent pairs" in loaded.output
    assert "Blue Door" in call("floor", "list").output
    quoted = call("quote", "blue-door", "2", "2026-12-02T18:00", "--zone", "hall", "--avoid", "A1")
    assert quoted.exit_code == 0, quoted.output
    assert "A2" in quoted.output
    assert "also at 18:15, 18:30, 18:45" in quoted.output
    shown = call("floor", "show", "blue-door", "--at", "2026-12-02T18:30:00")
    assert "held" in shown.output
    booked = call("quote", "blue-door", "4", "2026-12-02T18:00:00Z", "--json", "--confirm", "--adjacent")
    answer = json.loads(booked.output)
    assert answer["booking"]["assignments"]
    nothing = call("quote", "blue-door", "40", "2026-12-02T18:00")
    assert nothing.exit_code == 3
    assert "insufficient_capacity" in nothing.output


def test_mistakes_are_one_sentence(run: Callable[..., Result], floor_file: Path, tmp_path: Path) -> None:
    call = run
    assert call("floor", "load", str(floor_file)).exit_code == 0
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    for arguments in (
        ["floor", "load", str(bad)],
        ["floor", "load", str(tmp_path / "missing.json")],
        ["floor", "load", str(floor_file), "--restaurant", "Not A Slug"],
        ["floor", "show", "nowhere"],
        ["quote", "blue-door", "2", "tonight"],
        ["quote", "blue-door", "2", "2026-12-02T18:00", "--zone", "cellar"],
        ["quote", "blue-door", "2", "2026-12-02T18:00", "--avoid", "Z9"],
        ["quote", "blue-door", "2", "2026-12-02T09:00"],
    ):
        refused = call(*arguments)
        assert refused.exit_code == 1, refused.output
        assert "Traceback" not in refused.output
