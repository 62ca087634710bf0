"""A data folder of an earlier version opens with all of its content; a folder of a later version is refused."""

import json
import sqlite3
import tarfile

import pytest
import requests

import secrets_seen
from conftest import Server, hearth
from identity import Identity
from old_folders import FOLDERS, OPTIONS, PASSWORD
from waits import WAIT_SECONDS


@pytest.fixture(params=sorted(FOLDERS.glob("*.tar.gz")), ids=lambda path: path.name.removesuffix(".tar.gz"))
def old(request, tmp_path):
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    expected = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    secrets_seen.note(expected["secret"])
    server = Server(tmp_path / "data", *OPTIONS, *expected.get("options", []))
    yield server, expected
    server.kill()


def test_a_folder_of_an_earlier_version_opens_with_everything_in_it(old):
    server, expected = old
    server.start()
    assert json.loads(server.run("db", "export", "/", "-")) == expected["data"]
    assert json.loads(server.run("db", "get", "/", "--ns", "second")) == {"a": {"b": 1}}
    assert server.run("rules", "history", "2").strip() == expected["rules"]
    assert "the first" in server.run("rules", "history")
    assert len(json.loads(server.run("users", "list", "--json"))) == expected["users"]
    # Sessions continue, and passwords, secrets and tokens are valid.
    identity = Identity(server)
    for token, uid in (
            (expected["refreshToken"], "old"), (expected["anonymous"]["refreshToken"], expected["anonymous"]["uid"])):
        assert identity.refresh(token)["user_id"] == uid
    fresh = identity.sign_in("old@example.com", PASSWORD)["idToken"]
    for credential, path, status in (
            (fresh, "/rooms/r1", 200), (fresh, "/users/old", 200), (fresh, "/", 401), (None, "/users/old", 401),
            (server.token("old"), "/users/old", 200), (expected["secret"], "/", 200)):
        answer = requests.get(
            server.url + path + ".json", params={"auth": credential} if credential else {}, timeout=WAIT_SECONDS)
        assert answer.status_code == status, (path, answer.text)
    assert json.loads(server.run("users", "show", "off", "--json"))["disabled"] is True
    shown = json.loads(server.run("triggers", "show", "waiting", "--json"))
    assert shown["status"]["waiting"] == 1, shown
    assert "whole" in server.run("audit", "verify")
    if "past" in expected:
        past = [json.loads(line) for line in server.run("db", "history", "/rooms/r0", "--json").splitlines()]
        assert past == expected["past"] and len(past) == 2 and "by" not in past[1]
    # New writes and sign-ins work in it.
    server.run("db", "set", "/rooms/r4", '{"at":4}')
    assert server.stop() == 0
    server.start()
    assert json.loads(server.run("db", "get", "/rooms/r4")) == {"at": 4}


def test_a_folder_of_a_later_version_is_refused_with_a_reason(tmp_path):
    server = Server(tmp_path / "data")
    server.start()
    server.run("db", "set", "/a", "1")
    assert server.stop() == 0
    database = sqlite3.connect(next((tmp_path / "data" / "databases").glob("*.sqlite")))
    version = database.execute("PRAGMA user_version").fetchone()[0]
    database.execute(f"PRAGMA user_version = {version + 7}")
    database.commit()
    database.close()
    with pytest.raises(RuntimeError) as refused:
        server.start()
    assert f"has format {version + 7}; this version of Hearth supports formats" in str(refused.value)
    assert "has format" in hearth("db", "get", "/", "--data", str(server.data), expect=1)
