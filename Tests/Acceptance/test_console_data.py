"""Data in the console: reading as another user, outlines without values, and live events."""

import json
import urllib.parse

import pytest
import requests

from client import Client
from console_client import CLOSED, OPEN, Events, Session, admin, link, put, server, start_link, viewer
from waits import WAIT_SECONDS, until


def test_a_viewer_reads_all_data_and_writes_none(serve):
    server = serve(rules=OPEN)
    admin, viewer = Session(*start_link(server)), Session(*link(server.run("console", "--read-only")))
    put(admin, "rooms", {"a": 1}, server)
    live = viewer.socket(server)
    live.listen("/rooms", {"a": 1})
    for action, body in (
            ("p", {"p": "/rooms/a", "d": 2}), ("m", {"p": "/rooms", "d": {"a": 2}}), ("p", {"p": "/rooms", "d": None}),
            ("p", {"p": "/rooms/a", "d": 2, "h": ""}), ("o", {"p": "/rooms/a", "d": 2}),
            ("om", {"p": "/rooms", "d": {"a": 2}}), ("p", {"p": "/rooms/a/.priority", "d": 2})):
        number = live.request(action, **body)
        answer = live.receive()
        assert answer["d"]["r"] == number and answer["d"]["b"]["s"] in ("permission_denied", "datastale"), (action, body, answer)
    live.close()
    reader = admin.socket(server)
    reader.listen("/rooms", {"a": 1})


def test_a_viewer_reads_data_that_rules_close(server, admin, viewer):
    put(admin, "closed", "x", server)
    viewer.socket(server).listen("/", {"closed": "x"})


@pytest.mark.parametrize("role", ["admin", "viewer"])
def test_a_session_that_acts_as_another_user_cannot_write(serve, role):
    rules = '{"rules": {"mine": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}}, "all": {".write": true}}}'
    server = serve(rules=rules)
    session = Session(*(start_link(server) if role == "admin" else link(server.run("console", "--read-only"))))
    live = session.socket(server, authvar={"uid": "kim"})
    live.listen("/mine/kim")
    live.listen("/mine/mira", status="permission_denied")
    for path in ("/mine/kim", "/all"):
        live.call("p", status="permission_denied", p=path, d=1)
    nobody = session.socket(server, noauth=True)
    nobody.listen("/mine/kim", status="permission_denied")
    nobody.call("p", status="permission_denied", p="/all", d=1)


def test_a_console_credential_opens_only_sockets(server, admin):
    put(admin, "a", 1, server)
    credential = admin.credential()["credential"]
    for options in ({"params": {"auth": credential}}, {"params": {"access_token": credential}},
                    {"headers": {"Authorization": f"Bearer {credential}"}}):
        answer = requests.get(f"{server.url}/a.json", timeout=WAIT_SECONDS, **options)
        assert answer.status_code == 401 and answer.json() != 1
        answer = requests.get(f"{server.url}/.settings/rules.json", timeout=WAIT_SECONDS, **options)
        assert answer.status_code == 401
    cookies = {"Cookie": admin.cookie, "X-Hearth-Console": admin.token}
    assert requests.get(f"{server.url}/a.json", headers=cookies, timeout=WAIT_SECONDS).status_code == 401
    assert admin.ask("POST", "credential", {"database": "none"}).status == 404
    assert admin.ask("POST", "credential", {"database": "../x"}).status == 404
    assert admin.ask("POST", "credential", {}).status == 400


def test_the_databases_are_listed(serve):
    server = serve(rules=CLOSED)
    server.run("databases", "create", "other")
    session = Session(*start_link(server))
    # The server deploys its rules file to the default database at each start, which the page mentions in the dialog of a deploy.
    wanted = [{"name": "default", "isDefault": True, "rulesPath": str(server.rules)}, {"name": "other", "isDefault": False}]
    # A node of a cluster checks for new databases every two seconds.
    until(lambda: session.get("databases") == {"databases": wanted})


def test_an_outline_holds_no_values(server, admin, viewer):
    markup = "<script>alert(1)</script>"
    put(admin, "node", {"10": 1, "9": "text", "a": True, "b": {"c": {"d": 1}, "e": 2}, markup.replace("/", "|"): 1}, server)
    answer = viewer.get("outline?ns=default&path=/node")
    assert (answer["kind"], answer["count"], answer["isExact"], answer["hasPriority"], answer["more"]) == (
        "object", 5, True, False, False)
    assert [(row["key"], row["kind"], row["count"]) for row in answer["rows"]] == [
        ("9", "string", 0), ("10", "number", 0), ("<script>alert(1)<|script>", "number", 0), ("a", "boolean", 0), ("b", "object", 2)]
    assert all(set(row) == {"key", "kind", "count", "bytes"} for row in answer["rows"])
    first = admin.get("outline?ns=default&path=/node&limit=2")
    assert first["more"] and [row["key"] for row in first["rows"]] == ["9", "10"]
    rest = admin.get("outline?ns=default&path=/node&dir=desc&from=a")
    assert [row["key"] for row in rest["rows"]] == ["<script>alert(1)<|script>", "10", "9"]
    assert admin.get("outline?ns=default&path=/nothing")["kind"] == "null"
    deep = admin.get("outline?ns=default&path=/&order=child&child=b/e")
    assert [row["key"] for row in deep["rows"]] == ["node"]


