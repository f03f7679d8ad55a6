"""Rules of the console that the code itself can break: short pages, no SQL in them, nothing from elsewhere."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from dibs import console
from dibs.console.components import Empty
from dibs.console.static import STATIC

FOLDER = Path(console.__file__).parent
SOURCES = sorted(FOLDER.rglob("*.py"))
PAGES = [path for path in SOURCES if path.parent.name == "pages" and path.stem != "__init__"]
LONGEST_PAGE = 200
MARKUP = ("html", "markdown", "add_body_html", "add_head_html", "restructured_text")
SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b")
ELSEWHERE = re.compile(r"""https?://(?!www\.w3\.org/)[\w.-]+""")


def name_of(path: Path) -> str:
    return str(path.relative_to(FOLDER))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_is_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST_PAGE


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_sql_in_the_console(path: Path) -> None:
    assert not SQL.search(path.read_text())


def offences(text: str) -> list[str]:
    """Where a text could be read as something else: `.props(x)` parses and evaluates, `ui.html` takes markup."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        built = any(not isinstance(argument, ast.Constant) for argument in node.args)
        owner = node.func.value
        if (name == "props" and built) or (isinstance(owner, ast.Name) and owner.id == "ui" and name in MARKUP):
            found.append(f"line {node.lineno}: {name}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_texts_cannot_be_read_as_properties_or_markup(path: Path) -> None:
    assert offences(path.read_text()) == []


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.*")), ids=name_of)
def test_the_browser_loads_nothing_from_elsewhere(path: Path) -> None:
    text = path.read_text()
    assert not ELSEWHERE.search(text)
    assert "v-html" not in text
    assert "innerHTML" not in text


def test_the_rules_would_find_an_offender() -> None:
    assert offences("box.props(f'title={text}')")
    assert offences("ui.html(text)")
    assert offences("box.props('outlined')") == []
    assert SQL.search("SELECT 1")
    assert ELSEWHERE.search("@import url(https://fonts.example.org/x)")
    assert not ELSEWHERE.search('xmlns="http://www.w3.org/2000/svg"')
    assert Empty("a", "b", href="/x").shown()["href"] == "/x"
