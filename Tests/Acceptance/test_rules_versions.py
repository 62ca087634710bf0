"""Rules on a server: deploys with a history, refusals, and rollbacks."""

import json

import requests

from conftest import hearth
from waits import until

CLOSED = '{"rules":{}}\n'
MEMBERS = '{"rules":{"rooms":{"$room":{".read":"auth != null",".write":"auth.uid == $room"}}}}\n'
OPEN = '{"rules":{"rooms":{"$room":{".read":true,".write":"auth.uid == $room"}}}}\n'


def file(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_a_deploy_is_checked_compared_and_kept(serve, tmp_path):
    server = serve()
    members, open_, broken = (
        file(tmp_path, "members.json", MEMBERS), file(tmp_path, "open.json", OPEN),
        file(tmp_path, "broken.json", '{"rules":{".read":"tru"}}'))
    text = server.run("rules", "deploy", members, "--comment", "rooms have members")
    assert "opens  read /rooms/$room  by anyone signed in" in text and "version 2 is in force" in text
    assert "\x1b" not in text
    trial = json.loads(server.run("rules", "deploy", open_, "--dry-run", "--json"))
    assert trial["dryRun"] is True and trial["before"]["id"] == 2 and "version" not in trial
    assert [entry["path"] for entry in trial["diff"]["opened"]] == ["/rooms/$room"]
    refused = server.run("rules", "deploy", open_, "--if-version", "1", expect=1)
    assert "Version 2 is in force, not 1" in refused
    assert requests.get(f"{server.url}/rooms/a.json", timeout=30).status_code == 401
    assert "broken.json:1:20" in server.run("rules", "deploy", broken, expect=2)
    answer = json.loads(server.run("rules", "deploy", open_, "--if-version", "2", "--json"))
    assert answer["version"]["id"] == 3 and answer["isNew"] is True and answer["findings"] == []
    assert requests.get(f"{server.url}/rooms/a.json", timeout=30).status_code == 200
    again = json.loads(server.run("rules", "deploy", open_, "--json"))
    assert again["isNew"] is False and again["version"]["id"] == 3

    history = json.loads(server.run("rules", "history", "--json"))
    assert history["current"] == 3
    assert [(one["id"], one["cause"], one["author"]["kind"]) for one in history["versions"]] == [
        (3, "deploy", "administrator"), (2, "deploy", "administrator"), (1, "found", "unknown")]
    assert history["versions"][1]["comment"] == "rooms have members"
    assert history["versions"][1]["tool"].startswith("hearth rules deploy, by ")
    assert server.run("rules", "history", "2") == MEMBERS
    table = server.run("rules", "history", "-n", "2").splitlines()
    assert table[2].startswith("2 ") and table[2].endswith("deployed: rooms have members") and len(table) == 3
    assert "no version 9" in server.run("rules", "history", "9", expect=2)


def test_rules_are_rolled_back_after_a_crash_and_on_a_stopped_folder(serve, tmp_path):
    server = serve(rules=CLOSED)
    members, open_ = file(tmp_path, "members.json", MEMBERS), file(tmp_path, "open.json", OPEN)
    server.run("rules", "deploy", members)
    server.run("rules", "deploy", open_)
    server.kill()
    # Without the rules file, which would be deployed again at the start.
    del server.arguments[-2:]
    server.start()
    plan = json.loads(server.run("rules", "rollback", "--dry-run", "--json"))
    assert (plan["before"]["id"], plan["target"]["id"]) == (3, 2)
    assert [entry["path"] for entry in plan["diff"]["closed"]] == ["/rooms/$room"]
    text = server.run("rules", "rollback", "--comment", "too open")
    assert "back to version 2" in text and "version 4 is in force" in text
    assert requests.get(f"{server.url}/rooms/a.json", timeout=30).status_code == 401
    server.run("rules", "rollback", "3", "--if-version", "3", expect=1)
    server.stop()
    server.run("rules", "rollback", "3")
    history = json.loads(server.run("rules", "history", "--json"))
    assert [one.get("original") for one in history["versions"]] == [3, 2, None, None, None]
    server.start()
    assert requests.get(f"{server.url}/rooms/a.json", timeout=30).status_code == 200


def test_rules_of_another_database_and_another_server_are_deployed(serve, tmp_path):
    server = serve()
    members = file(tmp_path, "members.json", MEMBERS)
    assert "hearth rules deploy --create" in server.run("rules", "deploy", members, "--ns", "second", expect=2)
    assert server.run("rules", "deploy", members, "--ns", "second", "--create", "--dry-run").endswith("was changed\n")
    server.run("rules", "history", "--ns", "second", expect=2)
    server.run("rules", "deploy", members, "--ns", "second", "--create")
    assert server.run("rules", "history", "2", "--ns", "second") == MEMBERS
    token = server.data.parent / "token"
    token.write_text((server.data / "keys" / "admin-token").read_text())
    there = ["--server", server.url, "--token-file", str(token), "--data", str(tmp_path / "none")]
    assert json.loads(hearth("rules", "history", "--json", *there))["current"] == 1
    token.write_text("no-token\n")
    error = hearth("rules", "history", "--json", *there, expect=2)
    assert "does not accept this administrator's token" in error
    assert "error" in json.loads(error.splitlines()[0])


def test_rules_are_staged_promoted_and_rolled_back(serve, tmp_path):
    server = serve(rules='{"rules":{"$room":{".read":"auth != null",".write":"auth != null"}}}')
    strict = file(tmp_path, "strict.json", '{"rules":{"$room":{".read":"auth.uid === $room",".write":"auth != null"}}}')
    ann = server.token("ann")

    def read(room):
        return requests.get(f"{server.url}/{room}.json", params={"auth": ann}, timeout=30).status_code

    assert "nothing is staged" in server.run("rules", "stage", "--status")
    assert "No rules are staged" in server.run("rules", "promote", expect=2)
    text = server.run("rules", "stage", strict, "--comment", "own rooms alone")
    assert "closes  read /$room" in text and "trial started" in text
    assert "at least 1 wanted" in server.run("rules", "promote", expect=1)
    assert [read(room) for room in ["ann", "bob", "eve"]] == [200, 200, 200]
    until(lambda: json.loads(server.run("rules", "stage", "--status", "--json"))["trial"]["judged"] == 3)
    text = server.run("rules", "stage", "--status", "--refresh")
    assert "3 decisions judged, 1 the same" in text and "2 would be denied" in text
    assert "would be denied  read /$room  ×2" in text and ".read at /$room 1:" in text
    refused = json.loads(server.run("rules", "promote", "--max-flips", "1", "--json", expect=1).splitlines()[0])
    assert refused["exceeded"] == [{"bound": "maxFlips", "limit": 1, "found": 2}]
    assert refused["figures"]["closed"] == 2 and "2 decisions would change" in refused["error"]
    assert "within bounds" in server.run("rules", "promote", "--max-flips", "2", "--dry-run")
    text = server.run("rules", "promote", "--max-flips", "2", "--watch", "10m", "--rollback-denials", "1")
    assert "version 2 is in force, and watched until" in text
    assert read("bob") == 401
    assert "version 2 is watched until" in server.run("rules", "history")
    assert read("bob") == 401
    until(lambda: read("bob") == 200)
    history = json.loads(server.run("rules", "history", "--json"))
    assert [one["cause"] for one in history["versions"]] == ["automaticRollback", "promote", "deploy"]
    assert "requests were denied, at most 1 allowed" in history["versions"][0]["comment"]
    assert "the previous rules are in force again" in server.log()
    # The result of the trial is reported at its end, and nothing of the trial remains.
    server.run("rules", "stage", strict)
    assert json.loads(server.run("rules", "stage", "--clear", "--json"))["trial"]["judged"] == 0
    server.run("rules", "stage", "--clear", expect=2)
    server.stop()
    assert "needs a running server" in server.run("rules", "stage", strict, expect=2)
