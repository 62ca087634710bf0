"""The list of users with access to the selected location, shown beside the data in Chromium."""

import re

import pytest
from playwright.sync_api import expect

from console_page import Console, browser, check_accessibility

RULES = '''{"rules": {
  "open": {".read": true},
  "users": {"$uid": {".read": "auth != null && auth.uid == $uid", ".write": "auth != null && auth.uid == $uid"}},
  "rooms": {".read": "auth != null", "$room": {".write": "root.child('members/' + $room + '/' + auth.uid).exists()"}}
}}'''


@pytest.fixture
def console(serve, browser):
    made = Console(serve(rules=RULES), browser)
    made.write("/", {"open": 1, "users": {"ann": 1}, "rooms": {"lobby": 1}, "closed": 1})
    return made


def test_the_page_shows_who_can_access_a_location_and_explains_a_denial(console):
    watched = console.open(fragment="/users/ann")
    page = watched.page
    may = page.get_by_role("region", name="Access")
    expect(may).to_contain_text("ann alone line 3")
    watched.picture("data-who-may")
    check_accessibility(page)
    page.goto(f"{console.server.url}/.console/#/data/rooms/lobby")
    expect(may).to_contain_text("signed-in users")
    expect(may).to_contain_text("root.child('members/' + $room + '/' + auth.uid).exists()")
    page.goto(f"{console.server.url}/.console/#/data/closed")
    expect(may.locator("dd").first).to_have_text("no client: no rule covers this path")
    page.goto(f"{console.server.url}/.console/#/data/open")
    expect(may.locator("dd").first).to_contain_text("all clients")
    page.goto(f"{console.server.url}/.console/#/data/users/ann?as=ben")
    may = page.get_by_role("region", name="Access of ben")
    may.get_by_role("button", name="no read").click()
    expect(may.get_by_role("region", name="Why")).to_contain_text("auth.uid is \"ben\"")
    watched.picture("data-as-why")
    check_accessibility(page)
    page.goto(f"{console.server.url}/.console/#/data/users/ann?as=ann")
    may = page.get_by_role("region", name="Access of ann")
    expect(may.get_by_role("button")).to_have_text([re.compile("reads"), re.compile("writes")])
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("link", name="line 3").first.click()
    expect(page.get_by_role("main", name="Rules")).to_be_visible()
    watched.check()
