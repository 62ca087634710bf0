"""The environment of the web SDK tests: a server with every sign-in method, a real OpenID provider, a SAML identity provider, a
browser, an app."""

import contextlib
import json
import pathlib
import time

import pytest
import requests

import secrets_seen
from browser import browser
from certificates import tls_options
from conftest import Server
from guide_examples import blocks
from identity import HOST, totp
from steppable_clock import SteppableClock
from test_provider_configurations import Administrator
from test_web_phones import Phone
from waits import WAIT_SECONDS
from websdk import provider as providers
from websdk import saml, sdk

HERE = pathlib.Path(__file__).parent
MILLISECONDS = WAIT_SECONDS * 1_000
APP, SHOP = "https://app.example.test", "https://shop.elsewhere.test"
AUTH = "https://auth.example.test"
PASSWORD = "correct horse"
SETTINGS = {
    "passwordCost": "small", "publicURL": AUTH, "authorizedDomains": ["app.example.test", "shop.elsewhere.test"],
    "signIn": {
        "anonymous": True, "password": True, "phone": True, "oauth": {"allowsPlainHTTP": True},
        "passkey": {"relyingPartyID": "example.test", "origins": [APP]}},
    "secondFactors": {"totpAdjacentIntervals": 10}, "limits": {"messagesPerNumberPerMinute": 10},
    "phone": {"secondFactor": True, "regions": {"allow": ["DE", "AT"]}, "outbox": {"showsTexts": False}}}


@contextlib.contextmanager
def place_in(folder, script):
    with contextlib.ExitStack() as stack:
        yield SignInEnvironment(folder, script, stack)


class SignInEnvironment:
    def __init__(self, folder, script, stack):
        self.script = script
        self.provider = stack.enter_context(providers.provider())
        self.company = stack.enter_context(saml.identity_provider(folder))
        settings = folder / "auth.json"
        settings.write_text(json.dumps(SETTINGS))
        self.clock = SteppableClock(folder)
        self.server = Server(
            folder / "data", *tls_options(folder), "--auth-config", str(settings), environment=self.clock.environment)
        stack.callback(self.server.kill)
        self.server.start()
        self.server.administrator = self.administrator = Administrator(self.server)
        self.administrator.make_issuer(self.provider)
        self.administrator.make_company(self.company)
        self.phone = Phone(self.server)
        rules = ",".join(
            f"MAP {name}:443 {self.server.authority}" for name in (HOST, "securetoken.googleapis.com", "auth.example.test"))
        self.arguments = [
            f"--host-resolver-rules={rules}", "--disable-features=LocalNetworkAccessChecks", "--ignore-certificate-errors"]
        self.chromium = stack.enter_context(browser(*self.arguments))
        self.contexts = []
        self.switched_off = set()

    def app(self, where=APP, context=None, **settings):
        if context is None:
            context = self.chromium.new_context(ignore_https_errors=True)
            self.contexts.append(context)
        return App(self, context, where, settings)

    def clean(self):
        """Resets the environment after a test."""
        self.clock.set(0)
        for path in set(self.switched_off):
            self.switch(path, True)
        for context in self.contexts:
            context.close()
        self.contexts = []

    def again(self, asked):
        """Repeats a request of the SDK; returns the error code of the refusal."""
        url, body = asked
        path = url.partition(HOST)[2]
        answer = requests.post(
            f"{self.server.url}/{HOST}{path}", data=body, headers={"Content-Type": "application/json"}, verify=False,
            timeout=WAIT_SECONDS)
        assert answer.status_code == 400, answer.text
        return answer.json()["error"]["message"].split(" : ")[0]

    # MARK: Administration

    def users(self, path, body, tenant=None):
        scope = f"/tenants/{tenant}" if tenant else ""
        return self.administrator.ask("POST", path, body, place=f"{HOST}/v1/projects/hearth{scope}")

    def account(self, email, tenant=None):
        """Makes an account with a password and a verified address."""
        return self.users("accounts", {"email": email, "password": PASSWORD, "emailVerified": True}, tenant)["localId"]

    def disable(self, uid, tenant=None, is_disabled=True):
        self.users("accounts:update", {"localId": uid, "disableUser": is_disabled}, tenant)

    def switch(self, path, is_enabled):
        """Switches a provider on or off until the test ends."""
        self.administrator.ask("PATCH", path, {"enabled": is_enabled}, updateMask="enabled")
        self.switched_off = (self.switched_off | {path}) if not is_enabled else self.switched_off - {path}


