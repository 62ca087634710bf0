"""A full disk, and a disk whose sync fails: the errors that clients and orchestrators receive, and the data afterwards."""

import json
import os
import shutil
import threading
import time

import firebase_admin
import pytest
import requests
from client import Client
from disk import FailingSync, commit_ends, limit_files, small_disk, status
from firebase_admin import credentials, db, exceptions
from waits import WAIT_SECONDS, until

OPEN = '{ "rules": { ".read": true, ".write": true } }'


def in_background(work):
    """Runs the work on a thread; returns a function that waits for its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()

    def result():
        thread.join(60)
        return results[0]

    return result


def test_a_full_disk_refuses_writes_and_recovers_without_a_restart(serve):
    server = serve(rules=OPEN)
    log = server.data / "databases" / "default.sqlite-wal"
    requests.put(f"{server.url}/before.json", json=1, timeout=WAIT_SECONDS)
    listener = Client(server)
    listener.request("q", p="/waits", h="")
    listener.reply()
    assert status(server) == 200 and status(server, "/.ready") == 200

    limit_files(server, log.stat().st_size)
    waiting = in_background(lambda: requests.put(f"{server.url}/waits.json", json=2, timeout=WAIT_SECONDS))
    until(lambda: status(server) == 503, "the full disk was not told")
    health, ready = (requests.get(server.url + path, timeout=WAIT_SECONDS).json() for path in ("/", "/.ready"))
    assert health == {"status": "unavailable", "error": "Databases cannot be written: the disk is full."}
    assert (ready["ready"], ready["databases"], ready["accounts"]) == (False, "no-space", "ok")

    # Writes are refused at once with a clear error, reads and listens continue, and no listener receives unstored data.
    refused = requests.put(f"{server.url}/refused.json", json=3, timeout=WAIT_SECONDS)
    assert refused.status_code == 503 and refused.headers["Retry-After"] == "5"
    assert refused.json() == {"error": "The server's disk is full. Nothing was written; try again later."}
    assert requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json() == {"before": 1}
    client = Client(server)
    assert client.call("p", "unavailable", p="/refused", d=3).startswith("The server's disk is full.")
    client.request("q", p="/before", h="")
    client.expect("d", p="before", d=1)
    client.reply()
    client.call("n", p="/before")
    listener.silent()

    limit_files(server, None)
    assert waiting().json() == 2
    listener.socket.settimeout(60)
    listener.expect("d", p="waits", d=2)
    until(lambda: status(server) == 200 and status(server, "/.ready") == 200, "the end was not told")
    assert client.call("p", p="/after", d=4) == ""
    server.kill()
    told = server.log()
    assert told.count("the disk is full: writes") == 1 and told.count("all waiting writes are stored") == 1, told
    server.start()
    stored = requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json()
    assert stored == {"before": 1, "waits": 2, "after": 4}


def rests(path):
    size = path.stat().st_size
    time.sleep(0.5)
    return path.stat().st_size == size


def test_account_changes_on_a_full_disk_are_refused(serve):
    server = serve("--sign-in", "anonymous")
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"
    sign_up = lambda: requests.post(url, json={"returnSecureToken": True}, timeout=WAIT_SECONDS)  # noqa: E731
    assert sign_up().status_code == 200
    # At a first start the server makes keys beside its first requests and logs it in the audit trail; the waiting write must be the
    # sign-up's.
    server.run("keys", "list")
    wal = server.data / "accounts.sqlite-wal"
    until(lambda: rests(wal), "the accounts did not come to rest")
    limit_files(server, wal.stat().st_size)
    waiting = in_background(sign_up)
    until(lambda: status(server, "/.ready") == 503, "the full disk was not told")
    ready = requests.get(f"{server.url}/.ready", timeout=WAIT_SECONDS).json()
    assert ready["accounts"] == "no-space"
    health = requests.get(server.url, timeout=WAIT_SECONDS).json()
    assert health["error"].endswith("Accounts cannot be written: the disk is full.")
    refused = sign_up()
    # The body is not JSON: SDKs would take a JSON error as a decision about their session.
    assert refused.status_code == 503 and refused.headers["Retry-After"] == "5" and refused.text[0] != "{"
    limit_files(server, None)
    assert waiting().status_code == 200
    until(lambda: status(server) == 200, "the end was not told")
    assert sign_up().status_code == 200
    assert len(json.loads(server.run("users", "list", "--json"))) == 3


def test_a_small_disk_that_fills_up_loses_no_acknowledged_write(serve, tmp_path):
    """On a real file system: after a kill, exactly the acknowledged data is there."""
    with small_disk(tmp_path / "small", 32) as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(12 << 20))
        server = serve("--low-space-stop", "0", name="small/data", rules=OPEN)
        answers, stop = {}, threading.Event()

        def write():
            key = f"n{len(answers)}"
            answers[key] = requests.put(
                f"{server.url}/{key}.json?print=silent", json="x" * 50_000, timeout=WAIT_SECONDS).status_code

        def write_on():
            while not stop.is_set():
                write()

        writer = threading.Thread(target=write_on, daemon=True)
        writer.start()
        until(lambda: status(server) == 503, "the disk did not fill up")
        assert requests.put(f"{server.url}/refused.json", json=1, timeout=WAIT_SECONDS).status_code == 503
        assert len(requests.get(f"{server.url}/.json?shallow=true", timeout=WAIT_SECONDS).json()) == len(answers)
        # Only one write waits: more would fill the disk again before they are refused.
        stop.set()
        ballast.unlink()
        until(lambda: status(server) == 200, server.log())
        writer.join(60)
        for _ in range(5):
            write()
        server.kill()
        server.start()
        assert set(answers.values()) == {204}, answers
        assert set(requests.get(f"{server.url}/.json?shallow=true", timeout=WAIT_SECONDS).json()) == set(answers)
        server.stop()


def failing_server(serve, tmp_path, monkeypatch, **options):
    failing = FailingSync(tmp_path, "/databases/default.sqlite-wal")
    for name, value in failing.environment.items():
        monkeypatch.setenv(name, value)
    server = serve("--emulator", command="dev", rules=OPEN, **options)
    for name in ("LD_PRELOAD", "FAILING_FILE", "FAILING_SWITCH"):
        monkeypatch.delenv(name)
    return server, failing


def state(server):
    return requests.get(f"{server.url}/.ready", timeout=WAIT_SECONDS).json()["databases"]


def test_after_a_failed_sync_the_journal_is_read_back_and_writing_resumes(serve, tmp_path, monkeypatch):
    server, failing = failing_server(serve, tmp_path, monkeypatch)
    client, under_way = Client(server), []
    assert client.call("p", p="/before", d=1) == ""
    failing.begin()
    writer = threading.Thread(target=lambda: under_way.append(
        requests.put(f"{server.url}/list/once.json", json=1, timeout=WAIT_SECONDS).status_code))
    writer.start()
    until(lambda: state(server) == "disk-fault", server.log)
    # Meanwhile nothing is acknowledged, and stored data can be read.
    assert requests.put(f"{server.url}/during.json", json=1, timeout=WAIT_SECONDS).status_code == 503
    assert client.call("p", "unavailable", p="/during", d=1).startswith("The server's disk has failed.")
    assert requests.get(f"{server.url}/before.json", timeout=WAIT_SECONDS).json() == 1
    assert under_way == []
    failing.end()
    until(lambda: status(server) == 200, server.log)
    writer.join(WAIT_SECONDS)
    assert under_way in ([200], [504])
    assert client.call("p", p="/after", d=1) == ""
    told = server.log()
    assert "the disk reports errors" in told and "the journal works again" in told, told
    server.kill()
    server.start()
    assert requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json() == {
        "before": 1, "list": {"once": 1}, "after": 1}


def test_while_syncs_fail_requests_are_answered_with_an_unknown_outcome(serve, tmp_path, monkeypatch):
    server, failing = failing_server(serve, tmp_path, monkeypatch)
    failing.begin()
    app = firebase_admin.initialize_app(credentials.Base(), {"databaseURL": f"{server.url}?ns=default"}, name="failing")
    try:
        # The client library repeats a request by itself after 500 and 503, which would make a push twice.
        with pytest.raises(exceptions.FirebaseError) as caught:
            db.reference("list", app).push("once")
        assert caught.value.http_response.status_code == 504
        assert "unknown" in str(caught.value)
    finally:
        firebase_admin.delete_app(app)
    assert state(server) == "disk-fault"
    server.kill()
    server.start()
    stored = requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json() or {}
    assert len(stored.get("list", {})) <= 1
    assert status(server) == 200


def test_writing_stops_when_a_failed_sync_lost_data(serve, tmp_path, monkeypatch):
    server, failing = failing_server(serve, tmp_path, monkeypatch)
    for number in range(3):
        assert requests.put(f"{server.url}/n{number}.json", json=1, timeout=WAIT_SECONDS).status_code == 200
    log = server.data / "databases" / "default.sqlite-wal"
    ends = commit_ends(log.read_bytes())
    failing.begin()
    threading.Thread(target=lambda: requests.put(f"{server.url}/a.json", json=1, timeout=WAIT_SECONDS)).start()
    until(lambda: state(server) == "disk-fault", server.log)
    # Simulates a disk that lost the pages of this commit and of the one before.
    os.truncate(log, ends[-2])
    failing.end()
    until(lambda: state(server) == "failed", server.log)
    assert requests.put(f"{server.url}/b.json", json=1, timeout=WAIT_SECONDS).status_code == 503
    told = server.log()
    assert "the journal failed" in told and "hearth repair --apply" in told and "can be read back only up to position" in told


def test_a_reserve_of_disk_space_is_kept_for_administration(serve, tmp_path):
    """On a real file system: writes are refused before it is full, an administrator may still remove data, and the refusal then
    ends by itself."""
    # The server checks the free space twice a second: the test writes less than 32 MiB between two checks.
    with small_disk(tmp_path / "small", 128) as disk:
        server = serve(
            "--low-space-warn", "40M", "--low-space-stop", "32M", name="small/data", rules=OPEN)
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(90 << 20))
        until(lambda: "warning" in requests.get(server.url, timeout=WAIT_SECONDS).json(), "nobody was warned")
        assert status(server, "/.ready") == 200
        count = 0
        while requests.put(
            f"{server.url}/n{count}.json?print=silent", json="x" * 200_000, timeout=WAIT_SECONDS).status_code == 204:
            count += 1
            assert count < 200
        refused = requests.put(f"{server.url}/refused.json", json=1, timeout=WAIT_SECONDS)
        assert refused.status_code == 503 and refused.headers["Retry-After"] == "5"
        assert refused.json() == {"error": "The server's disk is nearly full. Nothing was written; try again later."}
        assert status(server, "/.health/ready") == 503
        assert Client(server).call("p", "unavailable", p="/refused", d=1).startswith("The server's disk is nearly full.")
        assert requests.delete(f"{server.url}/n0.json", timeout=WAIT_SECONDS).status_code == 503
        server.run("db", "remove", "/", "--force")
        assert requests.get(f"{server.url}/n0.json", timeout=WAIT_SECONDS).json() is None
        ballast.unlink()
        until(lambda: status(server) == 200, server.log)
        assert requests.put(f"{server.url}/after.json", json=1, timeout=WAIT_SECONDS).status_code == 200
        until(lambda: "warning" not in requests.get(server.url, timeout=WAIT_SECONDS).json(), "the warning stays")
        told = server.log()
        assert "the disk is nearly full" in told and "the disk is full except for the reserve" in told, told
        server.stop()


def test_a_database_that_fills_its_disk_recovers_after_removals(serve, tmp_path):
    """Snapshots do not use the reserve, and freed space is written again, though no other program frees any."""
    with small_disk(tmp_path / "small", 192) as disk:
        # The server checks the free space twice a second: the test writes less than 48 MiB between two checks.
        server = serve("--low-space-warn", "72M", "--low-space-stop", "64M", name="small/data", rules=OPEN)
        body, count = json.dumps("x" * 1_000_000), 0

        def fill():
            nonlocal count
            while requests.put(
                f"{server.url}/n{count}.json?print=silent", data=body, timeout=WAIT_SECONDS).status_code == 204:
                count += 1
                assert count < 192

        fill()
        # A snapshot in progress may finish first; the space that it freed is written again.
        time.sleep(2)
        fill()
        assert "too little disk space for a snapshot" in server.log()
        assert shutil.disk_usage(disk).free > 16 << 20
        server.run("db", "remove", "/", "--force")
        until(lambda: requests.put(f"{server.url}/after.json", json=1, timeout=WAIT_SECONDS).status_code == 200, server.log)
        for number in range(20):
            assert requests.put(
                f"{server.url}/again{number}.json?print=silent", data=body, timeout=WAIT_SECONDS).status_code == 204
        server.kill()
        server.start()
        assert len(requests.get(f"{server.url}/.json?shallow=true", timeout=WAIT_SECONDS).json()) == 21
        server.stop()
