"""`hearth exec`, and `hearth dev` in a folder with a firebase.json, in place of the Firebase emulators."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from conftest import HEARTH
from ports import free_ports
from waits import WAIT_SECONDS

FIREBASE_JSON = """{
  // As people write it: with comments, and a comma too many.
  "database": {"rules": "database.rules.json"},
}
"""
RULES = '{"rules": {"open": {".read": true}, "mine": {"$u": {".read": "auth.uid == $u", ".write": "auth.uid == $u"}}}}'

# A program that acts like a test suite: the environment has the server's address.
CLIENT = """
import json, os, urllib.error, urllib.request
host = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
auth = os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
project = os.environ["GCLOUD_PROJECT"]

def ask(method, url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)

OWNER = {"Authorization": "Bearer owner"}
API = f"http://{auth}/identitytoolkit.googleapis.com/v1/accounts"
JSON = {"Content-Type": "application/json"}
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "firebase.json").write_text(FIREBASE_JSON)
    (tmp_path / ".firebaserc").write_text('{"projects": {"default": "demo-shop"}}')
    (tmp_path / "database.rules.json").write_text(RULES)
    return tmp_path


def run(folder, *arguments, **options):
    return subprocess.run(
        [HEARTH, "exec", *arguments], cwd=folder, capture_output=True, text=True, timeout=WAIT_SECONDS, **options)


def test_a_mistake_in_the_rules_names_its_file(project):
    (project / "database.rules.json").write_text('{"rules": {\n  ".read": "tr"}}')
    done = run(project, "--", "true")
    assert done.returncode != 0 and "database.rules.json:2:13: Unknown variable 'tr'." in done.stderr, done.stderr
    (project / "own.json").write_text("{")
    assert "own.json:1:" in run(project, "--rules", "own.json", "--", "true").stderr


def client(folder, script, *arguments):
    (folder / "client.py").write_text(CLIENT + script)
    return run(folder, *arguments, "--", sys.executable, "client.py")


def test_the_command_gets_no_descriptor_but_the_standard_streams(project):
    """The command inherits neither the server's descriptors nor those that the server was started with."""
    read, write = os.pipe()
    try:
        (project / "client.py").write_text(CLIENT + """
import http.client
mine = {int(name) for name in os.listdir("/proc/self/fd")}
print("mine", sorted(file for file in mine if file > 2 and os.path.exists(f"/proc/self/fd/{file}")))
# A connection that is open, and requests that were answered: whatever the server opens for them is there.
line = http.client.HTTPConnection(host)
line.request("GET", f"/open.json?ns={project}")
assert line.getresponse().read() == b"null"
ask("POST", f"{API}:signUp?key=k", {"email": "a@example.com", "password": "secret-words"}, **JSON)
""")
        done = run(project, "--", sys.executable, "client.py", pass_fds=[read, write])
    finally:
        os.close(read)
        os.close(write)
    assert done.returncode == 0, done.stderr
    assert "mine []" in done.stdout, done.stdout


def test_the_command_finds_the_server_of_the_projects_rules(project):
    done = client(project, """
found = ask("GET", "http://" + os.environ["FIREBASE_EMULATOR_HUB"] + "/emulators")
for name, address in (("database", host), ("auth", auth)):
    assert f"{found[name]['host']}:{found[name]['port']}" == address, found
assert project == "demo-shop"
ask("PUT", f"http://{host}/open.json?ns={project}", {"a": 1}, **OWNER)
assert ask("GET", f"http://{host}/open.json?ns={project}") == {"a": 1}
try:
    ask("GET", f"http://{host}/other.json?ns={project}")
    raise SystemExit("a stranger read what the rules keep")
except urllib.error.HTTPError as error:
    assert error.code == 401
user = ask("POST", API + ":signUp?key=any", {"returnSecureToken": True}, **JSON)
mine = f"http://{host}/mine/{user['localId']}.json?ns={project}&auth={user['idToken']}"
ask("PUT", mine, "hello")
""")
    assert done.returncode == 0, done.stderr + done.stdout


