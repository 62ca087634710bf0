"""ID tokens of another server, whom the operator trusts: they open databases, and nothing else."""

import json
import time

import pytest
import requests

from client import Client
from conftest import hearth
from console_client import Session, start_link
from identity import Identity, claims
from postgres import PROGRAMS, WHY_NOT
from waits import WAIT_SECONDS, until

RULES = json.dumps({"rules": {
    "users": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}},
    "claims": {".read": "auth.token.auth_time > 0 && auth.provider === 'password'"
                        " && auth.token.firebase.identities.email[0] === 'ann@example.com' && auth.token.role === 'editor'"},
    "admin": {".read": "auth.token.admin === true"}}})
KEYS = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
ENDED = {"s": "expired_token", "d": "Auth token is expired."}
PASSWORD = "correct horse"


def issuer(serve, project="my-app"):
    """Starts the server that plays the issuer, with a user; returns it, the user's sign-in, and the user's ID token."""
    server = serve("--sign-in", "password", "--project", project, name="issuer", rules=RULES, makes_keys=True)
    person = Identity(server).sign_up("ann@example.com", PASSWORD)
    server.run("users", "set-claims", person["localId"], '{"role":"editor"}')
    return server, Identity(server).sign_in("ann@example.com", PASSWORD)


def trust(tmp_path, server, project="my-app", **more):
    """Returns the options of a server that trusts the issuer; Google's URLs are replaced by those of the issuer."""
    path = tmp_path / "trust.json"
    path.write_text(json.dumps({"signIn": {"password": True}, "passwordCost": "small", "trust": {
        "trustedHosts": ["127.0.0.1"], "allowsPlainHTTP": True,
        "issuers": [{
            "issuer": f"https://securetoken.google.com/{project}", "audiences": [project], "uidPrefix": "",
            "keysURL": server.url + KEYS, **more}]}}))
    return ["--auth-config", str(path)]


def status(server, path, token, **parameters):
    return requests.get(
        f"{server.url}{path}.json", params={"auth": token, **parameters}, timeout=WAIT_SECONDS).status_code


def test_tokens_of_a_trusted_issuer_open_the_database_and_nothing_else(serve, tmp_path):
    """Security 94: a trusted issuer's token is a user's and opens databases only."""
    source, signed_in = issuer(serve)
    token, uid = signed_in["idToken"], signed_in["localId"]
    server = serve(*trust(tmp_path, source), "--console-claim", "role=editor", rules=RULES)
    assert status(server, f"/users/{uid}", token) == 200
    assert status(server, "/users/other", token) == 401 and status(server, "/admin", token) == 401
    assert status(server, "/claims", token) == 200
    live = Client(server)
    auth = live.call("auth", cred=token)["auth"]
    assert auth["uid"] == uid and auth["token"] == claims(token), auth
    live.close()
    stream = requests.get(
        f"{server.url}/users/{uid}.json", params={"auth": token}, headers={"Accept": "text/event-stream"}, stream=True,
        timeout=WAIT_SECONDS)
    assert stream.status_code == 200
    stream.close()
    # The token signs in to no account here, changes none, and opens no settings and no console.
    app = Identity(server)
    for operation, body in (("accounts:lookup", {}), ("accounts:update", {"password": "another one"}), ("accounts:delete", {})):
        app.fail(operation, {"idToken": token, **body}, "INVALID_ID_TOKEN")
    app.refresh_fails(signed_in["refreshToken"], "INVALID_REFRESH_TOKEN")
    for path in ("/.settings/rules", "/.settings/databases", "/.settings/triggers"):
        assert status(server, path, token) in (401, 403), path
        header = requests.get(
            f"{server.url}{path}.json", headers={"Authorization": "Bearer " + token}, timeout=WAIT_SECONDS)
        assert header.status_code in (401, 403), path
    entered = requests.post(
        f"{server.url}/.console/api/session", json={"idToken": token}, headers={"Origin": server.url}, timeout=WAIT_SECONDS)
    assert entered.status_code in (401, 403), entered.text
    assert json.loads(server.run("users", "list", "--json")) == []
    said = server.run("token", "verify", token)
    assert said == f"valid: ID token of {uid}, verified by issuer https://securetoken.google.com/my-app\n", said
    verdict = json.loads(server.run("token", "verify", token, "--json"))
    assert verdict["auth"]["token"] == claims(token) and not verdict["administrator"], verdict
    said = server.run("token", "verify", token[:-8] + "AAAAAAAA", expect=1)
    assert "not valid: issuer https://securetoken.google.com/my-app: the verifier refuses the token" in said, said
    # The server's own users are signed in beside it; the issuer does not accept their tokens.
    own = app.sign_up("ann@example.com", PASSWORD)
    assert status(server, f"/users/{own['localId']}", own["idToken"]) == 200
    assert status(source, f"/users/{own['localId']}", own["idToken"]) == 401
    # A server that does not trust the issuer refuses its token.
    assert status(serve(name="other", rules=RULES), f"/users/{uid}", token) == 401
    assert token not in server.log()


