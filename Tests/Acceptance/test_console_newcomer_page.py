"""The console's page in a real browser, as a newcomer meets it: restarts, counts, places, labels and narrow screens."""

import json
import re

import pytest
from playwright.sync_api import expect

from client import Client
from conftest import ROOT, hearth
from console_page import NARROW, WIDE, Console, browser, check_accessibility
from identity import Identity

STARTER = (ROOT / "Rules/starter.json").read_text(encoding="utf-8")
OPEN = '{"rules": {".read": true, ".write": true}}'
CLOSED = '{"rules": {"open": {".read": true}}}'


def console_of(serve, browser, *options, rules=STARTER):
    return Console(serve(*options, rules=rules), browser)


def refuse(console, path="/rooms/lobby/messages/m1", uid="mira", times=1):
    client = Client(console.server)
    client.sign_in(console.server.token(uid))
    for _ in range(times):
        client.call("p", status="permission_denied", p=path, d=1)
    return client


def push_ids(count, first=0):
    return {"-P71cMk3SYTEeL_u" + str(at).zfill(4): {"text": f"message {at}"} for at in range(first, first + count)}


def in_viewport(page, locator):
    box = locator.bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


# Restarts

def restart(console, page, between=lambda: None):
    console.server.stop()
    between()
    console.server.start()


def test_a_page_continues_after_a_restart_without_a_new_link(serve, browser):
    console = console_of(serve, browser, rules=OPEN)
    console.write("/a", 1)
    console.server.keep_port()
    watched = console.open()
    page = watched.page
    expect(page.get_by_role("treeitem").first).to_contain_text("a")

    def look():
        expect(page.get_by_text("No connection", exact=True)).to_have_count(1)

    restart(console, page, look)
    expect(page.get_by_text("Live", exact=True)).to_have_count(1)
    expect(page.get_by_role("dialog")).to_have_count(0)
    console.write("/b", 2)
    expect(page.get_by_role("treeitem").filter(has_text="b")).to_have_count(1)
    page.reload()
    expect(page.get_by_text("Live", exact=True)).to_have_count(1)
    watched.check("ERR_CONNECTION_REFUSED", "WebSocket connection", "Failed to load resource")


@pytest.mark.parametrize("view, heading", [("Rules", "Editor"), ("People", "Audit trail"), ("Now", "Connections"), ("Settings", "Databases")])
def test_a_view_opened_while_the_server_restarts_says_that_it_reconnects(serve, browser, view, heading):
    console = console_of(serve, browser, rules=OPEN)
    console.server.keep_port()
    watched = console.open()
    page = watched.page

    def look():
        expect(page.get_by_text("No connection", exact=True)).to_have_count(1)
        page.evaluate(f"location.hash = '#/{view.lower()}'")
        expect(page.get_by_text("Reconnecting…").first).to_be_visible()
        watched.picture(f"reconnecting-{view.lower()}")
        check_accessibility(page)

    restart(console, page, look)
    expect(page.get_by_role("main", name=view, exact=True)).to_be_visible()
    expect(page.get_by_role("main", name=view, exact=True)).to_contain_text(heading)
    expect(page.get_by_text("Reconnecting…")).to_have_count(0)


def test_a_view_that_is_loaded_continues_after_a_restart(serve, browser):
    console = console_of(serve, browser)
    console.server.keep_port()
    watched = console.open(view="rules")
    page = watched.page
    expect(page.locator(".CodeMirror")).to_be_visible()
    page.get_by_role("link", name="People").first.click()
    page.get_by_role("link", name="Data").first.click()

    def look():
        expect(page.get_by_text("No connection", exact=True)).to_have_count(1)
        page.get_by_role("link", name="Rules").first.click()
        expect(page.get_by_text("Reconnecting…")).to_be_visible()
        page.get_by_role("link", name="People").first.click()
        expect(page.get_by_text("Reconnecting…")).to_be_visible()
        page.get_by_role("link", name="Rules").first.click()
        expect(page.get_by_text("Reconnecting…")).to_be_visible()

    restart(console, page, look)
    expect(page.locator(".CodeMirror")).to_be_visible()
    expect(page.get_by_text("Reconnecting…")).to_have_count(0)


# Refused requests

def test_equal_refusals_say_over_which_time(serve, browser):
    console = console_of(serve, browser)
    client = refuse(console, times=3)
    watched = console.open(view="rules")
    page = watched.page
    page.wait_for_timeout(2500)
    client.call("p", status="permission_denied", p="/rooms/lobby/messages/m1", d=1)
    row = page.locator(".refused")
    expect(row).to_contain_text("×4")
    expect(row.locator("b")).to_have_attribute("title", re.compile(r"^4 times in ([2-9]|\d\d) seconds, since "))
    row.click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text(re.compile(r"4 times in ([2-9]|\d\d) seconds"))
    watched.picture("refusals-over-time")
    watched.check()


