"""Tokens of other issuers, verified by plugins in processes of their own; and the audit trail's delivery to plugins."""

import hashlib
import json
import shutil
import time

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec, rsa

import secrets_seen
from client import Client
from conftest import ROOT, hearth, let_everyone_into
from plugin_packages import plugin_with_packages
from stand_in_server import StandInServer
from waits import WAIT_SECONDS

OIDC = ROOT / "Plugins" / "OIDCVerifierPython"
RULES = json.dumps({"rules": {
    "users": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}},
    "edited": {".read": "auth.token.roles.editor === true && auth.provider === 'oidc'"}}})
ENDED = {"s": "expired_token", "d": "Auth token is expired."}


class Issuer(StandInServer):
    """An OpenID Connect issuer with the URL paths of Keycloak."""

    def __init__(self):
        self.keys, self.asked = {}, []
        self.rotate("k1")
        super().__init__()
        self.issuer = f"{self.origin}/realms/app"

    def respond(self, request):
        self.asked.append(request.path)
        if request.path.endswith("/.well-known/openid-configuration"):
            return request.reply({"issuer": self.issuer, "jwks_uri": self.issuer + "/certs"})
        request.reply({"keys": [
            {**json.loads(self.algorithm(key).to_jwk(key.public_key())), "kid": kid, "use": "sig"}
            for kid, key in self.keys.items()]})

    @staticmethod
    def algorithm(key):
        return jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm

    def rotate(self, kid, kind="RSA"):
        made = rsa.generate_private_key(65537, 2048) if kind == "RSA" else ec.generate_private_key(ec.SECP256R1())
        self.keys[kid] = made

    def token(self, uid, kid="k1", key=None, **changes):
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": uid, "azp": "my-app", "aud": "account", "typ": "Bearer", "iat": now,
            "exp": now + 300, "email": uid + "@example.com", "email_verified": True,
            "realm_access": {"roles": ["editor", "offline_access"]}, **changes}
        key = key or self.keys[kid]
        algorithm = "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
        token = jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})
        secrets_seen.note(token)
        return token


@pytest.fixture(scope="module")
def issuer():
    with Issuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def oidc(tmp_path_factory):
    """The plugin with its libraries, in a folder that all users may read."""
    return plugin_with_packages("OIDCVerifierPython", tmp_path_factory.mktemp("oidc"), "pyjwt", "cryptography")


def status(server, path, token):
    return requests.get(
        f"{server.url}{path}.json", headers={"Authorization": "Bearer " + token}, timeout=WAIT_SECONDS).status_code


def test_tokens_of_an_issuer_open_the_database(serve, issuer, oidc):
    server = serve(rules=RULES)
    token = issuer.token("ann")
    assert status(server, "/users/ann", token) == 401
    assert "Set issuer, clients" in server.run("plugins", "add", str(oidc), "--yes")
    server.run("plugins", "settings", "oidc-verifier", "issuer=" + issuer.issuer, 'clients=["my-app"]')
    assert "running" in server.run("plugins", "enable", "oidc-verifier")
    assert status(server, "/users/ann", token) == 200
    assert status(server, "/users/bob", token) == 401
    assert status(server, "/edited", token) == 200
    for parameter in ("auth", "access_token"):
        answer = requests.get(f"{server.url}/users/ann.json", params={parameter: token}, timeout=WAIT_SECONDS)
        assert answer.status_code == 200
    live = Client(server)
    auth = live.call("auth", cred=token)["auth"]
    assert auth["uid"] == "ann" and auth["provider"] == "oidc", auth
    assert auth["token"]["email"] == "ann@example.com" and auth["token"]["roles"] == {"editor": True}
    live.close()
    # Each reason for which a token is refused; the server's own credentials are not passed to the plugin.
    now = int(time.time())
    other = rsa.generate_private_key(65537, 2048)
    for bad in (
            issuer.token("ann", key=other), issuer.token("ann", azp="another"), issuer.token("ann", exp=now - 1),
            issuer.token("ann", nbf=now + 600), issuer.token("ann", typ="Logout"), issuer.token("ann", aud="x", azp=[]),
            token[:-8] + "AAAAAAAA", issuer.token("ann", kid="made-up", key=other)):
        assert status(server, "/users/ann", bad) == 401
    count = json.loads(server.run("plugins", "list", "--json"))["plugins"][0]["hooks"][0]["requests"]
    assert status(server, "/users/ann", server.token("ann")) == 200
    assert status(server, "/users/ann", server.secret()) == 200
    assert status(server, "/users/ann", "x" * 40) == 401
    assert json.loads(server.run("plugins", "list", "--json"))["plugins"][0]["hooks"][0]["requests"] == count
    # Tokens with invented key ids do not make the plugin fetch the issuer's keys again so soon.
    assert issuer.asked.count("/realms/app/certs") == 1
    # The issuer changes to a key of another type; a restarted plugin fetches it.
    issuer.rotate("k2", "EC")
    server.run("plugins", "enable", "oidc-verifier")
    assert status(server, "/users/ann", issuer.token("ann", kid="k2")) == 200
    # With the plugin disabled, its tokens are refused.
    live = Client(server)
    live.call("auth", cred=token)
    server.run("plugins", "disable", "oidc-verifier")
    live.expect("ac", **ENDED)
    live.close()
    assert status(server, "/users/ann", token) == 401
    assert token not in server.log() and token not in server.run("plugins", "logs", "oidc-verifier")


