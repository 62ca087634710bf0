"""The effects of a revocation on a server whose clock is set back, and the reuse of a deleted account's uid."""

import json

import pytest
import requests

from client import Client
from identity import Identity, claims
from steppable_clock import SteppableClock
from waits import WAIT_SECONDS

RULES = '{ "rules": { "mine": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } } } }'
HOUR = 3600
ENDED = {"s": "expired_token", "d": "Auth token is expired."}


def status(server, uid, token):
    return requests.get(f"{server.url}/mine/{uid}.json", params={"auth": token}, timeout=WAIT_SECONDS).status_code


@pytest.mark.parametrize("cause", ["users revoke", "password change", "claims"])
def test_a_revocation_holds_after_the_clock_is_set_back(serve, tmp_path, cause):
    clock = SteppableClock(tmp_path)
    settings = tmp_path / "auth.json"
    settings.write_text(json.dumps(
        {"revokesOnClaimChange": True, "signIn": {"password": True, "customToken": True}}), encoding="utf-8")
    server = serve(
        "--auth-config", str(settings), command="dev", rules=RULES, environment=clock.environment)
    app = Identity(server)
    signed_in = app.sign_up("ada@example.com", "secret1")
    uid = signed_in["localId"]
    tokens = {"ID token": signed_in["idToken"], "database secret": server.token(uid)}
    sockets = []
    for token in tokens.values():
        live = Client(server)
        live.sign_in(token)
        sockets.append(live)
    clock.set(-HOUR)
    if cause == "users revoke":
        server.run("users", "revoke", "ada@example.com")
    elif cause == "claims":
        server.run("users", "set-claims", "ada@example.com", '{"role":"ed"}')
    else:
        changed = app.post("accounts:update", {
            "idToken": app.sign_in("ada@example.com", "secret1")["idToken"], "password": "secret2",
            "returnSecureToken": True})
        assert status(server, uid, changed["idToken"]) == 200
    for live in sockets:
        live.expect("ac", **ENDED)
        live.close()
    app.refresh_fails(signed_in["refreshToken"], "TOKEN_EXPIRED")
    # The token is refused while the clock is set back, and after it is right again.
    for offset in (-HOUR, 0):
        clock.set(offset)
        for kind, token in tokens.items():
            assert status(server, uid, token) == 401, (kind, offset)
    password = "secret2" if cause == "password change" else "secret1"
    assert status(server, uid, app.sign_in("ada@example.com", password)["idToken"]) == 200


def test_a_reused_uid_does_not_revive_old_tokens(serve):
    server = serve(command="dev", rules=RULES)
    app = Identity(server)
    custom = server.run("token", "mint", "--custom", "--uid", "ada").strip()
    first = app.custom(custom)
    legacy = server.token("ada")
    assert status(server, "ada", first["idToken"]) == status(server, "ada", legacy) == 200
    assert set(claims(first["idToken"])["firebase"]) == {"identities", "sign_in_provider", "generation"}
    server.run("users", "delete", "ada", "--yes")
    server.run("users", "create", "ada@example.com", "--uid", "ada", "--without-password")
    for token in (first["idToken"], legacy):
        assert status(server, "ada", token) == 401
        assert "signed out everywhere, or deleted" in server.run("token", "verify", token, expect=1)
    app.refresh_fails(first["refreshToken"], "TOKEN_EXPIRED")
    second = app.custom(server.run("token", "mint", "--custom", "--uid", "ada").strip())
    assert status(server, "ada", second["idToken"]) == 200
    server.run("token", "verify", second["idToken"])


def test_wrong_secrets_do_not_lock_out_other_clients(serve):
    server = serve(command="dev", rules=RULES)
    for number in range(50):
        wrong = "x" * 38 + f"{number:02}"
        assert requests.get(f"{server.url}/mine.json", params={"auth": wrong}, timeout=WAIT_SECONDS).status_code == 401
    answer = requests.get(f"{server.url}/mine.json", params={"auth": server.secret()}, timeout=WAIT_SECONDS)
    assert answer.status_code == 200
