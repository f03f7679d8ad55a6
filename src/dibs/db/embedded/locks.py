"""File locks (flock): the kernel drops them when their last holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from dibs.db.embedded.errors import EmbeddedFailed


def open_lock(folder: int, name: str, owner: tuple[int, int] | None) -> int:
    """A descriptor of the lock file; a new file is given to `owner`, an existing one is never touched."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(FileExistsError):
        lock = os.open(name, flags | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        if owner is not None:
            os.fchown(lock, *owner)
        return lock
    return os.open(name, flags, dir_fd=folder)


def try_lock(lock: int, *, shared: bool = False) -> bool:
    """Take the lock if it is free."""
    try:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def exclusive(lock: int, *, within_s: float, what: str) -> Generator[None]:
    """Hold the lock for the block; give up with a sentence when it stays taken."""
    deadline = time.monotonic() + within_s
    while not try_lock(lock):
        if time.monotonic() > deadline:
            raise EmbeddedFailed(f"another process has been starting or stopping {what} for {within_s:.0f} s")
        time.sleep(0.02)
    try:
        yield
    finally:
        fcntl.flock(lock, fcntl.LOCK_UN)
