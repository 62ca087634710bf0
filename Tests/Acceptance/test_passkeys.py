"""Passkeys in Chromium with its virtual authenticator, with the guide's own script."""

import contextlib
import json
import pathlib

import pytest
import requests

from browser import browser
from guide_examples import blocks
from identity import HOST, Identity
from waits import WAIT_SECONDS
from websdk import sdk

HERE = pathlib.Path(__file__).parent / "websdk"
MILLISECONDS = WAIT_SECONDS * 1_000
APP = "https://app.example.test"
EVIL = "https://evil.example.test"
SETTINGS = {"relyingPartyID": "example.test", "relyingPartyName": "Example", "origins": [APP]}


@pytest.fixture(scope="module", params=["stand-in", "sdk"])
def script(request, tmp_path_factory):
    if request.param == "sdk":
        made = sdk.bundle(tmp_path_factory.mktemp("sdk"))
        sdk.needs_all(made)
        return made
    return (HERE / "stand_in.js").read_text(encoding="utf-8")


@pytest.fixture
def start(serve, tmp_path):
    def made(**passkey):
        settings = tmp_path / "auth.json"
        settings.write_text(json.dumps({
            "authorizedDomains": ["app.example.test"],
            "signIn": {"anonymous": True, "password": True, "passkey": {**SETTINGS, **passkey}}}))
        return serve("--auth-config", str(settings))
    return made


@contextlib.contextmanager
def apps(server, script):
    """Opens pages of an app, each with an authenticator."""
    with browser("--disable-features=LocalNetworkAccessChecks") as made:
        yield lambda where=APP: App(made.new_context(), server, script, where)


class App:
    def __init__(self, context, server, script, where):
        page = (HERE / "passkeys.html").read_text(encoding="utf-8")
        page = page.replace("/*SERVER*/", json.dumps(server.url)).replace("/*SAMPLE*/", blocks("Passkeys.md", "js")[0])
        context.route(f"{where}/", lambda route: route.fulfill(body=page, content_type="text/html"))
        context.route(f"{where}/sdk.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
        self.page = context.new_page()
        self.page.set_default_timeout(MILLISECONDS)
        self.sent = []
        self.page.on("request", self.note)
        self.page.goto(f"{where}/")
        self.devtools = context.new_cdp_session(self.page)
        self.devtools.send("WebAuthn.enable")
        self.authenticator = None
        self.plug()

    def note(self, request):
        if request.method == "POST" and "signInWithIdp" in request.url:
            self.sent.append(json.loads(request.post_data))

    # MARK: The authenticator

    def plug(self, **options):
        """Replaces the authenticator with another one."""
        if self.authenticator is not None:
            self.devtools.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": self.authenticator})
        self.authenticator = self.devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True, **options}})["authenticatorId"]

    def keys(self):
        return self.devtools.send("WebAuthn.getCredentials", {"authenticatorId": self.authenticator})["credentials"]

    def put(self, key):
        self.devtools.send("WebAuthn.addCredential", {"authenticatorId": self.authenticator, "credential": key})

    # MARK: The app

    def run(self, work):
        return self.page.evaluate(f"() => told(async () => {work})")

    def sign_up(self, email):
        self.run(f"firebase.createUserWithEmailAndPassword(auth, '{email}', 'secret1')")
        return self.page.evaluate("() => auth.currentUser.uid")

    def token(self):
        return self.page.evaluate("() => auth.currentUser.getIdToken()")

    def add(self, name):
        return self.run(f"addPasskey(auth.currentUser, '{name}')")

    def sign_in(self):
        self.page.evaluate("() => firebase.signOut(auth)")
        return self.run("signInWithPasskey(auth)")


def audited(server):
    """Returns the audit records of refused passkeys."""
    return [line for line in server.run("audit", "tail").splitlines() if "passkey_fail" in line]


