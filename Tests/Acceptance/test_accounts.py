"""Flows of end users over plain HTTP, and the effect of a revocation on an open socket."""

import concurrent.futures
import re
import time

import pytest
import requests

from client import Client
from identity import Identity, claims, totp
from waits import WAIT_SECONDS, until

RULES = """{ "rules": {
  "users": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } },
  "verified": { ".read": "auth.token.email_verified === true" }
} }"""


@pytest.fixture
def server(serve):
    return serve(command="dev", rules=RULES)


@pytest.fixture
def app(server):
    return Identity(server)


def outbox_link(server, kind_word, after=0):
    """Returns the newest action link of this mode in the development outbox."""
    def newest():
        links = []
        for path in sorted((server.data / "outbox").glob("*.eml"), key=lambda p: p.stat().st_mtime_ns):
            text = path.read_text(encoding="utf-8").replace("=\n", "").replace("=3D", "=")
            links += re.findall(r"(https?://\S*mode=" + kind_word + r"\S*)", text)
        if len(links) > after:
            return links[-1].rstrip(">\"'").split('"')[0].replace("&amp;", "&")
        return None

    return until(newest, f"a mail with mode={kind_word}")


def code_of(link):
    return re.search(r"oobCode=([A-Za-z0-9_-]+)", link)[1]


def test_sign_up_sign_in_and_database(server, app):
    made = app.sign_up("Alice@Example.com", "correct horse")
    assert made["email"] == "alice@example.com"
    uid = made["localId"]
    again = app.sign_in("ALICE@example.com", "correct horse")
    assert again["localId"] == uid and again["registered"] is True
    user = app.lookup(again["idToken"])
    assert user["passwordHash"] == "UkVEQUNURUQ=" and "salt" not in user
    assert user["providerUserInfo"][0]["providerId"] == "password"
    assert isinstance(user["createdAt"], str) and isinstance(user["validSince"], str)

    socket = Client(server)
    auth = socket.sign_in(again["idToken"])["auth"]
    assert auth["uid"] == uid and auth["provider"] == "password"
    assert auth["token"]["email"] == "alice@example.com" and auth["token"]["email_verified"] is False
    socket.call("p", p=f"/users/{uid}/name", d="Alice")
    answer = requests.get(f"{server.url}/users/{uid}.json", params={"auth": again["idToken"]}, timeout=WAIT_SECONDS)
    assert answer.json() == {"name": "Alice"}
    socket.close()


def test_refusals_have_the_protocol_s_words(app):
    app.sign_up("a@example.com", "secret1")
    app.fail("accounts:signUp", {"email": "a@example.com", "password": "secret1"}, "EMAIL_EXISTS")
    error = app.fail("accounts:signUp", {"email": "b@example.com", "password": "short"}, "WEAK_PASSWORD")
    assert error["message"] == "WEAK_PASSWORD : Password should be at least 6 characters"
    app.fail("accounts:signUp", {"email": "nonsense", "password": "secret1"}, "INVALID_EMAIL")
    app.fail("accounts:signUp", {"email": "b@example.com", "password": ""}, "MISSING_PASSWORD")
    wrong = app.fail(
        "accounts:signInWithPassword", {"email": "a@example.com", "password": "wrong"}, "INVALID_LOGIN_CREDENTIALS")
    unknown = app.fail(
        "accounts:signInWithPassword", {"email": "x@example.com", "password": "wrong"}, "INVALID_LOGIN_CREDENTIALS")
    assert wrong == unknown
    app.fail("accounts:lookup", {"idToken": "a.b.c"}, "INVALID_ID_TOKEN")
    app.fail("accounts:signInWithCustomToken", {"token": "junk"}, "INVALID_CUSTOM_TOKEN")
    app.refresh_fails("junk", "INVALID_REFRESH_TOKEN")


def test_an_anonymous_user_is_upgraded_and_keeps_the_uid(app):
    anonymous = app.sign_up()
    assert claims(anonymous["idToken"])["firebase"]["sign_in_provider"] == "anonymous"
    upgraded = app.sign_up("new@example.com", "secret1", idToken=anonymous["idToken"])
    assert upgraded["localId"] == anonymous["localId"]
    assert claims(upgraded["idToken"])["firebase"]["sign_in_provider"] == "password"
    assert app.sign_in("new@example.com", "secret1")["localId"] == anonymous["localId"]


