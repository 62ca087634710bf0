"""`hearth doctor` on folders with a defect, with a running server and without one."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest

from certificates import self_signed
from conftest import HEARTH, hearth
from waits import WAIT_SECONDS

CLOSED = '{ "rules": { "users": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } } } }'
OPEN = '{ "rules": { ".read": "auth != null", "guests": { ".write": true } } }'


@pytest.fixture
def open_folder():
    """Returns a folder that all users of the machine may enter; the folders of tests belong to one user."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def look(server, data=None):
    """Returns the findings by code, and the exit status of the command."""
    done = subprocess.run(
        [HEARTH, "doctor", "--data", str(data or server.data), "--json"], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=2 * WAIT_SECONDS)
    report = json.loads(done.stdout)
    found = {finding["code"]: finding for finding in report["findings"]}
    for finding in report["findings"]:
        assert finding["severity"] in ("notice", "ok") or finding["advice"], finding
    severities = {finding["severity"] for finding in report["findings"]}
    assert (done.returncode == 1) == bool(severities & {"warning", "error"}), done.stdout + done.stderr
    return found


def severity(found, code):
    return found[code]["severity"] if code in found else None


def test_a_secure_server_has_no_findings(serve):
    server = serve(rules=CLOSED)
    server.run("db", "set", "/users/ann", '"here"')
    found = look(server)
    for code in ("files", "formats", "server", "rules", "network"):
        assert severity(found, code) == "ok", found
    assert "the server uses" in found["memory"]["text"]
    assert not [name for name in os.listdir(server.data) if name.startswith(".doctor")]
    assert server.run("db", "get", "/users/ann").strip() == '"here"'
    assert server.stop() == 0
    found = look(server)
    assert severity(found, "rules") == "ok" and "server" not in found
    # The command served the folder for its checks, and left it unchanged.
    server.start()
    assert server.run("db", "get", "/users/ann").strip() == '"here"'


def test_open_rules_and_files_are_errors_or_warnings(serve, tmp_path):
    server = serve(rules=OPEN)
    server.data.chmod(0o755)
    (server.data / "keys" / "admin-token").chmod(0o640)
    (tmp_path / "link").symlink_to(server.data)
    found = look(server, tmp_path / "link")
    assert severity(found, "folder-open") == "warning"
    assert severity(found, "secret-readable") == "error"
    server.data.chmod(0o700)
    (server.data / "keys" / "admin-token").chmod(0o600)
    found = look(server)
    assert severity(found, "rules-user-readable") == "warning" and " /" in found["rules-user-readable"]["text"]
    assert severity(found, "rules-world-writable") == "warning"
    assert "/guests" in found["rules-world-writable"]["text"]


def test_secrets_certificates_and_formats_of_a_stopped_folder_are_checked(serve, tmp_path, open_folder):
    for file in self_signed(open_folder, "server", days=5):
        file.chmod(0o644)
        (tmp_path / file.name).symlink_to(file)
    accounts = open_folder / "accounts.json"
    accounts.write_text(
        '{ "signIn": { "password": true }, // mail\n "mail": { "fromAddress": "a@example.com",'
        ' "smtp": { "host": "smtp.example.com", "username": "u", "password": "hunter2-hunter2" } } }', encoding="utf-8")
    accounts.chmod(0o600)
    server = serve(
        "--tls-cert", str(tmp_path / "server.pem"), "--tls-key", str(tmp_path / "server.key"), "--auth-config", str(accounts),
        rules=CLOSED)
    assert server.stop() == 0
    found = look(server)
    assert severity(found, "certificate-ending") == "warning"
    assert severity(found, "certificate-key-readable") == "error"
    assert found["secret-in-configuration"]["text"].endswith("mail.smtp.password")
    assert "hunter2" not in json.dumps(found)
    accounts.chmod(0o644)
    open_folder.chmod(0o700)
    found = look(server)
    assert "certificate-key-readable" not in found and severity(found, "secret-in-configuration") == "notice"
    open_folder.chmod(0o755)
    (tmp_path / "server.key").write_text("nothing", encoding="utf-8")
    with open(server.data / "databases" / "default.sqlite", "r+b") as file:
        file.seek(60)
        file.write((99).to_bytes(4, "big"))
    found = look(server)
    assert severity(found, "secret-in-configuration") == "error"
    assert severity(found, "certificate-unusable") == "error"
    assert severity(found, "format-newer") == "error"
    assert severity(found, "folder-unserved") == "error"


def test_findings_are_printed_as_sentences_and_a_missing_folder_is_an_error(serve, tmp_path):
    server = serve(rules=OPEN)
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(WAIT_SECONDS)
    text = hearth("doctor", "--data", str(server.data), expect=1)
    assert "(rules-world-writable)" in text and "hearth rules exposure" in text
    assert "does not exist" in hearth("doctor", "--data", str(tmp_path / "none"), expect=64)
