"""`hearth serve --config`: a file of options whose mistakes are reported with their place; and notifications of a service
manager."""

import os
import re
import signal
import socket
import subprocess
import time

import pytest

from conftest import HEARTH, Server, hearth
from waits import WAIT_SECONDS


def refused(path, *options):
    done = subprocess.run(
        [HEARTH, "serve", "--config", str(path), *options], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS)
    assert done.returncode == 64, done.stdout + done.stderr
    return done.stderr


def test_options_of_the_command_line_override_the_configuration_file(tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text('{ "rules": { ".read": true } }', encoding="utf-8")
    file = tmp_path / "hearth.conf"
    file.write_text(
        f"# a comment\nrules = {rules}\nproject = from-file\nlog-level = error\nsign-in = password,anonymous\n"
        "no-raw-secrets = true\nrules-coverage = false\nport = 1\n", encoding="utf-8")
    server = Server(tmp_path / "data", "--config", str(file), "--project", "from-line").start()
    try:
        assert "project from-line; sign in with anonymous, password" in server.log().replace(
            "password, anonymous", "anonymous, password")
        assert server.run("db", "get", "/").strip() == "null"
        assert " info " not in server.log()
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("text, place, words", [
    ("port = 9000\ndata\n", "2:1", "= is missing"),
    ("\n  colour = red\n", "2:3", "there is no option colour"),
    ("port = 9000\nport = 9001\n", "2:1", "already occurs in line 1"),
    ("data = d\nport = many\n", "2:1", "many"),
    ("data = d\nlog-level = loud\n", "2:1", "loud"),
    ("threads = 999\n", "1:1", "between 0 and 256"),
    ("data = d\n\ntls-cert = c.pem\n", "3:1", "go together"),
    ("no-raw-secrets = yes\n", "1:1", "true or false"),
    ("project = Nobody's\n", "1:1", "lower-case"),
    ("config = other\n", "1:1", "there is no option config"),
    ("stop-with-stdin = true\n", "1:1", "there is no option"),
])
def test_an_error_in_the_configuration_file_is_reported_with_its_place(tmp_path, text, place, words):
    file = tmp_path / "hearth.conf"
    file.write_text(text, encoding="utf-8")
    said = refused(file)
    assert f"{file}:{place}: " in said and words in said, said


def test_a_missing_configuration_file_is_named(tmp_path):
    done = subprocess.run(
        [HEARTH, "serve", f"--config={tmp_path}/none"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS)
    assert done.returncode != 0 and f"cannot read {tmp_path}/none" in done.stderr


def test_the_printed_file_names_every_option_and_its_defaults_are_those_of_the_command(tmp_path):
    printed = hearth("serve", "--print-config")
    helped = set(re.findall(r"^  --([a-z-]+)", hearth("serve", "--help"), re.M)) - {"config", "print-config", "version"}
    named = dict(re.findall(r"^#([a-z-]+) = (.*)$", printed, re.M))
    assert set(named) == helped
    # A file with all defaults configures the same server.
    defaults = {name: value for name, value in named.items() if not value.startswith("<")}
    assert defaults["port"] == "9000" and defaults["data"] == "data" and defaults["no-raw-secrets"] == "false"
    file = tmp_path / "hearth.conf"
    file.write_text("".join(f"{name} = {value}\n" for name, value in defaults.items()), encoding="utf-8")
    server = Server(tmp_path / "data", "--config", str(file)).start()
    assert "project hearth" in server.log()
    assert server.stop() == 0


def test_a_service_manager_is_notified_of_start_watchdog_and_stop(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(WAIT_SECONDS)
        server = Server(tmp_path / "data", environment={
            "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}).start()
        heard = set()
        while heard != {b"READY=1", b"WATCHDOG=1"}:
            heard.add(manager.recv(256))
        # A stopped process sends no watchdog notification.
        server.process.send_signal(signal.SIGSTOP)
        os.waitpid(server.process.pid, os.WUNTRACED)
        manager.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                manager.recv(256)
        server.process.send_signal(signal.SIGCONT)
        manager.settimeout(WAIT_SECONDS)
        server.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + WAIT_SECONDS
        while manager.recv(256) != b"STOPPING=1":
            assert time.monotonic() < deadline
        assert server.stop() == 0
