"""Clients that write, compare and read over REST, one request at a time."""

import http.client
import json
import math
import time

from faults.connection import CONNECT_SECONDS, ConnectionEnded
from faults.history import ACKNOWLEDGED, REFUSED, UNKNOWN, Read, Write
from faults.users import User
from faults.writing import PAUSE_SECONDS, REGISTERS
from kills.writers import CUT_OFF, ONE_MORE

REFUSALS = (401, 403, 412, 503)
# Long enough for a failover of PostgreSQL.
ANSWER_SECONDS = 45


class RestUser(User):
    def use(self):
        self.http = None
        try:
            while not self.lap.is_quiet.is_set():
                self.ask(self.numbers.choice(REGISTERS), self.numbers.random())
                time.sleep(PAUSE_SECONDS * self.numbers.uniform(0.5, 1.5))
            self.is_quiet = True
            self.lap.ends.wait()
        finally:
            if self.http:
                self.http.close()

    def ask(self, place, kind):
        if kind < 0.3:
            return self.read(place)
        value = self.lap.next_name(f"{self.node.name}-r")
        if kind < 0.6:
            found, tag = self.read(place)
            return self.write("PUT", place, value, Write(place, value, math.nan, found=found), **{"if-match": tag})
        if kind < 0.75:
            return self.write("PATCH", "", {place: value, "total": ONE_MORE},
                              Write(place, value, math.nan, is_counted=True))
        return self.write("PUT", place, value, Write(place, value, math.nan))

    def read(self, place):
        """Returns the stored value and its entity tag."""
        self.connect()
        start = time.monotonic()
        status, tag, body = self.request("GET", place, None, {"X-Firebase-ETag": "true"})
        if status != 200:
            raise ConnectionEnded(f"a read was answered {status}")
        value = json.loads(body)
        self.lap.history.reads.append(Read(place, value, start, time.monotonic()))
        return value, tag

    def write(self, method, place, body, record, **headers):
        self.connect()
        record.start = time.monotonic()
        self.lap.history.writes.append(record)
        status, _, text = self.request(method, place, body, headers)
        end = time.monotonic()
        record.status = str(status)
        record.outcome = ACKNOWLEDGED if status in (200, 204) else REFUSED if status in REFUSALS else UNKNOWN
        record.end = end
        if status == 412:
            # The answer of a failed comparison has the value that was found.
            self.lap.history.reads.append(Read(place, json.loads(text), record.start, end))

    def connect(self):
        """Connects; a request that was never sent needs no record."""
        if self.http is None:
            host, port = self.node.server.host, self.node.server.port
            self.http = http.client.HTTPConnection(host, port, timeout=CONNECT_SECONDS)
            try:
                self.http.connect()
            except OSError as why:
                self.http = None
                raise ConnectionEnded(f"not let in: {why!r}") from None
            self.http.sock.settimeout(ANSWER_SECONDS)

    def request(self, method, place, value, headers):
        try:
            self.http.request(
                method, f"{self.lap.at(place)}.json", None if value is None else json.dumps(value), headers)
            answer = self.http.getresponse()
            found = answer.status, answer.headers.get("ETag"), answer.read()
            if answer.will_close:
                self.http.close()
                self.http = None
            return found
        except CUT_OFF as why:
            self.http.close()
            self.http = None
            raise ConnectionEnded(repr(why)) from None
