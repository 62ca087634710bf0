"""firebase-admin for Python, unmodified: in emulator mode over HTTP, and as an administrator over TLS."""

import concurrent.futures
import json

import firebase_admin
import google.auth.credentials
import pytest
import requests
from firebase_admin import credentials, db, exceptions

from certificates import self_signed
from waits import WAIT_SECONDS

RULES = '{ "rules": { ".read": false, "open": { ".read": true, ".write": true } } }'


class BearerToken(google.auth.credentials.Credentials):
    """Sends Hearth's administrator token in place of Google's access token."""

    def __init__(self, token):
        super().__init__()
        self.token = token

    def refresh(self, request):
        raise google.auth.exceptions.RefreshError("the token was refused")


class AdminCredential(credentials.Base):
    def __init__(self, token):
        super().__init__()
        self.credential = BearerToken(token)

    def get_credential(self):
        return self.credential


@pytest.fixture(params=["emulator", "tls"])
def app(request, serve, tmp_path, monkeypatch):
    if request.param == "emulator":
        server = serve("--emulator", command="dev", rules=RULES)
        url, credential = f"{server.url}?ns=demo", credentials.Base()
    else:
        cert, key = self_signed(tmp_path, names=["DNS:localhost", "IP:127.0.0.1"])
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(cert))
        server = serve("--tls-cert", str(cert), "--tls-key", str(key), rules=RULES)
        url = f"https://localhost:{server.port}"
        credential = AdminCredential(server.run("token", "mint", "--admin").strip())
    app = firebase_admin.initialize_app(credential, {"databaseURL": url}, name=request.node.name)
    app.server = server
    yield app
    firebase_admin.delete_app(app)


def test_set_get_update_push_delete(app):
    root = db.reference("/shop", app)
    assert root.get() is None
    value = {"name": "Müller & Söhne", "open": True, "stock": {"apples": 12, "price": 1.5}, "tags": ["a", "b"]}
    root.set(value)
    assert root.get() == value
    assert root.get(shallow=True) == {"name": True, "open": True, "stock": True, "tags": True}

    root.update({"stock/apples": 11, "name": None, "big": 2**53 + 1})
    assert root.child("stock").get() == {"apples": 11, "price": 1.5}
    assert root.child("name").get() is None
    assert root.child("big").get() == 2**53 + 1

    first = root.child("orders").push({"n": 1})
    second = root.child("orders").push()
    assert len(first.key) == 20 and first.key < second.key
    assert root.child("orders").get() == {first.key: {"n": 1}, second.key: ""}

    root.delete()
    assert root.get() is None


def test_etags_and_transactions(app):
    counter = db.reference("/open/counter", app)
    assert counter.get(etag=True) == (None, "null_etag")
    assert counter.transaction(lambda now: (now or 0) + 1) == 1
    value, etag = counter.get(etag=True)
    assert value == 1 and etag
    assert counter.get_if_changed(etag) == (False, None, None)
    assert counter.set_if_unchanged(etag, 7)[0] is True
    changed, value, newer = counter.set_if_unchanged(etag, 9)
    assert (changed, value) == (False, 7) and newer != etag
    assert counter.get_if_changed(etag) == (True, 7, newer)


def test_transactions_from_several_threads_lose_nothing(app):
    counter = db.reference("/open/visitors", app)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(counter.transaction, lambda now: (now or 0) + 1) for _ in range(20)]:
            done.result()
    assert counter.get() == 20


def test_server_values(app):
    place = db.reference("/open/clock", app)
    place.set({"at": {".sv": "timestamp"}, "n": 3})
    place.update({"n": {".sv": {"increment": 4}}})
    value = place.get()
    assert value["n"] == 7 and isinstance(value["at"], int)


def test_rules_are_read_and_written(app):
    client = db.reference("/", app)._client
    text = '{\n  // ours\n  "rules": { ".read": "auth != null" }\n}\n'
    assert client.request("get", "/.settings/rules.json").text == RULES
    assert client.body("put", "/.settings/rules.json", data=text) == {"status": "ok"}
    assert client.request("get", "/.settings/rules.json").text == text
    strict = client.body("get", "/.settings/rules.json", params="format=strict")
    assert strict == {"rules": {".read": "auth != null"}}
    with pytest.raises(exceptions.InvalidArgumentError) as refused:
        client.body("put", "/.settings/rules.json", data='{\n  "rules": { ".read": "tr" }\n}\n')
    assert "2:" in str(refused.value) and "Unknown variable 'tr'." in str(refused.value)
    assert client.request("get", "/.settings/rules.json").text == text


def test_requests_without_an_administrator_token_are_refused(app):
    server = app.server
    url, query = f"https://localhost:{server.port}" if server.scheme == "https" else server.url, {"ns": "demo"}
    if server.scheme == "https":
        query = {}
        answer = requests.get(f"{url}/secret.json", headers={"Authorization": "Bearer owner"}, timeout=WAIT_SECONDS)
        assert answer.status_code == 401
    answer = requests.get(f"{url}/secret.json", params=query, timeout=WAIT_SECONDS)
    assert (answer.status_code, answer.json()) == (401, {"error": "Permission denied"})
    answer = requests.get(f"{url}/.settings/rules.json", params=query, timeout=WAIT_SECONDS)
    assert (answer.status_code, json.loads(answer.text)) == (401, {"error": "Unauthorized request."})
