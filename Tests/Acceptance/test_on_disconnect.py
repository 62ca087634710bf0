"""What connections leave to be done at their end is done exactly once, however the server and the client end.

Everything that is left to be done adds to a number: done twice, or never, it is seen. HEARTH_CRASHES sets how often the
server is ended (25 by default); the seed of the moments is printed.
"""

import json
import os
import random
import signal
import socket
import struct
import time

import requests
from client import Client
from waits import WAIT_SECONDS, until

OPEN = '{ "rules": { ".read": true, ".write": true } }'
MEMBERS = """{ "rules": {
  ".read": true,
  "members": { ".write": true },
  "left": { "$uid": { ".write": "auth.uid == $uid && root.child('members/' + $uid).val() == true" } }
} }"""
ENDS = int(os.environ.get("HEARTH_CRASHES", "25"))
ONE_MORE = {".sv": {"increment": 1}}


def read(server, path):
    answer = requests.get(f"{server.url}{path}.json", timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def wait_for(server, path, value):
    """Others see an end a little later than the one who ended."""
    until(lambda: read(server, path) == value, lambda: (path, read(server, path)))


def reset(client):
    """As if the network had broken: no closing frame, and what is under way is lost."""
    client.socket.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.sock.close()


def leave(client, name):
    """Two numbers in different places, one that is there already and its time; and one that is taken back."""
    client.call("o", p=f"/never/{name}", d=ONE_MORE)
    client.call("o", p=f"/once/{name}", d={"n": ONE_MORE, "at": {".sv": "timestamp"}})
    client.call("om", p="/", d={f"twice/{name}": ONE_MORE, "sum": ONE_MORE})
    client.call("oc", p=f"/never/{name}", d=None)


def test_on_disconnect_writes_are_made_once_despite_kills(serve):
    seed = int(os.environ.get("HEARTH_SEED", random.randrange(1 << 30)))
    print("seed", seed)
    moments = random.Random(seed)
    server = serve(rules=OPEN)
    acknowledged, unsure, kept = [], [], []
    for i in range(ENDS):
        way = ("registered", "closed", "reset", "in flight", "stopped")[i % 5]
        clients = [Client(server) for _ in range(2)]
        for j, client in enumerate(clients):
            leave(client, f"{i}-{j}")
            acknowledged.append(f"{i}-{j}")
        if way == "in flight":
            for j in range(20):
                clients[0].request("om", p="/", d={f"unsure/{i}-{j}": ONE_MORE, "unsureSum": ONE_MORE})
                unsure.append(f"{i}-{j}")
                if j == 10:
                    time.sleep(moments.uniform(0, 0.01))
        elif way == "closed":
            for client in clients:
                client.socket.send_close()
        elif way == "reset":
            for client in clients:
                reset(client)
        # From the very moment on to when all is long done.
        time.sleep(moments.choice([0, moments.uniform(0, 0.004), moments.uniform(0, 0.04)]))
        if way == "stopped":
            server.process.send_signal(signal.SIGTERM)
            if i % 2:
                time.sleep(moments.uniform(0, 0.05))
                server.kill()
            else:
                assert server.process.wait(WAIT_SECONDS) == 0
        else:
            server.kill()
        # Nothing but what is said here closes a socket.
        kept += clients
        server.start()
        stored = read(server, "/")
        once = {name: value["n"] for name, value in stored["once"].items()}
        assert once == dict.fromkeys(acknowledged, 1), (seed, i, way)
        assert stored["twice"] == once and stored["sum"] == len(acknowledged), (seed, i, way)
        assert "never" not in stored, (seed, i, way)
        # Done or not, what was not acknowledged: but whole, and once.
        done = stored.get("unsure", {})
        assert set(done) <= set(unsure) and set(done.values()) <= {1}, (seed, i, way)
        assert all(isinstance(value["at"], int) for value in stored["once"].values())
        # Of one connection's two additions to the same place the later one stands.
        assert stored.get("unsureSum", 0) <= len(done), (seed, i, way)


def test_a_graceful_stop_makes_on_disconnect_writes(serve):
    server = serve(rules=OPEN)
    client = Client(server)
    leave(client, "a")
    assert server.stop() == 0
    at = time.time() * 1000
    server.start()
    once = read(server, "/once/a")
    assert once["n"] == 1 and once["at"] <= at
    assert client.closed()


def test_on_disconnect_writes_have_the_identity_of_the_closed_connection(serve):
    """Rules decide at the end too, also when the end is found out by the next start."""
    server = serve(rules=MEMBERS)
    for uid in ("ann", "bob"):
        requests.put(f"{server.url}/members/{uid}.json", data="true", timeout=WAIT_SECONDS)
    clients = {}
    for uid in ("ann", "bob"):
        clients[uid] = Client(server)
        clients[uid].sign_in(server.token(uid))
        clients[uid].call("o", p=f"/left/{uid}", d=ONE_MORE)
        clients[uid].call("o", "permission_denied", p="/left/somebody", d=ONE_MORE)
    requests.put(f"{server.url}/members/bob.json", data="null", timeout=WAIT_SECONDS)
    server.kill()
    server.start()
    assert read(server, "/left") == {"ann": 1}


def take_over(server, old):
    """The client that comes back says who it is, and is done with what it left before anything it asks."""
    new = Client(server, last_session=old.session)
    new.call("p", p="/presence", d="new")
    assert new.call("g", p="/ends", q={}) == 1
    return new


def old_session(server):
    old = Client(server)
    old.call("p", p="/presence", d="old")
    old.call("o", p="/presence", d=None)
    old.call("o", p="/ends", d=ONE_MORE)
    return old


def test_a_resumed_session_replaces_its_connection(serve):
    server = serve(rules=OPEN)
    old = old_session(server)
    take_over(server, old)
    # The end of the old one is noticed, and is nothing new.
    assert old.closed()
    Client(server, last_session=old.session)
    server.kill()
    server.start()
    assert (read(server, "/presence"), read(server, "/ends")) == ("new", 1)


def test_an_unresponsive_connection_is_replaced_by_its_session(serve):
    """It takes nothing any more of what it listens to, and does not say goodbye."""
    server = serve(rules=OPEN)
    old = old_session(server)
    old.listen("/news")
    old.socket.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    for i in range(8):
        requests.put(f"{server.url}/news.json", data=json.dumps(f"{i}" * 500_000), timeout=WAIT_SECONDS)
    new = take_over(server, old)
    reset(old)
    new.call("p", p="/still", d=True)
    assert (read(server, "/presence"), read(server, "/ends")) == ("new", 1)
    server.kill()
    server.start()
    assert (read(server, "/presence"), read(server, "/ends")) == ("new", 1)


def test_a_kill_during_the_replacement_of_a_connection_loses_no_write(serve):
    server = serve(rules=OPEN)
    for ends in range(1, 4):
        old = Client(server)
        old.call("o", p="/ends", d=ONE_MORE)
        new = Client(server, last_session=old.session, hello=False)
        if ends > 1:
            new.receive()
        server.kill()
        # The session of a server that is gone is nobody's.
        server.start()
        Client(server, last_session=old.session)
        assert read(server, "/ends") == ends


def test_other_clients_see_a_presence_removed(serve):
    server = serve(rules=OPEN)
    watcher = Client(server)
    watcher.listen("/online")
    for i, end in enumerate((lambda client: client.socket.send_close(), reset)):
        client = Client(server)
        client.call("o", p="/online/ann", d=None)
        client.call("o", p="/ends", d=ONE_MORE)
        client.call("p", p="/online/ann", d=True)
        watcher.expect("d", p="online/ann", d=True)
        end(client)
        watcher.expect("d", p="online/ann", d=None)
        wait_for(server, "/ends", i + 1)
