"""A folder whose database is larger than the memory for its pages, over many kills."""

import json
import time

import requests
from kills.life import KilledFolder
from kills.writers import Load, RestWriter
from waits import WAIT_SECONDS

ROOM_RECORDS, RECORD_BYTES = 4_096, 200
LOOKS = 40


def record(number, version):
    """Returns the value of a record: its text names both numbers."""
    text = f"{number}/{version}/"
    return {"n": version, "text": text + "x" * (RECORD_BYTES - len(text) - 20)}


def path(number):
    return f"/large/r{number // ROOM_RECORDS}/k{number % ROOM_RECORDS}"


class Records:
    """The records of `/large` with their acknowledged versions. `sent` has the writes that are not answered yet."""

    def __init__(self, size_bytes):
        self.count = max(1, size_bytes // RECORD_BYTES // ROOM_RECORDS) * ROOM_RECORDS
        self.versions, self.sent = {}, {}

    def fill(self, server):
        for first in range(0, self.count, ROOM_RECORDS):
            room = {f"k{number % ROOM_RECORDS}": record(number, 0) for number in range(first, first + ROOM_RECORDS)}
            answer = requests.put(
                f"{server.url}/large/r{first // ROOM_RECORDS}.json?print=silent", json.dumps(room), timeout=WAIT_SECONDS)
            assert answer.status_code == 204, answer.text[:200]

    def check(self, number, value):
        known = {self.versions.get(number, 0), self.sent.get(number, self.versions.get(number, 0))}
        assert value in [record(number, version) for version in known], (number, known, str(value)[:80])

    def settle(self, server, numbers):
        """Reads the unanswered writes, and some others, after a restart."""
        written = list(self.versions)
        looks = set(self.sent) | {numbers.randrange(self.count) for _ in range(LOOKS)} | {
            numbers.choice(written) for _ in range(LOOKS if written else 0)}
        with requests.Session() as session:
            for number in sorted(looks):
                answer = session.get(f"{server.url}{path(number)}.json", timeout=WAIT_SECONDS)
                assert answer.status_code == 200, answer.text[:200]
                value = answer.json()
                self.check(number, value)
                if number in self.sent:
                    self.versions[number] = value["n"]
            rooms = session.get(f"{server.url}/large.json?shallow=true", timeout=WAIT_SECONDS).json()
        assert len(rooms) == self.count // ROOM_RECORDS, len(rooms)
        self.sent = {}


class RecordWriter(RestWriter):
    """Reads and writes records of a whole database in turns."""

    def __init__(self, server, records, numbers):
        super().__init__(server, None, numbers, RECORD_BYTES)
        self.records = records
        self.acknowledged = 0

    def use(self):
        self.connection = self.connect()
        while not self.ends.is_set():
            number = self.numbers.randrange(self.records.count)
            if self.numbers.randrange(2):
                _, _, body = self.request("GET", f"{path(number)}.json")
                self.records.check(number, json.loads(body))
                continue
            version = self.records.versions.get(number, 0) + 1
            self.records.sent[number] = version
            self.request("PUT", f"{path(number)}.json?print=silent", record(number, version))
            self.records.versions[number] = version
            del self.records.sent[number]
            self.acknowledged += 1


class LargeFolder(KilledFolder):
    """`figures` also counts the records that were written."""

    kinds = ["load"] * 5 + ["long"] * 3 + ["start"] * 2

    def __init__(self, folder, seed, number, size_bytes, cache_size):
        super().__init__(folder, seed, number, ["--cache-size", cache_size])
        self.records = Records(size_bytes)
        begin = time.monotonic()
        self.records.fill(self.server)
        print(f"filled {self.records.count:,} records in {time.monotonic() - begin:.0f} s", flush=True)

    def more_users(self):
        self.writer = RecordWriter(self.server, self.records, self.numbers("records"))
        return [self.writer]

    def _settle(self):
        super()._settle()
        self.figures["records"] += self.writer.acknowledged
        self.records.settle(self.server, self.numbers("looks"))

    def look_deep(self):
        self.look_at_accounts()
        self.figures["deep looks"] += 1
