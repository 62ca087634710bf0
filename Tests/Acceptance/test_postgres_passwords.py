"""Users move from a users table in a real PostgreSQL: the plugin Plugins/PostgresPasswordsPython."""

import base64
import glob
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest
import requests

import secrets_seen
from conftest import ROOT, hearth
from plugin_packages import plugin_with_packages
from waits import WAIT_SECONDS

PROGRAMS = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [os.path.dirname(shutil.which("initdb") or "")])[-1]
pytestmark = pytest.mark.skipif(not PROGRAMS, reason="PostgreSQL is not installed")
PASSWORD = "ann's old secret"


class Database:
    """A PostgreSQL of its own on a Unix domain socket, run as an unprivileged user."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-pg-"))
        self.folder.chmod(0o755)
        self.socket = self.folder / ".s.PGSQL.5432"
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")

    def run(self, *command, text=None):
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        done = subprocess.run(
            [*user, f"{PROGRAMS}/{command[0]}", *map(str, command[1:])], input=text, capture_output=True, text=True,
            timeout=WAIT_SECONDS, cwd=self.folder, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self):
        self.run("initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        # Opened once, so that the server's user remains the owner of the file.
        with open(self.folder / "data" / "pg_hba.conf", "w", encoding="utf-8") as rules:
            rules.write("local all postgres trust\nlocal all all scram-sha-256\n")
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=off -c shared_buffers=16MB"
        self.run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")
        self.run("createdb", "-h", self.folder, "-U", "postgres", "shop")
        self.sql((ROOT / "Plugins" / "PostgresPasswordsPython" / "test-table.sql").read_text(encoding="utf-8"))
        return self

    def sql(self, text):
        return self.run(
            "psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "postgres", "shop", text=text)

    def stop(self):
        if self.socket.exists():
            self.run("pg_ctl", "-D", "data", "-m", "immediate", "stop")

    def settings(self):
        return {"socket": str(self.socket), "database": "shop", "user": "hearth_reader", "password": "only-reads"}


@pytest.fixture(scope="module")
def database():
    database = Database()
    try:
        yield database.start()
    finally:
        database.stop()
        shutil.rmtree(database.folder)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    return plugin_with_packages("PostgresPasswordsPython", tmp_path_factory.mktemp("plugin"), "pg8000")


def sign_in(server, email, password=PASSWORD):
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=any"
    return requests.post(
        url, json={"email": email, "password": password, "returnSecureToken": True}, timeout=WAIT_SECONDS)


def test_the_plugin_passes_the_contract_suite_with_every_kind_of_hash(database, plugin, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(database.settings()), encoding="utf-8")
    said = hearth("plugins", "test", str(plugin), "--settings", str(settings))
    assert "passed all tests" in said, said


def test_users_sign_in_with_old_passwords_which_are_verified_once(database, plugin, serve, tmp_path):
    for secret in (PASSWORD, "only-reads"):
        secrets_seen.note(secret)
    server = serve("--sign-in", "password")
    assert sign_in(server, "ann@example.com").json()["error"]["message"] == "INVALID_LOGIN_CREDENTIALS"
    server.run("plugins", "add", str(plugin), "--yes")
    for name, value in database.settings().items():
        file = tmp_path / name
        file.write_text(value, encoding="utf-8")
        server.run("plugins", "settings", "postgres-passwords", f"{name}=@{file}")
    server.run("plugins", "enable", "postgres-passwords")
    before = database.sql("SELECT * FROM users ORDER BY id")
    answer = sign_in(server, "ANN@example.com").json()
    assert answer["localId"] == "1" and answer["displayName"] == "Ann", answer
    payload = answer["idToken"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["email_verified"] is True and claims["email"] == "ann@example.com"
    for email, password in [("ann@example.com", "wrong"), ("bob@example.com", PASSWORD), ("nobody@example.com", "x")]:
        refused = sign_in(server, email, password)
        assert refused.status_code == 400 and refused.json()["error"]["message"] == "INVALID_LOGIN_CREDENTIALS"
    assert database.sql("SELECT * FROM users ORDER BY id") == before
    database.stop()
    # A user who signed in once needs the plugin no more; other users get an error that says why.
    assert sign_in(server, "ann@example.com").json()["localId"] == "1"
    for email, password in [("bob@example.com", "bob's old secret"), ("ann@example.com", "wrong")]:
        waiting = sign_in(server, email, password)
        assert waiting.status_code == 503 and "postgres-passwords could not check the password" in waiting.text
    assert "the database does not answer" in server.log()
    plugins = json.loads(server.run("plugins", "list", "--json"))["plugins"]
    assert plugins[0]["hooks"][0]["failures"] == 2, plugins
