"""A client that causes much work delays only itself: the requests of others are answered meanwhile.

Times are compared only within one run, since a busy machine makes all of them longer. The unit is one pass: the time in which the
server evaluates all listens of an attack again. If a single message caused all evaluations before any other answer, no honest
request would be answered within a pass."""

import json
import select
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import requests

from client import Client
from test_databases import manage
from waits import WAIT_SECONDS

# The rules of an attack. The first and the last listen of a pass are cancelled, in whichever order they are evaluated.
RULES = json.dumps({"rules": {
    "honest": {".read": True, ".write": True},
    "gate": {".read": True, ".write": True},
    "shown": {"$item": {".read": "auth != null || !$item.beginsWith('end')"}},
    "gated": {"$item": {".read": (
        "(root.child('gate').val() !== 'ends' || !$item.beginsWith('end')) && "
        "(root.child('gate').val() !== 'shut' || !$item.endsWith('0'))")}},
}})
# The most listens of one connection. A debug build takes about two seconds to start them, and some tenths of a second for a pass.
LISTENS = 10_000
# The least number of an honest client's requests that are answered within a pass. If passes were not sliced, it would be at most
# two: a request that was in transit when the pass began, and one that is answered together with its end.
ANSWERED_MIN = 6
# The most, as a part of a pass, that an honest request may wait (median).
PASS_PARTS = 3


class HonestClient:
    """A client with a socket and an HTTP connection. It writes and reads with both of them in turn."""

    def __init__(self, server, name):
        self.client = Client(server)
        self.requests = requests.Session()
        self.url = f"{server.url}/honest/{name}.json"
        self.path = f"/honest/{name}"
        self.number = 0
        self.times = []

    def ask(self):
        """Sends one request and waits for its answer."""
        self.number += 1
        step = self.number % 4
        start = time.monotonic()
        if step == 0:
            answer = self.requests.put(self.url, data=str(self.number), timeout=WAIT_SECONDS)
            assert answer.status_code == 200, answer.text
        elif step == 1:
            self.client.call("p", p=self.path, d=self.number)
        elif step == 2:
            assert self.client.call("g", p=self.path) == self.number - 1
        else:
            answer = self.requests.get(self.url, timeout=WAIT_SECONDS)
            assert (answer.status_code, answer.json()) == (200, self.number - 2)
        self.times.append(time.monotonic() - start)

    def close(self):
        self.client.close()
        self.requests.close()


class Attacker:
    """A socket whose replies are kept in the order of their arrival."""

    def __init__(self, server):
        self.client = Client(server)
        self.replies = []
        self.cancelled = set()

    def listen(self, places):
        for place in places:
            self.client.request("q", p=place, h="")
        self.take(len(places))

    def take(self, replies):
        """Receives until this many more replies have arrived."""
        wanted = len(self.replies) + replies
        while len(self.replies) < wanted:
            self.receive()

    def take_what_came(self):
        while select.select([self.client.socket.sock], [], [], 0)[0]:
            self.receive()

    def receive(self):
        body = self.client.receive()["d"]
        if "r" in body:
            assert body["b"]["s"] == "ok", body
            self.replies.append(body["r"])
        else:
            assert body["a"] == "c", body
            self.cancelled.add(body["b"]["p"].strip("/"))


def one_pass(attackers, honest, places):
    """Counts the answers to an honest client until the listens at these places are cancelled.

    Returns the number of those answers, and the seconds."""
    start, count = time.monotonic(), 0
    while True:
        for attacker in attackers:
            attacker.take_what_came()
        if places <= set().union(*(attacker.cancelled for attacker in attackers)):
            return count, time.monotonic() - start
        honest.ask()
        count += 1
        assert time.monotonic() - start < WAIT_SECONDS, "the listens were not cancelled"


def test_changes_of_identity_delay_only_their_own_client(serve):
    server = serve(rules=RULES)
    token = server.token("attacker")
    attacker, honest = Attacker(server), HonestClient(server, "a")
    attacker.client.sign_in(token)
    attacker.listen(["/shown/end-a"] + [f"/shown/{number}" for number in range(LISTENS - 2)] + ["/shown/end-b"])
    attacker.client.request("unauth")
    count, pass_seconds = one_pass([attacker], honest, {"shown/end-a", "shown/end-b"})
    assert count >= ANSWERED_MIN, f"{count} answers while {LISTENS} listens were decided"
    attacker.take(attacker.client.number - len(attacker.replies) - 1)
    honest.times.clear()
    for _ in range(40):
        for _ in range(4):
            attacker.client.request("auth", cred=token)
            attacker.client.request("unauth")
        honest.ask()
        attacker.take_what_came()
    assert statistics.median(honest.times) < pass_seconds / PASS_PARTS, (honest.times, pass_seconds)
    attacker.take(attacker.client.number - len(attacker.replies) - 1)
    # The sign-in was answered first.
    assert attacker.replies == list(range(2, attacker.client.number + 1))
    honest.close()
    attacker.client.close()


