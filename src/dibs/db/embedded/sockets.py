"""The folder of the server's socket: short, in the system's temporary folder, closed to other users."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from dibs.db.embedded.account import Account
from dibs.db.embedded.errors import EmbeddedFailed

PREFIX = "dibs-"
NAMES = (".s.PGSQL.5432", ".s.PGSQL.5432.lock")
LONGEST = 80  # the kernel takes about 104 bytes for the whole path of a socket


def make_socket_folder(account: Account | None) -> Path:
    """A new folder, owned by who runs the server."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_temporary(account)))  # mode 0700, a name nobody could guess
    if account is not None:
        os.chown(folder, *account.owner)
    return folder


def usable(folder: Path | None, account: Account | None) -> Path | None:
    """The folder if it is still the one a server of this account had."""
    if folder is None or not folder.is_absolute() or not folder.name.startswith(PREFIX):
        return None
    with suppress(OSError):
        facts = folder.lstat()
        ours = facts.st_uid == (account.uid if account else os.geteuid())
        if ours and stat.S_ISDIR(facts.st_mode) and stat.S_IMODE(facts.st_mode) == 0o700:
            return folder
    return None


def clear(folder: Path) -> None:
    """Remove what a killed server left; PostgreSQL would take a reused process id for the old server."""
    with suppress(OSError):
        entry = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            for name in NAMES:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=entry)
        finally:
            os.close(entry)


def remove(folder: Path) -> None:
    """Remove the folder after the server is gone."""
    clear(folder)
    with suppress(OSError):
        folder.rmdir()


def _temporary(account: Account | None) -> Path:
    for name in (tempfile.gettempdir(), "/tmp", "/var/tmp"):  # noqa: S108 - mkdtemp makes a private folder there
        path = Path(name).resolve()
        fits = len(os.fsencode(path)) <= LONGEST and path.is_dir() and os.access(path, os.W_OK | os.X_OK)
        if fits and (account is None or _entered_by_all(path)):
            return path
    raise EmbeddedFailed("there is no writable temporary folder with a short path for the server's socket: set TMPDIR")


def _entered_by_all(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))