def test_custom_tokens_sign_in(server, app):
    token = server.run("token", "mint", "--uid", "carol", "--claims", '{"role":"editor"}').strip()
    answer = app.custom(token)
    assert answer["isNewUser"] is True
    content = claims(answer["idToken"])
    assert content["sub"] == "carol" and content["role"] == "editor"
    assert content["firebase"]["sign_in_provider"] == "custom"
    assert app.custom(token)["isNewUser"] is False
    refreshed = claims(app.refresh(answer["refreshToken"])["id_token"])
    assert refreshed["role"] == "editor" and refreshed["auth_time"] == content["auth_time"]


def test_a_refresh_answers_in_the_shapes_that_sdks_expect(app):
    made = app.sign_up("r@example.com", "secret1")
    answer = app.refresh(made["refreshToken"])
    assert answer["token_type"] == "Bearer" and answer["expires_in"] == "3600"
    assert answer["user_id"] == made["localId"] and answer["project_id"].isdigit()
    assert answer["access_token"] == answer["id_token"]
    assert claims(answer["id_token"])["auth_time"] == claims(made["idToken"])["auth_time"]


def test_password_reset_by_mail(server, app):
    old = app.sign_up("reset@example.com", "old-secret")
    app.post("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": "reset@example.com"})
    # An unknown address gets the same response, but no mail.
    unknown = app.post("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": "nobody@example.com"})
    assert unknown["email"] == "nobody@example.com" and "oobLink" not in unknown
    link = outbox_link(server, "resetPassword")
    # The page works without scripts; opening it does not use the code up.
    for _ in range(2):
        page = requests.get(link, timeout=WAIT_SECONDS)
        assert page.status_code == 200 and "<form" in page.text and "<script" not in page.text
        assert page.headers["Referrer-Policy"] == "no-referrer"
    code = code_of(link)
    assert app.post("accounts:resetPassword", {"oobCode": code})["email"] == "reset@example.com"
    app.post("accounts:resetPassword", {"oobCode": code, "newPassword": "new-secret"})
    app.fail("accounts:resetPassword", {"oobCode": code, "newPassword": "newer-secret"}, "INVALID_OOB_CODE")
    app.fail("accounts:signInWithPassword", {"email": "reset@example.com", "password": "old-secret"},
             "INVALID_LOGIN_CREDENTIALS")
    app.refresh_fails(old["refreshToken"], "TOKEN_EXPIRED")
    assert app.lookup(app.sign_in("reset@example.com", "new-secret")["idToken"])["emailVerified"] is True


def test_reset_through_the_page(server, app):
    app.sign_up("page@example.com", "old-secret")
    app.post("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": "page@example.com"})
    link = outbox_link(server, "resetPassword")
    page = requests.get(link, timeout=WAIT_SECONDS).text
    action = re.search(r'<form[^>]*action="([^"]*)"', page)
    fields = dict(re.findall(r'<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"', page))
    name = re.search(r'<input[^>]*type="password"[^>]*name="([^"]+)"', page) or re.search(
        r'<input[^>]*name="([^"]+)"[^>]*type="password"', page)
    url = requests.compat.urljoin(link, action[1].replace("&amp;", "&")) if action and action[1] else link
    done = requests.post(url, data=fields | {name[1]: "page-secret"}, timeout=WAIT_SECONDS)
    assert done.status_code == 200, done.text
    app.sign_in("page@example.com", "page-secret")


def test_e_mail_verification_and_change(server, app):
    made = app.sign_up("v@example.com", "secret1")
    app.post("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": made["idToken"]})
    app.post("accounts:update", {"oobCode": code_of(outbox_link(server, "verifyEmail"))})
    assert app.lookup(made["idToken"])["emailVerified"] is True
    app.post("accounts:sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": made["idToken"], "newEmail": "w@example.com"})
    app.post("accounts:update", {"oobCode": code_of(outbox_link(server, "verifyAndChangeEmail"))})
    assert app.sign_in("w@example.com", "secret1")["localId"] == made["localId"]
    app.refresh_fails(made["refreshToken"], "TOKEN_EXPIRED")
    # A link to the old address reverts the change.
    app.post("accounts:update", {"oobCode": code_of(outbox_link(server, "recoverEmail"))})
    assert app.sign_in("v@example.com", "secret1")["localId"] == made["localId"]


def test_sign_in_by_mailed_link(server, app):
    app.post("accounts:sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": "link@example.com", "canHandleCodeInApp": True,
        "continueUrl": "http://localhost/finish"})
    code = code_of(outbox_link(server, "signIn"))
    app.fail("accounts:signInWithEmailLink", {"email": "other@example.com", "oobCode": code}, "INVALID_EMAIL")
    answer = app.post("accounts:signInWithEmailLink", {"email": "link@example.com", "oobCode": code})
    assert answer["isNewUser"] is True and app.lookup(answer["idToken"])["emailVerified"] is True
    app.fail("accounts:signInWithEmailLink", {"email": "link@example.com", "oobCode": code}, "INVALID_OOB_CODE")


