"""Backups of a running server during writes, restores into folders, backup streams, keys, damage, and the guide's commands."""

import datetime
import json
import os
import re
import shutil
import subprocess
import threading
import time

import pytest
import requests

import secrets_seen
from conftest import HEARTH, Server, hearth
from guide_examples import blocks, run
from waits import WAIT_SECONDS

OPEN = '{ "rules": { ".read": true, ".write": true } }'


def put(server, path, value):
    answer = requests.put(f"{server.url}/{path}.json", json=value, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def read(server, path=""):
    answer = requests.get(f"{server.url}/{path}.json", timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture
def restored(tmp_path):
    """A function that restores into a new folder and serves it."""
    running = []

    def start(repository, *options, rules=OPEN):
        folder = tmp_path / f"restored-{len(running)}"
        hearth("restore", str(repository), "--into", str(folder), *options)
        running.append(Server(folder, rules=rules))
        return running[-1].start()

    yield start
    for server in running:
        server.kill()


class Writer(threading.Thread):
    """Writes one number after another and records which were acknowledged."""

    def __init__(self, server):
        super().__init__()
        self.server, self.acknowledged, self.ends = server, 0, False

    def run(self):
        with requests.Session() as session:
            while not self.ends:
                number = self.acknowledged + 1
                answer = session.put(
                    f"{self.server.url}/numbers/n{number}.json", json=number, timeout=WAIT_SECONDS)
                assert answer.status_code == 200
                self.acknowledged = number

    def end(self):
        self.ends = True
        self.join()


def test_a_backup_of_a_server_under_writes_is_consistent(serve, restored, tmp_path):
    server, backups = serve(rules=OPEN), tmp_path / "backups"
    server.run("users", "create", "ann@example.com", "--without-password")
    writer = Writer(server)
    writer.start()
    found = []
    for _ in range(4):
        before = writer.acknowledged
        made = json.loads(server.run("backup", "create", str(backups), "--json"))
        after = writer.acknowledged
        found.append((made, before, after))
    writer.end()
    assert [made["kind"] for made, _, _ in found] == ["full", "incremental", "incremental", "incremental"]
    assert "no damage" in hearth("backup", "verify", str(backups))
    for made, before, after in (found[0], found[-1]):
        copy = restored(backups, "--at", made["instant"])
        # All writes that were acknowledged before, at most one write in flight, and no gap.
        numbers = read(copy, "numbers") or {}
        assert before <= len(numbers) <= after + 1 and len(numbers) == max(numbers.values(), default=0)
        assert "ann@example.com" in copy.run("users", "list")
        assert (copy.data / "keys" / "admin-token").read_text() == (server.data / "keys" / "admin-token").read_text()
    # The keys are the same, so the restored server accepts the original server's tokens.
    token = server.token("ann")
    assert requests.get(f"{copy.url}/.json", params={"auth": token}, timeout=WAIT_SECONDS).status_code == 200
    marker = json.loads((server.data / "backup.json").read_text())
    assert marker["backup"] == found[-1][0]["backup"] and marker["repository"] == str(backups)
    assert not (copy.data / "backup.json").exists()
    for folder, code in ((server.data, "backup"), (copy.data, "backup-none")):
        report = subprocess.run(
            [HEARTH, "doctor", "--data", str(folder), "--json"], capture_output=True, text=True,
            timeout=2 * WAIT_SECONDS, stdin=subprocess.DEVNULL, check=False)
        assert code in [finding["code"] for finding in json.loads(report.stdout)["findings"]], report.stdout


def test_every_position_between_backups_can_be_restored(serve, restored, tmp_path):
    server, backups = serve(rules=OPEN), tmp_path / "backups"
    put(server, "a", "first")
    server.run("backup", "create", str(backups))
    times = []
    for number in range(5):
        put(server, "a", number)
        time.sleep(0.01)
        times.append(now())
        time.sleep(0.01)
    server.stop()
    made = json.loads(server.run("backup", "create", str(backups), "--json"))
    position = next(row["position"] for row in made["databases"] if row["name"] == "databases/default")
    assert read(restored(backups, "--at", times[2])) == {"a": 2}
    assert read(restored(backups, "--at", str(position - 1))) == {"a": 3}
    assert read(restored(backups)) == {"a": 4}
    later = hearth("restore", str(backups), "--at", now(), "--into", str(tmp_path / "no"), expect=1)
    assert "newest backup" in later and not (tmp_path / "no").exists()
    assert "--at must be" in hearth("restore", str(backups), "--at", "noon", "--into", str(tmp_path / "no"), expect=64)


def test_restoring_into_an_existing_folder_is_refused(serve, tmp_path):
    server, backups = serve(rules=OPEN), tmp_path / "backups"
    put(server, "a", 1)
    server.run("backup", "create", str(backups))
    before = sorted(os.listdir(server.data))
    assert "not empty" in hearth("restore", str(backups), "--into", str(server.data), expect=1)
    assert sorted(os.listdir(server.data)) == before and read(server) == {"a": 1}
    assert "no backups" in server.run("backup", "create", str(server.data), expect=1)


def test_a_following_backup_archives_and_prunes_old_backups(serve, restored, tmp_path):
    server, backups = serve(rules=OPEN), tmp_path / "backups"
    put(server, "a", 0)
    arguments = ["backup", "create", str(backups), "--follow", "1s", "--every", "5s", "--keep", "1h", "--data"]
    process = subprocess.Popen(
        [HEARTH, *arguments, str(server.data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def newest():
        made = [json.loads(line) for line in hearth("backup", "list", str(backups), "--json").splitlines()]
        return made[-1]

    def position():
        return next(row["position"] for row in newest()["databases"] if row["name"] == "databases/default")

    def wait(condition, change=lambda: None):
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < deadline
            change()
            time.sleep(0.05)

    try:
        assert "full" in process.stdout.readline()
        wait(lambda: newest()["kind"] == "continuous", lambda: put(server, "b", 1))
        assert "incremental" in process.stdout.readline()
        before = position()
        put(server, "a", "late")
        wait(lambda: position() > before)
    finally:
        process.kill()
        _, errors = process.communicate(timeout=WAIT_SECONDS)
    assert "failed" not in errors
    assert read(restored(backups))["a"] == "late"
    hearth("backup", "prune", str(backups))
    assert "no damage" in hearth("backup", "verify", str(backups))


def test_a_repeated_backup_removes_old_backups(serve, tmp_path):
    server, backups = serve(rules=OPEN), tmp_path / "backups"
    process = subprocess.Popen(
        [HEARTH, "backup", "create", str(backups), "--every", "1s", "--keep", "1s", "--data", str(server.data)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(WAIT_SECONDS, process.kill)
    timer.start()
    try:
        # The lock of a new backup does not prevent the process that made it from removing old ones.
        said = process.stderr.readline()
        # On a busy machine several are old at once.
        assert re.match(r"hearth: removed [1-9]\d* old backups?, kept [1-9]", said), said
    finally:
        timer.cancel()
        process.kill()
        process.communicate(timeout=WAIT_SECONDS)
    assert "no damage" in hearth("backup", "verify", str(backups))


def test_sealed_keys_need_their_passphrase(serve, restored, tmp_path):
    server, backups, passphrase = serve(rules=OPEN), tmp_path / "backups", tmp_path / "passphrase"
    passphrase.write_text("a passphrase of some length\n")
    secrets_seen.note("a passphrase of some length")
    server.run("backup", "create", str(backups), "--passphrase-file", str(passphrase))
    assert "--passphrase-file" in hearth("restore", str(backups), "--into", str(tmp_path / "no"), expect=1)
    wrong = tmp_path / "wrong"
    wrong.write_text("another one of some length\n")
    text = hearth(
        "restore", str(backups), "--into", str(tmp_path / "no"), "--passphrase-file", str(wrong), expect=1)
    assert "passphrase is wrong" in text and "some length" not in text
    copy = restored(backups, "--passphrase-file", str(passphrase))
    assert (copy.data / "keys" / "sealing-key").read_text() == (server.data / "keys" / "sealing-key").read_text()
    bare = restored(backups, "--without-keys")
    assert (bare.data / "keys" / "sealing-key").read_text() != (server.data / "keys" / "sealing-key").read_text()
    short = tmp_path / "short"
    short.write_text("short")
    assert "too short" in server.run("backup", "create", str(backups), "--passphrase-file", str(short), expect=64)


def test_damage_is_found(serve, tmp_path):
    server, backups = serve(rules=OPEN), tmp_path / "backups"
    put(server, "a", "x" * 1000)
    server.stop()
    server.run("backup", "create", str(backups))
    for file in (backups / "blobs").glob("*/*"):
        assert file.stat().st_mode & 0o077 == 0
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.write_bytes(content)
        text = hearth("backup", "verify", str(backups), expect=1)
        assert str(file) in text and "--full" in text
        assert str(file) in hearth("restore", str(backups), "--into", str(tmp_path / "no"), expect=1)
        assert not (tmp_path / "no").exists() and not (tmp_path / "no.restoring").exists()
        content[-1] ^= 1
        file.write_bytes(content)
    assert "no damage" in hearth("backup", "verify", str(backups))


def test_restic_keeps_streams(serve, tmp_path):
    """The second stream of nearly the same data adds little to the restic repository, and the stream that restic returns is a valid
    backup."""
    restic = shutil.which("restic")
    if not restic:
        pytest.skip("restic is not installed")
    server = serve(rules=OPEN)
    put(server, "big", {f"k{number}": os.urandom(600).hex() for number in range(10_000)})
    environment = {
        **os.environ, "RESTIC_REPOSITORY": str(tmp_path / "restic"), "RESTIC_PASSWORD": "for a test",
        "RESTIC_CACHE_DIR": str(tmp_path / "cache")}

    def piped(script):
        done = subprocess.run(
            ["bash", "-c", "set -euo pipefail\n" + script], env=environment, capture_output=True, text=True,
            timeout=4 * WAIT_SECONDS, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    piped("restic init")
    backup = f'"{HEARTH}" backup create - --data "{server.data}" | restic backup --stdin --json'
    first = json.loads(piped(backup).splitlines()[-1])
    put(server, "small", 1)
    second = json.loads(piped(backup).splitlines()[-1])
    # restic cuts at content-defined points, into chunks of mostly 1 to 5 MB; one or two of them are new.
    assert first["data_added"] > 11 << 20 and second["data_added"] < first["data_added"] * 3 / 4
    piped(f'restic dump latest stdin | "{HEARTH}" restore - --into "{tmp_path}/copy"')
    copy = Server(tmp_path / "copy", rules=OPEN).start()
    try:
        assert read(copy, "small") == 1 and read(copy) == read(server)
    finally:
        copy.kill()


def test_the_commands_of_the_guide_run(serve, tmp_path):
    server = serve(rules=OPEN)
    put(server, "a", 1)
    output = [run(block, server.data.parent) for block in blocks("Backup.md", "sh")]
    assert any("no damage" in text for text in output)
    for name in ("restored", "unsealed", "streamed"):
        copy = Server(tmp_path / name, rules=OPEN).start()
        try:
            assert read(copy) == {"a": 1}, name
        finally:
            copy.kill()
