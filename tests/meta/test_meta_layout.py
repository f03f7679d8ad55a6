"""The tree keeps its shape: sizes, names, purity, and nothing in it that belongs to one machine."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dibs"
LONGEST = {"src": 350, "bench": 350, "docs": 350, "tests": 500}
BUCKETS = {"util", "utils", "helper", "helpers", "manager", "managers", "service", "services", "common", "misc"}
PURE = re.compile(r"(^|_)(rules?|model|decide|detect|select|windows|geo|names)\.py$")
IMPURE = ("psycopg", "psycopg_pool", "asyncio", "aiohttp", "fastapi", "dibs.clock", "dibs.db", "dibs.work", "time")
DATES = {"datetime", "datetime.datetime", "date", "datetime.date"}
# Put together here, so that this file does not find itself.
FOREIGN = [
    "|".join(["pypi" + r"\.org", "python" + "hosted", "registry" + r"\.npmjs", "artifact" + "ory"]),
    r"(?<![\w.])/(?:work/(?:main|wt-)|ro" + r"ot/\.|ho" + r"me/(?!\w*\b(?:user|you)))",
    r"(?i)co-authored" + r"-by|generated (?:with|by) (?:ai|an? (?:ai|llm))",
]


def tracked() -> list[Path]:
    """Every file of the repository; a copy without git counts all files that git would."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    hidden = {".venv", ".git", "__pycache__", ".dibs", ".pytest_cache", ".ruff_cache", ".hypothesis"}
    return [path for path in ROOT.rglob("*") if path.is_file() and not hidden & set(path.relative_to(ROOT).parts)]


def python_files(*folders: str) -> list[Path]:
    return sorted(
        file for folder in folders for file in (ROOT / folder).rglob("*.py") if "__pycache__" not in file.parts
    )


def test_files_stay_short_enough_to_read() -> None:
    long = {
        str(file.relative_to(ROOT)): lines
        for folder, most in LONGEST.items()
        for file in python_files(folder)
        if (lines := len(file.read_text().splitlines())) > most
    }
    assert long == {}


def test_no_bucket_modules() -> None:
    names = [path for path in SOURCE.rglob("*") if path.suffix == ".py" or path.is_dir()]
    found = {str(path.relative_to(SOURCE)) for path in names if set(path.stem.split("_")) & BUCKETS}
    assert found == set()


@pytest.mark.parametrize("package", sorted(SOURCE.rglob("__init__.py")), ids=lambda file: file.parent.name)
def test_every_package_says_what_it_is(package: Path) -> None:
    assert ast.get_docstring(ast.parse(package.read_text()))


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def pure_files() -> list[Path]:
    return [file for file in SOURCE.rglob("*.py") if PURE.search(file.name) and file.parent.name not in {"db", "api"}]


def test_rules_and_models_touch_nothing_outside() -> None:
    assert len(pure_files()) > 10, "the pattern finds no rules any more"
    impure = {
        f"{file.relative_to(SOURCE)} imports {name}"
        for file in pure_files()
        for name in imports(file)
        if any(name == module or name.startswith(f"{module}.") for module in IMPURE)
    }
    assert impure == set()


def reads_a_clock(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            if (
                owner in {"datetime", "datetime.datetime", "date"} and node.func.attr in {"now", "utcnow", "today"}
            ) or (owner == "time" and node.func.attr == "time"):
                return True
    return False


def test_only_the_clock_knows_what_time_it_is() -> None:
    found = {
        str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py") if reads_a_clock(ast.parse(file.read_text()))
    }
    assert found == {"clock.py"}


def test_nothing_belongs_to_one_machine_or_names_a_package_host() -> None:
    found: set[str] = set()
    for file in tracked():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found |= {
            f"{file.relative_to(ROOT)}: {match.group()}" for pattern in FOREIGN for match in re.finditer(pattern, text)
        }
    assert found == set()


@pytest.mark.parametrize(
    "text", ["https://pypi" + ".org/simple", "/work" + "/main/src", "/home" + "/alice/dibs", "Co-Authored" + "-By: x"]
)
def test_the_guard_would_see_it(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in FOREIGN)


def test_the_environment_is_not_tracked() -> None:
    assert not [file for file in tracked() if ".venv" in file.relative_to(ROOT).parts]