def test_linking_another_address_replaces_the_first(server, app):
    made = app.sign_up("first@example.com", "secret1")
    taken = app.sign_up("taken@example.com", "secret1")
    link = {"idToken": made["idToken"], "password": "secret2", "returnSecureToken": True}
    app.fail("accounts:signUp", {**link, "email": "taken@example.com"}, "EMAIL_EXISTS")
    linked = app.post("accounts:signUp", {**link, "email": "second@example.com"})
    assert linked["localId"] == made["localId"] != taken["localId"] and linked["email"] == "second@example.com"
    app.post("accounts:sendOobCode", {
        "requestType": "EMAIL_SIGNIN", "email": "third@example.com", "continueUrl": "http://localhost/finish"})
    mailed = app.post("accounts:signInWithEmailLink", {
        "idToken": linked["idToken"], "email": "third@example.com", "oobCode": code_of(outbox_link(server, "signIn"))})
    assert mailed["localId"] == made["localId"] and mailed["email"] == "third@example.com"
    user = app.lookup(mailed["idToken"])
    assert user["email"] == "third@example.com" and user["emailVerified"] is True and user["emailLinkSignin"] is True
    assert app.sign_in("third@example.com", "secret2")["localId"] == made["localId"]
    app.fail("accounts:signInWithPassword", {"email": "first@example.com", "password": "secret1"},
             "INVALID_LOGIN_CREDENTIALS")


def test_the_last_provider_can_be_unlinked(app):
    made = app.sign_up("alone@example.com", "secret1")
    answer = app.post("accounts:update", {"idToken": made["idToken"], "deleteProvider": ["password"]})
    assert answer.get("providerUserInfo", []) == [] and answer["email"] == "alone@example.com"
    app.fail("accounts:signInWithPassword", {"email": "alone@example.com", "password": "secret1"},
             "INVALID_LOGIN_CREDENTIALS")


def test_a_foreign_continue_url_is_refused(app):
    for url in ("https://evil.example/", "//evil.example", "javascript:alert(1)", "https://localhost@evil.example/"):
        body = {"requestType": "PASSWORD_RESET", "email": "a@example.com", "continueUrl": url}
        answer = app.post("accounts:sendOobCode", body, 400)
        assert answer["error"]["message"].split(" : ")[0] in ("UNAUTHORIZED_DOMAIN", "INVALID_CONTINUE_URI"), url


@pytest.mark.parametrize("how", ["disable", "delete", "revoke"])
def test_a_revoked_user_is_cut_off_within_a_second(server, app, how):
    made = app.sign_up("cut@example.com", "secret1")
    uid = made["localId"]
    socket = Client(server)
    socket.sign_in(made["idToken"])
    socket.listen(f"/users/{uid}")
    arguments = [uid, "--yes"] if how == "delete" else [uid]
    server.run("users", how, *arguments, "--wait")
    # The sockets were notified when the command ended, so the notice precedes the answer to any later request.
    socket.send_text('{"t":"c","d":{"t":"p","d":{}}}')
    socket.expect("ac", s="expired_token", d="Auth token is expired.")
    socket.expect("c", p=f"users/{uid}")
    assert socket.receive() == {"t": "c", "d": {"t": "o", "d": None}}
    app.refresh_fails(
        made["refreshToken"], {"disable": "USER_DISABLED", "delete": "USER_NOT_FOUND", "revoke": "TOKEN_EXPIRED"}[how])
    other = Client(server)
    assert other.call("auth", "expired_token", cred=made["idToken"]) is not None
    socket.close()
    other.close()


def test_hundred_sign_ups_with_one_address_have_one_winner(serve):
    server = serve(command="dev", rules=RULES)
    app = Identity(server)

    def attempt(number):
        answer = requests.post(
            f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k",
            json={"email": "Race@example.com" if number % 2 else "race@example.com", "password": "secret1"},
            timeout=2 * WAIT_SECONDS)
        return answer.status_code

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        results = list(pool.map(attempt, range(40)))
    assert results.count(200) == 1, results
    assert set(results) <= {200, 400, 503}, results
    assert app.sign_in("race@example.com", "secret1")