def test_keys_of_an_issuer_are_read_again_for_an_unknown_key_and_rarely(oidc, issuer, monkeypatch):
    monkeypatch.syspath_prepend(str(oidc))
    import keys as plugin_keys

    now = [1_000.0]
    monkeypatch.setattr(plugin_keys.time, "monotonic", lambda: now[0])
    settings = {"issuer": issuer.issuer, "keys": {}}
    found = plugin_keys.IssuerKeys()
    reads = issuer.asked.count("/realms/app/certs")
    assert found.find("k1", "RS256", settings) is not None
    issuer.rotate("k9")
    for passed, is_known, count in ((9, False, 1), (1, True, 2), (1, True, 2), (60, False, 3), (3600, True, 4)):
        now[0] += passed
        key = found.find("k9" if is_known else "made-up", "RS256", settings)
        assert (key is not None) == is_known
        assert issuer.asked.count("/realms/app/certs") == reads + count
    # A key that the issuer withdrew is accepted for an hour at most; a key of another algorithm never is.
    del issuer.keys["k9"]
    assert found.find("k9", "RS256", settings) is not None
    assert found.find("k9", "ES256", settings) is None
    now[0] += 3600
    assert found.find("k9", "RS256", settings) is None
    # While the issuer is down, keys fetched within the last hour are used; after that the plugin cannot decide.
    settings["issuer"] = "http://127.0.0.1:9"
    now[0] += 11
    assert found.find("k1", "RS256", settings) is not None
    assert found.find("k9", "RS256", settings) is None
    now[0] += 3600
    with pytest.raises(plugin_keys.Temporary):
        found.find("k1", "RS256", settings)


def test_the_verifier_passes_the_contract_suite(oidc):
    said = hearth("plugins", "test", str(oidc), "--settings", str(OIDC / "test-settings.json"))
    assert "passed all tests" in said and "one that the public key signed as a secret ok" in " ".join(said.split())


# Accepts sess_NAME as the user NAME. When an audit record "revoke" names the token, it revokes the sessions it verified.
SESSIONS = """
import threading, time
from hearth_plugin import Plugin, Temporary, rejected, verified
plugin = Plugin("sessions", "1")
seen, lock = {}, threading.Lock()
@plugin.hook("verifyToken")
def verify(question, settings):
    token = question["token"]
    if token == "sess_die": import os; os._exit(3)
    with lock:
        seen[token] = question["digest"]
    if token.startswith("sess_end_"):
        plugin.revoke(tokens=[seen[token.replace("end_", "")]])
        return rejected()
    if token.startswith("sess_out_"):
        plugin.revoke(uids=[token[9:]])
        # The answer is sent after its own revocation.
        return verified(token[9:], cacheSeconds=600)
    return verified(token[5:], cacheSeconds=600)
@plugin.hook("audit")
def audit(entry, settings):
    if settings["fails"]: raise Temporary("the collector does not answer")
    with open(settings["file"], "a") as file: file.write("%s %s\\n" % (entry["seq"], entry["event"]))
plugin.run()
"""


