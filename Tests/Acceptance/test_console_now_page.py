"""The console's metrics, connections, log and settings in Chromium."""

import json
import re

import pytest
from playwright.sync_api import expect

from client import Client
from console_page import MARKUP, NARROW, Console, browser, check_accessibility
from receiver import Receiver
from waits import until

RULES = '''{"rules": {
  "open": {".read": true, ".write": true},
  "rooms": {"$room": {".read": "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()"}}
}}'''


@pytest.fixture
def console(serve, browser):
    return Console(serve(rules=RULES), browser)


def test_the_page_shows_figures_connections_and_the_grants_of_listens(console):
    console.write("/members/lobby/mira", True)
    client = Client(console.server)
    client.sign_in(console.server.token("mira"))
    client.listen("/rooms/lobby")
    client.listen("/open")
    silent = Client(console.server)
    watched = console.open(view="now")
    page = watched.page
    expect(page.get_by_role("status").filter(has_text="to look at")).to_be_visible()
    rows = page.get_by_role("grid", name="Connections").get_by_role("row")
    # The page's own socket is one of the connections.
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="signed out")).to_have_count(1)
    expect(rows.filter(has_text="administrator")).to_have_count(1)
    for number in range(20):
        silent.call("p", p="/open/n", d=number)
    silent.call("p", status="permission_denied", p="/closed", d=1)
    expect(page.get_by_role("region", name="Writes a second").locator("polyline").first).to_be_attached()
    expect(page.locator(".now-figures")).to_contain_text(re.compile("Connections ?3"))
    expect(page.locator(".now-figures")).to_contain_text(re.compile("Listens ?[1-9]"))
    rows.filter(has_text="mira").click()
    holding = page.locator(".holding")
    expect(holding.locator("li")).to_have_count(2)
    lobby = holding.locator("li").filter(has_text="/rooms/lobby")
    expect(lobby).to_contain_text(".read line 3")
    expect(lobby).to_contain_text("/members/lobby/mira")
    expect(holding.locator("li").filter(has_text="/open")).to_contain_text("open to all")
    log = page.get_by_role("log")
    expect(log).to_contain_text("denied")
    watched.picture("now")
    check_accessibility(page)
    page.get_by_label("Filter the log").fill("path=/closed")
    expect(log.locator("div")).to_have_count(1)
    page.locator(".now-figures").get_by_role("button", name=re.compile("Refused")).click()
    expect(page.locator(".refused")).to_have_count(1)
    page.go_back()
    expect(rows.filter(has_text="mira")).to_be_visible()
    expect(rows.filter(has_text="mira")).to_contain_text(re.compile(r"\d B|\d KB"))
    expect(rows.filter(has_text="mira")).to_contain_text("nothing")
    silent.close()
    expect(rows.filter(has_text="signed out")).to_have_count(0)
    watched.check()


def test_databases_are_created_and_deleted_after_their_name_is_typed(console):
    watched = console.open(view="settings")
    page = watched.page
    databases = page.get_by_role("region", name="Databases")
    page.get_by_role("button", name="New database").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("second/wrong")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Name").fill("second")
    dialog.get_by_role("button", name="Create").click()
    expect(databases).to_contain_text("second")
    assert "second" in console.server.run("databases", "list")
    databases.get_by_role("button", name="Delete second").click()
    button = dialog.get_by_role("button", name="Delete second")
    expect(button).to_be_disabled()
    dialog.get_by_role("textbox").fill("second")
    watched.picture("settings-delete")
    button.click()
    expect(databases.get_by_role("button", name="Delete second")).to_have_count(0)
    assert "second" not in console.server.run("databases", "list")
    secrets = page.get_by_role("region", name="Database secrets")
    secrets.get_by_role("button", name="Rotate").click()
    dialog.get_by_role("button", name="Rotate").click()
    expect(secrets.locator(".settings-row")).to_have_count(2)
    assert console.secret not in page.content()
    watched.picture("settings")
    check_accessibility(page)
    watched.check("400")


