"""`onDisconnect` operations are made exactly once, however the server and the client end.

Every operation increments a number, which shows an operation that was made twice or never. HEARTH_CRASHES sets how often the server
is killed (25 by default); the seed of the random moments is printed."""

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
    """Waits, because other clients see the effect a little later than the client that disconnected."""
    until(lambda: read(server, path) == value, lambda: (path, read(server, path)))


def reset(client):
    """Resets the TCP connection without a closing frame, as a broken network does; data in transit is lost."""
    client.socket.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.sock.close()


def leave(client, name):
    """Registers increments at two locations, one of which has a value, with a timestamp; and one operation that is cancelled."""
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
        # Kills at moments from the registration until after all operations were made.
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
        # The test closes all sockets itself; the server closes none.
        kept += clients
        server.start()
        stored = read(server, "/")
        once = {name: value["n"] for name, value in stored["once"].items()}
        assert once == dict.fromkeys(acknowledged, 1), (seed, i, way)
        assert stored["twice"] == once and stored["sum"] == len(acknowledged), (seed, i, way)
        assert "never" not in stored, (seed, i, way)
        # An unacknowledged registration may be made or not, but completely, and once.
        done = stored.get("unsure", {})
        assert set(done) <= set(unsure) and set(done.values()) <= {1}, (seed, i, way)
        assert all(isinstance(value["at"], int) for value in stored["once"].values())
        # When one connection registers two operations for one location, the later one replaces the earlier.
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
    """Rules decide on the operations, also when the next start makes them."""
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
    """Reconnects with the session's id; the server makes the old connection's operations before it answers any request."""
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
    # The end of the old connection has no further effect.
    assert old.closed()
    Client(server, last_session=old.session)
    server.kill()
    server.start()
    assert (read(server, "/presence"), read(server, "/ends")) == ("new", 1)


def test_an_unresponsive_connection_is_replaced_by_its_session(serve):
    """The old connection no longer reads what the server sends, and does not close."""
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
        # The session id of a server that has ended is unknown to the next one.
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