def test_with_one_project_id_on_both_servers_the_key_decides(serve, tmp_path):
    """Security 97: the key of a token decides which server issued it."""
    source, signed_in = issuer(serve)
    server = serve(*trust(tmp_path, source), "--project", "my-app", rules=RULES)
    assert status(server, f"/users/{signed_in['localId']}", signed_in["idToken"]) == 200
    own = Identity(server).sign_up("bob@example.com", PASSWORD)
    assert status(server, f"/users/{own['localId']}", own["idToken"]) == 200
    # Sessions of the server's own that ended stay ended.
    server.run("users", "revoke", own["localId"])
    until(lambda: status(server, f"/users/{own['localId']}", own["idToken"]) == 401)
    # Modified tokens of either server are refused.
    for token in (signed_in["idToken"], own["idToken"]):
        head, body, signature = token.split(".")
        assert status(server, "/claims", ".".join([head, body, signature[:-8] + "AAAAAAAA"])) == 401


def test_an_account_that_is_disabled_here_stays_out_with_a_trusted_token(serve, tmp_path):
    """Security 96: accounts that are disabled or deleted here stay locked out."""
    source, signed_in = issuer(serve)
    token, uid = signed_in["idToken"], signed_in["localId"]
    server = serve(*trust(tmp_path, source), rules=RULES)
    server.run("users", "create", "ann@example.com", "--uid", uid, "--without-password")
    live = Client(server)
    live.call("auth", cred=token)
    live.listen(f"/users/{uid}")
    server.run("users", "disable", uid)
    live.expect("ac", **ENDED)
    live.close()
    assert status(server, f"/users/{uid}", token) == 401
    server.run("users", "enable", uid)
    time.sleep(1.1)  # A token issued in the second of the change is refused.
    fresh = Identity(source).sign_in("ann@example.com", PASSWORD)["idToken"]
    assert status(server, f"/users/{uid}", fresh) == 200
    server.run("users", "delete", uid, "--yes")
    assert status(server, f"/users/{uid}", fresh) == 401


def test_trust_outlives_an_outage_of_the_issuer(serve, tmp_path):
    source, signed_in = issuer(serve)
    token, uid = signed_in["idToken"], signed_in["localId"]
    options = trust(tmp_path, source)
    server = serve(*options, rules=RULES)
    assert status(server, f"/users/{uid}", token) == 200
    other = Identity(source).sign_in("ann@example.com", PASSWORD)["idToken"]
    assert source.stop() == 0
    # Known keys decide about tokens that the server has not seen.
    assert status(server, f"/users/{uid}", other) == 200
    assert server.stop() == 0
    # A server that has never read the keys decides nothing: clients try again.
    server = serve(*options, rules=RULES)
    answer = requests.get(f"{server.url}/users/{uid}.json", params={"auth": token}, timeout=WAIT_SECONDS)
    assert answer.status_code == 503 and "issuer https://securetoken.google.com/my-app could not" in answer.text, answer.text


def test_the_uids_of_another_issuer_have_its_prefix(serve, tmp_path):
    source, signed_in = issuer(serve)
    token, uid = signed_in["idToken"], signed_in["localId"]
    server = serve(*trust(tmp_path, source, uidPrefix="ext:"), rules=RULES)
    assert status(server, f"/users/{uid}", token) == 401
    assert status(server, f"/users/ext:{uid}", token) == 200


def test_flags_name_trusted_issuers(serve, tmp_path):
    for options, problem, code in (
            (["--trust-issuer", "https://id.example.com"], "--trust-issuer needs --trust-audience", 64),
            (["--trust-audience", "api"], "need --trust-issuer", 64),
            (["--trust-issuer", "id.example.com", "--trust-audience", "api"], "must be a URL", 64),
            (["--trust-firebase-project", "My App"], "must be the id of a Firebase project", 64),
            (["--trust-firebase-project", "a", "--trust-firebase-project", "a"], "names the issuer", 1)):
        said = hearth("serve", "--data", str(tmp_path / "no"), "--port", "0", *options, expect=code)
        assert problem in said, said
    server = serve(
        "--trust-firebase-project", "my-app", "--trust-issuer", "https://id.example.com", "--trust-audience", "api",
        rules=RULES)
    assert status(server, "/users/x", "x") == 401
    assert "accepts tokens of https://securetoken.google.com/my-app; accepts tokens of https://id.example.com" in server.log()


def test_an_issuer_opens_the_databases_of_its_settings_only(serve, tmp_path):
    """Security 98: tokens open the databases that the settings of their issuer name."""
    source, signed_in = issuer(serve)
    token, path = signed_in["idToken"], f"/users/{signed_in['localId']}"
    server = serve(*trust(tmp_path, source, databases=["shop"]), rules=RULES)
    for name in ("shop", "guests"):
        rules = tmp_path / f"{name}.json"
        rules.write_text(RULES)
        server.run("databases", "create", name, "--rules", str(rules))
    for _ in range(2):
        assert [status(server, path, token, ns=name) for name in ("shop", "guests", "default")] == [200, 401, 401]
    said = server.run("token", "verify", token)
    assert said.endswith("verified by issuer https://securetoken.google.com/my-app, for the databases shop\n"), said
    stream = requests.get(
        f"{server.url}{path}.json", params={"auth": token, "ns": "guests"}, headers={"Accept": "text/event-stream"},
        timeout=WAIT_SECONDS)
    assert stream.status_code == 401
    for name, outcome in (("shop", "ok"), ("guests", "invalid_token")):
        live = Client(server, ns=name)
        live.call("auth", outcome, cred=token)
        live.close()


