"""Deploying rules in the console: the forecast, merging with a version that was deployed meanwhile, and the coverage."""

import pytest
import requests
from playwright.sync_api import expect

from client import Client
from console_client import Session, link
from console_page import MARKUP, Console, browser, check_accessibility
from waits import WAIT_SECONDS

RULES = """{"rules": {
  "rooms": {"$room": {
    ".read": "auth != null",
    ".write": "auth != null && auth.uid == 'ann'",
    "size": {".validate": "newData.isNumber()"}
  }},
  "notes": {".read": true}
}}"""
# Rules that let no client read rooms, let every client write them, and require sizes to be strings.
OTHER = RULES.replace('".read": "auth != null"', '".read": false').replace(
    "auth != null && auth.uid == 'ann'", "auth != null").replace("isNumber", "isString")


@pytest.fixture
def server(serve):
    return serve("--rules-coverage", rules=RULES)


def stir(server):
    """Makes a listener that the rules would cancel, a stored value that they would reject, and a denied write that they would
    allow."""
    ann, mira = Client(server), Client(server)
    ann.sign_in(server.token("ann"))
    ann.listen("/rooms/lobby")
    requests.put(
        f"{server.url}/rooms/lobby.json", params={"auth": server.secret()}, json={"size": 3}, timeout=WAIT_SECONDS).raise_for_status()
    mira.sign_in(server.token("mira"))
    mira.call("p", status="permission_denied", p="/rooms/lobby/size", d="x")
    mira.call("p", status="permission_denied", p="/closed", d=1)
    return ann, mira


def test_a_forecast_lists_the_effects_of_a_deploy(server):
    clients = stir(server)
    session = Session(*link(server.run("console", "--read-only")))

    def forecast(source):
        answer = session.ask("POST", "rules/forecast", {"database": "default", "source": source})
        assert answer.status == 200, answer.body
        return answer.json

    told = forecast(OTHER)
    assert told["state"] == "complete"
    assert (told["listeners"]["examined"], told["listeners"]["cancelled"]) == (1, 1)
    assert told["listeners"]["patterns"][0]["uids"] == ["ann"]
    assert told["data"]["failed"] - told["data"]["alreadyFailing"] == 1
    assert (told["refusals"]["examined"], told["refusals"]["opened"]) == (2, 1)
    assert told["refusals"]["places"] == [{"operation": "put", "path": "/rooms/lobby/size", "uid": "mira", "count": 1}]
    told = forecast(RULES)
    assert (told["listeners"]["cancelled"], told["data"]["failed"], told["refusals"]["opened"]) == (0, 0, 0)
    # The forecast changed nothing.
    assert session.ask("GET", "server/.settings/rules/staged.json?ns=default").json["trial"] is None
    assert session.ask("GET", "server/.settings/rules.json?ns=default").body.decode() == RULES
    for body in {}, {"source": 1}, {"source": "{", "database": "default"}, {"source": RULES, "database": 1}, {"source": RULES, "database": "other"}:
        answer = session.ask("POST", "rules/forecast", body)
        assert answer.status in (400, 404) and set(answer.json) == {"error"}, body
    assert len(clients) == 2


def test_coverage_is_reported_for_the_last_hour_and_day(server):
    clients = stir(server)
    session = Session(*link(server.run("console", "--read-only")))
    whole = session.get("rules/coverage?ns=default")
    assert sum(rule["expression"]["counts"]["total"] for rule in whole["rules"]) > 0
    for window in "hour", "day":
        told = session.get(f"rules/coverage?ns=default&window={window}")
        assert told["rules"] == whole["rules"] and "before" not in told, "all was counted within it"
    for window in "", "week", "Hour":
        assert session.ask("GET", f"rules/coverage?ns=default&window={window}").status == 400
    assert len(clients) == 2


def edit(page, old, new):
    page.evaluate(
        "([old, next]) => { const editor = document.querySelector('.CodeMirror').CodeMirror;"
        " editor.setValue(editor.getValue().replace(old, next)); }", [old, new])


def test_the_deploy_sheet_shows_the_forecast(server, browser):
    clients = stir(server)
    watched = Console(server, browser).open(view="rules")
    page = watched.page
    expect(page.get_by_text("no errors")).to_be_visible()
    edit(page, '".read": "auth != null"', '".read": false')
    expect(page.get_by_text("1 line changed")).to_be_visible()
    page.get_by_role("button", name="Deploy").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    forecast = page.get_by_role("dialog").get_by_role("region", name="Forecast")
    expect(forecast).to_contain_text("1 of 1 listen would be cut")
    expect(forecast).to_contain_text("/rooms/$room, 1: ann")
    expect(forecast).to_contain_text("No .validate rule applies to stored data")
    watched.picture("rules-forecast")
    check_accessibility(page)
    assert len(clients) == 2
    watched.check()


def test_a_version_deployed_meanwhile_is_merged_line_by_line(server, browser, tmp_path):
    console = Console(server, browser)
    watched = console.open(view="rules", theme="dark")
    page = watched.page
    expect(page.get_by_text("no errors")).to_be_visible()
    edit(page, "auth.uid == 'ann'", "auth.uid == 'mira'")
    edit(page, '"notes": {".read": true}', '"notes": {".read": true, ".write": true}')
    other = tmp_path / "rules.json"
    other.write_text(
        RULES.replace('".read": "auth != null"', '".read": "auth.uid != null"').replace("auth.uid == 'ann'", "auth.uid == 'ben'"),
        encoding="utf-8")
    server.run("rules", "deploy", str(other))
    page.get_by_role("button", name="Deploy").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Deploy").click()
    dialog.get_by_role("button", name="Merge").click()
    expect(dialog).to_contain_text("1 place changed in both")
    place = dialog.get_by_role("region", name="Place 1")
    expect(place).to_contain_text("ben")
    expect(place).to_contain_text("mira")
    watched.picture("rules-merge")
    check_accessibility(page)
    place.get_by_role("button", name="Theirs").click()
    dialog.get_by_role("button", name="Take this text").click()
    page.wait_for_function("document.querySelector('.CodeMirror').CodeMirror.getValue().includes(\"'ben'\")")
    text = page.evaluate("document.querySelector('.CodeMirror').CodeMirror.getValue()")
    assert "'ben'" in text and "auth.uid != null" in text and '".write": true}' in text and "'mira'" not in text
    expect(page.get_by_text("while you edited")).to_have_count(0)
    page.get_by_role("button", name="Deploy").click()
    dialog.get_by_role("button", name="Deploy").click()
    expect(dialog).to_have_count(0)
    session = Session(*link(server.run("console", "--read-only")))
    assert session.ask("GET", "server/.settings/rules.json?ns=default").body.decode() == text
    watched.check("412")


def test_a_denial_outside_the_list_opens_by_its_address(server, browser):
    mira = Client(server)
    mira.sign_in(server.token("mira"))
    mira.call("p", status="permission_denied", p="/closed/" + MARKUP.replace(".", ""), d=1)
    for number in range(230):
        mira.call("p", status="permission_denied", p=f"/closed/{number}", d=1)
    watched = Console(server, browser).open(view="rules", fragment="/denial/1")
    page = watched.page
    expect(page.get_by_role("region", name="Why")).to_contain_text("onerror")
    page.goto(f"{server.url}/.console/#/rules/denial/99999")
    expect(page.get_by_role("region", name="Notices")).to_contain_text("no longer kept")
    watched.check("404")
