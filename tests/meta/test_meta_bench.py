"""The benchmarks' runner: finds them, judges them, and leaves nothing behind."""

from __future__ import annotations

import ast
import inspect
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bench import claim
from bench.harness import Bench, Result
from bench.harness.run import main, names

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", names())
def test_every_benchmark_can_be_run_and_says_what_its_floor_is(name: str) -> None:
    tree = ast.parse((ROOT / "bench" / f"{name}.py").read_text())
    assert any(isinstance(node, ast.AsyncFunctionDef) and node.name == "run" for node in tree.body)
    assert len(ast.get_docstring(tree) or "") > 100


@pytest.mark.parametrize(
    ("result", "passed", "target"),
    [
        (Result("a", 60, "x/s", floor=100, at_least=0.6), True, "≥ 0.6 ×"),
        (Result("a", 59, "x/s", floor=100, at_least=0.6), False, "≥ 0.6 ×"),
        (Result("a", 3, "s", floor=2, at_most=1.5), True, "≤ 1.5 ×"),
        (Result("a", 51, "ms", at_most=50), False, "≤ 50 ms"),
        (Result("a", 51, "ms"), None, ""),
        (Result("a", 1, "x/s", floor=0, at_least=0.5), False, "≥ 0.5 ×"),
    ],
)
def test_a_result_judges_itself(result: Result, passed: bool | None, target: str) -> None:
    assert result.passed is passed
    assert result.target == target
    assert result.as_json()["passed"] is passed


def test_an_unknown_name_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err
    assert main(["--list"]) == 0
    assert "claim" in capsys.readouterr().out.split()


async def test_the_means_to_measure_work(dsn: str) -> None:
    bench = Bench(dsn, quick=True)
    assert inspect.iscoroutinefunction(claim.run)
    (result,) = await claim.run(bench)
    assert result.value > 0
    assert result.floor is not None
    assert await bench.pgbench("SELECT 1;", clients=1) > 0


@pytest.mark.timeout(240)
def test_a_stopped_run_leaves_no_server_and_no_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "bench", "claim"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    while "claim" not in process.stderr.readline():
        assert process.poll() is None
    assert list(tmp_path.glob("dibs-bench-*"))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert list(tmp_path.glob("dibs-bench-*")) == []
