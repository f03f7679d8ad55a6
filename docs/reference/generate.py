"""Writes the pages of this folder from the code: `python docs/reference/generate.py`.

A test compares the pages with what this would write, so that a route, command, key, event, metric or table that
is not documented fails the build.
"""

from __future__ import annotations

import ast
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import typer
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from psycopg import AsyncConnection

from dibs import errors, telemetry
from dibs.api.auth import Needs
from dibs.api.build import ROUTERS
from dibs.cli.main import app
from dibs.config import Config
from dibs.config.meanings import MEANINGS
from dibs.config.sections import Section
from dibs.telemetry import REGISTRY
from dibs.telemetry.catalogue import CATALOGUE

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src" / "dibs"
NOTE = "<!-- Written by docs/reference/generate.py; change the code, then run it. -->"


def pages() -> dict[str, str]:
    """Every page that needs only the code."""
    for module in sorted((SOURCE / "telemetry").glob("*s_*.py")):  # each domain declares its own
        __import__(f"{telemetry.__name__}.{module.stem}")
    made = {"api": api(), "cli": cli(), "configuration": configuration(), "events": events(), "metrics": metrics()}
    return {f"{name}.md": text for name, text in made.items()}


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", NOTE, *parts]) + "\n"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in cells)])


# --- api ---------------------------------------------------------------------------------------------------


def api() -> str:
    """Every route with its scope, and every code an error can have."""
    parts = [
        "Errors are `application/problem+json`. Bodies and answers: `/openapi.json`, or `/docs` in a browser.",
    ]
    for tag, routes in _by_tag().items():
        rows = [[f"`{_methods(route)} {_path(route)}`", scope(route), _summary(route)] for route in routes]
        parts += [f"## {tag.capitalize()}", _table(["Route", "Scope", "What"], rows)]
    rows = [[f"`{code}`", str(status)] for code, status in sorted(problem_codes())]
    return _page("HTTP API", *parts, "## Codes of problems", _table(["Code", "Status"], rows))


def all_routes() -> Iterator[APIRoute]:
    """Every route of the API."""
    for router in ROUTERS:
        yield from (route for route in router.routes if isinstance(route, APIRoute))


def guards(route: APIRoute) -> list[Any]:
    """What decides who may call it."""
    calls = [call for call in _calls(route.dependant) if type(call).__module__.startswith("dibs.api")]
    return [call for call in calls if type(call).__name__.startswith(("Needs", "Open"))]


def scope(route: APIRoute) -> str:
    """What a caller needs, as its guard says it."""
    for guard in guards(route):
        if isinstance(guard, Needs):
            return f"`{guard.scope}`"
    return next(((type(guard).__doc__ or "").splitlines()[0] for guard in guards(route)), "?")


def _calls(dependant: Dependant) -> Iterator[Any]:
    for dependency in dependant.dependencies:
        yield dependency.call
        yield from _calls(dependency)


def _by_tag() -> dict[str, list[APIRoute]]:
    found: dict[str, list[APIRoute]] = {}
    for route in all_routes():
        found.setdefault(str(route.tags[0]) if route.tags else "other", []).append(route)
    return found


def _methods(route: APIRoute) -> str:
    return ", ".join(sorted(route.methods))


def _path(route: APIRoute) -> str:
    return route.path.replace(":path}", "}")


def _summary(route: APIRoute) -> str:
    described = (route.description or "").strip().splitlines()
    return route.summary or (described[0] if described else route.name.replace("_", " "))


def problem_codes() -> set[tuple[str, int]]:
    """The codes that the code raises, each with its status."""
    kinds = {name: kind for name, kind in vars(errors).items() if _is_error(kind)}
    codes = {(kind.default_code, kind.status) for kind in kinds.values() if kind.status < 500 or kind.status == 503}
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds:
                codes |= {(code, kinds[node.func.id].status) for code in _code(node)}
            elif isinstance(node, ast.Tuple) and (named := _kind_and_code(node)) and named[0] in kinds:
                codes.add((named[1], kinds[named[0]].status))
    return codes


