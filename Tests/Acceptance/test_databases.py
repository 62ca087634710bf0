"""Creating, deleting and limiting databases: with the command, firebase-admin, sockets and curl."""

import json
import re
import threading

import firebase_admin
import pytest
import requests
from firebase_admin import credentials, db, exceptions

from client import Client
from guide_examples import blocks, run
from waits import WAIT_SECONDS, until

OPEN = '{ "rules": { ".read": true, ".write": true } }'
CLOSED = '{ "rules": {} }'
LIMITED = {"name": "guests", "rules": OPEN, "quotas": {"connections": 7}}


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "open.json"
    path.write_text(OPEN, encoding="utf-8")
    return str(path)


def manage(server, method, place="", **body):
    """Sends an administrator's request about databases."""
    token = (server.data / "keys" / "admin-token").read_text(encoding="utf-8").strip()
    return requests.request(
        method, f"{server.url}/.settings/databases{place}.json", headers={"Authorization": f"Bearer {token}"},
        data=json.dumps(body), timeout=WAIT_SECONDS)


def listed(server):
    return {database["name"]: database for database in manage(server, "GET").json()["databases"]}


def test_a_database_is_created_limited_and_deleted(serve, rules, tmp_path):
    server = serve(rules=CLOSED)
    wanted = requests.put(f"{server.url}/a.json?ns=guests", data="1", timeout=WAIT_SECONDS)
    assert wanted.status_code == 404, "a stranger makes none"
    assert server.run("databases", "create", "guests", "--rules", rules, "--connections", "1K") == (
        "created guests; quotas: connections=1024\n")
    assert "A database with this name already exists." in server.run("databases", "create", "guests", expect=2)
    assert listed(server)["guests"]["quotas"] == {"connections": 1024}
    assert re.search(r"^guests +0 +connections=1024$", server.run("databases", "list"), re.M)
    url = f"{server.url}/a.json?ns=guests"
    assert requests.put(url, data="1", timeout=WAIT_SECONDS).json() == 1
    client = Client(server, ns="guests")
    assert client.listen("/a", 1) == {}
    refused = server.run("databases", "delete", "guests", expect=64)
    assert "confirm with --yes" in refused
    assert server.run("databases", "delete", "guests", "--yes") == "deleted guests\n"
    end = client.receive()
    assert end == {"t": "c", "d": {"t": "s", "d": "This database was deleted."}}, end
    assert client.closed()
    assert requests.get(url, timeout=WAIT_SECONDS).status_code == 404
    assert "guests" not in listed(server)
    assert [path for path in server.data.rglob("guests*")] == []
    trail = server.run("audit", "tail")
    assert "database guests created" in trail and "database guests deleted" in trail
    assert "cannot be deleted" in server.run("databases", "delete", "default", "--yes", expect=2)


def test_a_folder_without_a_server_is_managed_too(serve, rules):
    server = serve(rules=CLOSED)
    server.stop()
    server.run("databases", "create", "guests", "--rules", rules, "--stored-bytes", "64M")
    server.run("databases", "set", "guests", "--client-requests-per-second", "9", "--stored-bytes", "none")
    server.start()
    assert listed(server)["guests"]["quotas"] == {"clientRequestsPerSecond": 9}
    assert requests.put(f"{server.url}/a.json?ns=guests", data="1", timeout=WAIT_SECONDS).status_code == 200


def test_a_kill_leaves_no_half_created_or_half_deleted_database(serve):
    server = serve(rules=CLOSED)
    marks, journal = server.data / "databases" / "guests.deleted", server.data / "databases" / "guests.sqlite"
    for number in range(3):
        assert manage(server, "POST", **LIMITED).status_code == 200
        requests.put(f"{server.url}/a.json?ns=guests", data="1", timeout=WAIT_SECONDS)
        thread = threading.Thread(target=delete, args=[server])
        thread.start()
        if number > 0:
            until(lambda: marks.exists() or not journal.exists())
        server.kill()
        thread.join()
        server.start()
        found = listed(server).get("guests")
        left = sorted(str(path.relative_to(server.data)) for path in server.data.rglob("guests*"))
        if found:
            assert found["quotas"] == {"connections": 7} and "settings/guests.json" in left and "rules/guests" in left
            assert requests.get(f"{server.url}/a.json?ns=guests", timeout=WAIT_SECONDS).json() == 1
            assert manage(server, "DELETE", "/guests").status_code == 200
        else:
            assert left == []