def test_markup_in_the_log_and_in_names_runs_nothing(console):
    client = Client(console.server)
    client.sign_in(console.server.token(MARKUP))
    client.call("p", status="permission_denied", p="/" + MARKUP, d=1)
    watched = console.open("--read-only", view="now", theme="dark")
    page = watched.page
    expect(page.get_by_role("log")).to_contain_text("onerror")
    page.get_by_role("grid", name="Connections").get_by_role("row").filter(has_text="onerror").click()
    expect(page.locator(".holding")).to_contain_text("listens to nothing")
    watched.picture("now-dark")
    check_accessibility(page)
    page.goto(f"{console.server.url}/.console/#/settings")
    expect(page.get_by_role("button", name="New database")).to_have_attribute("aria-disabled", "true")
    watched.check()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_now_page_fits_a_narrow_screen(console, theme):
    watched = console.open(view="now", size=NARROW, theme=theme)
    page = watched.page
    expect(page.locator(".now-figures polyline").first).to_be_attached()
    watched.picture(f"now-narrow-{theme}")
    check_accessibility(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    watched.check()


def test_findings_are_sentences_and_a_client_is_disconnected(console):
    console.server.run(
        "triggers", "add", "index", "--path", "/open/{item}", "--on", "write", "--url", "http://127.0.0.1:9/events")
    client = Client(console.server)
    client.sign_in(console.server.token("mira"))
    client.call("p", p="/open/x", d=1)
    watched = console.open(view="now")
    page = watched.page
    look = page.get_by_role("region", name="To look at")
    expect(look).to_contain_text("The receiver of index cannot be reached")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"\d+ things? to look at: the receiver of index"))).to_be_visible()
    side = page.get_by_role("complementary", name="State")
    expect(side).to_contain_text(re.compile("Last backup ?none"))
    expect(side).to_contain_text(re.compile(r"Open files ?\d+ of"))
    rows = page.get_by_role("grid", name="Connections").get_by_role("row")
    rows.filter(has_text="mira").click()
    watched.picture("now-findings")
    check_accessibility(page)
    page.get_by_role("button", name="Disconnect").click()
    expect(rows.filter(has_text="mira")).to_have_count(0)
    expect(page.get_by_role("region", name="Notices").get_by_text("The connection is ended.")).to_be_visible()
    watched.check()


def test_a_viewer_cannot_disconnect_clients(console):
    client = Client(console.server)
    client.sign_in(console.server.token("mira"))
    watched = console.open("--read-only", view="now", theme="dark")
    page = watched.page
    row = page.get_by_role("grid", name="Connections").get_by_role("row").filter(has_text="mira")
    row.click()
    button = page.get_by_role("button", name="Disconnect")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    client.call("p", p="/open/x", d=1)
    expect(row).to_be_visible()
    check_accessibility(page)
    watched.check()


def test_a_large_subtree_is_saved_while_it_is_streamed(console):
    console.write("/open/large", {f"key{number}": "x" * 1000 for number in range(7_000)})
    watched = console.open(fragment="/open/large")
    page = watched.page
    with page.expect_download() as saved:
        page.get_by_role("complementary").get_by_role("button", name="Export").click()
    assert saved.value.suggested_filename == "default-large.json"
    with open(saved.value.path(), encoding="utf-8") as file:
        assert len(json.load(file)) == 7_000
    watched.check()


def test_dead_letters_are_sent_again(console):
    answers = {"status": 400}
    receiver = Receiver(lambda number, request: answers["status"])
    console.server.run(
        "triggers", "add", "index", "--path", "/open/{item}", "--on", "write", "--url", receiver.url, "--form", "webhook")
    console.write("/open/x", 1)
    until(lambda: json.loads(console.server.run("triggers", "dead", "index", "--json"))["letters"])
    watched = console.open(view="now")
    page = watched.page
    page.get_by_role("complementary", name="State").get_by_role("button", name="1 given up").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the receiver refused the event: status 400")
    expect(dialog).to_contain_text("default /open/x")
    watched.picture("now-dead-letters")
    check_accessibility(page)
    answers["status"] = 204
    dialog.get_by_role("button", name="Send all again").click()
    expect(dialog).to_contain_text("There are none.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="State")).to_contain_text(re.compile("index ?well"))
    assert len(receiver.requests) == 2
    receiver.close()
    watched.check()
