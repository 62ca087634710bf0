"""Faults under load, and their findings: one lap has clients of its own on every node, and a path of its own."""

import dataclasses
import itertools
import json
import random
import threading
import time

import requests
from faults.asking import RestUser
from faults.check import Finding, check
from faults.history import ACKNOWLEDGED, History
from faults.rooms import RoomKeeper
from faults.truth import Truth
from faults.watching import Listener, RoomListener
from faults.writing import SocketWriter
from kills.line import flat
from waits import WAIT_SECONDS, until

RULES = """{ "rules": {
  "laps": { "$lap": {
    "rooms": { "$user": {
      ".read": "root.child('laps').child($lap).child('members').child(auth.uid).exists()", ".write": true } },
    "$other": { ".read": "$other != 'rooms'", ".write": "$other != 'rooms'" },
    ".write": true } },
  "ends": { ".read": true, ".write": true } } }"""
# The most changes of a lap that are read from the log.
CHANGES_MAX = 1_000_000
# Every page reads the whole log, which takes a debug build on a busy machine minutes.
HISTORY_SECONDS = 600
# The time after a fault within which a node may notice that the others considered it dead.
GRACE_SECONDS = 15


@dataclasses.dataclass
class Fault:
    """One fault that was made and undone. `gap_seconds` is the longest time without an acknowledged write during it."""

    kind: str
    target: str
    start: float
    lets_go: set
    healed: float = 0
    settled: float = 0
    acknowledged: int = 0
    gap_seconds: float = 0


