"""The console's live state of the server: metrics, connections and the grants of their listens, the log, and the server's status;
and downloads of subtrees."""

import http.client
import json

import pytest
import requests

import secrets_seen
from client import Client
from conftest import hearth
from console_client import API, Session, admin, ask, link, server, viewer
from waits import WAIT_SECONDS, until

RULES = """{"rules": {
  "rooms": {"$room": {
    ".read": "auth != null && root.child('members').child($room).child(auth.uid).val() == true"
  }},
  "all": {".read": true, ".write": true}
}}"""
LOOKS = [
    "now/figures", "now/figures?step=60", "now/connections?ns=default", "now/listens?ns=default&connection=1", "now/log",
    "now/state"]


@pytest.fixture
def rooms(serve):
    return serve(rules=RULES)


def session(server, *options):
    return Session(*link(server.run("console", *options)))


def signed_in(server, uid):
    live = Client(server)
    live.call("auth", cred=server.token(uid))
    return live


def write(server, path, value):
    answer = requests.request(
        "PUT" if value is not None else "DELETE", f"{server.url}{path}.json", params={"auth": server.secret()},
        json=value, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def audited(server):
    lines = server.run("audit", "tail", "-n", "1000", "--json").splitlines()
    return [record["detail"] for record in map(json.loads, lines) if record["event"] == "console"]


def connections(console, uid=None):
    return console.get("now/connections?ns=default" + (f"&uid={uid}" if uid else ""))["connections"]


def one(console, uid):
    found = connections(console, uid)
    assert len(found) == 1, found
    return found[0]


# MARK: Access

@pytest.mark.parametrize("operation", LOOKS)
def test_only_sessions_of_both_roles_may_read(admin, viewer, operation):
    for console in admin, viewer:
        assert console.get(operation) is not None
        answer = console.ask("POST", operation, {})
        assert answer.status == 405 and set(answer.json) == {"error"}
    for missing, status in ("Cookie", 401), ("X-Hearth-Console", 403):
        answer = admin.ask("GET", operation, None, {missing: None})
        assert answer.status == status and set(answer.json) == {"error"}


@pytest.mark.parametrize("query", [
    "now/figures?after=x", "now/figures?after=9" + "9" * 40, "now/figures?after=1&after=2", "now/figures?step=3",
    "now/figures?step=x", "now/log?level=loud",
    "now/log?after=x", "now/log?after=-1", "now/listens?ns=default", "now/listens?ns=default&connection=",
    "now/listens?ns=default&connection=x", "now/listens?ns=default&connection=-1",
    "now/listens?ns=default&connection=1ffffffffffffffff"])
def test_invalid_queries_are_refused(admin, query):
    answer = admin.ask("GET", query)
    assert answer.status == 400 and set(answer.json) == {"error"}, answer.body


@pytest.mark.parametrize("path", [
    "now", "now/", "now/nothing", "now/figures/", "now/connections?ns=other", "now/connections", "now/listens?ns=other&connection=1"])
def test_unknown_paths_are_not_found(admin, path):
    answer = admin.ask("GET", path)
    assert answer.status == 404 and set(answer.json) == {"error"}, answer.body


# MARK: Metrics

def test_figures_count_operations(rooms):
    console, live = session(rooms), Client(rooms)
    for value in range(20):
        live.call("p", p="/all", d=value)

    def column(name):
        answer = console.get("now/figures")
        place = answer["figures"].index(name) + 1
        assert all(len(row) == len(answer["figures"]) + 1 for row in answer["samples"])
        return [row[place] for row in answer["samples"]]

    until(lambda: sum(column("writes")) > 0)
    until(lambda: any(each is not None for each in column("wholeWay99")))
    until(lambda: column("connections")[-1] == 1)
    assert max(column("memory")) > 1 << 20
    until(lambda: len(column("writes")) > 1)
    times = [row[0] for row in console.get("now/figures")["samples"]]
    assert times == sorted(times)
    newer = console.get(f"now/figures?after={times[0]}")["samples"]
    assert [row[0] for row in newer][:len(times) - 1] == times[1:]
    live.close()


# MARK: Connections

def test_connections_are_listed_with_their_users(rooms):
    console = session(rooms)
    assert connections(console) == []
    lives = [signed_in(rooms, "mira"), signed_in(rooms, "tom"), Client(rooms)]
    rows = connections(console)
    assert sorted(str(row["uid"]) for row in rows) == ["None", "mira", "tom"]
    assert {row["kind"] for row in rows} == {"socket"} and {row["address"] for row in rows} == {"127.0.0.1"}
    assert len({row["id"] for row in rows}) == 3 and not any(row["readsAll"] for row in rows)
    assert [row["since"] for row in rows] == sorted((row["since"] for row in rows), reverse=True)
    assert one(console, "mira")["uid"] == "mira" and connections(console, "nobody") == []
    lives[0].close()
    until(lambda: connections(console, "mira") == [])
    with requests.get(rooms.url + "/all.json", headers={"Accept": "text/event-stream"}, stream=True, timeout=WAIT_SECONDS):
        kinds = [row["kind"] for row in until(lambda: len(connections(console)) == 3 and connections(console))]
        assert sorted(kinds) == ["socket", "socket", "stream"]
    for live in lives[1:]:
        live.close()


def test_connections_are_all_listed_after_many_have_ended(rooms):
    console = session(rooms)
    lives = [signed_in(rooms, f"user{number}") for number in range(40)]
    for live in lives[::2]:
        live.close()
    until(lambda: console.get("now/connections?ns=default")["count"] == 20)
    assert sorted(row["uid"] for row in connections(console)) == sorted(f"user{number}" for number in range(1, 40, 2))
    for live in lives[1::2]:
        live.close()


def test_a_listen_is_shown_with_its_grant_and_the_data_that_would_end_it(rooms):
    write(rooms, "/members/lobby/mira", True)
    console, mira = session(rooms, "--read-only"), signed_in(rooms, "mira")
    mira.listen("/rooms/lobby")
    mira.listen("/all")
    listens = f"now/listens?ns=default&connection={one(console, 'mira')['id']}"
    answer = console.get(listens)
    assert answer["count"] == 2
    lobby = next(each for each in answer["listens"] if each["path"] == "/rooms/lobby")
    assert lobby["explanation"]["allowed"] is True and lobby["explanation"]["rule"]["line"] == 3
    reads = [read["path"] for visit in lobby["explanation"]["trace"] for read in visit.get("reads", [])]
    assert "/members/lobby/mira" in reads
    # The change that the console names as ending the listen does end it.
    write(rooms, "/members/lobby/mira", None)
    assert mira.receive()["d"]["a"] == "c"
    assert [each["path"] for each in console.get(listens)["listens"]] == ["/all"]
    mira.close()
    until(lambda: connections(console, "mira") == [])
    assert console.get(listens) == {"listens": [], "count": 0}


# MARK: Disconnecting

def test_an_administrator_disconnects_a_client(rooms):
    console, reader = session(rooms), session(rooms, "--read-only")
    mira, tom = signed_in(rooms, "mira"), signed_in(rooms, "tom")
    body = {"connection": one(console, "mira")["id"]}
    answer = reader.ask("POST", "now/disconnect", body)
    assert answer.status == 403 and answer.json == {"error": "This session is read-only."}
    assert console.ask("GET", "now/disconnect").status == 405
    assert console.ask("POST", "now/disconnect", body, {"Cookie": None}).status == 401
    assert len(connections(console)) == 2
    answer = console.ask("POST", "now/disconnect", body)
    assert answer.status == 200 and answer.json == {}
    until(lambda: [row["uid"] for row in connections(console)] == ["tom"])
    assert any("disconnects" in detail and "mira" in detail for detail in audited(rooms))
    assert console.ask("POST", "now/disconnect", body).json == {"error": "This connection has ended."}
    tom.call("p", p="/all", d=1)
    tom.close()


@pytest.mark.parametrize("body", [{}, {"connection": None}, {"connection": 1}, {"connection": ""}, {"connection": "x"},
    {"connection": "1ffffffffffffffff"}, [], "x"])
def test_malformed_bodies_disconnect_no_client(admin, body):
    answer = admin.ask("POST", "now/disconnect", body)
    assert answer.status == 400 and set(answer.json) == {"error"}


# MARK: The log

def test_the_log_is_listed_newest_last(server, admin):
    first = admin.get("now/log")
    last = first["lines"][-1]["number"]
    assert first["last"] >= last
    server.run("console", "--read-only")
    lines = admin.get(f"now/log?after={last}&level=notice")["lines"]
    assert [line["line"]["message"] for line in lines] == ["console"] and "link for role viewer" in lines[0]["line"]["event"]
    numbers = [line["number"] for line in admin.get("now/log")["lines"]]
    assert numbers == sorted(numbers)
    assert admin.get("now/log?level=critical")["lines"] == []


# MARK: The server's status

def test_the_state_of_the_server_is_reported(server, admin):
    answer = admin.get("now/state")
    assert answer["node"] is None and answer["process"]["version"] == hearth("--version").strip()
    assert answer["process"]["memory"] > 1 << 20 and 0 < answer["process"]["openFiles"] <= answer["process"]["openFilesMax"]
    assert answer["storage"]["diskAvailable"] > 0 and answer["storage"]["lastBackup"] is None
    database = next(each for each in answer["databases"] if each["name"] == "default")
    assert database["isRunning"] is True and database["commandsWaiting"] == 0
    assert answer["openDatabases"] == len(answer["databases"]) and answer["findings"] == []


def test_an_unreachable_receiver_is_a_finding(rooms):
    console, live = session(rooms), Client(rooms)
    rooms.run("triggers", "add", "index", "--path", "/all/{item}", "--on", "write", "--url", "http://127.0.0.1:9/events")
    live.call("p", p="/all/x", d=1)
    finding = until(lambda: console.get("now/state")["findings"])[0]
    assert finding["code"] == "trigger-unreachable" and finding["subject"] == "index" and finding["level"] == "error"
    live.close()


# MARK: Downloads

def fetch(session, path, **headers):
    """Downloads like a browser that saves a file: without the headers that the page sends."""
    sent = {"Cookie": session.cookie, "Sec-Fetch-Site": "same-origin", **headers}
    return ask(session.address, "GET", path, None, {name: value for name, value in sent.items() if value is not None})


def ticket(session, path="/", database="default"):
    answer = session.ask("POST", "download", {"database": database, "path": path})
    assert answer.status == 200, answer.body
    secrets_seen.note(answer.json["path"].rsplit("/", 1)[1])
    assert answer.json["expiresInSeconds"] == 60
    return answer.json["path"]


def test_a_download_key_saves_a_subtree_once(rooms):
    tree = {"a": {"b": [None, 1, 2.5, "x\n\"\u202e"], "empty": "", "t": True}, "p": {".value": 3, ".priority": 7}}
    tree["q"] = {"c": 1, ".priority": "high"}
    write(rooms, "/all", tree)
    exported = requests.get(
        rooms.url + "/all.json", params={"auth": rooms.secret(), "format": "export"}, timeout=WAIT_SECONDS)
    for console in session(rooms), session(rooms, "--read-only"):
        path = ticket(console, "/all")
        answer = fetch(console, path)
        assert answer.status == 200 and answer.json == exported.json() and answer.body == exported.content
        assert answer.headers["Content-Disposition"] == 'attachment; filename="default-all.json"'
        assert answer.headers["Cache-Control"] == "no-store"
        again = fetch(console, path)
        assert again.status == 404 and set(again.json) == {"error"}
    assert fetch(console, ticket(console, "/nothing")).json is None
    assert any("downloads /all of default" in detail for detail in audited(rooms))
    write(rooms, "/all/a%20b%C3%A9", 1)
    assert fetch(console, ticket(console, "/all/a bé")).headers["Content-Disposition"].endswith('"default-a_b_.json"')


def test_a_large_subtree_is_downloaded_in_pieces(rooms):
    tree = {f"key{number:05}": {"text": "x" * 100, "number": number} for number in range(20_000)}
    write(rooms, "/all", tree)
    console = session(rooms)
    connection = http.client.HTTPConnection(console.address, timeout=WAIT_SECONDS)
    connection.request("GET", ticket(console, "/all"), headers={"Cookie": console.cookie})
    response = connection.getresponse()
    assert response.status == 200 and response.headers["Transfer-Encoding"] == "chunked"
    first = response.read(1000)
    # Data that is written meanwhile is not included.
    write(rooms, "/all", None)
    assert json.loads(first + response.read()) == tree
    connection.close()


def test_an_interrupted_download_is_not_a_valid_file(rooms):
    write(rooms, "/all", {f"key{number:05}": "x" * 1000 for number in range(20_000)})
    console = session(rooms)
    connection = http.client.HTTPConnection(console.address, timeout=WAIT_SECONDS)
    connection.request("GET", ticket(console, "/all"), headers={"Cookie": console.cookie})
    response = connection.getresponse()
    response.read(1000)
    assert console.ask("DELETE", "session").status == 200
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        response.read()
    connection.close()


def test_a_download_key_needs_its_own_session(rooms):
    write(rooms, "/all", "treasure")
    console, other = session(rooms), session(rooms)
    path = ticket(console, "/all")
    for headers, status in [
            ({"Cookie": None}, 404), ({"Cookie": other.cookie}, 404), ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "none"}, 403), ({"Origin": "https://evil.example"}, 403)]:
        answer = fetch(console, path, **headers)
        assert answer.status == status and b"treasure" not in answer.body, headers
    answer = ask(console.address, "GET", path, None, {"Cookie": console.cookie}, host="evil.example")
    assert answer.status == 403
    assert console.ask("HEAD", path[len(API):]).status in (404, 405)
    assert fetch(console, path).json == "treasure", "a look without the cookie does not use it up"
    ended = ticket(console, "/all")
    console.ask("DELETE", "session")
    assert fetch(console, ended).status == 404


@pytest.mark.parametrize("body, status", [
    ({}, 404), ({"database": "default"}, 400), ({"database": "other", "path": "/"}, 404),
    ({"database": "default", "path": 1}, 400), ({"database": "default", "path": "/a/.priority"}, 400),
    ({"database": "default", "path": "/a[b"}, 400), ({"database": "../x", "path": "/"}, 404), ([], 404)])
def test_malformed_bodies_start_no_download(admin, body, status):
    answer = admin.ask("POST", "download", body)
    assert answer.status == status and set(answer.json) == {"error"}


@pytest.mark.parametrize("key", ["", "x", "A" * 43, "A" * 4000, "%00", "../session"])
def test_unknown_keys_download_nothing(admin, key):
    assert fetch(admin, API + "download/" + key).status in (400, 404)