def verify(server, uid):
    """Marks a user's e-mail address as verified, as an administrator."""
    answer = requests.post(
        f"{server.url}/{HOST}/v1/projects/hearth/accounts:update", json={"localId": uid, "emailVerified": True},
        headers={"Authorization": "Bearer " + server.run("token", "mint", "--admin").strip()}, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def test_a_passkey_is_added_used_and_removed(start, script):
    server = start()
    identity = Identity(server)
    with apps(server, script) as app_at:
        app = app_at()
        uid = app.sign_up("ann@example.test")
        added = app.add("Laptop")
        assert (added.get("uid"), added.get("provider"), added.get("operation")) == (uid, "passkey", "link"), added
        first = app.keys()
        assert len(first) == 1 and first[0]["rpId"] == "example.test" and first[0]["isResidentCredential"]
        signed_in = app.sign_in()
        assert signed_in == {"uid": uid, "operation": "signIn", "provider": "passkey", "current": uid}, signed_in
        # An account has at most one key of each authenticator.
        assert app.add("Again")["error"] == "InvalidStateError"
        # A second key, on another authenticator.
        app.plug(transport="usb")
        assert app.add("Security key")["uid"] == uid
        assert app.sign_in()["uid"] == uid
        names = [(key["name"], key["credentialId"]) for key in identity.lookup(app.token())["passkeyInfo"]]
        assert [name for name, _ in names] == ["Laptop", "Security key"]
        # The removed key signs in to no account.
        answer = identity.post("accounts:update", {"idToken": app.token(), "deletePasskey": [names[0][1]]})
        assert [key["name"] for key in identity.lookup(answer["idToken"])["passkeyInfo"]] == ["Security key"]
        assert app.sign_in()["uid"] == uid
        app.plug()
        app.put(first[0])
        assert "PASSKEY_CREDENTIAL_NOT_FOUND" in json.dumps(app.sign_in()).upper().replace("-", "_")


def test_replayed_and_cloned_passkeys_are_refused(start, script):
    server = start()
    identity = Identity(server)
    with apps(server, script) as app_at:
        app = app_at()
        uid = app.sign_up("ann@example.test")
        assert app.add("Laptop")["uid"] == uid
        assert app.sign_in()["uid"] == uid
        # A replay of the same response.
        identity.fail("accounts:signInWithIdp", app.sent[-1], "INVALID_AUTHENTICATOR_RESPONSE")
        key = app.keys()[0]
        # A copy of the key whose signature counter is behind.
        app.plug()
        app.put({**key, "signCount": 0})
        assert "counter went back" in str(app.sign_in())
        # Without user verification: the browser requires what the server demands, unless the page is modified.
        app.plug()
        app.put({**key, "signCount": key["signCount"] + 10})
        app.devtools.send("WebAuthn.setUserVerified", {
            "authenticatorId": app.authenticator, "isUserVerified": False})
        assert app.sign_in()["error"] == "NotAllowedError"
        app.page.evaluate("""() => {
            const parse = PublicKeyCredential.parseRequestOptionsFromJSON;
            PublicKeyCredential.parseRequestOptionsFromJSON = (options) =>
              parse.call(PublicKeyCredential, {...options, userVerification: 'discouraged'});
        }""")
        assert "did not verify the user" in str(app.sign_in())
        # A page of another origin on the same domain.
        evil = app_at(EVIL)
        evil.put({**key, "signCount": key["signCount"] + 20})
        assert "origin is not allowed" in str(evil.sign_in())
        evil.sign_up("eve@example.test")
        evil.plug()
        assert "origin is not allowed" in str(evil.add("Trap"))
        # On a page of another domain the browser offers no key.
        other = app_at("https://app.other.test")
        other.put({**key, "signCount": key["signCount"] + 30})
        assert other.sign_in()["error"] == "SecurityError"
    trail = "\n".join(audited(server))
    for reason in ("used before", "counter", "userVerification", "origin", "enrolment: origin"):
        assert reason in trail, (reason, trail)


def test_an_account_with_a_required_passkey_refuses_its_password(start, script):
    server = start(requiredOnceEnrolled=True)
    identity = Identity(server)
    with apps(server, script) as app_at:
        app = app_at()
        uid = app.sign_up("ann@example.test")
        assert "UNVERIFIED_EMAIL" in str(app.add("Laptop")).upper().replace("-", "_")
        verify(server, uid)
        assert app.add("Laptop")["uid"] == uid
        identity.fail("accounts:signInWithPassword", {
            "email": "ann@example.test", "password": "secret1", "returnSecureToken": True}, "PASSKEY_REQUIRED")
        assert app.sign_in()["uid"] == uid


def test_development_needs_no_passkey_settings(serve, script):
    """Without passkey settings: a page on localhost."""
    server = serve(command="dev")
    with apps(server, script) as app_at:
        app = app_at("http://localhost:4711")
        uid = app.sign_up("ann@example.test")
        assert app.add("Laptop")["uid"] == uid
        assert app.sign_in()["uid"] == uid
        # Without an SDK: the response of the protocol itself.
        answer = app.page.evaluate("""async () => {
            const { credentialRequestOptions } = await options('passkeySignIn', {});
            const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(credentialRequestOptions);
            const used = await navigator.credentials.get({ publicKey });
            const url = `${server}/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:finalize?key=any`;
            const answer = await fetch(url, {
              method: 'POST', headers: {'Content-Type': 'application/json'},
              body: JSON.stringify({authenticatorAuthenticationResponse: used.toJSON()})
            });
            return answer.json();
        }""")
        assert answer["localId"] == uid and answer["idToken"] and answer["refreshToken"], answer
        # A restart keeps keys and challenges.
        server.keep_port()
        server.stop()
        server.start()
        assert app.sign_in()["uid"] == uid
