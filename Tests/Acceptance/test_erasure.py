"""Erasing a user from the history: with the command, on a running server and on a stopped folder."""

import json
import os
import subprocess

import pytest

from client import Client
from conftest import HEARTH, hearth
from waits import WAIT_SECONDS

RULES = '{ "rules": { ".read": true, ".write": true } }'
SECRET = "a-secret-of-eve"
# A uid with a composed character: Unicode considers it equal to the decomposed uid of another user.
EVE, OTHER = "e\u0301ve-the-erased 🔥", "\u00e9ve-the-erased 🔥"


def run(server, *arguments, expect=0, told=False):
    done = subprocess.run(
        [HEARTH, *arguments, "--data", str(server.data)], capture_output=True, text=True, timeout=2 * WAIT_SECONDS,
        stdin=subprocess.DEVNULL)
    assert done.returncode == expect, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stderr if told else done.stdout


def history(server, path):
    return [json.loads(line) for line in run(server, "db", "history", path, "--json").splitlines()]


def bytes_on_disk(server):
    found = b""
    for folder, _, names in os.walk(server.data / "databases"):
        for name in names:
            path = os.path.join(folder, name)
            if "sqlite" in name and os.path.isfile(path):
                with open(path, "rb") as file:
                    found += file.read()
    return found


@pytest.mark.parametrize("mode", ["running", "stopped"])
def test_no_file_holds_data_of_an_erased_user(serve, mode):
    server = serve("--history", "7d", "--history-who", rules=RULES)
    run(server, "users", "create", "eve@example.com", "--uid", EVE, "--without-password")
    run(server, "db", "set", "/users/eve", json.dumps({"mail": SECRET}), "--as", EVE)
    run(server, "db", "set", "/rooms/lobby", '"hello"', "--as", EVE)
    run(server, "db", "set", "/rooms/lobby", '"again"', "--as", OTHER, "--force")
    then = history(server, "/rooms/lobby")[1]["position"]
    assert history(server, "/rooms/lobby")[1]["by"]["uid"] == EVE
    if mode == "stopped":
        server.stop()

    command = ("users", "erase", "uid:" + EVE, "--place", "/users/eve", "--json")
    looked = json.loads(run(server, *command, "--dry-run"))
    assert looked["state"] == "done" and looked["account"] is True and looked["batches"] > 0 and looked["records"] > 0
    assert history(server, "/rooms/lobby")[1]["by"]["uid"] == EVE
    run(server, "users", "show", "uid:" + EVE)

    answer = json.loads(run(server, *command, "--yes"))
    assert answer["state"] == "done" and answer["account"] is True and answer["batches"] > 0 and answer["records"] > 0
    assert "backups" in answer["notReached"]

    [again, hello] = history(server, "/rooms/lobby")
    assert "by" not in hello and hello["to"] == "hello" and hello["rules"] == ["/.write"]
    assert again["by"]["uid"] == OTHER
    assert history(server, "/users/eve") == []
    assert json.loads(run(server, "db", "get", "/", "--at", str(then))) == {"rooms": {"lobby": "hello"}}
    assert json.loads(run(server, "db", "get", "/")) == {"rooms": {"lobby": "again"}}
    run(server, "users", "show", "uid:" + EVE, expect=1)
    trail = run(server, "audit", "tail", "-n", "100")
    assert "user_erase" in trail and answer["number"] in trail and EVE not in trail
    assert "eve***" not in trail and "e***@example.com" not in trail
    run(server, "audit", "verify")
    # An unknown or already erased user is reported as such; the command succeeds.
    assert "no account has this uid" in run(server, "users", "erase", "uid:" + EVE, "--yes")
    if mode == "stopped":
        server.start()
    server.stop()
    kept = bytes_on_disk(server)
    assert SECRET.encode() not in kept and EVE.encode() not in kept and OTHER.encode() in kept
    assert os.listdir(server.data / "erasures") == []
    # A restart reads and verifies the whole history, and a backup includes it.
    server.start()
    assert len(history(server, "/rooms/lobby")) == 2
    run(server, "backup", "create", str(server.data.parent / "backups"))
    hearth("backup", "verify", str(server.data.parent / "backups"))


