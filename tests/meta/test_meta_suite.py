"""The suite itself: `DIBS_DATABASE__URL` reaches every process of a parallel run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.timeout(400)
def test_the_suite_runs_on_the_server_of_the_url() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        # Nobody listens there: a run that fell back to the embedded server would pass.
        url = f"postgresql://nobody@127.0.0.1:{taken.getsockname()[1]}/postgres?connect_timeout=5"
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", "--reruns", "0",
             "tests/integration/test_access.py", "-k", "revoked"],
            cwd=ROOT,
            env=os.environ | {"DIBS_DATABASE__URL": url},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )  # fmt: skip
    assert run.returncode == 1, run.stdout
    assert "refused" in run.stdout, run.stdout
