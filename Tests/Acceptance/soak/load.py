"""Clients that load a server for a long time, each in a thread: sockets, REST, streams, accounts, rules.

They write only to places that exist from the start, so that the load itself does not make the data grow."""

import json
import random
import threading
import time

import requests
import websocket

from client import Client, stream_lines
from identity import Identity
from waits import WAIT_SECONDS

ROOMS = 10
KEYS = 200
TEXT = "a message of a person, of middle length, as they are in a room where people talk. " * 2

RULES = """{ "rules": {
  "rooms": { "$room": {
    ".read": "auth != null", ".write": "auth != null",
    "m": { ".indexOn": "n", "$key": { ".validate": "newData.hasChildren(['n', 'text'])%s" } }
  } },
  "counters": { ".read": "auth != null", "$id": { ".write": "auth != null", ".validate": "newData.isNumber()" } },
  "presence": { "$uid": { ".read": "auth != null", ".write": "auth.uid == $uid" } },
  "people": { "$uid": { ".read": "auth.uid == $uid", ".write": "auth.uid == $uid" } },
  "base": { ".read": "auth.token.base == true" }
} }"""
# Two versions of the rules that allow the same requests; each deploy activates the other one.
VERSIONS = [RULES % "", RULES % " && newData.child('text').val().length < 1000"]


def message(number):
    """Returns a value that contains the current time, by which a listener measures the delivery time."""
    return {"n": number, "text": TEXT, "t": time.monotonic()}


class Worker(threading.Thread):
    """Performs its step at a fixed rate until it is stopped."""

    name_of_load = ""
    rate = 1.0

    def __init__(self, run, number):
        super().__init__(daemon=True)
        self.load, self.number = run, number
        self.random = random.Random(f"{self.name_of_load} {number}")

    def run(self):
        due = time.monotonic() + self.random.uniform(0, 1 / self.rate)
        while not self.load.stop.wait(max(0.0, due - time.monotonic())):
            # After a stall it continues at its rate without catching up.
            due = max(due + 1 / self.rate, time.monotonic() - 1)
            try:
                self.step()
            except (websocket.WebSocketException, requests.RequestException, OSError, AssertionError, ValueError) as error:
                if not self.load.stop.is_set():
                    self.load.recorder.failed(self.name_of_load, error)
                self.leave()
        self.leave()

    def step(self):
        raise NotImplementedError

    def leave(self):
        """Closes its connections."""

    def timed(self, name, work):
        started = time.monotonic()
        answer = work()
        self.load.recorder.took(name, time.monotonic() - started)
        return answer

    def room(self):
        return f"rooms/r{self.random.randrange(ROOMS)}"

    def key(self):
        return f"k{self.random.randrange(KEYS)}"


class SocketWorker(Worker):
    """A worker with a WebSocket that it opens again when it has ended."""

    client = None

    def connected(self):
        if self.client is None:
            client = Client(self.load.server)
            client.sign_in(self.load.token(self.number))
            self.client = client
        return self.client

    def leave(self):
        if self.client is not None:
            client, self.client = self.client, None
            client.close()


class Writer(SocketWorker):
    """Sets, updates of several places, and removals."""

    name_of_load, rate = "writes", 10.0

    def step(self):
        client, chance = self.connected(), self.random.random()
        value = message(self.random.randrange(1000))
        path = f"/{self.room()}/m/{self.key()}"
        if chance < 0.7:
            self.timed("write", lambda: client.call("p", p=path, d=value))
        elif chance < 0.9:
            places = {f"{self.room()}/m/{self.key()}": value, f"counters/w{self.number}": value["n"]}
            self.timed("write", lambda: client.call("m", p="/", d=places))
        else:
            self.timed("write", lambda: client.call("p", p=path, d=None))


class Listener(SocketWorker):
    """Listens to a room; half of the listeners query its newest messages only."""

    name_of_load, rate = "listens", 1000.0
    until = 0.0

    def step(self):
        if self.client is None:
            client = self.connected()
            room = f"/rooms/r{self.number % ROOMS}/m"
            if self.number // ROOMS % 2:
                client.request("q", p=room, q={"l": 10, "vf": "r", "i": "n"}, t=1, h="")
            else:
                client.request("q", p=room, h="")
            # Starts all its listens again at intervals.
            self.until = time.monotonic() + self.random.uniform(30, 300)
            client.socket.settimeout(1)
            self.is_settled = False
        try:
            frame = self.client.receive()
        except websocket.WebSocketTimeoutException:
            frame = None
        if frame is not None:
            self.look(frame["d"])
        if time.monotonic() > self.until:
            self.leave()

    def look(self, frame):
        now = time.monotonic()
        if "r" in frame:
            assert frame["b"]["s"] == "ok", frame
            self.is_settled = True
        # The data at the start of a listen was written earlier, so it measures no delivery time.
        elif self.is_settled and frame.get("a") == "d" and "/k" in frame["b"]["p"]:
            value = frame["b"]["d"]
            if isinstance(value, dict) and "t" in value:
                self.load.recorder.took("event", now - value["t"])
        assert frame.get("a") != "c", "a listen was cancelled"


class Visitor(SocketWorker):
    """Connects, registers an `onDisconnect` operation, reads, and disconnects; half the time without the closing handshake."""

    name_of_load, rate = "connects", 2.0

    def step(self):
        started = time.monotonic()
        client = self.connected()
        client.call("o", p=f"/presence/u{self.number}", d=None)
        client.call("p", p=f"/presence/u{self.number}", d=True)
        client.request("q", p="/counters", h="")
        while "r" not in client.receive()["d"]:
            pass
        self.load.recorder.took("connect", time.monotonic() - started)
        if self.random.random() < 0.5:
            # Without the closing handshake.
            client.socket.sock.close()
        self.leave()


