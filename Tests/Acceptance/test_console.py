"""The console's server side: sessions and their roles, and the refusal of all other requests."""

import gzip
import json
import re

import pytest
import requests

import secrets_seen
from certificates import tls_options
from client import Client
from conftest import hearth
from console_client import API, CLOSED, OPEN, Session, admin, ask, link, put, server, start_link, viewer
from identity import Identity
from steppable_clock import SteppableClock
from waits import WAIT_SECONDS, until

JSON = {"Content-Type": "application/json"}

# All operations that need a session, with the body that the page sends.
OPERATIONS = {
    "look at the session": ("GET", "session", None),
    "end the session": ("DELETE", "session", None),
    "databases": ("GET", "databases", None),
    "credential": ("POST", "credential", {"database": "default"}),
    "outline": ("GET", "outline?ns=default&path=/", None),
    "events": ("GET", "events?ns=default&topics=denials", None),
    "check rules": ("POST", "rules/check", {"source": CLOSED}),
    "why": ("GET", "denials/1", None),
    "try": ("POST", "try", {"database": "default", "request": {"read": "/"}}),
    "people": ("GET", "people?q=ann", None),
    "one person": ("GET", "people/one?uid=ann", None),
    "look at rules": ("GET", "server/.settings/rules.json?ns=default", None),
    "deploy rules": ("POST", "server/.settings/rules/versions.json?ns=default", {"source": OPEN}),
    "disable somebody": ("POST", "server/accounts:update", {"localId": "ann", "disableUser": True}),
    "show presence": ("POST", "session/presence", {"key": "A" * 43}),
    "forecast": ("POST", "rules/forecast", {"database": "default", "source": CLOSED}),
    "coverage of a day": ("GET", "rules/coverage?ns=default&window=day", None),
    "look at the checks": ("GET", "now/doctor", None),
    "check again": ("POST", "now/doctor", {}),
    "backups": ("GET", "now/backups", None),
    "back up": ("POST", "now/backups", {}),
    "something else": ("GET", "nothing", None),
}


def audit(server, event):
    records = [json.loads(line) for line in server.run("audit", "tail", "-n", "1000", "--json").splitlines()]
    return [record for record in records if record["event"] == event]


# MARK: Opening a session

def test_the_link_that_a_start_prints_opens_one_session(server):
    address, key = start_link(server)
    assert address == server.authority
    session = Session(address, key)
    assert session.answer["role"] == "administrator" and session.answer["name"] == "server-start"
    assert session.answer["endsInSeconds"] == 43200 and session.answer["idleSeconds"] == 1800
    again = ask(address, "POST", API + "session", {"key": key}, JSON)
    assert again.status == 401 and again.headers["Set-Cookie"] is None and "token" not in again.json
    assert session.get("session?peek=1")["version"] == hearth("--version").strip()
    assert key not in server.log_path.read_text(encoding="utf-8"), "it is for who started the server"


def test_the_command_prints_links_for_both_roles(server):
    for options, role in ((), "administrator"), (("--read-only",), "viewer"):
        printed = server.run("console", *options)
        assert len(printed.splitlines()) == 1
        session = Session(*link(printed))
        assert session.answer["role"] == role and session.get("session")["role"] == role
    answer = json.loads(server.run("console", "--json"))
    assert set(answer) == {"link", "role"}


def test_the_console_command_needs_a_running_server(server):
    server.stop()
    assert "no server runs on" in server.run("console", expect=2)


def test_only_administrators_create_console_links(server, admin):
    url = f"{server.url}/.settings/console.json"
    tokens = ["", "Bearer x", "Bearer " + server.token("kim"), "Bearer " + admin.credential()["credential"]]
    for token in tokens:
        assert requests.post(url, headers={"Authorization": token} if token else {}, json={}, timeout=WAIT_SECONDS).status_code == 401
    assert requests.post(url, params={"auth": server.secret()}, json={}, timeout=WAIT_SECONDS).status_code == 401


@pytest.mark.parametrize("body", [
    {}, {"key": ""}, {"key": 1}, {"key": "x"}, {"key": "A" * 43}, {"key": None}, {"key": "x", "idToken": "y"}, [], "x",
    b"{", b"\xff", {"idToken": "x"}, {"key": "A" * 10000}])
