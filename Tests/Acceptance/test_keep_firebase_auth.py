"""An app that keeps Firebase Auth while its data moves: its SDKs, unmodified, with a second Hearth as Firebase Auth, whose keys
are read over TLS with an authority of their own.

The page uses the SDK's own database client if `HEARTH_WEB_SDK` names a checkout of firebase-js-sdk. The packaged SDK has none;
then the page sends the SDK's ID tokens with REST requests."""

import json
import socket

import firebase_admin
import pytest
import requests
from firebase_admin import auth, credentials, db

from browser import browser
from certificates import Authority
from client import Client, stream_lines
from identity import HOST, Identity
from steppable_clock import SteppableClock
from waits import WAIT_SECONDS, until
from websdk import sdk

PROJECT = "my-app"
ISSUER = f"https://securetoken.google.com/{PROJECT}"
HOSTS = [HOST, "securetoken.googleapis.com", "oauth2.googleapis.com", "www.googleapis.com"]
KEYS = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
PASSWORD = "correct horse"
RULES = json.dumps({"rules": {
    "users": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}},
    "news": {".read": "auth != null && auth.token.firebase.sign_in_provider != null"}}})
ENDED = {"s": "expired_token", "d": "Auth token is expired."}
APP, DATABASE = "https://app.example.test", "https://db.example.test"
MILLISECONDS = WAIT_SECONDS * 1_000
# The shortest interval of the lookup of users.
LOOKUP_SECONDS = 5
PAGE = """<!DOCTYPE html><meta charset="utf-8"><title>An app</title><script src="/sdk.js"></script><script>
'use strict';
const app = firebase.initializeApp({apiKey: 'demo-key', projectId: 'my-app', databaseURL: 'ORIGIN?ns=default'});
const auth = firebase.getAuth(app);
const seen = [];
const database = firebase.database && firebase.database.getDatabase(app);
const rest = async (method, path, value) => {
  const token = await auth.currentUser.getIdToken();
  const answer = await fetch(`ORIGIN${path}.json?ns=default&auth=${token}`, {method, body: JSON.stringify(value)});
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.json();
};
const ref = path => firebase.database.ref(database, path);
const write = (path, value) => database ? firebase.database.set(ref(path), value) : rest('PUT', path, value);
const read = async path => database ? (await firebase.database.get(ref(path))).val() : rest('GET', path);
const listen = async path => {
  if (database) return void firebase.database.onValue(ref(path), snapshot => seen.push(snapshot.val()));
  const source = new EventSource(`ORIGIN${path}.json?ns=default&auth=${await auth.currentUser.getIdToken()}`);
  source.addEventListener('put', event => seen.push(JSON.parse(event.data).data));
};
const signedIn = () => new Promise(resolve => firebase.onAuthStateChanged(auth, user => user && resolve(user.uid)));
</script>""".replace("ORIGIN", DATABASE)


class Move:
    """The server that plays Firebase Auth, and the server that has the data and trusts it."""

    def __init__(self, serve, folder, monkeypatch, looks_up=False):
        authority = Authority(folder / "authority")
        names = [*(f"DNS:{host}" for host in HOSTS), "DNS:localhost", "IP:127.0.0.1"]
        certificate, key = authority.issue("server", names)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.certificate))
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
        tls = ["--tls-cert", str(certificate), "--tls-key", str(key)]
        self.issuer = serve(
            *tls, "--project", PROJECT, "--sign-in", "password,custom-token", name="issuer", rules='{"rules":{}}', makes_keys=True)
        self.issuer.keep_port()
        self.account = json.loads(self.issuer.run("service-account", "create", "back-end"))
        self.users = Identity(self.issuer)
        trusted = {"issuer": ISSUER, "audiences": [PROJECT], "uidPrefix": "", "keysURL": self.issuer.url + KEYS}
        if looks_up:
            (folder / "key.json").write_text(json.dumps(self.account))
            trusted["userLookup"] = {
                "keyFile": str(folder / "key.json"), "intervalSeconds": LOOKUP_SECONDS,
                "url": f"{self.issuer.url}/{HOST}/v1/projects/{PROJECT}/accounts:lookup"}
        settings = folder / "trust.json"
        settings.write_text(json.dumps({"passwordCost": "small", "signIn": {"customToken": True}, "trust": {
            "issuers": [trusted], "trustedHosts": ["127.0.0.1"], "authorityFile": str(authority.certificate)}}))
        self.clock = SteppableClock(folder)
        self.server = serve(
            *tls, "--auth-config", str(settings), rules=RULES, environment=self.clock.environment)

    def status(self, path, token):
        return requests.get(f"{self.server.url}{path}.json", params={"auth": token}, timeout=WAIT_SECONDS).status_code

    def rotate(self):
        """Replaces the issuer's signing key. The server fetches keys again ten seconds after the last time."""
        self.issuer.run("keys", "rotate", "--now")
        self.clock.set(11)

    def stop_issuer(self):
        assert self.issuer.stop() == 0


