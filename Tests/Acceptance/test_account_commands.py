"""`hearth users`, `token`, `keys`, `service-account`, `secrets`, `audit`: on a running server and on a stopped folder."""

import base64
import json
import subprocess

import pytest

from conftest import HEARTH, hearth
from identity import Identity, claims
from waits import WAIT_SECONDS

RULES = '{ "rules": { ".read": "auth != null" } }'


def run(server, *arguments, password=None, expect=0):
    done = subprocess.run(
        [HEARTH, *arguments, "--data", str(server.data)], input=password, capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS)
    assert done.returncode == expect, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(params=["running", "stopped"])
def server(request, serve):
    server = serve(command="dev", rules=RULES)
    if request.param == "stopped":
        server.stop()
    server.is_running = request.param == "running"
    return server


def restarted(server):
    if not server.is_running:
        server.start()
    return Identity(server)


def test_users(server):
    made = json.loads(
        run(server, "users", "create", "alice@example.com", "--password-stdin", "--json", password="s3cret pass\n"))
    uid = made["localId"]
    assert made["email"] == "alice@example.com" and "passwordHash" not in json.dumps(made).replace("UkVEQUNURUQ=", "")
    run(server, "users", "create", "alice@example.com", "--password-stdin", password="s3cret pass\n", expect=1)
    shown = json.loads(run(server, "users", "show", "alice@example.com", "--json"))
    assert shown["localId"] == uid
    run(server, "users", "set-claims", uid, '{"role":"editor"}')
    run(server, "users", "update", uid, "--display-name", "Alice")
    listed = json.loads(run(server, "users", "list", "--json"))
    assert [user["localId"] for user in listed] == [uid] or [user["localId"] for user in listed["users"]] == [uid]
    assert "alice@example.com" in run(server, "users", "list")
    run(server, "users", "disable", uid)
    assert json.loads(run(server, "users", "show", uid, "--json"))["disabled"] is True
    run(server, "users", "enable", uid)
    app = restarted(server)
    signed_in = app.sign_in("alice@example.com", "s3cret pass")
    content = claims(signed_in["idToken"])
    assert content["role"] == "editor" and content["name"] == "Alice"
    run(server, "users", "delete", uid, "--yes")
    run(server, "users", "show", uid, expect=1)


def test_import_and_export_lose_nothing(server, serve, tmp_path):
    """Uses an export of Firebase, built from its public test vectors."""
    export = tmp_path / "users.json"
    config = tmp_path / "hash.json"
    users = [{
        "localId": "one", "email": "one@example.com", "emailVerified": True, "displayName": "Öne, \"quoted\"",
        "passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
        "salt": "42xEC+ixf3L2lw==", "createdAt": "1500000000000", "lastSignedInAt": "1510000000000",
        "customAttributes": "{\"role\":\"editor\"}",
        "providerUserInfo": [{"providerId": "google.com", "rawId": "g-1", "email": "one@example.com"}],
    }, {"localId": "two:/x", "phoneNumber": "+15555550100", "disabled": True, "createdAt": "1500000000001",
        "providerUserInfo": []}]
    export.write_text(json.dumps({"users": users}), encoding="utf-8")
    config.write_text(json.dumps({
        "algorithm": "SCRYPT", "rounds": 8, "memCost": 14, "saltSeparator": "Bw==",
        "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="}))
    run(server, "users", "import", str(export), "--hash-config", str(config))
    first = tmp_path / "first.json"
    run(server, "users", "export", str(first))
    back = {user["localId"]: user for user in json.loads(first.read_text(encoding="utf-8"))["users"]}
    for user in users:
        for field in ("email", "displayName", "createdAt", "customAttributes", "phoneNumber", "disabled"):
            if user.get(field):
                assert back[user["localId"]][field] == user[field], field
    # Imported into another server and exported again, the users are byte for byte the same.
    other = serve(name="other", command="dev", rules=RULES)
    run(other, "users", "import", str(first))
    second = tmp_path / "second.json"
    run(other, "users", "export", str(second))
    assert json.loads(first.read_text())["users"] == json.loads(second.read_text())["users"]
    assert Identity(other).sign_in("one@example.com", "user1password")["localId"] == "one"
    # The sign-in hashed the password anew; the account stays the same in another round trip.
    third = tmp_path / "third.json"
    run(other, "users", "export", str(third))
    app = restarted(server)
    run(server, "users", "import", str(third), "--overwrite")
    assert app.sign_in("one@example.com", "user1password")["localId"] == "one"


def test_tokens(server):
    token = run(server, "token", "mint", "--uid", "alice", "--expires", "15m").strip()
    inspected = run(server, "token", "inspect", token)
    assert "alice" in inspected
    run(server, "token", "verify", token)
    run(server, "token", "verify", token[:-4] + "AAAA", expect=1)
    id_token = run(server, "token", "mint", "--id-token", "--uid", "alice").strip()
    run(server, "token", "verify", id_token)
    legacy = run(server, "token", "mint", "--legacy", "--uid", "alice").strip()
    assert claims(legacy)["d"]["uid"] == "alice"
    run(server, "token", "verify", legacy)
    assert restarted(server).custom(token)["idToken"]


def test_keys_rotate_and_are_removed(server):
    before = json.loads(run(server, "keys", "list", "--json"))
    run(server, "keys", "rotate")
    after = json.loads(run(server, "keys", "list", "--json"))
    assert len(json.dumps(after)) > len(json.dumps(before))
    secret = run(server, "secrets", "list", "--plain").splitlines()[0]
    run(server, "secrets", "rotate")
    secrets = run(server, "secrets", "list", "--plain").splitlines()
    assert secrets[0] != secret and secret in secrets


def test_service_accounts(server):
    made = json.loads(run(server, "service-account", "create", "ci"))
    assert made["type"] == "service_account" and made["private_key"].startswith("-----BEGIN PRIVATE KEY-----")
    assert made["token_uri"].startswith("http") and made["project_id"] == "hearth"
    assert made["client_email"] in run(server, "service-account", "list")
    assert "PRIVATE KEY" not in run(server, "service-account", "list", "--json")
    run(server, "service-account", "remove-key", "ci", made["private_key_id"])
    assert made["private_key_id"] not in run(server, "service-account", "list", "--json")
    run(server, "service-account", "disable", "ci")
    assert "disabled" in run(server, "service-account", "list")


def test_the_audit_trail_is_whole_and_notices_damage(server):
    run(server, "users", "create", "a@example.com", "--password-stdin", password="secret-pass-9\n")
    run(server, "users", "delete", "a@example.com", "--yes")
    tail = run(server, "audit", "tail", "--json")
    assert "user_delete" in tail and "secret-pass-9" not in tail
    assert "a@example.com" not in tail, "addresses are masked"
    run(server, "audit", "verify")


def test_passwords_are_not_arguments():
    text = hearth("users", "create", "x@example.com", "--password", "secret", expect=64)
    assert "password-stdin" in text