def test_malformed_bodies_open_no_session_and_leave_the_key_usable(server, body):
    address, key = start_link(server)
    answer = ask(address, "POST", API + "session", body, JSON)
    assert 400 <= answer.status < 500 and set(answer.json) == {"error"} and answer.headers["Set-Cookie"] is None
    Session(address, key)


@pytest.mark.parametrize("headers, host", [
    ({**JSON, "Origin": "https://evil.example"}, None), ({**JSON, "Origin": "null"}, None),
    ({**JSON, "Sec-Fetch-Site": "cross-site"}, None), ({**JSON, "Sec-Fetch-Site": "same-site"}, None),
    (JSON, "evil.example"), ({"Content-Type": "text/plain"}, None), ({}, None),
    ({"Content-Type": "application/x-www-form-urlencoded"}, None), ({"Content-Type": ["application/json", "text/plain"]}, None)])
def test_requests_of_foreign_pages_leave_the_key_usable(server, headers, host):
    address, key = start_link(server)
    answer = ask(address, "POST", API + "session", {"key": key}, headers, host=host)
    assert answer.status == 403 and set(answer.json) == {"error"} and answer.headers["Set-Cookie"] is None
    Session(address, key)


def test_users_with_the_console_claim_sign_in_and_out(serve):
    server = serve("--console-claim", "console", "--sign-in", "password", rules=CLOSED)
    app, address = Identity(server), server.authority
    uids = {name: app.sign_up(f"{name}@example.com", "secret1")["localId"] for name in ("ada", "vic", "kim", "tom")}
    for name, claim in ("ada", "true"), ("vic", '"viewer"'), ("tom", '"owner"'):
        server.run("users", "set-claims", uids[name], f'{{"console":{claim}}}')

    def refused(name):
        token = app.sign_in(f"{name}@example.com", "secret1")["idToken"]
        answer = ask(address, "POST", API + "session", {"idToken": token}, JSON)
        return answer.status == 403 and answer.headers["Set-Cookie"] is None

    assert refused("kim") and refused("tom")
    session = Session(address, idToken=app.sign_in("ada@example.com", "secret1")["idToken"])
    assert session.answer["role"] == "administrator" and session.answer["name"] == "ada@example.com"
    viewer = Session(address, idToken=app.sign_in("vic@example.com", "secret1")["idToken"])
    assert viewer.answer["role"] == "viewer"
    live = session.socket(server)
    server.run("users", "disable", uids["ada"])
    frame = live.receive()
    assert frame["d"]["a"] == "ac", "the socket is signed out at once"
    assert session.ask("GET", "session").status == 401
    server.run("users", "set-claims", uids["vic"], "{}")
    assert viewer.ask("GET", "databases").status == 401


def test_accounts_open_no_session_unless_a_claim_is_configured(serve):
    server = serve("--sign-in", "password", rules=CLOSED)
    app = Identity(server)
    user = app.sign_up("ada@example.com", "secret1")
    server.run("users", "set-claims", user["localId"], '{"console":true}')
    token = app.sign_in("ada@example.com", "secret1")["idToken"]
    assert ask(server.authority, "POST", API + "session", {"idToken": token}, JSON).status == 403


# MARK: Refusals

