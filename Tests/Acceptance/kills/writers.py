"""Writers that continue until the server has ended: over a WebSocket with many writes in flight, and over REST one at a time."""

import base64
import hashlib
import http.client
import json
import struct
import threading

import websocket
from client import Client
from waits import WAIT_SECONDS

# The errors that a client sees when its server is killed: a closed connection, a partial answer, or a refused connection.
CUT_OFF = (websocket.WebSocketException, http.client.HTTPException, OSError, json.JSONDecodeError)
ONE_MORE = {".sv": {"increment": 1}}
IN_FLIGHT = 16


def simple_hash(number):
    """Returns the hash by which a transaction over the socket names the number it found."""
    if number is None:
        return ""
    text = b"number:" + struct.pack(">d", number).hex().encode()
    return base64.b64encode(hashlib.sha1(text).digest()).decode()


class Load(threading.Thread):
    """A client that uses the server until it ends. `broken` has the error that must not occur, or None."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.broken = server, None
        self.ends = threading.Event()

    def run(self):
        try:
            self.use()
        except CUT_OFF:
            pass
        except Exception as error:  # Any error is kept for the thread that waits for this one.
            self.broken = error

    def use(self):
        raise NotImplementedError


class SocketWriter(Load):
    """Pipelines a line's operations. Its `onDisconnect` operation increments a number once."""

    def __init__(self, server, line, numbers, size_bytes, at_end):
        super().__init__(server)
        self.line, self.numbers, self.size_bytes = line, numbers, size_bytes
        self.at_end, self.at_end_is_acknowledged = at_end, False

    def use(self):
        client = Client(self.server)
        client.call("o", p=f"/ends/{self.at_end}", d=ONE_MORE)
        self.at_end_is_acknowledged = True
        waiting = []
        while not self.ends.is_set():
            while len(waiting) < IN_FLIGHT:
                waiting.append(self.send(client, self.line.next(self.numbers, self.size_bytes)))
            client.reply(waiting.pop(0))
            self.line.acknowledge()

    def send(self, client, operation):
        place = f"/w/{self.line.name}"
        if operation.kind == "update":
            return client.request("m", p=place, d=operation.value)
        if operation.kind == "shared":
            return client.request("m", p="/", d={f"w/{self.line.name}/n": operation.value, "shared/sum": ONE_MORE})
        body = {"p": f"{place}/{operation.path}", "d": ONE_MORE if operation.kind == "increment" else operation.value}
        if operation.kind == "transaction":
            body["h"] = simple_hash(operation.found)
        return client.request("p", **body)


class RestWriter(Load):
    """Sends one request at a time, and at intervals increments a shared counter by a compared write."""

    def __init__(self, server, line, numbers, size_bytes):
        super().__init__(server)
        self.line, self.numbers, self.size_bytes = line, numbers, size_bytes
        # The increments of the shared counter: those acknowledged, and those possibly made.
        self.added, self.sent = 0, 0

    def connect(self):
        return http.client.HTTPConnection(self.server.host, self.server.port, timeout=WAIT_SECONDS)

    def use(self):
        self.connection = self.connect()
        while not self.ends.is_set():
            if self.numbers.randrange(6) == 0:
                self.add()
            else:
                self.send(self.line.next(self.numbers, self.size_bytes))
                self.line.acknowledge()

    def request(self, method, path, value=None, expect=(200, 204), **headers):
        self.connection.request(method, path, None if method in ("GET", "DELETE") else json.dumps(value), headers)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status in expect, (method, path, answer.status, body[:200])
        return answer.status, answer.headers.get("ETag"), body

    def send(self, operation):
        place = f"/w/{self.line.name}/{operation.path}".rstrip("/") + ".json?print=silent"
        if operation.kind == "update":
            self.request("PATCH", place, operation.value)
        elif operation.kind == "shared":
            self.request("PATCH", "/.json?print=silent",
                         {f"w/{self.line.name}/n": operation.value, "shared/sum": ONE_MORE})
        elif operation.kind == "remove":
            self.request("DELETE", place)
        elif operation.kind == "increment":
            self.request("PUT", place, ONE_MORE)
        elif operation.kind == "transaction":
            _, tag, body = self.request("GET", f"/w/{self.line.name}/t.json", **{"X-Firebase-ETag": "true"})
            assert json.loads(body) == operation.found, (self.line.name, body, operation.found)
            self.request("PUT", place, operation.value, **{"if-match": tag})
        else:
            self.request("PUT", place, operation.value)

    def add(self):
        _, tag, body = self.request("GET", "/shared/counter.json", **{"X-Firebase-ETag": "true"})
        self.sent += 1
        status, _, _ = self.request(
            "PUT", "/shared/counter.json", (json.loads(body) or 0) + 1, expect=(200, 412), **{"if-match": tag})
        if status == 200:
            self.added += 1
        else:
            self.sent -= 1
