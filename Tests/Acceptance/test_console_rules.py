"""Explanations of denials, and trial requests against other rules, for the console's rules view."""

import json

import pytest

from client import Client
from conftest import hearth
from console_client import CLOSED, OPEN, Events, Session, admin, server, start_link, viewer

ROOMS = """{"rules": {
  "rooms": {"$room": {
    ".read": "auth != null && root.child('members').child($room).child(auth.uid).exists()",
    ".write": "auth != null && root.child('members').child($room).child(auth.uid).val() == 'owner'",
    "title": {".validate": "newData.isString() && newData.val().length < 20"}
  }}
}}"""
DATA = {"members": {"lobby": {"kim": "owner"}}, "rooms": {"lobby": {"title": "Lobby"}}}


@pytest.fixture
def chat(serve, request):
    """A server with rooms, and an administrator's session."""
    server = serve(*getattr(request, "param", ()), rules=ROOMS)
    session = Session(*start_link(server))
    live = session.socket(server)
    live.call("p", p="/", d=DATA)
    live.close()
    return server, session


def client(server, uid=None, **claims):
    live = Client(server)
    if uid:
        live.sign_in(server.token(uid, **claims))
    return live


def newest(session):
    """Returns the newest denial of the stream; skips older ones."""
    stream = Events(session, "ns=default&topics=denials")
    _, denial = stream.next("denial")
    stream.close()
    return denial


def refused(chat, uid, operation, path, value=None, **claims):
    """Makes a request that is denied, and returns its denial from the stream."""
    server, session = chat
    stream = Events(session, "ns=default&topics=denials")
    live = client(server, uid, **claims)
    if operation == "q":
        live.listen(path, status="permission_denied")
    else:
        live.call(operation, status="permission_denied", p=path, d=value)
    while True:
        _, denial = stream.next("denial")
        if denial["path"] == path:
            stream.close()
            return denial


def attempt(session, body, status=200):
    answer = session.ask("POST", "try", body)
    assert answer.status == status, answer.body
    return answer.json


def check_test(text, rules, tmp_path, expect=0):
    (tmp_path / "rules.json").write_text(rules)
    (tmp_path / "case.test.json").write_text(text)
    return hearth("rules", "test", "--rules", str(tmp_path / "rules.json"), str(tmp_path / "case.test.json"), expect=expect)


# MARK: One denial

def test_a_refused_listen_is_explained_with_the_data_at_its_time(chat, tmp_path):
    server, session = chat
    denial = refused(chat, "mira", "q", "/rooms/lobby")
    live = session.socket(server)
    live.call("p", p="/members/lobby/mira", d="guest")
    answer = session.get(f"denials/{denial['id']}")
    assert answer["denial"]["id"] == denial["id"] and answer["explained"] is True and answer["dataOf"] == "denial"
    assert answer["request"]["read"] == "/rooms/lobby" and answer["request"]["auth"]["uid"] == "mira"
    assert answer["inForce"] is True and "source" not in answer
    explanation = answer["explanation"]
    assert explanation["allowed"] is False and explanation["outcome"] == "noGrant"
    whole = explanation["trace"][0]["expression"]
    first, second = whole["operands"]
    assert (first["text"], first["value"]) == ("auth != null", True)
    assert second["value"] is False and second["text"].endswith(".exists()")
    lines = ROOMS.splitlines()
    for part in whole, first, second:
        assert part["line"] == part["endLine"] == 3
        assert lines[2][part["column"] - 1:part["endColumn"] - 1] == part["text"]
    [read] = explanation["trace"][0]["reads"]
    assert read == {"path": "/members/lobby/mira", "after": False, "aspect": "exists", "value": False}
    assert "^^^" in answer["text"]
    assert "1 passed" in check_test(answer["test"], ROOMS, tmp_path)


def test_a_refused_write_keeps_its_value_and_the_rules_at_its_time(chat, tmp_path):
    server, session = chat
    denial = refused(chat, "kim", "p", "/rooms/lobby", {"title": "<b>" + "x" * 20})
    answer = session.get(f"denials/{denial['id']}?peek=1")
    assert answer["request"]["write"] == "/rooms/lobby" and answer["request"]["value"] == {"title": "<b>" + "x" * 20}
    assert answer["explanation"]["outcome"] == "invalid" and answer["explanation"]["rule"]["kind"] == "validate"
    check_test(answer["test"], ROOMS, tmp_path)
    deployed = session.ask("POST", "server/.settings/rules/versions.json?ns=default", {"source": OPEN})
    assert deployed.status == 200
    answer = session.get(f"denials/{denial['id']}")
    assert answer["inForce"] is False and answer["source"] == ROOMS


