"""One client's WebSocket: requests whose answers are awaited later, and the messages that arrive in between."""

import math
import time

import websocket
from client import Client
from faults.history import ACKNOWLEDGED, REFUSED, UNKNOWN, Session
from kills.writers import CUT_OFF, ONE_MORE

# The time limit for the handshake of a connection.
CONNECT_SECONDS = 5
# The silence after which the client sends a keep-alive.
QUIET_SECONDS = 1
# The statuses by which the server says that it did not make a request, and will not.
REFUSALS = ("datastale", "permission_denied", "unavailable")


class ConnectionEnded(Exception):
    """The connection has ended."""


def outcome(status):
    return ACKNOWLEDGED if status == "ok" else REFUSED if status in REFUSALS else UNKNOWN


class Connection:
    """- lap: the lap that the client belongs to.
    - node: the node to connect to.
    - patience_seconds: the silence after which the client gives the connection up.
    - last: the preceding connection, which the server is told has ended; None for the first.
    """

    def __init__(self, lap, node, patience_seconds, last=None):
        self.lap, self.patience = lap, patience_seconds
        self.pending, self.hear = {}, lambda action, body: None
        self.session = Session(lap.next_name("session"), node.name, time.monotonic())
        try:
            self.client = Client(node.server, last_session=last, timeout=CONNECT_SECONDS)
        except (*CUT_OFF, AssertionError) as why:
            raise ConnectionEnded(f"not let in: {why!r}") from None
        lap.history.sessions.append(self.session)
        self.last_heard = self.last_asked = time.monotonic()

    @property
    def number(self):
        """The session id by which a later connection reports that this one has ended."""
        return self.client.session

    def arm(self):
        """Registers an `onDisconnect` operation that increments a counter once."""

        def answered(status, _):
            self.session.armed = outcome(status)

        self.request("o", answered, p=self.lap.at(f"ends/{self.session.name}"), d=ONE_MORE)

    def request(self, action, answered, **body):
        """`answered` is called with the status and the data of the answer."""
        try:
            self.pending[self.client.request(action, **body)] = answered
        except CUT_OFF as why:
            self._lost(why)

    def write(self, record, action="p", place=None, **body):
        """Like `request`, for a write of the lap's history. `place` is the location of its value, when it differs from the
        record's."""

        def answered(status, _):
            record.end, record.status, record.outcome = time.monotonic(), status, outcome(status)

        record.session = self.session.name
        self.lap.history.writes.append(record)
        self.request(action, answered, p=self.lap.at(record.place if place is None else place), **body)

    def call(self, action, **body):
        """Sends a request and waits for the answer; returns its status and data."""
        found = []
        self.request(action, lambda status, data: found.extend([status, data]), **body)
        self.pump(until=lambda: found)
        return found

    def pump(self, seconds=math.inf, until=lambda: False):
        """Handles messages for a number of seconds, or until a condition holds."""
        deadline = time.monotonic() + seconds
        while not until():
            now = time.monotonic()
            if now >= deadline:
                return
            self._stay_awake(now)
            try:
                self.client.socket.settimeout(max(0.001, min(deadline - now, QUIET_SECONDS / 4)))
                frame = self.client.receive()
            except websocket.WebSocketTimeoutException:
                continue
            except CUT_OFF as why:
                self._lost(why)
            self.last_heard = time.monotonic()
            self._take(frame)

    def _stay_awake(self, now):
        if now - self.last_heard > self.patience:
            self.close()
            raise ConnectionEnded(f"nothing came for {self.patience:.0f} s")
        if now - max(self.last_heard, self.last_asked) > QUIET_SECONDS:
            self.last_asked = now
            try:
                self.client.send_text('{"t":"c","d":{"t":"p","d":{}}}')
            except CUT_OFF as why:
                self._lost(why)

    def _take(self, frame):
        if frame["t"] != "d":
            return
        frame = frame["d"]
        if "r" in frame:
            self.pending.pop(frame["r"])(frame["b"]["s"], frame["b"].get("d"))
        else:
            self.hear(frame["a"], frame["b"])

    def _lost(self, why):
        if self.session.end == math.inf:
            self.session.is_lost, self.session.end = True, time.monotonic()
        self.client.close()
        raise ConnectionEnded(repr(why))

    def close(self):
        if self.session.end == math.inf:
            self.session.end = time.monotonic()
        try:
            # Closes without the closing handshake, like a client whose process ends.
            self.client.socket.sock.close()
        except (AttributeError, *CUT_OFF):
            pass
