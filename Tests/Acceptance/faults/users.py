"""A client of one node that reconnects to it whenever its connection ends."""

import threading
import time

from faults.connection import Connection, ConnectionEnded
from faults.history import ACKNOWLEDGED, Write

# The silence after which a client gives its connection up: for some clients shorter, for others longer than a node's lease.
PATIENCE_SECONDS = (4, 12, 25)


class User(threading.Thread):
    """A client. `broken` has the error that must not occur, or None. `is_quiet` is True when all requests are answered and no more
    are sent."""

    def __init__(self, lap, node, numbers):
        super().__init__(daemon=True)
        self.lap, self.node, self.numbers = lap, node, numbers
        self.broken, self.is_quiet = None, False
        self.connection = self.last = None
        self.has_proved = False

    def run(self):
        try:
            while not self.lap.ends.is_set():
                try:
                    self.use()
                except ConnectionEnded:
                    self.lap.ends.wait(self.numbers.uniform(0.05, 0.3))
                # A client that has nothing more to write does not reconnect.
                self.is_quiet = self.is_quiet or self.lap.is_quiet.is_set()
        except Exception as error:  # Any error is kept for the thread that waits for this one.
            self.broken = error
        finally:
            self.is_quiet = True

    def use(self):
        raise NotImplementedError


class SocketUser(User):
    """A client over a WebSocket. At the end of the load it proves by one last write that its connection is alive."""

    def connect(self):
        """Opens a new connection with an `onDisconnect` operation."""
        if self.lap.is_quiet.is_set():
            # A client that is not connected now has nothing to prove.
            self.is_quiet = True
            self.lap.ends.wait()
            raise ConnectionEnded("the lap is over")
        last = self.last.number if self.last and self.numbers.random() < 0.5 else None
        self.connection = self.last = Connection(
            self.lap, self.node, self.numbers.choice(PATIENCE_SECONDS), last)
        self.connection.arm()
        return self.connection

    def use(self):
        self.connect()
        try:
            self.work()
            self.connection.pump(until=lambda: not self.connection.pending)
            self.is_quiet = True
            self.connection.pump(until=self.lap.is_proving.is_set)
            name = self.connection.session.name
            record = Write(f"alive/{name}", self.lap.next_name("alive"), time.monotonic())
            self.connection.write(record, d=record.value)
            self.connection.pump(until=lambda: record.outcome == ACKNOWLEDGED or self.lap.ends.is_set())
            if record.outcome == ACKNOWLEDGED:
                self.proved()
            self.connection.pump(until=self.lap.ends.is_set)
        finally:
            self.connection.close()

    def work(self):
        """Runs until the lap's load has ended."""
        raise NotImplementedError

    def proved(self):
        """Returns True when the connection was alive after all other clients had written everything."""
        self.has_proved = True
