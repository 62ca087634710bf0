"""`hearth migrate firebase`: imports the exports of a Firebase project, and reports what differs."""

import gzip
import json
import subprocess

import pytest

from conftest import HEARTH
from identity import Identity
from test_import_formats import CONSOLE_TEXT, HASH, SALT
from waits import WAIT_SECONDS

DATA = {
    "rooms": {"r1": {"title": "Lobby", "members": {"one": True}, ".priority": 5}, "r2": {"title": "Größe"}},
    "list": [None, 1, 2], "counter": 9007199254740993,
}
# As an export writes the data: an array becomes an object with integer keys.
STORED = {**DATA, "list": {"1": 1, "2": 2}}
USERS = {"users": [
    {"localId": "one", "email": "one@example.com", "emailVerified": True, "passwordHash": HASH, "salt": SALT,
     "providerUserInfo": [{"providerId": "password"}, {"providerId": "google.com", "rawId": "g1"}]},
    {"localId": "two", "phoneNumber": "+15555550100", "oddMember": 1},
]}
RULES = """{ "rules": {
  "rooms": { "$room": {
    ".read": "data.child('members').hasChild(auth.uid)",
    "title": { ".write": "data.parent().child('members').child(auth.uid).val() === true", ".validate": "newData.isString()" }
  } }
} }"""
REQUESTS = """
users:
  one: {uid: one}
  two: {uid: two}
cases:
  - {as: one, read: /rooms/r1, expect: allow}
  - {as: [two, null], read: /rooms/r1, expect: deny}
  - {as: one, read: /rooms/r1, query: {orderByKey: true, limitToLast: 2}, expect: allow, rule: /rooms/$room/.read}
  - {as: one, write: /rooms/r1/title, value: Kitchen, expect: allow}
  - {as: one, write: /rooms/r1/title, value: 5, expect: deny, rule: /rooms/$room/title/.validate}
  - {as: one, update: /rooms, value: {r1/title: x, r2/title: y}, expect: deny}
  - {as: one, delete: /rooms/r1, expect: deny}
"""


@pytest.fixture
def stopped(serve):
    """A folder on which a server was started once."""
    assert serve("--sign-in", "password").stop() == 0


@pytest.fixture
def project(tmp_path):
    files = {
        "export.json": json.dumps(DATA), "users.json": json.dumps(USERS), "rules.json": RULES, "hash.txt": CONSOLE_TEXT,
        "passwords.csv": "one@example.com,user1password\none,user1password\n", "requests.yaml": REQUESTS}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def migrate(project, *options, expect=0, data="data", files=("export.json", "users.json", "rules.json")):
    done = subprocess.run(
        [HEARTH, "migrate", "firebase", *files, "--data", data, *options], cwd=project, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=2 * WAIT_SECONDS)
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout if expect == 0 else done.stdout + done.stderr


ALL = ["--hash-config", "hash.txt", "--passwords", "passwords.csv", "--requests", "requests.yaml"]


def test_a_project_is_migrated_into_a_stopped_folder_and_agrees(project, stopped, serve):
    said = migrate(project, *ALL, "--report", "report.json")
    assert "2 users imported" in said and "in force as version 2" in said, said
    assert "2 of 2 match" in said and "8 of 8 match" in said
    assert "google.com: enable this sign-in method" in said and "oddMember is not kept" in said
    report = json.loads((project / "report.json").read_text())
    assert report["good"] and report["applied"] and report["parts"]["data"]["values"] == 6
    assert "user1password" not in said + json.dumps(report)
    assert not (project / "export.json.import").exists()
    server = serve("--sign-in", "password")
    assert json.loads(server.run("db", "export", "/", "-")) == STORED
    assert Identity(server).sign_in("one@example.com", "user1password")["localId"] == "one"
    assert "passwords checked: 2, right: 2" in server.run("audit", "tail")
    # On the running server: the command overwrites nothing without `--force`, and the stored data stays.
    said = migrate(project, *ALL, expect=2)
    assert "--force" in said and "stopped at the data" in said and "6 values" in said, said
    (project / "requests.yaml").write_text(
        "cases:\n  - {read: /rooms/r1, expect: allow}\n  - {write: /a/b.c, value: 1, expect: deny}\n".replace("b.c", "b"))
    (project / "passwords.csv").write_text("one,wrong-password\nnobody@example.com,user1password\ntwo,user1password\n")
    said = migrate(project, *ALL, "--force", expect=1)
    assert "0 of 3 match" in said and "1 of 2 match" in said and "requests.yaml:2: nobody reads /rooms/r1: refused" in said
    for problem in ("does not match the imported hash", "there is no such account", "the account has no password"):
        assert problem in said, said
    assert json.loads(server.run("db", "export", "/", "-")) == STORED