def test_each_of_many_denials_is_explained_by_its_id(chat):
    """A cancelled listen has its connection's name alone as its trace, and so has another one."""
    server, session = chat
    live = session.socket(server)
    live.call("p", p="/members", d={"lobby": {"mira": "guest"}, "hall": {"mira": "guest"}})
    mira = client(server, "mira")
    mira.listen("/rooms/lobby", DATA["rooms"]["lobby"])
    mira.listen("/rooms/hall")
    stream = Events(session, "ns=default&topics=denials")
    live.call("p", p="/members", d=None)
    denials = [stream.next("denial")[1] for _ in range(2)]
    stream.close()
    assert denials[0]["trace"] == denials[1]["trace"] and {each["cause"] for each in denials} == {"data"}
    for denial in denials:
        answer = session.get(f"denials/{denial['id']}")
        assert answer["explanation"]["path"] == denial["path"] == answer["request"]["read"]


def test_an_unknown_denial_is_reported_as_missing(chat):
    server, session = chat
    refused(chat, None, "q", "/rooms/lobby")
    for name in "0", "999999", "x", "-1", "", "1/2", "18446744073709551616", "%31":
        answer = session.ask("GET", f"denials/{name}")
        assert answer.status == 404 and set(answer.json) == {"error"}, (name, answer.body)
    for method in "POST", "PUT", "DELETE", "PATCH":
        assert session.ask(method, "denials/1", {}).status == 405


def test_a_denial_too_large_to_keep_is_listed_with_its_rule(chat):
    server, session = chat
    denial = refused(chat, "mira", "p", "/rooms/lobby", {"body": "x" * 100_000})
    answer = session.get(f"denials/{denial['id']}")
    assert answer["explained"] is False and "too much" in answer["reason"] and "request" not in answer
    assert answer["denial"]["rule"]["kind"] == "write"
    answer = session.ask("POST", "try", {"denial": denial["id"]})
    assert answer.status == 404


@pytest.mark.parametrize("chat", [("--no-denial-values",)], indirect=True)
def test_values_of_denials_are_kept_only_when_allowed(chat):
    server, session = chat
    denial = refused(chat, "mira", "p", "/rooms/lobby", {"title": "treasure"})
    answer = session.get(f"denials/{denial['id']}")
    assert answer["explained"] is False and "--no-denial-values" in answer["reason"]
    assert "treasure" not in json.dumps(answer)
    by_trace = session.ask("GET", f"server/.settings/denials/{denial['trace']}.json")
    assert by_trace.status == 404 and "--no-denial-values" in by_trace.json["error"]


def test_a_viewer_may_explain_denials_and_try_rules(server, viewer):
    live = Client(server)
    live.listen("/rooms", status="permission_denied")
    denial = newest(viewer)
    assert viewer.get(f"denials/{denial['id']}")["explained"] is True
    assert attempt(viewer, {"denial": denial["id"], "rules": OPEN})["allowed"] is True


# MARK: Trials

def test_requests_of_every_kind_are_tried_as_every_kind_of_user(chat, tmp_path):
    server, session = chat
    kim, mira = {"uid": "kim", "token": {}}, {"uid": "mira", "token": {}}
    for request, allowed in [
        ({"read": "/rooms/lobby", "auth": kim}, True), ({"read": "/rooms/lobby", "auth": mira}, False),
        ({"read": "/rooms/lobby", "auth": None}, False), ({"read": "/rooms/lobby"}, False),
        ({"read": "/rooms/lobby", "auth": kim, "query": {"l": 5, "vf": "r", "i": ".key", "sp": "a"}}, True),
        ({"write": "/rooms/lobby/title", "value": "Hall", "auth": kim}, True),
        ({"write": "/rooms/lobby/title", "value": 5, "auth": kim}, False),
        ({"update": "/rooms/lobby", "value": {"title": "x", "size": 2}, "auth": kim}, True),
        ({"delete": "/rooms/lobby", "auth": kim}, True), ({"delete": "/rooms/lobby", "auth": mira}, False),
        ({"write": "/rooms/lobby/at", "value": {".sv": "timestamp"}, "auth": kim, "now": 5}, True),
    ]:
        answer = attempt(session, {"database": "default", "request": request})
        assert answer["allowed"] is allowed and answer["explanation"]["allowed"] is allowed, request
        assert answer["dataOf"] == "now" and answer["isComplete"] is True
        check_test(answer["test"], ROOMS, tmp_path)
    everybody = attempt(session, {"database": "default", "request": {"write": "/x", "value": 1}, "administrator": True})
    assert everybody["allowed"] is True and everybody["explanation"] is None
    outline = session.get("outline?ns=default&path=/rooms/lobby")
    assert outline["count"] == 1, "nothing was written"
    denial = refused(chat, None, "q", "/elsewhere")
    assert (denial["id"], denial["count"]) == ("1", 1), "and nothing was told as a refusal before"


