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

OPEN = '{ "rules": { ".read": true, ".write": true } }'
CRASHES = int(os.environ.get("HEARTH_CRASHES", "5"))
WRITERS = 3


def write_until_cut(server, number, acknowledged, sent):
    """Pipelines counters into /w/<number>; remembers the highest that was sent and that was acknowledged."""
    client = Client(server)
    client.socket.settimeout(10)
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
    for _ in range(CRASHES):
        threads = [threading.Thread(target=write_until_cut, args=(server, i, acknowledged, sent)) for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        time.sleep(moments.uniform(0.05, 0.8))
        server.kill()
        for thread in threads:
            thread.join(30)
        server.start()
        stored = requests.get(f"{server.url}/.json", timeout=30).json() or {}
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
