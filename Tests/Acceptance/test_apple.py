"""Sign in with Apple: the popup and redirect flows with the unmodified web SDK in Chromium, and the tokens of native apps.
`websdk/apple.py` replaces Apple and checks the requests as Apple does."""

import json
import urllib.parse

import jwt
import pytest
import requests

import secrets_seen
from browser import picture
from certificates import tls_options
from identity import HOST
from test_web_sign_in import AUTH, MILLISECONDS, App, contexts, script  # noqa: F401
from waits import WAIT_SECONDS
from websdk import apple as apples

SUB = "000123.abc.0456"


@pytest.fixture
def apple():
    with apples.Apple() as made:
        yield made


@pytest.fixture
def server(serve, tmp_path, apple):
    key = tmp_path / "AuthKey.p8"
    key.write_bytes(apple.private_key)
    settings = tmp_path / "auth.json"
    settings.write_text(json.dumps({
        "publicURL": AUTH, "authorizedDomains": ["app.example.test"],
        "signIn": {"anonymous": True, "oauth": {"allowsPlainHTTP": True, "apple": {
            "clientIDs": [apples.APP], "servicesID": apples.SERVICES, "teamID": apples.TEAM, "keyID": apples.KEY,
            "privateKeyFile": str(key), "issuer": apple.url}}}}))
    return serve(*tls_options(tmp_path), "--auth-config", str(settings))


@pytest.fixture
def app(contexts, script):  # noqa: F811
    return App(contexts(), script, provider="apple.com")


def lookup(server, token):
    answer = requests.post(
        f"{server.url}/{HOST}/v1/accounts:lookup?key=demo-key", json={"idToken": token}, verify=False, timeout=WAIT_SECONDS)
    return answer.json()["users"][0]


def test_signing_in_by_popup_takes_the_name_once(app, apple, server):
    """Apple's response is a cross-site form post, to which browsers add no SameSite cookie; Apple sends the name only once."""
    popup = app.popup("signIn")
    popup.click("button[value=yes]", timeout=MILLISECONDS)
    first = app.result()
    assert first["email"] == "x1@privaterelay.appleid.com" and first["providers"] == ["apple.com"], (first, apple.wrong)
    asked, = apple.asked
    assert asked["response_mode"] == "form_post" and asked["scope"].split() == ["name", "email"], asked
    assert asked["redirect_uri"] == f"{AUTH}/__/auth/handler" and len(asked["nonce"]) == 64
    popup = app.popup("signIn")
    popup.click("button[value=yes]", timeout=MILLISECONDS)
    again = app.result()
    assert again["uid"] == first["uid"]
    # Each request needs a new client secret.
    assert len(set(apple.secrets)) == 2 and not apple.wrong
    name = app.page.evaluate("auth.currentUser.displayName")
    assert name == "Ann Lee"
    for text in apple.secrets:
        secrets_seen.note(text)


def test_cancelling_at_apple_is_reported_to_the_app(app, apple):
    popup = app.popup("signIn")
    popup.wait_for_selector("button[value=no]", timeout=MILLISECONDS)
    picture(popup, "apple-stand-in")
    popup.click("button[value=no]")
    assert app.result()["error"] == "auth/user-cancelled"
    assert not apple.secrets


def test_signing_in_by_redirect(app, apple):
    app.do("signInRedirect")
    app.page.click("button[value=yes]", timeout=MILLISECONDS)
    app.page.wait_for_url(app.url, timeout=MILLISECONDS)
    app.do("redirectResult")
    assert app.result()["email"] == "x1@privaterelay.appleid.com"


def test_native_tokens_need_the_hashed_nonce(server, apple):
    """An app sends the token, the nonce whose digest the token holds, and the name that the system returned."""
    nonce = "N" * 32
    token = apple.native_token(nonce, SUB)
    secrets_seen.note(token)
    user = json.dumps({"name": {"firstName": "Ann", "lastName": "Lee"}})

    def sign_in(**parts):
        body = {"requestUri": "http://localhost", "returnSecureToken": True, "returnIdpCredential": True, "autoCreate": True,
                "postBody": urllib.parse.urlencode({"providerId": "apple.com", **parts})}
        return requests.post(
            f"{server.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion?key=demo-key", json=body,
            verify=False, timeout=WAIT_SECONDS)

    answer = sign_in(id_token=token, nonce=nonce, user=user)
    assert answer.status_code == 200, answer.text
    person = lookup(server, answer.json()["idToken"])
    assert person["displayName"] == "Ann Lee" and person["email"] == "x1@privaterelay.appleid.com"
    for parts in ({"id_token": token}, {"id_token": token, "nonce": "other"}, {"id_token": token[:-9], "nonce": nonce}):
        assert sign_in(**parts).status_code == 400, parts
    assert jwt.decode(token, options={"verify_signature": False})["aud"] == apples.APP
