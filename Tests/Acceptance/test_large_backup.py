"""Backups, verification and repair of databases with page files: under writes, after damage, and without the page files."""

import json
import os
import random
import shutil
import subprocess
import threading
import time

import pytest
import requests

from conftest import HEARTH, Server, hearth
from postgres import PROGRAMS, WHY_NOT, Postgres
from waits import WAIT_SECONDS

OPEN = '{ "rules": { ".read": true, ".write": true } }'
CACHE = ("--cache-size", "16M")
ROOMS, MESSAGES = 40, 2_000


def text(room, message, version=0):
    return f"room {room}, message {message}, version {version}: " + str(random.Random(f"{room} {message}").random()) * 23


def put(server, path, value, method="put"):
    answer = getattr(requests, method)(f"{server.url}/{path}.json", json=value, timeout=2 * WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def fill(server):
    for room in range(ROOMS):
        put(server, f"rooms/r{room:02}", {f"m{message:05}": text(room, message) for message in range(MESSAGES)})


def checksum(server):
    """Returns the checksum of all data."""
    token = (server.data / "keys" / "admin-token").read_text(encoding="utf-8").strip()
    answer = requests.get(
        f"{server.url}/.json?format=checksum", headers={"Authorization": f"Bearer {token}"}, timeout=2 * WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()["checksum"]


def wait_for_pages(server):
    """Waits until the data is in page files."""
    deadline = time.monotonic() + 4 * WAIT_SECONDS
    while "last checkpoint" not in (stats := server.run("db", "stats")) or "last checkpoint  0 B" in stats:
        assert time.monotonic() < deadline, stats
        time.sleep(0.2)


def folder_bytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def paged(tmp_path_factory):
    """The stopped data folder of a database with page files, and its checksum."""
    folder = tmp_path_factory.mktemp("paged")
    server = Server(folder / "data", *CACHE, rules=OPEN).start()
    try:
        fill(server)
        wait_for_pages(server)
        found = checksum(server)
        assert server.stop() == 0, server.log()
    finally:
        server.kill()
    return server.data, found


@pytest.fixture
def copied(paged, tmp_path):
    """A function that starts a server on a copy of the folder; all of them are stopped at the end."""
    running = []

    def start(*options, folder=None):
        if folder is None:
            folder = tmp_path / f"copy-{len(running)}"
            shutil.copytree(paged[0], folder)
        running.append(Server(folder, *options, rules=OPEN))
        return running[-1].start()

    yield start
    for server in running:
        server.kill()


class Overwriter(threading.Thread):
    """Replaces random messages, and counts the acknowledged writes."""

    def __init__(self, server, count):
        super().__init__()
        self.server, self.count, self.acknowledged, self.ends = server, count, 0, False

    def run(self):
        random_numbers = random.Random(5)
        with requests.Session() as session:
            while self.acknowledged < self.count and not self.ends:
                changes = {}
                for _ in range(10):
                    room, message = random_numbers.randrange(ROOMS), random_numbers.randrange(MESSAGES)
                    changes[f"r{room:02}/m{message:05}"] = text(room, message, self.acknowledged)
                changes["last"] = self.acknowledged + 1
                answer = session.patch(f"{self.server.url}/rooms.json", json=changes, timeout=WAIT_SECONDS)
                assert answer.status_code == 200, answer.text
                self.acknowledged += 1

    def end(self):
        self.ends = True
        self.join()


def test_a_backup_is_a_copy_for_servers_with_and_without_a_cache(paged, copied, tmp_path):
    server, backups = copied(*CACHE), tmp_path / "backups"
    made = json.loads(server.run("backup", "create", str(backups), "--json"))
    assert made["kind"] == "full" and "no damage" in hearth("backup", "verify", str(backups))
    full = folder_bytes(backups)
    # A change of one per cent of the messages, more than one checkpoint later.
    writer = Overwriter(server, ROOMS * MESSAGES // 1_000)
    writer.start()
    writer.join()
    changed = checksum(server)
    server.stop()
    server.start()
    made = json.loads(server.run("backup", "create", str(backups), "--json"))
    assert made["kind"] == "incremental" and folder_bytes(backups) - full <= full / 20
    position = next(row["position"] for row in made["databases"] if row["name"] == "databases/default")
    before = str(position - writer.acknowledged)
    for options, place, wanted in ((CACHE, "latest", changed), ((), before, paged[1])):
        folder = tmp_path / f"restored-{place}"
        hearth("restore", str(backups), "--into", str(folder), "--at", place)
        assert not list((folder / "databases").glob("*.pages"))
        restored = copied(*options, folder=folder)
        assert checksum(restored) == wanted
        assert (folder / "databases" / "default.pages").exists() == bool(options)
        restored.stop()
        shutil.rmtree(folder)


def test_backups_beside_writes_and_checkpoints_are_consistent(copied, tmp_path):
    server, backups = copied(*CACHE), tmp_path / "backups"
    writer = Overwriter(server, 1_000_000)
    writer.start()
    follow = subprocess.Popen(
        [HEARTH, "backup", "create", str(backups), "--follow", "1s", "--every", "1h", "--data", str(server.data)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        segment = server.data / "databases" / "default.pages" / "00000000.seg"
        size, deadline = segment.stat().st_size, time.monotonic() + 4 * WAIT_SECONDS
        # At least two checkpoints.
        for _ in range(2):
            while segment.stat().st_size == size:
                assert time.monotonic() < deadline and follow.poll() is None
                time.sleep(0.1)
            size = segment.stat().st_size
        for _ in range(2):
            before = writer.acknowledged
            streamed = tmp_path / "one.backup"
            with open(streamed, "wb") as file:
                subprocess.run(
                    [HEARTH, "backup", "create", "-", "--data", str(server.data)], stdout=file, check=True,
                    stderr=subprocess.DEVNULL, timeout=4 * WAIT_SECONDS)
            after = writer.acknowledged
            folder = tmp_path / "streamed"
            with open(streamed, "rb") as file:
                subprocess.run(
                    [HEARTH, "restore", "-", "--into", str(folder)], stdin=file, check=True, capture_output=True,
                    timeout=4 * WAIT_SECONDS)
            restored = copied(folder=folder)
            assert before <= requests.get(f"{restored.url}/rooms/last.json", timeout=WAIT_SECONDS).json() <= after + 1
            restored.stop()
            shutil.rmtree(folder)
    finally:
        writer.end()
    wanted, deadline = checksum(server), time.monotonic() + 4 * WAIT_SECONDS
    while True:
        made = [json.loads(line) for line in hearth("backup", "list", str(backups), "--json").splitlines()][-1]
        position = next(row["position"] for row in made["databases"] if row["name"] == "databases/default")
        folder = tmp_path / "followed"
        hearth("restore", str(backups), "--into", str(folder))
        restored = copied(folder=folder)
        if checksum(restored) == wanted:
            break
        assert time.monotonic() < deadline, (position, made)
        restored.stop()
        shutil.rmtree(folder)
        time.sleep(1)
    follow.terminate()
    _, errors = follow.communicate(timeout=WAIT_SECONDS)
    assert "failed" not in errors, errors


def repair(path, *options):
    return subprocess.run(
        [HEARTH, "repair", str(path), *options], capture_output=True, text=True, timeout=4 * WAIT_SECONDS, check=False)


def test_a_flipped_bit_is_named_and_repaired_around(copied, tmp_path):
    server = copied(*CACHE)
    assert server.stop() == 0
    segment = server.data / "databases" / "default.pages" / "00000000.seg"
    whole = repair(server.data)
    assert whole.returncode == 0 and "databases/default: intact" in whole.stdout, whole
    content = bytearray(segment.read_bytes())
    place = content.rindex(text(7, 1_023).encode())
    content[place] ^= 1
    segment.write_bytes(content)
    failed = server.run("backup", "create", str(tmp_path / "backups"), expect=1)
    looked = repair(server.data)
    assert looked.returncode == 1 and "can be saved" in looked.stdout, looked
    for output in (failed, looked.stdout):
        assert "at /rooms/r07 cannot be read" in output and f"[file {segment}]" in output and "[byte " in output, output
    assert "1 part" in looked.stdout
    refused = repair(server.data, "--apply", "--in-place")
    assert refused.returncode == 1 and "without --in-place" in refused.stderr, refused
    done = repair(server.data, "--apply")
    assert done.returncode == 0 and "repaired" in done.stdout, done
    kept = next(server.data.glob("damaged-*/databases"))
    assert (kept / "default.pages" / segment.name).read_bytes() == content and (kept / "default.sqlite").exists()
    assert not segment.parent.exists() and repair(server.data).returncode == 0
    server = copied(folder=server.data)
    for room in range(ROOMS):
        found = requests.get(f"{server.url}/rooms/r{room:02}.json", timeout=2 * WAIT_SECONDS).json()
        if room == 7:
            assert "m01023" not in found and MESSAGES - 20 < len(found) < MESSAGES
            assert all(found[key] == text(room, int(key[1:])) for key in found)
        else:
            assert found == {f"m{message:05}": text(room, message) for message in range(MESSAGES)}


def test_a_missing_page_file_is_named_and_the_log_is_saved(copied):
    server = copied(*CACHE)
    put(server, "new", "in the log")
    server.kill()
    segment = server.data / "databases" / "default.pages" / "00000000.seg"
    os.rename(segment, segment.with_suffix(".away"))
    with pytest.raises(RuntimeError, match="hearth repair"):
        server.start()
    looked = repair(server.data)
    assert looked.returncode == 1 and "the data at / cannot be read" in looked.stdout, looked
    # The file can be put back.
    os.rename(segment.with_suffix(".away"), segment)
    assert repair(server.data).returncode == 0
    os.remove(segment)
    assert repair(server.data, "--apply").returncode == 0
    server.start()
    found = requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json()
    assert found["new"] == "in the log" and "r00" not in found.get("rooms", {})


@pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)
def test_page_files_are_moved_to_postgres_and_back(paged, copied, tmp_path):
    server = copied(*CACHE)
    put(server, "new", "in the log")
    wanted = checksum(server)
    assert server.stop() == 0
    postgres = Postgres()
    try:
        postgres.start()
        moved = hearth("migrate", "folder", str(server.data), "--to", postgres.url(), seconds=8 * WAIT_SECONDS)
        assert "databases/default" in moved, moved
        back = tmp_path / "back"
        shutil.copytree(server.data, back, ignore=shutil.ignore_patterns("accounts*", "databases"))
        hearth("migrate", "folder", str(back), "--from", postgres.url(), seconds=8 * WAIT_SECONDS)
    finally:
        postgres.remove()
    assert not (back / "databases" / "default.pages").exists()
    assert checksum(copied(*CACHE, folder=back)) == wanted
