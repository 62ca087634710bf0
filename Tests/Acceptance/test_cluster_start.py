"""`make cluster` without its Hearth nodes: PostgreSQL and HAProxy start, and end with the command."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

import pytest
from cluster.postgres import PROGRAMS
from conftest import HEARTH, let_everyone_into
from waits import WAIT_SECONDS

HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")

pytestmark = pytest.mark.skipif(
    PROGRAMS is None or HAPROXY is None, reason="apt-get install postgresql haproxy")


def below(process):
    """Returns the ids of a process's descendants."""
    found = []
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *below(child)]
    return found


def start(folder):
    return subprocess.Popen(
        [sys.executable, "-m", "cluster", "--folder", str(folder), "--port", "0", "--without-nodes"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder.parent,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent), "HEARTH": HEARTH})


def test_the_programs_that_the_nodes_need_start_and_end_with_the_command(tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    let_everyone_into(folder)
    # At the second start the data folders exist already.
    for _ in range(2):
        cluster = start(folder)
        try:
            lines = [cluster.stdout.readline().strip() for _ in range(4)]
            assert lines[3].startswith("http://127.0.0.1:"), cluster.communicate(timeout=WAIT_SECONDS)
            started = below(cluster.pid)
            for line, name in zip(lines, "abc"):
                assert f" --node {name}=127.0.0.1:" in line and line.count(" --peer ") == 2
            socket.create_connection(("127.0.0.1", int(lines[3].rsplit(":", 1)[1])), timeout=WAIT_SECONDS).close()
            url = lines[0].split(" --cluster ")[1].split()[0].strip("'")
            standbys = subprocess.run(
                [PROGRAMS / "psql", "-AtX", url + "?target_session_attrs=read-write", "-c",
                 "SELECT application_name || ' ' || sync_state FROM pg_stat_replication ORDER BY 1"],
                capture_output=True, text=True, check=True, timeout=WAIT_SECONDS).stdout.splitlines()
            assert standbys == ["s2 quorum", "s3 quorum"]
        finally:
            cluster.send_signal(signal.SIGINT)
        said = cluster.communicate(timeout=WAIT_SECONDS)
        assert cluster.returncode == 0, said
        assert started and not [process for process in started if pathlib.Path(f"/proc/{process}").exists()]
    assert (folder / "data-a" / "keys" / "sealing-key").exists() and (folder / "identities" / "c" / "key.pem").exists()
