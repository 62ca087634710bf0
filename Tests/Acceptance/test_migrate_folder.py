"""Moves a data folder's databases into a PostgreSQL and back, and compares each copy with its source."""

import json
import shutil

import pytest
import requests
from conftest import hearth
from postgres import PROGRAMS, WHY_NOT, Postgres
from receiver import Receiver
from waits import WAIT_SECONDS, until

pytestmark = pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)

OPEN = '{ "rules": { ".read": true, ".write": true } }'


@pytest.fixture
def postgres():
    server = Postgres()
    try:
        yield server.start()
    finally:
        server.remove()


def put(server, path, value, name="default"):
    answer = requests.put(f"{server.url}/{path}.json?ns={name}", json=value, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def read(server, path="", name="default"):
    return requests.get(f"{server.url}/{path}.json?ns={name}", timeout=WAIT_SECONDS).json()


@pytest.fixture
def refusing():
    """A receiver that accepts all events except those of one room."""
    receiver = Receiver(lambda number, request: 400 if request["json"]["data"]["path"] == "/rooms/bad" else 204)
    yield receiver
    receiver.close()


def events(server):
    """Returns the number of pending events, and of dead letters."""
    status = json.loads(server.run("triggers", "show", "t", "--json"))["status"]
    return status["waiting"], status["dead"]


def migrate(folder, *arguments, expect=0):
    return hearth("migrate", "folder", str(folder), *arguments, expect=expect)


def prints(folder, *arguments):
    """Returns the digests of the journals by name, and whether each journal existed before."""
    databases = json.loads(migrate(folder, *arguments, "--json"))["databases"]
    return ({one.pop("name"): {key: value for key, value in one.items() if key != "wasThere"} for one in databases},
            [one["wasThere"] for one in databases])


def files(folder):
    """Returns the bytes of all files that say where journals are."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.sqlite")}


def set_journal(folder, url):
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    settings.pop("journal", None)
    if url:
        settings["journal"] = url
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def test_a_folder_is_moved_to_postgres_and_back_unchanged(serve, postgres, refusing, tmp_path):
    server = serve(rules=OPEN)
    server.run("databases", "create", "other")
    server.run("users", "create", "--uid", "ann-who-moves")
    # One event is a dead letter, and one is pending.
    server.run(
        "triggers", "add", "t", "--path", "rooms/{id}", "--on", "write", "--url", refusing.url, "--form", "webhook")
    put(server, "rooms/bad", {"name": "A"})
    until(lambda: events(server) == (0, 1))
    server.run("triggers", "pause", "t")
    put(server, "rooms/b", {"name": "B", "n": 1.5})
    server.run("db", "set", "/x", '{".priority": 2, ".value": "é"}', "--ns", "other")
    assert "stop that server first" in migrate(server.data, "--to", postgres.url(), expect=1)
    assert server.stop() == 0

    before = files(server.data)
    assert len(before) == 3
    said = migrate(server.data, "--to", postgres.url())
    assert "databases/default: position" in said and "1 event waiting, 1 dead letter" in said and "copied, verified" in said
    assert f"--journal '{postgres.url()}'" in said
    # The source is unchanged, and other commands' unfinished work was left alone.
    assert files(server.data) == before
    assert postgres.sql("SELECT name FROM hearth.journal ORDER BY name") == [
        "accounts", "databases/default", "databases/other"]
    with pytest.raises(RuntimeError, match="--journal 'postgres://"):
        server.start()
    assert "are in PostgreSQL already" in migrate(server.data, "--to", postgres.url(), expect=1)

    there = serve("--journal", postgres.url(), rules=OPEN)
    assert read(there, "rooms") == {"bad": {"name": "A"}, "b": {"name": "B", "n": 1.5}}
    assert there.run("db", "get", "/x", "--ns", "other").strip() == '"é"'
    assert "ann-who-moves" in there.run("users", "list")
    assert events(there) == (1, 1)
    put(there, "rooms/c", {"name": "C"})
    assert "another server" in migrate(tmp_path / "back", "--from", postgres.url(), expect=1)
    assert there.stop() == 0
    assert files(server.data) == before

    # Back into the folder that it came from, which has other databases by now.
    refused = migrate(server.data, "--from", postgres.url(), expect=1)
    assert "holds other databases already" in refused and "databases/default" in refused
    assert "databases/other" not in refused
    assert files(server.data) == before

    back = tmp_path / "back"
    shutil.copytree(server.data, back, ignore=shutil.ignore_patterns("*.sqlite*"))
    (prints_back, _) = prints(back, "--from", postgres.url())
    assert prints_back["databases/default"]["waiting"] == 2
    assert sorted(path.name for path in files(back)) == ["accounts.sqlite", "default.sqlite", "other.sqlite"]
    assert not (back / "moving.partial").exists()
    home = serve(name="back", rules=OPEN)
    assert read(home, "rooms") == {"bad": {"name": "A"}, "b": {"name": "B", "n": 1.5}, "c": {"name": "C"}}
    assert "ann-who-moves" in home.run("users", "list")
    # The pending event is delivered now, once; the dead letter can be sent again.
    home.run("triggers", "resume", "t")
    until(lambda: events(home) == (0, 1))
    assert sorted(request["json"]["data"]["path"] for request in refusing.got()) == [
        "/rooms/b", "/rooms/bad", "/rooms/c"]
    refusing.answer = lambda number, request: 204
    assert "1 events are waiting again" in home.run("triggers", "replay", "t")
    until(lambda: events(home) == (0, 0))
    assert home.stop() == 0


def test_an_interrupted_move_is_resumed_or_discarded(serve, postgres, tmp_path):
    server = serve(rules=OPEN)
    server.run("databases", "create", "other")
    for number in range(20):
        put(server, f"n/{number}", number)
    assert server.stop() == 0

    # Interrupted while the journals were written: the partial journals are unused and removed.
    postgres_tables = prints(server.data, "--to", postgres.url())[0]
    set_journal(server.data, None)
    postgres.sql("UPDATE hearth.journal SET name = 'moving/' || name")
    postgres.sql("UPDATE hearth.journal SET name = 'restoring/' || name WHERE name = 'moving/databases/other'")
    postgres.sql("DELETE FROM hearth.batch WHERE first_position > 3")
    assert prints(server.data, "--to", postgres.url()) == (postgres_tables, [False, False, False])
    assert len(postgres.sql("SELECT name FROM hearth.journal")) == 3
    # Interrupted before the folder recorded the move: all journals are complete and equal.
    set_journal(server.data, None)
    assert prints(server.data, "--to", postgres.url()) == (postgres_tables, [True, True, True])

    back = tmp_path / "back"
    assert prints(back, "--from", postgres.url()) == (postgres_tables, [False, False, False])
    # Interrupted after some of the journals were moved into place.
    set_journal(back, postgres.url())
    (back / "databases" / "other.sqlite").unlink()
    (back / "moving.partial" / "databases").mkdir(parents=True)
    (back / "moving.partial" / "databases" / "other.sqlite").write_bytes(b"half of it")
    with pytest.raises(RuntimeError, match="--journal 'postgres://"):
        serve(name="back")
    assert prints(back, "--from", postgres.url()) == (postgres_tables, [True, True, False])
    # Interrupted before the folder removed the record of the move.
    set_journal(back, postgres.url())
    assert prints(back, "--from", postgres.url()) == (postgres_tables, [True, True, True])
    home = serve(name="back", rules=OPEN)
    assert read(home, "n/19") == 19


def test_targets_with_other_databases_are_refused(serve, postgres, tmp_path):
    mine, theirs = serve(rules=OPEN), serve("--journal", postgres.url(), name="theirs", rules=OPEN)
    put(mine, "x", 1)
    put(theirs, "x", 2)
    theirs.run("databases", "create", "third")
    assert mine.stop() == 0
    assert "another server" in migrate(mine.data, "--to", postgres.url(), expect=1)
    assert theirs.stop() == 0
    before = postgres.sql("SELECT name, epoch FROM hearth.journal ORDER BY name")
    refused = migrate(mine.data, "--to", postgres.url(), expect=1)
    assert "databases/default, databases/third" in refused and "DROP SCHEMA" in refused
    assert postgres.sql("SELECT name, epoch FROM hearth.journal ORDER BY name") == before
    refused = migrate(mine.data, "--from", postgres.url(), expect=1)
    assert "holds other databases already" in refused and "databases/default" in refused
    assert "journal" not in json.loads((mine.data / "settings.json").read_text(encoding="utf-8"))
    assert "another PostgreSQL" in migrate(theirs.data, "--from", "postgres://a@b/c", expect=1)
    assert "no databases" in migrate(tmp_path / "nothing", "--to", postgres.url(), expect=1)
    # A node of a cluster uses the PostgreSQL.
    postgres.sql("INSERT INTO hearth.node VALUES ('n1', 1, '', now() + interval '1 hour', now(), 0, 0)")
    assert "stop its nodes first: n1" in migrate(theirs.data, "--from", postgres.url(), expect=1)
    postgres.sql("DELETE FROM hearth.node")
    # An empty PostgreSQL has no databases to move.
    postgres.sql("DROP SCHEMA hearth CASCADE")
    assert "no databases" in migrate(tmp_path / "nothing", "--from", postgres.url(), expect=1)
    assert not (tmp_path / "nothing").exists()
    for arguments in ([], ["--to", "postgres://a/b", "--from", "postgres://a/b"]):
        assert "--to URL" in migrate(mine.data, *arguments, expect=64)
    assert "cannot contain a password" in migrate(mine.data, "--to", "postgres://me:HUSH@a/b", expect=64)
    assert read(serve(rules=OPEN), "x") == 1
