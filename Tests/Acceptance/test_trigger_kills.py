"""Events while the server, a receiver and a plugin are killed at random, compared with the journal.

HEARTH_TRIGGER_KILLS sets the number of kills; `make torture` makes 200.

HEARTH_TRIGGER_KILLS says how many kills there are; `make torture` has 200.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pytest
import requests

import journal
from conftest import ROOT
from waits import WAIT_SECONDS, until

HERE = pathlib.Path(__file__).resolve().parent
KILLS = int(os.environ.get("HEARTH_TRIGGER_KILLS", "6"))
KEYS = range(4)
# A plugin that is killed ten times within five minutes is not restarted until an operator enables it again.
PLUGIN_KILLS_BETWEEN_WORDS = 8

LOGGER = """
import json, os
from hearth_plugin import Plugin

plugin = Plugin("logger", "1.0.0")

@plugin.start
def start(settings):
    global log
    log = os.open(settings["log"], os.O_WRONLY | os.O_APPEND)

@plugin.hook("onWrite")
def on_write(event, settings):
    data = event["data"]
    line = json.dumps([data["path"], event["id"], data["sequence"], data["values"]["after"]])
    os.write(log, (line + "\\n").encode())
    return {}

plugin.run()
"""


@pytest.fixture
def shared():
    """A folder that a plugin can write to, too: when root runs the tests, plugins run as another user."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def logger(folder):
    folder.mkdir()
    shutil.copytree(ROOT / "Plugins" / "Python" / "hearth_plugin", folder / "hearth_plugin")
    (folder / "main.py").write_text(LOGGER, encoding="utf-8")
    (folder / "plugin.json").write_text(json.dumps({
        "name": "logger", "version": "1.0.0", "protocol": 1, "command": ["python3", "./main.py"], "hooks": ["onWrite"],
        "settings": {"log": {"type": "text", "isRequired": True}}}), encoding="utf-8")
    return folder


def empty_log(path):
    path.touch()
    path.chmod(0o666)
    return path


def children(server):
    paths = pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return [int(child) for path in paths for child in path.read_text().split()]


class Writers:
    """Write increasing numbers to locations of their own, and record which were acknowledged."""

    def __init__(self, server):
        self.url, self.secret = server.url, server.secret()
        self.acknowledged = {key: [] for key in KEYS}
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(key,)) for key in KEYS]
        for thread in self.threads:
            thread.start()

    def write(self, key):
        number = 0
        with requests.Session() as session:
            while not self.over.is_set():
                number += 1
                try:
                    answer = session.put(
                        f"{self.url}/n/k{key}.json", params={"auth": self.secret, "print": "silent"},
                        data=str(number), timeout=WAIT_SECONDS)
                    if answer.status_code == 204:
                        self.acknowledged[key].append(number)
                except requests.RequestException:
                    time.sleep(0.02)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join(WAIT_SECONDS)


def check(log, commits, acknowledged):
    """Compares a receiver's log with the journal and with the acknowledged writes. Returns counts."""
    ids, seen, lines = {}, {f"/n/k{key}": [] for key in KEYS}, 0
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            path, identifier, sequence, value = json.loads(line)
        except ValueError:
            continue  # The receiver was killed in the middle of the line, and had not answered.
        lines += 1
        # An event has the same id at each delivery.
        assert ids.setdefault(identifier, (path, sequence, value)) == (path, sequence, value)
        seen[path].append((sequence, value))
    events = {int(sequence[:15]): (path, value) for path, sequence, value in ids.values()}
    assert len(events) == len(ids), "two events of one commit"
    written = {position: ("/" + path, value) for position, ((path, value),) in commits.items()}
    assert set(written) <= set(events), "a commit has no event"
    for position, event in events.items():
        # Each delivered event was written; events that the journal has pruned since are not checked.
        assert written.get(position, event) == event
    for key, numbers in acknowledged.items():
        assert len(numbers) > 10
        first = list(dict.fromkeys(seen[f"/n/k{key}"]))
        assert set(numbers) <= {value for _, value in first}, "an acknowledged write has no event"
        assert first == sorted(first), "events of one place are out of order"
    return {
        "events": len(ids), "sent": lines, "commits": len(written), "acknowledged": sum(map(len, acknowledged.values()))}


def test_no_event_is_lost_when_server_and_receiver_are_killed(serve, shared):
    logs = {name: empty_log(shared / f"{name}.jsonl") for name in ["web", "plugin"]}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def start_receiver():
        return subprocess.Popen(
            [sys.executable, str(HERE / "logging_receiver.py"), str(port), str(logs["web"])],
            stderr=subprocess.DEVNULL)

    server = serve()
    server.keep_port()
    server.run("plugins", "add", str(logger(shared / "logger")), "--yes")
    server.run("plugins", "settings", "logger", f"log={logs['plugin']}")
    server.run("plugins", "enable", "logger")
    for name, target in [("web", ["--url", f"http://127.0.0.1:{port}/", "--form", "webhook"]),
                         ("plugin", ["--plugin", "logger"])]:
        server.run("triggers", "add", name, "--path", "n/{id}", "--on", "write", "--window", "3600", *target)
    receiver, writers = start_receiver(), Writers(server)
    numbers, killed, commits = random.Random(20261123), {"server": 0, "receiver": 0, "plugin": 0}, {}
    file = server.data / "databases" / "default.sqlite"
    try:
        for _ in range(KILLS):
            time.sleep(numbers.uniform(0.2, 0.8))
            victim = numbers.choice(list(killed))
            killed[victim] += 1
            if victim == "server":
                server.kill()
                commits |= journal.commits(file)
                server.start()
            elif victim == "receiver":
                receiver.kill()
                receiver.wait(WAIT_SECONDS)
                receiver = start_receiver()
            else:
                for child in children(server):
                    os.kill(child, signal.SIGKILL)
                if killed["plugin"] % PLUGIN_KILLS_BETWEEN_WORDS == 0:
                    server.run("plugins", "enable", "logger")
    finally:
        writers.stop()
    try:
        for name in logs:
            def waiting(name=name):
                return json.loads(server.run("triggers", "show", name, "--json"))["status"]
            for _ in range(4):
                # A receiver that was down for long is retried only after a minute or more.
                try:
                    until(lambda: waiting()["waiting"] == 0, lambda: waiting())
                    break
                except AssertionError:
                    pass
            assert (waiting()["waiting"], waiting()["dead"]) == (0, 0)
    finally:
        receiver.kill()
        receiver.wait(WAIT_SECONDS)
    server.stop()
    commits |= journal.commits(file)
    for name, log in logs.items():
        print(name, killed, check(log, commits, writers.acknowledged))