@pytest.mark.parametrize("path, value", [("/rooms/lobby/messages/m1", {"text": "x", "uid": "mira"}), ("/rooms/lobby/members/mira", True)])
def test_a_copied_test_runs_as_it_is(serve, browser, tmp_path, path, value):
    console = console_of(serve, browser)
    console.write("/rooms/lobby/topic", "Tea")
    client = Client(console.server)
    client.sign_in(console.server.token("mira", role="editor"))
    client.call("p", status="permission_denied", p=path, d=value)
    watched = console.open(view="rules")
    page = watched.page
    page.locator(".refused").click()
    page.get_by_role("button", name="Copy as test").click()
    expect(page.get_by_role("region", name="Notices")).to_contain_text("hearth rules test FILE")
    page.context.grant_permissions(["clipboard-read"])
    text = page.evaluate("navigator.clipboard.readText()")
    test = console.server.rules.parent / "denied.test.json"
    test.write_text(text, encoding="utf-8")
    assert json.loads(text)["rules"] == console.server.rules.name
    assert "1 passed" in hearth("rules", "test", str(test))
    client.listen("/nowhere/mira", status="permission_denied")
    page.locator(".refused").filter(has_text="/nowhere/mira").click()
    expect(page.get_by_role("region", name="Why")).to_contain_text("/nowhere/mira")
    page.get_by_role("button", name="Copy as test").click()
    test.write_text(page.evaluate("navigator.clipboard.readText()"), encoding="utf-8")
    assert "1 passed" in hearth("rules", "test", str(test))
    watched.check()


# The rules editor

def editor_text(page):
    return page.evaluate("document.querySelector('.CodeMirror').CodeMirror.getValue()")


def test_a_quote_typed_before_a_name_is_kept(serve, browser):
    console = console_of(serve, browser, rules='{"rules": {".read": true}}')
    watched = console.open(view="rules")
    page = watched.page
    expect(page.locator(".CodeMirror")).to_be_visible()

    def type_at(column, key):
        page.evaluate(
            "column => { const editor = document.querySelector('.CodeMirror').CodeMirror; editor.focus(); editor.setCursor(0, column); }", column)
        page.keyboard.type(key)

    type_at(1, '"')
    assert editor_text(page) == '{""rules": {".read": true}}'
    page.evaluate("document.querySelector('.CodeMirror').CodeMirror.setValue('{\"rules\": {\".read\": true}}')")
    type_at(1, '".x": 1, ')
    assert editor_text(page) == '{".x": 1, "rules": {".read": true}}'
    page.evaluate("document.querySelector('.CodeMirror').CodeMirror.setValue('{\"rules\": {}}')")
    # A quote that ends a text still steps over the one that is there.
    type_at(7, '"')
    assert editor_text(page) == '{"rules": {}}'
    type_at(11, '"')
    assert editor_text(page) == '{"rules": {""}}'
    watched.check()


def test_counts_stay_beside_the_rules_that_an_edit_keeps(serve, browser):
    rules = '{\n  "rules": {\n    "a": {".read": true},\n    "b": {".read": "auth != null"},\n    "c": {".read": false}\n  }\n}\n'
    console = console_of(serve, browser, "--rules-coverage", rules=rules)
    client = Client(console.server)
    for _ in range(3):
        client.call("g", status="permission_denied", p="/b")
    client.call("g", p="/a")
    watched = console.open(view="rules")
    page = watched.page
    counts = page.locator(".counts-of-rule")
    expect(counts).to_have_count(3)
    expect(counts.nth(1)).to_have_text("03")
    page.evaluate(
        "() => { const editor = document.querySelector('.CodeMirror').CodeMirror;"
        " editor.setValue(editor.getValue().replace('\"rules\": {', '\"rules\": {\\n    \"new\": {\".read\": false},').replace('\"c\": {\".read\": false}', '\"c\": {\".read\": true}')); }")
    expect(page.get_by_text("2 lines changed")).to_be_visible()
    expect(counts).to_have_count(2)
    expect(counts.nth(0)).to_have_text("1")
    expect(counts.nth(1)).to_have_text("03")
    line = page.locator(".CodeMirror-code > div").filter(has_text='"b"')
    expect(line.locator(".counts-of-rule")).to_have_text("03")
    watched.picture("counts-in-an-edit")
    watched.check()


# Narrow screens

