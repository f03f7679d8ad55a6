"""`./dev` on machines we do not have: fake Pythons and a fake uv on an otherwise bare PATH; nothing is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "sh", "cat", "cksum", "chmod", "cp", "dirname", "env", "grep", "id", "mkdir", "readlink", "rm", "sed")

# A Python that knows only what ./dev asks of it, and writes down how it was called.
PYTHON = """#!/bin/sh
echo "$0 $*" >> "$LOG"
case "$1 $2" in
  "--version ") echo "Python $VERSION" ;;
  "-c import sys"*) case $VERSION in 3.1[1-9]*) exit 0 ;; *) exit 1 ;; esac ;;
  "-c import fcntl"*) exit 0 ;;
  "-m venv") [ -z "$NO_VENV" ] || exit 1; mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pip") [ -z "$NO_NETWORK" ] || { echo "no network" >&2; exit 1; }
     for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo "Collecting package$n"; done ;;
  "-m dibs") echo "dibs ran in $(pwd): $*"; [ "$3" != wait ] || { echo "pid $$"; exec sleep 60; } ;;
esac
"""
UV = """#!/bin/sh
echo "uv $*" >> "$LOG"
[ -z "$UV_BROKEN" ] || exit 2
if [ "$1" = venv ]; then for folder; do :; done; mkdir -p "$folder/bin" && cp "$FAKE_PYTHON" "$folder/bin/python"; fi
"""


class Machine:
    """A checkout with only `dev` and its inputs, and a PATH with only what is put there."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "a checkout"
        self.checkout.mkdir()
        for name in ("dev", "requirements.lock", "pyproject.toml"):
            shutil.copy(ROOT / name, self.checkout / name)
        self.bin = folder / "bin"
        self.bin.mkdir()
        for tool in (*TOOLS, "sleep"):
            found = shutil.which(tool)
            assert found, f"{tool} is needed to run ./dev at all"
            (self.bin / tool).symlink_to(found)
        self.log = folder / "log"
        self.log.touch()
        self.environment = {"PATH": str(self.bin), "LOG": str(self.log), "VERSION": "3.12.1", "HOME": str(folder)}

    def has(self, name: str, text: str) -> Path:
        program = self.bin / name
        program.write_text(text)
        program.chmod(0o755)
        return program

    def run(self, *arguments: str, script: Path | None = None, cwd: Path | None = None, **environment: str):
        return subprocess.run(
            [str(script or self.checkout / "dev"), *arguments],
            env=self.environment | environment,
            cwd=cwd or self.checkout,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.has("python3", PYTHON)
    return made


def with_uv(machine: Machine) -> None:
    python = machine.has("real-python", PYTHON)
    machine.has("uv", UV)
    machine.environment["FAKE_PYTHON"] = str(python)


def test_it_installs_says_so_and_runs_the_command(machine: Machine) -> None:
    done = machine.run("dibs", "token", "list")
    assert done.returncode == 0, done.stderr
    assert "dibs ran in" in done.stdout
    assert done.stdout.strip().endswith("-m dibs token list")
    assert "installing the pinned dependencies" in done.stderr
    assert "20 of about" in done.stderr
    assert "ready" in done.stderr
    assert any("--require-hashes" in call for call in machine.calls())


def test_the_second_run_installs_nothing_and_needs_no_network(machine: Machine) -> None:
    machine.run("dibs")
    machine.log.write_text("")
    again = machine.run("dibs", NO_NETWORK="1")
    assert again.returncode == 0
    assert again.stderr == ""
    assert not any("pip" in call or "venv /" in call for call in machine.calls())


def test_another_python_on_the_path_does_not_remake_a_working_environment(machine: Machine) -> None:
    machine.run("dibs")
    machine.has("python3", "#!/bin/sh\nexit 1\n")
    assert machine.run("dibs", NO_NETWORK="1").returncode == 0


def test_a_changed_lock_remakes_it(machine: Machine) -> None:
    machine.run("dibs")
    with (machine.checkout / "requirements.lock").open("a") as lock:
        lock.write("another==1\n")
    assert "installing" in machine.run("dibs").stderr


def test_an_interrupted_first_run_is_begun_anew(machine: Machine) -> None:
    broken = machine.run("dibs", NO_NETWORK="1")
    assert broken.returncode != 0
    assert "no network" in broken.stderr
    assert "dibs ran" not in broken.stdout
    (machine.checkout / ".venv" / "half").touch()
    repaired = machine.run("dibs")
    assert repaired.returncode == 0
    assert "dibs ran" in repaired.stdout
    assert not (machine.checkout / ".venv" / "half").exists()


def test_uv_is_used_when_it_is_there(machine: Machine) -> None:
    with_uv(machine)
    assert machine.run("dibs").returncode == 0
    assert any(call.startswith("uv pip install") and "--require-hashes" in call for call in machine.calls())
    assert not any("-m pip" in call for call in machine.calls())


def test_a_broken_uv_gives_way_to_pip(machine: Machine) -> None:
    with_uv(machine)
    done = machine.run("dibs", UV_BROKEN="1")
    assert done.returncode == 0, done.stderr
    assert "trying with pip" in done.stderr
    assert any("-m pip" in call for call in machine.calls())


@pytest.mark.parametrize("version", ["3.10.14", "2.7.18"])
def test_an_old_python_gets_one_clear_sentence(machine: Machine, version: str) -> None:
    done = machine.run("demo", VERSION=version)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"needs Python 3.11 or newer and found Python {version}" in done.stderr
    assert not (machine.checkout / ".venv").exists()


def test_a_newer_python_beside_an_old_one_is_found(machine: Machine) -> None:
    machine.has("python3", PYTHON.replace("$VERSION", "3.9.2"))
    machine.has("python3.13", PYTHON)
    assert machine.run("dibs").returncode == 0


def test_the_python_can_be_named_and_may_have_spaces(machine: Machine, tmp_path: Path) -> None:
    machine.has("python3", PYTHON.replace("$VERSION", "3.9.2"))
    named = tmp_path / "my python"
    named.write_text(PYTHON)
    named.chmod(0o755)
    assert machine.run("dibs", DIBS_PYTHON=str(named)).returncode == 0


def test_a_python_that_makes_no_environments_gets_one_clear_sentence(machine: Machine) -> None:
    done = machine.run("dibs", NO_VENV="1")
    assert done.returncode == 1
    assert "apt-get install python3-venv" in done.stderr


def test_it_works_from_any_folder_and_over_a_link(machine: Machine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = elsewhere / "dev-link"
    link.symlink_to("../a checkout/dev")
    done = machine.run("dibs", script=link, cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert f"dibs ran in {elsewhere}" in done.stdout
    assert (machine.checkout / ".venv").is_dir()


def test_it_ends_in_exec_so_that_signals_reach_the_program(machine: Machine) -> None:
    machine.run("dibs")
    process = subprocess.Popen(
        [str(machine.checkout / "dev"), "dibs", "wait"],
        env=machine.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    assert process.stdout.readline().strip() == f"pid {process.pid}"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM


def test_two_first_runs_at_once_install_once(machine: Machine) -> None:
    # The lock is real: only a real Python can take it.
    locking = PYTHON.replace('"-c import fcntl"*) exit 0', f'"-c import fcntl"*) exec {sys.executable} -c "$2"')
    slow = locking.replace('"-m venv")', '"-m venv") sleep 0.3;')
    machine.has("python3", slow)
    command = [str(machine.checkout / "dev"), "dibs"]
    runs = [subprocess.Popen(command, env=machine.environment, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [run.wait(timeout=60) for run in runs] == [0, 0, 0]
    assert sum("-m venv" in call for call in machine.calls()) == 1


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["nonsense"], 2), (["--help"], 0)])
def test_help(machine: Machine, arguments: list[str], status: int) -> None:
    done = machine.run(*arguments)
    assert done.returncode == status
    assert "usage: ./dev COMMAND" in done.stdout + done.stderr
    assert not (machine.checkout / ".venv").exists()


def test_lint_fails_when_any_of_its_tools_does(machine: Machine) -> None:
    machine.run("dibs")
    tools = machine.checkout / ".venv" / "bin"
    for name in ("ruff", "lint-imports", "basedpyright"):
        (tools / name).write_text("#!/bin/sh\nexit 0\n")
        (tools / name).chmod(0o755)
    assert machine.run("lint").returncode == 0
    (tools / "ruff").write_text("#!/bin/sh\n[ $1 != check ]\n")
    failed = machine.run("lint")
    assert failed.returncode == 1
    assert "lint failed: ruff check ." in failed.stderr
    assert "basedpyright" in failed.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_checkout_that_is_not_ours_gets_one_clear_sentence(machine: Machine) -> None:
    machine.checkout.chmod(0o555)
    done = machine.run("dibs")
    machine.checkout.chmod(0o755)
    assert done.returncode == 1
    assert "is not writable" in done.stderr
