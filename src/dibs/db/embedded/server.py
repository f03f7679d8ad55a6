"""Start or join the embedded server of a data folder, and leave it."""

from __future__ import annotations

import atexit
import os
import threading
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
from psycopg import sql

from dibs.db.embedded import locks
from dibs.db.embedded.account import Account, account_for
from dibs.db.embedded.binaries import programs_for
from dibs.db.embedded.cluster import DATABASE, FOLDER, START_S, STOP_S, Cluster, conninfo
from dibs.db.embedded.errors import EmbeddedFailed, FolderNotWritable

GATE_S = START_S + STOP_S
ANSWER_S = 60.0  # a server that somebody else started may still be recovering
LOST_SOCKET_S = 1.0


class EmbeddedServer:
    """One use of the server of a data folder. Made by `start`; `stop` gives the use back."""

    def __init__(self, cluster: Cluster, gate: int, users: int, *, fast: bool, temporary: bool) -> None:
        self._cluster = cluster
        self._gate = gate
        self._users = users
        self._fast = fast
        self._temporary = temporary
        self._busy = threading.Lock()
        self._process = os.getpid()
        self._stopped = False
        self.dsn = ""

    @classmethod
    def start(cls, data_dir: Path, *, fast: bool = False, temporary: bool = False) -> Self:
        """Start the server, or join the one that runs. Blocks.

        `fast` gives up durability, and with `temporary` the last user removes the data: both are for tests.
        """
        data_dir = data_dir.resolve()
        folder = _open_folder(data_dir)
        try:
            account = _account(folder)
            programs = programs_for(account)
            gate, users = _open_locks(folder, data_dir, account)
        except BaseException:
            os.close(folder)
            raise
        server = cls(Cluster(data_dir, folder, programs, account), gate, users, fast=fast, temporary=temporary)
        try:
            server._join()
        except OSError as error:
            server._close()
            raise _not_writable(data_dir, error) from error
        except BaseException:
            server._close()
            raise
        atexit.register(server.stop)
        return server

    @property
    def pid(self) -> int | None:
        """The process id of the server."""
        return self._cluster.server_pid()

    def revive(self) -> bool:
        """Start the server again if it died under its users, who reach it under the same `dsn`; say if so."""
        with self._busy:
            if self._stopped or not self._server_is_gone():
                return False
            with self._at_the_gate():
                self.dsn = conninfo(self._ensure_running(), DATABASE)
            return True

    def stop(self) -> None:
        """Give the use back; the last one stops the server. Again, or in a forked child, it does nothing."""
        if os.getpid() != self._process:
            return
        with self._busy:
            if self._stopped:
                return
            self._stopped = True
            atexit.unregister(self.stop)
            try:
                self._leave()
            finally:
                self._close()

    def _leave(self) -> None:
        with self._at_the_gate():
            # Turning our own share into an exclusive lock works only if nobody else has a share.
            if not locks.try_lock(self._users):
                return
            if not self._server_is_gone():
                self._cluster.stop()
            if self._temporary:
                self._cluster.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _at_the_gate(self) -> AbstractContextManager[None]:
        return locks.exclusive(self._gate, within_s=GATE_S, what=str(self._cluster.data_dir))

    def _join(self) -> None:
        with self._at_the_gate():
            self._cluster.check_version()
            socket_folder = self._ensure_running()
            _ensure_database(socket_folder)
            locks.try_lock(self._users, shared=True)  # free of exclusive holders: those wait at the gate
            self.dsn = conninfo(socket_folder, DATABASE)

    def _ensure_running(self) -> Path:
        """A server that answers: the one there is, or a new one once the old is wholly gone."""
        lock = locks.open_lock(self._cluster.data_folder, "server.lock", self._owner())
        try:
            if not self._answers_until_gone(lock):
                self._cluster.make(lock, fast=self._fast)
                return self._cluster.start(lock, fast=self._fast)
        finally:
            os.close(lock)  # the server has it now, or nobody
        folder = self._cluster.socket_folder()
        if folder is None:
            raise EmbeddedFailed(f"the server of {self._cluster.data_dir} stopped while it was joined: start again")
        return folder

    def _answers_until_gone(self, lock: int) -> bool:
        """True: it answers. False: no process of it lives, and we hold its lock."""
        deadline = time.monotonic() + ANSWER_S
        lost_since: float | None = None
        while not locks.try_lock(lock):
            if self._cluster.answers():
                return True
            lost_since = (lost_since or time.monotonic()) if self._cluster.socket_lost() else None
            if lost_since is not None and time.monotonic() - lost_since > LOST_SOCKET_S:
                self._cluster.stop()
            if time.monotonic() > deadline:
                raise EmbeddedFailed(
                    f"a PostgreSQL process (id {self._cluster.server_pid()}) holds "
                    f"{self._cluster.data_dir / FOLDER} and has not answered for {ANSWER_S:.0f} s: "
                    "look at its server.log, or end it"
                )
            time.sleep(0.05)
        return False

    def _server_is_gone(self) -> bool:
        lock = locks.open_lock(self._cluster.data_folder, "server.lock", self._owner())
        try:
            return locks.try_lock(lock)
        finally:
            os.close(lock)

    def _owner(self) -> tuple[int, int] | None:
        return _lock_owner(self._cluster.data_folder, self._cluster.account)

    def _close(self) -> None:
        for descriptor in (self._users, self._gate, self._cluster.data_folder):
            with suppress(OSError):
                os.close(descriptor)


def _open_folder(data_dir: Path) -> int:
    # Without /proc an unprivileged server must pass through the folder by its name.
    mode = 0o711 if os.geteuid() == 0 and not Path("/proc/self/cwd").exists() else 0o700
    try:
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            data_dir.mkdir(mode=mode)
        return os.open(data_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_writable(data_dir, error) from error


def _open_locks(folder: int, data_dir: Path, account: Account | None) -> tuple[int, int]:
    owner = _lock_owner(folder, account)
    try:
        return locks.open_lock(folder, "gate.lock", owner), locks.open_lock(folder, "users.lock", owner)
    except OSError as error:
        raise _not_writable(data_dir, error) from error


def _not_writable(data_dir: Path, error: OSError) -> FolderNotWritable:
    return FolderNotWritable(
        f"the data folder {data_dir} cannot be written by this user ({error.strerror}): "
        "give it to the user that runs dibs, set another data_dir, or set database.url"
    )


def _account(folder: int) -> Account | None:
    """An existing cluster is run by its owner; a new one by who is fit for the data folder."""
    try:
        return account_for(os.stat(FOLDER, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return account_for(os.fstat(folder))


def _lock_owner(folder: int, account: Account | None) -> tuple[int, int] | None:
    """Root in somebody's folder leaves lock files that this somebody can use."""
    facts = os.fstat(folder)
    return (facts.st_uid, facts.st_gid) if account is not None and facts.st_uid != 0 else None


def _ensure_database(socket_folder: Path) -> None:
    try:
        with psycopg.connect(conninfo(socket_folder, "postgres"), autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if found is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
    except psycopg.Error as error:
        raise EmbeddedFailed(f"PostgreSQL runs but its database {DATABASE} cannot be made: {error}") from error
