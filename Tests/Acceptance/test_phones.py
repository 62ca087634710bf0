"""Codes sent to phones: through a gateway plugin, into the development outbox, and with a captcha."""

import json

import pytest
import requests

import secrets_seen
from conftest import Server
from identity import HOST, Identity, claims
from stand_in_services import SMSGateway
from test_sending_plugins import GATEWAY, TOKEN
from waits import WAIT_SECONDS, until

NUMBER = "+4915112345678"
SETTINGS = {
    "signIn": {"phone": True, "password": True}, "phone": {"secondFactor": True, "regions": {"allow": ["DE", "AT"]}}}


@pytest.fixture
def gateway():
    with SMSGateway() as gateway:
        yield gateway


@pytest.fixture
def phones(serve, gateway, tmp_path):
    """Starts a server with these settings, which sends its messages through the gateway."""
    secrets_seen.note(TOKEN)

    def start(limits=None, **phone):
        settings = tmp_path / "auth.json"
        settings.write_text(json.dumps({
            **SETTINGS, "limits": limits or {}, "phone": {**SETTINGS["phone"], **phone}}), encoding="utf-8")
        server = serve("--auth-config", str(settings))
        token = tmp_path / "token"
        token.write_text(TOKEN, encoding="utf-8")
        server.run("plugins", "add", str(GATEWAY), "--yes")
        server.run("plugins", "settings", "sms-gateway", f"url={gateway.url}", f"token=@{token}")
        assert "running" in server.run("plugins", "enable", "sms-gateway")
        return server

    return start


def messages(gateway, number):
    return [message["text"] for message in gateway.messages if message["to"] == number]


def code(gateway, number, after=0):
    """Returns the code of the first message to a number after the first `after` messages."""
    text = until(lambda: messages(gateway, number)[after:], "no message came")[0]
    assert text.endswith("is your verification code for your app."), text
    return text[:6]


def test_a_number_signs_in_through_the_gateway(phones, gateway):
    server = phones()
    app = Identity(server)
    sent = app.post("accounts:sendVerificationCode", {"phoneNumber": NUMBER})
    right = code(gateway, NUMBER)
    wrong = "000000" if right != "000000" else "000001"
    app.fail("accounts:signInWithPhoneNumber", {"sessionInfo": sent["sessionInfo"], "code": wrong}, "INVALID_CODE")
    # The code is still valid after a restart of the server.
    server.stop()
    server.start()
    body = {"sessionInfo": sent["sessionInfo"], "code": right}
    entered = app.post("accounts:signInWithPhoneNumber", body)
    assert entered["isNewUser"] and entered["phoneNumber"] == NUMBER and entered["expiresIn"] == "3600"
    said = claims(entered["idToken"])
    assert said["phone_number"] == NUMBER and said["firebase"]["sign_in_provider"] == "phone"
    assert said["firebase"]["identities"] == {"phone": [NUMBER]}
    assert app.lookup(entered["idToken"])["providerUserInfo"][0]["providerId"] == "phone"
    app.fail("accounts:signInWithPhoneNumber", body, "INVALID_SESSION_INFO")
    app.fail("accounts:sendVerificationCode", {"phoneNumber": "0151 123"}, "INVALID_PHONE_NUMBER")
    app.fail("accounts:sendVerificationCode", {"phoneNumber": "+12025550100"}, "OPERATION_NOT_ALLOWED")
    assert NUMBER not in server.log() and right not in server.log()


def test_security_69_sms_pumping_is_limited(phones, gateway):
    """Security 69: a client that requests codes without end causes few messages, and so little cost for the operator."""
    app = Identity(phones())
    refusals = []
    for number in range(40):
        url = f"{app.server.url}/{HOST}/v1/accounts:sendVerificationCode?key=k"
        answer = requests.post(url, json={"phoneNumber": f"+49151123456{number:02}"}, timeout=WAIT_SECONDS)
        if answer.status_code != 200:
            refusals.append(answer.json()["error"]["message"].split(" : ")[0])
    assert refusals == ["TOO_MANY_ATTEMPTS_TRY_LATER"] * 30
    until(lambda: len(gateway.messages) == 10, "the ten that were promised did not come")


