"""Somebody who uses one node, and comes back to it whenever the connection is gone."""

import threading
import time

from faults.connection import Connection, Gone
from faults.history import ACKNOWLEDGED, Write

# Clients differ in how long they wait for a server that says nothing: less, and more, than a node's lease.
PATIENCE_SECONDS = (4, 12, 25)


class User(threading.Thread):
    """What went wrong with it that may not is in `broken`. `is_quiet` when nothing that it asked is without an answer and
    it asks no more."""

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
                except Gone:
                    self.lap.ends.wait(self.numbers.uniform(0.05, 0.3))
                # Who has nothing more to write does not come back for it.
                self.is_quiet = self.is_quiet or self.lap.is_quiet.is_set()
        except Exception as error:  # Whatever it is, the one who waits for this thread is to know.
            self.broken = error
        finally:
            self.is_quiet = True

    def use(self):
        raise NotImplementedError


class SocketUser(User):
    """The same over a socket. While everything is quiet it proves that its connection lives by a last write."""

    def connect(self):
        """A new connection, at whose end something is to be done."""
        if self.lap.is_quiet.is_set():
            # Whoever is not there now has nothing to prove.
            self.is_quiet = True
            self.lap.ends.wait()
            raise Gone("the lap is over")
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
        """Until the lap is quiet."""
        raise NotImplementedError

    def proved(self):
        """Its connection was there when all others had written everything."""
        self.has_proved = True
