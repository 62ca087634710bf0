"""Clients that write, compare and read over a WebSocket, with several requests in flight."""

import base64
import hashlib
import time

from faults.history import ANYTHING, Read, Write
from faults.users import SocketUser
from kills.writers import ONE_MORE

REGISTERS = [f"registers/r{number}" for number in range(4)]
IN_FLIGHT = 4
PAUSE_SECONDS = 0.05


def text_hash(value):
    """Returns the hash by which a transaction over the socket names the value it found: a text, or no value."""
    return "" if value is None else base64.b64encode(hashlib.sha1(b"string:" + value.encode()).digest()).decode()


class SocketWriter(SocketUser):
    """Disconnects at intervals, and connects again."""

    def work(self):
        self.known = dict.fromkeys(REGISTERS)
        leaves = time.monotonic() + self.numbers.uniform(2, 12)
        while not self.lap.is_quiet.is_set():
            if time.monotonic() > leaves:
                self.connection.close()
                self.connect()
                leaves = time.monotonic() + self.numbers.uniform(2, 12)
            while len(self.connection.pending) < IN_FLIGHT and self.numbers.random() < 0.7:
                self.ask()
            self.connection.pump(PAUSE_SECONDS * self.numbers.uniform(0.5, 1.5))

    def ask(self):
        place, kind = self.numbers.choice(REGISTERS), self.numbers.random()
        if kind < 0.3:
            return self.read(place)
        record = Write(place, self.lap.next_name(f"{self.node.name}-s"), time.monotonic())
        if kind < 0.6:
            # Values that others wrote are known from reads alone.
            record.found = self.known[place]
            self.connection.write(record, d=record.value, h=text_hash(record.found))
        elif kind < 0.75:
            record.is_counted = True
            self.connection.write(record, "m", "", d={record.place: record.value, "total": ONE_MORE})
        else:
            self.connection.write(record, d=record.value)
        assert record.found is ANYTHING or kind < 0.6

    def read(self, place):
        start = time.monotonic()

        def answered(status, data):
            if status == "ok":
                self.known[place] = data
                self.lap.history.reads.append(Read(place, data, start, time.monotonic()))

        self.connection.request("g", answered, p=self.lap.at(place), q={})
