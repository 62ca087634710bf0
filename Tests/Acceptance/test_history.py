"""History: earlier values, the author of each change, and restoring a value, with the command and over HTTP."""

import datetime
import json
import subprocess

import pytest
import requests

from conftest import HEARTH
from waits import WAIT_SECONDS, until

RULES = """{ "rules": {
  "rooms": { "$room": {
    ".read": "root.child('members/' + $room + '/' + auth.uid).val() == true",
    ".write": "auth != null" } },
  "members": { ".write": true } } }"""


def db(folder, *arguments, expect=0):
    done = subprocess.run(
        [HEARTH, "db", *arguments, "--data", str(folder)], capture_output=True, text=True, timeout=2 * WAIT_SECONDS,
        stdin=subprocess.DEVNULL)
    assert done.returncode == expect, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout if expect == 0 else done.stdout + done.stderr


def position(server):
    """Returns the position of the last commit."""
    return int(request(server, "/.json?at=0s").headers["X-Hearth-Position"])


def request(server, target):
    secret = subprocess.run(
        [HEARTH, "secrets", "list", "--plain", "--data", str(server.data)], capture_output=True, text=True, check=True)
    return requests.get(server.url + target, params={"auth": secret.stdout.split()[0]}, timeout=WAIT_SECONDS)


@pytest.mark.parametrize("restart", [False, True], ids=["running", "restarted"])
def test_history_is_shown_read_and_restored(serve, restart):
    server = serve("--history", "7d", "--history-who", rules=RULES)
    db(server.data, "set", "/members/lobby/ann", "true", "--as", "ann")
    db(server.data, "set", "/rooms/lobby", '{"topic":"first","n":1}', "--as", "ann")
    then = position(server)
    before = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    # The next write gets a later timestamp, in milliseconds.
    until(lambda: datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds") > before)
    db(server.data, "set", "/rooms/lobby/topic", '"second"')
    db(server.data, "remove", "/members/lobby/ann", "--force")
    if restart:
        server.stop()
        server.start()

    lines = db(server.data, "history", "/rooms/lobby/topic").splitlines()
    assert len(lines) == 2 and '"first" -> "second"' in lines[0] and 'null -> "first"' in lines[1]
    # The rule that allowed the write. No rule is evaluated for an administrator, even one that acts as ann.
    assert "an administrator" in lines[0] and " by " not in lines[0]
    assert "an administrator as ann" in lines[1] and lines[1].endswith("  by /rooms/$room/.write")
    [last, first] = [json.loads(line) for line in db(server.data, "history", "/rooms/lobby/topic", "--json").splitlines()]
    assert last["by"]["isAdministrator"] and last["by"]["address"] == "machine" and first["position"] == then
    assert json.loads(db(server.data, "history", "/rooms/lobby/topic", "--json", "--limit", "1", "--before",
                         str(last["position"])))["position"] == then

    assert json.loads(db(server.data, "get", "/rooms/lobby", "--at", str(then))) == {"n": 1, "topic": "first"}
    assert db(server.data, "get", "/rooms/lobby/topic", "--at", before) == '"first"\n'
    assert db(server.data, "get", "/rooms/lobby/topic", "--at", "0 seconds ago") == '"second"\n'
    # The request is evaluated with the rules, the data and the clock of that time.
    assert json.loads(db(server.data, "get", "/rooms/lobby/topic", "--at", str(then), "--as", "ann")) == "first"
    refused = db(server.data, "get", "/rooms/lobby", "--at", str(position(server)), "--as", "ann", expect=1)
    assert "Permission denied" in refused and "^^^" in refused and "/members/lobby/ann" in refused

    difference = db(server.data, "restore", "/rooms/lobby", "--at", str(then), "--dry-run")
    assert difference == '~ /rooms/lobby/topic  "second" -> "first"\n'
    assert db(server.data, "get", "/rooms/lobby/topic") == '"second"\n'
    count = position(server)
    assert db(server.data, "restore", "/rooms/lobby", "--at", str(then), "--force") == "restored /rooms/lobby\n"
    assert position(server) == count + 1
    assert json.loads(db(server.data, "get", "/rooms/lobby")) == {"n": 1, "topic": "first"}


def test_a_stopped_folder_keeps_its_history(serve):
    server = serve("--history", "7d", rules=RULES)
    db(server.data, "set", "/rooms/lobby", "1")
    db(server.data, "set", "/rooms/lobby", "2", "--force")
    server.stop()
    lines = db(server.data, "history", "/rooms/lobby").splitlines()
    assert len(lines) == 2 and lines[0].endswith("1 -> 2")
    settings = json.loads((server.data / "settings.json").read_text())
    assert settings["historyMilliseconds"] == 7 * 86_400_000


def explain(folder, *arguments, expect=0):
    done = subprocess.run(
        [HEARTH, "rules", "explain", *arguments, "--data", str(folder)], capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS)
    assert done.returncode == expect, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done


def test_earlier_rules_explain_a_request_at_their_time(serve, tmp_path):
    server = serve("--history", "7d", "--history-who", rules=RULES)
    db(server.data, "set", "/members/lobby/ann", "true")
    then = position(server)
    db(server.data, "remove", "/members/lobby/ann", "--force")
    (tmp_path / "closed.json").write_text('{"rules": {".read": false}}')
    subprocess.run(
        [HEARTH, "rules", "deploy", str(tmp_path / "closed.json"), "--data", str(server.data)], check=True,
        capture_output=True)
    asked = ["--read", "/rooms/lobby", "--uid", "ann"]
    allowed = explain(server.data, "--at", str(then), *asked)
    assert "is allowed by .read at /rooms/$room" in allowed.stdout and f"after commit {then}" in allowed.stdout
    assert "are not kept" in allowed.stderr and "no such account" in allowed.stderr
    refused = explain(server.data, "--at", str(then + 1), *asked, expect=1)
    assert "/members/lobby/ann" in refused.stdout
    now = explain(server.data, "--at", "0s", *asked, "--json", expect=1)
    assert json.loads(now.stdout)["rule"]["path"] == "/"
    # Claims on the command line are used, and the output does not mention them.
    assert explain(server.data, "--at", str(then), *asked, "--claims", '{"a":1}').stderr == ""
    # A write at that time is explained, too.
    wrote = explain(server.data, "--at", str(then), "--write", "/rooms/lobby/x", "--value", "1", "--uid", "ann")
    assert "is allowed by .write at /rooms/$room" in wrote.stdout
    assert "omit the rules file" in explain(server.data, "rules.json", "--at", "2h", *asked, expect=2).stderr


def test_an_invalid_time_is_refused_with_its_column(serve):
    server = serve(rules=RULES)
    refused = db(server.data, "get", "/rooms", "--at", "10 fortnights ago", expect=64)
    assert "column 4" in refused and "fortnights" in refused
