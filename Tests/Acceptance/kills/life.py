"""One data folder over many kills."""

import collections
import json
import random
import shutil
import statistics
import time

import requests
from conftest import Server, hearth
from kills import inside, sign_ups
from kills.line import WriterOperations, flat
from kills.listener import Listener
from kills.writers import RestWriter, SocketWriter
from waits import WAIT_SECONDS, until

OPEN = '{ "rules": { ".read": true, ".write": true } }'
LIMITS = '{ "limits": { "anonymousPerHour": 1000000, "signUpsPerHour": 1000000 } }'
SOCKETS, REQUESTS = ["s1", "s2"], ["r1", "r2"]
# The options of each folder, in turns. A short retention and a small size limit remove history with nearly each snapshot.
OPTIONS = [[], ["--history", "1s"], ["--history", "7d", "--history-bytes", "24M", "--history-who"]]
# The moments of a kill: during requests, for a short or a long time, while a snapshot is written or the log that it replaces is
# removed, and during a start.
KINDS = ["load"] * 7 + ["start"] * 2 + ["snapshot"]
SMALL_BYTES, LARGE_BYTES = 12, 96 << 10


class KilledFolder:
    """Starts a server on a new folder. All random choices depend on the seed and the kill's number, so that a kill can be repeated
    after the kills before it in this folder, as far as timing allows.

    `figures` counts the kills by what they interrupted, the operations and the accounts; `start_milliseconds` has the time of every
    start after a kill.
    """

    kinds = KINDS

    def __init__(self, folder, seed, number, options=None):
        self.folder, self.seed, self.number = folder, seed, number
        self.figures, self.start_milliseconds = collections.Counter(), []
        self.lines = {name: WriterOperations(name) for name in SOCKETS + REQUESTS}
        self.accounts, self.at_ends = [], {}
        self.counter, self.sum, self.kills = 0, 0, 0
        folder.mkdir(parents=True)
        limits = folder / "accounts.json"
        limits.write_text(LIMITS, encoding="utf-8")
        self.server = Server(
            folder / "data", "--auth-config", str(limits), "--sign-in", "anonymous,password",
            *(OPTIONS[number % len(OPTIONS)] if options is None else options), rules=OPEN)
        self.journal = self.server.data / "databases" / "default.sqlite"
        self.server.start()

    def numbers(self, *names):
        return random.Random("/".join(map(str, [self.seed, self.number, self.kills, *names])))

    def kill(self, kind=None, waits=False):
        """Kills the server under load and starts it again until it is ready; raises AssertionError when the data is wrong
        afterwards.

        - kind: one of ``KINDS``; None for a random one.
        - waits: True to kill only after an acknowledged operation, also on a slow machine.
        """
        self.kills += 1
        numbers = self.numbers()
        kind = kind or numbers.choice(self.kinds)
        self._under_load(kind, numbers, waits)
        self.figures["kills"] += 1
        if kind == "start":
            for _ in range(numbers.randint(1, 3)):
                self.server.launch()
                time.sleep(numbers.uniform(0, 1.1) * self._usual_start())
                self.server.kill()
                self.figures["kills"] += 1
                self.figures["while it starts"] += 1
        self._start()
        self._settle()

    def _under_load(self, kind, numbers, waits):
        size = LARGE_BYTES if kind == "snapshot" else SMALL_BYTES
        self.sockets = [
            SocketWriter(self.server, self.lines[name], self.numbers(name), size, f"{self.kills}-{name}")
            for name in SOCKETS]
        self.requests = [
            RestWriter(self.server, self.lines[name], self.numbers(name), size) for name in REQUESTS]
        self.listener = Listener(self.server)
        self.sign_ups = sign_ups.SignUps(self.server, self.numbers("accounts"), self.accounts)
        users = [self.listener, *self.sockets, *self.requests, self.sign_ups, *self.more_users()]
        for user in users:
            user.start()
        if kind == "snapshot":
            before = inside.look(self.journal)
            self._until_written(before.bytes_to_snapshot, users)
            time.sleep(numbers.uniform(0, 0.1))
        else:
            if waits:
                until(lambda: any(line.acknowledged for line in self.lines.values()), "an acknowledged write")
            time.sleep(numbers.uniform(0.005, 2 if kind == "long" else 0.15))
        # The port stays reserved for this server: its clients see the end of their connections and never reach another server.
        self.server.kill()
        for user in users:
            user.ends.set()
        for user in users:
            user.join(WAIT_SECONDS)
            assert not user.is_alive(), f"{type(user).__name__} does not end"
            if user.broken:
                raise AssertionError(f"{type(user).__name__}: {user.broken!r}") from user.broken
        if kind == "snapshot":
            after = inside.look(self.journal)
            self.figures["in a snapshot"] += after.is_in_snapshot
            self.figures["before its log is removed"] += (
                after.last_snapshot > before.last_snapshot and after.is_before_prune)

    def more_users(self):
        """Returns further clients that use the server until it is killed."""
        return []

    def _until_written(self, size_bytes, users):
        deadline = time.monotonic() + WAIT_SECONDS
        while sum(line.acknowledged_bytes for line in self.lines.values()) < size_bytes:
            if time.monotonic() > deadline or any(user.broken for user in users):
                return
            time.sleep(0.002)

    def _usual_start(self):
        """Returns the seconds that a start takes under the machine's current load."""
        return statistics.median(self.start_milliseconds[-9:] or [60]) / 1_000

    def _start(self):
        begin = time.monotonic()
        self.server.start()
        self.start_milliseconds.append((time.monotonic() - begin) * 1_000)

    def _settle(self):
        stored = {}
        for place in ("w", "shared", "ends"):
            answer = requests.get(f"{self.server.url}/{place}.json", timeout=WAIT_SECONDS)
            assert answer.status_code == 200, answer.text[:200]
            stored[place] = answer.json() or {}
        self.figures["writes"] += sum(line.acknowledged for line in self.lines.values())
        shared = sum(
            line.settle(flat(stored["w"].get(name, {})), self.listener.of(name))
            for name, line in self.lines.items())
        common = stored["shared"]
        # A write to two places must be in both or in neither.
        assert common.get("sum", 0) - self.sum == shared, (common, self.sum, shared)
        added, sent = (sum(getattr(writer, what) for writer in self.requests) for what in ("added", "sent"))
        assert added <= common.get("counter", 0) - self.counter <= sent, (common, self.counter, added, sent)
        self.sum, self.counter = common.get("sum", 0), common.get("counter", 0)
        self._settle_ends(stored["ends"])
        sign_ups.check(self.server, self.accounts, self.numbers("sign-ins"))

    def _settle_ends(self, ends):
        """Checks that each connection's `onDisconnect` operation is made once, and stays made."""
        for writer in self.sockets:
            done = ends.get(writer.at_end)
            assert done == 1 if writer.at_end_is_acknowledged else done in (None, 1), (writer.at_end, done)
            if done:
                self.at_ends[writer.at_end] = 1
        assert ends == self.at_ends, {name for name, _ in ends.items() ^ self.at_ends.items()}

    def look_deep(self):
        """Runs the checks that take longer than a kill: all accounts, and a backup."""
        self.look_at_accounts()
        self.look_at_backup()
        self.figures["deep looks"] += 1

    def look_at_accounts(self):
        """Checks that all accounts, and the accounts' log, are complete."""
        self.server.run("audit", "verify")
        listed = {user["localId"] for user in json.loads(self.server.run("users", "list", "--json"))}
        lost = {uid for uid, _, _ in self.accounts} - listed
        assert not lost, f"{len(lost)} of {len(self.accounts)} acknowledged accounts are gone"

    def look_at_backup(self):
        """Checks that a backup is complete, and that a restore of it has the served data."""
        backups, restored = self.folder / "backups", self.folder / "restored"
        self.server.run("backup", "create", str(backups))
        hearth("backup", "verify", str(backups))
        hearth("restore", str(backups), "--into", str(restored))
        there, again = (json.loads(hearth("db", "get", "/", "--data", str(data))) for data in (self.server.data, restored))
        assert there == again, "what is restored is not what is served"
        shutil.rmtree(restored)

    def end(self):
        """Stops the server and keeps the folder."""
        self.server.kill()
