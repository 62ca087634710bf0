"""`kill -9` at random moments under load; every acknowledged write must come back.

HEARTH_CRASHES sets how often (5 by default, 50 in the long form). The seed of the moments is printed.
"""

import json
import os
import random
import threading
import time

import requests
import websocket
from client import Client
from waits import WAIT_SECONDS, until

OPEN = '{ "rules": { ".read": true, ".write": true } }'
CRASHES = int(os.environ.get("HEARTH_CRASHES", "5"))
WRITERS = 3


def write_until_cut(server, number, acknowledged, sent):
    """Pipelines counters into /w/<number>; remembers the highest that was sent and that was acknowledged."""
    client = Client(server)
    value, pending = acknowledged[number], {}
    try:
        while True:
            while len(pending) < 16:
                value += 1
                sent[number] = value
                body = {f"w{number}/last": value, f"w{number}/log/{value % 500}": value}
                pending[client.request("m", p="/", d=body)] = value
            frame = client.receive()["d"]
            assert frame["b"]["s"] == "ok", frame
            acknowledged[number] = pending.pop(frame["r"])
    except (websocket.WebSocketException, OSError, json.JSONDecodeError):
        pass


def test_acknowledged_writes_survive_kill_minus_nine(serve):
    seed = int(os.environ.get("HEARTH_SEED", random.randrange(1 << 30)))
    print("seed", seed)
    moments = random.Random(seed)
    server = serve(rules=OPEN)
    acknowledged, sent = [0] * WRITERS, [0] * WRITERS
    for crash in range(CRASHES):
        threads = [threading.Thread(target=write_until_cut, args=(server, i, acknowledged, sent)) for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        moment = moments.uniform(0.05, 0.8)
        # In each other round something is acknowledged before, however slow the machine is.
        if crash % 2 == 0:
            before = sum(acknowledged)
            until(lambda: sum(acknowledged) > before, "an acknowledged write")
        time.sleep(moment)
        server.kill()
        for thread in threads:
            thread.join(WAIT_SECONDS)
            assert not thread.is_alive(), seed
        server.start()
        stored = requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json() or {}
        for i in range(WRITERS):
            mine = stored.get(f"w{i}", {})
            last = mine.get("last", 0)
            assert acknowledged[i] <= last <= sent[i], (seed, i, acknowledged[i], last, sent[i])
            # A write is there whole or not at all, and nothing older than the last one is lost.
            log = mine.get("log", {})
            log = dict(enumerate(log)) if isinstance(log, list) else {int(k): v for k, v in log.items()}
            for value in range(max(1, last - 499), last + 1):
                assert log.get(value % 500) == value, (seed, i, value, last)
            acknowledged[i] = last
    assert sum(acknowledged) > 0


def sign_in_until_cut(server, number, refresh_tokens, stop):
    """Makes anonymous users; remembers the refresh token of each that was acknowledged."""
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"
    with requests.Session() as session:
        while not stop.is_set():
            try:
                answer = session.post(url, json={"returnSecureToken": True}, timeout=WAIT_SECONDS)
            except requests.RequestException:
                return
            if answer.status_code != 200:
                return
            refresh_tokens[number].append((answer.json()["localId"], answer.json()["refreshToken"]))


def test_acknowledged_accounts_survive_kill_minus_nine(serve, tmp_path):
    """Users, their sessions and the audit trail are whole after each kill."""
    seed = int(os.environ.get("HEARTH_SEED", random.randrange(1 << 30)))
    print("seed", seed)
    moments = random.Random(seed)
    config = tmp_path / "accounts.json"
    config.write_text('{ "limits": { "anonymousPerHour": 100000 } }', encoding="utf-8")
    server = serve("--auth-config", str(config), "--sign-in", "anonymous", rules=OPEN)
    refresh_tokens = [[] for _ in range(WRITERS)]
    for _ in range(max(2, CRASHES // 2)):
        stop = threading.Event()
        threads = [
            threading.Thread(target=sign_in_until_cut, args=(server, i, refresh_tokens, stop)) for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        moment, before = moments.uniform(0.1, 0.6), sum(map(len, refresh_tokens))
        until(lambda: sum(map(len, refresh_tokens)) > before, "an acknowledged account")
        time.sleep(moment)
        server.kill()
        stop.set()
        for thread in threads:
            thread.join(WAIT_SECONDS)
            assert not thread.is_alive(), seed
        server.start()
        server.run("audit", "verify")
    known = [entry for entries in refresh_tokens for entry in entries]
    assert known
    for uid, token in moments.sample(known, min(60, len(known))):
        answer = requests.post(
            f"{server.url}/securetoken.googleapis.com/v1/token?key=k", timeout=WAIT_SECONDS,
            data={"grant_type": "refresh_token", "refresh_token": token})
        assert answer.status_code == 200 and answer.json()["user_id"] == uid, (seed, answer.text)
    listed = {user["localId"] for user in json.loads(server.run("users", "list", "--json"))}
    assert {uid for uid, _ in known} <= listed, seed
