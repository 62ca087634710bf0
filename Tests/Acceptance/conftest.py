"""Starts real servers for the acceptance tests, always on loopback and on a free port."""

import atexit
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

import edge
import secrets_seen
from waits import WAIT_SECONDS

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEARTH = str(ROOT / os.environ.get("HEARTH", ".build/debug/hearth"))

# Development servers describe themselves to commands in a folder of this run, and no command is told of another server.
STATE = tempfile.mkdtemp(prefix="hearth-state-")
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
os.environ["XDG_STATE_HOME"] = STATE
for variable in ("HEARTH_DATA", "HEARTH_SERVER"):
    os.environ.pop(variable, None)

# For the scripts of the guides. A stream that a script ends after some seconds brings what is there already; a machine
# that is busy needs longer for it, so it is asked again, each time for longer.
PATIENT_CURL = f"""
curl() {{
  case " $* " in *" --max-time "*) ;; *) command curl "$@"; return ;; esac
  local seconds=2 streamed=$(mktemp)
  until command curl "$@" --max-time $seconds > "$streamed" || [ -s "$streamed" ]; do
    seconds=$((seconds * 5))
    [ $seconds -le {WAIT_SECONDS} ] || break
  done
  cat "$streamed"
  rm "$streamed"
}}
"""

# The log files of all servers of this run.
LOGS = set()
# The signing keys of a data folder. Making them takes three quarters of a second of processor time.
SIGNING_KEYS = ("id-token-keys.pem", "session-cookie-keys.pem", "minting-key.pem")
# The accounts configuration of development servers whose test names none: the start and each new password hash one password,
# in less than half of the standard processor time.
SMALL_HASHES = '{ "passwordCost": "small" }'
secrets_seen.install()


@functools.cache
def signing_keys():
    """The texts of the signing keys that a server of this process has made, by the names of their files."""
    with tempfile.TemporaryDirectory(prefix="hearth-keys-") as folder:
        server = Server(pathlib.Path(folder) / "data", makes_keys=True).start()
        assert server.stop() == 0, server.log()
        return {name: (server.data / "keys" / name).read_text(encoding="utf-8") for name in SIGNING_KEYS}


