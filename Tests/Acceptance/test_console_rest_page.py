"""Further views of the console in Chromium: trial requests with a query, a version or an administrator; charts as tables; keys."""

import json

import pytest
from playwright.sync_api import expect

import secrets_seen
from console_page import Console, browser, check_accessibility

RULES = """{"rules": {
  "lists": {".read": "query.orderByKey && query.limitToFirst <= 10"},
  "rooms": {"$room": {".read": "root.child('members/' + $room + '/' + auth.uid).exists()"}}
}}"""


@pytest.fixture
def console(serve, browser):
    return Console(serve("--sign-in", "password", rules=RULES), browser)


def test_a_request_with_a_query_is_tried_by_a_version_and_as_an_administrator(console, tmp_path):
    other = tmp_path / "rules.json"
    other.write_text(RULES.replace("<= 10", "<= 1000"), encoding="utf-8")
    console.server.run("rules", "deploy", str(other))
    console.write("/lists/tools", "rake")
    watched = console.open(view="rules", fragment="/try")
    page = watched.page
    why = page.get_by_role("region", name="Why")

    def decide(expected):
        page.get_by_role("button", name="Decide").click()
        expect(why).to_contain_text(expected)

    path = page.locator(".try-form").get_by_role("combobox", name="Path")
    path.fill("/li")
    expect(page.get_by_role("option")).to_contain_text(["lists"])
    watched.picture("try-keys")
    check_accessibility(page)
    path.press("Tab")
    expect(path).to_have_value("/lists/")
    path.press("Escape")
    decide("read refused")
    page.get_by_label("Query, in JSON").fill('{"orderByKey": true, "limitToFirst": 100, "limit": 1}')
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("alert")).to_contain_text("limit is no part of a query")
    page.get_by_label("Query, in JSON").fill('{"orderByKey": true, "limitToFirst": 100}')
    decide("read allowed")
    page.get_by_role("button", name="A version").click()
    page.get_by_label("Version").select_option("1")
    decide("read refused")
    expect(why).to_contain_text("By version 1.")
    watched.picture("try-version")
    check_accessibility(page)
    page.get_by_role("button", name="Administrator").click()
    page.get_by_role("button", name="Decide").click()
    expect(page.locator(".try-answer")).to_contain_text("no rule is asked")
    watched.check()


def test_a_chart_is_also_a_table_of_numbers(console):
    watched = console.open(view="now", theme="dark")
    page = watched.page
    chart = page.get_by_role("region", name="Writes a second")
    expect(chart.locator("polyline").first).to_be_attached()
    chart.get_by_role("button", name="Table").click()
    table = chart.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(11)
    expect(table.get_by_role("columnheader")).to_have_text(["Until", "committed, /s", "refused, /s"])
    watched.picture("now-table")
    check_accessibility(page)
    chart.get_by_role("button", name="Chart").click()
    expect(chart.locator("polyline").first).to_be_attached()
    watched.check()


def test_signing_keys_are_removed_and_service_accounts_created(console):
    watched = console.open(view="settings")
    page = watched.page
    keys = page.get_by_role("region", name="Keys").locator(".settings-row")
    expect(keys).to_have_count(2)
    page.get_by_role("button", name="Rotate the signing key").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    expect(keys).to_have_count(3)
    old = keys.filter(has_text="id-token").filter(has_text="signing").locator("bdi").inner_text()
    keys.filter(has_text=old).get_by_role("button", name="Remove").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("has to refresh it")
    watched.picture("settings-remove-key")
    dialog.get_by_role("button", name="Remove").click()
    expect(keys).to_have_count(2)
    assert old not in console.server.run("keys", "list")
    page.get_by_role("button", name="New service account").click()
    dialog.get_by_label("Name").fill("Not a name")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Name").fill("ci")
    with page.expect_download() as saved:
        dialog.get_by_role("button", name="Create").click()
    assert saved.value.suggested_filename == "ci.json"
    with open(saved.value.path(), encoding="utf-8") as file:
        key = json.load(file)
    secrets_seen.note(key["private_key"])
    assert key["type"] == "service_account" and key["client_email"].startswith("ci@")
    expect(page.get_by_role("region", name="Service accounts")).to_contain_text(key["client_email"])
    assert "PRIVATE KEY" not in page.content()
    assert key["client_email"] in console.server.run("service-account", "list")
    watched.picture("settings-accounts")
    check_accessibility(page)
    watched.check("400")


def test_the_access_list_follows_changes(console):
    uid = "kim"
    console.server.run("users", "create", "--uid", uid)
    console.write("/rooms/lobby", {"topic": "x"})
    console.write(f"/rooms/{uid}", {"topic": "own"})
    watched = console.open(view="people", fragment=f"/{uid}/access")
    page = watched.page
    places = page.get_by_role("list", name="Places")
    expect(places.locator("li").filter(has_text="/rooms").first).to_contain_text("no read")
    console.write(f"/members/{uid}/{uid}", True)
    expect(places.locator("li").filter(has_text=f"/rooms/{uid}")).to_contain_text("reads")
    places.locator("li").filter(has_text=f"/rooms/{uid}").get_by_role("button", name="reads").click()
    expect(page.get_by_role("region", name="Why")).to_be_visible()
    console.write(f"/members/{uid}/{uid}", None)
    expect(places.locator("li").filter(has_text=f"/rooms/{uid}")).to_have_count(0)
    watched.check()


def test_keys_of_the_database_are_completed_in_the_editor(console):
    console.write("/halls", {"lounge": 1, "lobby": 2, "other": 3})
    watched = console.open(view="rules")
    page = watched.page
    expect(page.get_by_text("no errors")).to_be_visible()
    page.evaluate(
        "() => { const editor = document.querySelector('.CodeMirror').CodeMirror;"
        " editor.setValue('{\"rules\": {\\n  \"halls\": {\\n    \"lo\\n  }\\n}}');"
        " editor.focus(); editor.setCursor({ line: 2, ch: 7 }); }")
    page.keyboard.press("Control+Space")
    hints = page.locator(".CodeMirror-hints li")
    expect(hints).to_have_text(["lobby   in the database", "lounge   in the database"])
    watched.picture("rules-keys")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.CodeMirror').CodeMirror.getLine(2) === '    \"lobby'")
    watched.check()
