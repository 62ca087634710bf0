"""Filters, pages and uploads over REST, with the requests of firebase-admin for Python and of other tools."""

import json

import firebase_admin
import pytest
import requests
from firebase_admin import credentials, db, exceptions
from waits import WAIT_SECONDS

RULES = """{ "rules": {
  "dinos": { ".read": "auth.uid == 'keeper'", ".write": "auth.uid == 'keeper'", ".indexOn": ["height", "size/m"] },
  "scores": { ".indexOn": ".value" }
} }"""

DINOS = {
    "bruhathkayosaurus": {"height": 25, "size": {"m": 3}},
    "lambeosaurus": {"height": 2.1, "size": {"m": 12}},
    "linhenykus": {"height": 0.6, "size": {"m": 1}},
    "pterodactyl": {"height": 0.6},
    "stegosaurus": {"height": 4, "size": {"m": 9}},
}
SCORES = {"ann": 20, "bob": 40, "cy": 30, "dan": 30}


@pytest.fixture
def server(serve):
    return serve("--emulator", command="dev", rules=RULES)


@pytest.fixture
def app(request, server):
    app = firebase_admin.initialize_app(
        credentials.Base(), {"databaseURL": f"{server.url}?ns=default"}, name=request.node.name)
    root = db.reference("/", app)
    root.set({"dinos": DINOS, "scores": SCORES})
    yield app
    firebase_admin.delete_app(app)


def test_queries_of_the_admin_sdk(app):
    dinos, scores = db.reference("dinos", app), db.reference("scores", app)
    assert list(dinos.order_by_child("height").limit_to_last(2).get()) == ["stegosaurus", "bruhathkayosaurus"]
    assert list(dinos.order_by_child("height").start_at(2).end_at(4).get()) == ["lambeosaurus", "stegosaurus"]
    assert list(dinos.order_by_child("height").equal_to(0.6).get()) == ["linhenykus", "pterodactyl"]
    assert list(dinos.order_by_child("size/m").limit_to_first(2).get()) == ["pterodactyl", "linhenykus"]
    assert list(dinos.order_by_key().start_at("l").end_at("p").get()) == ["lambeosaurus", "linhenykus"]
    assert list(scores.order_by_value().limit_to_first(2).get()) == ["ann", "cy"]
    assert scores.order_by_value().start_at(41).get() in (None, {}, [])
    with pytest.raises(exceptions.InvalidArgumentError) as refused:
        dinos.order_by_child("weight").limit_to_first(1).get()
    assert 'Index not defined, add ".indexOn": "weight", for path "/dinos", to the rules' in str(refused.value)


def test_overrides_of_the_admin_sdk(server):
    url = f"{server.url}?ns=default"
    options = {"keeper": {"uid": "keeper"}, "visitor": {"uid": "visitor"}, "nobody": None}
    for name, override in options.items():
        app = firebase_admin.initialize_app(
            credentials.Base(), {"databaseURL": url, "databaseAuthVariableOverride": override}, name=f"override {name}")
        try:
            dinos = db.reference("dinos", app)
            if name == "keeper":
                dinos.set(DINOS)
                assert len(dinos.order_by_child("height").limit_to_first(3).get()) == 3
            else:
                for denied in (dinos.get, lambda: dinos.set(1), dinos.order_by_key().limit_to_first(1).get):
                    with pytest.raises(exceptions.UnauthenticatedError) as refused:
                        denied()
                    assert "Permission denied" in str(refused.value)
        finally:
            firebase_admin.delete_app(app)


def test_truncated_filter_values_are_refused(server, app):
    """The SDK does not encode `&` and `#` in a filter's values."""
    dinos = db.reference("dinos", app)
    for value in ("a&b", "a#b"):
        with pytest.raises(exceptions.InvalidArgumentError):
            dinos.order_by_child("height").equal_to(value).get()


def test_a_location_is_emptied_in_pages(server, app):
    """Removes in pages, as the Firebase CLI does when the data is too large for one removal."""
    owner = {"Authorization": "Bearer owner"}
    url, seen, last = f"{server.url}/dinos.json", [], None
    while True:
        parameters = {"shallow": "true", "limitToFirst": 2, "timeout": f"{WAIT_SECONDS}000ms"}
        if last:
            parameters["startAfter"] = last
        page = requests.get(url, params=parameters, headers=owner, timeout=WAIT_SECONDS).json()
        if page is None:
            break
        seen += page
        last = seen[-1]
    assert seen == sorted(DINOS)
    answer = requests.patch(
        url, params={"print": "silent", "writeSizeLimit": "tiny", "disableTriggers": "false"}, data="null",
        headers=owner, timeout=WAIT_SECONDS)
    assert (answer.status_code, answer.text) == (204, "")
    assert requests.get(url, headers=owner, timeout=WAIT_SECONDS).json() is None


def test_a_file_is_uploaded_and_backed_up(server, app):
    backup = requests.get(
        f"{server.url}/.json?ns=default&format=export&auth=owner&download=all.json", timeout=WAIT_SECONDS)
    assert backup.headers["Content-Disposition"] == 'attachment; filename="all.json"'
    answer = requests.post(
        f"{server.url}/copy/.upload?ns=default&access_token=owner&writeSizeLimit=unlimited",
        files={"file": ("all.json", backup.content, "application/json")}, timeout=WAIT_SECONDS)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert db.reference("copy/scores", app).get() == SCORES
    assert json.loads(backup.text)["dinos"] == DINOS