class Server:
    """One `hearth` process with its data folder, log and address.

    - makes_keys: a new data folder is empty. Otherwise it has the signing keys of another server of this run.
    """

    def __init__(
            self, data, *options, command="serve", rules=None, environment=None, within=(), makes_keys=False):
        self.data = pathlib.Path(data)
        self.makes_keys = makes_keys or "--cluster" in options
        # What the server logs, and what it prints for the one who started it: the latter may show links of mails.
        self.log_path = self.data.parent / (self.data.name + ".log")
        self.output_path = self.data.parent / (self.data.name + ".out")
        # `within` is what its command begins with, such as where it is to run.
        self.place_of_program = len(within)
        self.arguments = [*within, HEARTH, command, "--data", str(data), "--port", "0", *options]
        if rules is not None:
            self.rules = self.data.parent / (self.data.name + ".rules.json")
            self.rules.write_text(rules, encoding="utf-8")
            self.arguments += ["--rules", str(self.rules)]
        if command == "dev" and not {"--auth-config", "--emulator"} & set(options):
            accounts = self.data.parent / (self.data.name + ".accounts.json")
            accounts.write_text(SMALL_HASHES, encoding="utf-8")
            self.arguments += ["--auth-config", str(accounts)]
        self.environment = environment or {}
        self.process = None
        self.owner = None
        if edge.is_meant(self.data, command, options):
            pair = edge.Pair()
            self.arguments += pair.options("edge")
            owner = self.data.parent / (self.data.name + ".owner")
            self.owner = Server(owner, *options, *pair.options("owner"), command=command, rules=rules, environment=environment)

    def start(self):
        if self.owner is not None and self.owner.process is None:
            self.owner.start()
        offset = self.launch()
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            text = self.output_path.read_bytes()[offset:].decode("utf-8", "replace")
            found = re.search(r"ready in \d+ ms .*?(https?)://([\d.]+):(\d+)", text)
            if found:
                self.scheme, self.host, self.port = found[1], found[2], int(found[3])
                return self
            if self.process.poll() is not None:
                raise RuntimeError(f"hearth ended with {self.process.returncode}:\n{text}{self.log()}")
            time.sleep(0.01)
        raise RuntimeError(f"hearth was not ready after {WAIT_SECONDS} s:\n{self.log()}")

    def launch(self):
        """Starts the process without waiting until it is ready. Returns the offset at which its output begins in the output
        file."""
        if not self.makes_keys and not self.data.exists():
            self.lend_keys()
        LOGS.add(self.log_path)
        with open(self.log_path, "ab") as log, open(self.output_path, "ab") as output:
            offset = self.output_path.stat().st_size
            # The working folder is the test's own: `hearth dev` creates a rules file in its working folder.
            self.process = subprocess.Popen(
                self.arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=log, cwd=self.data.parent,
                env={**os.environ, **self.environment})
        return offset

    def lend_keys(self):
        keys = self.data / "keys"
        keys.mkdir(mode=0o700, parents=True)
        self.data.chmod(0o700)
        for name, text in signing_keys().items():
            with open(os.open(keys / name, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
                file.write(text)

    @property
    def url(self):
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def authority(self):
        return f"{self.host}:{self.port}"

    def log(self):
        """Everything the server logged and printed."""
        own = "".join(
            path.read_text(encoding="utf-8", errors="replace") for path in (self.log_path, self.output_path)
            if path.exists())
        # With an edge server, the owner process logs the decisions.
        return own if self.owner is None else self.owner.log() + own

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(WAIT_SECONDS)
        return self.process.returncode

    def keep_port(self, port=None):
        """Makes every later start use this port, or the port of the last start."""
        self.arguments[self.arguments.index("--port") + 1] = str(port or self.port)

    def use(self, program):
        """Makes every later start use another program: an earlier or a later release."""
        self.arguments[self.place_of_program] = program

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(WAIT_SECONDS)

    def run(self, *arguments, **options):
        """Runs another `hearth` command on this server's data folder and returns what it printed."""
        return hearth(*arguments, "--data", str(self.data), **options)

    def secret(self):
        secret = self.run("secrets", "list", "--plain").strip().splitlines()[0]
        secrets_seen.note(secret)
        return secret

    def token(self, uid, **claims):
        """A legacy custom token, which opens the socket by itself."""
        token = self.run("token", "mint", "--legacy", "--uid", uid, "--claims", json.dumps(claims)).strip()
        secrets_seen.note(token)
        return token


def hearth(*arguments, expect=0, seconds=2 * WAIT_SECONDS):
    done = subprocess.run(
        [HEARTH, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == expect, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout if expect == 0 else done.stdout + done.stderr


def let_everyone_into(folder):
    """Opens the test's folder, and the pytest folders above it, to other users: a server that runs as root starts its plugins as
    another user."""
    temporary = pathlib.Path(tempfile.gettempdir()).resolve()
    while temporary in folder.parents:
        folder.chmod(0o755)
        folder = folder.parent


def pytest_collection_modifyitems(items):
    if edge.IS_WANTED:
        edge.mark_unfit(items)


@pytest.fixture
def serve(tmp_path):
    """A function that starts a server in this test's folder; all of them are stopped at the end."""
    running = []

    def start(*options, name="data", **named):
        server = Server(tmp_path / name, *options, **named)
        running.append(server)
        return server.start()

    yield start
    for server in running:
        server.kill()
        if server.owner is not None:
            server.owner.kill()


@pytest.fixture
def cluster(tmp_path):
    """A function that starts nodes of a cluster in this test's folder; all of them are stopped at the end."""
    from cluster_nodes import Cluster

    made = []

    def start(*options, **named):
        made.append(Cluster(tmp_path, *options, **named))
        return made[-1].start()

    yield start
    for each in made:
        each.remove()


@pytest.fixture
def captcha():
    """A stand-in for the verification service of a captcha."""
    from stand_in_services import CaptchaService

    with CaptchaService() as made:
        yield made


@pytest.fixture(scope="session")
def starter_rules():
    return (ROOT / "Rules" / "starter.json").read_text(encoding="utf-8")


@pytest.fixture(scope="session", autouse=True)
def no_secret_in_any_log():
    """Asserts after the whole run that no server log contains a password, token, code or secret that a test used."""
    yield
    assert LOGS or not secrets_seen.seen
    for path in sorted(LOGS):
        if path.exists():
            assert not secrets_seen.found_in(path.read_text(encoding="utf-8", errors="replace")), path