def test_writes_that_many_listens_depend_on_delay_only_their_own_client(serve):
    server = serve(rules=RULES)
    attackers, honest = [Attacker(server) for _ in range(3)], HonestClient(server, "b")
    places = [f"/gated/{number}" for number in range(LISTENS - 2)]
    places = ["/gated/end-a", *places, "/gated/end-b"]
    for number, attacker in enumerate(attackers):
        attacker.listen(places[number * len(places) // 3:(number + 1) * len(places) // 3])
    writer = attackers[0].client
    writer.request("p", p="/gate", d="ends")
    count, pass_seconds = one_pass(attackers, honest, {"gated/end-a", "gated/end-b"})
    assert count >= ANSWERED_MIN, f"{count} answers while {LISTENS} listens were decided"
    honest.times.clear()
    for number in range(40):
        for attacker in attackers:
            attacker.client.request("p", p="/gate", d=number)
        honest.ask()
        for attacker in attackers:
            attacker.take_what_came()
    assert statistics.median(honest.times) < pass_seconds / PASS_PARTS, (honest.times, pass_seconds)
    # A tenth of the listens is cancelled. Their messages are read as they arrive.
    writer.request("p", p="/gate", d="shut")
    count, _ = one_pass(attackers, honest, {place.strip("/") for place in places if place.endswith("0")})
    assert count >= ANSWERED_MIN, f"{count} answers while a tenth of the listens was cancelled"
    for attacker in attackers:
        attacker.take(attacker.client.number - len(attacker.replies))
        assert attacker.replies == list(range(1, attacker.client.number + 1))
        attacker.client.close()
    honest.close()



def answered_beside(honest, work):
    """Returns how many requests of an honest client are answered while `work` runs in another thread."""
    count = 0
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        while not done.done():
            honest.ask()
            count += 1
        done.result()
    return count


# The number of listens of a connection whose evaluation the writing client pays for: a connection with more pays itself.
COVERED_LISTENS = 64


def watchers(server, listens):
    """Makes sockets with few listens each; each listen is evaluated on its own."""
    made = []
    for first in range(0, listens, COVERED_LISTENS):
        watcher = Attacker(server)
        watcher.listen([f"/gated/w{number}" for number in range(first, min(first + COVERED_LISTENS, listens))])
        made.append(watcher)
    return made


def test_a_client_over_its_work_allowance_is_delayed_alone(serve):
    server = serve(rules=RULES)
    assert manage(server, "PATCH", "/default", quotas={"connectionWorkPerSecond": 100_000}).status_code == 200
    attacker, honest = Attacker(server), HonestClient(server, "c")
    # A change of the gate makes the server evaluate 2,000 listens of the attacker again, about 300,000 steps: a debt of about two
    # seconds.
    attacker.listen(["/gated/end-a"] + [f"/gated/{number}" for number in range(2_000)] + ["/gated/end-b"])
    attacker.client.request("p", p="/gate", d="ends")
    one_pass([attacker], honest, {"gated/end-a", "gated/end-b"})
    attacker.take(attacker.client.number - len(attacker.replies))
    assert answered_beside(honest, lambda: attacker.client.call("g", p="/gate")) >= 20
    attacker.client.close()
    # The writer pays for the listens of connections with few listens. A user's HTTP requests have an allowance of their own, over
    # any connection.
    others = watchers(server, 2_000)
    url, token = f"{server.url}/gate.json", server.token("ann")

    def put(value):
        answer = requests.put(url, params={"auth": token}, data=json.dumps(value), timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text

    put("shut")
    one_pass(others, honest, {f"gated/w{number}" for number in range(0, 2_000, 10)})
    assert answered_beside(honest, lambda: put("two")) >= 20
    for client in (honest, *(watcher.client for watcher in others)):
        client.close()


def test_a_client_pays_for_its_many_listens_when_other_clients_write(serve):
    server = serve(rules=RULES)
    assert manage(server, "PATCH", "/default", quotas={"connectionWorkPerSecond": 40_000}).status_code == 200
    attacker, honest, writer = Attacker(server), HonestClient(server, "w"), Client(server)
    attacker.listen(["/gated/end-a"] + [f"/gated/{number}" for number in range(2_000)] + ["/gated/end-b"])
    writer.call("p", p="/gate", d="ends")
    one_pass([attacker], honest, {"gated/end-a", "gated/end-b"})
    # Its debt is about seven seconds now.
    attacker.client.request("g", p="/gate")
    # The writer is answered at once, and before the owner of the listens.
    for number in range(20):
        writer.call("p", p="/honest/writer", d=number)
    attacker.take_what_came()
    assert attacker.client.number not in attacker.replies
    for client in (honest, writer, attacker.client):
        client.close()


def test_large_responses_wait_for_the_allowance_of_their_client(serve):
    server = serve(rules=RULES)
    assert manage(server, "PATCH", "/default", quotas={"connectionWorkPerSecond": 200_000}).status_code == 200
    honest, large = HonestClient(server, "d"), Client(server)
    # Reading a megabyte costs 260,000 steps, and sending it 65,000: all of them make a debt of about two seconds.
    large.call("p", p="/honest/large", d="x" * (1 << 20))
    number = large.number

    def read():
        for _ in range(5):
            large.request("g", p="/honest/large")
        for asked in range(number + 1, number + 6):
            assert len(large.reply(asked)) == 1 << 20

    assert answered_beside(honest, read) >= 20
    honest.close()
    large.close()


# Children of the location that the attack compares: 2 MB, some tenths of a second in a debug build.
ATTACKED = {f"k{number:05}": "x" * 80 for number in range(20_000)}
# A location and a write that are each processed in parallel to other commands.
OWN = {f"k{number:04}": "x" * 100 for number in range(3_000)}
# Ranges that contain no value: each such listen makes the server hash the whole location again.
RANGES = {"hs": ["a", "b"], "ps": ["k1"]}


def large_work(client):
    """Returns the seconds of a transaction that compares a large location, and of a large write."""
    times = []
    for path, more in (("/honest/own", {"h": "late"}), ("/honest/written", {})):
        start = time.monotonic()
        number = client.request("p", p=path, d=OWN, **more)
        while client.receive()["d"].get("r") != number:
            pass
        times.append(time.monotonic() - start)
    return times


def test_listens_that_compare_a_large_location_delay_only_their_own_client(serve):
    server = serve(rules=RULES)
    honest = Client(server)
    honest.call("p", p="/honest/attacked", d=ATTACKED)
    honest.call("p", p="/honest/own", d=OWN)
    alone = max(max(large_work(honest)) for _ in range(3))
    attackers = [Client(server) for _ in range(12)]
    start = time.monotonic()
    number = attackers[0].request("q", p="/honest/attacked", h="a", ch=RANGES)
    while attackers[0].receive()["d"].get("r") != number:
        pass
    comparison = time.monotonic() - start
    # All of them take as long as 200 comparisons; a thread discards the frames that arrive.
    sockets = {attacker.socket.sock: attacker for attacker in attackers}
    for attacker in attackers:
        for _ in range(16):
            attacker.request("q", p="/honest/attacked", h="a", ch=RANGES)

    def drain(end):
        while time.monotonic() < end() and sockets:
            for sock in select.select(list(sockets), [], [], 0.05)[0]:
                if not sock.recv(1 << 20):
                    del sockets[sock]

    ends = [float("inf")]
    with ThreadPoolExecutor(1) as pool:
        drained = pool.submit(drain, lambda: ends[0])
        times = [large_work(honest) for _ in range(3)]
        ends[0] = 0
        drained.result()
    # They wait for one comparison at most, not for one of each socket.
    for kind, name in enumerate(("transactions", "large writes")):
        median = statistics.median(time[kind] for time in times)
        assert median < 4 * (alone + comparison), (name, median, alone, comparison, times)
    assert len(sockets) == len(attackers), "the attack was cut off"
    honest.close()
    for attacker in attackers:
        attacker.socket.sock.close()


def test_reconnecting_does_not_renew_an_allowance(serve):
    server = serve(rules=RULES)
    assert manage(server, "PATCH", "/default", quotas={"connectionWorkPerSecond": 40_000}).status_code == 200
    honest, token = HonestClient(server, "e"), server.token("attacker")
    # A write that makes the server evaluate 2,000 listens again costs about 300,000 steps, and reading half a megabyte 130,000:
    # seconds each.
    others = watchers(server, 2_000)
    attacker = Client(server)
    attacker.sign_in(token)
    # The account owes the evaluations of its write, also when its connection ends at once.
    attacker.call("p", p="/gate", d="shut")
    one_pass(others, honest, {f"gated/w{number}" for number in range(0, 2_000, 10)})
    attacker.close()
    other = Client(server)
    other.sign_in(server.token("other"))
    other.call("g", p="/honest/e")
    again = Client(server)
    # The sign-in is not delayed; the requests after it are.
    again.sign_in(token)
    assert answered_beside(honest, lambda: again.call("g", p="/gate")) >= 20
    # Another HTTP connection is delayed, too: its large body is read only when the debt is paid.
    url = f"{server.url}/honest/large.json"

    def ask(method, **body):
        answer = requests.request(method, url, params={"auth": token, "shallow": "true"}, timeout=WAIT_SECONDS, **body)
        assert answer.status_code == 200, answer.text

    ask("PUT", data=json.dumps("x" * (1 << 19)))
    assert answered_beside(honest, lambda: ask("GET")) >= 20
    for client in (honest, other, again, *(watcher.client for watcher in others)):
        client.close()
