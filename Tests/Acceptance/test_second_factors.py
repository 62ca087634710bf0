"""Second factors that are required, recovery codes, and the way back from a factor that somebody else added."""

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
    """Enrols an authenticator; its secret, and what the enrolment answered."""
    info = identity.post(
        "accounts/mfaEnrollment:start", {"idToken": id_token, "totpEnrollmentInfo": {}}, version="v2")["totpSessionInfo"]
    secret = info["sharedSecretKey"]
    answer = identity.post("accounts/mfaEnrollment:finalize", {
        "idToken": id_token, **more,
        "totpVerificationInfo": {"sessionInfo": info["sessionInfo"], "verificationCode": totp(secret, time.time())},
    }, version="v2")
    return secret, answer


def second(identity, code, **options):
    """A sign-in with the password, and that code as its second step."""
    pending = identity.post("accounts:signInWithPassword", {"email": EMAIL, "password": PASSWORD})
    return identity.post("accounts/mfaSignIn:finalize", {
        "mfaPendingCredential": pending["mfaPendingCredential"],
        "mfaEnrollmentId": pending["mfaInfo"][0]["mfaEnrollmentId"],
        "totpVerificationInfo": {"verificationCode": code}}, version="v2", **options)


def test_recovery_codes_stand_once_for_the_factor(server):
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


def test_a_factor_that_somebody_else_added_is_taken_away_by_mail(server):
    identity = Identity(server)
    made = verified(server, identity)
    enrol(identity, made["idToken"])
    link = outbox_link(server, "revertSecondFactorAddition")
    page = requests.get(link, timeout=WAIT_SECONDS)
    assert page.status_code == 200 and "Take it away" in page.text
    told = identity.post("accounts:resetPassword", {"oobCode": code_of(link)})
    assert told["requestType"] == "REVERT_SECOND_FACTOR_ADDITION" and told["mfaInfo"]["totpInfo"] == {}
    identity.post("accounts:update", {"oobCode": code_of(link)})
    assert "mfaInfo" not in identity.lookup(identity.sign_in(EMAIL, PASSWORD)["idToken"])
    identity.fail("accounts:update", {"oobCode": code_of(link)}, "INVALID_OOB_CODE")


def test_where_one_is_required_a_sign_in_without_opens_nothing_else(server, request):
    """Security 75: rules see nobody, the database's socket stays up, and an admin SDK refuses the token."""
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