def test_erasing_a_user_signs_connections_out_and_leaves_no_data(serve):
    server = serve("--history", "7d", "--history-who", rules=RULES)
    run(server, "users", "create", "eve@example.com", "--uid", "eve", "--without-password")
    client = Client(server)
    client.sign_in(server.token("eve", mark=SECRET))
    client.call("o", p="/gone", d=True)
    client.call("p", p="/rooms/lobby", d="hello")
    run(server, "users", "erase", "eve", "--yes")
    assert [change["to"] for change in history(server, "/rooms/lobby")] == ["hello"]
    client.close()
    server.stop()
    assert SECRET.encode() not in bytes_on_disk(server)
    server.start()
    assert json.loads(run(server, "db", "get", "/gone")) is True
    assert all(change.get("by", {}).get("uid") != "eve" for change in history(server, "/gone"))


def test_only_the_named_user_of_a_tenant_is_erased(serve):
    server = serve("--history", "7d", "--history-who", rules=RULES)
    tenant = run(server, "tenants", "create", "acme-corp").strip()
    create = ("users", "create", "--without-password", "--uid")
    run(server, *create, "eve-of-acme", "eve@example.com", "--tenant", tenant)
    run(server, *create, "eve-herself", "eve@example.com")
    run(server, "db", "set", "/rooms/lobby", json.dumps(SECRET), "--as", "eve-of-acme")
    run(server, "db", "set", "/rooms/attic", '"hello"', "--as", "eve-herself")
    erase = ("users", "erase", "eve@example.com", "--tenant", tenant, "--place", "/rooms/lobby", "--json")
    looked = json.loads(run(server, *erase, "--dry-run"))
    assert looked["account"] is True and looked["records"] > 0
    answer = json.loads(run(server, *erase, "--yes"))
    assert answer["state"] == "done" and answer["account"] is True
    assert "eve@example.com" in run(server, "users", "show", "eve-herself")
    run(server, "users", "show", "eve-of-acme", "--tenant", tenant, expect=1)
    assert history(server, "/rooms/attic")[0]["by"]["uid"] == "eve-herself"
    trail = run(server, "audit", "tail", "-n", "100", "--tenant", tenant)
    assert answer["number"] in trail and "eve-of-acme" not in trail
    assert "eve-herself" in run(server, "audit", "tail", "-n", "100")
    refused = run(server, "users", "erase", "uid:eve", "--tenant", "acme-corp-zzzzz", "--yes", expect=1, told=True)
    assert "hearth tenants list" in refused
    # An erasure request for a tenant that is deleted before the erasure runs removes the data that is left outside the tenant.
    run(server, "db", "set", "/rooms/cellar", '"hello"', "--as", "kim-of-acme")
    run(server, "tenants", "delete", tenant, "--yes")
    server.stop()
    (server.data / "erasures").mkdir(mode=0o700, exist_ok=True)
    order = {"number": "1a", "uid": "kim-of-acme", "tenantId": tenant, "places": []}
    (server.data / "erasures" / "1a.json").write_text(json.dumps(order))
    server.start()
    run(server, "users", "erase", "uid:somebody-else", "--yes")
    assert all("by" not in change for change in history(server, "/rooms/cellar"))
    assert os.listdir(server.data / "erasures") == []
    server.stop()
    kept = bytes_on_disk(server)
    assert SECRET.encode() not in kept and b"eve-herself" in kept


def test_an_erasure_is_completed_after_a_restart(serve):
    server = serve("--history", "7d", "--history-who", rules=RULES)
    run(server, "db", "set", "/rooms/lobby", '"hello"', "--as", "eve-the-erased")
    server.stop()
    folder = server.data / "erasures"
    folder.mkdir(mode=0o700, exist_ok=True)
    order = {"number": "1a", "uid": "eve-the-erased", "places": []}
    (folder / "1a.json").write_text(json.dumps(order))
    server.start()
    # The command waits for its own request, which runs after the interrupted one.
    run(server, "users", "erase", "somebody-else", "--yes")
    assert all("by" not in change for change in history(server, "/rooms/lobby"))
    assert "erasure 1a" in run(server, "audit", "tail", "-n", "20")
    assert os.listdir(folder) == []


def test_erasure_is_for_administrators_and_takes_locations(serve):
    server = serve(rules=RULES)
    refused = subprocess.run(
        ["curl", "-s", "-X", "POST", server.url + "/.settings/erasures.json", "-d", '{"uid":"a","places":[]}'],
        capture_output=True, text=True)
    assert "Unauthorized" in refused.stdout
    run(server, "users", "erase", "a", "--place", "/", "--yes", expect=64)
    run(server, "users", "erase", "a", expect=64)
    assert "Unknown database other" in run(
        server, "users", "erase", "a", "--place", "/b", "--ns", "other", "--yes", expect=1, told=True)
