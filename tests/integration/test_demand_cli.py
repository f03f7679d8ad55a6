"""`dibs demand` and `dibs community` on a database of the test."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from dibs.cli.main import app


@pytest.fixture
def dibs(dsn: str):
    """Runs a command of the program on the test's database."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, list(arguments), env={"DIBS_DATABASE__URL": dsn, "COLUMNS": "200"})

    return run


def test_communities_and_an_empty_demand_list(dibs: Callable[..., Result]) -> None:
    added = dibs("community", "add", "r/AustinFood", "--lat", "30.27", "--lng", "-97.74", "--posts-per-day", "50")
    assert added.exit_code == 0, added.output
    assert "austinfood: 50.0 posts a day, safe interval 15.0 days" in added.output
    listed = json.loads(dibs("community", "list", "--json").output)
    assert [(one["location_key"], one["safe_interval_days"]) for one in listed] == [("austinfood", 15.0)]
    assert json.loads(dibs("demand", "list", "--json").output) == []
    assert dibs("demand", "list").exit_code == 0


MISTAKES = [
    ("community", "add", "bad key", "--lat", "1", "--lng", "1"),
    ("community", "add", "austinfood", "--lat", "91", "--lng", "1"),
    ("community", "add", "austinfood", "--lat", "x", "--lng", "1"),
    ("community", "sample", "nowhere"),
    ("demand", "run", "7"),
    ("demand", "run", "0"),
    ("demand", "list", "--status", "gone"),
    ("demand", "list", "--limit", "501"),
]


def test_a_mistake_is_one_sentence_and_no_traceback(dibs: Callable[..., Result]) -> None:
    for arguments in MISTAKES:
        refused = dibs(*arguments)
        assert refused.exit_code in {1, 2}, arguments
        assert "Traceback" not in refused.output
        assert isinstance(refused.exception, SystemExit)
