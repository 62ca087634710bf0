"""Apps on devices: the pages that their SDKs open, in Chromium, and the URLs that those pages open the app with. In an app's place
the test reads the URL as the SDK does, and sends the SDK's requests.

Captcha libraries are not available on every machine: `websdk/widgets.js` replaces them."""

import contextlib
import hashlib
import http.server
import json
import pathlib
import threading
import urllib.parse

import pytest
import requests

import secrets_seen
from browser import browser, picture
from certificates import tls_options
from test_web_phones import NUMBER, Phone
from test_web_sign_in import provider  # noqa: F401
from waits import WAIT_SECONDS, until
from websdk import provider as providers

HERE = pathlib.Path(__file__).parent / "websdk"
MILLISECONDS = WAIT_SECONDS * 1_000
AUTH = "https://auth.example.test"
BUNDLE, CLIENT = "com.example.shop", "123-abc.apps.googleusercontent.com"
APP_ID, SHA1 = "1:1234567890:ios:abcdef", "00112233445566778899aabbccddeeff00112233"
SCHEME, APP_SCHEME = "com.googleusercontent.apps.123-abc", "app-1-1234567890-ios-abcdef"
LIBRARIES = {
    "recaptcha": "https://www.google.com/recaptcha/api.js**", "hcaptcha": "https://js.hcaptcha.com/1/api.js**",
    "turnstile": "https://challenges.cloudflare.com/turnstile/v0/api.js**"}


@pytest.fixture
def start(serve, tmp_path):
    def start(phone=None, oauth=None):
        settings = tmp_path / "auth.json"
        sign_in = {"anonymous": True, **({"phone": True} if phone is not None else {}), **({"oauth": oauth} if oauth else {})}
        settings.write_text(json.dumps({
            "publicURL": AUTH, "signIn": sign_in, "limits": {"messagesPerNumberPerMinute": 10},
            "nativeApps": {
                "ios": [{"bundleID": BUNDLE, "appIDs": [APP_ID], "clientIDs": [CLIENT]}],
                "android": [{"packageName": BUNDLE, "certificates": [SHA1.upper()]}]},
            **({"phone": {"regions": {"allow": ["DE"]}, "outbox": {"showsTexts": False}, **phone}} if phone is not None else {})}))
        return serve(*tls_options(tmp_path), "--auth-config", str(settings))

    return start


@pytest.fixture
def device():
    with contextlib.ExitStack() as stack:
        def open_device(server):
            chromium = stack.enter_context(browser(
                f"--host-resolver-rules=MAP auth.example.test:443 {server.authority}",
                "--disable-features=LocalNetworkAccessChecks", "--ignore-certificate-errors"))
            return Device(chromium.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 700}))

        yield open_device


class Device:
    """The browser that an SDK opens for its app, and the deep links that would open the app again."""

    def __init__(self, context):
        self.context = context
        self.page, self.opened, self.refused = None, [], []

    def go(self, url):
        """Opens a page, a new one each time like an SDK. A page that opens the app at once never finishes loading."""
        self.page = self.context.new_page()
        self.opened, self.refused = [], []
        self.page.on("console", lambda message: self.refused.append(message.text) if message.type == "error" else None)
        devtools = self.context.new_cdp_session(self.page)
        devtools.send("Page.enable")
        devtools.on("Page.frameRequestedNavigation", lambda event: self.opened.append(event["url"]))
        self.page.goto(url, wait_until="commit")

    def open(self, **query):
        path = "/__/auth/handler?" + urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
        self.go(AUTH + path)

    def asked(self):
        """Returns the deep link that the page opens by itself."""
        def asked():
            self.page.evaluate("1")
            return [url for url in self.opened if not url.startswith("http")]

        return until(asked, "the page opened no app")[0]

    def app(self):
        """Returns the deep link to the app, which the page also shows as a link."""
        url = self.asked()
        self.page.wait_for_selector("#back", state="attached", timeout=MILLISECONDS)
        assert self.page.get_attribute("#back", "href") == url
        return url


def deep_link(url, scheme, kind, event="QWERTYUIOP"):
    """Reads the URL as the iOS SDK does: scheme, host and path, then the kind and the event of the embedded URL."""
    head, query = url.split("?", 1)
    assert head == f"{scheme}://firebaseauth/link"
    inner = urllib.parse.urlsplit(dict(urllib.parse.parse_qsl(query))["deep_link_id"])
    assert inner.scheme == "https" and inner.path == "/__/auth/callback"
    told = dict(urllib.parse.parse_qsl(inner.query))
    assert (told["authType"], told["eventId"]) == (kind, event)
    return told


def ask(server, operation, **body):
    return requests.post(
        f"{server.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/{operation}?key=demo-key", json=body, verify=False,
        timeout=WAIT_SECONDS)


IOS = {"apiKey": "demo-key", "ibi": BUNDLE, "eventId": "QWERTYUIOP", "v": "FirebaseAuth.iOS/12.0.0 com.example.shop/1.0", "hl": "en"}


