"""firebase-admin for Python managing users: in emulator mode, and in normal mode.

In normal mode the SDK's host names are fixed, so the test does what the guide tells operators: it resolves those names to this
server, and uses a private certificate authority. The SDK is unmodified; only name resolution differs."""

import base64
import datetime
import json
import socket
import time

import firebase_admin
import pytest
import requests
from firebase_admin import auth, credentials, db

from certificates import self_signed
from client import Client
from identity import Identity, claims
from waits import WAIT_SECONDS

RULES = '{ "rules": { "mine": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } } } }'
HOSTS = ["identitytoolkit.googleapis.com", "securetoken.googleapis.com", "oauth2.googleapis.com",
         "www.googleapis.com"]


@pytest.fixture(params=["emulator", "normal"])
def app(request, serve, tmp_path, monkeypatch):
    options = {"credential": credentials.Base()}
    if request.param == "emulator":
        server = serve("--emulator", command="dev", rules=RULES)
        monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", server.authority)
        made = json.loads(server.run("service-account", "create", "ci"))
    else:
        cert, key = self_signed(
            tmp_path, names=[*(f"DNS:{host}" for host in HOSTS), "DNS:localhost", "IP:127.0.0.1"])
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(cert))
        server = serve("--tls-cert", str(cert), "--tls-key", str(key), command="dev", rules=RULES)
        made = json.loads(server.run("service-account", "create", "ci"))
        resolve = socket.getaddrinfo

        def lead_home(host, port, *rest, **named):
            if host in HOSTS and port == 443:
                return resolve("127.0.0.1", server.port, *rest, **named)
            return resolve(host, port, *rest, **named)

        monkeypatch.setattr(socket, "getaddrinfo", lead_home)
    credential = credentials.Certificate(made)
    app = firebase_admin.initialize_app(
        credential, {"projectId": "hearth", "databaseURL": f"https://localhost:{server.port}"},
        name=request.node.name)
    app.server = server
    app.mode = request.param
    yield app
    firebase_admin.delete_app(app)


def end_user(app):
    """An end user's app on the same server."""
    return Identity(app.server)


def test_a_user_is_created_changed_and_deleted(app):
    user = auth.create_user(
        app=app, email="Ada@example.com", password="secret1", display_name="Ada", email_verified=False)
    assert user.email == "ada@example.com" and len(user.uid) == 28
    assert auth.get_user(user.uid, app=app).display_name == "Ada"
    assert auth.get_user_by_email("ada@EXAMPLE.com", app=app).uid == user.uid
    with pytest.raises(auth.EmailAlreadyExistsError):
        auth.create_user(app=app, email="ada@example.com", password="secret1")
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user("nobody", app=app)
    changed = auth.update_user(
        user.uid, app=app, display_name=auth.DELETE_ATTRIBUTE, email_verified=True, phone_number="+15555550123",
        photo_url="https://example.com/a.png")
    assert changed.display_name is None and changed.email_verified and changed.phone_number == "+15555550123"
    assert auth.get_user_by_phone_number("+15555550123", app=app).uid == user.uid
    auth.set_custom_user_claims(user.uid, {"role": "admin", "level": 3}, app=app)
    assert auth.get_user(user.uid, app=app).custom_claims == {"role": "admin", "level": 3}
    signed_in = end_user(app).sign_in("ada@example.com", "secret1")
    assert claims(signed_in["idToken"])["role"] == "admin"
    auth.update_user(user.uid, app=app, disabled=True)
    end_user(app).fail(
        "accounts:signInWithPassword", {"email": "ada@example.com", "password": "secret1"}, "USER_DISABLED")
    auth.delete_user(user.uid, app=app)
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user(user.uid, app=app)
    assert auth.create_user(app=app, uid=user.uid).email is None


