"""`signInWithPopup` and `signInWithRedirect` of the unmodified web SDK, in Chromium, with a real OpenID provider.

Google's frame library is not available on every machine: `websdk/frames.js` replaces it."""

import json
import pathlib
import urllib.parse

import pytest
import requests

from browser import browser, picture
from certificates import tls_options
from conftest import Server
from identity import HOST
from waits import WAIT_SECONDS
from websdk import provider as providers
from websdk import sdk

HERE = pathlib.Path(__file__).parent / "websdk"
MILLISECONDS = WAIT_SECONDS * 1_000
APP = "https://app.example.test"
AUTH = "https://auth.example.test"
ELSEWHERE = "https://evil.example"
PROVIDER = "oidc.corp"


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    return sdk.bundle(tmp_path_factory.mktemp("sdk"))


@pytest.fixture
def provider():
    with providers.provider() as made:
        yield made


@pytest.fixture
def server(tmp_path, provider):
    (tmp_path / "secret").write_text(providers.CLIENT[1] + "\n")
    settings = tmp_path / "auth.json"
    settings.write_text(json.dumps({
        "publicURL": AUTH, "authorizedDomains": ["app.example.test"],
        "signIn": {"anonymous": True, "oauth": {
            "allowsPlainHTTP": True, "oidc": [{
                "id": PROVIDER, "displayName": "Corp", "issuer": provider.url, "clientIDs": [providers.CLIENT[0]],
                "clientSecretFile": str(tmp_path / "secret")}]}}}))
    made = Server(
        tmp_path / "data", *tls_options(tmp_path), "--auth-config", str(settings)).start()
    yield made
    made.stop()


