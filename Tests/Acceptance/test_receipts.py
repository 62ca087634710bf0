"""Receipts of revocations: the cause, the connections that were cut, and the time it took."""

import base64
import json
import re
import subprocess
import threading
import time

import pytest
import requests
from client import Client, stream_lines
from conftest import HEARTH
from identity import Identity
from waits import WAIT_SECONDS

RULES = json.dumps({"rules": {
    ".read": False,
    "open": {".read": True, ".write": True},
    "users": {"$uid": {".read": "auth != null && auth.uid == $uid"}},
    "members": {".write": True},
    "rooms": {"$room": {".read": "auth != null && root.child('members/' + $room + '/' + auth.uid).val() == true"}},
}})


def receipts(server, **parameters):
    answer = requests.get(
        server.url + "/.settings/receipts.json", params={"auth": server.secret(), **parameters}, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def server(serve):
    return serve(command="dev", rules=RULES)


def visitor(server, user, path, ns=None):
    client = Client(server, ns=ns)
    client.sign_in(user["idToken"])
    client.listen(path)
    return client


def test_disabling_a_user_waits_for_the_receipts(server):
    app = Identity(server)
    ann, bob = app.sign_up("ann@example.com", "password1"), app.sign_up("bob@example.com", "password1")
    uid = ann["localId"]
    # Five connections of one user in two databases, and one of another user.
    for ns in ("default", "second"):
        requests.put(f"{server.url}/open/x.json?ns={ns}", data="1", timeout=WAIT_SECONDS)
    clients = [visitor(server, ann, f"/users/{uid}", ns) for ns in ("default",) * 3 + ("second",) * 2]
    other = visitor(server, bob, f"/users/{bob['localId']}")
    begin = time.monotonic()
    done = server.run("users", "disable", "ann@example.com", "--wait", "--json")
    took_milliseconds = (time.monotonic() - begin) * 1000
    state, *found = lines(done)
    assert state["disabled"] is True
    assert sorted((one["database"], one["cancelled"], one["signedOut"]) for one in found) == [
        ("default", 3, 3), ("second", 2, 2)]
    for one in found:
        assert one["cause"] == "revocation" and one["isComplete"] is True
        assert one["revocation"]["event"] == "user_disable" and one["revocation"]["uid"] == uid
        assert one["examined"] == one["cancelled"] == one["sent"] and one["kept"] == one["late"] == one["gone"] == 0
        assert 0 <= one["milliseconds"]["p50"] <= one["milliseconds"]["p99"] <= one["milliseconds"]["max"]
        assert one["milliseconds"]["max"] < took_milliseconds
        for listener in one["listeners"]:
            assert listener["path"] == f"/users/{uid}" and listener["uid"] == uid
            assert listener["milliseconds"] <= one["milliseconds"]["max"]
    # The messages that the receipt counts as sent have arrived.
    for client in clients:
        client.expect("ac", s="expired_token", d="Auth token is expired.")
        client.expect("c", p=f"users/{uid}")
    other.silent()
    text = server.run("revocations", "--listeners")
    assert text.count("user_disable") == 2 and text.count(f"/users/{uid}") == 5


@pytest.mark.parametrize("command, event", [
    (["users", "revoke", "ann@example.com"], "revoke"),
    (["users", "delete", "ann@example.com", "--yes"], "user_delete"),
])
def test_every_kind_of_revocation_names_its_cause(server, command, event):
    ann = Identity(server).sign_up("ann@example.com", "password1")
    client = visitor(server, ann, f"/users/{ann['localId']}")
    found = lines(server.run(*command, "--wait", "--json").splitlines()[-1])
    assert [(one["revocation"]["event"], one["cancelled"]) for one in found] == [(event, 1)]
    client.expect("ac", s="expired_token", d="Auth token is expired.")


def test_a_revocation_without_affected_connections_has_one_receipt(server):
    Identity(server).sign_up("ann@example.com", "password1")
    (one,) = lines(server.run("users", "disable", "ann@example.com", "--wait", "--json").splitlines()[-1])
    assert (one["database"], one["examined"], one["signedOut"], one["isComplete"]) == (None, 0, 0, True)
    assert one["listeners"] == [] and "milliseconds" not in one


def test_a_write_that_removes_a_member_leaves_a_receipt(server):
    ann = Identity(server).sign_up("ann@example.com", "password1")
    uid = ann["localId"]
    requests.put(f"{server.url}/members/den/{uid}.json", data="true", timeout=WAIT_SECONDS)
    client = visitor(server, ann, "/rooms/den")
    assert receipts(server)["receipts"] == []
    requests.put(f"{server.url}/members/den.json", data="null", timeout=WAIT_SECONDS)
    client.expect("c", p="rooms/den")
    (one,) = receipts(server, wait=50)["receipts"]
    assert one["cause"] == "write" and one["database"] == "default" and "revocation" not in one
    assert (one["examined"], one["kept"], one["cancelled"]) == (1, 0, 1)
    assert one["listeners"][0]["path"] == "/rooms/den" and one["listeners"][0]["lastPosition"] < one["position"]


def test_a_rules_deploy_counts_the_connections_that_kept_their_listens(server):
    open_client, app = Client(server), Identity(server)
    open_client.listen("/open")
    client = visitor(server, ann := app.sign_up("ann@example.com", "password1"), f"/users/{ann['localId']}")
    rules = json.dumps({"rules": {"open": {".read": True}}})
    answer = requests.put(
        f"{server.url}/.settings/rules.json", params={"auth": server.secret()}, data=rules, timeout=WAIT_SECONDS)
    assert answer.status_code == 200
    client.expect("c", p=f"users/{ann['localId']}")
    (one,) = receipts(server, wait=50)["receipts"]
    assert (one["cause"], one["examined"], one["kept"], one["cancelled"]) == ("rules", 2, 1, 1)


def test_receipts_are_for_administrators(server):
    url = server.url + "/.settings/receipts.json"
    assert requests.get(url, timeout=WAIT_SECONDS).status_code == 401
    assert requests.get(url, params={"auth": server.token("ann")}, timeout=WAIT_SECONDS).status_code == 401
    assert requests.put(url, params={"auth": server.secret()}, data="1", timeout=WAIT_SECONDS).status_code == 405
    for bad in ({"limit": "0"}, {"limit": "x"}, {"after": "-1"}, {"wait": "500"}):
        assert requests.get(url, params={"auth": server.secret()} | bad, timeout=WAIT_SECONDS).status_code == 400, bad


def test_receipts_outlive_the_server(server):
    Identity(server).sign_up("ann@example.com", "password1")
    server.run("users", "disable", "ann@example.com", "--wait")
    (before,) = receipts(server)["receipts"]
    assert server.stop() == 0
    path = server.data / "receipts.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    assert lines(server.run("revocations", "--json")) == [before]
    assert "needs a running server" in server.run("revocations", "--follow", expect=1)
    # The next record is intact after a partial line that a crash has left.
    with open(path, "a") as file:
        file.write('{"id":99,"database":"def')
    server.start()
    assert receipts(server)["receipts"] == [before]
    server.run("users", "enable", "ann@example.com")
    server.run("users", "disable", "ann@example.com", "--wait")
    first, second = receipts(server)["receipts"]
    assert first == before and second["id"] > before["id"]
    assert receipts(server, after=before["id"])["receipts"] == [second]
    assert receipts(server, revocation=second["revocation"]["number"])["receipts"] == [second]


def test_follow_prints_each_receipt_as_it_arrives(server):
    app = Identity(server)
    for name in "abc":
        app.sign_up(f"{name}@example.com", "password1")

    def disable(name):
        done = server.run("users", "disable", f"{name}@example.com", "--wait", "--json")
        return lines(done)[-1]["revocation"]["number"]

    first = disable("a")
    follower = subprocess.Popen(
        [HEARTH, "revocations", "--follow", "--json", "--data", str(server.data)], stdout=subprocess.PIPE, text=True)
    try:
        timer = threading.Timer(2 * WAIT_SECONDS, follower.kill)
        timer.start()
        # The output of earlier receipts shows that the command has started.
        assert json.loads(follower.stdout.readline())["revocation"]["number"] == first
        for name in "bc":
            number = disable(name)
            assert json.loads(follower.stdout.readline())["revocation"]["number"] == number
        timer.cancel()
    finally:
        follower.kill()
        follower.wait()


def test_waiting_for_receipts_on_a_stopped_folder_ends_at_once(server):
    Identity(server).sign_up("ann@example.com", "password1")
    server.stop()
    done = subprocess.run(
        [HEARTH, "users", "disable", "ann@example.com", "--wait", "--data", str(server.data)], capture_output=True,
        text=True, timeout=WAIT_SECONDS)
    assert done.returncode == 0 and "no receipts" in done.stderr


def test_a_receipt_names_the_query_of_a_listen(server):
    ann = Identity(server).sign_up("ann@example.com", "password1")
    client = Client(server)
    client.sign_in(ann["idToken"])
    path, query = f"/users/{ann['localId']}", {"i": ".key", "l": 5, "vf": "r"}
    client.call("q", p=path, h="", q=query, t=7)
    (one,) = lines(server.run("users", "revoke", "ann@example.com", "--wait", "--json").splitlines()[-1])
    assert [(listener["path"], listener["query"]) for listener in one["listeners"]] == [(path, query)]


def test_event_streams_and_long_polls_are_in_the_receipts(server):
    ann = Identity(server).sign_up("ann@example.com", "password1")
    path = f"/users/{ann['localId']}"
    stream = requests.get(
        f"{server.url}{path}.json", params={"auth": ann["idToken"]}, headers={"Accept": "text/event-stream"},
        stream=True, timeout=WAIT_SECONDS)
    events = stream_lines(stream)
    assert next(events) == "event: put"
    poll = LongPoll(server)
    poll.send({"t": "d", "d": {"r": 1, "a": "auth", "b": {"cred": ann["idToken"]}}})
    poll.send({"t": "d", "d": {"r": 2, "a": "q", "b": {"p": path, "h": ""}}})
    waiting = threading.Thread(target=poll.read_until, args=('"a":"c"',))
    waiting.start()
    (one,) = lines(server.run("users", "disable", "ann@example.com", "--wait", "--json").splitlines()[-1])
    waiting.join(WAIT_SECONDS)
    assert (one["signedOut"], one["cancelled"], one["sent"], one["gone"]) == (2, 2, 2, 0), one
    assert "auth_revoked" in [line.removeprefix("event: ") for line in events]
    assert '"a":"c"' in poll.text


class LongPoll:
    """The part of a long-poll client that these tests need."""

    def __init__(self, server):
        self.url = server.url + "/.lp"
        self.text = ""
        self.serial = 0
        self.segment = 0
        start = {"start": "t", "ser": "1", "cb": "1", "v": "5", "ns": "default"}
        first = requests.get(self.url, params=start, timeout=WAIT_SECONDS)
        self.id, self.password = re.search(r"pLPCommand\('start','(.*?)','(.*?)'\)", first.text).groups()

    def poll(self, **more):
        self.serial += 1
        answer = requests.get(
            self.url, params={"id": self.id, "pw": self.password, "ser": str(self.serial), **more},
            timeout=WAIT_SECONDS)
        self.text += answer.text
        return answer.text

    def send(self, message):
        data = base64.urlsafe_b64encode(json.dumps(message).encode()).decode().replace("=", ".")
        self.poll(seg0=str(self.segment), ts0="1", d0=data)
        self.segment += 1

    def read_until(self, text):
        while text not in self.text:
            self.poll()
