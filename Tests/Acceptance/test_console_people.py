"""Accounts, as the console's people view asks for them: who fits, in which order, page by page, and one of them."""

import json
from urllib.parse import urlencode

import pytest

from console_client import CLOSED, Session, admin, link, server, start_link
from identity import Identity


@pytest.fixture
def town(serve):
    """A server with five accounts, and an administrator's session."""
    server = serve("--sign-in", "password,anonymous", rules=CLOSED)
    app = Identity(server)
    uids = {name: app.sign_up(f"{name}@example.com", "secret1")["localId"] for name in ("dan", "ann", "Cleo", "ben")}
    uids["nobody"] = app.sign_up()["localId"]
    app.sign_in("ben@example.com", "secret1")
    server.run("users", "set-claims", uids["ann"], '{"role":"editor"}')
    server.run("users", "disable", uids["dan"])
    return server, Session(*start_link(server)), uids


def search(session, **query):
    return session.get("people?" + urlencode(query))


def names(answer, uids):
    by_uid = {uid: name for name, uid in uids.items()}
    return [by_uid[person["localId"]] for person in answer["people"]]


FITTING = [
    ({"q": "ANN@"}, {"ann"}), ({"q": "example.com"}, {"ann", "ben", "Cleo", "dan"}), ({"q": "editor"}, {"ann"}),
    ({"q": "example ben"}, {"ben"}), ({"q": "' OR 1=1"}, set()), ({"q": "%"}, set()), ({"state": "disabled"}, {"dan"}),
    ({"state": "anonymous"}, {"nobody"}), ({"state": "unverified"}, {"ann", "ben", "Cleo", "dan"}),
    ({"state": "session"}, {"ann", "ben", "Cleo", "nobody"}), ({"state": "disabled", "q": "ann"}, set())]


def test_those_who_fit(town):
    _, session, uids = town
    for query, expected in FITTING + [({"q": uids["ben"]}, {"ben"})]:
        answer = search(session, **query)
        assert set(names(answer, uids)) == expected, query
        assert len(answer["people"]) == len(expected) and answer["next"] is None, query


def test_orders_and_pages(town):
    _, session, uids = town
    assert names(search(session, order="name"), uids) == ["nobody", "ann", "ben", "Cleo", "dan"]
    assert names(search(session, order="name", dir="desc"), uids) == ["dan", "Cleo", "ben", "ann", "nobody"]
    assert names(search(session, order="sessions", dir="desc"), uids)[0] == "ben"
    assert names(search(session, order="seen", dir="desc", q="example"), uids)[0] == "ben"
    created = [int(person["createdAt"]) for person in search(session, order="created")["people"]]
    assert created == sorted(created)
    assert len(names(search(session, order="name", after="somebody who is gone"), uids)) == 5
    for order in {}, {"order": "name"}, {"order": "created", "dir": "desc"}, {"order": "sessions", "dir": "desc"}:
        found, after = [], {}
        while True:
            answer = search(session, limit=2, **order, **after)
            assert len(answer["people"]) <= 2
            found += names(answer, uids)
            if answer["next"] is None:
                break
            after = {"after": answer["next"]}
        assert sorted(found) == sorted(uids), order
        assert found == names(search(session, **order), uids), order


BAD = [
    "limit=0", "limit=501", "limit=-1", "limit=x", "limit=99999999999999999999", "state=x", "state=", "order=uid", "order=",
    "order=name&dir=up", "dir=asc", "q=" + "x" * 257, "q=%ff", "q=a&q=b"]


def test_bad_questions_are_told(admin):
    for query in BAD:
        answer = admin.ask("GET", "people?" + query)
        assert answer.status == 400 and set(answer.json) == {"error"}, (query, answer.body)


def test_one_person(town):
    _, session, uids = town
    answer = session.get("people/one?" + urlencode({"uid": uids["ben"]}))
    assert answer["person"]["email"] == "ben@example.com" and answer["person"]["sessions"] == 2
    assert len(answer["sessions"]) == 2 and answer["sessions"][0]["address"] == "127.0.0.1"
    times = [each["used"] for each in answer["sessions"]]
    assert times == sorted(times, reverse=True)
    assert answer["audit"][-1]["event"] == "sign_up" and answer["auditIsWhole"] is True
    text = json.dumps(answer)
    assert "secret1" not in text and "refresh" not in text.replace("lastRefreshAt", "")
    assert session.ask("GET", "people/one?uid=nobody-of-that-name").status == 404
    assert session.ask("GET", "people/one").status == 400
    assert session.ask("POST", "people/one?uid=x", {}).status == 405
    assert session.ask("POST", "people", {}).status == 405


def test_a_viewer_looks_and_does_nothing_to_anybody(town):
    server, _, uids = town
    viewer = Session(*link(server.run("console", "--read-only")))
    assert len(search(viewer)["people"]) == 5
    body = {"localId": uids["ann"]}
    for path in "accounts:update", "accounts:delete", "accounts:batchCreate", "accounts:sendOobCode", "accounts", "hearth/v1/users:revoke":
        assert viewer.ask("POST", "server/" + path, body).status == 403, path
    assert search(viewer, q="ann@")["people"][0].get("disabled") is None
