"""Limits that all clients share: one client that takes all it can leaves another client its share."""

import json

import pytest
import requests
import websocket

from test_databases import OPEN, manage
from waits import WAIT_SECONDS

CLOSED = '{ "rules": {} }'
FOREIGN = [
    {"Origin": "https://evil.example"}, {"Referer": "https://evil.example/x"}, {"Sec-Fetch-Site": "cross-site"},
    {"Origin": "null"}]


@pytest.fixture
def behind_a_proxy(serve, tmp_path):
    config = tmp_path / "accounts.json"
    config.write_text(json.dumps({"trustedProxies": ["127.0.0.1"]}), encoding="utf-8")
    return serve("--auth-config", str(config), rules=CLOSED)


def connect(server, address):
    """Opens a socket of a client with that address; None when it is refused."""
    socket = websocket.create_connection(
        f"ws://{server.authority}/.ws?v=5&ns=guests", timeout=WAIT_SECONDS,
        header=[f"X-Forwarded-For: {address}"])
    assert json.loads(socket.recv())["d"]["t"] == "h"
    # The server sends the refusal after the greeting.
    socket.send(json.dumps({"t": "d", "d": {"r": 1, "a": "s", "b": {"c": {}}}}))
    answer = socket.recv()
    return socket if answer and json.loads(answer)["d"]["b"]["s"] == "ok" else None


def open_stream(server, address):
    return requests.get(
        f"{server.url}/a.json?ns=guests", stream=True, timeout=WAIT_SECONDS,
        headers={"Accept": "text/event-stream", "X-Forwarded-For": address})


def test_one_network_cannot_use_all_connections(behind_a_proxy):
    server = behind_a_proxy
    limited = {"name": "guests", "rules": OPEN, "quotas": {"connections": 64}}
    assert manage(server, "POST", **limited).status_code == 200
    taken = []
    for number in range(100):
        socket = connect(server, f"2001:db8:1:{number:x}::1")
        if socket is None:
            break
        taken.append(socket)
    assert len(taken) == 56
    refused = open_stream(server, "2001:db8:1:ffff::1")
    assert refused.status_code == 503 and "Retry-After" in refused.headers
    others = [connect(server, f"198.51.{number}.1") for number in range(5)]
    assert all(others), "each other network has its first"
    stream = open_stream(server, "203.0.113.1")
    assert stream.status_code == 200
    stream.close()
    # The open connections still receive events, and were not closed in favor of others.
    taken[0].send(json.dumps({"t": "d", "d": {"r": 2, "a": "q", "b": {"p": "/a", "h": ""}}}))
    assert json.loads(taken[0].recv())["d"]["b"]["s"] == "ok"
    for socket in taken + others:
        socket.close()


def projects_and_tenants(server):
    """Returns the users of an emulator's projects (a request that created a project would add one), and its tenants."""
    owner = {"Authorization": "Bearer owner"}
    answer = requests.get(
        f"{server.url}/identitytoolkit.googleapis.com/v2/projects/demo-one/tenants?pageSize=1000", headers=owner,
        timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.json().get("tenants", [])


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_foreign_page_creates_no_tenant_and_no_project_on_an_emulator(serve, headers):
    server = serve("--emulator", "--project", "demo-one", command="dev", rules=CLOSED)
    base = f"{server.url}/identitytoolkit.googleapis.com"
    body = {"identifier": "a@example.com", "continueUri": "http://localhost", "tenantId": "made-up"}
    # Requests that a page's form or script sends without a preflight.
    for url in (f"{base}/v1/accounts:createAuthUri?key=x", f"{base}/v1/projects/demo-two/accounts:createAuthUri?key=x"):
        answer = requests.post(
            url, data=json.dumps(body), headers={"Content-Type": "text/plain", **headers}, timeout=WAIT_SECONDS)
        assert answer.status_code in (400, 404), answer.text
    # The request of an <img> element.
    for path in ("/emulator/auth/handler?tenantId=made-up&providerId=google.com&apiKey=x",
                 "/identitytoolkit.googleapis.com/v2/projects/demo-two/config"):
        requests.get(f"{server.url}{path}", headers=headers, timeout=WAIT_SECONDS)
    assert projects_and_tenants(server) == []
    assert "demo-two" not in server.log()
    made = requests.post(f"{base}/v1/accounts:createAuthUri?key=x", json=body, timeout=WAIT_SECONDS)
    assert made.status_code == 200, made.text
    assert len(projects_and_tenants(server)) == 1
