"""Receipts of revocations count the clients of all nodes of a cluster, and name the nodes that did not answer."""

import json
import signal

import pytest
import requests
from client import Client
from identity import Identity
from postgres import PROGRAMS, WHY_NOT
from waits import WAIT_SECONDS, until

pytestmark = pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)

RULES = json.dumps({"rules": {
    "open": {".read": True, ".write": True},
    "users": {"$uid": {".read": "auth != null && auth.uid == $uid"}},
}})


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def sign_up(node):
    """Creates a user, and data that only this user may read."""
    user = Identity(node).sign_up("ann@example.com", "password1")
    return user, f"/users/{user['localId']}"


def visitor(node, user, path, ns=None):
    client = Client(node, ns=ns)
    client.sign_in(user["idToken"])
    client.listen(path)
    return client


def is_cut(client, path):
    client.expect("ac", s="expired_token", d="Auth token is expired.")
    client.expect("c", p=path[1:])


def accounts_owner(nodes):
    return nodes.owner("a", "accounts")


def cut_on(receipt):
    """Returns how many listeners were cut on each node."""
    return {each["name"]: each["cancelled"] for each in receipt["nodes"]}


def test_a_receipt_counts_the_clients_of_all_nodes(cluster):
    nodes = cluster("--sign-in", "password", rules=RULES)
    user, path = sign_up(nodes["b"])
    nodes["a"].run("databases", "create", "second")
    until(lambda: all("second" in nodes[name].run("databases", "list") for name in "abc"), "it is not known")
    clients = [visitor(nodes[name], user, path) for name in "abcc"]
    clients.append(visitor(nodes["c"], user, path, ns="second"))
    # Any node can be asked: the owner of the accounts collects the counts. When there are more databases, their owner may be
    # another node.
    owners = {accounts_owner(nodes)}
    state, *found = lines(nodes["b"].run("users", "disable", "ann@example.com", "--wait", "--json"))
    owners.add(accounts_owner(nodes))
    assert state["disabled"] is True
    for client in clients:
        is_cut(client, path)
    second, first = sorted(found, key=lambda receipt: receipt["cancelled"])
    assert (first["database"], second["database"]) == ("default", "second")
    assert cut_on(first) == {"a": 1, "b": 1, "c": 2} and cut_on(second) == {"a": 0, "b": 0, "c": 1}
    for receipt in found:
        assert receipt["node"] in owners and receipt["unanswered"] == [] and receipt["isComplete"] is True
        assert receipt["nodes"][0]["name"] == receipt["node"]
        assert receipt["revocation"]["event"] == "user_disable" and receipt["revocation"]["uid"] == user["localId"]
        assert receipt["cancelled"] == receipt["sent"] == receipt["signedOut"] == sum(cut_on(receipt).values())
        assert receipt["kept"] == receipt["late"] == receipt["gone"] == 0
    assert sorted((each["node"], each["path"]) for each in first["listeners"]) == [
        (name, path) for name in "abcc"]
    # Every node forwards the request to the node that has the receipt; each node holds one of the clients.
    owner = first["node"]
    number = first["revocation"]["number"]
    for name in "abc":
        shown = lines(nodes[name].run("revocations", "--node", owner, "--revocation", str(number), "--json"))
        assert shown == found, name
        own = lines(nodes[name].run("revocations", "--json"))
        assert name == owner or sorted(one["cancelled"] for one in own) == sorted(
            count for one in found if (count := cut_on(one)[name]))
        assert all(one["revocation"]["event"] == "user_disable" and one["node"] == name for one in own)
    answer = requests.get(
        nodes["a"].url + "/.settings/receipts.json", params={"auth": nodes["a"].secret(), "node": "x"},
        timeout=WAIT_SECONDS)
    assert answer.status_code == 404, answer.text
    answer = requests.get(
        nodes["a"].url + "/.settings/receipts.json", params={"node": "b"}, timeout=WAIT_SECONDS)
    assert answer.status_code == 401, answer.text


def test_many_accounts_that_are_deleted_at_once(cluster):
    nodes = cluster(rules=RULES, names="ab")
    there = nodes["a" if accounts_owner(nodes) == "b" else "b"]
    headers = {"Authorization": f"Bearer {there.run('token', 'mint', '--admin').strip()}"}
    base = f"{there.url}/identitytoolkit.googleapis.com/v1/projects/hearth/accounts"
    uids = [f"u{number}" for number in range(1_000)]

    def post(operation, body, **parameters):
        answer = requests.post(
            f"{base}:{operation}", params=parameters, json=body, headers=headers, timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text
        return answer.json()

    post("batchCreate", {"users": [{"localId": uid} for uid in uids]})
    # More deletions at once than a node accepts requests.
    done = post("batchDelete", {"localIds": uids, "force": True}, revocations="true")
    numbers = done["revocations"]
    assert len(numbers) == 1_000
    here = nodes[done["revocationsNode"]]

    def receipt(number):
        answer = requests.get(
            here.url + "/.settings/receipts.json", timeout=WAIT_SECONDS,
            params={"auth": here.secret(), "revocation": number, "wait": 50})
        return answer.json()["receipts"][0]

    receipt(numbers[-1])
    answer = requests.get(
        here.url + "/.settings/receipts.json", params={"auth": here.secret(), "limit": 1_000}, timeout=WAIT_SECONDS)
    found = answer.json()["receipts"]
    assert len(found) == 1_000 and [one for one in found if one["unanswered"] or not one["isComplete"]] == []


def test_a_node_that_does_not_answer_is_named(cluster):
    nodes = cluster("--sign-in", "password", rules=RULES)
    user, path = sign_up(nodes["a"])
    owner = accounts_owner(nodes)
    frozen, other = [name for name in "abc" if name != owner]
    clients = {name: visitor(nodes[name], user, path) for name in "abc"}
    process = nodes[frozen].process
    process.send_signal(signal.SIGSTOP)
    try:
        (receipt,) = lines(nodes[other].run("users", "disable", "ann@example.com", "--wait", "--json", expect=1))[1:]
        assert receipt["unanswered"] == [frozen] and receipt["isComplete"] is False
        assert cut_on(receipt) == {owner: 1, other: 1}
        assert f"no response from {frozen}" in nodes[other].run("revocations", "--node", owner)
        for name in (owner, other):
            is_cut(clients[name], path)
    finally:
        process.send_signal(signal.SIGCONT)
    # The isolated node ends the client's session by its own clock, or when it learns of the revocation.
    until(lambda: is_over(clients[frozen]), "the client of the node that was frozen is not cut")


def is_over(client):
    """Returns True when the client's next frame says that it is signed out, or its connection ends."""
    try:
        frame = client.receive()
    except Exception:
        return True
    return frame.get("d", {}).get("a") == "ac"
