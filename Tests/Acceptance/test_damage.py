"""Damaged files: the server refuses to start on lost data, and its message says how to repair the folder."""

import subprocess

import pytest
import requests
from conftest import HEARTH, hearth
from disk import commit_ends
from waits import WAIT_SECONDS

OPEN = '{ "rules": { ".read": true, ".write": true } }'


def write(server, count):
    for number in range(1, count + 1):
        answer = requests.put(f"{server.url}/n{number}.json", json=f"value number {number}", timeout=WAIT_SECONDS)
        assert answer.status_code == 200


def refusal(server):
    """Returns the error message of a start that fails."""
    server.process = None
    with pytest.raises(RuntimeError) as caught:
        server.start()
    return str(caught.value)


def repair(path, *options):
    return subprocess.run(
        [HEARTH, "repair", str(path), *options], capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)


def test_a_flipped_bit_in_the_last_write_after_a_clean_stop(serve):
    server = serve(rules=OPEN)
    write(server, 5)
    assert server.stop() == 0
    file = server.data / "databases" / "default.sqlite"
    content = bytearray(file.read_bytes())
    place = content.rindex(b"value number 5")
    content[place] ^= 1
    file.write_bytes(content)
    text = refusal(server)
    assert "cannot open the database default" in text and f"hearth repair --apply {file}" in text
    # A refused start changes no file.
    assert "hearth repair" in refusal(server)
    before = file.read_bytes()
    looked = repair(file)
    assert looked.returncode == 1 and "databases/default: damaged" in looked.stdout, looked
    assert "running hash" in looked.stdout and file.read_bytes() == before, looked
    done = repair(file, "--apply", "--in-place")
    assert done.returncode == 0 and "were cut off" in done.stdout and "repaired in place" in done.stdout, done
    assert repair(file).returncode == 0 and not list(server.data.glob("damaged-*"))
    server.start()
    assert sorted(requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json()) == ["n1", "n2", "n3", "n4"]


def test_a_truncated_log_after_a_kill_opens(serve):
    server = serve(rules=OPEN)
    write(server, 6)
    server.kill()
    file = server.data / "databases" / "default.sqlite"
    log = file.with_name(file.name + "-wal")
    whole = log.read_bytes()
    ends = commit_ends(whole)
    log.write_bytes(whole[:ends[-3]])
    text = refusal(server)
    assert "had been acknowledged" in text and f"hearth repair --apply {file}" in text, text
    # The part of the log that was cut off can be restored.
    log.write_bytes(whole)
    server.start()
    assert len(requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json()) == 6
    write(server, 9)
    server.kill()
    log.unlink()
    assert "had been acknowledged" in refusal(server)
    assert repair(file, "--apply").returncode == 0
    # The option that keeps the cut-off part in a folder of the operator's choice.
    assert list(server.data.glob("damaged-*/databases/default.sqlite"))
    server.start()
    write(server, 1)


def test_accounts_with_a_truncated_log_open(serve):
    server = serve()
    server.run("users", "create", "ann@example.com", "--without-password")
    server.kill()
    file = server.data / "accounts.sqlite"
    file.with_name(file.name + "-wal").unlink()
    assert f"hearth repair --apply {file}" in refusal(server)


def test_repair_refuses_a_missing_file_and_creates_none(tmp_path):
    assert "no file" in hearth("repair", str(tmp_path / "none.sqlite"), expect=64)
    assert "--apply" in hearth("repair", str(tmp_path), "--in-place", expect=64)
    assert not list(tmp_path.iterdir())


def test_repair_reports_missing_commits_and_saves_the_rest(serve):
    server = serve(rules=OPEN)
    write(server, 6)
    running = repair(server.data)
    assert running.returncode == 1 and "the journal is open in process" in running.stderr, running
    assert server.stop() == 0
    whole = repair(server.data)
    assert whole.returncode == 0 and "accounts: intact" in whole.stdout and "default: intact" in whole.stdout, whole
    file = server.data / "databases" / "default.sqlite"
    content = bytearray(file.read_bytes())
    content[content.rindex(b"value number 4")] ^= 1
    file.write_bytes(content)
    refusal(server)
    before = file.read_bytes()
    looked = repair(server.data)
    assert looked.returncode == 1 and "databases/default: damaged" in looked.stdout, looked
    assert f"[file {file}]" in looked.stdout and "missing then: 3 commits" in looked.stdout, looked
    assert file.read_bytes() == before
    done = repair(server.data, "--apply")
    assert done.returncode == 0 and "repaired" in done.stdout, done
    (kept,) = server.data.glob("damaged-*/databases/default.sqlite")
    assert kept.read_bytes() == before
    assert repair(server.data).returncode == 0
    server.start()
    assert sorted(requests.get(f"{server.url}/.json", timeout=WAIT_SECONDS).json()) == ["n1", "n2", "n3"]
    write(server, 4)


def test_repair_never_resets_a_journal_unasked(serve):
    server = serve(rules=OPEN)
    write(server, 2)
    assert server.stop() == 0
    file = server.data / "databases" / "default.sqlite"
    file.write_bytes(bytes(4096) + file.read_bytes()[4096:])
    before = file.read_bytes()
    done = repair(server.data, "--apply")
    assert done.returncode == 1 and "not readable: restore a backup" in done.stdout, done
    assert file.read_bytes() == before
