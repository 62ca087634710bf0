"""Operations that are refused to service accounts, database secrets and console sessions, on a running server; and the end of
sessions."""

import json
import time

import pytest
import requests
from google.auth import crypt, jwt

import secrets_seen
from console_client import API, CLOSED, Session, ask, link, start_link
from identity import Identity
from steppable_clock import SteppableClock
from waits import WAIT_SECONDS

JSON = {"Content-Type": "application/json"}
SCOPES = "https://www.googleapis.com/auth/"
ACCOUNTS = "/identitytoolkit.googleapis.com/v1/projects/hearth/accounts"
OPERATORS = [
    ("POST", "/.settings/console.json", {}), ("POST", "/.settings/console.json", {"readOnly": True}),
    ("POST", "/.settings/erasures.json", {"uid": "ann", "places": [{"database": "default", "path": "/rooms"}]}),
    ("POST", "/.settings/erasures.json", {"number": "1a"}), ("POST", "/hearth/v1/serviceAccounts:create", {"name": "mine"}),
    ("POST", "/hearth/v1/secrets:rotate", {}), ("POST", "/hearth/v1/keys:rotate", {"kind": "id-token"}),
    ("POST", "/hearth/v1/trust:set", {"issuers": []}), ("POST", "/hearth/v1/users:export", {}), ("POST", "/hearth/v1/audit:tail", {})]


