"""The console's page in Chromium: viewing and editing data step by step, against a real server."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

from browser import CheckedPage
from console_page import MARKUP, NARROW, WIDE, Console, violations, browser
from waits import WAIT_SECONDS


DATA = {
    "members": {"garden": {"ann": True, "mira": True}, "lobby": {"ann": True, "ben": True, "kim": True}},
    "notices": {"closing": "The studio closes at eight on Sunday", "firing": "Next glaze firing: Thursday"},
    "rooms": {
        "garden": {"topic": "Beds 4 to 9"},
        "lobby": {
            "topic": "Kiln schedule, week 47",
            "messages": {
                "-P71cFfya-_bNoqZrtJS": {"text": "Glaze test tiles are in the blue crate", "uid": "ben", "ts": 1795340438000},
                "-P71cMk3SYTEeL_u24h9": {"text": "Kiln 2 is free from four", "uid": "ann", "ts": 1795340467204},
            },
        },
    },
    "users": {"mira": {"color": "teal", "tz": "Europe/Vienna"}},
}


@pytest.fixture
def console(serve, starter_rules, browser):
    made = Console(serve(rules=starter_rules), browser)
    made.write("/", DATA)
    return made


def row(page, *path):
    """Returns the row of a visible path. Rows with the same key are distinguished by their level."""
    return page.locator(f".row:not([hidden])[aria-level='{len(path)}']").filter(
        has=page.locator(".key", has_text=re.compile(f"^{re.escape(path[-1])}$")))


def key(page, name):
    page.locator(".tree").press(name)


def test_a_link_opens_one_session_and_leaves_no_trace(console):
    link = console.link()
    context = console.browser.new_context(viewport=WIDE)
    watched = CheckedPage(context, console.server.url)
    page = watched.page
    page.goto(link)
    expect(row(page, "members")).to_be_visible()
    assert "key=" not in page.url
    page.reload()
    expect(row(page, "members")).to_be_visible()
    watched.check()
    page.goto("about:blank")
    page.go_back()
    assert "key=" not in page.url

    other = CheckedPage(console.browser.new_context(viewport=WIDE), console.server.url)
    other.page.goto(link)
    expect(other.page.get_by_role("alert")).to_be_visible()
    expect(other.page.locator(".shell-line")).to_be_visible()
    other.picture("door-used-link")
    other.check("401")


def test_without_a_session_the_sign_in_page_is_shown(console):
    watched = CheckedPage(console.browser.new_context(viewport=WIDE), console.server.url)
    watched.page.goto(console.server.url + "/.console/")
    expect(watched.page.get_by_role("heading", name="Open the console by a link")).to_be_visible()
    watched.picture("door")
    watched.check()


def test_writes_of_other_clients_are_shown_at_once(console):
    watched = console.open(fragment="/notices/closing")
    page = watched.page
    value = row(page, "notices", "closing").locator(".value")
    expect(value).to_have_text('"The studio closes at eight on Sunday"')
    console.write("/notices/closing", "The studio closes at nine on Sunday")
    expect(value).to_have_text('"The studio closes at nine on Sunday"')
    expect(value).to_have_class(re.compile("lit"))
    watched.picture("data-glow")
    console.write("/notices/opening", "Ten")
    expect(row(page, "notices", "opening")).to_be_visible()
    expect(row(page, "notices").locator(".count")).to_have_text("3")
    console.write("/notices/opening", None)
    expect(row(page, "notices", "opening")).to_have_count(0)
    expect(page.locator(".change").first).to_contain_text("closing")
    watched.check()


def test_a_value_is_edited_in_its_row_and_undone(console):
    watched = console.open(fragment="/rooms/lobby/topic")
    page = watched.page
    expect(row(page, "rooms", "lobby", "topic")).to_have_attribute("aria-selected", "true")
    key(page, "Enter")
    field = page.locator(".row-editor input")
    field.fill("007")
    watched.picture("data-edit-row")
    field.press("Enter")
    expect(field).to_have_count(0)
    console.becomes("/rooms/lobby/topic", "007")
    page.get_by_role("button", name="Undo").click()
    console.becomes("/rooms/lobby/topic", "Kiln schedule, week 47")
    watched.check()


def test_a_write_is_refused_when_the_value_changed_unseen(console):
    watched = console.open(fragment="/rooms/lobby/topic")
    page = watched.page
    expect(row(page, "rooms", "lobby", "topic")).to_be_visible()
    key(page, "Enter")
    field = page.locator(".row-editor input")
    field.fill("Mine")
    console.write("/rooms/lobby/topic", "Theirs")
    field.press("Enter")
    conflict = page.locator(".conflict")
    expect(conflict).to_contain_text("Theirs")
    expect(conflict).to_contain_text("Mine")
    watched.picture("data-conflict")
    assert console.read("/rooms/lobby/topic") == "Theirs"
    page.get_by_role("button", name="Overwrite with mine").click()
    console.becomes("/rooms/lobby/topic", "Mine")
    watched.check()


def test_types_are_chosen_and_priorities_stay(console):
    console.write("/notices/count", {".value": 4, ".priority": 7})
    watched = console.open(fragment="/notices/count")
    page = watched.page
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Number", exact=True).click()
    page.get_by_label("Value", exact=True).fill("not a number")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("not a number")
    page.get_by_role("button", name="Server value").click()
    page.get_by_role("button", name="Increment").click()
    page.get_by_role("button", name="Save").click()
    console.becomes("/notices/count", {".value": 5, ".priority": 7})
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("menuitem", name="Priority").click()
    page.get_by_role("button", name="Text", exact=True).click()
    page.get_by_label("Priority", exact=True).fill("high")
    page.get_by_role("button", name="Save").click()
    console.becomes("/notices/count", {".value": 5, ".priority": "high"})
    watched.check()


def test_add_rename_move_duplicate_and_remove(console):
    watched = console.open(fragment="/notices")
    page = watched.page
    expect(row(page, "notices")).to_have_attribute("aria-selected", "true")
    key(page, "a")
    page.get_by_label("Key, or a path below").fill("v1.2")
    page.get_by_role("button", name="Add", exact=True).last.click()
    expect(page.get_by_role("alert")).to_contain_text("character 3")
    watched.picture("data-add")
    page.get_by_label("Key, or a path below").fill("open")
    page.get_by_role("button", name="Boolean").click()
    page.get_by_role("button", name="Add", exact=True).last.click()
    console.becomes("/notices/open", True)
    expect(page).to_have_url(re.compile("#/data/notices/open$"))

    key(page, "F2")
    page.get_by_label("New key").fill("isOpen")
    page.get_by_role("button", name="Rename", exact=True).click()
    console.becomes("/notices/isOpen", True)
    assert console.read("/notices/open") is None
    expect(row(page, "notices", "isOpen")).to_have_attribute("aria-selected", "true")

    page.get_by_role("button", name="More").first.click()
    page.get_by_role("menuitem", name="Move", exact=True).click()
    page.get_by_label("New path").fill("/notices/isOpen/below")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("below what is moved")
    page.get_by_label("New path").fill("/rooms/lobby/isOpen")
    page.get_by_role("button", name="Move", exact=True).click()
    console.becomes("/rooms/lobby/isOpen", True)
    assert console.read("/notices/isOpen") is None
    expect(row(page, "rooms", "lobby", "isOpen")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="Undo").last.click()
    console.becomes("/notices/isOpen", True)
    assert console.read("/rooms/lobby/isOpen") is None
    page.goto(f"{console.server.url}/.console/#/data/notices/isOpen")
    expect(row(page, "notices", "isOpen")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tree").focus()

    key(page, "d")
    console.becomes("/notices/isOpen-copy", True)
    expect(row(page, "notices", "isOpen-copy")).to_have_attribute("aria-selected", "true")

    key(page, "Delete")
    console.becomes("/notices/isOpen-copy", None)
    key(page, "Control+z")
    console.becomes("/notices/isOpen-copy", True)
    watched.check()


def test_undo_never_overwrites_a_newer_value(console):
    watched = console.open(fragment="/notices/firing")
    page = watched.page
    expect(row(page, "notices", "firing")).to_be_visible()
    key(page, "Delete")
    console.becomes("/notices/firing", None)
    console.write("/notices/firing", "Newer")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast.bad")).to_be_visible()
    assert console.read("/notices/firing") == "Newer"
    watched.check()


def test_a_large_removal_needs_its_key_typed(console):
    console.write("/archive", {f"k{number:05}": number for number in range(1500)})
    watched = console.open(fragment="/archive")
    page = watched.page
    expect(row(page, "archive")).to_have_attribute("aria-selected", "true")
    key(page, "Delete")
    dialog = page.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Remove archive")
    expect(button).to_be_disabled()
    expect(dialog).to_contain_text("1,500")
    watched.picture("data-remove")
    dialog.get_by_role("textbox").fill("archive")
    button.click()
    console.becomes("/archive", None)
    page.get_by_role("button", name="Undo").click()
    console.becomes("/archive/k01499", 1499)
    watched.check()


def test_pasted_json_shows_its_differences_first(console):
    watched = console.open(fragment="/notices")
    page = watched.page
    expect(row(page, "notices")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("menuitem", name="Paste JSON").click()
    text = page.get_by_label("JSON", exact=True)
    text.fill('{"closing": ')
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("alert")).to_contain_text("too early")
    text.fill('{"closing": "At ten", "parking": "Behind the house"}')
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".counts")).to_have_text("1added1changed0removed1same")
    expect(page.locator(".diff")).to_contain_text("At ten")
    watched.picture("data-paste")
    assert console.read("/notices/closing") == DATA["notices"]["closing"]
    page.get_by_role("button", name="Write it").click()
    console.becomes("/notices", {**DATA["notices"], "closing": "At ten", "parking": "Behind the house"})
    watched.check()


def test_paths_are_completed_and_locations_have_addresses(console):
    watched = console.open()
    page = watched.page
    expect(row(page, "rooms")).to_be_visible()
    expect(page.get_by_role("tree")).to_be_focused()
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Path").fill("/rooms/l")
    expect(page.get_by_role("option")).to_have_count(1)
    expect(page.get_by_role("option")).to_have_text(re.compile("lobby"))
    watched.picture("data-path")
    page.keyboard.press("Tab")
    page.keyboard.type("to")
    expect(page.get_by_role("option")).to_have_count(1)
    expect(page.get_by_role("option")).to_have_text(re.compile("topic"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tree")).to_be_focused()
    expect(page).to_have_url(re.compile("#/data/rooms/lobby/topic$"))
    expect(row(page, "rooms", "lobby", "topic")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Path or command").fill("/users/mira")
    expect(page.get_by_role("option").first).to_contain_text("/users/mira")
    watched.picture("command-box")
    page.keyboard.press("Enter")
    expect(row(page, "users", "mira")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(row(page, "rooms", "lobby", "topic")).to_have_attribute("aria-selected", "true")
    page.reload()
    expect(row(page, "rooms", "lobby", "topic")).to_have_attribute("aria-selected", "true")
    page.goto(console.server.url + "/.console/#/data/rooms/nowhere")
    expect(page.get_by_text("Nothing at /rooms/nowhere")).to_be_visible()
    watched.check()


def test_the_filter_shows_matches_with_their_surroundings(console):
    watched = console.open(fragment="/rooms/lobby/messages?filter=kiln%202")
    page = watched.page
    expect(row(page, "rooms", "lobby", "messages", "-P71cMk3SYTEeL_u24h9")).to_be_visible()
    expect(row(page, "rooms", "lobby", "messages", "-P71cFfya-_bNoqZrtJS")).to_have_count(0)
    expect(row(page, "notices")).to_have_count(0)
    watched.picture("data-filter")
    page.get_by_role("searchbox").fill("nothing like this")
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()
    watched.picture("data-filter-empty")
    page.get_by_role("button", name="Clear the filter").click()
    expect(row(page, "notices")).to_be_visible()
    watched.check()


def test_the_tree_by_keyboard_alone(console):
    watched = console.open()
    page = watched.page
    expect(row(page, "members")).to_be_visible()
    page.locator(".tree").focus()
    key(page, "Home")
    expect(row(page, "members")).to_have_attribute("aria-selected", "true")
    key(page, "ArrowRight")
    expect(row(page, "members")).to_have_attribute("aria-expanded", "true")
    key(page, "ArrowRight")
    expect(row(page, "members", "garden")).to_have_attribute("aria-selected", "true")
    key(page, "ArrowLeft")
    key(page, "ArrowLeft")
    expect(row(page, "members")).to_have_attribute("aria-expanded", "false")
    page.keyboard.type("us")
    expect(row(page, "users")).to_have_attribute("aria-selected", "true")
    key(page, "End")
    active = page.locator(".tree").get_attribute("aria-activedescendant")
    assert page.locator("#" + active).get_attribute("aria-posinset") == "4"
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    watched.picture("keys")
    page.keyboard.press("Escape")
    expect(page.locator(".tree")).to_be_focused()
    watched.check()


def test_data_is_viewed_as_another_user(console):
    watched = console.open(fragment="/rooms")
    page = watched.page
    expect(row(page, "rooms")).to_have_attribute("aria-selected", "true")
    key(page, "v")
    page.get_by_label("Uid").fill("mira")
    page.get_by_role("button", name="View as", exact=True).last.click()
    expect(page.locator(".banner.violet")).to_contain_text("As mira")
    expect(row(page, "rooms", "lobby")).to_have_class(re.compile("hidden-row"))
    expect(row(page, "rooms", "garden")).not_to_have_class(re.compile("hidden-row"))
    expect(row(page, "rooms").locator(".chip")).to_have_text("in parts")
    expect(page.get_by_role("button", name="Add", exact=True)).to_have_count(0)
    watched.picture("data-as")
    row(page, "rooms", "garden").locator(".twisty").click()
    expect(row(page, "rooms", "garden", "topic").locator(".value")).to_have_text('"Beds 4 to 9"')
    # When the membership is removed, the data disappears; when the membership returns, the data returns.
    console.write("/members/garden/mira", None)
    expect(row(page, "rooms", "garden")).to_have_class(re.compile("hidden-row"))
    expect(page.get_by_text("Beds 4 to 9")).to_have_count(0)
    console.write("/members/garden/mira", True)
    expect(row(page, "rooms", "garden")).not_to_have_class(re.compile("hidden-row"))
    key(page, "a")
    expect(page.locator(".toast").last).to_contain_text("Writing is off")
    page.get_by_role("button", name="Stop").click()
    expect(row(page, "rooms", "lobby")).not_to_have_class(re.compile("hidden-row"))
    watched.check()


def test_a_viewer_reads_the_tree_and_cannot_edit_it(console):
    watched = console.open("--read-only", fragment="/notices/closing")
    page = watched.page
    expect(page.locator(".rail")).to_contain_text("Read-only")
    expect(row(page, "notices", "closing")).to_have_attribute("aria-selected", "true")
    button = page.get_by_role("button", name="Add", exact=True)
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_have_attribute("aria-description", re.compile("read-only"))
    key(page, "Enter")
    expect(page.locator(".row-editor")).to_have_count(0)
    expect(page.locator(".toast")).to_contain_text("read-only")
    watched.picture("data-viewer")
    watched.check()


def test_markup_and_hidden_characters_are_text(console):
    console.write("/", {MARKUP.replace(".", ""): MARKUP, "a\u202eb": "\u0000\u202e", "__proto__": {"x": 1}}, method="PUT")
    watched = console.open()
    page = watched.page
    expect(row(page, MARKUP)).to_be_visible()
    expect(row(page, MARKUP).locator(".value")).to_have_text(f'"{MARKUP}"')
    expect(row(page, "a\\u202Eb")).to_be_visible()
    expect(row(page, "__proto__")).to_be_visible()
    row(page, MARKUP).click()
    expect(page.locator(".inspector h2")).to_have_text(MARKUP)
    page.get_by_role("searchbox").fill(MARKUP)
    expect(row(page, MARKUP)).to_be_visible()
    assert page.locator("img").count() == 0
    watched.picture("data-markup")
    watched.check()


def test_a_large_node_is_opened_by_windows(console):
    console.write("/sensors", {f"s-{number:06}": number for number in range(30_000)})
    watched = console.open(fragment="/sensors")
    page = watched.page
    expect(row(page, "sensors", "s-000000").locator(".value")).to_have_text("0")
    expect(row(page, "sensors").locator(".count")).to_have_text("30,000")
    # Children beyond the window are not in the page.
    assert page.locator(".row").count() < 100
    # Scrolling to the end of the window loads the next children.
    page.mouse.move(600, 500)
    deadline = time.monotonic() + WAIT_SECONDS
    while not row(page, "sensors", "s-000300").count():
        assert time.monotonic() < deadline
        page.mouse.wheel(0, 400)
    expect(row(page, "sensors", "s-000300").locator(".value")).to_have_text("300")
    page.get_by_role("button", name="From key").click()
    page.get_by_label("From this key, or the next one").fill("s-0250")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(row(page, "sensors", "s-025000").locator(".value")).to_have_text("25000")
    watched.picture("data-large")
    console.write("/sensors/s-025001", -1)
    expect(row(page, "sensors", "s-025001").locator(".value")).to_have_text("-1")
    page.get_by_role("button", name="Last", exact=True).click()
    expect(row(page, "sensors", "s-029999")).to_be_attached()
    watched.check()


def test_children_are_ordered_by_key_value_child_and_priority(console):
    console.write("/scores", {"a": {"points": 30}, "b": {"points": 4}, "c": {"points": 12}})
    watched = console.open(fragment="/scores?order=child%3Apoints")
    page = watched.page

    def keys():
        return [each for _, each in sorted(
            (int(found.get_attribute("aria-posinset")), found.locator(".key").inner_text())
            for found in page.locator(".row:not([hidden])[aria-level='2']").all())]

    expect(row(page, "scores", "b")).to_have_attribute("aria-posinset", "1")
    assert keys() == ["b", "c", "a"]
    console.write("/scores/b/points", 100)
    expect(row(page, "scores", "b")).to_have_attribute("aria-posinset", "3")
    page.get_by_role("button", name="points", exact=True).click()
    page.get_by_role("menuitemradio", name="By key").click()
    expect(row(page, "scores", "b")).to_have_attribute("aria-posinset", "2")
    watched.check()


def test_loaded_data_stays_while_the_connection_is_lost(console):
    watched = console.open(fragment="/notices/closing")
    page = watched.page
    expect(row(page, "notices", "closing")).to_be_visible()
    console.server.keep_port()
    console.server.stop()
    expect(page.locator(".banner.ember")).to_contain_text("No connection since")
    expect(row(page, "notices", "closing").locator(".value")).to_have_text(re.compile("closes at eight"))
    key(page, "Enter")
    expect(page.locator(".toast").last).to_contain_text("no connection")
    watched.picture("data-offline")
    console.server.start()
    # The session continues in the next process, and ends with the file that keeps it.
    expect(page.locator(".banner")).to_have_count(0)
    console.server.keep_port()
    console.server.stop()
    (console.server.data / "console-sessions.json").unlink()
    console.server.start()
    expect(page.get_by_role("dialog", name="Your session has ended")).to_be_visible()
    watched.picture("session-ended")
    # The page sends no requests while it is signed out.
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for view in ("now", "people"):
        page.evaluate(f"location.hash = '#/{view}'")
        expect(page.get_by_text("The session ended.")).to_be_attached()
    assert [url for url in asked if "/api/" in url] == []
    # After another sign-in link, opened over the same page, the view continues where it was.
    page.goto(console.link())
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page).to_have_url(re.compile("#/people$"))
    page.evaluate("location.hash = '#/data/notices/closing'")
    expect(page.locator(".banner")).to_have_count(0)
    console.write("/notices/closing", "Back")
    expect(row(page, "notices", "closing").locator(".value")).to_have_text('"Back"')
    watched.check("ERR_CONNECTION", "WebSocket connection", "401", "ERR_EMPTY_RESPONSE")


def test_signing_out_ends_the_session(console):
    watched = console.open()
    page = watched.page
    page.locator(".rail").get_by_role("button", name="Session").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Open the console by a link")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Open the console by a link")).to_be_visible()
    watched.check()


def test_an_empty_database_shows_the_first_steps(serve, starter_rules, browser):
    console = Console(serve(rules=starter_rules), browser)
    watched = console.open()
    page = watched.page
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    watched.picture("data-empty")
    page.get_by_role("button", name="Add a value").click()
    page.get_by_label("Key, or a path below").fill("notices/welcome")
    page.get_by_label("Value", exact=True).fill("Hello")
    page.get_by_role("button", name="Add", exact=True).last.click()
    console.becomes("/notices/welcome", "Hello")
    expect(row(page, "notices", "welcome").locator(".value")).to_have_text('"Hello"')
    watched.check()



@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_pages_are_accessible(console, theme, size):
    watched = console.open(fragment="/rooms/lobby/messages/-P71cMk3SYTEeL_u24h9/text", size=size, theme=theme)
    page = watched.page
    name = f"{theme}-{size['width']}"
    expect(row(page, "rooms", "lobby", "messages", "-P71cMk3SYTEeL_u24h9", "text")).to_be_visible()
    row(page, "rooms", "lobby", "messages", "-P71cMk3SYTEeL_u24h9", "text").click()
    page.get_by_role("button", name="Edit", exact=True).click()
    watched.picture(f"data-{name}")
    assert not violations(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_be_visible()
    watched.picture(f"command-{name}")
    assert not violations(page)
    page.keyboard.press("Escape")
    for sheet in ("a", "v", "F2"):
        key(page, sheet)
        expect(page.get_by_role("dialog")).to_be_visible()
        watched.picture(f"sheet-{sheet}-{name}")
        assert not violations(page)
        page.keyboard.press("Escape")
    page.goto(console.server.url + "/.console/#/data/rooms?as=mira")
    expect(row(page, "rooms", "lobby")).to_have_class(re.compile("hidden-row"))
    watched.picture(f"as-{name}")
    assert not violations(page)
    watched.check()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_sign_in_page_is_accessible(console, theme):
    watched = CheckedPage(console.browser.new_context(viewport=NARROW, color_scheme=theme), console.server.url)
    watched.page.goto(console.server.url + "/.console/")
    expect(watched.page.get_by_role("heading")).to_be_visible()
    watched.picture(f"door-{theme}-390")
    assert not violations(watched.page)
    watched.check()
