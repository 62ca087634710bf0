"""The console's page in Chromium over a slow network: keys typed for an overlay never reach the view behind it."""

import re

import pytest
from playwright.sync_api import expect

from console_page import VIEWS, Console, browser

DATA = {"data": {"one": 1, "two": 2}, "notes": {"first": "text"}}
LATENCY_MILLISECONDS = 400
# The time between two keys of a fast typist.
TYPED_MILLISECONDS = 70


@pytest.fixture
def console(serve, starter_rules, browser):
    made = Console(serve(rules=starter_rules), browser)
    made.write("/", DATA)
    return made


def open_slow(console, view, fragment=""):
    """Opens a page on which the modules of the overlays load with a delay."""
    watched = console.open(view=view, fragment=fragment)
    expect(watched.page.get_by_role("main", name=VIEWS[view])).to_be_visible()
    tools = watched.page.context.new_cdp_session(watched.page)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": LATENCY_MILLISECONDS, "downloadThroughput": -1, "uploadThroughput": -1})
    return watched


def select_data(page):
    expect(page.locator(".row[aria-selected='true'] .key")).to_have_text("data")
    page.locator(".tree").focus()


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_typed_after_control_k_stands_in_the_palette(console, view):
    watched = open_slow(console, view, "/data" if view == "data" else "")
    page = watched.page
    if view == "data":
        select_data(page)
    place = page.url
    page.keyboard.press("Control+k")
    page.keyboard.type("data", delay=TYPED_MILLISECONDS)
    expect(page.get_by_role("combobox", name="Path or command")).to_have_value("data")
    page.wait_for_timeout(3 * LATENCY_MILLISECONDS)
    assert page.url == place
    assert console.read("/") == DATA
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    watched.check()


@pytest.mark.parametrize("key, name", [
    ("a", re.compile("^Add below")), ("v", re.compile("^View as")), ("F2", re.compile("^Rename")), ("?", re.compile("^Keys"))])
def test_no_letter_reaches_the_tree_while_an_overlay_loads(console, key, name):
    watched = open_slow(console, "data", "/data")
    page = watched.page
    select_data(page)
    page.keyboard.press(key)
    page.keyboard.type("dada", delay=TYPED_MILLISECONDS)
    expect(page.get_by_role("dialog", name=name)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".tree")).to_be_focused()
    assert console.read("/") == DATA
    watched.check()


def test_an_overlay_that_is_closed_while_it_loads_does_not_open(console):
    watched = open_slow(console, "data", "/data")
    page = watched.page
    select_data(page)
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(page.locator(".tree")).to_be_focused()
    page.wait_for_timeout(3 * LATENCY_MILLISECONDS)
    expect(page.get_by_role("dialog")).to_have_count(0)
    watched.check()


def test_no_key_reaches_the_tree_behind_an_open_overlay(console):
    watched = open_slow(console, "data", "/data")
    page = watched.page
    select_data(page)
    page.keyboard.press("Control+k")
    page.evaluate("document.querySelector('.tree').focus()")
    page.keyboard.type("dd", delay=TYPED_MILLISECONDS)
    page.wait_for_timeout(3 * LATENCY_MILLISECONDS)
    assert console.read("/") == DATA
    expect(page.get_by_role("combobox", name="Path or command")).to_have_value("d")
    watched.check()


def test_a_letter_that_is_held_down_duplicates_once_and_shows_its_undo(console):
    watched = open_slow(console, "data", "/data/one")
    page = watched.page
    expect(page.locator(".row[aria-selected='true'] .key")).to_have_text("one")
    page.locator(".tree").focus()
    for _ in range(3):
        page.keyboard.down("d")
    page.keyboard.up("d")
    page.get_by_role("button", name="Undo").wait_for()
    assert console.read("/data") == {**DATA["data"], "one-copy": 1}
    page.get_by_role("button", name="Undo").click()
    console.becomes("/", DATA)
    watched.check()
