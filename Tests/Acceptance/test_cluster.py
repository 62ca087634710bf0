"""Several nodes over one PostgreSQL: each node accepts all clients, one node owns each database, and another node takes over when
it fails."""

import json

import pytest
import requests
from client import Client
from postgres import PROGRAMS, WHY_NOT
from waits import WAIT_SECONDS, until

pytestmark = pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)

OPEN = '{ "rules": { ".read": true, ".write": true } }'
MEMBERS = """{ "rules": {
  "rooms": { ".read": "root.child('members').child(auth.uid).exists()", ".write": "auth != null" },
  "members": { ".read": true, ".write": "auth != null" }
} }"""


def put(node, path, value):
    answer = requests.put(f"{node.url}/{path}.json", json=value, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def read(node, path="", **parameters):
    answer = requests.get(f"{node.url}/{path}.json", params=parameters, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_node_serves_every_database(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    owner = nodes.owner("a")
    other = "b" if owner == "a" else "a"
    here, there = nodes[owner], nodes[other]

    # Every node returns the writes that another node acknowledged.
    put(there, "x", {"n": 1, "t": {".sv": "timestamp"}})
    assert read(here, "x/n") == 1 and read(there, "x/n") == 1
    assert put(there, "x/n", 2) == 2
    assert read(here, "x/n") == 2

    # Listeners on both nodes receive the writes of both.
    first, second = Client(here), Client(there)
    first.listen("/live")
    second.listen("/live")
    number = first.request("p", p="/live/a", d=1)
    first.expect("d", p="live/a", d=1)
    first.reply(number)
    second.expect("d", p="live/a", d=1)
    number = second.request("p", p="/live/b", d={".sv": {"increment": 2}})
    second.expect("d", p="live/b", d=2)
    second.reply(number)
    first.expect("d", p="live/b", d=2)

    # A transaction compares with the newest state, on any node.
    number = second.request("p", p="/live/b", d=9, h="wrong")
    second.reply(number, "datastale")
    # The `onDisconnect` operation is made, whichever node held the connection.
    second.call("o", p="/presence/b", d="gone")
    second.call("p", p="/presence/b", d="here")
    assert read(here, "presence/b") == "here"
    second.close()
    until(lambda: read(here, "presence/b") == "gone", "the end of a connection changed nothing")
    first.close()


def test_a_large_value_is_compared_on_either_node(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    large = {f"k{number}": "x" * 100 for number in range(30_000)}
    put(nodes["a"], "large", large)
    for name in "ab":
        url = f"{nodes[name].url}/large.json"
        tag = requests.get(url, headers={"X-Firebase-ETag": "true"}, timeout=WAIT_SECONDS).headers["ETag"]
        changed = large | {"by": name}
        made = requests.put(url, json=changed, headers={"if-match": tag}, timeout=WAIT_SECONDS)
        assert made.status_code == 200, made.text[:200]
        # The same once more is stale.
        refused = requests.put(url, json=large, headers={"if-match": tag}, timeout=WAIT_SECONDS)
        assert refused.status_code == 412 and refused.json() == changed
        assert read(nodes["a"], "large/by") == name


def test_a_listener_is_cancelled_on_its_own_node(cluster):
    nodes = cluster(rules=MEMBERS, names="ab")
    owner = nodes.owner("a")
    here, there = nodes[owner], nodes["b" if owner == "a" else "a"]
    secret = here.secret()
    admin = lambda path, value: requests.put(
        f"{here.url}/{path}.json?auth={secret}", data=json.dumps(value), timeout=WAIT_SECONDS).raise_for_status()
    admin("members/ann", True)
    admin("rooms/lobby", "hello")
    # A listen is served from its own node's state; a read waits for the newest state, and so do later listens on that node.
    assert read(there, "rooms/lobby", auth=secret) == "hello"
    client = Client(there)
    client.sign_in(there.token("ann"))
    client.listen("/rooms", {"lobby": "hello"})
    # The other node revokes the permission and writes data in one update.
    admin("members/ann", None)
    client.expect("c", p="rooms")
    admin("rooms/garden", "secret")
    client.silent()
    client.close()


def test_another_node_takes_over_after_the_owner_is_killed(cluster):
    nodes = cluster(rules=OPEN, names="abc")
    owner = nodes.owner("a")
    others = [name for name in "abc" if name != owner]
    listener = Client(nodes[others[0]])
    listener.listen("/n")
    writer = Client(nodes[others[1]])
    writer.call("p", p="/n", d=1)
    listener.expect("d", p="n", d=1)
    writer.call("o", p="/presence", d="gone")
    nodes[owner].kill()
    # Writes wait until the lease has expired, and the listeners on other nodes stay connected.
    writer.request("p", p="/n", d=2)
    writer.reply()
    listener.expect("d", p="n", d=2)
    assert nodes.owner(others[0]) in others
    # The `onDisconnect` operation of a connected client is not made when only the owner of its database died.
    assert read(nodes[others[0]], "presence") is None
    writer.close()
    until(lambda: read(nodes[others[0]], "presence") == "gone", "the end of a connection changed nothing")

    # The killed node starts again and follows.
    nodes[owner].start()
    assert read(nodes[owner], "n") == 2
    listener.close()


def test_a_node_is_drained_and_stopped(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    owner = nodes.owner("a")
    other = "b" if owner == "a" else "a"
    client = Client(nodes[other])
    client.call("p", p="/n", d=1)
    # The other node has had no request for this database.
    nodes[owner].run("databases", "create", "more")
    requests.put(f"{nodes[owner].url}/n.json?ns=more", json=7, timeout=WAIT_SECONDS)
    assert "you can stop it" in nodes[owner].run("cluster", "drain", owner)
    nodes.wait_for_owner(other, other)
    nodes.wait_for_owner(other, other, "more")
    client.call("p", p="/n", d=2)
    assert nodes[owner].stop() == 0
    assert read(nodes[other], "n") == 2
    client.close()


def test_a_database_goes_to_the_node_whose_clients_use_it(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    owner = nodes.owner("a")
    other = "b" if owner == "a" else "a"
    writer, listener = Client(nodes[other]), Client(nodes[owner])
    listener.listen("/n")
    written = 0

    def write():
        nonlocal written
        sent = [writer.request("p", p="/n", d=written + each + 1) for each in range(250)]
        for number in sent:
            writer.reply(number)
            written += 1
            listener.expect("d", p="n", d=written)

    until(lambda: write() or nodes.owner(other) == other, "the database stays where nobody uses it")
    write()
    assert read(nodes[owner], "n") == written
    writer.close()
    listener.close()


def test_a_disabled_user_is_cut_on_every_node(cluster):
    nodes = cluster(rules='{ "rules": { ".read": "auth != null", ".write": "auth != null" } }', names="ab")
    owner = nodes.owner("a", "accounts")
    other = "b" if owner == "a" else "a"
    # The owner of the accounts makes each change, on whichever node the request arrives.
    nodes[other].run("users", "create", "--uid", "ann")
    assert "ann" in nodes[owner].run("users", "list")
    clients = []
    for name in "ab":
        client = Client(nodes[name])
        client.sign_in(nodes[owner].token("ann"))
        client.listen("/rooms")
        clients.append(client)
    nodes[other].run("users", "disable", "ann")
    for client in clients:
        frame = client.receive()
        assert (frame["d"]["a"], frame["d"]["b"]["s"]) == ("ac", "expired_token"), frame
        client.expect("c", p="rooms")
        client.close()


def test_nodes_start_from_a_snapshot(cluster):
    nodes = cluster(rules=OPEN, names="ab")
    text = "x" * 500_000
    for number in range(40):
        put(nodes["b"], f"large/{number}", text)
    until(lambda: nodes.postgres.sql("SELECT count(*) FROM hearth.snapshot WHERE is_complete")[0] != "0",
          "no snapshot was written")
    put(nodes["a"], "after", 1)
    client = Client(nodes["b"])
    client.call("o", p="/presence", d="gone")
    for name in "ab":
        nodes[name].kill()
    for name in "ab":
        nodes[name].start()
    for name in "ab":
        assert read(nodes[name], "after") == 1
        assert read(nodes[name], "large/7") == text
    until(lambda: read(nodes["a"], "presence") == "gone", "what a dead node's client wanted was not done")
