"""What the doctor makes of what it sees."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dibs.config import Config, JsonProvider, ResyProvider
from dibs.doctor.rules import addresses, judge_clock, judge_configuration, judge_extensions, judge_version

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("skew_s", "trip_s", "state"),
    [(0, 0.01, "ok"), (0.9, 0.01, "ok"), (-1.5, 0.01, "note"), (6, 0.01, "problem"), (-3600, 0.01, "problem")],
)
def test_a_clock_that_is_off_is_said(skew_s: float, trip_s: float, state: str) -> None:
    after = NOW + timedelta(seconds=trip_s)
    finding = judge_clock(NOW, NOW + timedelta(seconds=skew_s + trip_s / 2), after)
    assert finding.state == state
    assert bool(finding.todo) == (state != "ok")


def test_a_slow_answer_is_not_a_wrong_clock() -> None:
    assert judge_clock(NOW, NOW + timedelta(seconds=7.9), NOW + timedelta(seconds=8)).state == "ok"


def test_missing_extensions_are_named_with_the_command() -> None:
    lacking = judge_extensions(["cube", "pg_trgm"], {"cube": True})
    assert lacking.state == "problem"
    assert "pg_trgm" in lacking.detail
    assert "apt-get install postgresql-contrib" in lacking.todo
    waiting = judge_extensions(["cube", "pg_trgm"], {"cube": True, "pg_trgm": False})
    assert waiting.state == "note"
    assert "CREATE EXTENSION pg_trgm;" in waiting.todo
    assert judge_extensions(["cube"], {"cube": True}).state == "ok"


def test_an_old_server_is_a_problem() -> None:
    assert judge_version(14, 15).state == "problem"
    assert judge_version(15, 15).state == "ok"


def test_what_is_allowed_and_still_worth_a_word() -> None:
    provider = JsonProvider(url="https://camps.example/{park}?m={month}", slots="[]")
    plain = Config(providers={"camps": provider})
    assert [finding.state for finding in judge_configuration(plain)] == ["ok"]
    http = Config().http.__class__(host="0.0.0.0", allow_private_targets=True)
    said = " ".join(finding.detail for finding in judge_configuration(Config(http=http)))
    assert "no provider" in said
    assert "public_url" in said
    assert "private" in said


def test_only_scheme_and_host_of_a_provider_are_asked() -> None:
    config = Config(
        providers={
            "camps": JsonProvider(url="https://camps.example:8443/{park}?m={month}", slots="[]"),
            "resy": ResyProvider(),
        }
    )
    assert addresses(config) == {
        "provider camps": "https://camps.example:8443/",
        "provider resy": "https://api.resy.com/",
    }
