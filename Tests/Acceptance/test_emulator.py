"""`hearth dev --emulator` in place of the official Auth emulator: the calls of app test suites, unchanged."""

import base64
import concurrent.futures
import json

import firebase_admin
import pytest
import requests
from firebase_admin import auth, credentials, db

from client import Client
from identity import HOST, Identity, claims
from waits import WAIT_SECONDS

RULES = '{"rules": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}}}'
PROJECTS = ("demo-one", "demo-two")


@pytest.fixture
def emulator(serve, monkeypatch):
    server = serve("--emulator", "--project", PROJECTS[0], command="dev", rules=RULES)
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", server.authority)
    monkeypatch.setenv("FIREBASE_DATABASE_EMULATOR_HOST", server.authority)
    return server


@pytest.fixture
def apps(emulator, request):
    apps = [
        firebase_admin.initialize_app(
            credentials.ApplicationDefault(), {"projectId": project, "databaseURL": f"{emulator.url}?ns={project}"},
            name=f"{request.node.name}-{project}")
        for project in PROJECTS]
    yield apps
    for app in apps:
        firebase_admin.delete_app(app)


def look(server, route, project=PROJECTS[0], method="GET", body=None):
    answer = requests.request(
        method, f"{server.url}/emulator/v1/projects/{project}/{route}", json=body, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_two_projects_of_the_admin_sdk(emulator, apps):
    for app, project in zip(apps, PROJECTS):
        user = auth.create_user(app=app, uid="ann", email="ann@example.com", password="secret1", display_name=project)
        assert user.display_name == project
        auth.set_custom_user_claims("ann", {"of": project}, app=app)
    for app, project in zip(apps, PROJECTS):
        assert auth.get_user_by_email("ann@example.com", app=app).display_name == project
        assert [user.uid for user in auth.list_users(app=app).iterate_all()] == ["ann"]
        # Signs a user in as a server does: with the server's own credential, and the project in the request.
        tokens = requests.post(
            f"{emulator.url}/{HOST}/v1/accounts:signInWithCustomToken",
            json={"token": auth.create_custom_token("ann", app=app).decode(), "targetProjectId": project},
            headers={"Authorization": "Bearer owner"}, timeout=WAIT_SECONDS).json()
        content = auth.verify_id_token(tokens["idToken"], app=app, check_revoked=True, clock_skew_seconds=5)
        assert (content["aud"], content["uid"], content["of"]) == (project, "ann", project)
        cookie = auth.create_session_cookie(tokens["idToken"], 600, app=app)
        assert auth.verify_session_cookie(cookie, app=app, clock_skew_seconds=5)["of"] == project
        # The Realtime Database accepts the project's tokens, over REST and over the socket.
        place = f"{emulator.url}/ann/x.json?ns={project}&auth={tokens['idToken']}"
        assert requests.put(place, data='"mine"', timeout=WAIT_SECONDS).status_code == 200
        client = Client(emulator, ns=project)
        client.call("auth", cred=tokens["idToken"])
        client.close()
        assert db.reference("ann/x", app=app).get() == "mine"
        assert Identity(emulator).refresh(tokens["refreshToken"])["user_id"] == "ann"
    auth.update_user("ann", app=apps[1], disabled=True)
    assert not auth.get_user("ann", app=apps[0]).disabled
    look(emulator, "accounts", PROJECTS[1], "DELETE")
    assert auth.get_user("ann", app=apps[0]).display_name == PROJECTS[0]
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user("ann", app=apps[1])
    with pytest.raises(auth.InvalidIdTokenError):
        auth.verify_id_token(tokens["idToken"], app=apps[0])


def test_emulator_tokens_are_unsigned_in_the_form_of_the_node_sdk(emulator):
    signed_in = Identity(emulator).sign_up("ann@example.com", "secret1")
    head, payload, signature = signed_in["idToken"].split(".")
    assert json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["alg"] == "none" and signature == ""
    # The server still checks that it issued the token: with other claims it is refused.
    other = json.dumps(claims(signed_in["idToken"]) | {"user_id": "x", "sub": "x"}).encode()
    forged = f"{head}.{base64.urlsafe_b64encode(other).decode().rstrip('=')}."
    Identity(emulator).fail("accounts:lookup", {"idToken": forged}, "INVALID_ID_TOKEN")


def test_the_calls_of_the_web_sdk(emulator):
    """Calls signInWithCredential, sendPasswordResetEmail and confirmPasswordReset, and what test suites call around them."""
    app = Identity(emulator)
    token = json.dumps({"sub": "abc123", "email": "foo@example.com", "email_verified": True, "name": "Foo"})
    body = {
        "requestUri": "http://localhost", "returnSecureToken": True, "returnIdpCredential": True,
        "postBody": requests.models.RequestEncodingMixin._encode_params(
            {"id_token": token, "providerId": "google.com"})}
    first = app.post("accounts:signInWithIdp", body)
    assert first["isNewUser"] and first["email"] == "foo@example.com" and first["displayName"] == "Foo"
    assert first["federatedId"] == "https://accounts.google.com/abc123" and first["oauthAccessToken"]
    assert claims(first["idToken"])["firebase"]["sign_in_provider"] == "google.com"
    assert not app.post("accounts:signInWithIdp", body)["isNewUser"]
    user = app.lookup(first["idToken"])
    assert user["providerUserInfo"][0]["rawId"] == "abc123"

    app.sign_up("bar@example.com", "old-pass")
    app.post("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": "bar@example.com"})
    app.post("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": "bar@example.com"})
    codes = look(emulator, "oobCodes")["oobCodes"]
    assert [code["requestType"] for code in codes] == ["PASSWORD_RESET"] * 2
    assert codes[-1]["email"] == "bar@example.com" and codes[-1]["oobLink"].startswith(emulator.url)
    app.post("accounts:resetPassword", {"oobCode": codes[-1]["oobCode"], "newPassword": "new-pass"})
    app.sign_in("bar@example.com", "new-pass")
    app.fail("accounts:signInWithPassword", {"email": "bar@example.com", "password": "old-pass"}, "INVALID_PASSWORD")
    app.fail("accounts:signInWithPassword", {"email": "no@example.com", "password": "x"}, "EMAIL_NOT_FOUND")

    app.post("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": app.sign_in(
        "bar@example.com", "new-pass")["idToken"]})
    link = look(emulator, "oobCodes")["oobCodes"][-1]["oobLink"]
    assert requests.get(link, timeout=WAIT_SECONDS).json()["authEmulator"]["email"] == "bar@example.com"
    assert app.lookup(app.sign_in("bar@example.com", "new-pass")["idToken"])["emailVerified"]

    sent = app.post("accounts:sendVerificationCode", {"phoneNumber": "+15555550100", "recaptchaToken": "x"})
    shown = look(emulator, "verificationCodes")["verificationCodes"][-1]
    assert shown["sessionInfo"] == sent["sessionInfo"] and shown["phoneNumber"] == "+15555550100"
    entered = app.post("accounts:signInWithPhoneNumber", {"sessionInfo": sent["sessionInfo"], "code": shown["code"]})
    assert entered["isNewUser"] and claims(entered["idToken"])["phone_number"] == "+15555550100"

    assert look(emulator, "config", method="PATCH", body={
        "emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})["emailPrivacyConfig"] == {
            "enableImprovedEmailPrivacy": True}
    app.fail(
        "accounts:signInWithPassword", {"email": "no@example.com", "password": "x"}, "INVALID_LOGIN_CREDENTIALS")

    assert look(emulator, "accounts", method="DELETE") == {}
    app.fail("accounts:lookup", {"idToken": first["idToken"]}, "USER_NOT_FOUND")
    assert look(emulator, "oobCodes") == {"oobCodes": []}
    assert look(emulator, "verificationCodes") == {"verificationCodes": []}
    assert app.sign_up("bar@example.com", "old-pass")["localId"]
    assert requests.get(emulator.url, timeout=WAIT_SECONDS).json()["authEmulator"]["ready"] is True


def test_a_hundred_sign_ups_at_once(emulator):
    app = Identity(emulator)
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        made = list(pool.map(lambda number: app.sign_up(f"user{number}@example.com", "secret1"), range(100)))
    assert len({user["localId"] for user in made}) == 100
    for number in range(60):
        app.fail(
            "accounts:signInWithPassword", {"email": "user7@example.com", "password": f"no-{number}"},
            "INVALID_PASSWORD")
    app.sign_in("user7@example.com", "secret1")


def test_further_projects_last_as_long_as_the_server(emulator, apps):
    emulator.keep_port()
    for app in apps:
        auth.create_user(app=app, uid="ann")
    emulator.stop()
    emulator.start()
    assert auth.get_user("ann", app=apps[0]).uid == "ann"
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user("ann", app=apps[1])


@pytest.mark.parametrize("command", ["dev", "serve"])
def test_without_the_flag_emulator_requests_are_refused(serve, command):
    server = serve("--sign-in", "password,custom-token", command=command, rules=RULES)
    app = Identity(server)
    app.sign_up("ann@example.com", "secret1")
    for method, route in (
            ("DELETE", "accounts"), ("GET", "oobCodes"), ("GET", "verificationCodes"), ("GET", "config"),
            ("PATCH", "config")):
        answer = requests.request(
            method, f"{server.url}/emulator/v1/projects/hearth/{route}", json={}, timeout=WAIT_SECONDS)
        assert answer.status_code == 404, (method, route, answer.text)
    form = "id_token=%7B%22sub%22%3A%221%22%7D&providerId=google.com"
    app.fail("accounts:signInWithIdp", {"requestUri": "http://localhost", "postBody": form}, "OPERATION_NOT_ALLOWED")
    app.fail("accounts:signInWithCustomToken", {"token": '{"uid":"x"}'}, "INVALID_CUSTOM_TOKEN")
    app.fail("accounts:sendVerificationCode", {"phoneNumber": "+15555550100"}, "OPERATION_NOT_ALLOWED")
    app.fail(
        "accounts:signInWithPassword", {"email": "no@example.com", "password": "wrong-pass"},
        "INVALID_LOGIN_CREDENTIALS")
    assert "authEmulator" not in requests.get(server.url, timeout=WAIT_SECONDS).json()
    secret = server.run("token", "mint", "--admin").strip()
    answer = requests.post(
        f"{server.url}/{HOST}/v1/projects/demo-two/accounts:lookup", json={"localId": ["x"]},
        headers={"Authorization": f"Bearer {secret}"}, timeout=WAIT_SECONDS)
    assert answer.json()["error"]["message"].startswith("CONFIGURATION_NOT_FOUND")