@pytest.mark.parametrize("query, status", [
    ("", 404), ("ns=none", 404), ("ns=../default", 404), ("ns=default&path=/a.b", 400), ("ns=default&path=/a/.priority", 400),
    ("ns=default&order=x", 400), ("ns=default&order=child", 400), ("ns=default&dir=up", 400), ("ns=default&limit=0", 400),
    ("ns=default&limit=501", 400), ("ns=default&limit=x", 400), ("ns=default&from=a/b", 400), ("ns=default&from=", 400),
    ("ns=default&order=value&from=gone", 400), ("ns=default&ns=default", 400), ("ns=default&path=%ff", 400),
    ("ns=default&path=" + "/a" * 40, 400)])
def test_invalid_outline_requests_are_refused(admin, query, status):
    assert set(admin.get("outline?" + query, status=status)) == {"error"}


def test_change_counts_hold_no_values(server, admin):
    paths = urllib.parse.quote(json.dumps(["/", "/rooms", "/rooms/a", "/rooms/b", "/other"]))
    events = Events(admin, f"ns=default&topics=pulse&paths={paths}")
    live = admin.socket(server)
    live.call("p", p="/rooms/a/x", d="treasure")
    live.call("m", p="/rooms", d={"a/y": 1, "b": 2})
    live.call("p", p="/", d={"rooms": {"a": 1}})
    counts, last = [0] * 5, 0
    while counts[0] < 3:
        name, pulse = events.next()
        assert name == "pulse" and set(pulse) == {"position", "counts", "rate"} and pulse["position"] >= last
        counts, last = [sum(pair) for pair in zip(counts, pulse["counts"])], pulse["position"]
    assert counts == [3, 3, 3, 2, 1], "at, above and below, once for each commit"
    events.close()


@pytest.mark.parametrize("query", [
    "ns=default", "ns=default&topics=", "ns=default&topics=x", "ns=default&topics=pulse", "ns=default&topics=pulse&paths=",
    "ns=default&topics=pulse&paths=[]", "ns=default&topics=pulse&paths=[1]", 'ns=default&topics=pulse&paths=["a.b"]',
    "ns=default&topics=pulse&paths=" + urllib.parse.quote(json.dumps(["/a"] * 201)), "ns=default&topics=denials&after=x",
    "ns=none&topics=denials", "topics=denials"])
def test_invalid_event_requests_are_refused(admin, query):
    answer = admin.ask("GET", "events?" + query)
    assert answer.status in (400, 404) and set(answer.json) == {"error"}


def test_denials_are_streamed_with_their_rule_and_repeated_ones_are_counted(serve):
    rules = '{"rules": {"rooms": {"$room": {".read": "auth != null", ".write": "auth != null"}}}}'
    server = serve(rules=rules)
    session = Session(*start_link(server))
    before = Client(server)
    before.listen("/rooms/before", status="permission_denied")
    events = Events(session, "ns=default&topics=denials")
    _, denial = events.next("denial")
    assert denial["path"] == "/rooms/before", "those from before come first"
    stranger = Client(server)
    stranger.listen("/rooms/<b>lobby", status="permission_denied")
    _, denial = events.next("denial")
    assert denial["operation"] == "listen" and denial["path"] == "/rooms/<b>lobby" and denial["database"] == "default"
    assert denial["uid"] is None and denial["cause"] is None and denial["connection"]
    assert denial["rule"] == {"kind": "read", "path": "/rooms/$room", "line": 1, "column": 42}
    assert denial["sentence"] == "No rule was true; the last one evaluated was .read at /rooms/$room."
    for number in range(50):
        stranger.call("p", status="permission_denied", p="/rooms/lobby", d="treasure")
    counts = {}
    while sum(counts.values()) < 50:
        _, denial = events.next("denial")
        assert "treasure" not in json.dumps(denial) and denial["operation"] == "put"
        counts[denial["id"]] = denial["count"]
    assert sum(counts.values()) == 50 and len(counts) < 50
    requests.get(f"{server.url}/nowhere.json", timeout=WAIT_SECONDS)
    _, denial = events.next("denial")
    assert denial["operation"] == "read" and denial["rule"] is None and denial["connection"] is None
    assert denial["sentence"] == "No rule applies to this path."
    events.close()
    later = Events(session, f"ns=default&topics=denials&after={int(denial['id']) - 1}")
    assert later.next("denial")[1]["id"] == denial["id"]


def test_a_stream_ends_with_its_session(server, admin):
    events = Events(admin, "ns=default&topics=denials")
    assert admin.ask("DELETE", "session").status == 200
    assert events.next() is None


def test_a_stream_ends_with_its_database(server, admin):
    server.run("databases", "create", "other")
    events = Events(admin, "ns=other&topics=denials")
    server.run("databases", "delete", "other", "--yes")
    assert events.next() is None
    assert admin.ask("GET", "events?ns=other&topics=denials").status == 404


def test_streams_are_bounded(admin):
    streams = [Events(admin, "ns=default&topics=denials") for _ in range(8)]
    assert admin.ask("GET", "events?ns=default&topics=denials").status == 429
    for stream in streams:
        stream.close()
    until(lambda: admin.ask("GET", "events?ns=default&topics=x").status == 400)