@pytest.fixture
def sessions(serve, tmp_path):
    server = serve("--sign-in", "anonymous", rules=RULES)
    folder = tmp_path / "sessions"
    shutil.copytree(ROOT / "Plugins" / "Python" / "hearth_plugin", folder / "hearth_plugin")
    (folder / "main.py").write_text(SESSIONS, encoding="utf-8")
    (folder / "plugin.json").write_text(json.dumps({
        "name": "sessions", "version": "1", "protocol": 1, "command": ["python3", "./main.py"],
        "hooks": ["verifyToken", "audit"], "verifies": {"opaquePrefixes": ["sess_"]},
        "settings": {"file": {"type": "text", "isRequired": True}, "fails": {"type": "boolean", "default": False}}}),
        encoding="utf-8")
    trail = tmp_path / "trail.txt"
    trail.touch()
    trail.chmod(0o666)
    let_everyone_into(tmp_path)
    server.trail = trail
    server.run("plugins", "add", str(folder), "--yes")
    server.run("plugins", "settings", "sessions", f"file={trail}")
    server.run("plugins", "enable", "sessions")
    return server


def test_a_revocation_that_a_plugin_pushes_signs_out(sessions):
    server = sessions
    ann, bob = Client(server), Client(server)
    for live, uid in ((ann, "ann"), (bob, "bob")):
        live.call("auth", cred="sess_" + uid)
        live.call("q", p=f"/users/{uid}", h="")
    assert status(server, "/users/ann", "sess_end_ann") == 401
    ann.expect("ac", **ENDED)
    ann.expect("c", p="users/ann")
    receipts = requests.get(
        server.url + "/.settings/receipts.json", params={"auth": server.secret(), "revocation": 1, "wait": 20},
        timeout=WAIT_SECONDS).json()["receipts"]
    assert receipts[0]["revocation"] == {
        "number": 1, "event": "revoke", "kind": "foreignTokens", "plugin": "sessions", "tokens": 1}, receipts
    assert receipts[0]["cancelled"] == receipts[0]["sent"] == 1
    # Revoked by user; the verification that arrived after the revocation is ignored.
    assert status(server, "/users/bob", "sess_out_bob") == 401
    bob.expect("ac", **ENDED)
    bob.expect("c", p="users/bob")
    assert status(server, "/users/bob", "sess_bob") == 200
    # A plugin that dies decides nothing, and the error names it.
    dead = requests.get(server.url + "/users/ann.json", params={"auth": "sess_die"}, timeout=WAIT_SECONDS)
    assert dead.status_code == 503 and "plugin sessions could not check" in dead.text
    assert "by plugin sessions, tokens: 1" in server.run("audit", "tail")
    for name in ("sess_ann", hashlib.sha256(b"sess_ann").hexdigest()):
        assert name not in server.log()


def test_the_audit_trail_reaches_a_plugin(sessions):
    server = sessions

    def sign_up():
        url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"
        return requests.post(url, json={"returnSecureToken": True}, timeout=WAIT_SECONDS)

    def wait_for(count):
        deadline = time.monotonic() + WAIT_SECONDS
        while len(lines := server.trail.read_text().splitlines()) < count:
            assert time.monotonic() < deadline, lines
            time.sleep(0.01)
        return [line.split() for line in lines]

    for _ in range(3):
        assert sign_up().status_code == 200
    taken = wait_for(6)
    assert [event for _, event in taken].count("sign_up") == 3
    # While the plugin fails no sign-up waits, and no record is lost as long as the queue has room.
    server.run("plugins", "settings", "sessions", "fails=true")
    for _ in range(3):
        assert sign_up().status_code == 200
    server.run("plugins", "settings", "sessions", "fails=false")
    taken = wait_for(12)
    numbers = sorted(int(number) for number, _ in taken)
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
