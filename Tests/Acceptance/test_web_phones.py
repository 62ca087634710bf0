"""Phone numbers, for sign-in and as second factors, with the unmodified web SDK in Chromium.

The library of the captcha's widget is not available on every machine: `websdk/captcha.js` replaces it, and a stand-in replaces its
verification service."""

import json
import pathlib

import pytest
import requests

import secrets_seen
from browser import browser, picture
from certificates import tls_options
from conftest import Server
from identity import HOST
from waits import WAIT_SECONDS, until
from websdk import sdk

HERE = pathlib.Path(__file__).parent / "websdk"
MILLISECONDS = WAIT_SECONDS * 1_000
APP = "https://app.example.test"
NUMBER, OTHER = "+4915112345678", "+436641234567"
ACCOUNT = ["ann@example.com", "correct horse"]


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    return sdk.bundle(tmp_path_factory.mktemp("sdk"))


@pytest.fixture
def start(tmp_path):
    started = []

    def start(**phone):
        settings = tmp_path / "auth.json"
        settings.write_text(json.dumps({
            "signIn": {"phone": True, "password": True}, "limits": {"messagesPerNumberPerMinute": 10}, "phone": {
                "secondFactor": True, "regions": {"allow": ["DE", "AT"]}, "outbox": {"showsTexts": False}, **phone}}))
        server = Server(tmp_path / "data", *tls_options(tmp_path), "--auth-config", str(settings)).start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


class App:
    """An app's page in a browser."""

    def __init__(self, context, script, emulator=None):
        page = (HERE / "phones.html").read_text(encoding="utf-8")
        page = page.replace("/*SETTINGS*/", json.dumps({"emulator": emulator}))
        widget = (HERE / "captcha.js").read_text(encoding="utf-8")
        self.loaded = []
        context.route("https://www.google.com/recaptcha/**", lambda route: (
            self.loaded.append(route.request.url), route.fulfill(body=widget, content_type="text/javascript")))
        context.route(f"{APP}/", lambda route: route.fulfill(body=page, content_type="text/html"))
        context.route(f"{APP}/sdk.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
        self.page = context.new_page()
        self.page.goto(f"{APP}/")

    def do(self, action, value=None):
        self.page.evaluate(f"""() => {{
            document.getElementById('result').textContent = '';
            action = {json.dumps(action)}; value = {json.dumps(value)}; }}""")
        self.page.click("#act")
        self.page.wait_for_function(
            "() => !['', 'null'].includes(document.getElementById('result').textContent)", timeout=MILLISECONDS)
        return json.loads(self.page.inner_text("#result"))


@pytest.fixture
def app(script, request):
    def open_app(server, **options):
        rules = ",".join(f"MAP {name}:443 {server.authority}" for name in (HOST, "securetoken.googleapis.com"))
        made = browser(
            f"--host-resolver-rules={rules}", "--disable-features=LocalNetworkAccessChecks", "--ignore-certificate-errors")
        chromium = made.__enter__()
        request.addfinalizer(lambda: made.__exit__(None, None, None))
        return App(chromium.new_context(ignore_https_errors=True), script, **options)

    return open_app


class Phone:
    """Reads the messages sent to it from the server's development outbox."""

    def __init__(self, server):
        self.server = server
        self.read = set()

    def code(self):
        def unread():
            return sorted(set((self.server.data / "outbox").glob("*-code.txt")) - self.read)

        path = until(unread, "no message came")[0]
        self.read.add(path)
        return path.read_text(encoding="utf-8").splitlines()[2][:6]


def verify(server, email):
    token = server.run("token", "mint", "--admin").strip()
    secrets_seen.note(token)
    headers = {"Authorization": f"Bearer {token}"}
    base = f"{server.url}/{HOST}/v1/projects/hearth/accounts"
    found = requests.post(f"{base}:lookup", json={"email": [email]}, headers=headers, verify=False, timeout=WAIT_SECONDS)
    uid = found.json()["users"][0]["localId"]
    requests.post(
        f"{base}:update", json={"localId": uid, "emailVerified": True}, headers=headers, verify=False,
        timeout=WAIT_SECONDS).raise_for_status()


def test_a_number_signs_in_behind_a_captcha(app, start, captcha):
    server = start(captcha={
        "service": "recaptcha", "siteKey": "the-site-key", "secret": "secret-of-the-captcha", "verifyURL": captcha.url,
        "hostnames": ["app.example.com"]})
    page, phone = app(server), Phone(server)
    assert page.do("begin", NUMBER) == {"done": True}
    assert [form["response"] for form in captcha.asked] == ["good-the-site-key-0"] and len(page.loaded) == 1
    code = phone.code()
    assert page.do("confirm", "000000" if code != "000000" else "000001")["error"] == "auth/invalid-verification-code"
    user = page.do("confirm", code)
    assert user["phoneNumber"] == NUMBER and user["providers"] == ["phone"], user
    picture(page.page, "phone-sign-in")
    assert page.do("confirm", code)["error"] == "auth/invalid-verification-id"
    assert page.do("begin", "+12025550100")["error"] == "auth/operation-not-allowed"
    assert page.do("begin", "0151 123")["error"] == "auth/invalid-phone-number"
    # A captcha token of another site's page, and tokens that were used before.
    captcha.hostname = "evil.example"
    assert page.do("begin", NUMBER)["error"] == "auth/captcha-check-failed"
    captcha.hostname = "app.example.com"
    captcha.asked += [{"secret": "secret-of-the-captcha", "response": f"good-the-site-key-{n}"} for n in range(10)]
    assert page.do("begin", NUMBER)["error"] == "auth/captcha-check-failed"


def test_a_number_is_linked_and_replaced(app, start, script):
    sdk.needs_all(script)
    server = start()
    page, phone = app(server), Phone(server)
    page.do("signUp", ACCOUNT)
    page.do("beginLink", NUMBER)
    user = page.do("confirm", phone.code())
    assert user["phoneNumber"] == NUMBER and sorted(user["providers"]) == ["password", "phone"], user
    page.do("beginChange", OTHER)
    assert page.do("change", phone.code())["phoneNumber"] == OTHER
    page.do("signOut")
    page.do("begin", OTHER)
    assert page.do("confirm", phone.code())["uid"] == user["uid"]


def test_a_phone_as_second_factor(app, start, script):
    sdk.needs_all(script)
    server = start()
    page, phone = app(server), Phone(server)
    page.do("signUp", ACCOUNT)
    assert page.do("beginEnrolment", NUMBER)["error"] == "auth/unverified-email"
    verify(server, ACCOUNT[0])
    assert page.do("beginEnrolment", NUMBER) == {"done": True}
    user = page.do("enrol", phone.code())
    assert user["factors"] == [["phone", "mine", NUMBER]], user
    page.do("signOut")
    assert page.do("signIn", ACCOUNT) == {"done": True}
    code = phone.code()
    assert page.do("resolve", "000000" if code != "000000" else "000001")["error"] == "auth/invalid-verification-code"
    entered = page.do("resolve", code)
    assert entered["uid"] == user["uid"] and entered["factors"] == [["phone", "mine", NUMBER]], entered
    picture(page.page, "phone-second-factor")


def test_apps_of_an_emulator_need_no_captcha_widget(app, start):
    server = start()
    page, phone = app(server, emulator=server.url), Phone(server)
    assert page.do("begin", NUMBER) == {"done": True}
    assert page.do("confirm", phone.code())["phoneNumber"] == NUMBER and page.loaded == []
