"""Data folders of earlier versions, which later versions must be able to open.

Whenever a format on disk changes, one folder is made with the last version that writes the old format. It is never made again:

HEARTH=.build/debug/hearth .venv/bin/python Tests/Acceptance/old_folders.py NAME

makes Tests/Acceptance/Folders/NAME.tar.gz with `data`, the folder of a killed server, and `expected.json`, the content that must be
found in it."""

import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import requests

from conftest import HEARTH, ROOT, Server
from identity import Identity
from waits import WAIT_SECONDS

FOLDERS = ROOT / "Tests" / "Acceptance" / "Folders"
OPTIONS = ["--sign-in", "password,anonymous", "--project", "old-project"]
# The options for folders with history; their retention is long enough to keep all of it.
PAST = ["--history-bytes", "1G", "--history-who"]
RULES = """{ "rules": {
  // Kept with its comments.
  "rooms": { "$room": { ".read": "auth.token.role === 'reader'", ".write": "auth !== null", ".indexOn": "at" } },
  "users": { "$uid": { ".read": "auth.uid === $uid" } }
} }"""
DATA = {
    "rooms": {
        "r1": {"title": "Größe 🔥", "at": 9007199254740993, "kinds": {"a": 1.5, "b": True, "c": "x"}, ".priority": 5},
        "r2": {"title": {".value": "Lobby", ".priority": "p"}, "at": -0.25}},
    "users": {"old": {"note": "mine"}}}
PASSWORD = "correct horse battery"


def fill(server):
    """Writes data of each kind that the server stores; returns what later versions must find."""
    def rest(method, path, value, **parameters):
        answer = requests.request(
            method, f"{server.url}{path}.json", params={"auth": server.secret(), **parameters}, data=json.dumps(value),
            timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text

    rest("PUT", "/", {"gone": 1})
    # An account that was erased: the erasure rewrites batches of the log, and others lie before and after them.
    server.run("db", "set", "/rooms/r0", '{"at":0}', "--as", "erased")
    server.run("users", "erase", "erased", "--yes")
    rest("PUT", "/", DATA)
    rest("PUT", "/.settings/rules", {"rules": {".read": True}}, ns="second")
    rest("PUT", "/a", {"b": 1}, ns="second")
    identity = Identity(server)
    subprocess.run(
        [HEARTH, "users", "create", "old@example.com", "--uid", "old", "--password-stdin", "--data", str(server.data)],
        input=PASSWORD + "\n", text=True, check=True, timeout=WAIT_SECONDS)
    server.run("users", "set-claims", "old", '{"role":"reader"}')
    server.run("users", "create", "--uid", "off")
    server.run("users", "disable", "off")
    signed_in = identity.sign_in("old@example.com", PASSWORD)
    anonymous = identity.post("accounts:signUp", {"returnSecureToken": True})
    # An undelivered event, which the journal itself holds.
    server.run("triggers", "add", "waiting", "--path", "/rooms/{room}", "--on", "write", "--url", "http://127.0.0.1:9/")
    server.run("triggers", "pause", "waiting")
    rest("PUT", "/rooms/r3", {"at": 3})
    past = [json.loads(line) for line in server.run("db", "history", "/rooms/r0", "--json").splitlines()]
    data = {**DATA, "rooms": {**DATA["rooms"], "r3": {"at": 3}}}
    return {
        "data": data, "rules": RULES, "secret": server.secret(), "refreshToken": signed_in["refreshToken"],
        "anonymous": {"uid": anonymous["localId"], "refreshToken": anonymous["refreshToken"]}, "users": 3,
        "options": PAST, "past": past}


def make(name):
    with tempfile.TemporaryDirectory() as folder:
        rules = pathlib.Path(folder) / "rules.json"
        rules.write_text(RULES, encoding="utf-8")
        server = Server(pathlib.Path(folder) / "data", *OPTIONS, *PAST)
        server.start()
        server.run("rules", "deploy", str(rules), "--comment", "the first")
        expected = fill(server)
        server.kill()
        (pathlib.Path(folder) / "expected.json").write_text(json.dumps(expected, indent=1), encoding="utf-8")
        FOLDERS.mkdir(exist_ok=True)
        with tarfile.open(FOLDERS / f"{name}.tar.gz", "w:gz") as archive:
            for part in ("data", "expected.json"):
                archive.add(pathlib.Path(folder) / part, part, filter=regular)


def regular(member):
    """Leaves out sockets, and clears the owner of each file."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member if member.isreg() or member.isdir() else None


if __name__ == "__main__":
    make(sys.argv[1])