def test_trust_is_changed_in_the_console_without_a_restart(serve, tmp_path):
    """Security 99: tokens of an issuer that is removed become invalid at once."""
    source, signed_in = issuer(serve)
    token, path = signed_in["idToken"], f"/users/{signed_in['localId']}"
    server = serve(*trust(tmp_path, source), rules=RULES)
    console = Session(*start_link(server))

    def change(**lists):
        answer = console.ask("POST", "server/hearth/v1/trust:set", lists)
        assert answer.status == 200, answer.body
        return answer.json["issuers"]

    live = Client(server)
    live.call("auth", cred=token)
    live.listen(path)
    (trusted,) = change()
    assert change(issuers=[]) == []
    live.expect("ac", **ENDED)
    live.expect("c", p=path[1:])
    assert status(server, path, token) == 401
    receipts = requests.get(
        f"{server.url}/.settings/receipts.json", params={"auth": server.secret(), "wait": 50},
        timeout=WAIT_SECONDS).json()["receipts"]
    assert receipts[0]["revocation"]["issuer"] == trusted["issuer"] and receipts[0]["cancelled"] == 1, receipts
    # The list of the console replaces that of the file, until it is taken back.
    server.stop()
    server.start()
    assert status(server, path, token) == 401
    console = Session(*start_link(server))
    assert change(issuers=None) == [trusted]
    assert status(server, path, token) == 200
    assert change(issuers=[{**trusted, "databases": ["shop"]}])[0]["databases"] == ["shop"]
    assert status(server, path, token) == 401
    lookup = {**trusted, "userLookup": {"keyFile": "/etc/shadow"}}
    for lists in ({"issuers": [{"issuer": "x"}]}, {"trustedHosts": []}, {"issuers": [lookup]}):
        assert console.ask("POST", "server/hearth/v1/trust:set", lists).status == 400, lists
    live.close()


def test_rules_are_tried_as_the_user_of_a_token(serve, tmp_path):
    source, signed_in = issuer(serve)
    token, path = signed_in["idToken"], f"/users/{signed_in['localId']}"
    server = serve(*trust(tmp_path, source), rules=RULES)
    own = Identity(server).sign_up("bob@example.com", PASSWORD)
    console = Session(*start_link(server))

    def attempt(token, read, expect=200, **more):
        answer = console.ask("POST", "try", {"database": "default", "request": {"read": read}, "token": token, **more})
        assert answer.status == expect, answer.body
        return answer.json

    tried = attempt(token, path)
    assert tried["allowed"] is True and tried["auth"]["uid"] == signed_in["localId"]
    assert tried["auth"]["token"] == claims(token)
    assert attempt(token, "/claims")["allowed"] is True and attempt(token, "/admin")["allowed"] is False
    assert attempt(own["idToken"], f"/users/{own['localId']}")["allowed"] is True
    assert attempt(own["idToken"], path)["allowed"] is False
    for wrong, problem in (
            (token[:-8] + "AAAAAAAA", "is not valid: refused by issuer"), ("x", "is not valid"),
            (server.secret(), "is not a user's"), ("", "must be a user's token"), (1, "must be a user's token")):
        assert problem in attempt(wrong, path, expect=400)["error"], wrong
    assert token not in server.log()


@pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)
def test_trust_that_is_changed_at_one_node_changes_at_all(cluster, serve, tmp_path):
    source, signed_in = issuer(serve)
    token, path = signed_in["idToken"], f"/users/{signed_in['localId']}"
    nodes = cluster(*trust(tmp_path, source), rules=RULES, names="ab")
    everywhere = (nodes["a"], nodes["b"])
    listeners = []
    for node in everywhere:
        until(lambda: status(node, path, token) == 200)
        live = Client(node)
        live.call("auth", cred=token)
        live.listen(path)
        listeners.append(live)

    def change(node, issuers):
        answer = requests.post(
            f"{node.url}/hearth/v1/trust:set", json={"issuers": issuers}, timeout=WAIT_SECONDS,
            headers={"Authorization": f"Bearer {node.run('token', 'mint', '--admin').strip()}"})
        assert answer.status_code == 200, answer.text

    change(nodes["b"], [])
    for node, live in zip(everywhere, listeners):
        live.expect("ac", **ENDED)
        live.expect("c", p=path[1:])
        assert status(node, path, token) == 401
        live.close()
    change(nodes["a"], None)
    for node in everywhere:
        until(lambda: status(node, path, token) == 200)
