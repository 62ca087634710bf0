"""A browser's part of the console's interface: requests with headers of the test's choice, and a console session.

Tests that import `server`, `admin` and `viewer` have them as fixtures."""

import http.client
import json
import re
import ssl
import time

import pytest

import secrets_seen
from client import Client
from waits import WAIT_SECONDS, until

API = "/.console/api/"
OPEN = '{"rules": {".read": true, ".write": true}}'
CLOSED = '{"rules": {".read": false, ".write": false}}'
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
HEADERS = {
    "Content-Security-Policy": CSP, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}
LINK = re.compile(r"https?://([^/\s]+)/\.console/#key=([A-Za-z0-9_-]{43})")


class Answer:
    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body

    @property
    def json(self):
        return json.loads(self.body)


def ask(address, method, path, body=None, headers=None, host=None, tls=False):
    """Sends one request to `host:port` on a connection of its own, with `Host` and the given headers only."""
    if tls:
        connection = http.client.HTTPSConnection(address, timeout=WAIT_SECONDS, context=ssl._create_unverified_context())
    else:
        connection = http.client.HTTPConnection(address, timeout=WAIT_SECONDS)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name in [host] if isinstance(host, str) else host or [address]:
            connection.putheader("Host", name)
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            connection.putheader("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            for each in [value] if isinstance(value, str) else value:
                connection.putheader(name, each)
        connection.endheaders(data)
        response = connection.getresponse()
        answer = Answer(response, response.read())
    finally:
        connection.close()
    for name, value in HEADERS.items():
        assert answer.headers.get_all(name) == [value], (method, path, name, answer.headers.items())
    assert answer.headers["Access-Control-Allow-Origin"] is None
    return answer


def link(text):
    """Returns the address and the key of the sign-in link in a program's output."""
    address, key = LINK.search(text).groups()
    secrets_seen.note(key)
    return address, key


def start_link(server):
    """Returns the sign-in link that the server printed at its newest start; the server prints it after its address."""
    def printed():
        text = server.output_path.read_text(encoding="utf-8")
        return "hearth console" in text.rsplit(" ready in ", 1)[1] and text

    return link(until(printed).rsplit(" ready in ", 1)[1])


class Session:
    """What a browser and the console's page hold of a session: the cookie and the key in the page's memory."""

    def __init__(self, address, key=None, **body):
        self.address = address
        answer = ask(address, "POST", API + "session", {"key": key} if key else body, {"Content-Type": "application/json"})
        assert answer.status == 200, answer.body
        self.answer = answer.json
        self.token = self.answer["token"]
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]
        secrets_seen.note(self.token)
        secrets_seen.note(self.cookie.split("=")[1])

    @property
    def headers(self):
        return {"Cookie": self.cookie, "X-Hearth-Console": self.token, "Content-Type": "application/json"}

    def ask(self, method, operation, body=None, headers=None, **options):
        """Sends a request with the cookie and the page's key; `headers` replaces headers, and omits those that are None."""
        all_headers = {name: value for name, value in {**self.headers, **(headers or {})}.items() if value is not None}
        return ask(self.address, method, API + operation, body, all_headers, **options)

    def get(self, operation, status=200):
        answer = self.ask("GET", operation)
        assert answer.status == status, answer.body
        assert answer.headers["Cache-Control"] == "no-store"
        return answer.json

    def credential(self, database="default"):
        answer = self.ask("POST", "credential", {"database": database})
        assert answer.status == 200, answer.body
        secrets_seen.note(answer.json["credential"])
        return answer.json

    def socket(self, server, **override):
        live = Client(server)
        live.call("gauth", cred=self.credential()["credential"], **override)
        return live


@pytest.fixture
def server(serve):
    return serve(rules=CLOSED)


@pytest.fixture
def admin(server):
    return Session(*start_link(server))


@pytest.fixture
def viewer(server):
    return Session(*link(server.run("console", "--read-only")))


def put(session, path, value, server):
    """Writes a value over a WebSocket of the session."""
    live = session.socket(server)
    live.call("p", p=path, d=value)
    live.close()


class Events:
    """The session's server-sent events, read one by one."""

    def __init__(self, session, query):
        self.connection = http.client.HTTPConnection(session.address, timeout=WAIT_SECONDS)
        self.connection.request("GET", API + "events?" + query, headers=session.headers)
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        assert self.response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        for name, value in HEADERS.items():
            assert self.response.headers[name] == value

    def next(self, wanted=None):
        """Returns the next event of that name as (name, data); None when the stream has ended."""
        name, deadline = None, time.monotonic() + WAIT_SECONDS
        while line := self.response.readline():
            assert time.monotonic() < deadline, f"no {wanted or 'event'} came"
            if line.startswith(b"event: "):
                name = line[7:].strip().decode()
            elif line.startswith(b"data: ") and wanted in (None, name):
                return name, json.loads(line[6:])
        return None

    def close(self):
        self.connection.close()