def test_exec_ends_with_the_exit_code_of_its_command(project):
    assert run(project, "--", "sh", "-c", "exit 7").returncode == 7
    assert run(project, "--", "exit 9; :").returncode == 9  # one word with spaces is the shell's
    assert run(project, "--", "sh", "-c", "kill -9 $$").returncode == 128 + signal.SIGKILL


DENIED = """
import sys
for _ in range(3):
    try:
        ask("GET", f"http://{host}/mine/ann.json?ns={project}")
    except urllib.error.HTTPError as error:
        assert error.code == 401
for number in range(12 if "many" in sys.argv else 0):
    try:
        ask("GET", f"http://{host}/mine/u{number}.json?ns={project}")
    except urllib.error.HTTPError as error:
        pass
sys.exit(1 if "fail" in sys.argv else 0)
"""


def test_exec_explains_the_last_denials_when_its_command_fails(project):
    (project / "client.py").write_text(CLIENT + DENIED)
    command = ("--", sys.executable, "client.py")
    failed = run(project, *command, "fail")
    assert failed.returncode == 1 and failed.stdout == ""
    assert "denied  read /mine/ann by <signed out>" in failed.stderr and "3 times" in failed.stderr, failed.stderr
    assert re.search(r"database\.rules\.json:1:\d+", failed.stderr) and "auth.uid == $u" in failed.stderr, failed.stderr
    assert "denied" not in run(project, *command).stderr
    assert "denied  read /mine/ann" in run(project, "--denials", "always", *command).stderr
    assert "denied" not in run(project, "--denials", "never", *command, "fail").stderr
    many = run(project, *command, "fail", "many").stderr
    assert "the last 10 of 13 different requests" in many and many.count("\ndenied  ") == 10, many


SUITE = """
def put_rules(name):
    text = open("database.rules.json", "rb").read()
    request = urllib.request.Request(f"http://{host}/.settings/rules.json?ns={name}", text, OWNER, method="PUT")
    urllib.request.urlopen(request, timeout=60).close()

def read(path, **headers):
    try:
        return ask("GET", f"http://{host}{path}.json?ns={project}", **headers)
    except urllib.error.HTTPError as error:
        assert error.code == 401, error.code

read("/mine/ann")
# Test suites upload the same rules at the start of each test, also to a database of their own.
put_rules(project)
put_rules("other")
read("/mine/bob")
put_rules(project)
"""


def test_exec_prints_the_coverage_of_the_rules_at_its_end(project):
    done = client(project, SUITE)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr == "database.rules.json  25 % of conditions, 1 of 4 outcomes\n"
    signed_in = SUITE.replace('read("/mine/ann")', """
user = ask("POST", API + ":signUp?key=any", {"returnSecureToken": True}, **JSON)
for path in ("/mine/ann", "/mine/" + user["localId"]):
    read(path, Authorization="Bearer " + user["idToken"])
""")
    more = client(project, signed_in, "--coverage", "--coverage-html", "page.html", "--coverage-lcov", "lcov.info")
    assert "database.rules.json  50 % of conditions, 2 of 4 outcomes" in more.stderr, more.stderr
    assert "never evaluated" in more.stderr
    page = (project / "page.html").read_text()
    assert "Rules coverage: 50 %" in page
    assert "evaluated 3×" in page  # before and after the rules were put there again
    assert "SF:database.rules.json" in (project / "lcov.info").read_text()
    assert client(project, SUITE, "--no-coverage").stderr == ""
    # Rules without a condition have no coverage to report.
    (project / "open.json").write_text('{"rules": {".read": true}}')
    assert run(project, "--rules", "open.json", "--", "true").stderr == ""


def test_coverage_changes_no_code(project):
    failed = client(project, SUITE + "raise SystemExit(7)")
    assert failed.returncode == 7 and "25 % of conditions" in failed.stderr
    unwritten = ("--coverage-html", "no-such-folder/page.html")
    failed = client(project, SUITE + "raise SystemExit(7)", *unwritten)
    assert failed.returncode == 7 and "no-such-folder" in failed.stderr
    done = client(project, SUITE, *unwritten)
    assert done.returncode != 0 and "no-such-folder" in done.stderr