def test_repeated_wrong_passwords_are_throttled(app):
    """Security 17, 20: sign-in to an account under attack is delayed; its existing sessions are not affected."""
    made = app.sign_up("guess@example.com", "secret1")
    url = f"{app.server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k"

    def attempt(password):
        """Returns the error's code (None for success), and the time of the request."""
        at = time.monotonic()
        body = {"email": "guess@example.com", "password": password, "returnSecureToken": True}
        answer = requests.post(url, json=body, timeout=WAIT_SECONDS).json()
        return answer.get("error", {}).get("message", "").split(" : ")[0], at

    # After ten failures the account is locked for one second, and for twice as long after each further failure. When a slow machine
    # sends the right password only after the lock has expired, the attempt proves nothing and is repeated.
    for _ in range(5):
        failures, waits_until, code = 0, 0, "INVALID_LOGIN_CREDENTIALS"
        while code == "INVALID_LOGIN_CREDENTIALS":
            assert failures < 20, "never slowed down"
            code, at = attempt(f"guess-{failures}")
            if code == "INVALID_LOGIN_CREDENTIALS":
                failures += 1
                waits_until = at + 2 ** (failures - 10) if failures >= 10 else 0
        assert code == "TOO_MANY_ATTEMPTS_TRY_LATER" and failures >= 10, (code, failures)
        code, _ = attempt("secret1")
        if code == "TOO_MANY_ATTEMPTS_TRY_LATER":
            break
        assert code == "" and time.monotonic() > waits_until, (code, failures)
    else:
        raise AssertionError("the machine is too slow to tell")
    assert app.lookup(app.refresh(made["refreshToken"])["id_token"])["localId"] == made["localId"]


def test_totp_is_a_second_factor(server, app):
    made = app.sign_up("mfa@example.com", "secret1")
    app.fail("accounts/mfaEnrollment:start", {"idToken": made["idToken"], "totpEnrollmentInfo": {}},
             "UNVERIFIED_EMAIL", version="v2")
    server.run("users", "update", made["localId"], "--email-verified", "true")
    started = app.post("accounts/mfaEnrollment:start", {"idToken": made["idToken"], "totpEnrollmentInfo": {}},
                       version="v2")["totpSessionInfo"]
    secret = started["sharedSecretKey"]
    now = time.time()
    enrolled = app.post("accounts/mfaEnrollment:finalize", {
        "idToken": made["idToken"], "displayName": "phone app",
        "totpVerificationInfo": {"sessionInfo": started["sessionInfo"], "verificationCode": totp(secret, now)},
    }, version="v2")
    assert enrolled["idToken"] and enrolled["refreshToken"]
    pending = app.post("accounts:signInWithPassword", {"email": "mfa@example.com", "password": "secret1"})
    assert "idToken" not in pending and len(pending["mfaInfo"]) == 1
    body = {"mfaPendingCredential": pending["mfaPendingCredential"],
            "mfaEnrollmentId": pending["mfaInfo"][0]["mfaEnrollmentId"]}
    # The code of the enrolment cannot be used again; the code of the next time step can.
    app.fail("accounts/mfaSignIn:finalize", body | {"totpVerificationInfo": {"verificationCode": totp(secret, now)}},
             "INVALID_CODE", version="v2")
    done = app.post(
        "accounts/mfaSignIn:finalize",
        body | {"totpVerificationInfo": {"verificationCode": totp(secret, max(now + 30, time.time()))}}, version="v2")
    assert claims(done["idToken"])["firebase"]["sign_in_second_factor"] == "totp"


def test_cross_origin_requests_are_allowed(server):
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"
    wanted = "content-type,x-client-version,x-firebase-gmpid,content_type"
    answer = requests.options(url, timeout=WAIT_SECONDS, headers={
        "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": wanted})
    assert answer.status_code in (200, 204)
    assert answer.headers["Access-Control-Allow-Origin"] in ("https://app.example", "*")
    assert answer.headers["Access-Control-Allow-Headers"].replace(" ", "") == wanted
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_published_keys_verify_tokens(server, app):
    made = app.sign_up("k@example.com", "secret1")
    import base64

    header = made["idToken"].split(".")[0]
    import json

    kid = json.loads(base64.urlsafe_b64decode(header + "=="))["kid"]
    certs = requests.get(
        f"{server.url}/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", timeout=WAIT_SECONDS)
    assert kid in certs.json() and "max-age" in certs.headers["Cache-Control"]
    keys = requests.get(
        f"{server.url}/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        timeout=WAIT_SECONDS).json()["keys"]
    assert kid in [key["kid"] for key in keys]
    discovery = requests.get(f"{server.url}/hearth/.well-known/openid-configuration", timeout=WAIT_SECONDS).json()
    assert discovery["issuer"] == "https://securetoken.google.com/hearth"


def test_an_operation_that_is_not_served_is_answered_with_501(app):
    answer = app.post("accounts:signInWithGameCenter", {}, 501)
    assert answer["error"]["code"] == 501 and answer["error"]["message"]
