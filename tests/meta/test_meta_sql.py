"""One statement per file, one function per statement, one owner per table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dibs"
MIGRATIONS = SOURCE / "db" / "migrations"
PACKAGES = sorted(folder.parent for folder in SOURCE.rglob("sql") if folder.is_dir())
ASKERS = {"sql", "statement_of"}
# The mechanisms themselves: their statements are steps inside one verb, or have a table put in.
MECHANISMS = {"db", "work"}

# Who writes what. A table that no domain owns fails a test below.
OWNERS: dict[str, set[str]] = {
    "access": {"access_token", "access_secret"},
    "openings": {"slot", "open_event"},
    "sources": {"provider_pace", "provider_lane", "outside_turn"},
    "watch": {
        "watch",
        "watch_state",
        "watch_slot",
        "watch_snapshot",
        "catalog_item",
        "catalog_load",
        "section_status_event",
    },
    "notify": {"subscription", "subscription_event", "subscription_request", "notification", "fanout"},
    "signals": {"cadence", "product", "product_date", "allocation", "availability_signal", "floor_change"},
    "capacity": {
        "restaurants",
        "zones",
        "table_inventory",
        "table_adjacencies",
        "bookings",
        "table_holds",
        "merge_groups",
        "allocations",
        "booking_assignment_idempotency",
        "observability_events",
    },
    "places": {
        "community",
        "entity",
        "entity_alias",
        "community_post",
        "community_comment",
        "mention",
        "connection",
        "entity_enrichment",
    },
    "demand": {"collection_request", "collection_target", "collection_run"},
    "offers": {"offer", "line_place", "line_check"},
    "wanted": {"wanted", "wanted_watch", "wanted_ask"},
    "db": {"schema_migration"},
}

# A watch is claimed and put back together with the lane it goes by, each in one statement (decision 0046).
TOGETHER: dict[str, set[str]] = {"watch/claim_due": {"provider_lane"}, "watch/heartbeat": {"provider_lane"}}

COMMENT = re.compile(r"--[^\n]*")
WRITE = re.compile(
    r"\b(?:INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?"
    r"|(?<!FOR\s)(?<!KEY\s)(?<!DO\s)UPDATE(?:\s+ONLY)?)\s+(?!SET\b|OF\b|SKIP\b|NOWAIT\b)([a-z_][a-z0-9_]*)",
    re.IGNORECASE,
)
TABLE = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?([a-z_][a-z0-9_]*)\b(?! PARTITION OF)", re.IGNORECASE)


def names_of(package: Path) -> set[str]:
    return {file.stem for file in (package / "sql").glob("*.sql")}


def used_by(package: Path) -> Iterator[str]:
    """Every statement the package asks for by name."""
    for file in package.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"sql", "statement_of"}
            ):
                yield from (
                    leaf.value
                    for argument in node.args
                    for leaf in ast.walk(argument)
                    if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
                )


def store_functions(package: Path) -> set[str]:
    files = [*package.glob("store.py"), *package.glob("*_store.py")]
    return {
        node.name
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.AsyncFunctionDef)
    }


def written_by(text: str) -> set[str]:
    return {match.lower() for match in WRITE.findall(COMMENT.sub("", text))}


def package_name(package: Path) -> str:
    return package.relative_to(SOURCE).parts[0]


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_every_statement_is_used_and_every_used_one_exists(package: Path) -> None:
    assert names_of(package) == set(used_by(package))


@pytest.mark.parametrize("package", [p for p in PACKAGES if p.name not in MECHANISMS], ids=package_name)
def test_every_statement_has_the_store_function_of_its_name(package: Path) -> None:
    assert names_of(package) - store_functions(package) == set()


@pytest.mark.parametrize("package", PACKAGES, ids=package_name)
def test_a_domain_writes_only_its_own_tables(package: Path) -> None:
    own = OWNERS.get(package_name(package), set())
    foreign = {
        f"{file.name} writes {table}"
        for file in (package / "sql").glob("*.sql")
        for table in written_by(file.read_text()) - own - TOGETHER.get(f"{package_name(package)}/{file.stem}", set())
    }
    assert foreign == set()


def test_every_table_has_one_owner() -> None:
    made = {table for file in MIGRATIONS.glob("*.sql") for table in TABLE.findall(COMMENT.sub("", file.read_text()))}
    owned = [table for tables in OWNERS.values() for table in tables]
    assert len(owned) == len(set(owned))
    assert set(owned) - OWNERS["db"] == made


@pytest.mark.parametrize(
    "file", sorted(SOURCE.rglob("sql/*.sql")), ids=lambda file: f"{file.parent.parent.name}/{file.stem}"
)
def test_a_file_holds_one_statement(file: Path) -> None:
    text = re.sub(r"'(?:[^']|'')*'", "''", COMMENT.sub("", file.read_text())).strip()
    assert text.rstrip(";").count(";") == 0, "one statement per file"
    assert text, "an empty statement"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("INSERT INTO slot (a) SELECT 1 ON CONFLICT (a) DO UPDATE SET a = 2", {"slot"}),
        ("SELECT 1 FROM watch FOR UPDATE OF watch SKIP LOCKED", set[str]()),
        ("SELECT 1 FROM watch FOR NO KEY UPDATE", set[str]()),
        ("WITH gone AS (DELETE FROM fanout RETURNING 1) UPDATE notification SET a = 1", {"fanout", "notification"}),
        ("-- UPDATE watch\nSELECT 1", set[str]()),
    ],
)
def test_the_guard_sees_writes_and_only_writes(text: str, written: set[str]) -> None:
    assert written_by(text) == written
