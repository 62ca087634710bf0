"""Formats that `hearth users import` reads beside its own exports, and the commands' prompts."""

import json
import os
import pty
import subprocess

from conftest import HEARTH, hearth
from identity import Identity
from waits import WAIT_SECONDS

RULES = '{ "rules": { ".read": "auth != null" } }'
# The public test vector of Firebase's password hash.
HASH = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
SALT = "42xEC+ixf3L2lw=="
CONSOLE_TEXT = """hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
"""


def row(count=28, **columns):
    """Returns a line of `auth:export --format=csv`, which has no header and fixed columns."""
    cells = [""] * count
    for place, value in columns.items():
        cells[int(place[1:])] = value
    return ",".join('"' + cell.replace('"', '""') + '"' if any(c in cell for c in ',"\n') else cell for cell in cells)


def test_csv_with_the_hash_parameters_as_the_console_shows_them(serve, tmp_path):
    server = serve(command="dev", rules=RULES)
    export, config = tmp_path / "users.csv", tmp_path / "hash.txt"
    export.write_text("\n".join([
        row(c0="one", c1="one@example.com", c2="true", c3=HASH, c4=SALT, c5='Öne, the "first"\nof them',
            c7="g-1", c8="one@gmail.example", c23="1500000000000", c24="1510000000000", c27='{"role":"editor"}'),
        row(c0="two", c25="+15555550100", c26="true", c23="1500000000001"),
        "only,three,columns",
    ]) + "\r\n", encoding="utf-8")
    config.write_text(CONSOLE_TEXT)
    done = subprocess.run(
        [HEARTH, "users", "import", str(export), "--hash-config", str(config), "--data", str(server.data)],
        capture_output=True, text=True, timeout=WAIT_SECONDS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 accounts imported, 1 refused" in done.stdout and "account 3: has 3 columns" in done.stderr
    one = json.loads(server.run("users", "show", "one", "--json"))
    assert one["displayName"] == 'Öne, the "first"\nof them' and one["emailVerified"] is True
    assert one["createdAt"] == "1500000000000" and one["lastLoginAt"] == "1510000000000"
    assert "google.com" in [provider["providerId"] for provider in one["providerUserInfo"]]
    assert json.loads(server.run("users", "show", "+15555550100", "--json"))["disabled"] is True
    assert Identity(server).sign_in("one@example.com", "user1password")["localId"] == "one"


def test_csv_of_newer_versions_has_more_columns(serve, tmp_path):
    server = serve(command="dev", rules=RULES)
    export = tmp_path / "users.csv"
    export.write_text("\n".join([
        row(52, c0="one", c1="one@example.com", c7="g-1", c27='{"role":"editor"}', c28="a-1", c29="one@apple.example", c48="y-1"),
        row(52, c0="two", c32="m-1", c36="gc-1", c40="p-1", c44="l-1"), row(60, c0="three", c55="unknown"),
    ]) + "\n", encoding="utf-8")
    done = subprocess.run(
        [HEARTH, "users", "import", str(export), "--data", str(server.data)], capture_output=True, text=True,
        timeout=WAIT_SECONDS)
    assert done.returncode == 0 and "3 accounts imported" in done.stdout, done.stdout + done.stderr
    assert "rows have up to 60 columns; those after column 52 are unknown" in done.stderr

    def providers(uid):
        shown = json.loads(server.run("users", "show", uid, "--json"))
        return [each["providerId"] for each in shown["providerUserInfo"] if each["providerId"] != "password"]

    assert providers("one") == ["google.com", "apple.com", "yahoo.com"]
    assert providers("two") == ["microsoft.com", "gc.apple.com", "playgames.google.com", "linkedin.com"]


def test_claims_with_the_names_of_an_accounts_own_values_are_imported_with_a_note(serve, tmp_path):
    server = serve(command="dev", rules=RULES)
    export = tmp_path / "users.json"
    export.write_text(json.dumps({"users": [
        {"localId": "one", "email": "one@example.com", "customAttributes": '{"email":"x@example.com","role":"a"}'}]}))
    done = subprocess.run(
        [HEARTH, "users", "import", str(export), "--data", str(server.data)], capture_output=True, text=True,
        timeout=WAIT_SECONDS)
    assert done.returncode == 0 and "1 account imported" in done.stdout, done.stdout + done.stderr
    assert "1 account: the custom claim email is kept" in done.stderr


def test_an_invalid_export_is_reported_with_its_place(serve, tmp_path):
    server = serve(command="dev", rules=RULES)
    export = tmp_path / "users.json"
    for text, place in [
        ('{"users":[{"localId":"a"},{"localId":', "account 2"), ('{"users":[{"localId":"a"},7]}', "account 1"),
        ('{"people":[]}', 'no "users" array'), ("localId,email", "--format csv"), ('[{"localId":"b"', "account 1"),
    ]:
        export.write_text(text)
        done = subprocess.run(
            [HEARTH, "users", "import", str(export), "--data", str(server.data)], capture_output=True, text=True,
            timeout=WAIT_SECONDS)
        assert done.returncode == 1 and place in done.stderr and str(export) in done.stderr, (text, done.stderr)
    bad = tmp_path / "hash.json"
    bad.write_text('{"algorithm":"SCRYPT","saltSeperator":"Bw=="}')
    text = server.run("users", "import", str(export), "--hash-config", str(bad), expect=1)
    assert "saltSeperator" in text


def test_many_accounts_are_imported_in_batches(serve, tmp_path):
    server = serve(command="dev", rules=RULES)
    export = tmp_path / "users.json"
    users = [{"localId": f"u{i:05}", "email": f"u{i}@example.com", "displayName": "x" * 200} for i in range(2500)]
    export.write_text(json.dumps({"other": [1, {"users": 2}], "users": users}))
    assert "2500 accounts imported" in server.run("users", "import", str(export))
    listed = json.loads(server.run("users", "list", "--json"))
    assert [user["localId"] for user in listed] == [user["localId"] for user in users]
    assert len(json.loads(server.run("users", "list", "--json", "--limit", "1001"))) == 1001


def test_the_password_prompt_shows_no_input(serve):
    server = serve(command="dev", rules=RULES)
    child, terminal = pty.fork()
    if child == 0:
        os.execv(HEARTH, [HEARTH, "users", "create", "typed@example.com", "--data", str(server.data)])
    seen = b""

    def wait_for(text):
        nonlocal seen
        while text not in seen:
            seen += os.read(terminal, 1024)

    wait_for(b"Password for typed@example.com: ")
    os.write(terminal, "tÿped-secret\n".encode())
    wait_for(b"Repeat: ")
    os.write(terminal, "tÿped-secret\n".encode())
    wait_for(b"created ")
    while True:
        try:
            chunk = os.read(terminal, 1024)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    assert os.waitpid(child, 0)[1] == 0
    assert b"ped-secret" not in seen
    assert Identity(server).sign_in("typed@example.com", "tÿped-secret")["email"] == "typed@example.com"


def test_deleting_needs_a_confirmation(serve):
    server = serve(command="dev", rules=RULES)
    server.run("users", "create", "--uid", "bob")
    assert "--yes" in server.run("users", "delete", "bob", expect=64)
    server.run("users", "show", "bob")


def test_an_administrator_token_is_not_sent_unencrypted_to_another_machine(tmp_path):
    token = tmp_path / "token"
    token.write_text("hearth_admin_" + "x" * 43)
    text = hearth("users", "list", "--server", "http://192.0.2.1:9000", "--token-file", str(token), expect=64)
    assert "https" in text
