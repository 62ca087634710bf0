"""The history of a database with page files: reads of the past, a restart, a cleaning, and an erasure."""

import json
import os

from kills.large import Records, path, record
from waits import WAIT_SECONDS, until

RULES = '{ "rules": { ".read": true, ".write": true } }'
SECRET = "a-secret-of-eve"
DATA_BYTES, LONG_SECONDS = 56 << 20, 8 * WAIT_SECONDS
FLAGS = ("--cache-size", "64M", "--history", "1d")


def holds(server, text):
    for folder, _, names in os.walk(server.data / "databases"):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                if text.encode() in file.read():
                    return True
    return False


def pages(server):
    return json.loads(server.run("db", "stats", "--json"))["size"]["pages"]


def past(server, place, position):
    return json.loads(server.run("db", "get", place, "--at", str(position)))


def history(server, place):
    return [json.loads(line) for line in server.run("db", "history", place, "--json").splitlines()]


def test_the_history_of_page_files(serve):
    server = serve(*FLAGS, rules=RULES)
    server.run("users", "create", "eve@example.com", "--uid", "eve-the-erased", "--without-password")
    server.run("db", "set", "/users/eve", json.dumps({"mail": SECRET}), "--as", "eve-the-erased")
    records = Records(DATA_BYTES)
    records.fill(server)
    server.run("db", "set", "/mark", "1")
    first = history(server, "/mark")[0]["position"]
    until(lambda: pages(server) and pages(server)["checkpointBytes"], "a checkpoint")

    for number in range(3):
        server.run("db", "set", path(number), json.dumps(record(number, 7)), "--force")
    server.run("db", "set", "/mark", "2", "--force")

    def check():
        for number in range(3):
            assert past(server, path(number), first) == record(number, 0)
            assert json.loads(server.run("db", "get", path(number))) == record(number, 7)
        assert past(server, "/mark", first) == 1
        assert [change["to"] for change in history(server, path(1))] == [record(1, 7), record(1, 0)]

    check()
    server.stop()
    server.start()
    check()
    server.run("db", "compact", seconds=LONG_SECONDS)
    assert pages(server)["historyBytes"] > 0
    check()
    assert past(server, "/users/eve", first) == {"mail": SECRET} and holds(server, SECRET)

    erase = ("users", "erase", "uid:eve-the-erased", "--place", "/users/eve", "--yes", "--json")
    assert json.loads(server.run(*erase, seconds=LONG_SECONDS))["state"] == "done"
    assert not holds(server, SECRET)
    check()
    assert past(server, "/users/eve", first) is None
    server.stop()
    assert not holds(server, SECRET) and not holds(server, "eve-the-erased")
    server.start()
    check()
    assert server.run("db", "restore", path(2), "--at", str(first), "--force")
    assert json.loads(server.run("db", "get", path(2))) == record(2, 0)
    answer = server.run("db", "get", "/large", "--at", str(first), seconds=LONG_SECONDS)
    assert len(json.loads(answer)) == records.count // 4_096