def test_a_denial_is_tried_with_other_rules_on_its_own_data(chat):
    server, session = chat
    denial = refused(chat, "mira", "p", "/rooms/lobby/title", "Hall")
    again = attempt(session, {"denial": denial["id"]})
    assert again["allowed"] is False and again["dataOf"] == "denial" and again["isComplete"] is True
    guest = ROOMS.replace("== 'owner'", "!= 'banned'")
    live = session.socket(server)
    live.call("p", p="/members/lobby/mira", d="banned")
    tried = attempt(session, {"denial": denial["id"], "rules": guest})
    assert tried["allowed"] is True and tried["isComplete"] is True, "as it was, not as it is"
    other = ROOMS.replace("root.child('members').child($room).child(auth.uid).val() == 'owner'",
                          "root.child('open').child($room).val() == true")
    tried = attempt(session, {"denial": denial["id"], "rules": other})
    assert tried["allowed"] is False and tried["isComplete"] is False, "nobody kept what is at /open"
    claims = ROOMS.replace("root.child('members').child($room).child(auth.uid).val() == 'owner'", "auth.token.moderator == true")
    tried = attempt(session, {"denial": denial["id"], "rules": claims})
    assert tried["allowed"] is False and tried["isComplete"] is True


def test_the_rules_of_a_stored_version_are_tried(chat):
    server, session = chat
    path = "server/.settings/rules/versions.json?ns=default"
    assert session.ask("POST", path, {"source": OPEN, "comment": "open"}).status == 200
    first, second = sorted(version["id"] for version in session.ask("GET", path).json["versions"])
    request = {"database": "default", "request": {"read": "/rooms/lobby"}}
    assert attempt(session, request)["allowed"] is True
    assert attempt(session, {**request, "version": first})["allowed"] is False
    assert attempt(session, {**request, "version": second})["allowed"] is True
    attempt(session, {**request, "version": 99}, status=404)


@pytest.mark.parametrize("body", [
    {}, {"request": 1}, {"request": []}, {"request": {"read": "/"}, "denial": "1"}, {"denial": 1}, {"denial": "x"},
    {"request": {"read": "/"}, "rules": 1}, {"request": {"read": "/"}, "rules": "{"}, {"request": {"read": "/"}, "version": "1"},
    {"request": {"read": "/"}, "version": 0}, {"request": {"read": "/"}, "version": 1, "rules": OPEN},
    {"request": {}}, {"request": {"read": 1}}, {"request": {"read": "a.b"}}, {"request": {"read": "/", "write": "/"}},
    {"request": {"write": "/"}}, {"request": {"write": "/", "value": {"a.b": 1}}}, {"request": {"update": "/", "value": 1}},
    {"request": {"read": "/", "auth": 1}}, {"request": {"read": "/", "auth": []}}, {"request": {"read": "/", "now": -1}},
    {"request": {"read": "/", "now": 1e300}}, {"request": {"read": "/", "query": 1}}, {"request": {}, "administrator": True},
    {"request": {"read": "/", "query": {"l": -1}}}])
def test_an_invalid_trial_is_refused_with_a_reason(admin, body):
    answer = admin.ask("POST", "try", {"database": "default", **body})
    assert answer.status == 400 and set(answer.json) == {"error"} and answer.json["error"], (body, answer.body)


def test_other_databases_and_methods_are_refused(admin):
    for name in "none", "", "../x", None:
        answer = admin.ask("POST", "try", {"database": name, "request": {"read": "/"}})
        assert answer.status == 404, name
    for method in "GET", "PUT", "DELETE":
        assert admin.ask(method, "try", {}).status == 405