def test_on_a_narrow_screen_counts_stand_beside_the_rules(serve, browser):
    console = console_of(serve, browser, "--rules-coverage")
    refuse(console, times=12)
    watched = console.open(view="rules", size=NARROW)
    page = watched.page
    counts = page.locator(".counts-of-rule").first
    expect(counts).to_be_visible()
    expect(page.locator(".counts-head")).to_be_visible()
    box, code = counts.bounding_box(), page.locator(".CodeMirror-lines").bounding_box()
    assert box["width"] < 90 and code["width"] > 250, (box, code)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    counts.scroll_into_view_if_needed()
    watched.picture("rules-narrow-counts")
    check_accessibility(page)
    watched.check()


def test_on_a_narrow_screen_a_person_s_tabs_stand_above_the_timeline(serve, browser):
    console = console_of(serve, browser, "--sign-in", "password")
    uid = Identity(console.server).sign_up("ann@example.com", "password1")["localId"]
    watched = console.open(view="people", fragment=f"/{uid}/activity", size=NARROW)
    page = watched.page
    timeline = page.locator(".timeline")
    expect(timeline).to_contain_text("Signed up")
    tabs = page.get_by_role("navigation", name="Of this person")
    assert tabs.bounding_box()["y"] + tabs.bounding_box()["height"] <= timeline.bounding_box()["y"] + 1
    assert in_viewport(page, tabs)
    watched.picture("person-narrow")
    check_accessibility(page)
    watched.check()


# Accounts

def test_the_address_of_a_person_s_activity_shows_it(serve, browser):
    console = console_of(serve, browser, "--sign-in", "password", rules=CLOSED)
    uid = Identity(console.server).sign_up("ann@example.com", "password1")["localId"]
    client = refuse(console, path="/closed", uid=uid, times=2)
    watched = console.open(view="people", fragment=f"/{uid}/activity")
    page = watched.page
    person = page.get_by_role("complementary", name="ann@example.com")
    expect(person).to_contain_text("Signed up")
    expect(person).to_contain_text("2 times in a second")
    expect(person.get_by_role("link", name="Activity")).to_have_attribute("aria-current", "page")
    expect(page).to_have_title("ann@example.com · People · default · Hearth")
    person.get_by_role("link", name="Claims").click()
    expect(page).to_have_url(re.compile(f"#/people/{uid}/claims$"))
    person.get_by_role("link", name="Activity").click()
    expect(page).to_have_url(re.compile(f"#/people/{uid}/activity$"))
    expect(person).to_contain_text("Signed up")
    page.evaluate(f"location.hash = '#/people/{uid}/nothing'")
    expect(person).to_contain_text("Signed up")
    page.get_by_role("textbox", name="Mail, name, uid, claim").fill("zzz")
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()
    watched.check()


def test_a_disabled_removal_says_why(serve, browser):
    console = console_of(serve, browser, rules=OPEN)
    console.write("/a", 1)
    watched = console.open()
    page = watched.page
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("menuitem", name="Remove").click()
    dialog = page.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Remove /")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(dialog).to_contain_text("Type / to enable this.")
    expect(button).to_have_attribute("title", "Type / to enable this.")
    watched.picture("remove-disabled")
    check_accessibility(page)
    button.click(force=True)
    dialog.get_by_role("textbox").press("Enter")
    assert console.read("/") == {"a": 1}
    dialog.get_by_role("textbox").fill("/")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    button.click()
    console.becomes("/", None)
    watched.check()


# The data

def test_a_node_of_push_ids_opens_at_its_last_children(serve, browser):
    console = console_of(serve, browser, rules=OPEN)
    console.write("/", {"few": push_ids(60), "many": push_ids(400), "names": {f"n{at:03}": at for at in range(60)}, "z": 1})
    watched = console.open()
    page = watched.page
    rows = page.get_by_role("treeitem")
    for name, last in ("few", "0059"), ("many", "0399"):
        rows.filter(has_text=re.compile(f"^{name}")).first.locator(".twisty").click()
        row = rows.filter(has_text="u" + last).first
        expect(row).to_be_visible()
        expect(row).to_be_in_viewport()
        watched.picture(f"push-ids-{name}")
        page.evaluate("document.querySelector('.tree').scrollTop = 0")
        rows.filter(has_text=re.compile(f"^{name}")).first.locator(".twisty").click()
        expect(row).to_have_count(0)
    rows.filter(has_text=re.compile("^names")).first.locator(".twisty").click()
    expect(rows.filter(has_text="n000").first).to_be_in_viewport()
    page.goto(f"{console.server.url}/.console/#/data/few")
    expect(rows.filter(has_text="u0059").first).to_be_in_viewport()
    watched.check()