def test_migrating_compressed_files_creates_a_new_folder(project, serve):
    for name in ("export.json", "users.json", "rules.json"):
        (project / f"{name}.gz").write_bytes(gzip.compress((project / name).read_bytes()))
    said = migrate(project, *ALL, "--sign-in", "password", files=("export.json.gz", "users.json.gz", "rules.json.gz"))
    assert "2 of 2 match" in said and "8 of 8 match" in said, said
    assert (project / "data").stat().st_mode & 0o777 == 0o700
    server = serve("--sign-in", "password")
    assert json.loads(server.run("db", "export", "/", "-")) == STORED
    assert Identity(server).sign_in("one@example.com", "user1password")["localId"] == "one"


def test_a_refused_part_leaves_the_folder_unchanged(project, serve):
    server = serve()
    (project / "export.json").write_text('{"a.b": 1,\n "c": {"d$": 2}, "e": 12345678901234567890}')
    (project / "rules.json").write_text('{ "rules": { ".read": "auth.uid ===" } }')
    said = migrate(project, expect=1)
    assert "export.json:1:2: /a.b: refused" in said and "export.json:2:8: /c/d$: refused" in said, said
    assert "export.json:2:23: /e: different" in said and "rules.json:1:" in said and "nothing was changed" in said
    assert "the project's hash parameters: name them with --hash-config" in said
    assert server.run("db", "get", "/").strip() == "null" and server.run("users", "list", "--json").strip() == "[]"
    # --check needs neither a server nor a data folder.
    answer = json.loads(migrate(project, "--check", "--json", expect=1, data="nowhere"))
    assert not answer["good"] and not answer["applied"] and answer["parts"]["data"]["refused"] == 2
    assert not (project / "nowhere").exists()
    (project / "export.json").write_text('{"a": 1')
    assert "export.json:1:8: the text: refused" in migrate(project, "--check", expect=1, files=["export.json"])


def test_an_interrupted_migration_resumes(project, stopped):
    # The rules file is missing from the first run, so that data and users are imported before the second.
    migrate(project, "--hash-config", "hash.txt", files=["export.json", "users.json"])
    said = migrate(project, *ALL, "--resume")
    assert "imported before" in said and "8 of 8 match" in said


@pytest.mark.parametrize("name, text, problem", [
    ("requests.yaml", "data: {a: 1}\ncases: []", "omit data"),
    ("requests.yaml", "cases:\n  - steps: [{read: /, expect: deny}, {read: /, expect: deny}]", "make each step a case"),
    ("requests.yaml", "cases:\n  - {read: /}", "2:5"), ("passwords.csv", "one\n", "row 1"),
    ("hash.txt", "rounds: 8", "algorithm"),
])
def test_an_invalid_file_is_reported_before_the_folder_changes(project, name, text, problem):
    (project / name).write_text(text)
    assert problem in migrate(project, *ALL, expect=2) and not (project / "data").exists()


def test_a_check_reports_every_user_that_the_run_refuses(project, stopped):
    users = [
        {"localId": "one", "email": "one@example.com"}, {"localId": "two", "email": "ONE@example.com"},
        {"localId": "three", "phoneNumber": "12"}, {"localId": "four", "email": "no address"},
        {"localId": "five", "customAttributes": '{"sub":"x"}'}, {"localId": "six", "customAttributes": '{"email":"x"}'}]
    (project / "users.json").write_text(json.dumps({"users": users}))
    reports = []
    for options in (["--check"], []):
        said = migrate(project, *options, "--report", "report.json", expect=1)
        report = json.loads((project / "report.json").read_text())
        found = report["parts"]["users"]["findings"]
        reports.append({each["subject"]: each["text"] for each in found if each["kind"] == "refused"})
        assert "the custom claim email is kept" in said
        assert report["applied"] is (not options)
    assert reports[0] == reports[1] and len(reports[0]) == 4, reports


def test_a_check_needs_no_data_folder_and_leaves_none(project):
    migrate(project, "--check", *ALL[:2], data="nowhere")
    assert not (project / "nowhere").exists()