class RESTWorker(Worker):
    """A worker with a persistent HTTP connection."""

    def __init__(self, run, number):
        super().__init__(run, number)
        self.session = requests.Session()

    def ask(self, method, path, name="REST", expected=(200,), **options):
        answer = self.timed(name, lambda: self.session.request(
            method, f"{self.load.server.url}/{path}", timeout=WAIT_SECONDS, **options))
        assert answer.status_code in expected, (method, path.split("?")[0], answer.status_code, answer.text[:200])
        return answer


class Requests(RESTWorker):
    """Sends reads, queries, writes, and transactions by entity tag."""

    name_of_load, rate = "REST", 10.0

    def step(self):
        token = "auth=" + self.load.token(self.number)
        chance = self.random.random()
        place = f"{self.room()}/m/{self.key()}.json?{token}"
        if chance < 0.3:
            self.ask("GET", place)
        elif chance < 0.4:
            self.ask("GET", f'{self.room()}/m.json?orderBy="n"&limitToLast=5&{token}')
        elif chance < 0.6:
            self.ask("PUT", place, data=json.dumps(message(1)))
        elif chance < 0.7:
            self.ask("PATCH", f"counters.json?{token}&print=silent", expected=(204,), data=json.dumps({"r": 1}))
        elif chance < 0.75:
            self.ask("DELETE", place)
        else:
            self.transact(f"counters/shared.json?{token}")

    def transact(self, place):
        """Increments a number that other workers increment as well."""
        for _ in range(20):
            read = self.ask("GET", place, headers={"X-Firebase-ETag": "true"})
            written = self.ask(
                "PUT", place, "transaction", expected=(200, 412), headers={"if-match": read.headers["ETag"]},
                data=json.dumps((read.json() or 0) + 1))
            if written.status_code == 200:
                return


class Stream(RESTWorker):
    """Follows a room as an event stream, and reconnects every few minutes."""

    name_of_load, rate = "streams", 1.0

    def step(self):
        place = f"rooms/r{self.number % ROOMS}/m.json?auth={self.load.token(self.number)}"
        until = time.monotonic() + self.random.uniform(60, 200)
        with self.session.get(
                f"{self.load.server.url}/{place}", headers={"Accept": "text/event-stream"}, stream=True,
                timeout=WAIT_SECONDS) as answer:
            assert answer.status_code == 200, answer.status_code
            isFirst = True
            for line in stream_lines(answer):
                now = time.monotonic()
                if line.startswith("data: {") and not isFirst:
                    value = json.loads(line[6:])["data"]
                    if isinstance(value, dict) and "t" in value:
                        self.load.recorder.took("stream event", now - value["t"])
                isFirst = isFirst and not line.startswith("data: ")
                assert not line.startswith("event: cancel"), "a stream was cancelled"
                if now > until or self.load.stop.is_set():
                    return


class Person(Worker):
    """Signs up, uses the account and deletes it; other times signs in with the password of an existing account."""

    name_of_load, rate = "accounts", 1.0
    PASSWORD = "a long password of the load"

    def step(self):
        identity = Identity(self.load.server)
        if self.random.random() < 0.3:
            email = f"person{self.number}@example.com"
            if not self.load.has_person(email):
                identity.sign_up(email, self.PASSWORD)
                self.load.add_person(email)
            self.timed("sign-in", lambda: identity.sign_in(email, self.PASSWORD))
            return
        answer = self.timed("sign-up", identity.sign_up)
        uid, token = answer["localId"], answer["idToken"]
        place = f"{self.load.server.url}/people/{uid}.json?auth={token}"
        for method, body in (("PUT", "1"), ("GET", None), ("DELETE", None)):
            done = requests.request(method, place, data=body, timeout=WAIT_SECONDS)
            assert done.status_code == 200, (method, done.status_code, done.text)
        token = identity.refresh(answer["refreshToken"])["id_token"]
        identity.post("accounts:delete", {"idToken": token})


class Deploys(RESTWorker):
    """Deploys the other version of the rules, and reads the metrics."""

    name_of_load, rate = "deploys", 1 / 30
    version = 0

    def step(self):
        self.version = 1 - self.version
        self.ask("PUT", f".settings/rules.json?auth={self.load.secret}", "deploy", data=VERSIONS[self.version])
        self.ask("GET", f".metrics?auth={self.load.secret}", "scrape")


# The kinds of workers, and the number of each.
WORKERS = [(Writer, 4), (Listener, 4 * ROOMS), (Visitor, 2), (Requests, 3), (Stream, 5), (Person, 2), (Deploys, 1)]


class Load:
    """All workers, on one server."""

    def __init__(self, server, secret, tokens, recorder):
        self.server, self.secret, self._tokens, self.recorder = server, secret, tokens, recorder
        self.stop = threading.Event()
        self._people = set()
        self._lock = threading.Lock()
        self.workers = [kind(self, number) for kind, count in WORKERS for number in range(count)]

    def token(self, number):
        return self._tokens[number % len(self._tokens)]

    def has_person(self, email):
        with self._lock:
            return email in self._people

    def add_person(self, email):
        with self._lock:
            self._people.add(email)

    def start(self):
        for worker in self.workers:
            worker.start()

    def end(self):
        self.stop.set()
        for worker in self.workers:
            worker.join(WAIT_SECONDS)
