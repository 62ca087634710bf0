"""A cluster's behavior while its PostgreSQL is slow, full or gone, and the behavior of a node that is cut off."""

import contextlib
import os
import shutil
import threading
import time
import types

import pytest
import requests
from client import Client
from cluster_nodes import Cluster
from disk import FailingSync, small_disk, status
from postgres import PROGRAMS, WHY_NOT, Postgres
from steppable_clock import SteppableClock
from waits import WAIT_SECONDS, until

pytestmark = pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)
takes_minutes = pytest.mark.skipif("HEARTH_TORTURE" not in os.environ, reason="takes a minute or more: HEARTH_TORTURE=1")

OPEN = '{ "rules": { ".read": true, ".write": true } }'
ONE_MORE = {".sv": {"increment": 1}}


def put(node, path, value, seconds=WAIT_SECONDS):
    """Returns the status of the answer; None when there was none within `seconds`."""
    try:
        return requests.put(f"{node.url}/{path}.json", json=value, timeout=seconds).status_code
    except requests.Timeout:
        return None


def read(node, path="", seconds=WAIT_SECONDS):
    return requests.get(f"{node.url}/{path}.json", timeout=seconds).json()


def ownership(nodes):
    """Returns the owner of the database, and the epoch of its lease."""
    return nodes.postgres.sql("SELECT owner || ' ' || epoch FROM hearth.journal WHERE name = 'databases/default'")


def gaps(nodes):
    """Returns how often a node's lease expired."""
    return nodes.postgres.sql("SELECT gaps FROM hearth.node ORDER BY name")


