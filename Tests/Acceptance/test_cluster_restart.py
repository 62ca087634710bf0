"""All nodes of a cluster are restarted in turn, behind HAProxy, while an unmodified SDK works without an error. With HEARTH_BEFORE,
the path of an earlier release's program, the restarts are upgrades."""

import os
import pathlib
import shutil
import threading

import firebase_admin
import pytest
import requests
from client import Client
from cluster.balancer import CONFIGURATION, Balancer
from conftest import HEARTH
from firebase_admin import credentials, db
from ports import free_port
from postgres import PROGRAMS
from waits import until

HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
pytestmark = pytest.mark.skipif(
    PROGRAMS is None or HAPROXY is None, reason="apt-get install postgresql haproxy")

BEFORE = os.environ.get("HEARTH_BEFORE")
OPEN = '{ "rules": { ".read": true, ".write": true } }'


class Work(threading.Thread):
    """Runs one step of an app repeatedly; an error in it fails the test."""

    def __init__(self, step):
        super().__init__(daemon=True)
        self.step, self.count, self.problem, self.isOver = step, 0, None, False

    def run(self):
        try:
            while not self.isOver:
                self.step(self.count)
                self.count += 1
        except BaseException as problem:  # noqa: BLE001
            self.problem = problem

    def end(self):
        self.isOver = True
        self.join()


# The SDK's own thread raises this when its stream is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_rolling_restart_goes_unnoticed(cluster, tmp_path):
    work_through(cluster, tmp_path, [dict.fromkeys("abc", HEARTH)])


@pytest.mark.skipif(BEFORE is None, reason="HEARTH_BEFORE names no earlier release")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_rolling_upgrade_goes_unnoticed_and_so_does_going_back(cluster, tmp_path):
    before = {name: str(pathlib.Path(BEFORE).resolve()) for name in "abc"}
    work_through(cluster, tmp_path, [dict.fromkeys("abc", HEARTH), {"b": before["b"]}, {"b": HEARTH}], before)


def work_through(cluster, tmp_path, rounds, first=None):
    """In each round, restarts all nodes in turn with that round's programs."""
    # The SDK uses plain HTTP only for emulators.
    nodes = cluster("--emulator", "--drain-seconds", "3", command="dev", rules=OPEN, programs=first).nodes
    # An emulator trusts only clients on loopback.
    balancer = Balancer(
        tmp_path, free_port(), [(name, node.port) for name, node in nodes.items()],
        CONFIGURATION.replace("  option forwardfor\n", ""))
    balancer.start()
    url = f"http://127.0.0.1:{balancer.port}"
    until(lambda: requests.get(f"{url}/.health/ready", timeout=5).status_code == 200, "no node behind HAProxy is ready")
    app = firebase_admin.initialize_app(credentials.Base(), {"databaseURL": f"{url}?ns=default"}, name="rolling")
    seen = []
    try:
        listener = db.reference("told", app).listen(lambda event: seen.append(event.data))
        work = [
            Work(lambda number: db.reference("told", app).set(number)),
            Work(lambda number: db.reference("counter", app).transaction(lambda value: (value or 0) + 1)),
            Work(lambda number: db.reference("counter", app).get()),
        ]
        for each in work:
            each.start()
        for name, program in [pair for programs in rounds for pair in programs.items()]:
            node, before = nodes[name], [each.count for each in work]
            assert node.stop() == 0
            node.use(program)
            node.start()
            until(lambda: node.run("cluster", "status") and all(
                each.count > count + 3 or each.problem for each, count in zip(work, before)),
                f"nothing goes on after {name} was restarted")
        for each in work:
            each.end()
        assert [each.problem for each in work] == [None, None, None]
        assert db.reference("counter", app).get() == work[1].count
        # The stream reconnects by itself, and shows the last value.
        db.reference("told", app).set("last")
        until(lambda: seen and seen[-1] == "last", "the stream has ended")
        listener.close()
        # A socket through HAProxy reconnects as well, and its presence data is unchanged.
        with_socket = Client(BalancerAddress(balancer.port))
        with_socket.call("o", p="/presence", d="gone")
        with_socket.close()
        until(lambda: db.reference("presence", app).get() == "gone", "the end of a connection changed nothing")
    finally:
        firebase_admin.delete_app(app)
        balancer.end()


class BalancerAddress:
    """A server's address for the test clients that points to the load balancer."""

    scheme = "http"

    def __init__(self, port):
        self.authority = f"127.0.0.1:{port}"