class App:
    """An app's page in a browser."""

    def __init__(self, context, script, where=APP, domain="auth.example.test", emulator=None, provider=PROVIDER, tenant=None):
        page = (HERE / "app.html").read_text(encoding="utf-8")
        settings = json.dumps({"authDomain": domain, "emulator": emulator, "provider": provider, "tenant": tenant})
        page = page.replace("/*SETTINGS*/", settings)
        frames = (HERE / "frames.js").read_text(encoding="utf-8")
        context.route("https://apis.google.com/**", lambda route: route.fulfill(
            body=frames, content_type="text/javascript"))
        context.route(f"{where}/", lambda route: route.fulfill(body=page, content_type="text/html"))
        context.route(f"{where}/sdk.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
        self.page = context.new_page()
        self.sent = []
        self.page.on("request", self.note)
        self.url = f"{where}/"
        self.page.goto(self.url)

    def note(self, request):
        if request.method == "POST" and "signInWithIdp" in request.url:
            self.sent.append(json.loads(request.post_data))

    def do(self, action):
        self.page.evaluate(f"() => {{ document.getElementById('result').textContent = ''; action = '{action}'; }}")
        self.page.click("#act")

    def popup(self, action):
        with self.page.expect_popup(timeout=MILLISECONDS) as opened:
            self.do(action)
        return opened.value

    def result(self):
        self.page.wait_for_function(
            "() => !['', 'null'].includes(document.getElementById('result').textContent)", timeout=MILLISECONDS)
        return json.loads(self.page.inner_text("#result"))


@pytest.fixture
def contexts(server):
    rules = ",".join(
        f"MAP {name}:443 {server.authority}"
        for name in (HOST, "securetoken.googleapis.com", "auth.example.test"))
    with browser(
        f"--host-resolver-rules={rules}", "--disable-features=LocalNetworkAccessChecks", "--ignore-certificate-errors"
    ) as made:
        yield lambda: made.new_context(ignore_https_errors=True)


def agree(page, who):
    """Signs in on the provider's page."""
    page.fill("input[name=sub]", who, timeout=MILLISECONDS)
    page.click("button:has-text('Authorize')")


def ask(server, path, **options):
    return requests.get(
        server.url + path, headers={"Host": "auth.example.test", **options.pop("headers", {})}, verify=False,
        allow_redirects=False, timeout=WAIT_SECONDS, **options)


def start(app=APP, **changes):
    fields = {
        "apiKey": "demo-key", "appName": "[DEFAULT]", "authType": "signInViaPopup", "providerId": PROVIDER,
        "redirectUrl": app + "/", "eventId": "7", "v": "12", **changes}
    return "/__/auth/handler?" + urllib.parse.urlencode({k: v for k, v in fields.items() if v is not None})


def test_a_user_signs_in_by_popup(contexts, script, provider):
    app = App(contexts(), script)
    agree(app.popup("signIn"), "ann@corp.example")
    result = app.result()
    assert result["email"] == "ann@corp.example" and result["providers"] == [PROVIDER], result
    assert result["operation"] == "signIn" and result["hasIDToken"]
    asked = provider.asked[0]
    assert asked["redirect_uri"] == f"{AUTH}/__/auth/handler" and asked["code_challenge_method"] == "S256"
    assert asked["nonce"] and asked["state"] and "openid" in asked["scope"].split()
    # A second sign-in returns the same user.
    agree(app.popup("reauthenticate"), "ann@corp.example")
    assert (app.result()["uid"], app.result()["operation"]) == (result["uid"], "reauthenticate")
    agree(app.popup("reauthenticate"), "bob@corp.example")
    assert app.result()["error"] == "auth/user-mismatch"


def test_a_provider_is_linked_by_popup(contexts, script):
    sdk.needs_all(script)
    app = App(contexts(), script)
    app.do("anonymous")
    guest = app.result()
    assert guest["isAnonymous"]
    agree(app.popup("link"), "ann@corp.example")
    linked = app.result()
    assert (linked["uid"], linked["operation"], linked["providers"]) == (guest["uid"], "link", [PROVIDER])


def test_a_cancelled_popup_is_reported(contexts, script):
    app = App(contexts(), script)
    popup = app.popup("signIn")
    popup.click("button:has-text('Deny')", timeout=MILLISECONDS)
    assert app.result()["error"] == "auth/user-cancelled"
    agree(app.popup("signIn"), "ann@corp.example")
    assert app.result()["email"] == "ann@corp.example"


def test_a_user_signs_in_by_redirect(contexts, script):
    app = App(contexts(), script)
    app.do("signInRedirect")
    agree(app.page, "ann@corp.example")
    app.page.wait_for_url(app.url, timeout=MILLISECONDS)
    app.do("redirectResult")
    assert app.result()["email"] == "ann@corp.example"
    # The result is returned once.
    app.page.reload()
    app.do("redirectResult")
    assert app.result() == {"nothing": True}


def test_a_cancelled_redirect_is_reported(contexts, script):
    app = App(contexts(), script)
    app.do("signInRedirect")
    app.page.click("button:has-text('Deny')", timeout=MILLISECONDS)
    app.page.wait_for_url(app.url, timeout=MILLISECONDS)
    app.do("redirectResult")
    assert app.result()["error"] == "auth/user-cancelled"


def test_a_response_of_the_provider_is_redeemed_once(contexts, script, server, provider):
    app = App(contexts(), script)
    agree(app.popup("signIn"), "ann@corp.example")
    app.result()
    used, = app.sent
    again = requests.post(
        f"{server.url}/{HOST}/v1/accounts:signInWithIdp?key=demo-key", json=used, verify=False, timeout=WAIT_SECONDS)
    assert again.status_code == 400 and "used before" in again.text, again.text
    assert len(provider.redeemed) == 1


def test_an_authorization_code_without_the_visit_cookie_is_refused(server, provider):
    """A client that has seen the redirect has neither the browser's visit cookie nor the app's session id."""
    session = requests.Session()
    session.verify = False
    gone = ask(server, start())
    assert gone.status_code == 303 and gone.headers["Location"].startswith(provider.url)
    cookie = gone.headers["Set-Cookie"]
    assert cookie.startswith("__Host-hearth-visit-")
    assert all(f"; {word}" in cookie for word in ("Path=/", "HttpOnly", "Secure", "SameSite=Lax", "Max-Age=600"))
    back = session.post(gone.headers["Location"], data={"sub": "ann@corp.example"}, allow_redirects=False, timeout=WAIT_SECONDS)
    way = urllib.parse.urlsplit(back.headers["Location"])
    path = f"{way.path}?{way.query}"
    # State fixation: one browser's redirect is opened in another browser.
    stolen = ask(server, path)
    assert stolen.status_code == 400 and "not started here" in stolen.text and "data-event" not in stolen.text
    other = ask(server, start()).headers["Set-Cookie"].split(";")[0]
    assert "not started here" in ask(server, path, headers={"Cookie": other}).text
    name, text = cookie.split(";")[0].split("=", 1)
    swapped = f"{name}={other.split('=', 1)[1]}"
    assert "not started here" in ask(server, path, headers={"Cookie": swapped}).text
    for session_id in (None, "x", text):
        body = {"requestUri": back.headers["Location"], "sessionId": session_id, "returnSecureToken": True}
        answer = requests.post(
            f"{server.url}/{HOST}/v1/accounts:signInWithIdp?key=demo-key", json=body, verify=False, timeout=WAIT_SECONDS)
        assert answer.status_code == 400, answer.text
    assert not provider.redeemed
    # The browser that began the sign-in completes it, and drops the visit cookie.
    whole = ask(server, path, headers={"Cookie": f"{name}={text}"})
    assert whole.status_code == 200 and "data-event" in whole.text and f"{name}=; " in whole.headers["Set-Cookie"]
    assert "frame-ancestors 'none'" in whole.headers["Content-Security-Policy"]
    # Another user's code does not match the app's session.
    assert not provider.redeemed


def test_the_pages_serve_only_authorized_domains(contexts, script, server):
    for app in (ELSEWHERE, "https://app.example.test@evil.example", "javascript:alert(1)//app.example.test", "//evil.example",
                "https://app.example.test.", "https://evil.example\\@app.example.test"):
        for kind in ("signInViaPopup", "signInViaRedirect"):
            answer = ask(server, start(app, authType=kind))
            assert answer.status_code == 403 and "Location" not in answer.headers, app
    assert ask(server, start(), headers={"Host": "evil.example"}).status_code == 421
    frame = ask(server, "/__/auth/iframe?apiKey=demo-key&appName=x")
    policy = frame.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self' https://app.example.test:* https://auth.example.test:*" in policy, policy
    assert "X-Frame-Options" not in frame.headers
    # An app of an unauthorized domain gets no frame, so its SDK gives up; a popup that it opens for another app's sign-in returns
    # nothing to it.
    context = contexts()
    app = App(context, script, where=ELSEWHERE)
    with app.page.expect_console_message(lambda message: "frame-ancestors" in message.text, timeout=MILLISECONDS):
        app.page.evaluate("url => document.body.append(Object.assign(document.createElement('iframe'), {src: url}))", (
            f"{AUTH}/__/auth/iframe?apiKey=demo-key&appName=[DEFAULT]"))
    app.page.evaluate("window.heard = []; addEventListener('message', event => heard.push(event.data))")
    with app.page.expect_popup() as opened:
        app.page.evaluate(f"open('{AUTH}{start()}')")
    agree(opened.value, "ann@corp.example")
    opened.value.wait_for_selector("#lost:visible", timeout=MILLISECONDS)
    picture(opened.value, "lost")
    assert app.page.evaluate("heard") == []


def test_invalid_requests_show_an_error_page(contexts, server):
    context = contexts()
    page = context.new_page()
    for name, path in {
        "broken": "/__/auth/handler", "foreign": start(ELSEWHERE), "not-begun": "/__/auth/handler?state=x&code=y",
    }.items():
        page.goto(AUTH + path)
        assert page.inner_text("h1")
        picture(page, name)
    answer = ask(server, start(providerId="google.com"))
    assert answer.status_code == 200 and "auth/operation-not-allowed" in answer.text


@pytest.fixture
def emulator(tmp_path):
    made = Server(tmp_path / "data", "--emulator", command="dev", rules='{"rules": {".read": true}}').start()
    yield made
    made.stop()


def test_the_emulator_page_signs_in_as_the_chosen_user(emulator, script):
    """The tester chooses the user."""
    with browser("--disable-features=LocalNetworkAccessChecks") as chromium:
        app = App(
            chromium.new_context(), script, where="http://127.0.0.1:8123",
            emulator=emulator.url, provider="google.com")
        popup = app.popup("signIn")
        popup.wait_for_selector("#new", timeout=MILLISECONDS)
        picture(popup, "emulator-new")
        popup.fill("#email", "ann@example.com")
        popup.fill("#name", "Ann")
        popup.click("button[type=submit]")
        first = app.result()
        assert (first["email"], first["providers"]) == ("ann@example.com", ["google.com"])
        popup = app.popup("signIn")
        popup.wait_for_selector("button.row", timeout=MILLISECONDS)
        picture(popup, "emulator-known")
        popup.click("button.row")
        assert app.result()["uid"] == first["uid"]
        popup = app.popup("signIn")
        popup.click("#cancel", timeout=MILLISECONDS)
        assert app.result()["error"] == "auth/user-cancelled"
        app.do("signInRedirect")
        app.page.fill("#email", "bob@example.com", timeout=MILLISECONDS)
        app.page.click("button[type=submit]")
        app.page.wait_for_url(app.url, timeout=MILLISECONDS)
        app.do("redirectResult")
        assert app.result()["email"] == "bob@example.com"