def wrong_ways(admin, viewer):
    """Yields every way in which a request may be invalid, with the expected status."""
    evil, site = "https://evil.example", "Sec-Fetch-Site"
    return {
        "without anything": ({"Cookie": None, "X-Hearth-Console": None}, None, 403),
        "without a session": ({"Cookie": None, "X-Hearth-Console": "A" * 43}, None, 401),
        "cookie alone": ({"X-Hearth-Console": None}, None, 403),
        "cookie and an empty token": ({"X-Hearth-Console": ""}, None, 403),
        "token alone": ({"Cookie": None}, None, 401),
        "wrong token": ({"X-Hearth-Console": "A" * 43}, None, 401),
        "another session's token": ({"X-Hearth-Console": viewer.token}, None, 401),
        "another session's cookie": ({"Cookie": viewer.cookie}, None, 401),
        "halves in each other's place": (
            {"Cookie": admin.cookie.split("=")[0] + "=" + admin.token, "X-Hearth-Console": admin.cookie.split("=")[1]}, None, 401),
        "two cookies": ({"Cookie": admin.cookie + "; " + admin.cookie}, None, 401),
        "two tokens": ({"X-Hearth-Console": [admin.token, admin.token]}, None, 403),
        "foreign origin": ({"Origin": evil}, None, 403),
        "no origin of anybody's": ({"Origin": "null"}, None, 403),
        "the origin of another port": ({"Origin": "http://127.0.0.1:1"}, None, 403),
        "two origins": ({"Origin": [f"http://{admin.address}", evil]}, None, 403),
        "cross-site": ({site: "cross-site"}, None, 403),
        "same-site": ({site: "same-site"}, None, 403),
        "typed": ({site: "none"}, None, 403),
        "a name that was let point here": ({}, "evil.example:9000", 403),
        "a name that begins like ours": ({}, "127.0.0.1.evil.example", 403),
        "no host": ({}, [""], 403),
        "two hosts": ({}, [admin.address, admin.address], None),
        "another of our names": ({}, "localhost:" + admin.address.split(":")[1], 401),
        "a forged proxy": ({"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}, "evil.example", 403),
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_requests_without_a_valid_session_are_refused(server, admin, viewer, operation):
    put(admin, "secret", "treasure", server)
    method, path, body = OPERATIONS[operation]
    for way, (headers, host, status) in wrong_ways(admin, viewer).items():
        answer = admin.ask(method, path, body, headers, host=host)
        assert answer.status == status or status is None and answer.status in (400, 403), (way, answer.status, answer.body)
        assert set(answer.json) == {"error"} and answer.headers["Set-Cookie"] is None, (way, answer.body)
        assert b"treasure" not in answer.body and b"default" not in answer.body and b"hearth_console" not in answer.body
    assert admin.get("session?peek=1")["role"] == "administrator", "the session is as it was"
    details = [record["detail"] for record in audit(server, "console")]
    assert not any("ended" in detail for detail in details)


def test_requests_of_the_console_s_own_origin_are_accepted(admin):
    for headers in (
            {"Origin": f"http://{admin.address}", "Sec-Fetch-Site": "same-origin"}, {"Origin": f"HTTP://{admin.address}"}):
        assert admin.ask("GET", "databases", None, headers).status == 200


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "TRACE", "POST", "GET", "DELETE"])
def test_other_methods_are_refused(admin, method):
    for path in ("databases", "credential", "outline", "events", "session"):
        if (method, path) in {("GET", "databases"), ("GET", "outline"), ("GET", "events"), ("POST", "credential")} or path == "session" and method in ("GET", "POST", "DELETE"):
            continue
        answer = admin.ask(method, path, {} if method in ("PUT", "PATCH", "POST") else None)
        assert answer.status == 405 and set(answer.json) == {"error"}, (method, path, answer.status)


def test_refusals_and_sessions_are_in_the_audit_trail(server, admin):
    admin.ask("GET", "databases", None, {"Origin": "https://evil.example"})
    admin.ask("GET", "databases", None, host="evil.example")
    ask(admin.address, "POST", API + "session", {"key": "A" * 43}, JSON)
    refused = until(lambda: len(found := audit(server, "console_refused")) == 3 and found)
    assert {record["detail"] for record in refused} == {"cross-site", "unknown host", "an invalid link"}
    assert {record["ip"] for record in refused} == {"127.0.0.1"}
    admin.credential()
    assert admin.ask("DELETE", "session").status == 200
    details = [record["detail"] for record in audit(server, "console")]
    assert details == [
        "link for role administrator, for server-start", "session 1 opened: administrator, server-start",
        "session 1 (administrator) opens the database default", "session 1 ended"]


# MARK: Ends of sessions

def test_a_session_ends_at_sign_out(server, admin):
    live = admin.socket(server)
    credential = admin.credential()["credential"]
    answer = admin.ask("DELETE", "session")
    assert answer.status == 200 and "Max-Age=0" in answer.headers["Set-Cookie"]
    live.expect("ac", s="expired_token", d="Auth token is expired.")
    assert live.request("q", p="/a", h="") and live.reply(status="permission_denied") is not None
    for method, path, body in OPERATIONS.values():
        assert admin.ask(method, path, body).status == 401
    other = Client(server)
    other.call("gauth", status="expired_token", cred=credential)


def test_sessions_end_by_time(serve, tmp_path):
    clock = SteppableClock(tmp_path, "CLOCK_MONOTONIC")
    server = serve(rules=CLOSED, environment=clock.environment)
    late = link(server.run("console"))
    session = Session(*start_link(server))
    idle = Session(*link(server.run("console")))
    credential = session.credential()["credential"]
    clock.set(299)
    live = Client(server)
    live.call("gauth", cred=credential)
    clock.set(301)
    Client(server).call("gauth", status="expired_token", cred=credential)
    clock.set(601)
    assert ask(late[0], "POST", API + "session", {"key": late[1]}, JSON).status == 401, "ten minutes are over"
    clock.set(1700)
    session.get("session")
    idle.get("outline?ns=default&path=/&peek=1")
    assert idle.get("session?peek=1")["idleSeconds"] <= 100
    assert idle.credential()["expiresInSeconds"] <= 100, "it does not outlive the session"
    clock.set(1801)
    for method, path, body in OPERATIONS.values():
        assert idle.ask(method, path, body).status == 401
    for offset in range(3000, 43200, 1500):
        clock.set(offset)
        session.get("session")
    clock.set(43201)
    for method, path, body in OPERATIONS.values():
        assert session.ask(method, path, body).status == 401


# MARK: The page

def test_the_page_and_its_assets_are_served_with_caching_headers(server):
    address = server.authority
    page = ask(address, "GET", "/.console/")
    assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-store" and page.headers["Set-Cookie"] is None
    names = re.findall(r'"(assets/[^"]+)"', page.body.decode())
    assert names
    for name in names:
        part = ask(address, "GET", "/.console/" + name)
        assert part.status == 200 and part.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        packed = ask(address, "GET", "/.console/" + name, headers={"Accept-Encoding": "br, gzip;q=0.8"})
        assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.body) == part.body
        plain = ask(address, "GET", "/.console/" + name, headers={"Accept-Encoding": "gzip;q=0"})
        assert plain.headers["Content-Encoding"] is None and plain.body == part.body
        head = ask(address, "HEAD", "/.console/" + name)
        assert head.status == 200 and head.body == b"" and head.headers["Content-Length"] == str(len(part.body))
        assert ask(address, "GET", "/.console/" + name, host="evil.example").status == 403
    moved = ask(address, "GET", "/.console")
    assert moved.status == 308 and moved.headers["Location"] == "/.console/"
    assert ask(address, "GET", "/.console/", headers={"Sec-Fetch-Site": "cross-site"}).status == 200, "a link leads here"
    assert ask(address, "POST", "/.console/", {}).status == 405
    for path in ("/.console/x", "/.console/assets/", "/.console/assets/index.html", "/.console/assets/../index.html",
                 "/.console/assets/%2e%2e/x", "/.console/index.html", "/.console/api"):
        assert ask(address, "GET", path).status == 404, path


