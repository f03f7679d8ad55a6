"""Several processes, one server: shared, left, killed. The processes are real."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from dibs.db.embedded import EmbeddedServer
from embedded_harness import User, alive, answer, until


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a stopped cluster; making one takes a second."""
    folder = tmp_path_factory.mktemp("embedded") / "data"
    with EmbeddedServer.start(folder) as server:
        answer(server.dsn, "CREATE TABLE note (text text PRIMARY KEY)")
    return folder


@pytest.fixture
def data_dir(cluster: Path) -> Path:
    """The shared folder, empty again and with no server, whatever the test before it killed."""
    with EmbeddedServer.start(cluster) as server:
        answer(server.dsn, "TRUNCATE note")
        pid = server.pid
    assert pid is not None
    assert not alive(pid)
    return cluster


def test_two_processes_share_one_server_and_the_last_stops_it(data_dir: Path) -> None:
    first, second = User(data_dir), User(data_dir)
    assert first.pid == second.pid
    assert first.dsn == second.dsn
    answer(first.dsn, "INSERT INTO note VALUES ('kept')")
    first.leave()
    assert answer(second.dsn, "SELECT text FROM note") == [("kept",)]
    second.leave()
    assert not alive(second.pid)
    with User(data_dir) as third:
        assert answer(third.dsn, "SELECT text FROM note") == [("kept",)]


def test_first_starts_at_the_same_moment_make_one_cluster(tmp_path: Path) -> None:
    users = [User(tmp_path / "new" / "data") for _ in range(4)]
    assert len({user.pid for user in users}) == 1
    for user in users:
        user.leave()
    assert not alive(users[0].pid)


def test_a_server_whose_user_was_killed_is_reused_and_ended_by_the_next(data_dir: Path) -> None:
    killed = User(data_dir)
    pid = killed.pid
    killed.kill()
    assert alive(pid)
    with User(data_dir) as following:
        assert following.pid == pid
    assert not alive(pid)


def test_a_killed_user_does_not_keep_the_others_from_stopping(data_dir: Path) -> None:
    killed, living = User(data_dir), User(data_dir)
    assert killed.pid == living.pid
    killed.kill()
    living.leave()
    assert not alive(living.pid)


def test_a_killed_server_is_recovered_under_its_users(data_dir: Path) -> None:
    with User(data_dir, durable=True) as staying:
        answer(staying.dsn, "INSERT INTO note VALUES ('committed')")
        os.kill(staying.pid, signal.SIGKILL)
        with User(data_dir) as following:
            assert following.pid != staying.pid
            assert answer(following.dsn, "SELECT text FROM note") == [("committed",)]
            assert answer(staying.dsn, "SELECT text FROM note") == [("committed",)]


def test_everything_killed_and_the_process_id_taken_by_another_program(data_dir: Path) -> None:
    user = User(data_dir, durable=True)
    answer(user.dsn, "INSERT INTO note VALUES ('committed')")
    os.kill(user.pid, signal.SIGKILL)
    user.kill()
    until(lambda: not alive(user.pid), "the server to die")
    claim_process_id(data_dir / "postgres" / "postmaster.pid", os.getpid())
    with User(data_dir) as following:
        assert answer(following.dsn, "SELECT text FROM note") == [("committed",)]


def claim_process_id(file: Path, pid: int) -> None:
    lines = file.read_text().splitlines()
    file.write_text("\n".join([str(pid), *lines[1:]]) + "\n")


def test_a_swept_socket_is_made_again(data_dir: Path) -> None:
    killed = User(data_dir)
    socket = Path(killed.dsn.split("'")[1]) / ".s.PGSQL.5432"
    killed.kill()
    socket.unlink()
    with User(data_dir) as following:
        assert answer(following.dsn, "SELECT 1") == [(1,)]


def test_an_interrupted_first_start_is_begun_anew(tmp_path: Path) -> None:
    half = tmp_path / "postgres.new" / "base"
    half.mkdir(parents=True)
    (half / "1").write_text("half a file")
    with User(tmp_path) as user:
        assert answer(user.dsn, "SELECT 1") == [(1,)]
    assert not half.exists()
