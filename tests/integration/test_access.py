"""Tokens: made once, stored hashed, scoped, revocable."""

from __future__ import annotations

import pytest

from api_client import calling
from dibs.access import create_token, ensure_admin, revoke_token, signing_key
from dibs.clock import FakeClock
from dibs.db import fetch_all
from dibs.errors import Invalid, NotFound
from dibs.parts import Parts


async def test_a_token_is_stored_only_as_a_hash(parts: Parts) -> None:
    secret, _ = await create_token(parts.db, parts.clock, name="till", scope="staff")
    async with parts.db.connection() as connection:
        rows = await fetch_all(connection, b"SELECT * FROM access_token")
    assert secret not in repr(rows)
    assert len(secret) > 40


@pytest.mark.parametrize(("name", "scope"), [("till", "root"), ("  ", "read"), ("till", "")])
async def test_a_bad_name_or_scope_is_refused(parts: Parts, name: str, scope: str) -> None:
    with pytest.raises(Invalid):
        await create_token(parts.db, parts.clock, name=name, scope=scope)


async def test_a_revoked_token_stops_working_within_seconds(parts: Parts, clock: FakeClock) -> None:
    secret, token = await create_token(parts.db, parts.clock, name="till", scope="staff")
    assert await parts.gate.caller(secret) is not None
    await revoke_token(parts.db, parts.clock, token.token_id)
    clock.advance(6)
    assert await parts.gate.caller(secret) is None
    assert await parts.gate.caller_by_id(token.token_id) is None
    with pytest.raises(NotFound):
        await revoke_token(parts.db, parts.clock, 999)


async def test_the_first_start_makes_one_admin(parts: Parts) -> None:
    secret = await ensure_admin(parts.db, parts.clock, "")
    assert secret is not None
    assert await ensure_admin(parts.db, parts.clock, "") is None
    caller = await parts.gate.caller(secret)
    assert caller is not None
    assert caller.scope == "admin"


async def test_a_configured_admin_token_works_and_a_short_one_is_refused(parts: Parts) -> None:
    assert await ensure_admin(parts.db, parts.clock, "a-token-of-my-own-choice") is None
    assert await ensure_admin(parts.db, parts.clock, "a-token-of-my-own-choice") is None
    assert await parts.gate.caller("a-token-of-my-own-choice") is not None
    with pytest.raises(Invalid):
        await ensure_admin(parts.db, parts.clock, "short")


async def test_scopes_contain_each_other(parts: Parts) -> None:
    for scope, status in ((None, 401), ("read", 200), ("staff", 200), ("admin", 200)):
        async with calling(parts, scope) as client:
            assert (await client.get("/metrics")).status_code == status


@pytest.mark.parametrize("header", ["Bearer nope", "Basic abc", "Bearer", "", "Bearer " + "x" * 10_000])
async def test_a_bad_token_is_401_with_a_problem(parts: Parts, header: str) -> None:
    async with calling(parts, None) as client:
        for path in ("/metrics",):
            answer = await client.get(path, headers={"Authorization": header})
            assert answer.status_code == 401
            assert answer.json()["code"] == "unauthorized"
            assert answer.headers["www-authenticate"] == "Bearer"


async def test_every_process_has_the_same_signing_key(parts: Parts) -> None:
    one = await signing_key(parts.db, parts.clock, "links")
    assert await signing_key(parts.db, parts.clock, "links") == one
    assert await signing_key(parts.db, parts.clock, "other") != one
