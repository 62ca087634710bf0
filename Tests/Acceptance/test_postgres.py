"""A server with its databases and accounts in a PostgreSQL: unmodified clients, crashes of both, and administration."""

import json
import threading

import firebase_admin
import pytest
import requests
from client import Client
from conftest import Server, hearth
from disk import status
from firebase_admin import credentials, db
from postgres import PROGRAMS, WHY_NOT, Postgres
from waits import WAIT_SECONDS, until

import secrets_seen

pytestmark = pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)

OPEN = '{ "rules": { ".read": true, ".write": true } }'


@pytest.fixture
def postgres():
    server = Postgres()
    try:
        yield server.start()
    finally:
        server.remove()


def put(server, path, value):
    answer = requests.put(f"{server.url}/{path}.json", json=value, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def read(server, path=""):
    answer = requests.get(f"{server.url}/{path}.json", timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def files(server):
    return sorted(path.name for path in server.data.rglob("*.sqlite*"))


def test_clients_survive_crashes_and_a_backup_is_restored(serve, postgres, tmp_path):
    server = serve("--journal", postgres.url(), "--emulator", command="dev", rules=OPEN)
    app = firebase_admin.initialize_app(
        credentials.Base(), {"databaseURL": f"{server.url}?ns=default"}, name="postgres")
    try:
        db.reference("rooms/a", app).set({"name": "A", "seats": 3})
        assert db.reference("rooms/a/seats", app).transaction(lambda seats: seats + 1) == 4
        assert db.reference("rooms/a", app).get() == {"name": "A", "seats": 4}
    finally:
        firebase_admin.delete_app(app)
    server.run("users", "create", "--uid", "ann-of-postgres")
    server.run("databases", "create", "other")
    server.run("db", "set", "/x", "1", "--ns", "other")
    # The folder has no file of that data.
    assert files(server) == []
    names = postgres.sql("SELECT name FROM hearth.journal ORDER BY name")
    assert names == ["accounts", "databases/default", "databases/other"]

    server.kill()
    server.start()
    assert read(server) == {"rooms": {"a": {"name": "A", "seats": 4}}}
    assert "ann-of-postgres" in server.run("users", "list")

    repository = tmp_path / "backups"
    server.run("backup", "create", str(repository), "--without-keys")
    hearth("restore", str(repository), "--into", str(tmp_path / "restored"))
    restored = serve(name="restored")
    assert restored.run("db", "get", "/rooms/a/name").strip() == '"A"'
    assert restored.run("db", "get", "/x", "--ns", "other").strip() == "1"
    restored.stop()

    server.run("databases", "delete", "other", "--yes")
    assert "databases/other" not in postgres.sql("SELECT name FROM hearth.journal")
    assert "synchronous_standby_names" in hearth("doctor", "--data", str(server.data), expect=1)
    assert server.stop() == 0

    # Commands that work without a server open the same journals.
    assert server.run("db", "get", "/rooms/a/seats").strip() == "4"
    assert "ann-of-postgres" in server.run("users", "list")
    assert files(server) == []


def test_the_server_recovers_from_an_outage_of_postgres(serve, postgres):
    server = serve("--journal", postgres.url(), rules=OPEN)
    put(server, "before", 1)
    listener = Client(server)
    listener.request("q", p="/waits", h="")
    listener.reply()
    writes = Client(server)
    assert status(server, "/.health/ready") == 200

    postgres.kill()
    until(lambda: status(server, "/.health/ready") == 503, "that PostgreSQL is away was not told")
    ready = requests.get(server.url + "/.ready", timeout=WAIT_SECONDS).json()
    assert (ready["databases"], ready["accounts"]) == ("storage-away", "storage-away"), ready
    # Writes wait, and reads continue.
    writes.request("p", p="/waits", d=2)
    assert read(server, "before") == 1
    listener.silent()
    postgres.start()
    writes.reply()
    listener.socket.settimeout(WAIT_SECONDS)
    listener.expect("d", p="waits", d=2)
    until(lambda: status(server, "/.health/ready") == 200, "that PostgreSQL is back was not told")

    # Writes during repeated kills: every acknowledged write is there.
    acknowledged, isOver = [], threading.Event()

    def write():
        number = 0
        while not isOver.is_set():
            number += 1
            put(server, f"n/{number}", number)
            acknowledged.append(number)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    for _ in range(2):
        count = len(acknowledged)
        until(lambda: len(acknowledged) > count + 5, "writes do not go on")
        postgres.kill()
        postgres.start()
    count = len(acknowledged)
    until(lambda: len(acknowledged) > count, "writes do not go on")
    isOver.set()
    writer.join(WAIT_SECONDS)
    server.kill()
    server.start()
    kept = read(server, "n")
    kept = kept[1:] if isinstance(kept, list) else list(kept.values())
    assert kept[:len(acknowledged)] == acknowledged
    assert read(server, "waits") == 2


def test_unsuitable_postgres_servers_prevent_the_start(serve, postgres, tmp_path):
    postgres.sql("CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'HUSH-HUSH-1'")
    secrets_seen.note("HUSH-HUSH-1")

    def refused(*options, name="refused", environment=None):
        server = Server(tmp_path / name, *options, environment=environment)
        with pytest.raises(RuntimeError):
            server.start()
        return server.log()

    log = refused("--journal", f"postgres://locked:HUSH-HUSH-1@/postgres?host={postgres.folder}", name="url")
    assert "cannot contain a password" in log
    assert "password" in refused("--journal", postgres.url("locked"), name="none").lower()
    password = tmp_path / "pgpass"
    password.write_text("*:*:*:locked:HUSH-HUSH-1\n", encoding="utf-8")
    password.chmod(0o600)
    server = serve("--journal", postgres.url("locked", f"&passfile={password}"), rules=OPEN)
    put(server, "x", 1)
    assert "synchronous_standby_names" in server.log()
    # A second server on the same tables.
    assert "another server" in refused("--journal", postgres.url(), name="second")
    server.stop()
    # Its databases are in PostgreSQL, not in the folder.
    assert "--journal" in refused(name="data")
    plain = serve(rules=OPEN, name="plain")
    put(plain, "x", 1)
    plain.stop()
    assert "which --journal would not serve" in refused("--journal", postgres.url(), name="plain")
    postgres.kill()
    assert "no answer from" in refused("--journal", postgres.url(), name="away")
    settings = json.loads((server.data / "settings.json").read_text(encoding="utf-8"))
    assert "HUSH" not in json.dumps(settings)
    # Neither the server's log nor its output has the password.
    assert "HUSH" not in server.log()