class App:
    """An app's page in a browser."""

    def __init__(self, place, context, where, settings):
        self.place = place
        page = (HERE / "stories.html").read_text(encoding="utf-8")
        page = page.replace("/*SAMPLE*/", blocks("Passkeys.md", "js")[0]).replace("/*SETTINGS*/", json.dumps({
            "authDomain": "auth.example.test", "server": AUTH, "patience": MILLISECONDS, **settings}))
        frames = (HERE / "frames.js").read_text(encoding="utf-8")
        captcha = (HERE / "captcha.js").read_text(encoding="utf-8")
        for pattern, text in {
            "https://apis.google.com/**": frames, "https://www.google.com/recaptcha/**": captcha,
            f"{where}/sdk.js": place.script,
        }.items():
            context.route(pattern, answer_with(text, "text/javascript"))
        context.route(f"{where}/", answer_with(page, "text/html"))
        self.context = context
        self.page = context.new_page()
        self.page.set_default_timeout(MILLISECONDS)
        self.sent = []
        self.page.on("request", self.note)
        self.url = f"{where}/"
        self.page.goto(self.url)
        self.step = 0

    def note(self, request):
        if request.method == "POST" and HOST in request.url:
            self.sent.append((request.url, request.post_data))

    def last(self, operation):
        """Returns the URL and the body of the SDK's last request."""
        return next((url, body) for url, body in reversed(self.sent) if operation in url)

    # MARK: The app's actions, in JavaScript

    def run(self, work):
        return self.page.evaluate(f"() => told(async () => {work})")

    def begin(self, work):
        self.page.evaluate(f"() => {{ outcome = told(async () => {work}); }}")

    def outcome(self):
        return self.page.evaluate("() => outcome")

    def popup(self, work):
        with self.page.expect_popup() as opened:
            self.begin(work)
        opened.value.set_default_timeout(MILLISECONDS)
        return opened.value

    def redirected(self):
        """Waits until the browser is back on the app's page; returns the result of the sign-in."""
        self.page.wait_for_url(self.url)
        return self.run("getRedirectResult(auth)")

    def sign_in(self, email, password=PASSWORD):
        return self.run(f"firebase.signInWithEmailAndPassword(auth, '{email}', '{password}')")

    def sign_out(self):
        self.page.evaluate("() => firebase.signOut(auth)")

    # MARK: An authenticator app

    def totp(self, secret):
        """Returns a code that was not used before; the first ones are of earlier time steps that the server still accepts."""
        self.step = max(self.step + 30, int(time.time()) + self.place.clock.offset_seconds - 240)
        return totp(secret, self.step)

    def enrol_totp(self):
        secret = self.page.evaluate("() => makeSecret()")
        secrets_seen.note(secret)
        enrolled = self.run(f"enrolTOTP('{self.totp(secret)}')")
        assert enrolled["factors"] == ["totp"], enrolled
        return secret

    def plug(self):
        """Adds a virtual authenticator for passkeys."""
        devtools = self.context.new_cdp_session(self.page)
        devtools.send("WebAuthn.enable")
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True}})


def answer_with(text, content_type):
    return lambda route: route.fulfill(body=text, content_type=content_type)


def refuse(page):
    """Refuses the sign-in on the OpenID provider's page."""
    page.click("button:has-text('Deny')", timeout=MILLISECONDS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    script = sdk.bundle(tmp_path_factory.mktemp("sdk"))
    with place_in(tmp_path_factory.mktemp("place"), script) as made:
        yield made


@pytest.fixture
def place(whole):
    yield whole
    whole.clean()
