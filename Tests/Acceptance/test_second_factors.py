"""Required second factors, recovery codes, and removing a factor that an attacker added."""

import json
import time

import firebase_admin
import pytest
import requests
from firebase_admin import auth, credentials

from client import Client
from identity import Identity, claims, totp
from test_accounts import code_of, outbox_link
from test_project_config import Configuration
from waits import WAIT_SECONDS

RULES = """{ "rules": { "open": { ".read": true },
  "users": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } } } }"""
PASSWORD = "correct horse"
EMAIL = "ann@example.com"


@pytest.fixture
def server(serve):
    return serve("--sign-in", "password", command="dev", rules=RULES)


def verified(server, identity):
    made = identity.sign_up(EMAIL, PASSWORD)
    server.run("users", "update", made["localId"], "--email-verified", "true")
    return made


def enrol(identity, id_token, **more):
    """Enrols an authenticator app; returns its secret, and the response."""
    info = identity.post(
        "accounts/mfaEnrollment:start", {"idToken": id_token, "totpEnrollmentInfo": {}}, version="v2")["totpSessionInfo"]
    secret = info["sharedSecretKey"]
    answer = identity.post("accounts/mfaEnrollment:finalize", {
        "idToken": id_token, **more,
        "totpVerificationInfo": {"sessionInfo": info["sessionInfo"], "verificationCode": totp(secret, time.time())},
    }, version="v2")
    return secret, answer


def second(identity, code, **options):
    """Signs in with the password, and with this code as the second step."""
    pending = identity.post("accounts:signInWithPassword", {"email": EMAIL, "password": PASSWORD})
    return identity.post("accounts/mfaSignIn:finalize", {
        "mfaPendingCredential": pending["mfaPendingCredential"],
        "mfaEnrollmentId": pending["mfaInfo"][0]["mfaEnrollmentId"],
        "totpVerificationInfo": {"verificationCode": code}}, version="v2", **options)


def test_a_recovery_code_replaces_the_factor_once(server):
    identity = Identity(server)
    made = verified(server, identity)
    _, enrolled = enrol(identity, made["idToken"], recoveryCodes=True)
    codes = enrolled["recoveryCodes"]
    assert len(set(codes)) == 10
    done = second(identity, codes[0])
    assert done["recoveryCodesLeft"] == 9 and claims(done["idToken"])["firebase"]["sign_in_second_factor"] == "totp"
    assert second(identity, codes[0], status=400)["error"]["message"] == "INVALID_CODE"
    new = identity.post(
        "accounts/mfaEnrollment:recoveryCodes", {"idToken": done["idToken"]}, version="v2")["recoveryCodes"]
    assert second(identity, codes[1], status=400)["error"]["message"] == "INVALID_CODE"
    assert second(identity, new[0])["idToken"]
    assert identity.lookup(done["idToken"])["recoveryCodesLeft"] == 9
    kept = b"".join(path.read_bytes() for path in server.data.rglob("*") if path.is_file() and "outbox" not in path.parts)
    assert not any(code.encode() in kept or code.replace("-", "").encode() in kept for code in codes + new)
    trail = server.run("audit", "tail", "--json")
    assert "recovery code, 9 left" in trail


def test_a_factor_that_an_attacker_added_is_removed_by_mail(server):
    identity = Identity(server)
    made = verified(server, identity)
    enrol(identity, made["idToken"])
    link = outbox_link(server, "revertSecondFactorAddition")
    page = requests.get(link, timeout=WAIT_SECONDS)
    assert page.status_code == 200 and "Remove it" in page.text
    told = identity.post("accounts:resetPassword", {"oobCode": code_of(link)})
    assert told["requestType"] == "REVERT_SECOND_FACTOR_ADDITION" and told["mfaInfo"]["totpInfo"] == {}
    identity.post("accounts:update", {"oobCode": code_of(link)})
    assert "mfaInfo" not in identity.lookup(identity.sign_in(EMAIL, PASSWORD)["idToken"])
    identity.fail("accounts:update", {"oobCode": code_of(link)}, "INVALID_OOB_CODE")


def test_a_sign_in_without_the_required_factor_allows_only_enrolment(server, request):
    """Security 75: rules see a signed-out client, the database's socket stays open, and an admin SDK refuses the token."""
    identity, configuration = Identity(server), Configuration(server, "hearth")
    made = verified(server, identity)
    uid = made["localId"]
    assert configuration.change("mfa.state", {"mfa": {"state": "MANDATORY"}})["mfa"]["state"] == "MANDATORY"
    waiting = identity.sign_in(EMAIL, PASSWORD)
    assert claims(waiting["idToken"])["aud"] == "hearth/second-factor-enrolment"

    def read(token):
        answer = requests.get(f"{server.url}/users/{uid}.json", params={"auth": token}, timeout=WAIT_SECONDS)
        return answer.status_code

    assert read(waiting["idToken"]) == 401
    socket = Client(server)
    assert socket.sign_in(waiting["idToken"])["auth"] is None
    socket.call("q", p="/open", h="")
    account = credentials.Certificate(json.loads(server.run("service-account", "create", "ci")))
    backend = firebase_admin.initialize_app(account, {"projectId": "hearth"}, name=request.node.name)
    with pytest.raises(auth.InvalidIdTokenError, match="audience"):
        auth.verify_id_token(waiting["idToken"], app=backend)
    firebase_admin.delete_app(backend)
    _, enrolled = enrol(identity, waiting["idToken"])
    assert read(enrolled["idToken"]) == 200
    assert socket.sign_in(enrolled["idToken"])["auth"]["uid"] == uid
    identity.refresh_fails(made["refreshToken"], "TOKEN_EXPIRED")
    socket.close()