def test_a_slash_selects_the_path(serve, browser):
    console = console_of(serve, browser, rules=OPEN)
    console.write("/rooms/lobby/topic", "Tea")
    console.write("/notes/a", 1)
    watched = console.open(fragment="/rooms/lobby")
    page = watched.page
    expect(page.get_by_role("treeitem").filter(has_text="topic")).to_be_visible()
    page.locator(".tree").focus()
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Path")
    expect(field).to_have_value("/rooms/lobby")
    assert field.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)") == "/rooms/lobby"
    page.keyboard.type("/notes")
    expect(field).to_have_value("/notes")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#/data/notes$"))
    watched.check()


def test_go_to_lists_prefix_matches_first(serve, browser):
    console = console_of(serve, browser, rules=OPEN)
    console.write("/", {"notes": {"a": 1}, "pauses": 1})
    watched = console.open()
    page = watched.page
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Path or command")
    options = page.get_by_role("option")
    field.fill("pause")
    expect(options.nth(0)).to_contain_text("Pause")
    expect(options.nth(1)).to_contain_text("/pauses")
    field.fill("no")
    expect(options.nth(0)).to_contain_text("/notes")
    field.fill("open")
    expect(options.nth(0)).to_contain_text("Open ")
    field.fill("zzzz")
    expect(page.get_by_role("dialog")).to_contain_text("No matches.")
    watched.check()


def test_changes_are_listed_once_with_their_value_and_author(serve, browser):
    console = console_of(serve, browser, "--history", "1d", "--history-who", rules=OPEN)
    console.write("/rooms/lobby/topic", "Tea")
    client = Client(console.server)
    client.sign_in(console.server.token("mira"))
    client.call("p", p="/rooms/lobby/topic", d="Coffee")
    watched = console.open(fragment="/rooms/lobby/topic")
    page = watched.page
    changes = page.locator(".inspector .change")
    expect(changes).to_have_count(2)
    expect(changes.nth(0)).to_contain_text('"Tea" → "Coffee"')
    expect(changes.nth(0)).to_contain_text("by mira")
    expect(changes.nth(1)).to_contain_text("by administrator")
    client.call("p", p="/rooms/lobby/topic", d="Milk")
    expect(changes).to_have_count(3)
    expect(changes.nth(0)).to_contain_text('"Coffee" → "Milk"')
    expect(changes.nth(0)).to_contain_text("by mira")
    watched.picture("changes-with-authors")
    check_accessibility(page)
    watched.check()


def test_a_change_that_several_listens_tell_of_is_listed_once(serve, browser):
    console = console_of(serve, browser, rules=OPEN)
    console.write("/", {"big": {"a": {"x": 1}, "text": "t" * 300_000}, "other": 1})
    watched = console.open(fragment="/big/a")
    page = watched.page
    row = page.get_by_role("treeitem").filter(has_text=re.compile("^a"))
    expect(row.first).to_be_visible()
    page.wait_for_timeout(800)
    console.write("/big/a/x", 2)
    changes = page.locator(".inspector .change")
    expect(changes).to_have_count(1)
    expect(changes).to_contain_text("1 → 2")
    page.wait_for_timeout(500)
    expect(changes).to_have_count(1)
    watched.check()


# Now, and titles

def test_charts_have_units_on_their_axes(serve, browser):
    console = console_of(serve, browser, rules=OPEN)
    watched = console.open(view="now")
    page = watched.page
    for number in range(20):
        console.write("/n", number)
    for chart, unit in ("Writes a second", "/s"), ("From write to listener", "ms"):
        axis = page.get_by_role("region", name=chart).locator(".axis span")
        expect(axis.first).to_have_text(re.compile(rf"^[\d,.k]+ {unit}$"))
    box, chart = axis.first.bounding_box(), page.get_by_role("region", name="From write to listener").bounding_box()
    assert box["x"] + box["width"] <= chart["x"] + chart["width"]
    watched.picture("charts-units")
    watched.check()


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_each_view_has_a_title(serve, browser, size):
    console = console_of(serve, browser)
    watched = console.open(size=size)
    page = watched.page
    for address, title in [
            ("data", "Data"), ("data/rooms/lobby", "/rooms/lobby · Data"), ("rules", "Rules"), ("rules/try", "Try it · Rules"),
            ("rules/history", "History · Rules"), ("people", "People"), ("now", "Now"), ("settings", "Settings")]:
        page.evaluate(f"location.hash = '#/{address}'")
        expect(page).to_have_title(f"{title} · default · Hearth")
    page.evaluate("location.hash = '#/data'")
    page.get_by_role("button", name="Session").first.click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page).to_have_title("Hearth")
    watched.check("401")