def _kind_and_code(node: ast.Tuple) -> tuple[str, str] | None:
    """Where the code is chosen from a table: (Conflict, "capacity_conflict")."""
    match node.elts:
        case [ast.Name(kind), ast.Constant(str(code))]:
            return kind, code
        case _:
            return None


def _is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, errors.DibsError) and kind is not errors.DibsError


def _code(node: ast.Call) -> Iterator[str]:
    for keyword in node.keywords:
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
            yield str(keyword.value.value)


# --- cli ---------------------------------------------------------------------------------------------------


def cli() -> str:
    """Every command with its options."""
    parts = ["Run as `dibs …`, or `./dev dibs …` in a checkout."]
    for name, command in commands(typer.main.get_command(app), "dibs"):
        parts += [f"## `{name}`", " ".join((command.help or "").split("\n\n")[0].split())]
        rows = [_parameter(parameter) for parameter in command.params if parameter.name != "help"]
        if rows:
            parts.append(_table(["Option", "Default", "What"], rows))
    return _page("Command line", *parts)


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its full name."""
    inner: dict[str, Any] = getattr(command, "commands", {})
    if not inner:
        yield name, command
    for part, below in sorted(inner.items()):
        yield from commands(below, f"{name} {part}")


def _parameter(parameter: Any) -> list[str]:
    is_option = parameter.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    shown = "" if default in (None, False, ()) or callable(default) else f"`{default}`"
    needed = "required" if parameter.required else shown
    return [names if is_option else f"`{(parameter.name or '').upper()}`", needed, getattr(parameter, "help", "") or ""]


# --- configuration -----------------------------------------------------------------------------------------


def configuration() -> str:
    """Every key with its type, default and variable."""
    intro = (
        "A TOML file, given by `--config` or `DIBS_CONFIG`. Every key is also an environment variable, which wins; "
        "`NAME` is a provider's name. An unknown key or a wrong type is an error that names the key."
    )
    sections: dict[str, list[list[str]]] = {}
    for key in all_keys():
        table, _, name = key.path.rpartition(".")
        title = f"`[{table}]`{key.of}" if table else "Top level"
        variable = "DIBS_" + key.path.upper().replace(".", "__")
        sections.setdefault(title, []).append([f"`{name}`", MEANINGS[key.path], key.kind, key.default, f"`{variable}`"])
    head = ["Key", "Meaning", "Type", "Default", "Variable"]
    parts = [part for title, rows in sections.items() for part in (f"## {title}", _table(head, rows))]
    return _page("Configuration", intro, *parts)


class Key(NamedTuple):
    """Something that can be configured; `of` tells apart keys of the same table that belong to different kinds."""

    path: str
    of: str
    kind: str
    default: str


def all_keys() -> list[Key]:
    """Everything that can be configured."""
    (schema,), components = msgspec.json.schema_components([Config], ref_template="#/{name}")
    return list(_keys("", "", _resolved(schema, components), components))


def _resolved(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    return components[schema["$ref"][2:]] if "$ref" in schema else schema


def _keys(prefix: str, of: str, schema: dict[str, Any], components: dict[str, Any]) -> Iterator[Key]:
    for name, field in schema["properties"].items():
        kind = _resolved(field, components)
        more = kind.get("additionalProperties")
        if "properties" in kind:
            yield from _keys(f"{prefix}{name}.", of, kind, components)
        elif isinstance(more, dict) and "anyOf" in more:
            for choice in more["anyOf"]:
                one = _resolved(choice, components)
                tag = one["properties"]["kind"]["enum"][0]
                yield from _keys(f"{prefix}{name}.NAME.", f" of kind `{tag}`", one, components)
        else:
            yield Key(f"{prefix}{name}", of, _kind(kind), _default(name, field, schema))


WORDS = {
    "object": "table",
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
}


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}" if isinstance(schema.get("items"), dict) else "list"
    bounds = [
        f"{sign} {schema[name]:g}"
        for name, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"))
        if name in schema
    ]
    return ", ".join([WORDS[schema["type"]], *bounds])


def _default(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    if name in schema.get("required", []):
        return "required"
    if "default" in field:
        return f"`{msgspec.json.encode(field['default']).decode()}`"
    section = next(kind for kind in Section.__subclasses__() if kind.__name__ == schema["title"])
    made = next(known for known in msgspec.structs.fields(section) if known.encode_name == name)
    return f"`{msgspec.json.encode(made.default_factory()).decode()}`"


# --- events and metrics ------------------------------------------------------------------------------------


def events() -> str:
    """The catalogue."""
    rows = [[f"`{event.name}`", event.level, event.meaning] for _, event in sorted(CATALOGUE.items())]
    intro = "One line in the log and one on the counter `dibs_events_total` each. Names are stable: alert on them."
    return _page("Events", intro, _table(["Event", "Level", "Meaning"], rows))


def metrics() -> str:
    """Everything on our registry."""
    rows = [
        [f"`{family.name}`", family.type, family.documentation]
        for family in sorted(REGISTRY.collect(), key=lambda family: family.name)
    ]
    intro = "Prometheus reads them at `/metrics` with a token of scope `read`; counters end in `_total` there."
    return _page("Metrics", intro, _table(["Metric", "Kind", "Meaning"], rows))


# --- schema ------------------------------------------------------------------------------------------------

COLUMNS = b"""
SELECT class.relname::text, attribute.attname::text, format_type(attribute.atttypid, attribute.atttypmod),
       CASE WHEN attribute.attnotnull THEN '' ELSE 'null' END,
       coalesce(CASE WHEN attribute.attidentity <> '' THEN 'identity'
                     ELSE pg_get_expr(attrdef.adbin, attrdef.adrelid) END, '')