# MARK: Addresses

def test_no_console_removes_the_page_and_its_api(serve):
    server = serve("--no-console", rules=OPEN)
    assert ".console" not in server.output_path.read_text(encoding="utf-8")
    for path in ("/.console/", "/.console/api/session", "/.console"):
        assert requests.get(server.url + path, timeout=WAIT_SECONDS).status_code in (400, 404, 405)
    assert "no console" in server.run("console", expect=2)


def test_the_console_can_listen_on_an_address_of_its_own(serve):
    server = serve("--console", "127.0.0.1:0", rules=OPEN)
    address, key = start_link(server)
    assert address != server.authority
    session = Session(address, key)
    assert requests.get(f"{server.url}/.console/", timeout=WAIT_SECONDS).status_code in (400, 404)
    assert requests.get(f"http://{address}/a.json", timeout=WAIT_SECONDS).status_code == 404
    assert requests.get(f"http://{address}/.settings/rules.json", timeout=WAIT_SECONDS).status_code == 404

    class Place:
        scheme, authority = "http", address

    live = Client(Place)
    live.call("gauth", cred=session.credential()["credential"])
    live.call("p", p="/a", d=1)


def test_host_names_of_other_machines_need_tls(serve):
    server = serve("--console-host", "db.example.com", rules=OPEN)
    address, key = start_link(server)
    assert address == server.authority, "the link is for a name that may be asked in clear"
    assert ask(address, "GET", "/.console/", host="db.example.com").status == 200
    answer = ask(address, "POST", API + "session", {"key": key}, JSON, host="db.example.com")
    assert answer.status == 403 and "TLS" in answer.json["error"]
    Session(address, key)


