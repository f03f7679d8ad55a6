"""`dibs token`: who may call."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from dibs.access import create_token, revoke_token
from dibs.access import store as access_store
from dibs.access.model import Token
from dibs.cli.run import ConfigFile, out, with_parts
from dibs.parts import Parts

app = typer.Typer(no_args_is_help=True, help="Tokens: create, list, revoke.")


@app.command()
def create(
    name: Annotated[str, typer.Option(help="Who will use it.")],
    scope: Annotated[str, typer.Option(help="read, staff or admin.")] = "read",
    config: ConfigFile = None,
) -> None:
    """Create a token and print it; it cannot be shown again."""

    async def work(parts: Parts) -> str:
        secret, _ = await create_token(parts.db, parts.clock, name=name, scope=scope)
        return secret

    out.print(with_parts(config, work), highlight=False, markup=False)


@app.command(name="list")
def list_(config: ConfigFile = None) -> None:
    """List the tokens, without their secrets."""

    async def work(parts: Parts) -> list[Token]:
        async with parts.db.connection() as connection:
            return await access_store.list_tokens(connection)

    table = Table("id", "name", "scope", "created", "revoked")
    for token in with_parts(config, work):
        revoked = f"{token.revoked_at:%Y-%m-%d %H:%M}" if token.revoked_at else ""
        table.add_row(str(token.token_id), token.name, token.scope, f"{token.created_at:%Y-%m-%d %H:%M} UTC", revoked)
    out.print(table)


@app.command()
def revoke(token_id: int, config: ConfigFile = None) -> None:
    """Revoke a token; it stops working within seconds."""

    async def work(parts: Parts) -> Token:
        return await revoke_token(parts.db, parts.clock, token_id)

    out.print(f"token {token_id} ({with_parts(config, work).name}) is revoked", highlight=False, markup=False)
