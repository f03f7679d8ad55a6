"""SQL lives in files, one statement each; this finds them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files


def statements(module: str) -> Callable[[str], bytes]:
    """The statements of the package that `module` belongs to: `sql("list_things")` → its text.

    Bytes, because psycopg takes them as they are and they cannot be spliced by accident.
    """
    folder = files(module.rpartition(".")[0]) / "sql"

    @cache
    def sql(name: str) -> bytes:
        return (folder / f"{name}.sql").read_bytes()

    return sql