class Lap:
    """- nodes: the nodes of a healthy cluster, by name.
    - number: the number of this lap, from which its path is made.
    - seed: the seed of all its random choices.
    - tokens: for each node, the token of the listener whose membership in a room is granted and removed: {name: token}.
    """

    def __init__(self, nodes, number, seed, tokens):
        self.nodes, self.number, self.seed = nodes, number, seed
        self.history, self.faults, self.findings, self.is_checked = History(), [], [], False
        # Times at which the run ids of all nodes were read, and those ids.
        self._runs = []
        self.is_quiet, self.is_proving, self.ends = (threading.Event() for _ in range(3))
        self._names = itertools.count(1)
        self.users = [user for name in nodes for user in self._users(name, tokens)]

    def _users(self, name, tokens):
        node, number = self.nodes[name], lambda kind: random.Random(f"{self.seed}/{self.number}/{name}/{kind}")
        other = list(self.nodes)[(list(self.nodes).index(name) + 1) % len(self.nodes)]
        return [
            SocketWriter(self, node, number("socket")), RestUser(self, node, number("rest")),
            Listener(self, node, number("listener")), RoomListener(self, node, number("room"), name, tokens[name]),
            RoomKeeper(self, self.nodes[other], number("keeper"), name)]

    def at(self, place):
        """Returns the path of a place."""
        if place.startswith("ends/"):
            return f"/ends/{self.number}/{place.removeprefix('ends/')}"
        return f"/laps/{self.number}/{place}".rstrip("/")

    def place(self, path):
        """Returns the place at a path."""
        return path.strip("/").removeprefix(f"laps/{self.number}/")

    def next_name(self, kind):
        """Returns a name that was not used before."""
        return f"{kind}-{next(self._names)}"

    def start(self):
        for user in self.users:
            user.start()
        self._note_runs()
        self._wait_for_all(0, "at the beginning")

    def meet(self, fault, hold_seconds):
        """Makes a fault, undoes it after `hold_seconds`, and waits until every node acknowledges writes again."""
        met = Fault(fault.kind, fault.target, time.monotonic(), fault.lets_go)
        self.faults.append(met)
        fault.make()
        time.sleep(hold_seconds)
        fault.undo()
        met.healed = time.monotonic()
        self._wait_for_all(met.healed, f"after {fault.kind} of {fault.target}")
        met.settled = time.monotonic()
        self._note_runs()

    def _wait_for_all(self, since, when):
        """Waits until a write that began after a time is acknowledged on every node."""

        def are_there():
            # Other threads append to the list: it may be iterated, but not sorted in place.
            sessions = {session.name: session.node for session in list(self.history.sessions)}
            recent = [write for write in list(self.history.writes) if write.start > since
                      and write.outcome == ACKNOWLEDGED]
            rest = {name for name in self.nodes for write in recent if write.value.startswith(f"{name}-r-")}
            sockets = {sessions.get(write.session) for write in recent}
            return rest == set(self.nodes) <= sockets

        self._while_unbroken(are_there, f"no write was acknowledged on every node {when}")

    def _while_unbroken(self, condition, what):
        for user in self.users:
            if user.broken:
                raise AssertionError(f"{type(user).__name__} on {user.node.name}: {user.broken!r}") from user.broken
        until(lambda: condition() or any(user.broken for user in self.users), what)
        for user in self.users:
            if user.broken:
                raise AssertionError(f"{type(user).__name__} on {user.node.name}: {user.broken!r}") from user.broken

    def end(self):
        """Ends the load, waits until all is settled, and checks the records. Returns the findings."""
        self.is_quiet.set()
        self._while_unbroken(lambda: all(user.is_quiet for user in self.users), "clients wait for answers")
        self.is_proving.set()
        self._while_unbroken(lambda: all(self._is_done(user) for user in self.users), "a last write has no answer")
        self.ends.set()
        for user in self.users:
            user.join(WAIT_SECONDS)
        self._while_unbroken(lambda: True, "")
        try:
            until(self._are_ends_done, "")
        except AssertionError:
            # The check reports the kind of violation.
            pass
        self.measure()
        self._note_runs()
        truth = self.truth()
        self.findings = check(self.history, truth) + self._check_states(truth) + self._check_connections()
        self.is_checked = True
        return self.findings

    @staticmethod
    def _is_done(user):
        """Returns True when a user has proved that its connection is alive, has lost it, or has nothing to prove."""
        return user.connection is None or user.has_proved or user.connection.session.end < float("inf")

    def _are_ends_done(self):
        node = next(iter(self.nodes.values()))
        done = self._read(node, f"/ends/{self.number}") or {}
        return all(session.name in done for session in self.history.sessions if session.armed == ACKNOWLEDGED)

    @staticmethod
    def _read(node, path):
        answer = requests.get(f"{node.server.url}{path}.json", params={"auth": node.secret}, timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def truth(self):
        """Returns the log's content for this lap."""
        node = next(iter(self.nodes.values()))
        return Truth.read({
            part: node.server.run("db", "history", path, "--json", "--limit", str(CHANGES_MAX), seconds=HISTORY_SECONDS)
            for part, path in {"": f"/laps/{self.number}", "ends": f"/ends/{self.number}"}.items()})

    def _check_states(self, truth):
        """Checks that in the end every node has the state that the log results in."""
        state = {place: versions[-1][1] for place, versions in truth.versions.items() if versions[-1][1] is not None}
        findings = []
        for name, node in self.nodes.items():
            there = flat(self._read(node, f"/laps/{self.number}")) | flat(self._read(node, f"/ends/{self.number}"), "ends")
            if there != state:
                differences = sorted({*there.items()} ^ {*state.items()})
                findings.append(Finding("state", f"{name} has not what the log comes to: {differences[:8]}"))
        return findings

    def _note_runs(self):
        status = json.loads(next(iter(self.nodes.values())).server.run("cluster", "status", "--json"))
        self._runs.append((time.monotonic(), {node["name"]: node["run"] for node in status["nodes"]}))

    def _check_connections(self):
        """Checks that a node disconnects its clients only during a fault of its own, or when the others considered it dead: then it
        has begun a new run."""
        findings = []
        for session in self.history.sessions:
            excused = any(session.node in fault.lets_go and fault.start <= session.end <= fault.healed + GRACE_SECONDS
                          for fault in self.faults)
            if not session.is_lost or excused:
                continue
            before = [runs for at, runs in self._runs if at <= session.end][-1:]
            after = [runs for at, runs in self._runs if at >= session.end][:1]
            if len({runs[session.node] for runs in before + after}) == 1:
                findings.append(Finding("connection", f"{session} was let go, and nothing had happened to its node"))
        return findings

    def measure(self):
        """Measures the longest time without an acknowledged write around each fault."""
        times = self.history.acknowledgements()
        for fault, after in zip(self.faults, [*self.faults[1:], None]):
            end = after.start if after else fault.settled
            around = [time for time in times if fault.start <= time <= end]
            fault.acknowledged = len(around)
            edges = [fault.start, *around, max([end, *around])]
            fault.gap_seconds = max((late - early for early, late in zip(edges, edges[1:])), default=0)

    def figures(self):
        """Returns the numbers of checked operations."""
        outcomes = [write.outcome for write in self.history.writes]
        return {
            "acknowledged": outcomes.count(ACKNOWLEDGED), "writes": len(outcomes), "reads": len(self.history.reads),
            "frames": sum(len(listen.frames) for listen in self.history.listens),
            "cuts": sum(frame.is_cut for listen in self.history.listens for frame in listen.frames),
            "sessions": len(self.history.sessions),
            "lost sessions": sum(session.is_lost for session in self.history.sessions)}
