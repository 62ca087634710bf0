"""firebase-functions behind the functions framework, both unmodified, decide which accounts are created and who may sign in."""

import json

import certifi
import pytest
import requests
from blocking import KEY_HOST, Function, Tunnel
from certificates import Authority
from identity import HOST, Identity, claims
from stand_in_server import StandInServer
from waits import WAIT_SECONDS

PASSWORD = "correct horse battery"
PROJECT = "demo-blocking"


@pytest.fixture
def app(serve, tmp_path, monkeypatch):
    """A server with TLS for the keys' host, and both functions, which verify the server's tokens."""
    authority = Authority(tmp_path / "authority")
    certificate, key = authority.issue("server", [f"DNS:{KEY_HOST}", "DNS:localhost", "IP:127.0.0.1"])
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.certificate))
    server = serve("--tls-cert", str(certificate), "--tls-key", str(key), "--project", PROJECT,
                   "--sign-in", "password,anonymous,custom-token", command="dev", rules='{"rules":{}}')
    tunnel = Tunnel(server.port)
    bundle = tmp_path / "bundle.pem"
    bundle.write_text(authority.certificate.read_text() + open(certifi.where()).read())
    environment = {"HTTPS_PROXY": tunnel.url, "REQUESTS_CA_BUNDLE": str(bundle)}
    functions = [
        Function(target, PROJECT, tmp_path / f"{target}.log", environment) for target in ("created", "signed_in")]
    try:
        for function, moment in zip(functions, ("before-create", "before-sign-in")):
            server.run("functions", "set", moment, function.ready().url)
        server.tunnel, server.functions = tunnel, functions
        yield server
    finally:
        for function in functions:
            function.stop()
        tunnel.close()


def test_functions_change_refuse_and_disable_accounts(app):
    identity = Identity(app)
    new = identity.sign_up("ann@example.com", PASSWORD)
    assert app.tunnel.count >= 2, "both functions fetched the server's certificates"
    said = claims(new["idToken"])
    assert said["name"] == "new password" and said["picture"] == "https://example.com/p.png" and said["email_verified"]
    assert said["role"] == "member" and said["address"] == "127.0.0.1"
    # beforeSignIn received the changes of beforeCreate before the account was stored.
    assert said["seen"] == {"claims": {"role": "member", "address": "127.0.0.1"}, "name": "new password"}
    assert claims(identity.refresh(new["refreshToken"])["id_token"])["seen"] == said["seen"]
    user = identity.lookup(new["idToken"])
    assert user["displayName"] == "new password" and json.loads(user["customAttributes"])["role"] == "member"

    refused = identity.fail(
        "accounts:signUp", {"email": "refused@example.com", "password": PASSWORD}, "BLOCKING_FUNCTION_ERROR_RESPONSE")
    # Client libraries show the text between the first two separators.
    shown = refused["message"].split(" : ")
    assert len(shown) == 2 and shown[1].startswith("HTTP Cloud Function returned an error: "), refused
    error = json.loads(shown[1].removeprefix("HTTP Cloud Function returned an error: "))["error"]
    assert error == {"status": "PERMISSION_DENIED", "message": "no: evil"}
    for function in app.functions:
        assert str(function.port) not in refused["message"]

    # The second function refused the account: nothing is stored, and the address can be used again.
    late = {"email": "late@example.com", "password": PASSWORD}
    identity.fail("accounts:signUp", late, "BLOCKING_FUNCTION_ERROR_RESPONSE")
    identity.fail("accounts:signUp", late, "BLOCKING_FUNCTION_ERROR_RESPONSE")
    assert "late@" not in app.run("users", "list")

    identity.fail("accounts:signUp", {"email": "shut@example.com", "password": PASSWORD}, "USER_DISABLED")
    assert json.loads(app.run("users", "show", "shut@example.com", "--json"))["disabled"] is True

    plain = claims(identity.sign_up("plain@example.com", PASSWORD)["idToken"])
    assert "name" not in plain and "role" not in plain and plain["seen"] == {"claims": {}, "name": None}


