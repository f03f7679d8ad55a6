"""`dibs serve`, `dibs api` and `dibs worker` with a configuration that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dibs.cli.main import app


@pytest.mark.parametrize("command", ["serve", "api", "worker", "migrate", "doctor"])
def test_a_wrong_key_is_one_sentence(tmp_path: Path, command: str) -> None:
    config = tmp_path / "dibs.toml"
    config.write_text("[http]\nporrt = 1\n", encoding="utf-8")
    result = CliRunner().invoke(app, [command, "--config", str(config)])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit), result.exception
    assert "http.porrt" in result.output