@pytest.mark.parametrize("service,widget", [
    ("recaptcha", "checkbox"), ("recaptcha", "score"), ("hcaptcha", "invisible"), ("turnstile", "checkbox")])
def test_a_number_signs_in_from_an_app(device, start, captcha, service, widget):
    server = start(phone={"captcha": {
        "service": service, "siteKey": "the-site-key", "secret": "secret-of-the-captcha", "verifyURL": captcha.url,
        "widget": widget}})
    # An app without push notifications, or whose notification never arrives, is told to open the page.
    refused = ask(server, "verifyClient", appToken="00ff", isSandbox=True)
    assert refused.json()["error"]["message"].startswith("INVALID_APP_CREDENTIAL : "), refused.text
    browser = device(server)
    script = (HERE / "widgets.js").read_text(encoding="utf-8")
    browser.context.route(LIBRARIES[service], lambda route: route.fulfill(body=script, content_type="text/javascript"))
    browser.open(**IOS, authType="verifyApp", appId=APP_ID)
    if widget == "checkbox":
        browser.page.wait_for_selector("#captcha button", timeout=MILLISECONDS)
        picture(browser.page, f"captcha-{service}")
        browser.page.click("#captcha button")
    told = deep_link(browser.app(), APP_SCHEME, "verifyApp")
    picture(browser.page, f"captcha-done-{service}-{widget}")
    assert told["recaptchaToken"] == "good-the-site-key-0"
    assert not [text for text in browser.refused if "Content Security Policy" in text], browser.refused
    phone = Phone(server)
    sent = ask(server, "sendVerificationCode", phoneNumber=NUMBER, recaptchaToken=told["recaptchaToken"], clientType="CLIENT_TYPE_IOS")
    assert sent.status_code == 200, sent.text
    entered = ask(server, "verifyPhoneNumber", sessionInfo=sent.json()["sessionInfo"], code=phone.code())
    assert entered.json()["phoneNumber"] == NUMBER, entered.text
    secrets_seen.note(entered.json()["idToken"])


def test_a_captcha_that_fails_to_load_is_reported_to_the_app(device, start, captcha):
    server = start(phone={"captcha": {
        "service": "turnstile", "siteKey": "k", "secret": "secret-of-the-captcha", "verifyURL": captcha.url}})
    browser = device(server)
    browser.context.route(LIBRARIES["turnstile"], lambda route: route.abort())
    browser.open(**IOS, authType="verifyApp", clientId=CLIENT)
    browser.page.wait_for_selector("#failed:visible", timeout=MILLISECONDS)
    picture(browser.page, "captcha-failed")
    told = deep_link(browser.page.get_attribute("#failed a", "href"), SCHEME, "verifyApp")
    assert json.loads(told["firebaseError"])["code"] == "auth/network-request-failed"


def test_without_a_captcha_the_page_opens_the_app_at_once(device, start):
    browser = device(start(phone={}))
    browser.open(**IOS, authType="verifyApp", clientId=CLIENT)
    assert deep_link(browser.app(), SCHEME, "verifyApp")["recaptchaToken"]


def test_a_provider_signs_in_from_an_app(device, start, provider, tmp_path):  # noqa: F811
    (tmp_path / "secret").write_text(providers.CLIENT[1] + "\n")
    server = start(oauth={"allowsPlainHTTP": True, "oidc": [{
        "id": "oidc.corp", "issuer": provider.url, "clientIDs": [providers.CLIENT[0]], "clientSecretFile": str(tmp_path / "secret")}]})
    session = "ABCDEFGHIJ"
    digest = hashlib.sha256(session.encode()).hexdigest()
    sign_in = {"authType": "signInWithRedirect", "sessionId": digest, "providerId": "oidc.corp"}
    browser = device(server)

    def visit(button="Authorize", **query):
        browser.open(**{**IOS, **sign_in, **query})
        if button == "Authorize":
            browser.page.fill("input[name=sub]", "ann@corp.example", timeout=MILLISECONDS)
        browser.page.click(f"button:has-text('{button}')", timeout=MILLISECONDS)
        browser.page.wait_for_selector("#back", timeout=MILLISECONDS)
        return browser.app()

    link = deep_link(visit(clientId=CLIENT), SCHEME, "signInWithRedirect")["link"]
    picture(browser.page, "back-to-the-app")
    assert browser.page.url == f"{AUTH}/__/auth/handler"

    def redeem(session, body="providerId=oidc.corp"):
        return ask(
            server, "verifyAssertion", requestUri=link, sessionId=session, postBody=body, returnSecureToken=True,
            returnIdpCredential=True, autoCreate=True)

    # Another app that has seen the deep link.
    for other in ("", digest, "JIHGFEDCBA"):
        assert redeem(other).status_code == 400
    assert not provider.redeemed
    entered = redeem(session)
    assert entered.json()["email"] == "ann@corp.example", entered.text
    secrets_seen.note(entered.json()["idToken"])
    assert "used before" in redeem(session).text
    told = deep_link(visit("Deny", appId=APP_ID), APP_SCHEME, "signInWithRedirect")
    assert json.loads(told["firebaseError"])["code"] == "auth/user-cancelled"
    android = visit(ibi=None, apn=BUNDLE, sha1Cert=SHA1, publicKey="x", eid="p")
    assert android.startswith(f"intent://firebase.auth/#Intent;scheme=genericidp;package={BUNDLE};")
    extras = dict(part.split("=", 1) for part in android.split("#Intent;")[1].removesuffix(";end").split(";"))
    link = urllib.parse.unquote(extras["S.link"])
    assert redeem(session).status_code == 200 and extras["S.eventId"] == "QWERTYUIOP"