def test_functions_are_not_called_for_administrators_anonymous_users_and_custom_tokens(app):
    identity = Identity(app)
    headers = {"Authorization": "Bearer " + app.run("token", "mint", "--admin").strip()}
    answer = requests.post(
        f"{app.url}/{HOST}/v1/projects/{PROJECT}/accounts", json={"email": "refused@example.com", "password": PASSWORD},
        headers=headers, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    anonymous = claims(identity.sign_up()["idToken"])
    assert "seen" not in anonymous
    assert "seen" not in claims(identity.custom(app.run("token", "mint", "--uid", "bob").strip())["idToken"])
    # The functions are called when the administrator's user signs in.
    assert claims(identity.sign_in("refused@example.com", PASSWORD)["idToken"])["seen"]["name"] is None


def test_an_unreachable_function_refuses_the_sign_in(app):
    identity = Identity(app)
    identity.sign_up("ann@example.com", PASSWORD)
    app.functions[1].stop()
    body = {"email": "ann@example.com", "password": PASSWORD}
    error = identity.fail("accounts:signInWithPassword", body, "BLOCKING_FUNCTION_ERROR_RESPONSE", status=503)
    assert error["message"].endswith("Cloud function could not be reached.")
    app.run("functions", "set", "before-sign-in", app.functions[1].url, "--on-unreachable", "allow")
    identity.sign_in("ann@example.com", PASSWORD)
    identity.fail("accounts:signUp", {"email": "refused@example.com", "password": PASSWORD},
                  "BLOCKING_FUNCTION_ERROR_RESPONSE")
    app.run("functions", "clear", "before-create")
    identity.sign_up("refused@example.com", PASSWORD)
    shown = json.loads(app.run("functions", "list", "--json"))
    assert list(shown["triggers"]) == ["beforeSignIn"]


def test_a_function_of_an_emulator_accepts_unsigned_requests(serve, tmp_path):
    """Registers the functions as firebase-tools does, with functions that run in the emulator's environment."""
    server = serve("--emulator", "--project", PROJECT, command="dev")
    function = Function(
        "created", PROJECT, tmp_path / "created.log", {"FIREBASE_AUTH_EMULATOR_HOST": server.authority})
    try:
        config = f"{server.url}/{HOST}/v2/projects/{PROJECT}/config"
        body = {"blockingFunctions": {
            "triggers": {"beforeCreate": {"functionUri": function.ready().url}}, "forwardInboundCredentials": {}}}
        answer = requests.patch(
            config, params={"updateMask": "blockingFunctions"}, json=body, headers={"Authorization": "Bearer owner"},
            timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text
        identity = Identity(server)
        assert claims(identity.sign_up("ann@example.com", PASSWORD)["idToken"])["role"] == "member"
        identity.fail("accounts:signUp", {"email": "refused@example.com", "password": PASSWORD},
                      "BLOCKING_FUNCTION_ERROR_RESPONSE")
        wrong = requests.patch(
            config, params={"updateMask": "blockingFunctions"},
            json={"blockingFunctions": {"triggers": {"beforeLunch": {"functionUri": function.url}}}},
            headers={"Authorization": "Bearer owner"}, timeout=WAIT_SECONDS)
        assert wrong.status_code == 400 and "INVALID_BLOCKING_FUNCTION : " in wrong.text
    finally:
        function.stop()


def test_a_function_refuses_requests_that_the_server_did_not_sign(app):
    """Without the server's signature the function answers the same request with status 500."""
    answer = requests.post(app.functions[0].url, json={"data": {"jwt": "e30.e30."}}, timeout=WAIT_SECONDS)
    assert answer.status_code == 500
    app.run("functions", "set", "before-create", app.functions[0].url, "--signing", "none")
    Identity(app).fail("accounts:signUp", {"email": "ann@example.com", "password": PASSWORD},
                       "BLOCKING_FUNCTION_ERROR_RESPONSE")
    assert "ann@" not in app.run("users", "list")


def test_a_function_at_a_private_address_needs_allow_private(app, tmp_path):
    """A URL that an administrator's token registers must not make the server call addresses of its internal network."""
    identity = Identity(app)
    address = "127.0.0.2"
    with LocalReceiver(address) as inside:
        url = f"http://{address}:{inside.port}/latest/meta-data"
        body = {"email": "ann@example.com", "password": PASSWORD}
        for more in ([], ["--on-unreachable", "allow"]):
            moment = "before-sign-in" if more else "before-create"
            app.run("functions", "clear", "--all")
            app.run("functions", "set", moment, url, *more)
            refused = identity.fail("accounts:signUp", body, "BLOCKING_FUNCTION_ERROR_RESPONSE")
            assert refused["message"].endswith("does not send requests to the function's address. See allowsPrivate."), refused
            assert address not in refused["message"]
        assert inside.asked == 0
        app.run("functions", "clear", "--all")
        app.run("functions", "set", "before-create", url, "--allow-private")
        assert identity.sign_up("ann@example.com", PASSWORD)["idToken"]
        assert inside.asked == 1


class LocalReceiver(StandInServer):
    """A service on the internal network that answers every request."""

    def __init__(self, address):
        self.asked = 0
        super().__init__(address)

    def respond(self, request):
        self.asked += 1
        request.body()
        request.reply({})
