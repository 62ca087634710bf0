"""Destructive operations and deploys require a new proof of presence when the session is older than 15 minutes."""

import json

import pytest
from playwright.sync_api import expect

from console_client import CLOSED, OPEN, Session, link
from console_page import Console, browser, check_accessibility
from steppable_clock import SteppableClock
from waits import until

GRAVE = {
    "deploy": ("POST", "server/.settings/rules/versions.json?ns=default", {"source": OPEN}),
    "roll back": ("POST", "server/.settings/rules/rollback.json?ns=default", {"version": 1}),
    "promote": ("POST", "server/.settings/rules/promote.json?ns=default", {}),
    "delete a database": ("DELETE", "server/.settings/databases/other.json", None),
    "delete somebody": ("POST", "server/accounts:delete", {"localId": "ann"}),
    "rotate keys": ("POST", "server/hearth/v1/keys:rotate", {}),
    "remove a key": ("POST", "server/hearth/v1/keys:remove", {"kind": "tokens", "kid": "x"}),
    "rotate secrets": ("POST", "server/hearth/v1/secrets:rotate", {}),
    "remove a secret": ("POST", "server/hearth/v1/secrets:remove", {"id": "x"}),
    "make a service account": ("POST", "server/hearth/v1/serviceAccounts:create", {"name": "ci"}),
    "disable a service account": ("POST", "server/hearth/v1/serviceAccounts:disable", {"email": "x@example.com"}),
    "remove its key": ("POST", "server/hearth/v1/serviceAccounts:removeKey", {"email": "x@example.com", "kid": "x"}),
    "change the trusted issuers": ("POST", "server/hearth/v1/trust:set", {"issuers": []}),
    "back up": ("POST", "now/backups", {}),
}


@pytest.fixture
def clock(tmp_path):
    return SteppableClock(tmp_path, "CLOCK_MONOTONIC")


@pytest.fixture
def late(serve, clock):
    """A server, and sessions that were opened more than 15 minutes ago."""
    server = serve(rules=CLOSED, environment=clock.environment)
    session = Session(*link(server.run("console")))
    viewer = Session(*link(server.run("console", "--read-only")))
    clock.set(901)
    return server, session, viewer


def test_grave_operations_without_presence_are_refused(late):
    server, session, viewer = late
    # At its first start the server already answers while it makes its keys, one of each kind.
    until(lambda: len(session.ask("POST", "server/hearth/v1/keys:list", {}).json["keys"]) == 2, "both kinds of keys")
    keys = session.ask("POST", "server/hearth/v1/keys:list", {}).body
    for name, (method, path, body) in GRAVE.items():
        answer = session.ask(method, path, body)
        assert answer.status == 428 and "presence" in answer.json["error"], (name, answer.status, answer.body)
        assert viewer.ask(method, path, body).status == 403, name
    assert session.ask("GET", "server/.settings/rules.json?ns=default").body.decode() == CLOSED
    assert session.ask("POST", "server/hearth/v1/keys:list", {}).body == keys
    # Reading, and operations that can be undone, need no proof of presence.
    assert session.ask("PUT", "server/.settings/rules/staged.json?ns=default", {"source": OPEN}).status == 200
    assert session.ask("POST", "server/.settings/databases.json", {"name": "other"}).status in (200, 201)


def test_presence_is_proved_by_a_link_or_by_signing_in(late, clock):
    server, session, _ = late
    deploy = GRAVE["deploy"]
    for body in {}, {"key": ""}, {"key": "A" * 43}, {"idToken": "x"}, {"key": "A" * 43, "idToken": "x"}, []:
        answer = session.ask("POST", "session/presence", body)
        assert answer.status in (400, 403), answer.body
    assert session.ask("POST", "session/presence", {"key": link(server.run("console", "--read-only"))[1]}).status == 403
    assert session.ask(*deploy).status == 428
    key = link(server.run("console"))[1]
    assert session.ask("POST", "session/presence", {"key": key}).status == 200
    assert session.ask("POST", "session/presence", {"key": key}).status == 403, "it is used up"
    assert session.ask(*deploy).status == 200
    clock.set(1900)
    assert session.ask(*deploy).status == 428
    lines = server.run("audit", "tail", "-n", "1000", "--json").splitlines()
    details = [record["detail"] for record in map(json.loads, lines) if record["event"] == "console"]
    assert sum("is there" in each for each in details) == 1
    assert sum("POST /.settings/rules/versions.json" in each for each in details) == 1


def test_the_page_asks_for_presence_and_repeats_the_request(serve, browser, clock):
    console = Console(serve(rules=CLOSED, environment=clock.environment), browser)
    watched = console.open(view="settings")
    page = watched.page
    secrets = page.get_by_role("region", name="Database secrets")
    expect(secrets.locator(".settings-row")).to_have_count(1)
    clock.set(1000)
    secrets.get_by_role("button", name="Rotate").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    dialog = page.get_by_role("dialog", name="Confirm your presence")
    expect(dialog).to_be_visible()
    watched.picture("presence")
    check_accessibility(page)
    dialog.get_by_label("Link or ID token").fill("x" * 43)
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This link was used")
    dialog.get_by_label("Link or ID token").fill(console.link())
    dialog.get_by_role("button", name="Confirm").click()
    expect(secrets.locator(".settings-row")).to_have_count(2)
    expect(page.get_by_role("dialog")).to_have_count(0)
    clock.set(2000)
    secrets.get_by_role("button", name="Rotate").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Confirm your presence")
    expect(secrets.locator(".settings-row")).to_have_count(2)
    watched.check("428", "403")
