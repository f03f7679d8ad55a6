"""One PostgreSQL cluster in a folder: made once, started, stopped, looked at. The callers hold the locks."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from psycopg import pq

from dibs.db.embedded import sockets
from dibs.db.embedded.account import Account, Outcome, name_of_here, run_inside
from dibs.db.embedded.errors import EmbeddedFailed, OtherMajorVersion

FOLDER, UNFINISHED = "postgres", "postgres.new"
LOG, LOG_LIMIT = "server.log", 8 * 1024 * 1024
USER = DATABASE = "dibs"
START_S, STOP_S = 300.0, 60.0  # recovery after a crash replays at most max_wal_size

# The locale sorts by code point and knows Unicode's letters, the same on every system.
LOCALE = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
INITDB = ("-U", USER, "-A", "trust", "-E", "UTF8", "--no-instructions", *LOCALE)
SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "jit": "off",  # our statements are short
    "max_parallel_workers_per_gather": "0",  # and containers have little /dev/shm
}
# For tests and nothing else: a crash of the machine may lose everything.
FAST: Mapping[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "max_connections": "300",
    "shared_buffers": "256MB",
    "max_locks_per_transaction": "256",
    "autovacuum_naptime": "5min",  # every test has a database of its own, gone before it pays off
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster of one data folder, and who runs it with which programs."""

    data_dir: Path
    data_folder: int
    programs: Path
    account: Account | None

    def make(self, lock: int, *, fast: bool) -> None:
        """Make the cluster if it is missing. It gets its name when it is complete."""
        if self._version() is not None:
            return
        with suppress(FileNotFoundError):
            shutil.rmtree(UNFINISHED, dir_fd=self.data_folder)
        os.mkdir(UNFINISHED, 0o700, dir_fd=self.data_folder)
        folder = self._open(UNFINISHED)
        try:
            if self.account is not None:
                os.fchown(folder, *self.account.owner)
            self._initdb(folder, lock, fast=fast)
        finally:
            os.close(folder)
        os.rename(UNFINISHED, FOLDER, src_dir_fd=self.data_folder, dst_dir_fd=self.data_folder)
        os.fsync(self.data_folder)

    def _initdb(self, folder: int, lock: int, *, fast: bool) -> None:
        path = self.data_dir / UNFINISHED
        command = [str(self.programs / "initdb"), "-D", name_of_here(path), *INITDB, *["--no-sync"] * fast]
        outcome = run_inside(folder, path, self.account, command, keep=[lock], timeout_s=START_S)
        if outcome.status != 0:
            raise EmbeddedFailed(f"initdb failed in {self.data_dir}: {_tail(outcome.output)}")

    def check_version(self) -> None:
        """Refuse a folder that another major version made."""
        found, ours = self._version(), self._own_version()
        if found is not None and found != ours:
            raise OtherMajorVersion(
                f"{self.data_dir / FOLDER} was made by PostgreSQL {found}, dibs brings PostgreSQL {ours}: "
                f"dump it with PostgreSQL {found} and load it into a new data_dir, or choose another data_dir"
            )

    def start(self, lock: int, *, fast: bool) -> Path:
        """Start the server, which keeps `lock`; gives the folder of its socket. No older server may live."""
        left = sockets.usable(self.socket_folder(), self.account)
        socket_folder = left or sockets.make_socket_folder(self.account)
        sockets.clear(socket_folder)
        folder = self._open(FOLDER)
        try:
            self._forget_old_server(folder)
            options = self._options(socket_folder, fast=fast)
            outcome = self._pg_ctl(folder, "start", START_S, options, keep=lock)
            if outcome.status != 0:
                sockets.remove(socket_folder)
                raise EmbeddedFailed(
                    f"PostgreSQL does not start in {self.data_dir / FOLDER}: "
                    f"{_tail(outcome.output)} {_tail(_read(folder, LOG))}"
                )
        finally:
            os.close(folder)
        return socket_folder

    def stop(self) -> None:
        """Stop the server; without mercy if it takes too long, the next start recovers."""
        socket_folder = self.socket_folder()
        folder = self._open(FOLDER)
        try:
            outcome = self._pg_ctl(folder, "stop", STOP_S, ["-m", "fast"])
            if outcome.status != 0:
                outcome = self._pg_ctl(folder, "stop", STOP_S, ["-m", "immediate"])
        finally:
            os.close(folder)
        if outcome.status == 0 and (left := sockets.usable(socket_folder, self.account)):
            sockets.remove(left)

    def remove(self) -> None:
        """Remove the data of a server that is stopped."""
        with suppress(FileNotFoundError):
            shutil.rmtree(FOLDER, dir_fd=self.data_folder)

    def answers(self) -> bool:
        """The server accepts connections (it may have none free)."""
        folder = self.socket_folder()
        if folder is None:
            return False
        return pq.PGconn.ping(conninfo(folder, "postgres").encode()) == pq.Ping.OK

    def socket_lost(self) -> bool:
        """The server says it is ready, and its socket is not there (somebody swept the temporary folder)."""
        lines = self._pid_file()
        folder = self.socket_folder()
        ready = len(lines) > 7 and lines[7].strip() == "ready"
        return ready and folder is not None and not (folder / sockets.NAMES[0]).exists()

    def socket_folder(self) -> Path | None:
        """Where the server that wrote the process file listens or listened."""
        lines = self._pid_file()
        return Path(lines[4]) if len(lines) > 4 and lines[4] else None

    def server_pid(self) -> int | None:
        """The process id of the server that wrote the process file."""
        lines = self._pid_file()
        return int(lines[0]) if lines and lines[0].strip().isdigit() else None

    def _pid_file(self) -> list[str]:
        try:
            folder = self._open(FOLDER)
        except OSError:
            return []
        try:
            return _read(folder, "postmaster.pid").splitlines()
        finally:
            os.close(folder)

    def _version(self) -> str | None:
        try:
            folder = self._open(FOLDER)
        except FileNotFoundError:
            return None
        try:
            found = _read(folder, "PG_VERSION").strip()
        finally:
            os.close(folder)
        if not found:
            raise EmbeddedFailed(f"{self.data_dir / FOLDER} is there but holds no PostgreSQL data: move it away")
        return found

    def _own_version(self) -> str:
        outcome = run_inside(
            self.data_folder, self.data_dir, self.account, [str(self.programs / "postgres"), "--version"]
        )
        words = outcome.output.split()
        if outcome.status != 0 or not words:
            raise EmbeddedFailed(f"{self.programs / 'postgres'} cannot be executed: {_tail(outcome.output)}")
        return words[-1].split(".")[0]

    def _options(self, socket_folder: Path, *, fast: bool) -> list[str]:
        settings = {**SETTINGS, **(FAST if fast else {}), "unix_socket_directories": str(socket_folder)}
        settings["cluster_name"] = "dibs " + "".join(c for c in str(self.data_dir) if c.isascii())[-55:]
        words = [f"-c {shlex.quote(f'{name}={value}')}" for name, value in settings.items()]
        return ["-l", LOG, "-o", " ".join(words)]

    def _pg_ctl(
        self, folder: int, verb: str, within_s: float, options: list[str], *, keep: int | None = None
    ) -> Outcome:
        path = self.data_dir / FOLDER
        command = [str(self.programs / "pg_ctl"), verb, "-s", "-w", "-t", str(int(within_s))]
        command += ["-D", name_of_here(path), *options]
        kept = [] if keep is None else [keep]
        return run_inside(folder, path, self.account, command, keep=kept, timeout_s=within_s + 10)

    def _forget_old_server(self, folder: int) -> None:
        with suppress(FileNotFoundError):
            os.unlink("postmaster.pid", dir_fd=folder)
        with suppress(FileNotFoundError):
            if os.stat(LOG, dir_fd=folder, follow_symlinks=False).st_size > LOG_LIMIT:
                os.replace(LOG, f"{LOG}.1", src_dir_fd=folder, dst_dir_fd=folder)

    def _open(self, name: str) -> int:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, dir_fd=self.data_folder)


def conninfo(socket_folder: Path, database: str) -> str:
    """How libpq reaches the server."""
    return f"host='{socket_folder}' user={USER} dbname={database}"


def _read(folder: int, name: str) -> str:
    """A small file's text, or nothing; never through a link, for the server's user owns the folder."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return ""
    with os.fdopen(file, "rb") as stream:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return ""
        stream.seek(max(0, os.fstat(file).st_size - 65536))
        return stream.read().decode(errors="replace")


def _tail(text: str) -> str:
    return " / ".join(text.strip().splitlines()[-4:])
