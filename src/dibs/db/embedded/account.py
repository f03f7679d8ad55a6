"""Which system user runs the server, and how a command is run as that user inside a folder.

PostgreSQL refuses to run as root. A command gets a bare environment (root's may hold secrets) and starts
inside the folder it works on, so that it needs no right to the folders above.
"""

from __future__ import annotations

import errno
import os
import pwd
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dibs.db.embedded.errors import EmbeddedFailed, NoServerAccount

# A user made for databases keeps the data from other daemons; `nobody` is there on every system.
CANDIDATES = ("postgres", "_postgres", "nobody")
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZDIR")
HERE = "/proc/self/cwd"


@dataclass(frozen=True, slots=True)
class Account:
    """A user that is not root."""

    uid: int
    gid: int

    @property
    def owner(self) -> tuple[int, int]:
        """What chown takes."""
        return self.uid, self.gid


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended, and what it said."""

    status: int
    output: str


def account_for(folder: os.stat_result) -> Account | None:
    """Who runs the server on this folder: None is ourselves."""
    if os.geteuid() != 0:
        return None
    if folder.st_uid != 0:
        return Account(folder.st_uid, folder.st_gid)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise NoServerAccount(
        "PostgreSQL does not run as root and this system has no user `nobody` or `postgres`: "
        "add one, start dibs as another user, or set database.url"
    )


def name_of_here(path: Path) -> str:
    """How a command calls the folder it is started in; where there is no /proc only its real path will do."""
    return HERE if Path(HERE).exists() else str(path)


def run_inside(
    folder: int,
    path: Path,
    account: Account | None,
    command: Sequence[str],
    *,
    keep: Sequence[int] = (),
    timeout_s: float = 60.0,
) -> Outcome:
    """Run a command as `account` in the folder. `keep` are descriptors it and what it starts hold open."""
    with tempfile.TemporaryFile() as output:  # a pipe would stay open in the server and never end
        try:
            status = subprocess.run(  # noqa: S603 - the command is the wheel's, the arguments are ours
                list(command),
                check=False,
                cwd=_entry(folder, path),
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ} | {"LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=tuple(keep),
                start_new_session=True,
                umask=0o077,
                timeout=timeout_s,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            ).returncode
        except subprocess.TimeoutExpired:
            raise EmbeddedFailed(f"{Path(command[0]).name} did not end within {timeout_s:.0f} s") from None
        except (OSError, subprocess.SubprocessError) as error:
            if isinstance(error, OSError) and error.errno == errno.EACCES:
                return Outcome(126, f"this user may not execute {command[0]}")
            # A container may lack the right to become another user.
            raise NoServerAccount(
                f"cannot run PostgreSQL as user id {account.uid if account else os.geteuid()} ({error}): "
                "start dibs as an ordinary user, or set database.url"
            ) from error
        output.seek(0)
        return Outcome(status, output.read().decode(errors="replace").strip())


def _entry(folder: int, path: Path) -> str:
    """The open folder itself where that can be said, so that its name cannot be swapped under us."""
    return f"/proc/self/fd/{folder}" if Path("/proc/self/fd").exists() else str(path)