def test_a_provider_signs_in_to_a_program_on_the_machine_of_the_browser(device, start, provider, tmp_path):  # noqa: F811
    """A command-line program waits on a port of 127.0.0.1 (RFC 8252), and the browser returns there by itself."""
    (tmp_path / "secret").write_text(providers.CLIENT[1] + "\n")
    server = start(oauth={"allowsPlainHTTP": True, "oidc": [{
        "id": "oidc.corp", "issuer": provider.url, "clientIDs": [providers.CLIENT[0]], "clientSecretFile": str(tmp_path / "secret")}]})
    session, returned = "ABCDEFGHIJ", []

    class Program(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            returned.append((self.path, self.headers.get("Referer")))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!DOCTYPE html><title>done</title><p id=done>You can close this window.")

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Program) as program:
        threading.Thread(target=program.serve_forever, daemon=True).start()
        browser = device(server)
        browser.open(
            apiKey="demo-key", authType="signInWithRedirect", eventId="QWERTYUIOP", providerId="oidc.corp",
            sessionId=hashlib.sha256(session.encode()).hexdigest(), loopbackPort=str(program.server_port))
        browser.page.fill("input[name=sub]", "ann@corp.example", timeout=MILLISECONDS)
        browser.page.click("button:has-text('Authorize')", timeout=MILLISECONDS)
        browser.page.wait_for_selector("#done", timeout=MILLISECONDS)
        program.shutdown()
    path, referrer = returned[0]
    head, query = path.split("?", 1)
    assert head == "/" and referrer is None
    inner = urllib.parse.urlsplit(dict(urllib.parse.parse_qsl(query))["deep_link_id"])
    told = dict(urllib.parse.parse_qsl(inner.query))
    assert inner.path == "/__/auth/callback" and told["eventId"] == "QWERTYUIOP"

    def redeem(session):
        return ask(
            server, "verifyAssertion", requestUri=told["link"], sessionId=session, postBody="providerId=oidc.corp",
            returnSecureToken=True, returnIdpCredential=True)

    assert redeem("JIHGFEDCBA").status_code == 400
    entered = redeem(session)
    assert entered.json()["email"] == "ann@corp.example", entered.text
    secrets_seen.note(entered.json()["idToken"])


def test_other_apps_are_not_opened(device, start):
    browser = device(start(phone={}))
    for name, query in {
        "bundle": {"ibi": "com.example.evil", "clientId": CLIENT}, "client": {"clientId": "9-x.apps.googleusercontent.com"},
        "scheme": {"clientId": "alert(1)//.javascript"}, "none": {}, "android": {"ibi": None, "apn": "com.example.evil"},
    }.items():
        browser.open(**{**IOS, "authType": "verifyApp", **query})
        browser.page.wait_for_selector("h1", timeout=MILLISECONDS)
        assert browser.page.query_selector("#back") is None, name
        picture(browser.page, f"app-refused-{name}")
        assert [url for url in browser.opened if not url.startswith("http")] == []


def test_the_emulator_page_opens_the_app_with_the_chosen_identity(serve):
    """The tester chooses an identity, and the page opens the app with it."""
    server = serve("--emulator", command="dev", rules='{"rules": {".read": true}}')
    with browser("--disable-features=LocalNetworkAccessChecks") as chromium:
        device = Device(chromium.new_context())
        query = {
            **IOS, "authType": "signInWithRedirect", "sessionId": hashlib.sha256(b"ABCDEFGHIJ").hexdigest(),
            "providerId": "google.com", "clientId": CLIENT}
        addresses = []
        for button in ("button[type=submit]", "#cancel"):
            device.go(f"{server.url}/emulator/auth/handler?{urllib.parse.urlencode(query)}")
            device.page.fill("#email", "ann@example.com", timeout=MILLISECONDS)
            device.page.fill("#name", "Ann")
            device.page.click(button)
            addresses.append(device.asked())
    said, refused = (dict(urllib.parse.parse_qsl(url.split("?", 1)[1]))["deep_link_id"] for url in addresses)
    told = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(said).query))
    answer = ask(
        server, "verifyAssertion", requestUri=told["link"], sessionId="ABCDEFGHIJ", postBody="providerId=google.com",
        returnSecureToken=True)
    assert answer.json()["email"] == "ann@example.com" and answer.json()["displayName"] == "Ann", answer.text
    assert "auth%2Fuser-cancelled" in refused
