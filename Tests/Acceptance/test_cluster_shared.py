"""State that the nodes of a cluster share beside data: settings, versions of rules, triggers, and the list of databases."""

import json
import time

import pytest
import requests
import secrets_seen
from client import Client
from cluster_nodes import Cluster
from conftest import Server
from google.auth import crypt, jwt
from postgres import PROGRAMS, WHY_NOT
from receiver import Receiver
from waits import WAIT_SECONDS, until

pytestmark = pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)

OPEN = '{ "rules": { ".read": true, ".write": true } }'


@pytest.fixture
def receiver():
    one = Receiver()
    yield one
    one.close()


def put(node, path, value, **parameters):
    answer = requests.put(f"{node.url}/{path}.json", params=parameters, json=value, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def read(node, path, **parameters):
    answer = requests.get(f"{node.url}/{path}.json", params=parameters, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def administer(node, method, path, value=None, **parameters):
    answer = requests.request(
        method, f"{node.url}/.settings/{path}.json", params={"auth": node.secret(), **parameters},
        data=None if value is None else json.dumps(value), timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(node):
    return [row["name"] for row in administer(node, "GET", "databases")["databases"]]


def test_settings_of_one_node_apply_on_all(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    here, there = nodes.owner_and_other()
    # Quotas, versions of rules, and settings of administration tools.
    there.run("databases", "create", "guests")
    there.run("databases", "set", "guests", "--connections", "3")
    until(lambda: '"connections":3' in json.dumps(
        administer(here, "GET", "databases/guests"), separators=(",", ":")), "the quota is not known")
    rules = json.loads(OPEN)
    rules["rules"]["x"] = {".validate": "newData.isString()"}
    before = len(administer(here, "GET", "rules/versions")["versions"])
    administer(there, "PUT", "rules", rules)
    until(lambda: len(administer(here, "GET", "rules/versions")["versions"]) == before + 1, "the version is not known")
    # Both nodes have copies in their folders, which a backup of the folder includes.
    for node in (here, there):
        until(lambda: (node.data / "settings" / "guests.json").exists(), f"{node.data} lacks what was set")
    # The settings are there after a restart of both nodes.
    for name in "ab":
        nodes[name].kill()
    for name in "ab":
        nodes[name].start()
    assert '"connections":3' in json.dumps(
        administer(there, "GET", "databases/guests"), separators=(",", ":"))
    # The configuration file that the nodes are started with becomes a new version once.
    assert len(administer(there, "GET", "rules/versions")["versions"]) == before + 2


def test_keys_and_secrets_are_those_of_all_nodes(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    here, there = nodes.owner_and_other()

    def kids(node):
        return [(row["kid"], row["state"]) for row in json.loads(node.run("keys", "list", "--json"))["keys"]]

    def in_folder(node):
        return [(node.data / "keys" / name).read_text() for name in ("id-token-keys.pem", "legacy-secrets")]

    client = Client(there)
    client.sign_in(there.run("secrets", "list", "--plain").split()[0])
    before = kids(here)
    for node in (here, there):
        node.run("keys", "rotate", "--now")
        node.run("secrets", "rotate")
    until(lambda: in_folder(here) == in_folder(there), "the keys are not the same on both nodes")
    assert kids(here) == kids(there) and len(kids(here)) == len(before) + 2
    # The first secret is the oldest of three by now; another one replaces it, and every node disconnects clients that used it.
    here.run("secrets", "rotate")
    assert client.receive()["d"]["a"] == "ac", "a secret that is gone still counts on the other node"
    # Each node accepts the other's tokens.
    put(there, "x", 1, auth=here.secret())
    # A node that was stopped gets the keys when it starts.
    owner = nodes.owner("a")
    away, other = ("b", "a") if owner == "a" else ("a", "b")
    nodes[away].kill()
    nodes[other].run("keys", "rotate", "--now")
    nodes[away].start()
    until(lambda: in_folder(here) == in_folder(there), "a node that was away lacks a key")


def test_events_are_made_once_for_a_write_on_any_node(cluster, receiver):
    nodes = cluster(rules=OPEN, names="ab")
    here, there = nodes.owner_and_other()
    there.run("triggers", "add", "t", "--path", "n/{id}", "--on", "write", "--url", receiver.url, "--form", "webhook")
    until(lambda: "t" in here.run("triggers", "list"), "the other node does not know the trigger")
    put(here, "n/1", "a")
    put(there, "n/2", "b")
    client = Client(there)
    client.call("o", p="/n/3", d="c")
    client.close()
    until(lambda: len(receiver.got()) == 3, "events are missing")
    # The owner is killed with undelivered events: the next owner delivers them.
    receiver.answer = lambda number, request: 503
    put(there, "n/4", "d")
    owner = nodes.owner("a")
    nodes[owner].kill()
    receiver.answer = lambda number, request: 204
    put(there if there is not nodes[owner] else here, "n/5", "e")
    ids = lambda: {request["headers"]["webhook-id"] for request in receiver.got()}
    until(lambda: len(ids()) == 5, "an event is lost with the node that sent it")


def test_a_deleted_database_is_gone_on_every_node(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    here, there = nodes.owner_and_other()
    there.run("databases", "create", "guests")
    put(there, "x", 1, ns="guests")
    until(lambda: "guests" in names(here), "the other node does not know the database")
    assert read(here, "x", ns="guests") == 1
    here.run("databases", "delete", "guests", "--yes")
    until(lambda: "guests" not in names(there), "the other node still has it")
    assert requests.get(f"{there.url}/x.json?ns=guests", timeout=WAIT_SECONDS).status_code == 404
    # A new database of the same name is empty on every node.
    for first, second in ((here, there), (there, here)):
        first.run("databases", "create", "guests")
        assert read(second, "", ns="guests") is None
        put(second, "y", 2, ns="guests")
        assert read(first, "", ns="guests") == {"y": 2}
        client = Client(second, ns="guests")
        client.listen("/y", 2)
        first.run("databases", "delete", "guests", "--yes")
        # The node that received the request has closed the database, and the other node does so soon.
        assert requests.get(f"{first.url}/y.json?ns=guests", timeout=WAIT_SECONDS).status_code == 404
        assert client.receive() == {"t": "c", "d": {"t": "s", "d": "This database was deleted."}} and client.closed()
        assert requests.get(f"{second.url}/y.json?ns=guests", timeout=WAIT_SECONDS).status_code == 404
        assert [path for node in (first, second) for path in node.data.rglob("guests*")] == []


def test_a_database_that_is_deleted_and_created_at_once_is_empty_on_every_node(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    here, there = nodes.owner_and_other()
    administer(here, "POST", "databases", {"name": "guests"})
    for number in range(8):
        put(there, "x", number, ns="guests")
        # The next node asked has not received the change yet.
        administer(here, "DELETE", "databases/guests")
        administer(here, "POST", "databases", {"name": "guests"})
        assert read(there, "x", ns="guests") is None, number
    # A request does not create a database that exists but is closed.
    nodes["a"].stop(), nodes["b"].stop()
    nodes["a"].start(), nodes["b"].start()
    administer(here, "DELETE", "databases/guests")
    assert requests.get(f"{there.url}/x.json?ns=guests", timeout=WAIT_SECONDS).status_code == 404
    assert "guests" not in names(here)


def test_service_accounts_are_accepted_on_every_node(cluster):
    nodes = cluster(rules='{ "rules": {} }', names="ab")
    here, there = nodes.owner_and_other()
    made = json.loads(there.run("service-account", "create", "ci"))

    signer = crypt.RSASigner.from_service_account_info(made)

    def access_token(node, name):
        now = int(time.time())
        assertion = jwt.encode(signer, {
            "iss": made["client_email"], "aud": "https://oauth2.googleapis.com/token", "iat": now, "exp": now + 3600,
            "scope": "https://www.googleapis.com/auth/firebase", "jti": name})
        answer = requests.post(
            f"{node.url}/oauth2.googleapis.com/token", timeout=WAIT_SECONDS,
            data={"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion})
        secrets_seen.note(answer.json()["access_token"])
        return answer.json()["access_token"]

    def statuses(token):
        return [
            requests.get(f"{node.url}/x.json", params={"access_token": token}, timeout=WAIT_SECONDS).status_code
            for node in (here, there)]

    # All nodes accept a token of any node, also after the process that issued it has ended.
    tokens = [access_token(here, "first"), access_token(there, "second")]
    for token in tokens:
        assert statuses(token) == [200, 200]
    nodes["a"].stop(), nodes["b"].stop()
    nodes["a"].start(), nodes["b"].start()
    for token in tokens:
        assert statuses(token) == [200, 200]
    client = Client(there)
    client.call("gauth", cred=tokens[0])
    # Ending an account's tokens applies on every node; a further key of the account ends no token.
    here.run("service-account", "create", "ci")
    client.call("g", p="/x")
    there.run("service-account", "disable", "ci")
    assert client.receive()["d"]["a"] == "ac", "a token that has ended still counts on a socket"
    there.run("service-account", "disable", "ci", "--enable")
    for token in tokens:
        until(lambda: statuses(token) == [401, 401], "a token that has ended still counts")
    assert statuses(access_token(here, "third")) == [200, 200]


def test_a_node_that_owns_no_database_serves_all(tmp_path):
    nodes = Cluster(tmp_path, names="ab", rules=OPEN)
    try:
        nodes["b"].arguments.append("--edge")
        nodes["a"].start()
        nodes["b"].start()
        put(nodes["b"], "n", 1)
        # A database that was never opened is opened by a node that accepts ownership.
        nodes["b"].run("databases", "create", "guests")
        put(nodes["b"], "n", 2, ns="guests")
        assert {row["owner"] for row in nodes.status("b")["databases"]} == {"a"}
        # Also when the owner's process was replaced.
        nodes["a"].kill()
        nodes["a"].start()
        put(nodes["b"], "n", 3, ns="guests")
        assert read(nodes["a"], "n", ns="guests") == 3
        # No database can be transferred to this node.
        assert "still owns" in nodes["a"].run("cluster", "drain", "a")
    finally:
        nodes.remove()


def test_idle_databases_are_closed_and_opened_again(cluster):
    nodes = cluster("--close-idle", "1s", rules=OPEN, names="ab")
    here, there = nodes.owner_and_other()
    here.run("databases", "create", "guests")
    put(here, "n", 1, ns="guests")

    def open_on(name):
        return next(row for row in nodes.status(name)["databases"] if row["name"] == "guests").get("role")

    until(lambda: open_on("a") is None and open_on("b") is None, "it is still open")
    assert nodes.database("a", "guests")["owner"] is None
    assert read(there, "n", ns="guests") == 1
    # A database with listeners stays open on their node and on its owner.
    client = Client(there, ns="guests")
    client.listen("/n", 1)
    put(here, "n", 2, ns="guests")
    client.expect("d", p="n", d=2)
    client.close()


def test_a_large_database_is_followed_by_a_second_node(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    here, _ = nodes.owner_and_other()
    here.run("databases", "create", "guests")
    put(here, "small", 1, ns="guests")
    owner = nodes.owner("a", "guests")
    other = "b" if owner == "a" else "a"

    def role():
        return next(row for row in nodes.status(other)["databases"] if row["name"] == "guests").get("role")

    assert role() is None, "nobody asked that node for it"
    for number in range(40):
        put(nodes[owner], f"large/{number}", "x" * 500_000, ns="guests")
    until(lambda: role() == "following", "no second node follows a large database")
    nodes[owner].kill()
    put(nodes[other], "small", 2, ns="guests")


def test_a_user_is_erased_by_a_server_that_is_alone(cluster, tmp_path):
    nodes = cluster(rules=OPEN, names="a")
    node = nodes["a"]
    node.run("users", "create", "--uid", "ann")
    put(node, "people/ann", "told to nobody else")
    put(node, "people/bob", "stays")
    refused = node.run("users", "erase", "ann", "--place", "/people/ann", "--yes", expect=1)
    assert "Stop all nodes" in refused, refused
    assert node.stop() == 0
    alone = Server(node.data, "--journal", nodes.postgres.url(), rules=OPEN)
    try:
        alone.start()
        alone.run("users", "erase", "ann", "--place", "/people/ann", "--yes")
        alone.stop()
    finally:
        alone.kill()
    rows = nodes.postgres.sql("SELECT encode(payload, 'escape') FROM hearth.batch")
    assert not any("told to nobody else" in row for row in rows)
    node.start()
    assert read(node, "people") == {"bob": "stays"}
    put(node, "people/eve", "new")