def test_exec_removes_its_folder(project, tmp_path):
    kept = tmp_path / "tmp"
    kept.mkdir()
    done = run(project, "--", "sh", "-c", "ls $TMPDIR", env={**os.environ, "TMPDIR": str(kept)})
    assert "hearth-" in done.stdout
    assert list(kept.iterdir()) == []


def test_an_export_of_one_run_is_imported_by_the_next(project):
    first = client(project, """
ask("PUT", f"http://{host}/open.json?ns={project}", {"a": 1}, **OWNER)
ask("POST", API + ":signUp?key=any", {"email": "ann@shop.example", "password": "secret1"}, **JSON)
""", "--export-on-exit", "seed")
    assert first.returncode == 0, first.stderr
    assert json.loads((project / "seed/database_export/demo-shop.json").read_text()) == {"open": {"a": 1}}
    assert (project / "seed/auth_export/accounts.json").stat().st_mode & 0o077 == 0
    # An account exported by the official emulator, which stores passwords in clear text.
    path = project / "seed/auth_export/accounts.json"
    users = json.loads(path.read_text())
    users["users"].append({
        "localId": "bob", "email": "bob@shop.example", "salt": "s", "passwordHash": "fakeHash:salt=s:password=secret2"})
    path.write_text(json.dumps(users))
    second = client(project, """
assert ask("GET", f"http://{host}/open.json?ns={project}") == {"a": 1}
for email, password in (("ann@shop.example", "secret1"), ("bob@shop.example", "secret2")):
    ask("POST", API + ":signInWithPassword?key=any", {"email": email, "password": password}, **JSON)
ask("DELETE", f"http://{host}/open.json?ns={project}", **OWNER)
ask("POST", "http://" + os.environ["FIREBASE_EMULATOR_HUB"] + "/_admin/export", {"path": os.getcwd() + "/hub"}, **JSON)
""", "--import", "seed", "--export-on-exit")
    assert second.returncode == 0, second.stderr
    assert json.loads((project / "seed/database_export/demo-shop.json").read_text()) is None
    assert json.loads((project / "hub/database_export/demo-shop.json").read_text()) is None