def test_over_tls_the_host_names_of_the_certificate_are_accepted(serve, tmp_path):
    server = serve(*tls_options(tmp_path, names=["DNS:db.example.com", "DNS:*.example.org"]), rules=OPEN)
    address, key = start_link(server)
    assert "https://" + address in server.output_path.read_text(encoding="utf-8")

    def post(host, headers=()):
        return ask(address, "POST", API + "session", {"key": key}, {**JSON, **dict(headers)}, host=host, tls=True)

    assert post("evil.example").status == 403 and post("www.example.org").status == 403
    assert post("db.example.com", {"Origin": "http://db.example.com"}).status == 403
    answer = post("db.example.com", {"Origin": "https://db.example.com"})
    assert answer.status == 200
    name, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert name.startswith("__Secure-hearth_console=")
    assert attributes == ["Path=/.console/", "HttpOnly", "SameSite=Strict", "Secure"]
    headers = {"Cookie": name, "X-Hearth-Console": answer.json["token"]}
    assert ask(address, "GET", API + "session", None, headers, host="db.example.com", tls=True).status == 200
    plain = {**headers, "Cookie": name.removeprefix("__Secure-")}
    assert ask(address, "GET", API + "session", None, plain, host="db.example.com", tls=True).status == 401
    assert ask(address, "GET", API + "session", None, headers, tls=True).status == 401, "it counts at one address"


def test_the_forwarded_protocol_of_a_trusted_proxy_is_believed(serve, tmp_path):
    settings = tmp_path / "auth.json"
    settings.write_text(json.dumps({"trustedProxies": ["127.0.0.1"]}), encoding="utf-8")
    public = ("--auth-config", str(settings), "--public-url", "https://db.example.com")
    server, key = serve(*public, rules=CLOSED), None
    printed = until(lambda: re.search(r"https://db\.example\.com/\.console/#key=([A-Za-z0-9_-]{43})",
                                      server.output_path.read_text(encoding="utf-8")))
    key = printed[1]
    secrets_seen.note(key)

    def post(**headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return ask(server.authority, "POST", API + "session", {"key": key}, {**JSON, **headers}, host="db.example.com")

    assert post().status == 403 and post(X_Forwarded_Proto="http").status == 403
    assert post(X_Forwarded_Proto=["https", "http"]).status == 403
    assert post(X_Forwarded_Proto="https", Origin="http://db.example.com").status == 403
    answer = post(X_Forwarded_Proto="https", X_Forwarded_For="10.1.2.3", Origin="https://db.example.com")
    assert answer.status == 200 and answer.headers["Set-Cookie"].startswith("__Secure-hearth_console=")
    assert audit(server, "console")[-1]["ip"] == "10.1.2.3"


def test_the_forwarded_protocol_of_an_untrusted_peer_is_ignored(serve):
    server = serve("--console-host", "db.example.com", rules=CLOSED)
    address, key = start_link(server)
    forged = {**JSON, "X-Forwarded-Proto": "https"}
    assert ask(address, "POST", API + "session", {"key": key}, forged, host="db.example.com").status == 403
    Session(address, key)


@pytest.mark.parametrize("options", [
    ("--no-console", "--console-claim", "x"), ("--console", "9000"), ("--console", "localhost"), ("--console", ":9000"),
    ("--console", "localhost:70000"),
    ("--console-host", "a.example:9000"), ("--console-host", "http://a.example")])
def test_contradictory_console_options_are_refused(tmp_path, options):
    hearth("serve", "--data", str(tmp_path / "data"), *options, expect=64)