def test_chosen_uid_and_lists(app):
    for number in range(25):
        auth.create_user(app=app, uid=f"user:{number:02}/ü", email=f"u{number}@example.com")
    page = auth.list_users(max_results=10, app=app)
    assert len(page.users) == 10 and page.has_next_page
    uids = [user.uid for user in page.iterate_all()]
    assert sorted(uids) == sorted(f"user:{number:02}/ü" for number in range(25))
    with pytest.raises(auth.UidAlreadyExistsError):
        auth.create_user(app=app, uid="user:03/ü")
    found = auth.get_users([auth.UidIdentifier("user:01/ü"), auth.EmailIdentifier("u2@example.com"),
                            auth.UidIdentifier("nobody")], app=app)
    assert len(found.users) == 2 and len(found.not_found) == 1
    result = auth.delete_users(uids, app=app)
    assert result.success_count == 25 and result.failure_count == 0


def test_imported_hashes_sign_in_and_are_replaced(app):
    """Imports the public test vectors of Firebase's password hash."""
    signer = base64.b64decode(
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
    hash_algorithm = auth.UserImportHash.scrypt(
        key=signer, rounds=8, memory_cost=14, salt_separator=base64.b64decode("Bw=="))
    user = auth.ImportUserRecord(
        uid="imported", email="imported@example.com", email_verified=True,
        password_hash=base64.b64decode(
            "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="),
        password_salt=base64.b64decode("42xEC+ixf3L2lw=="), custom_claims={"old": True},
        provider_data=[auth.UserProvider(uid="g-1", provider_id="google.com", email="imported@example.com")])
    result = auth.import_users([user], hash_alg=hash_algorithm, app=app)
    assert result.success_count == 1, [error.reason for error in result.errors]
    end_user(app).fail(
        "accounts:signInWithPassword", {"email": "imported@example.com", "password": "wrong-one"},
        "INVALID_PASSWORD" if app.mode == "emulator" else "INVALID_LOGIN_CREDENTIALS")
    before = exported(app, "imported")
    assert end_user(app).sign_in("imported@example.com", "user1password")["localId"] == "imported"
    after = exported(app, "imported")
    assert before["passwordHash"] != after["passwordHash"]
    assert end_user(app).sign_in("imported@example.com", "user1password")["localId"] == "imported"
    again = auth.get_user("imported", app=app)
    assert again.custom_claims == {"old": True} and again.provider_data[0].provider_id in ("google.com", "password")


def exported(app, uid):
    path = app.server.data.parent / "export.json"
    app.server.run("users", "export", str(path), *(["--force"] if path.exists() else []))
    users = json.loads(path.read_text(encoding="utf-8"))["users"]
    return next(user for user in users if user["localId"] == uid)


def test_custom_and_id_tokens(app):
    token = auth.create_custom_token("grace", {"team": "cobol"}, app=app).decode()
    signed_in = end_user(app).custom(token)
    if app.mode == "emulator":
        # In emulator mode the SDK checks no signatures.
        content = auth.verify_id_token(signed_in["idToken"], app=app, clock_skew_seconds=5)
    else:
        content = auth.verify_id_token(signed_in["idToken"], app=app, check_revoked=True, clock_skew_seconds=5)
        forged = signed_in["idToken"][:-8] + "AAAAAAAA"
        with pytest.raises(auth.InvalidIdTokenError):
            auth.verify_id_token(forged, app=app)
    assert content["uid"] == "grace" and content["team"] == "cobol"


def test_session_cookies_and_revocation(app):
    auth.create_user(app=app, uid="s", email="s@example.com", password="secret1")
    signed_in = end_user(app).sign_in("s@example.com", "secret1")
    cookie = auth.create_session_cookie(signed_in["idToken"], datetime.timedelta(days=5), app=app)
    cookie = cookie.decode() if isinstance(cookie, bytes) else cookie
    content = auth.verify_session_cookie(cookie, app=app, clock_skew_seconds=5)
    assert content["uid"] == "s" and content["iss"] == "https://session.firebase.google.com/hearth"
    # A session cookie grants access to nothing else.
    end_user(app).fail("accounts:lookup", {"idToken": cookie}, "INVALID_ID_TOKEN")
    if app.mode == "emulator":
        live = Client(app.server)
        assert live.call("auth", "invalid_token", cred=cookie)
        live.close()
    # The SDK compares whole seconds; the server compares exact times.
    time.sleep(1.1)
    auth.revoke_refresh_tokens("s", app=app)
    end_user(app).refresh_fails(signed_in["refreshToken"], "TOKEN_EXPIRED")
    end_user(app).fail("accounts:lookup", {"idToken": signed_in["idToken"]}, "TOKEN_EXPIRED")
    if app.mode == "normal":
        with pytest.raises(auth.RevokedSessionCookieError):
            auth.verify_session_cookie(cookie, check_revoked=True, app=app)
        with pytest.raises(auth.RevokedIdTokenError):
            auth.verify_id_token(signed_in["idToken"], check_revoked=True, app=app)


def checked(app, id_token):
    """Verifies the token as an application server with `check_revoked` does, without tolerance for clock differences."""
    content = auth.verify_id_token(id_token, check_revoked=True, app=app)
    cookie = auth.create_session_cookie(id_token, datetime.timedelta(days=1), app=app)
    assert auth.verify_session_cookie(cookie, check_revoked=True, app=app)["uid"] == content["uid"]
    # The Python SDK compares `iat`, like Go and Java; the Node SDK compares `auth_time`.
    since = auth.get_user(content["uid"], app=app).tokens_valid_after_timestamp
    assert content["auth_time"] * 1000 >= since and content["iat"] * 1000 >= since
    return content


def test_tokens_after_a_revocation_are_valid_at_once(app):
    if app.mode == "emulator":
        pytest.skip("in that mode the SDK checks no signature")
    auth.create_user(app=app, uid="s", email="s@example.com", password="secret1")
    user = end_user(app)
    custom = auth.create_custom_token("s", app=app).decode()
    for _ in range(3):
        first = user.sign_in("s@example.com", "secret1")
        checked(app, first["idToken"])
        auth.revoke_refresh_tokens("s", app=app)
        # Within the same second the server rejects the old tokens, and every verifier accepts the new ones.
        user.refresh_fails(first["refreshToken"], "TOKEN_EXPIRED")
        user.fail("accounts:lookup", {"idToken": first["idToken"]}, "TOKEN_EXPIRED")
        with pytest.raises(Exception):
            auth.create_session_cookie(first["idToken"], datetime.timedelta(days=1), app=app)
        checked(app, user.sign_in("s@example.com", "secret1")["idToken"])
        # Signs in again by a custom token, as the SDK's own tests do.
        checked(app, user.custom(custom)["idToken"])
    token = user.sign_in("s@example.com", "secret1")["idToken"]
    for number in range(3):
        changed = user.post("accounts:update", {
            "idToken": token, "password": f"secret-{number}", "returnSecureToken": True})
        user.fail("accounts:lookup", {"idToken": token}, "TOKEN_EXPIRED")
        token = changed["idToken"]
        checked(app, token)
    checked(app, user.refresh(changed["refreshToken"])["id_token"])


def test_a_deleted_uid_can_be_created_and_imported_again(app):
    auth.create_user(app=app, uid="d", email="d@example.com", password="secret1")
    old = end_user(app).sign_in("d@example.com", "secret1")
    for _ in range(2):
        auth.delete_user("d", app=app)
        assert auth.create_user(app=app, uid="d").uid == "d"
        auth.delete_user("d", app=app)
        assert auth.import_users([auth.ImportUserRecord(uid="d")], app=app).success_count == 1
        auth.delete_user("d", app=app)
        again = end_user(app).custom(auth.create_custom_token("d", app=app).decode())
        assert claims(again["idToken"])["sub"] == "d"
        end_user(app).refresh_fails(old["refreshToken"], "TOKEN_EXPIRED")
        end_user(app).fail("accounts:lookup", {"idToken": old["idToken"]}, "TOKEN_EXPIRED")


def test_action_links_are_generated_and_answer(app):
    auth.create_user(app=app, uid="l", email="l@example.com", password="secret1")
    for link in (
            auth.generate_password_reset_link("l@example.com", app=app),
            auth.generate_email_verification_link("l@example.com", app=app),
            auth.generate_sign_in_with_email_link(
                "l@example.com", auth.ActionCodeSettings(url="http://localhost/done", handle_code_in_app=True), app=app)):
        assert "oobCode=" in link and "mode=" in link
        # In emulator mode the link applies the action directly, or names the missing parameter; otherwise it opens a page with a
        # button.
        expected = 200 if app.mode == "normal" else 400 if "resetPassword" in link else 303 if "signIn" in link else 200
        assert requests.get(link, timeout=WAIT_SECONDS, allow_redirects=False).status_code == expected, link


def test_links_for_unknown_addresses_and_foreign_domains_are_refused(app):
    for make, error in ((auth.generate_email_verification_link, auth.UserNotFoundError),
                        (auth.generate_password_reset_link, auth.EmailNotFoundError)):
        with pytest.raises(error):
            make("nobody@example.com", app=app)
    auth.create_user(app=app, uid="l", email="l@example.com")
    elsewhere = auth.ActionCodeSettings(url="http://localhost/done", link_domain="elsewhere.example")
    if app.mode == "emulator":
        assert "oobCode=" in auth.generate_password_reset_link("l@example.com", elsewhere, app=app)
    else:
        with pytest.raises(auth.InvalidHostingLinkDomainError):
            auth.generate_password_reset_link("l@example.com", elsewhere, app=app)
    here = auth.ActionCodeSettings(url="http://localhost/done", link_domain=app.server.host)
    assert "oobCode=" in auth.generate_password_reset_link("l@example.com", here, app=app)


def test_user_records_have_the_members_that_the_sdk_reads(app):
    """Covers a password without an address, the last refresh, cleared claims, and a full last page."""
    bare = auth.create_user(app=app, uid="bare", password="secret1")
    assert bare.email is None and bare.uid == "bare"
    user = auth.create_user(app=app, uid="ada", email="ada@example.com", password="secret1")
    assert user.user_metadata.last_refresh_timestamp is None
    before = time.time() * 1000
    end_user(app).sign_in("ada@example.com", "secret1")
    refreshed = auth.get_user("ada", app=app).user_metadata.last_refresh_timestamp
    assert before - 1000 <= refreshed <= time.time() * 1000
    auth.set_custom_user_claims("ada", {"role": "admin"}, app=app)
    auth.set_custom_user_claims("ada", None, app=app)
    cleared = auth.get_user("ada", app=app)
    # Other SDKs read the member below it, so the empty object must be present.
    assert cleared.custom_claims is None and cleared._data["customAttributes"] == "{}"
    page = auth.list_users(max_results=2, app=app)
    assert len(page.users) == 2 and page.has_next_page
    last = page.get_next_page()
    assert len(last.users) == 0 and not last.has_next_page
    assert sorted(user.uid for user in page.iterate_all()) == ["ada", "bare"]


def test_the_database_without_emulator_mode(app):
    if app.mode == "emulator":
        pytest.skip("needs https")
    db.reference("mine/x", app=app).set({"by": "a service account"})
    assert db.reference("mine/x/by", app=app).get() == "a service account"
    as_user = db.reference("mine", app=app)
    assert as_user.get() == {"x": {"by": "a service account"}}
    # The disabled account gets no new access token, and its current one is rejected.
    app.server.run("service-account", "disable", "ci")
    with pytest.raises(Exception):
        db.reference("mine/x", app=app).set("again")


def test_the_owner_token_is_refused_outside_emulator_mode(serve):
    server = serve(command="dev", rules=RULES)
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/projects/hearth/accounts:lookup"
    answer = requests.post(url, json={"localId": ["x"]}, headers={"Authorization": "Bearer owner"},
                           timeout=WAIT_SECONDS)
    assert answer.status_code == 401 and answer.json()["error"]["status"] == "UNAUTHENTICATED"
    answer = requests.post(url, json={"localId": ["x"]}, timeout=WAIT_SECONDS)
    assert answer.status_code == 401