def service_account(server, name="ci"):
    made = json.loads(server.run("service-account", "create", name))
    signer = crypt.RSASigner.from_service_account_info(made)

    def token(scope):
        now = int(time.time())
        assertion = jwt.encode(signer, {
            "iss": made["client_email"], "aud": made["token_uri"], "iat": now, "exp": now + 3600, "scope": SCOPES + scope,
            "jti": f"{scope} {time.time_ns()}"})
        answer = requests.post(
            f"{server.url}/oauth2.googleapis.com/token", timeout=WAIT_SECONDS,
            data={"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion})
        secrets_seen.note(answer.json()["access_token"])
        return answer.json()["access_token"]

    return token


def send(server, token, method, path, body=None):
    return requests.request(
        method, server.url + path, headers={"Authorization": f"Bearer {token}"}, json=body, timeout=WAIT_SECONDS)


@pytest.fixture
def server(serve):
    return serve("--console-claim", "console", "--sign-in", "password,custom-token", rules=CLOSED)


@pytest.mark.parametrize("scope", ["identitytoolkit", "firebase.database", "cloud-platform"])
def test_a_service_account_is_refused_operator_requests(server, scope):
    """Security 92: with any scope."""
    server.run("db", "set", "/rooms/lobby", '"hello"')
    server.run("users", "create", "--uid", "ann")
    secrets, token = server.run("secrets", "list"), service_account(server)(scope)
    for method, path, body in OPERATORS:
        answer = send(server, token, method, path, body)
        assert answer.status_code in (401, 403), (path, answer.status_code, answer.text)
        assert "link" not in answer.text and "number" not in answer.text
    # Requests within its scopes are allowed as before.
    opens = scope != "identitytoolkit", scope != "firebase.database"
    assert (send(server, token, "GET", "/rooms/lobby.json").status_code == 200) == opens[0]
    assert (send(server, token, "PUT", "/.settings/rules.json", json.loads(CLOSED)).status_code == 200) == opens[0]
    assert (send(server, token, "POST", f"{ACCOUNTS}:lookup", {"localId": ["ann"]}).status_code == 200) == opens[1]
    assert server.run("secrets", "list") == secrets and "ann" in server.run("users", "list")
    assert server.run("db", "get", "/rooms/lobby") == '"hello"\n'


def test_a_database_secret_is_refused_operator_requests(server):
    secret = server.secret()
    for method, path, body in OPERATORS:
        assert send(server, secret, method, path, body).status_code == 401, path
        assert requests.request(
            method, server.url + path, params={"auth": secret}, json=body, timeout=WAIT_SECONDS).status_code == 401, path
    assert send(server, secret, "GET", "/.settings/rules.json").status_code == 200


def test_a_service_account_cannot_grant_the_console_claim(server):
    app, token = Identity(server), service_account(server)("identitytoolkit")
    ada, eve = (app.sign_up(f"{name}@example.com", "secret1")["localId"] for name in ("ada", "eve"))
    server.run("users", "set-claims", ada, '{"console":true}')
    claim = json.dumps({"console": True})
    for path, body in [
        (":update", {"localId": eve, "customAttributes": claim}), (":update", {"localId": ada, "password": "stolen-9"}),
        (":update", {"localId": ada, "email": "eve2@example.com"}), (":update", {"localId": ada, "customAttributes": "{}"}),
        (":sendOobCode", {"requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": True}),
        (":delete", {"localId": ada}), (":batchDelete", {"localIds": [ada], "force": True}),
        (":sendOobCode", {
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "ada@example.com", "newEmail": "eve3@example.com"}),
    ]:
        answer = send(server, token, "POST", ACCOUNTS + path, body)
        assert answer.status_code in (400, 403) and "INSUFFICIENT_PERMISSION" in answer.text, (path, body, answer.text)
    users = [{"localId": "mal", "customAttributes": claim}, {"localId": ada, "email": "mal@example.com"}]
    answer = send(server, token, "POST", f"{ACCOUNTS}:batchCreate", {"users": users, "allowOverwrite": True}).json()
    assert [each["index"] for each in answer["error"]] == [0, 1], answer
    # A service account may change other claims and other accounts.
    assert send(server, token, "POST", f"{ACCOUNTS}:update", {
        "localId": eve, "customAttributes": '{"staff":true}', "password": "secret-9"}).status_code == 200
    # Nor does a custom token grant it, which a service account may sign for any user.
    signed_in = app.custom(server.run("token", "mint", "--uid", ada).strip())
    answer = ask(server.authority, "POST", API + "session", {"idToken": signed_in["idToken"]}, JSON)
    assert answer.status == 403, answer.body
    Session(server.authority, idToken=app.sign_in("ada@example.com", "secret1")["idToken"])


def test_domains_and_factors_are_the_operators_where_accounts_open_the_console(server):
    """A page on such a domain receives the codes and identities with which an account signs in."""
    path = "/identitytoolkit.googleapis.com/v2/projects/hearth/config?updateMask="
    token = service_account(server)("identitytoolkit")
    for mask, body in [
        ("authorizedDomains", {"authorizedDomains": ["evil.example"]}), ("mfa.state", {"mfa": {"state": "DISABLED"}}),
    ]:
        answer = send(server, token, "PATCH", path + mask, body)
        assert answer.status_code in (400, 403) and "INSUFFICIENT_PERMISSION" in answer.text, answer.text
    body = {"client": {"permissions": {"disabledUserSignup": True}}}
    assert send(server, token, "PATCH", path + "client.permissions.disabledUserSignup", body).status_code == 200


def test_triggers_about_users_need_the_permission_for_accounts(server):
    """The events contain the whole account."""
    triggers = "/.settings/triggers"
    trigger = {"name": "made", "user": "created", "url": "http://127.0.0.1:9/", "form": "webhook"}
    writes = {"name": "wrote", "path": "/rooms/{room}", "on": "create", "url": "http://127.0.0.1:9/", "form": "webhook"}
    accounts = service_account(server)
    secret, both = server.secret(), accounts("cloud-platform")
    for token in (secret, accounts("firebase.database")):
        assert send(server, token, "POST", triggers + ".json", trigger).status_code == 401
    assert send(server, both, "POST", triggers + ".json", trigger).status_code == 200
    assert send(server, both, "POST", triggers + ".json", writes).status_code == 200
    shown = send(server, secret, "GET", triggers + ".json").json()["triggers"]
    assert [each["name"] for each in shown] == ["wrote"]
    for method, path in [
        ("GET", "/made.json"), ("DELETE", "/made.json"), ("GET", "/made/dead.json"), ("DELETE", "/made/dead.json"),
        ("POST", "/made/replay.json"),
    ]:
        assert send(server, secret, method, triggers + path, {} if method == "POST" else None).status_code == 401, path
    assert send(server, both, "GET", triggers + "/made.json").status_code == 200


def test_credentials_that_a_service_account_adds_open_no_console_session(serve, tmp_path):
    """The service account can neither open a console session nor change an account's credentials to do so."""
    settings = tmp_path / "accounts.json"
    settings.write_text(json.dumps({
        "signIn": {"password": True, "customToken": True, "phone": True}, "phone": {"regions": {"allow": ["DE"]}}}),
        encoding="utf-8")
    server = serve("--console-claim", "console", "--auth-config", str(settings), rules=CLOSED)
    number, code = "+12025550143", "424242"
    app, token = Identity(server), service_account(server)("identitytoolkit")
    ada = app.sign_up("ada@example.com", "secret1")["localId"]
    operator = (server.data / "keys" / "admin-token").read_text(encoding="utf-8").strip()
    assert send(server, operator, "POST", f"{ACCOUNTS}:update", {"localId": ada, "phoneNumber": number}).status_code == 200
    server.run("users", "set-claims", ada, '{"console":true}')
    settings = {"signIn": {"phoneNumber": {"enabled": True, "testPhoneNumbers": {number: code}}}}
    assert send(
        server, token, "PATCH", "/identitytoolkit.googleapis.com/v2/projects/hearth/config?updateMask="
        "signIn.phoneNumber.enabled,signIn.phoneNumber.testPhoneNumbers", settings).status_code == 200
    sent = app.post("accounts:sendVerificationCode", {"phoneNumber": number})
    by_phone = app.post("accounts:signInWithPhoneNumber", {"sessionInfo": sent["sessionInfo"], "code": code})
    by_token = app.custom(server.run("token", "mint", "--uid", ada).strip())
    for entered in (by_phone, by_token):
        answer = ask(server.authority, "POST", API + "session", {"idToken": entered["idToken"]}, JSON)
        assert answer.status == 403, answer.body
        for path, body in [
            ("accounts:update", {"password": "stolen-pass-9"}), ("accounts:update", {"deleteProvider": ["password"]}),
            ("accounts:delete", {}),
        ]:
            app.fail(path, {"idToken": entered["idToken"], **body}, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    entered = app.sign_in("ada@example.com", "secret1")
    Session(server.authority, idToken=entered["idToken"])
    assert app.post("accounts:update", {"idToken": entered["idToken"], "password": "secret-2"})["localId"] == ada


def test_a_session_and_its_socket_end_with_the_claim(server):
    """Security 93: an open session and its socket end at once."""
    app = Identity(server)
    ada = app.sign_up("ada@example.com", "secret1")["localId"]
    server.run("users", "set-claims", ada, '{"console":true}')
    session = Session(server.authority, idToken=app.sign_in("ada@example.com", "secret1")["idToken"])
    live = session.socket(server)
    server.run("users", "set-claims", ada, '{"staff":true}')
    began = time.monotonic()
    assert live.receive()["d"]["a"] == "ac", "the socket is signed out, though nothing is asked of the console"
    assert time.monotonic() - began < 3
    assert session.ask("GET", "session").status == 401


def test_credentials_made_in_a_stale_session_do_not_prove_presence(serve, tmp_path):
    clock = SteppableClock(tmp_path, "CLOCK_MONOTONIC")
    server = serve(
        "--console-claim", "console", "--sign-in", "password", rules=CLOSED, environment=clock.environment)
    app = Identity(server)
    eve = app.sign_up("eve@example.com", "secret1")["localId"]
    session = Session(*start_link(server))
    clock.set(1000)
    claim = json.dumps({"console": True})
    for path, body in [
        ("accounts:update", {"localId": eve, "customAttributes": claim}), ("accounts:update", {"localId": eve, "password": "x-secret"}),
        ("accounts:update", {"localId": eve, "disableUser": False}), ("accounts:update", {"localId": eve, "email": "b@example.com"}),
        ("accounts", {"email": "mal@example.com", "password": "secret-9"}),
        ("accounts:batchCreate", {"users": [{"localId": "mal", "customAttributes": claim}]}),
        ("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": "eve@example.com", "returnOobLink": True}),
        ("tenants", {"displayName": "acme"}), (".settings/plugins.json", {}),
    ]:
        assert session.ask("POST", "server/" + path, body).status == 428, (path, body)
    assert session.ask("POST", "server/accounts:update", {"localId": eve, "displayName": "Eve"}).status == 200
    # A sign-in by an account with the console claim does not prove presence when its credentials may have been added in the stale
    # session. A new link does.
    server.run("users", "set-claims", eve, claim)
    shown = {"idToken": app.sign_in("eve@example.com", "secret1")["idToken"]}
    assert session.ask("POST", "session/presence", shown).status == 403
    assert session.ask("POST", "session/presence", {"key": link(server.run("console"))[1]}).status == 200
    assert session.ask("POST", "server/accounts", {"localId": "new"}).status == 200
    # The account's own session proves presence by a sign-in of the account.
    own = Session(server.authority, idToken=shown["idToken"])
    clock.set(2000)
    assert own.ask("POST", "server/accounts:delete", {"localId": "new"}).status == 428
    fresh = {"idToken": app.sign_in("eve@example.com", "secret1")["idToken"]}
    assert own.ask("POST", "session/presence", fresh).status == 200
    assert own.ask("POST", "server/accounts:delete", {"localId": "new"}).status == 200