def test_rules_of_several_databases(project):
    (project / "firebase.json").write_text(json.dumps({
        "database": [{"target": "main", "rules": "database.rules.json"}, {"instance": "logs", "rules": "logs.json"}]}))
    (project / ".firebaserc").write_text(json.dumps({
        "projects": {"default": "demo-shop"},
        "targets": {"demo-shop": {"database": {"main": ["demo-shop-main"]}}}}))
    (project / "logs.json").write_text('{"rules": {".read": "auth != null"}}')
    done = client(project, """
def rules(name):
    return ask("GET", f"http://{host}/.settings/rules.json?ns={name}", **OWNER)
assert "mine" in rules("demo-shop-main")["rules"]
assert rules("logs")["rules"] == {".read": "auth != null"}
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text, problem", [
    ('{"database": {"rules": 3}}', r'firebase.json: "database.rules" must be the name of a file'),
    ('{"emulators": {"hub": {"port": 70000}}}', r'"emulators.hub.port" must be 1 to 65535, or 0'),
    ('{"database": ', r"firebase.json:1:"),
    ('{"database": [{"target": "x", "rules": "database.rules.json"}]}', r'target "x".*\.firebaserc'),
    ('{"database": {"rules": "missing.json"}}', r"cannot read missing.json"),
])
def test_an_invalid_project_file_is_reported_with_its_place(project, text, problem):
    (project / "firebase.json").write_text(text)
    done = run(project, "--", "true")
    assert done.returncode != 0
    assert re.search(problem, done.stderr), done.stderr


@pytest.mark.parametrize("name", ['"Not An Id"', "5", '""'])
def test_a_wrong_default_project_is_reported_with_its_file(project, name):
    (project / ".firebaserc").write_text('{"projects": {"default": %s}}' % name)
    done = run(project, "--", "true")
    assert done.returncode != 0
    assert re.search(r'\.firebaserc: "projects.default" must be a project', done.stderr), done.stderr


def test_a_project_is_found_from_below_and_by_its_alias(project):
    (project / ".firebaserc").write_text('{"projects": {"default": "demo-shop", "staging": "demo-staging",'
        ' "My_Beta 2": "demo-beta"}}')
    below = project / "web/test"
    below.mkdir(parents=True)
    script = """
config = json.loads(os.environ["FIREBASE_CONFIG"])
assert config["projectId"] == project and config["databaseURL"] == f"http://{host}/?ns={project}-default-rtdb", config
print(project, "mine" in ask("GET", f"http://{host}/.settings/rules.json?ns={project}", **OWNER)["rules"])
"""
    for arguments, name in ((), "demo-shop"), (("--project", "staging"), "demo-staging"), (("--project", "x-y"), "x-y"), (
            ("--project", "My_Beta 2"), "demo-beta"):
        done = client(below, script, *arguments)
        assert (done.returncode, done.stdout) == (0, f"{name} True\n"), done.stderr
    done = client(below, script, "--project", "My_Gamma")
    assert done.returncode != 0 and "--project must be" in done.stderr


def test_an_admin_sdk_is_configured_by_the_environment_alone(project):
    done = client(project, """
import firebase_admin
from firebase_admin import credentials, db
firebase_admin.initialize_app(credentials.ApplicationDefault())
db.reference("shelf").set({"n": 1})
assert ask("GET", f"http://{host}/shelf.json?ns={project}-default-rtdb", **OWNER) == {"n": 1}
# The Firebase CLI's `database:get` omits the database's name here.
assert ask("GET", f"http://{host}/shelf.json", **OWNER) == {"n": 1}
""")
    assert done.returncode == 0, done.stderr


def test_tenants_and_account_settings_are_created_and_removed(project):
    seed = """
SETTINGS = f"http://{auth}/emulator/v1/projects/{project}/config"
"""
    first = client(project, seed + """
ask("PATCH", SETTINGS, {"signIn": {"allowDuplicateEmails": True},
                        "emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}}, **JSON)
for person in ("a", "b"):
    form = "providerId=google.com&id_token=" + json.dumps({"sub": person, "email": "same@example.com"})
    ask("POST", f"{API}:signInWithIdp?key=k", {"requestUri": "http://localhost", "postBody": form}, **JSON)
ask("POST", f"{API}:signUp?key=k", {"email": "t@example.com", "password": "secret-1", "tenantId": "acme-1"}, **JSON)
""", "--export-on-exit", "seed")
    assert first.returncode == 0, first.stderr
    folder = project / "seed/auth_export"
    assert sorted(file.name for file in folder.iterdir()) == ["accounts-acme-1.json", "accounts.json", "config.json"]
    assert json.loads((folder / "config.json").read_text()) == {
        "signIn": {"allowDuplicateEmails": True}, "emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}}
    users = json.loads((folder / "accounts.json").read_text())["users"]
    assert [user["providerUserInfo"][0]["email"] for user in users] == ["same@example.com"] * 2
    second = client(project, seed + """
assert ask("GET", SETTINGS)["signIn"] == {"allowDuplicateEmails": True}
assert ask("GET", SETTINGS)["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": True}
answer = ask("POST", f"{API}:signInWithPassword?key=k",
             {"email": "t@example.com", "password": "secret-1", "tenantId": "acme-1"}, **JSON)
assert answer["email"] == "t@example.com"
users = ask("POST", f"http://{auth}/identitytoolkit.googleapis.com/v1/projects/{project}/accounts:query", {},
            **OWNER, **JSON)["userInfo"]
assert [user["providerUserInfo"][0]["email"] for user in users] == ["same@example.com"] * 2, users
ask("DELETE", f"http://{auth}/identitytoolkit.googleapis.com/v2/projects/{project}/tenants/acme-1", **OWNER)
""", "--import", "seed", "--export-on-exit")
    assert second.returncode == 0, second.stderr
    assert sorted(file.name for file in folder.iterdir()) == ["accounts.json", "config.json"]


def test_other_networks_are_served_only_when_a_host_is_named(project):
    done = client(project, """
port = host.split(":")[1]
assert host.startswith("127.0.0.1:")
assert ask("GET", f"http://{host}/x.json", Host="10.0.2.2:9000", **OWNER) is None
# All of 127.0.0.0/8 is this machine; a client with another of its addresses is outside the allowed network.
import socket
addresses = {a[4][0] for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
for address in [a for a in addresses if not a.startswith("127.")]:
    try:
        ask("GET", f"http://{address}:{port}/x.json", **OWNER)
        raise SystemExit("answered another network")
    except urllib.error.HTTPError as error:
        assert error.code == 401, error.code
""", "--emulator-allow", "203.0.113.0/24")
    assert done.returncode == 0, done.stderr
    assert "every program in 203.0.113.0/24 has administrator rights" in done.stderr
    refused = run(project, "--emulator-allow", "containers", "--", "true")
    assert refused.returncode != 0 and "neither an IP address nor a block" in refused.stderr, refused.stderr


def test_invalid_commands_and_export_folders_are_refused(project):
    assert run(project).returncode == 64
    missing = run(project, "--", "no-such-program")
    assert missing.returncode != 0 and "cannot run no-such-program" in missing.stderr
    (project / "other").mkdir()
    (project / "other/file").write_text("")
    refused = run(project, "--export-on-exit", "other", "--", "true")
    assert refused.returncode != 0 and "is neither empty nor an emulator export" in refused.stderr


def test_a_signal_to_hearth_reaches_the_command(project):
    process = subprocess.Popen(
        [HEARTH, "exec", "--", "sh", "-c", "trap 'echo caught; exit 5' TERM; echo up; while :; do sleep 0.05; done"],
        cwd=project, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(WAIT_SECONDS) == 5
    assert process.stdout.read() == "caught\n"


def test_foreign_pages_cannot_read_the_hub(project):
    done = client(project, """
for path, method in (("/emulators", "GET"), ("/_admin/export", "POST")):
    try:
        ask(method, "http://" + os.environ["FIREBASE_EMULATOR_HUB"] + path, {"path": "/x"} if method == "POST" else None,
            Origin="https://evil.example")
        raise SystemExit("answered a foreign page")
    except urllib.error.HTTPError as error:
        assert error.code == 403, error.code
""")
    assert done.returncode == 0, done.stderr


def test_dev_stands_in_for_the_emulators_of_the_project(project):
    database, auth, hub = free_ports(3)
    (project / "firebase.json").write_text(json.dumps({
        "database": {"rules": "database.rules.json"},
        "emulators": {"database": {"port": database}, "auth": {"port": auth}, "hub": {"port": hub}}}))
    process = subprocess.Popen([HEARTH, "dev"], cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert f"127.0.0.1:{database}" in process.stdout.readline()
        with urllib.request.urlopen(f"http://127.0.0.1:{hub}/emulators", timeout=WAIT_SECONDS) as answer:
            assert json.load(answer)["auth"]["port"] == auth
        with urllib.request.urlopen(f"http://127.0.0.1:{auth}/", timeout=WAIT_SECONDS) as answer:
            assert json.load(answer)["authEmulator"] == {"ready": True}
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://127.0.0.1:{database}/x.json?ns=demo-shop", timeout=WAIT_SECONDS)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(WAIT_SECONDS)
    assert not (project / "data").exists()


def test_port_0_of_a_project_is_any_free_port(project):
    (project / "firebase.json").write_text(json.dumps({
        "database": {"rules": "database.rules.json"},
        "emulators": {name: {"port": 0} for name in ("database", "auth", "hub")}}))
    process = subprocess.Popen([HEARTH, "dev"], cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        place = re.search(r"127\.0\.0\.1:([0-9]+)", process.stdout.readline())
        with urllib.request.urlopen(f"http://{place[0]}/emulators", timeout=WAIT_SECONDS) as answer:
            ports = {name: part["port"] for name, part in json.load(answer).items()}
        assert ports["database"] == int(place[1]) and 0 not in ports.values()
        with urllib.request.urlopen(f"http://127.0.0.1:{ports['auth']}/", timeout=WAIT_SECONDS) as answer:
            assert json.load(answer)["authEmulator"] == {"ready": True}
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(WAIT_SECONDS)
