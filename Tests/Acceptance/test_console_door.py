"""Administration requests that the console forwards with the session's role and name."""

import json

import pytest
import requests

from client import Client
from console_client import CLOSED, OPEN, Events, admin, server, viewer
from identity import Identity
from waits import WAIT_SECONDS

LOOKS = [
    ("GET", ".settings/rules.json?ns=default"), ("GET", ".settings/rules/versions.json?ns=default"),
    ("GET", ".settings/receipts.json"), ("GET", ".inspect/databases.json"), ("GET", ".settings/triggers.json?ns=default"),
    ("GET", ".settings/plugins.json"), ("POST", "hearth/v1/status"), ("POST", "hearth/v1/audit:tail"),
    ("POST", "hearth/v1/audit:verify"), ("POST", "hearth/v1/keys:list"), ("POST", "hearth/v1/secrets:list"),
    ("POST", "hearth/v1/serviceAccounts:list"), ("POST", "accounts:query")]
CHANGES = [
    ("POST", ".settings/rules/versions.json?ns=default", {"source": OPEN}), ("POST", ".settings/databases.json", {"name": "second"}),
    ("DELETE", ".settings/databases/default.json", None), ("POST", "accounts", {"localId": "eve"}),
    ("POST", "accounts:update", {"localId": "ann", "disableUser": True}), ("POST", "accounts:delete", {"localId": "ann"}),
    ("POST", "hearth/v1/secrets:rotate", {}), ("POST", "hearth/v1/users:revoke", {"localId": "ann"}),
    ("PUT", ".settings/rules/staged.json?ns=default", {"source": OPEN}), ("POST", ".settings/plugins.json", {}),
    ("POST", "hearth/v1/serviceAccounts:create", {"name": "ci"})]


def through(session, method, path, body=None, **options):
    return session.ask(method, "server/" + path, body if body is not None or method == "GET" else {}, **options)


def state(server):
    """Returns the state that a refused request must not change."""
    auth = {"auth": server.secret()}
    rules = requests.get(server.url + "/.settings/rules.json", params=auth, timeout=WAIT_SECONDS).text
    return rules, server.run("users", "list", "--json"), server.run("databases", "list"), server.run("secrets", "list")


@pytest.mark.parametrize("method, path", LOOKS)
def test_administrators_and_viewers_may_read(admin, viewer, method, path):
    for session in admin, viewer:
        answer = through(session, method, path)
        assert answer.status == 200, answer.body
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-store"


def test_a_viewer_changes_nothing(server, viewer):
    server.run("users", "create", "--uid", "ann")
    before = state(server)
    for method, path, body in CHANGES:
        answer = through(viewer, method, path, body)
        assert answer.status == 403 and answer.json == {"error": "This session is read-only."}, path
    assert state(server) == before


def test_other_operations_are_refused(server, admin, viewer):
    server.run("users", "create", "--uid", "ann")
    before = state(server)
    for method, path, body in [
        ("GET", "rooms.json?ns=default", None), ("PUT", "rooms.json?ns=default", 1), ("GET", "", None), ("GET", ".json", None),
        ("PUT", ".settings/rules.json?ns=default", OPEN), ("POST", "hearth/v1/users:export", {}),
        ("GET", "accounts:batchGet", None), ("POST", ".settings/console.json", {}), ("GET", ".settings/denials/.json", None),
        ("GET", ".settings/denials/../rules.json", None), ("GET", ".settings//rules.json", None),
        ("GET", ".settings/rules/versions/..%2f..%2frooms.json", None), ("GET", "%2esettings/rules.json", None),
        ("GET", "/.settings/rules.json", None), ("POST", ".settings/rules.json", {}), ("PATCH", ".settings/rules.json", {}),
        ("POST", "identitytoolkit.googleapis.com/v1/accounts:lookup", {}),
        ("GET", ".console/api/session", None), ("GET", ".settings/rules.json/", None),
    ]:
        answer = through(admin, method, path, body)
        assert answer.status in (400, 404), (method, path, answer.status, answer.body)
    # A method that is overridden by a header.
    for name, value in ("X-HTTP-Method-Override", "PUT"), ("x-http-method-override", "DELETE"):
        answer = through(admin, "POST", ".settings/rules/decide.json?ns=default", {"requests": []}, headers={name: value})
        assert answer.status == 200
    for session in admin, viewer:
        answer = through(session, "POST", ".settings/rules/decide.json?ns=default&x-http-method-override=PUT", {"requests": []})
        assert answer.status == 400
    assert state(server) == before


def test_credentials_of_the_request_do_not_raise_the_role_of_the_session(server, admin, viewer):
    secret = server.secret()
    for headers in {"Authorization": f"Bearer {secret}"}, {"Authorization": "Bearer x"}:
        assert through(viewer, "GET", ".settings/rules.json?ns=default", headers=headers).status == 200
        answer = through(viewer, "POST", ".settings/rules/versions.json?ns=default", {"source": OPEN}, headers=headers)
        assert answer.status == 403
    # A credential in the URL is refused: the console adds its own.
    assert through(admin, "GET", f".settings/rules.json?ns=default&auth={secret}").status == 400


