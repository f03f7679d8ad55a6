"""The documents say what the code says, and their links lead somewhere."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from docs.reference import generate

from dibs.config.meanings import MEANINGS

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
ADVICE = "run: .venv/bin/python docs/reference/generate.py"


@pytest.mark.parametrize("name", sorted(generate.pages()))
def test_the_reference_is_what_the_code_says(name: str) -> None:
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == generate.pages()[name], ADVICE


async def test_the_schema_is_what_the_migrations_make(dsn: str) -> None:
    assert (ROOT / "docs" / "reference" / "schema.md").read_text(encoding="utf-8") == await generate.schema(dsn), ADVICE


def test_the_reference_names_every_route_command_key_event_and_metric() -> None:
    pages = generate.pages()
    assert all(route.path.replace(":path}", "}") in pages["api.md"] for route in generate.all_routes())
    assert "`dibs serve`" in pages["cli.md"]
    assert "`DIBS_DATABASE__URL`" in pages["configuration.md"]
    assert "`work.loop.failed`" in pages["events.md"]
    assert "`dibs_loop_pass_seconds`" in pages["metrics.md"]
    assert "| ? |" not in pages["api.md"], "a route without a guard"


def test_every_key_says_what_it_means_and_nothing_else_is_explained() -> None:
    assert {key.path for key in generate.all_keys()} == set(MEANINGS)


def anchors(file: Path) -> set[str]:
    """The anchors that a page's headings make, as the usual renderers name them."""
    text = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = [
        re.sub(r"[`*_]|\[|\]\([^)]*\)", "", title) for title in re.findall(r"^#+ +(.+?) *#*$", text, re.MULTILINE)
    ]
    seen: Counter[str] = Counter()
    found: set[str] = set()
    for title in titles:
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def broken(file: Path) -> set[str]:
    text = CODE.sub("", file.read_text(encoding="utf-8"))
    found: set[str] = set()
    for match in LINK.finditer(text):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        aim = (file.parent / path).resolve() if path else file
        if not aim.exists() or (anchor and aim.suffix == ".md" and anchor not in anchors(aim)):
            found.add(target)
    return found


@pytest.mark.parametrize("file", DOCS, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_lead_somewhere(file: Path) -> None:
    assert broken(file) == set()


def test_a_broken_link_would_be_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title\n[good](#a-title) [bad](#other) [gone](gone.md) [out](https://example.org)\n")
    assert broken(page) == {"#other", "gone.md"}


def test_decisions_have_numbers_of_their_own() -> None:
    numbers = [file.name[:4] for file in (ROOT / "docs" / "decisions").glob("[0-9]*.md")]
    assert [number for number, times in Counter(numbers).items() if times > 1] == []
    assert numbers