class InBackground(threading.Thread):
    """Runs work in a thread whose result is awaited later."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work = work
        self.start()

    def run(self):
        self.found = self.work()

    def result(self):
        self.join(2 * WAIT_SECONDS)
        return self.found


class Counted:
    """Clients on each node increment one number over sockets and over HTTP, which shows increments that were made twice or not at
    all. A listener on each node follows the number."""

    def __init__(self, *nodes):
        self.nodes, self.count, self.told, self.rounds, self.pending = nodes, 0, 0, 0, []
        self.listeners = [Client(node) for node in nodes]
        self.writers = [Client(node) for node in nodes]
        for listener in self.listeners:
            listener.listen("/n")
        self.add()
        self.expect_all()

    def add(self):
        """Each client starts one increment without waiting for an answer."""
        for node, writer in zip(self.nodes, self.writers):
            writer.request("p", p="/n", d=ONE_MORE)
            self.pending.append(InBackground(lambda node=node: put(node, "n", ONE_MORE)))
            self.count += 2
        self.rounds += 1

    def expect_all(self):
        """Asserts that each increment is acknowledged and made once, and that every listener received all of them in order."""
        for writer in self.writers:
            for number in range(self.rounds):
                # The writing clients do not listen, so that their next frames are the answers.
                writer.reply(writer.number - self.rounds + 1 + number)
        assert {each.result() for each in self.pending} == {200}
        for listener in self.listeners:
            # Writes of one batch may arrive in one frame.
            seen = [self.told]
            while seen[-1] < self.count:
                seen.append(listener.receive()["d"]["b"]["d"])
            assert seen == sorted(set(seen)), seen
            listener.silent()
        assert read(self.nodes[0], "n") == read(self.nodes[1], "n") == self.count
        self.told, self.rounds, self.pending = self.count, 0, []

    def see_what_is_stored(self):
        """Asserts that listens start and continue, and that they show only acknowledged data."""
        for node, listener in zip(self.nodes, self.listeners):
            listener.silent()
            client = Client(node)
            client.listen("/n", self.told)
            client.close()


# MARK: Slow


@pytest.fixture
def slow(tmp_path):
    """Starts nodes, and yields them with the slow disk of their PostgreSQL."""
    postgres = Postgres()
    disk = FailingSync(postgres.folder, "/pg_wal/")
    postgres.environment = disk.environment
    nodes = Cluster(tmp_path, names="ab", rules=OPEN, postgres=postgres.start())
    try:
        yield nodes.start(), disk
    finally:
        disk.take(0)
        nodes.remove()


def test_a_slow_disk_of_postgres_delays_writes_and_nothing_else(slow):
    nodes, disk = slow
    counted = Counted(*nodes.owner_and_other())
    before = ownership(nodes)
    # A commit waits for the sync in progress, and then for its own.
    disk.take(0.4)
    for _ in range(3):
        start = time.monotonic()
        counted.add()
        assert counted.pending[-1].result() == 200
        assert time.monotonic() - start > 0.4, "the disk is not slow"
        assert read(counted.nodes[1], "n") > 0
    counted.expect_all()
    assert ownership(nodes) == before
    assert gaps(nodes) == ["0", "0"]
    assert all(status(node, "/.health/ready") == 200 for node in counted.nodes)


# MARK: Without standbys: commits wait, reads do not


@contextlib.contextmanager
def without_standbys(postgres):
    """Makes commits wait for a standby that does not exist."""

    def wait_for(name):
        postgres.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        postgres.sql("SELECT pg_reload_conf()")
        until(lambda: postgres.sql("SHOW synchronous_standby_names") == [name], "PostgreSQL did not read its settings")

    wait_for("nobody")
    try:
        yield
    finally:
        wait_for("")


def test_commits_take_longer_than_a_lease(cluster):
    nodes = cluster(names="ab", rules=OPEN)
    counted, before = Counted(*nodes.owner_and_other()), ownership(nodes)
    with without_standbys(nodes.postgres):
        counted.add()
        until(lambda: all(row[0] == "-" for row in nodes.postgres.sql(
            "SELECT extract(epoch FROM lease_until - clock_timestamp()) FROM hearth.node")), "the leases are not over")
        counted.see_what_is_stored()
    counted.expect_all()
    # No node takes over the database of a node that could not renew its lease in PostgreSQL.
    assert ownership(nodes) == before


def test_heartbeats_without_an_answer_do_not_take_all_connections(cluster):
    nodes = cluster(names="ab", rules=OPEN)
    with without_standbys(nodes.postgres):
        time.sleep(13)
        waiting = nodes.postgres.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'UPDATE node %'")
    # On each node one connection waits for the standby, and one or two wait for that one, until they are refused.
    assert int(waiting[0]) <= 6, f"{waiting[0]} connections wait"


def test_a_node_that_cannot_write_reports_it(cluster):
    nodes = cluster(names="ab", rules=OPEN)
    here, there = nodes.owner_and_other()
    with without_standbys(nodes.postgres):
        pending = InBackground(lambda: put(there, "n", 1))
        deadline = time.monotonic() + 12
        found = set()
        while time.monotonic() < deadline and found != {503}:
            found = {status(node, "/.health/ready") for node in (here, there)}
            time.sleep(0.1)
    assert pending.result() == 200
    assert found == {503}, "both say that they are ready"


# MARK: Full


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """The observations before, during and after a time without disk space for tables."""
    with postgres_with_small_disk() as (postgres, disk):
        postgres.hand_over(disk)
        postgres.start()
        postgres.sql(f"CREATE TABLESPACE small LOCATION '{disk}'")
        postgres.sql("ALTER DATABASE postgres SET default_tablespace = small")
        nodes = Cluster(tmp_path_factory.mktemp("full"), names="ab", rules=OPEN, postgres=postgres)
        try:
            yield fill(nodes.start(), disk)
        finally:
            nodes.remove()


@contextlib.contextmanager
def postgres_with_small_disk(*more):
    """Returns a PostgreSQL that is not started yet, and a small disk that its user can access."""
    postgres = Postgres(more=more)
    try:
        with small_disk(postgres.folder / "small", 24) as disk:
            try:
                yield postgres, disk
            finally:
                postgres.kill()
    finally:
        postgres.remove()


def fill(nodes, disk):
    seen = types.SimpleNamespace(nodes=nodes, statuses={})
    here, there = nodes.owner_and_other()
    listener = Client(there)
    listener.listen("/told")
    assert put(there, "told", 1) == 200
    listener.expect("d", p="told", d=1)
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(disk).free - (1 << 18)))
    isOver = threading.Event()

    def write_on():
        while not isOver.is_set():
            name = f"k{len(seen.statuses)}"
            # Incompressible data.
            seen.statuses[name] = put(there, f"large/{name}", os.urandom(15_000).hex())

    writer = InBackground(write_on)
    until(lambda: "PostgreSQL is full" in here.log(), "that there is no room is not in the log")
    seen.before = ownership(nodes)
    seen.write = put(there, "small", 1, seconds=4)
    try:
        seen.read = read(there, "told", seconds=2)
    except requests.Timeout:
        seen.read = "no answer"
    seen.ready = [requests.get(node.url + "/.ready", timeout=WAIT_SECONDS).json() for node in (here, there)]
    listener.silent()
    newcomer = Client(there)
    newcomer.listen("/told", 1)
    seen.after = ownership(nodes)
    seen.lines = [line for line in here.log().splitlines() if "PostgreSQL is full" in line]
    seen.changes = here.log().count("no longer owns the database")
    ballast.unlink()
    stored = lambda: list(seen.statuses.values()).count(200)  # noqa: E731
    before = stored()
    until(lambda: stored() > before + 3, "nothing goes on when there is room again")
    isOver.set()
    writer.result()
    assert put(there, "told", 2) == 200
    for client in (listener, newcomer):
        client.expect("d", p="told", d=2)
    seen.kept = set(read(here, "large"))
    return seen


def test_acknowledged_writes_survive_a_full_postgres(full):
    assert set(full.statuses.values()) <= {200, 503}, full.statuses
    assert full.kept == {name for name, status in full.statuses.items() if status == 200}


def test_a_full_postgres_is_reported_by_the_readiness_check(full):
    # The owner reports it: only its writes fail.
    ready = full.ready[0]
    assert (ready["ready"], ready["databases"]) == (False, "no-space"), ready


def test_reading_continues_on_a_full_postgres(full):
    assert full.read == 1


def test_a_full_postgres_refuses_writes(full):
    assert full.write == 503


def test_owners_keep_their_databases_on_a_full_postgres(full):
    assert full.after == full.before and full.changes <= 1, f"{full.before} became {full.after}"


def test_a_full_postgres_does_not_fill_the_log(full):
    assert len(full.lines) <= 3, f"{len(full.lines)} lines: {full.lines[0]}"


def test_writing_resumes_after_postgres_stopped_on_a_full_disk(tmp_path):
    # Its write-ahead log is on the small disk, in segments of 1 MiB.
    with postgres_with_small_disk("--wal-segsize=1") as (postgres, disk):
        log = postgres.folder / "data" / "pg_wal"
        shutil.copytree(log, disk, dirs_exist_ok=True)
        shutil.rmtree(log)
        log.symlink_to(disk)
        for path in [log, disk, *disk.rglob("*")]:
            postgres.hand_over(path)
        nodes = Cluster(tmp_path, names="ab", rules=OPEN, postgres=postgres.start())
        try:
            nodes.start()
            counted = Counted(*nodes.owner_and_other())
            ballast = disk / "ballast"
            ballast.write_bytes(bytes(shutil.disk_usage(disk).free))
            large = InBackground(lambda: [
                put(counted.nodes[1], f"large/{number}", os.urandom(200_000).hex()) for number in range(40)])
            # PostgreSQL stops by itself and logs the reason.
            postgres.process.wait(WAIT_SECONDS)
            assert "No space left on device" in (postgres.folder / "log").read_text(encoding="utf-8")
            until(lambda: all(status(node, "/.health/ready") == 503 for node in counted.nodes), "both say that they are ready")
            counted.add()
            ballast.unlink()
            postgres.start()
            assert set(large.result()) == {200}
            counted.expect_all()
            assert len(read(counted.nodes[0], "large")) == 40
        finally:
            nodes.remove()


# MARK: Gone


def test_an_outage_of_postgres_of_some_seconds_loses_no_write(cluster):
    nodes = cluster(names="ab", rules=OPEN)
    counted = Counted(*nodes.owner_and_other())
    owner = nodes.owner("a")
    nodes.postgres.kill()
    counted.add()
    until(lambda: all(status(node, "/.health/ready") == 503 for node in counted.nodes), "both say that they are ready")
    for node in counted.nodes:
        assert requests.get(node.url + "/.ready", timeout=WAIT_SECONDS).json()["databases"] == "storage-away"
        assert "PostgreSQL does not answer; writes wait" in node.log()
    # Longer than a lease: all leases expire at once.
    time.sleep(5)
    counted.see_what_is_stored()
    nodes.postgres.start()
    counted.expect_all()
    assert nodes.owner("a") == owner
    until(lambda: all(status(node, "/.health/ready") == 200 for node in counted.nodes), "that PostgreSQL is back was not told")
    for node in counted.nodes:
        assert node.log().count("PostgreSQL answers again") == 1


@takes_minutes
def test_requests_over_http_are_answered_though_postgres_stays_away(cluster):
    nodes = cluster(names="ab", rules=OPEN)
    here, there = nodes.owner_and_other()
    assert put(there, "n", 1) == 200
    nodes.postgres.kill()
    get = lambda path: requests.get(f"{there.url}/{path}", timeout=80)  # noqa: E731
    answers = [InBackground(lambda ask=ask: outcome(ask)) for ask in (
        lambda: requests.put(f"{here.url}/n.json", json=2, timeout=80),
        lambda: requests.put(f"{there.url}/n.json", json=2, timeout=80),
        lambda: get("n.json"),
        # Without PostgreSQL no node can tell whether the location has data.
        lambda: get("n.json?ns=another"))]
    found = [answer.result() for answer in answers]
    # An earlier write may have been stored, and a read may return old data; a request waits for neither longer than for a failover.
    assert found == [504, 504, 503, 503]


def outcome(ask):
    try:
        return ask().status_code
    except requests.Timeout:
        return "no answer"


# MARK: Cut off


@pytest.mark.parametrize("waits", [False, pytest.param(True, marks=takes_minutes)], ids=["by_its_clock", "in_truth"])
def test_an_isolated_node_disconnects_its_clients(tmp_path, waits):
    """The data of an isolated node may be at most a minute old. The minute ends by the node's clock, or really."""
    clock = SteppableClock(tmp_path, "CLOCK_BOOTTIME")
    nodes = Cluster(tmp_path, names="ab", rules=OPEN)
    nodes["b"].environment = clock.environment
    detours = nodes.lead_around("b")
    try:
        nodes.start()
        here, cut = nodes["a"], nodes["b"]
        assert nodes.owner("a") == "a"
        client, near = Client(cut), Client(here)
        near.listen("/n")
        client.call("o", p="/presence", d="gone")
        client.call("p", p="/presence", d="here")
        client.call("p", p="/n", d=1)
        near.expect("d", p="n", d=1)
        client.listen("/n", 1)
        for detour in detours:
            detour.cut()
        start = time.monotonic()
        # The other nodes take its databases over, and continue.
        until(lambda: read(here, "presence") == "gone", "the end of a node changed nothing")
        assert put(here, "n", 2) == 200
        near.expect("d", p="n", d=2)
        # For that time the isolated node serves the data it has.
        client.silent()
        newcomer = Client(cut)
        newcomer.listen("/n", 1)
        if not waits:
            clock.set(60)
        ends = [InBackground(each.closed) for each in (client, newcomer)]
        while any(each.is_alive() for each in ends):
            # The clients of the other node are not affected.
            near.silent()
        assert all(each.result() for each in ends)
        if waits:
            assert 50 < time.monotonic() - start < 65
        refused = requests.get(f"{cut.url}/n.json", timeout=WAIT_SECONDS)
        assert refused.status_code == 503, refused.text
        for detour in detours:
            detour.heal()
        until(lambda: takes_a_listener(cut, 2), "it takes no clients again")
        # A client that connects before the node knows that it lost its lease is disconnected once more.
        until(lambda: nodes.status("b")["isAlive"], "it is still taken for dead")
        assert put(cut, "n", 3) == 200
        near.expect("d", p="n", d=3)
        near.silent()
        assert nodes.owner("b") == "a"
    finally:
        nodes.remove()


def takes_a_listener(node, value):
    """Returns True when a new client is served, with the data that the other node has written meanwhile."""
    try:
        client = Client(node)
        client.listen("/n", value)
    except Exception:  # noqa: BLE001
        return False
    client.close()
    return True