def delete(server):
    try:
        manage(server, "DELETE", "/guests")
    except requests.RequestException:
        pass


def test_a_flooding_client_is_delayed_and_no_other(serve):
    server = serve(rules=OPEN)
    server.run("databases", "set", "default", "--client-requests-per-second", "50")
    client = Client(server)
    numbers = [client.request("p", p=f"/a/{number}", d=number) for number in range(200)]
    answers = {}
    while len(answers) < len(numbers):
        frame = client.receive()["d"]
        answers[frame["r"]] = frame["b"]
    done = [number for number in numbers if answers[number]["s"] == "ok"]
    refused = [number for number in numbers if answers[number]["s"] == "unavailable"]
    assert 50 <= len(done) < 200 and len(done) + len(refused) == 200
    # Five requests are answered after the socket was left unread since a refusal.
    assert len(refused) <= 1 + 150 // 6, "a flood is left where it comes from"
    sentence = "Over quota: this database allows 50 requests a second per client (clientRequestsPerSecond)"
    assert {answers[number]["d"] for number in refused} == {sentence}
    secret = server.secret()
    stored = requests.get(f"{server.url}/a.json?auth={secret}&shallow=true", timeout=WAIT_SECONDS).json()
    assert len(stored) == len(done), "what was refused was not done"
    server.run("databases", "set", "default", "--client-requests-per-second", "1")
    asked = [requests.get(f"{server.url}/none.json", timeout=WAIT_SECONDS) for _ in range(20)]
    over = next(answer for answer in asked if answer.status_code == 429)
    assert over.json() == {"error": sentence.replace("50", "1")} and int(over.headers["Retry-After"]) >= 1
    # The new limit applies at once to the open socket.
    server.run("databases", "set", "default", "--client-requests-per-second", "none")
    for number in range(200):
        client.request("p", p=f"/b/{number}", d=number)
    assert {client.receive()["d"]["b"]["s"] for _ in range(200)} == {"ok"}
    text = requests.get(
        f"{server.url}/.metrics", headers={"Authorization": f"Bearer {secret}"}, timeout=WAIT_SECONDS).text
    counted = re.search(
        r'hearth_quota_refusals_total\{database="default",quota="clientRequestsPerSecond"\} (\d+)', text)
    assert int(counted[1]) >= len(refused)


def test_users_are_counted_apart_and_connections_too(serve):
    server = serve(rules='{ "rules": { ".read": "auth != null" } }')
    server.run("databases", "set", "default", "--client-connections", "1")
    first = Client(server)
    first.sign_in(server.token("ann"))
    second = Client(server)
    second.sign_in(server.token("bob"))
    third = Client(server)
    third.request("auth", cred=server.token("bob"))
    assert third.closed()
    first.call("g", p="/a")
    second.call("g", p="/a")


def test_a_database_at_its_storage_quota_refuses_writes_until_data_is_removed(serve):
    server = serve("--emulator", command="dev", rules=OPEN)
    app = firebase_admin.initialize_app(
        credentials.Base(), {"databaseURL": f"{server.url}?ns=demo"}, name="stored bytes")
    try:
        place = db.reference("big", app)
        place.set("x" * 300_000)
        server.run("databases", "set", "demo", "--stored-bytes", "100K")
        with pytest.raises(exceptions.FirebaseError) as refused:
            db.reference("small", app).set(1)
        assert "this database can store 102400 bytes (storedBytes)" in str(refused.value)
        assert len(place.get()) == 300_000
        place.delete()

        def is_stored():
            try:
                db.reference("small", app).set(1)
                return True
            except exceptions.FirebaseError:
                return False

        until(is_stored)
    finally:
        firebase_admin.delete_app(app)


def test_the_commands_of_the_databases_guide_run(serve):
    server = serve(rules=CLOSED)
    folder = server.data.parent
    (folder / "guests.json").write_text(OPEN, encoding="utf-8")
    (script,) = blocks("Databases.md", "sh")
    output = run(script, folder)
    assert "quotas of guests: clientRequestsPerSecond=20 storedBytes=67108864" in output and "deleted guests" in output
