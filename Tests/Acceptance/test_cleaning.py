"""Page files of large databases: they stay small beside many writes, and keep nothing of an erased user."""

import json
import os

from kills.large import Records, path, record
from waits import WAIT_SECONDS, until

RULES = '{ "rules": { ".read": true, ".write": true } }'
SECRET = "a-secret-of-eve"
DATA_BYTES, LONG_SECONDS = 34 << 20, 8 * WAIT_SECONDS


def files(server):
    """Returns the paths of all files of databases."""
    return [
        os.path.join(folder, name) for folder, _, names in os.walk(server.data / "databases") for name in names
        if os.path.isfile(os.path.join(folder, name))]


def page_bytes(server):
    return sum(os.path.getsize(name) for name in files(server) if name.endswith(".seg"))


def pages(server):
    return json.loads(server.run("db", "stats", "--json"))["size"]["pages"]


def holds(server, text):
    for name in files(server):
        with open(name, "rb") as file:
            if text.encode() in file.read():
                return True
    return False


def test_page_files_are_cleaned_and_erased(serve):
    server = serve("--cache-size", "64M", rules=RULES)
    server.run("users", "create", "eve@example.com", "--uid", "eve-the-erased", "--without-password")
    server.run("db", "set", "/users/eve", json.dumps({"mail": SECRET}), "--as", "eve-the-erased")
    records = Records(DATA_BYTES)
    records.fill(server)
    until(lambda: pages(server) and pages(server)["checkpointBytes"], "a checkpoint")
    assert holds(server, SECRET)
    # All data is overwritten: without cleaning, the files would be twice as large.
    records.fill(server)
    assert "pages of" in server.run("db", "compact", seconds=LONG_SECONDS)
    live = page_bytes(server)
    assert 0.8 * DATA_BYTES < live < 1.3 * DATA_BYTES, live
    assert pages(server)["cleanedBytes"] > DATA_BYTES // 2 and not pages(server)["isCleaning"]

    erase = ("users", "erase", "uid:eve-the-erased", "--place", "/users/eve", "--yes", "--json")
    answer = json.loads(server.run(*erase, seconds=LONG_SECONDS))
    assert answer["state"] == "done"
    assert not holds(server, SECRET)
    assert page_bytes(server) < 1.1 * live
    for number in [0, 1, records.count - 1]:
        assert json.loads(server.run("db", "get", path(number))) == record(number, 0)
    server.stop()
    assert not holds(server, SECRET) and not holds(server, "eve-the-erased")
    server.start()
    assert json.loads(server.run("db", "get", path(records.count // 2))) == record(records.count // 2, 0)
    assert "of them dead" in server.run("db", "stats")
