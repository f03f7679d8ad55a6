"""Looks, in the order in which things stand on each other."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psycopg
from psycopg import AsyncConnection

from dibs.clock import Clock
from dibs.config import Config, load
from dibs.db import Database
from dibs.db.embedded import EmbeddedServer
from dibs.db.migrate import EXTENSIONS, OLDEST_SERVER, is_current
from dibs.doctor import rules, store
from dibs.doctor.model import Finding
from dibs.errors import DibsError
from dibs.sources import Client, Failure, Fault, Request, open_client

REACH_S = 10.0


async def examine(path: Path | None, environ: Mapping[str, str], clock: Clock) -> list[Finding]:
    """Every finding about the installation that this configuration describes."""
    try:
        config = load(path, environ)
    except DibsError as error:
        return [Finding("configuration", "problem", error.detail, "correct it and ask the doctor again")]
    findings = rules.judge_configuration(config)
    findings += await _database(config, clock)
    findings += await _providers(config)
    return findings + await _mail(config)


async def _database(config: Config, clock: Clock) -> list[Finding]:
    try:
        async with _dsn(config) as dsn, await AsyncConnection.connect(dsn, autocommit=True) as connection:
            findings = [rules.judge_version(await store.server_version(connection), OLDEST_SERVER)]
            available = await store.list_extensions(connection, names=EXTENSIONS)
            findings.append(rules.judge_extensions(EXTENSIONS, available))
            before = clock.now()
            database_time = await store.database_time(connection)
            findings.append(rules.judge_clock(before, database_time, clock.now()))
            return [*findings, await _schema(dsn)]
    except DibsError as error:
        return [Finding("database", "problem", error.detail)]
    except psycopg.Error as error:
        todo = "check database.url, that the server runs and that it lets this user in"
        return [Finding("database", "problem", " ".join(str(error).split()), todo)]


@asynccontextmanager
async def _dsn(config: Config) -> AsyncIterator[str]:
    if config.database.url:
        yield config.database.url
        return
    server = await asyncio.to_thread(EmbeddedServer.start, config.data_path)
    try:
        yield server.dsn
    finally:
        await asyncio.to_thread(server.stop)


async def _schema(dsn: str) -> Finding:
    database = Database(dsn, size=2)
    await database.open()
    try:
        if await is_current(database):
            return Finding("schema", "ok", "at the version of this program")
        return Finding("schema", "note", "not at the version of this program", "run `dibs migrate`, or start dibs")
    except psycopg.errors.UndefinedTable:
        return Finding("schema", "note", "the database is empty", "run `dibs migrate`, or start dibs")
    finally:
        await database.close()


async def _providers(config: Config) -> list[Finding]:
    async with open_client(allow_private=config.http.allow_private_targets) as client:
        asked = [_reach(client, name, url) for name, url in rules.addresses(config).items()]
        return list(await asyncio.gather(*asked))


async def _reach(client: Client, name: str, url: str) -> Finding:
    answer = await client.ask(Request(url, follow=False), timeout_s=REACH_S)
    if not isinstance(answer, Failure) or answer.status is not None:
        # Whatever it says about its front page, it is there.
        return Finding(name, "ok", f"{url} answers")
    if answer.fault is Fault.CONFIGURATION:
        todo = "correct its address; for a provider inside your network set http.allow_private_targets = true"
        return Finding(name, "problem", f"{url}: {answer.reason}", todo)
    todo = "check the address, the network and a proxy in between; watches on it will fail until it answers"
    return Finding(name, "problem", f"{url}: {answer.reason}", todo)


async def _mail(config: Config) -> list[Finding]:
    mail = config.channels.email
    try:
        async with asyncio.timeout(REACH_S):
            _, writer = await asyncio.open_connection(mail.host, mail.port)
    except OSError as error:  # a timeout is one too, without a number
        reason = os.strerror(error.errno) if error.errno else "no answer"
        todo = "set [channels.email] if anybody is to be told by mail; other channels do not need it"
        return [Finding("mail", "note", f"{mail.host}:{mail.port} does not take mail: {reason}", todo)]
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return [Finding("mail", "ok", f"{mail.host}:{mail.port} answers")]