@pytest.fixture
def move(serve, tmp_path, monkeypatch):
    return Move(serve, tmp_path, monkeypatch)


@pytest.fixture
def page(move, tmp_path):
    script = sdk.bundle(tmp_path)
    places = {**dict.fromkeys(HOSTS[:2], move.issuer.authority), DATABASE.removeprefix("https://"): move.server.authority}
    rules = ",".join(f"MAP {name}:443 {authority}" for name, authority in places.items())
    with browser(
            f"--host-resolver-rules={rules}", "--disable-features=LocalNetworkAccessChecks",
            "--ignore-certificate-errors") as made:
        context = made.new_context(ignore_https_errors=True)
        context.route(f"{APP}/", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
        context.route(f"{APP}/sdk.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
        page = context.new_page()
        page.set_default_timeout(MILLISECONDS)
        page.goto(f"{APP}/")
        yield page


def test_a_page_of_the_web_sdk_works_through_a_key_rotation_and_an_outage(move, page):
    uid = move.users.sign_up("ann@example.com", PASSWORD)["localId"]

    def write(value):
        page.evaluate("([path, value]) => write(path, value)", [f"/users/{uid}/note", value])
        page.wait_for_function("value => JSON.stringify(seen.at(-1)).includes(value)", arg=value, timeout=MILLISECONDS)

    key = "async () => JSON.parse(atob((await auth.currentUser.getIdToken(true)).split('.')[0])).kid"
    sign_in = "([email, password]) => firebase.signInWithEmailAndPassword(auth, email, password).then(made => made.user.uid)"
    assert page.evaluate(sign_in, ["ann@example.com", PASSWORD]) == uid
    page.evaluate("path => listen(path)", f"/users/{uid}")
    write("first")
    refusal = page.evaluate("() => write('/users/other', 1).catch(error => String(error))")
    assert "permission" in refusal.lower(), refusal
    first = page.evaluate(key)
    move.rotate()
    assert page.evaluate(key) != first
    write("with another key")
    move.stop_issuer()
    write("without the issuer")
    # A page that is opened again has the user, and the keys that the server has are sufficient.
    page.reload()
    assert page.evaluate("() => signedIn()") == uid
    page.evaluate("path => listen(path)", f"/users/{uid}")
    write("after a reload")
    move.issuer.start()
    assert page.evaluate(sign_in, ["ann@example.com", PASSWORD]) == uid
    assert page.evaluate("path => read(path)", f"/users/{uid}") == {"note": "after a reload"}
    # No account was created here.
    assert json.loads(move.server.run("users", "list", "--json")) == []


@pytest.fixture
def back_end(move, request, monkeypatch):
    """firebase-admin of the app's back end: Firebase Auth as before, and the database with a service account of its new server."""
    resolve = socket.getaddrinfo

    def find(host, port, *rest, **named):
        return resolve("127.0.0.1", move.issuer.port, *rest, **named) if host in HOSTS and port == 443 else resolve(
            host, port, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", find)
    made = [
        firebase_admin.initialize_app(
            credentials.Certificate(move.account), {"projectId": PROJECT}, name=f"{request.node.name} {number}")
        for number in (1, 2)]
    made.append(firebase_admin.initialize_app(
        credentials.Certificate(json.loads(move.server.run("service-account", "create", "back-end"))),
        {"databaseURL": f"{move.server.url}?ns=default"}, name=f"{request.node.name} data"))
    yield made
    for app in made:
        firebase_admin.delete_app(app)


def test_firebase_admin_works_through_a_key_rotation_and_an_outage(move, back_end):
    people, others, data = back_end
    auth.create_user(uid="ann", email="ann@example.com", email_verified=True, app=people)
    auth.set_custom_user_claims("ann", {"role": "editor"}, app=people)

    def sign_in(people):
        token = move.users.custom(auth.create_custom_token("ann", app=people).decode())["idToken"]
        assert auth.verify_id_token(token, app=people)["role"] == "editor"
        return token

    def exchange(token, value):
        """The back end writes and the user reads, and the other way round."""
        db.reference("/users/ann", data).set(value)
        url = f"{move.server.url}/users/ann.json"
        assert requests.get(url, params={"auth": token}, timeout=WAIT_SECONDS).json() == value
        assert requests.put(url, params={"auth": token}, json=value + 1, timeout=WAIT_SECONDS).status_code == 200
        assert db.reference("/users/ann", data).get() == value + 1

    first = sign_in(people)
    exchange(first, 1)
    move.rotate()
    # An app object of the SDK keeps certificates for as long as the issuer allows. This one has none yet.
    second = sign_in(others)
    exchange(second, 3)
    exchange(first, 5)
    move.stop_issuer()
    exchange(second, 7)
    # A token of Firebase Auth gives its back end no rights here.
    assert move.status("/", second) == 401
    assert move.status("/.settings/rules", second) in (401, 403)


@pytest.fixture
def watched(serve, tmp_path, monkeypatch):
    return Move(serve, tmp_path, monkeypatch, looks_up=True)


def test_a_user_who_is_disabled_at_the_issuer_loses_listeners(watched):
    """Security 100: users who are disabled, deleted or signed out at their issuer lose access."""
    move = watched
    ann, bob = (move.users.sign_up(f"{name}@example.com", PASSWORD) for name in ("ann", "bob"))
    live = Client(move.server)
    live.call("auth", cred=ann["idToken"])
    live.listen(f"/users/{ann['localId']}")
    other = Client(move.server)
    other.call("auth", cred=bob["idToken"])
    other.listen(f"/users/{bob['localId']}")
    stream = requests.get(
        f"{move.server.url}/users/{ann['localId']}.json", params={"auth": ann["idToken"]}, stream=True, timeout=WAIT_SECONDS,
        headers={"Accept": "text/event-stream"})
    lines = stream_lines(stream)
    assert next(lines) == "event: put"
    move.issuer.run("users", "disable", ann["localId"])
    live.expect("ac", **ENDED)
    live.expect("c", p=f"users/{ann['localId']}")
    assert any(line == "event: auth_revoked" for line in lines)
    assert move.status(f"/users/{ann['localId']}", ann["idToken"]) == 401
    assert move.status(f"/users/{bob['localId']}", bob["idToken"]) == 200
    receipts = requests.get(
        f"{move.server.url}/.settings/receipts.json", params={"auth": move.server.secret(), "wait": 50},
        timeout=WAIT_SECONDS).json()
    assert receipts["receipts"][-1]["revocation"] == {
        "number": 1, "event": "revoke", "kind": "foreignTokens", "issuer": ISSUER, "uid": ann["localId"]}, receipts
    # A user who is enabled again, or signs in again, is accepted.
    move.issuer.run("users", "enable", ann["localId"])
    until(lambda: move.status(f"/users/{ann['localId']}", move.users.sign_in("ann@example.com", PASSWORD)["idToken"]) == 200)
    move.issuer.run("users", "revoke", bob["localId"])
    other.expect("ac", **ENDED)
    fresh = move.users.sign_in("bob@example.com", PASSWORD)["idToken"]
    assert move.status(f"/users/{bob['localId']}", fresh) == 200
    assert move.status(f"/users/{bob['localId']}", bob["idToken"]) == 401
    # Without an answer of the issuer nothing changes, and the log says so.
    move.stop_issuer()
    until(lambda: "cannot be looked up" in move.server.log())
    assert move.status(f"/users/{bob['localId']}", fresh) == 200
    assert move.status(f"/users/{bob['localId']}", bob["idToken"]) == 401
    assert "PRIVATE KEY" not in move.server.log()
    live.close()
    other.close()