def test_a_deploy_names_the_session_and_is_audited(server, admin):
    answer = through(
        admin, "POST", ".settings/rules/versions.json?ns=default",
        {"source": OPEN, "expected": 1, "comment": "open it", "tool": "somebody else"})
    assert answer.status == 200, answer.body
    version = answer.json["version"]
    assert version["comment"] == "open it" and version["tool"] == "console, server-start"
    late = through(admin, "POST", ".settings/rules/versions.json?ns=default", {"source": CLOSED, "expected": 1})
    assert late.status == 412 and "error" in late.json
    broken = through(admin, "POST", ".settings/rules/versions.json?ns=default", {"source": '{"rules": {".read": "tru"}}'})
    assert broken.status == 400 and broken.json["error"].startswith("1:22: ")
    records = [json.loads(line) for line in server.run("audit", "tail", "--json").splitlines()]
    details = [record["detail"] for record in records if record["event"] == "console"]
    assert any("(server-start): POST /.settings/rules/versions.json" in detail for detail in details)


def test_accounts_are_administered_through_the_console(server, admin):
    made = through(admin, "POST", "accounts", {"localId": "ann", "email": "ann@example.com", "displayName": "Ann"})
    assert made.status == 200 and made.json["localId"] == "ann"
    found = through(admin, "POST", "accounts:lookup", {"email": ["ann@example.com"]}).json["users"]
    assert [user["localId"] for user in found] == ["ann"]
    done = through(admin, "POST", "accounts:update?revocations=1", {"localId": "ann", "disableUser": True})
    assert done.status == 200 and len(done.json["revocations"]) == 1
    receipts = through(admin, "GET", f".settings/receipts.json?revocation={done.json['revocations'][0]}&wait=10").json
    assert receipts["isComplete"] is True
    missing = through(admin, "POST", "accounts:update", {"localId": "nobody", "disableUser": True})
    assert missing.status == 400


def test_a_denial_is_explained_and_tried_with_other_rules(server, admin):
    rules = '{"rules": {"rooms": {"$room": {".write": "auth != null && root.child(\'members\').child($room).exists()"}}}}'
    assert through(admin, "POST", ".settings/rules/versions.json?ns=default", {"source": rules}).status == 200
    client = Client(server)
    client.sign_in(server.token("mira"))
    client.call("p", status="permission_denied", p="/rooms/lobby", d={"topic": "<b>", "n": 1})
    # The event stream names the denial's trace.
    stream = Events(admin, "ns=default&topics=denials")
    _, denial = stream.next("denial")
    stream.close()
    answer = through(admin, "GET", f".settings/denials/{denial['trace']}.json").json
    assert answer["request"]["write"] == "/rooms/lobby" and answer["request"]["value"] == {"topic": "<b>", "n": 1}
    assert answer["request"]["auth"]["uid"] == "mira" and answer["inForce"] is True
    decisive = answer["explanation"]["decisive"]
    assert "members" in decisive["text"] and decisive["value"] is False
    request = answer["request"]
    tried = through(admin, "POST", ".settings/rules/decide.json?ns=default", {"requests": [request], "explain": True}).json
    assert tried["decisions"][0]["allowed"] is False
    other = rules.replace(" && root.child('members').child($room).exists()", "")
    tried = through(
        admin, "POST", ".settings/rules/decide.json?ns=default", {"requests": [request], "explain": True, "rules": other}).json
    assert tried["decisions"][0]["allowed"] is True
    bad = through(admin, "POST", ".settings/rules/decide.json?ns=default", {"requests": [request], "rules": "{"})
    assert bad.status == 400
    assert through(admin, "POST", ".settings/rules/versions.json?ns=default", {"source": other}).status == 200
    assert through(admin, "GET", f".settings/denials/{denial['trace']}.json").json["inForce"] is False


def test_rules_are_checked_while_they_are_edited(admin, viewer):
    def check(source, session=admin):
        answer = session.ask("POST", "rules/check", {"source": source})
        assert answer.status == 200, answer.body
        return answer.json["problems"]

    assert check(CLOSED, viewer) == []
    (error,) = check('{"rules": {\n  ".read": "auth.uid == $x"}}')
    assert error["severity"] == "error" and error["line"] == 2 and "$x" in error["message"]
    assert [each["severity"] for each in check(OPEN)] != [] and all(each["severity"] != "error" for each in check(OPEN))
    assert check("")[0]["severity"] == "error"
    assert admin.ask("POST", "rules/check", {"source": 1}).status == 400
    assert admin.ask("POST", "rules/check", {"source": "x" * (9 << 20)}).status == 413
