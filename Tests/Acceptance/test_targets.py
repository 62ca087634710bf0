"""The server or folder that a command works on: flag, environment, the development server of the folder, the package."""

import json
import os
import pathlib
import re
import signal
import stat
import subprocess

import pytest

from conftest import HEARTH, STATE
from waits import WAIT_SECONDS, until

RULES = '{"rules": {"open": {".read": true}, "users": {"$u": {".write": "auth.uid == $u"}}}}'


class Development:
    """`hearth dev` in a folder, as a newcomer starts it."""

    def __init__(self, folder, *options):
        self.log = folder.parent / f"{folder.name}-{os.urandom(4).hex()}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [HEARTH, "dev", "--port", "0", *options], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.url = until(lambda: re.search(r"ready in \d+ ms on (\S+)", self.text()), self.text)[1]

    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(WAIT_SECONDS)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    ports = {name: {"port": 0} for name in ("database", "auth", "hub")}
    (folder / "firebase.json").write_text(json.dumps({"database": {"rules": "rules.json"}, "emulators": ports}))
    (folder / ".firebaserc").write_text('{"projects": {"default": "demo-shop"}}')
    (folder / "rules.json").write_text(RULES)
    return folder


@pytest.fixture
def dev():
    servers = []

    def start(*arguments):
        servers.append(Development(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def run(folder, *arguments, expect=0, **environment):
    done = subprocess.run(
        [HEARTH, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_SECONDS,
        env={**os.environ, **environment})
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def test_commands_of_a_project_use_its_development_server(project, dev):
    server = dev(project)
    written = run(project, "db", "set", "/open/a", "1")
    assert re.search(r"^hearth: target: data folder /\S+ \(hearth dev on http://127", written.stderr), written.stderr
    below = project / "functions"
    below.mkdir()
    assert run(below, "db", "get", "/open").stdout == '{"a":1}\n'
    assert run(project, "db", "get", "/open", "--ns", "demo-shop-default-rtdb").stdout == '{"a":1}\n'
    assert run(project, "console").stdout.startswith("http://127.0.0.1:")
    assert run(project, "token", "mint", "--uid", "ann", "--id-token").stdout.count(".") == 2
    denied = run(project, "db", "set", "/users/ann", "1", "--as", "bob", expect=1)
    assert "rules.json" in denied.stderr or ".write at /users/$u" in denied.stderr, denied.stderr
    trace = until(lambda: re.search(r"trace=(\S+)", server.text()), server.text)[1]
    assert "is denied" in run(project, "rules", "explain", "--trace", trace, expect=1).stdout


def test_the_description_is_the_owners_alone_and_goes_with_the_server(project, dev):
    server = dev(project)
    (file,) = pathlib.Path(STATE, "hearth").glob(f"dev-{server.process.pid}.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    server.stop()
    assert not file.exists()
    missing = run(project, "users", "list", expect=64)
    assert "is not a data folder" in missing.stderr and "Usage" not in missing.stderr, missing.stderr


def test_a_killed_server_is_not_followed(project, dev):
    server = dev(project)
    server.stop(signal.SIGKILL)
    assert "is not a data folder" in run(project, "users", "list", expect=64).stderr


def test_two_servers_of_a_folder_are_listed_and_refused(project, dev, tmp_path):
    dev(project)
    dev(project, "--data", str(tmp_path / "second"))
    refused = run(project, "db", "get", "/", expect=64)
    assert refused.stderr.count("\n  --data ") == 2 and str(tmp_path / "second") in refused.stderr, refused.stderr
    assert run(project, "db", "get", "/", "--data", str(tmp_path / "second")).stdout == "null\n"


def test_flag_and_environment_come_before_a_development_server(project, dev, serve):
    dev(project)
    other = serve(name="other")
    other.run("db", "set", "/from", '"other"')
    assert run(project, "db", "get", "/from", HEARTH_DATA=str(other.data)).stdout == '"other"\n'
    assert run(project, "db", "get", "/from", "--data", str(other.data)).stdout == '"other"\n'
    noted = run(project, "db", "set", "/b", "2", HEARTH_DATA=str(other.data))
    assert noted.stderr == f"hearth: target: data folder {other.data} (HEARTH_DATA)\n"
    assert run(project, "db", "set", "/b", "2", "--data", str(other.data)).stderr == ""
    found = run(project, "db", "get", "/from", HEARTH_SERVER=other.url, HEARTH_DATA=str(other.data))
    assert found.stdout == '"other"\n'
    assert "must be the URL" in run(project, "db", "get", "/", expect=64, HEARTH_SERVER="nonsense").stderr


def test_the_command_of_exec_means_the_server_of_exec(project, dev):
    dev(project)
    run(project, "db", "set", "/open/a", '"dev"')
    done = run(project, "exec", "--", f"{HEARTH} db set /open/a 5 && {HEARTH} db get /open")
    assert '{"a":5}' in done.stdout, done.stdout
    assert run(project, "db", "get", "/open/a").stdout == '"dev"\n'
