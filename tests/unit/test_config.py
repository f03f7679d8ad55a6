"""The configuration: every key by file and environment; what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from dibs.config import JsonProvider, ResyProvider, SocProvider, load
from dibs.errors import CannotStart


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "dibs.toml"
    path.write_text(text)
    return path


def test_nothing_configured_is_the_documented_default() -> None:
    config = load()
    assert (config.http.host, config.http.port) == ("127.0.0.1", 8765)
    assert config.capacity.hold_ttl_s == 180
    assert config.notify.retry_delays_s == [0, 2, 7]
    assert config.signals.schedule() == {"1min": 60, "5min": 300, "15min": 900, "30min": 1800}


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "[http]\nport = 1\nhost = 'a'\n")
    config = load(path, {"DIBS_HTTP__PORT": "2", "OTHER": "x", "DIBS_CONFIG": "y"})
    assert (config.http.port, config.http.host) == (2, "a")


def test_lists_tables_and_booleans_come_from_the_environment_too() -> None:
    config = load(
        None,
        {
            "DIBS_NOTIFY__RETRY_DELAYS_S": "[1, 2.5]",
            "DIBS_HTTP__PUBLIC_FEED": "false",
            "DIBS_SIGNALS__CADENCES__2MIN": "120",
            "DIBS_PROVIDERS__SHOP__KIND": "json",
            "DIBS_PROVIDERS__SHOP__URL": "http://x/",
            "DIBS_PROVIDERS__SHOP__SLOTS": "[].{id: id}",
        },
    )
    assert config.notify.retry_delays_s == [1, 2.5]
    assert config.http.public_feed is False
    assert config.signals.schedule()["2min"] == 120
    assert isinstance(config.providers["shop"], JsonProvider)
    assert config.providers["shop"].slots == "[].{id: id}"


def test_a_relative_data_dir_is_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(written(tmp_path, "data_dir = 'here'")).data_path == tmp_path / "here"
    monkeypatch.chdir(tmp_path)
    assert load(None, {"DIBS_DATA_DIR": "there"}).data_path == tmp_path / "there"


def test_policies_differ_by_kind_and_keep_their_other_defaults(tmp_path: Path) -> None:
    config = load(
        written(
            tmp_path,
            "[providers.resy]\nkind='resy'\n[providers.resy.policy]\ndedupe_s = 60\n"
            "[providers.soc]\nkind='soc'\n[providers.soc.policy]\ngate_min_drop = 5\n",
        )
    )
    resy, soc = config.providers["resy"], config.providers["soc"]
    assert isinstance(resy, ResyProvider)
    assert isinstance(soc, SocProvider)
    assert (resy.policy.open_rule, resy.policy.dedupe_s) == ("group_from_zero", 60)
    assert (soc.policy.misses_to_close, soc.policy.close_clears_dedupe, soc.policy.gate_min_drop) == (2, True, 5)
    assert resy.pace.timeout_s == 20


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("porrt = 1", "porrt"),
        ("[http]\nporrt = 1", "http.porrt"),
        ("[http]\nport = 'x'", "http.port"),
        ("[http]\nport = 70000", "http.port"),
        ("[providers.a]\nkind = 'json'", "providers.a.url"),
        ("[providers.a]\nkind = 'nope'", "providers.a.kind"),
        ("[providers.a]\nkind = 'soc'\n[providers.a.pace]\nworkers = 0", "providers.a.pace.workers"),
        ("[providers.a]\nkind = 'resy'\ntimezone = 'Mars/Olympus'", "providers.a.timezone"),
        ("[providers.'A b']\nkind = 'soc'", "A b"),
        ("[providers.a]\nkind = 'soc'\n[providers.a.cadence]\nmin_interval_s = 500.0", "providers.a.cadence"),
        ("[capacity]\nhold_ttl_s = 10", "capacity.hold_ttl_s"),
        ("[channels.email]\nsender = 'x'", "channels.email.sender"),
        ("http = 3", "http"),
        ("[signals.cadences]\nx = 0", "signals.cadences"),
        ("not toml", "TOML"),
        ("[http]\nport = '8765'", "http.port"),
        ("[http]\npublic_feed = 'false'", "http.public_feed"),
        ("[http]\npublic_feed = 0", "http.public_feed"),
        ("[providers.a]\nkind = 'soc'\n[providers.a.pace]\nworkers = '10'", "providers.a.pace.workers"),
        ("[providers.a]\nkind = 'resy'\nparty_sizes = ['2']", "providers.a.party_sizes"),
        ("[database]\nurl = 'mysql://x'", "database.url"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(CannotStart) as caught:
        load(written(tmp_path, text))
    assert named in caught.value.detail


def test_what_the_file_leaves_out_may_come_from_the_environment(tmp_path: Path) -> None:
    path = written(tmp_path, "[providers.shop]\nkind = 'json'\nslots = 'a'\n")
    config = load(path, {"DIBS_PROVIDERS__SHOP__URL": "http://x/"})
    assert isinstance(config.providers["shop"], JsonProvider)


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(CannotStart) as caught:
            load(path)
        assert str(path) in caught.value.detail
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(CannotStart):
        load(binary)


def test_a_variable_that_is_no_key_is_refused() -> None:
    with pytest.raises(CannotStart, match=r"http\.prot"):
        load(None, {"DIBS_HTTP__PROT": "1"})