def test_a_session_from_before_the_required_factor_is_refused(server):
    """Security 7: an attacker's older session, whose sign-in is recent, after the owner has enrolled an authenticator app."""
    identity = Identity(server)
    owner = verified(server, identity)
    uid = owner["localId"]
    place = f"{server.url}/users/{uid}.json"
    stranger = identity.sign_in(EMAIL, PASSWORD)
    live = Client(server)
    live.sign_in(stranger["idToken"])
    live.listen(f"/users/{uid}")
    assert requests.get(place, params={"auth": stranger["idToken"]}, timeout=WAIT_SECONDS).status_code == 200
    identity.post("accounts:sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": stranger["idToken"], "newEmail": "eve@example.com"})
    code = code_of(outbox_link(server, "verifyAndChangeEmail"))
    _, enrolled = enrol(identity, owner["idToken"])
    told = [live.receive()["d"]["a"] for _ in range(2)]
    assert sorted(told) == ["ac", "c"], told
    live.close()
    token = {"idToken": stranger["idToken"]}
    identity.refresh_fails(stranger["refreshToken"], "TOKEN_EXPIRED")
    assert requests.get(place, params={"auth": stranger["idToken"]}, timeout=WAIT_SECONDS).status_code == 401
    for operation, body in [
        ("accounts:update", {"password": "a stranger's"}), ("accounts:update", {"deleteProvider": ["password"]}),
        ("accounts:signUp", {"email": EMAIL, "password": "a stranger's"}), ("accounts:delete", {}),
        ("accounts:sendOobCode", {"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "eve@example.com"}),
        ("accounts:lookup", {}),
    ]:
        identity.fail(operation, token | body, "TOKEN_EXPIRED")
    for operation in ["mfaEnrollment:start", "mfaEnrollment:recoveryCodes", "mfaEnrollment:withdraw"]:
        identity.fail(
            f"accounts/{operation}", token | {"totpEnrollmentInfo": {}, "mfaEnrollmentId": "x"}, "TOKEN_EXPIRED",
            version="v2")
    identity.fail("accounts:update", {"oobCode": code}, "INVALID_OOB_CODE")
    # The session that enrolled the factor continues.
    again = identity.refresh(enrolled["refreshToken"])
    assert requests.get(place, params={"auth": again["id_token"]}, timeout=WAIT_SECONDS).status_code == 200
    assert "mfaPendingCredential" in identity.post(
        "accounts:signInWithPassword", {"email": EMAIL, "password": PASSWORD})
    identity.post("accounts:update", {"idToken": enrolled["idToken"], "password": "another horse"})


def test_a_session_without_the_administrator_factor_changes_nothing(server):
    identity = Identity(server)
    made = verified(server, identity)
    token = server.run("token", "mint", "--admin").strip()
    identity.post("projects/hearth/accounts:update", {
        "localId": made["localId"], "mfa": {"enrollments": [{"phoneInfo": "+15550100"}]}},
        headers={"Authorization": f"Bearer {token}"})
    shown = {"idToken": made["idToken"]}
    # A factor that an administrator adds ends no session: users are asked for it at their next sign-in.
    assert identity.refresh(made["refreshToken"])["user_id"] == made["localId"]
    for body in [{"password": "a stranger's"}, {"deleteProvider": ["password"]}]:
        identity.fail("accounts:update", shown | body, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    identity.fail("accounts:delete", shown, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    identity.fail("accounts:sendOobCode", shown | {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "eve@example.com"}, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    assert identity.post("accounts:update", shown | {"displayName": "Ann"})["displayName"] == "Ann"


def test_reversing_a_change_asks_for_the_former_factor(server):
    """Security 74: an attacker with a full session changes the password; the owner reverses that, once."""
    identity = Identity(server)
    made = verified(server, identity)
    secret, enrolled = enrol(identity, made["idToken"])
    stolen = identity.post("accounts:update", {"idToken": enrolled["idToken"], "password": "a stranger's"})
    link = outbox_link(server, "revertChange")
    told = identity.post("accounts:resetPassword", {"oobCode": code_of(link)})
    assert told["requestType"] == "REVERT_CHANGE" and told["email"] == EMAIL and told["secondFactorRequired"] is True
    page = requests.get(link, timeout=WAIT_SECONDS)
    assert page.status_code == 200 and "Code of your authenticator" in page.text
    # Access to the mailbox alone does not suffice.
    identity.fail("accounts:update", {"oobCode": code_of(link)}, "MISSING_CODE")
    identity.fail("accounts:update", {
        "oobCode": code_of(link), "totpVerificationInfo": {"verificationCode": "abcdef"}}, "INVALID_CODE")
    form = {"mode": "revertChange", "oobCode": code_of(link), "factorCode": totp(secret, time.time() + 30)}
    pressed = requests.post(link.split("?")[0], data=form, timeout=WAIT_SECONDS)
    assert pressed.status_code == 200 and "Your account was recovered" in pressed.text, pressed.text
    identity.refresh_fails(stolen["refreshToken"], "TOKEN_EXPIRED")
    identity.fail("accounts:signInWithPassword", {
        "email": EMAIL, "password": "a stranger's"}, "INVALID_LOGIN_CREDENTIALS")
    identity.fail("accounts:update", form | {"oobCode": code_of(link)}, "INVALID_OOB_CODE")
    identity.post("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": EMAIL})
    reset = code_of(outbox_link(server, "resetPassword"))
    identity.post("accounts:resetPassword", {"oobCode": reset, "newPassword": "my own again"})
    pending = identity.post("accounts:signInWithPassword", {"email": EMAIL, "password": "my own again"})
    assert "mfaPendingCredential" in pending
    assert "change_reverted" in server.run("audit", "tail", "--json")
