"""The load generator, `hearth bench`: it runs, and its servers end with it."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest
from conftest import HEARTH, hearth
from postgres import PROGRAMS, WHY_NOT
from waits import until


def test_a_fan_out_costs_processor_time(tmp_path):
    text = hearth(
        "bench", "brokers", "--servers", "hearth", "streams", "--beside", HEARTH, "--connections", "5", "--rounds", "1",
        "--in-flight", "1", "3", "--duration-seconds", "0.2", "--folder", str(tmp_path))
    rows = [line for line in text.splitlines() if re.match(r"[13] +hearth", line)]
    assert len(rows) == 8, text
    for row in rows:
        assert float(re.search(r"([0-9.]+) µs", row).group(1)) > 0, row
    assert not list(tmp_path.iterdir())


def test_starts_are_measured(tmp_path):
    text = hearth("bench", "--scenario", "start", "--folder", str(tmp_path))
    assert re.search(r"program of [0-9.]+ MB +ready in a new folder after [0-9.]+ m?s, in a known one after", text), text


def test_backups_and_restarts_are_measured(tmp_path):
    text = hearth(
        "bench", "operations", "--parts", "backups", "--size", "2", "--seconds", "1", "--rate", "50",
        "--folder", str(tmp_path))
    for row in ("backup create +full", "backup create +incremental", "backup verify", "restore", "restart", "writes +p99 beside"):
        assert re.search(rf"^{row}.* [0-9.]+ (µs|ms|s)\b", text, re.M), text
    assert not list(tmp_path.iterdir())


def test_what_attacks_do_to_honest_clients_is_measured(tmp_path):
    text = hearth(
        "bench", "griefing", "--only", "keep-alive messages", "createAuthUri", "--clients", "1", "2", "--seconds", "1",
        "--folder", str(tmp_path))
    head, *rows = [line for line in text.splitlines() if not line.endswith("…")]
    assert re.split(r"  +", head) == [
        "attack", "clients", "quiet p50", "p99", "control p50", "p99", "attack p50", "p99", "p99 ×", "errors",
        "messages/s", "MB/s", "refused", "closed", "CPU", "aim"], text
    cells = [re.split(r"  +", row) for row in rows]
    assert [row[:2] for row in cells] == [
        ["keep-alive messages of one byte", "1"], ["keep-alive messages of one byte", "2"],
        ["createAuthUri", "1"], ["createAuthUri", "2"]], text
    for row in cells:
        assert all(re.fullmatch(r"[0-9.]+ (ns|µs|ms|s)", cell) for cell in row[2:8]), text
        assert float(row[8]) > 0 and row[9] == "0", text
        # On a busy machine a tenth of a second may transfer less than the 10 KB that the MB/s column can show.
        assert float(row[10].replace(",", "")) > 0 and float(row[11]) >= 0, text
        assert row[15] in ("within", "OVER"), text
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)
def test_a_cluster_is_measured():
    # The user that PostgreSQL runs as needs access to the folder.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-test-", dir="/tmp"))
    os.chmod(folder, 0o755)
    try:
        text = hearth(
            "bench", "cluster", "--parts", "writes", "latency", "databases", "--standbys", "2", "--rounds", "1", "--seconds",
            "1", "--databases", "4", "--folder", str(folder))
        for row in ("a server with files", "a server over PostgreSQL", "three nodes, clients on the owner",
                    "three nodes, clients on all of them", "three nodes, 4 databases"):
            assert re.search(rf"^durable writes +{row}.* [0-9,]+ writes/s.* [0-9.]+ µs", text, re.M), text
        assert re.search(r"^one write at a time +through another node +p50 [0-9.]+ (ns|µs|ms)", text, re.M), text
        assert not list(folder.iterdir())
    finally:
        shutil.rmtree(folder)


def test_without_its_program_the_bench_names_the_command_that_builds_it(tmp_path):
    alone = shutil.copy(HEARTH, tmp_path / "hearth")
    done = subprocess.run([alone, "bench", "--help"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "make build-bench" in done.stderr


def test_the_servers_of_the_bench_end_with_it(tmp_path):
    bench = subprocess.Popen(
        [HEARTH, "bench", "--scenario", "writes", "--duration-seconds", "600", "--folder", str(tmp_path)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = until(lambda: list(tmp_path.glob("hearth-bench-*/data/server.json")))
    process = json.loads(found[0].read_text())["pid"]
    bench.send_signal(signal.SIGKILL)
    bench.wait()

    def has_ended():
        try:
            # Init reaps a process whose parent has ended; the init of a container may not.
            return open(f"/proc/{process}/stat").read().split()[2] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    until(has_ended, "the server's end")