def test_a_phone_as_second_factor(phones, gateway):
    server = phones(limits={"messagesPerNumberPerMinute": 2})
    app = Identity(server)
    made = app.sign_up("ann@example.com", "secret1")
    token = server.run("token", "mint", "--admin").strip()
    secrets_seen.note(token)
    headers = {"Authorization": f"Bearer {token}"}
    app.post("projects/hearth/accounts:update", {"localId": made["localId"], "emailVerified": True}, headers=headers)
    started = app.post(
        "accounts/mfaEnrollment:start", {"idToken": made["idToken"], "phoneEnrollmentInfo": {"phoneNumber": NUMBER}},
        version="v2")
    app.post("accounts/mfaEnrollment:finalize", {
        "idToken": made["idToken"], "displayName": "mine", "phoneVerificationInfo": {
            "sessionInfo": started["phoneSessionInfo"]["sessionInfo"], "code": code(gateway, NUMBER)}}, version="v2")
    first = app.post("accounts:signInWithPassword", {
        "email": "ann@example.com", "password": "secret1", "returnSecureToken": True})
    assert "idToken" not in first and first["mfaInfo"][0]["phoneInfo"] == "+*********5678"
    pending, factor = first["mfaPendingCredential"], first["mfaInfo"][0]["mfaEnrollmentId"]
    begin = {"mfaPendingCredential": pending, "mfaEnrollmentId": factor, "phoneSignInInfo": {}}
    sent = app.post("accounts/mfaSignIn:start", begin, version="v2")["phoneResponseInfo"]["sessionInfo"]
    # The second message within a minute.
    app.fail("accounts/mfaSignIn:start", begin, "TOO_MANY_ATTEMPTS_TRY_LATER", version="v2")
    right = code(gateway, NUMBER, after=1)
    body = {"mfaPendingCredential": pending, "phoneVerificationInfo": {"sessionInfo": sent, "code": right}}
    wrong = {**body, "phoneVerificationInfo": {"sessionInfo": sent, "code": "000000" if right != "000000" else "000001"}}
    app.fail("accounts/mfaSignIn:finalize", wrong, "INVALID_CODE", version="v2")
    entered = app.post("accounts/mfaSignIn:finalize", body, version="v2")
    said = claims(entered["idToken"])["firebase"]
    assert (said["sign_in_provider"], said["sign_in_second_factor"]) == ("password", "phone")
    assert said["second_factor_identifier"] == factor
    app.fail("accounts/mfaSignIn:finalize", body, "INVALID_MFA_PENDING_CREDENTIAL", version="v2")
    admin = app.post("projects/hearth/accounts:lookup", {"localId": [made["localId"]]}, headers=headers)
    assert admin["users"][0]["mfaInfo"][0]["unobfuscatedPhoneInfo"] == NUMBER


def test_a_captcha_is_required_when_configured(phones, gateway, captcha, tmp_path):
    secret = tmp_path / "captcha"
    secret.write_text("secret-of-the-captcha\n", encoding="utf-8")
    secret.chmod(0o600)
    secrets_seen.note("secret-of-the-captcha")
    server = phones(captcha={
        "service": "hcaptcha", "siteKey": "the-site-key", "secretFile": str(secret), "verifyURL": captcha.url,
        "hostnames": ["app.example.com"]}, testNumbers={"+15555550100": "123456"})
    app = Identity(server)
    url = f"{server.url}/{HOST}/v1/recaptchaParams?key=k"
    assert requests.get(url, timeout=WAIT_SECONDS).json()["recaptchaSiteKey"] == "the-site-key"
    body = {"phoneNumber": NUMBER, "clientType": "CLIENT_TYPE_WEB", "captchaResponse": "NO_RECAPTCHA"}
    app.fail("accounts:sendVerificationCode", body, "MISSING_APP_CREDENTIAL")
    app.fail("accounts:sendVerificationCode", {**body, "recaptchaToken": "bad"}, "CAPTCHA_CHECK_FAILED")
    app.post("accounts:sendVerificationCode", {**body, "recaptchaToken": "good"})
    code(gateway, NUMBER)
    app.fail("accounts:sendVerificationCode", {**body, "recaptchaToken": "good"}, "CAPTCHA_CHECK_FAILED")
    assert captcha.asked[0] == {"secret": "secret-of-the-captcha", "response": "bad"}
    captcha.is_down = True
    answer = requests.post(
        f"{server.url}/{HOST}/v1/accounts:sendVerificationCode?key=k", json={**body, "recaptchaToken": "good-2"},
        timeout=WAIT_SECONDS)
    assert answer.status_code == 503
    # A test number needs neither a captcha nor a message.
    sent = app.post("accounts:sendVerificationCode", {"phoneNumber": "+15555550100"})
    app.post("accounts:signInWithPhoneNumber", {"sessionInfo": sent["sessionInfo"], "code": "123456"})
    assert len(gateway.messages) == 1


def test_development_writes_messages_into_a_folder(serve):
    server = serve(command="dev")
    app = Identity(server)
    sent = app.post("accounts:sendVerificationCode", {"phoneNumber": "+12025550123"})
    written = until(lambda: list((server.data / "outbox").glob("*-code.txt")), "no message was written")[0]
    assert written.stat().st_mode & 0o777 == 0o600
    to, _, text = written.read_text(encoding="utf-8").splitlines()
    assert to == "To: +12025550123"
    entered = app.post("accounts:signInWithPhoneNumber", {"sessionInfo": sent["sessionInfo"], "code": text[:6]})
    assert claims(entered["idToken"])["phone_number"] == "+12025550123"
    assert text in server.output_path.read_text(encoding="utf-8") and text not in server.log_path.read_text(encoding="utf-8")


def test_missing_phone_settings_are_reported_at_the_start(tmp_path, serve):
    settings = tmp_path / "auth.json"
    settings.write_text('{"signIn": {"phone": true}}', encoding="utf-8")
    with pytest.raises(RuntimeError, match="phone.regions: is missing: messages cost money"):
        Server(tmp_path / "data", "--auth-config", str(settings)).start()
    settings.write_text('{"signIn": {"phone": true}, "phone": {"regions": {"allow": ["DE"]}}}', encoding="utf-8")
    app = Identity(serve("--auth-config", str(settings)))
    refused = app.fail("accounts:sendVerificationCode", {"phoneNumber": NUMBER}, "OPERATION_NOT_ALLOWED")
    assert "cannot send text messages" in refused["message"]