FROM pg_attribute AS attribute
JOIN pg_class AS class ON class.oid = attribute.attrelid
LEFT JOIN pg_attrdef AS attrdef ON attrdef.adrelid = class.oid AND attrdef.adnum = attribute.attnum
WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('r', 'p') AND NOT class.relispartition
  AND attribute.attnum > 0 AND NOT attribute.attisdropped
ORDER BY class.relname, attribute.attnum
"""
CONSTRAINTS = b"""
SELECT class.relname::text, pg_get_constraintdef(constraint_.oid)
FROM pg_constraint AS constraint_ JOIN pg_class AS class ON class.oid = constraint_.conrelid
WHERE class.relnamespace = 'public'::regnamespace AND NOT class.relispartition
  AND constraint_.contype IN ('p', 'u', 'x', 'f')
ORDER BY class.relname, constraint_.contype, constraint_.conname
"""


async def schema(dsn: str) -> str:
    """Every table with its columns and keys, from a migrated database."""
    async with await AsyncConnection.connect(dsn) as connection:
        columns = await (await connection.execute(COLUMNS)).fetchall()
        constraints = await (await connection.execute(CONSTRAINTS)).fetchall()
    parts = ["What the migrations make; why, stands in them and in each package's docstring."]
    for table in sorted({str(row[0]) for row in columns}):
        rows = [
            [f"`{row[1]}`", str(row[2]), str(row[3]), f"`{row[4]}`" if row[4] else ""]
            for row in columns
            if row[0] == table
        ]
        parts += [f"## `{table}`", _table(["Column", "Type", "", "Default"], rows)]
        rules = [f"- `{row[1]}`" for row in constraints if row[0] == table]
        parts += ["\n".join(rules)] if rules else []
    return _page("Schema", *parts)


async def main() -> None:
    """Writes every page."""
    from dibs.db.embedded import EmbeddedServer  # noqa: PLC0415 - the tests have a server of their own
    from dibs.db.migrate import migrate  # noqa: PLC0415 - see above

    written = pages()
    with tempfile.TemporaryDirectory() as folder, EmbeddedServer.start(Path(folder), fast=True) as server:
        await migrate(server.dsn)
        written["schema.md"] = await schema(server.dsn)
    for name, text in written.items():
        (HERE / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote docs/reference/{name}\n")


if __name__ == "__main__":
    asyncio.run(main())
