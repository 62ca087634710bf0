"""The console's rules view in Chromium: denials and their explanation, an edit, a deploy, versions, and trial requests."""

import json
import re

import pytest
from playwright.sync_api import expect

from client import Client
from conftest import ROOT
from console_page import MARKUP, NARROW, WIDE, Console, browser, check_accessibility

STARTER = (ROOT / "Rules/starter.json").read_text(encoding="utf-8")
MESSAGE = {"text": "Can I join the Thursday firing?", "uid": "mira", "ts": {".sv": "timestamp"}}


@pytest.fixture
def console(serve, browser):
    return Console(serve("--rules-coverage", rules=STARTER), browser)


def refuse(console, path="/rooms/lobby/messages/m1", uid="mira", value=MESSAGE):
    client = Client(console.server)
    client.sign_in(console.server.token(uid))
    client.call("p", status="permission_denied", p=path, d=value)
    return client


def edit(page, old, new):
    """Replaces a text in the editor, like a paste."""
    page.evaluate(
        "([old, next]) => { const editor = document.querySelector('.CodeMirror').CodeMirror;"
        " editor.setValue(editor.getValue().replace(old, next)); }", [old, new])


def test_a_refusal_is_explained_mended_tried_and_deployed(console):
    watched = console.open(view="rules")
    page = watched.page
    expect(page.get_by_text("Make a first denial")).to_be_visible()
    watched.picture("rules-first")
    client = refuse(console)
    row = page.locator(".refused")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("/rooms/lobby/messages/m1")
    expect(row).to_contain_text("mira")
    expect(page.get_by_role("link", name="Rules")).to_contain_text("1")
    row.click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("put refused")
    parts = why.locator(".part")
    expect(parts).to_have_count(3)
    expect(parts.nth(0)).to_have_class(re.compile("held"))
    expect(parts.nth(1)).to_have_class(re.compile("failed"))
    expect(parts.nth(1)).to_contain_text("nothing at /members/lobby/mira")
    expect(parts.nth(2)).to_have_class(re.compile("unasked"))
    expect(page.locator(".CodeMirror .part-failed").first).to_be_visible()
    expect(page.locator(".CodeMirror .part-held").first).to_be_visible()
    expect(page).to_have_url(re.compile("#/rules/denial/1$"))
    watched.picture("rules-why")
    check_accessibility(page)

    why.get_by_role("button", name="Try with my edit").click()
    expect(why).to_contain_text("still refused with your edit")
    expect(why).to_contain_text("Uses the data of that time.")
    edit(page, "root.child('members/' + $room + '/' + auth.uid).exists() && (!data", "(!data")
    expect(page.get_by_text("1 line changed")).to_be_visible()
    why.get_by_role("button", name="Try with my edit").click()
    expect(why).to_contain_text("allowed with your edit")
    expect(why).to_contain_text("Uses the current data: your rules read paths that were not kept")
    watched.picture("rules-tried")
    why.get_by_role("button", name="Copy as test").click()
    expect(page.get_by_role("region", name="Notices")).to_contain_text("Save it beside your rules file")
    page.context.grant_permissions(["clipboard-read"])
    case = json.loads(page.evaluate("navigator.clipboard.readText()"))["cases"][0]
    assert case["write"] == "/rooms/lobby/messages/m1" and case["as"] == "mira" and case["expect"] == "deny"

    page.get_by_role("button", name="Deploy").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".line-diff .added")).to_have_count(1)
    dialog.get_by_label("Note").fill("Everybody may ask")
    watched.picture("rules-deploy")
    dialog.get_by_role("button", name="Deploy").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("version 2 in force")).to_be_visible()
    client.call("p", p="/rooms/lobby/messages/m1", d=MESSAGE)

    page.get_by_role("link", name="History").click()
    expect(page.locator(".version").first).to_contain_text("Everybody may ask")
    expect(page.locator(".version").first).to_contain_text("console, admin-token")
    page.locator(".version").nth(1).click()
    watched.picture("rules-history")
    page.get_by_role("button", name="Roll back to version 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    expect(page.locator(".version")).to_have_count(3)
    client.call("p", status="permission_denied", p="/rooms/lobby/messages/m2", d=MESSAGE)
    watched.check()


def test_errors_are_shown_at_their_place_in_the_editor(console):
    watched = console.open(view="rules")
    page = watched.page
    expect(page.get_by_text("no errors")).to_be_visible()
    edit(page, "data.child(auth.uid)", "data.chld(auth.uid)")
    expect(page.get_by_text("1 error", exact=True)).to_be_visible()
    expect(page.locator(".CodeMirror .rule-error")).to_be_visible()
    expect(page.get_by_role("list", name="What the check found")).to_contain_text("line 19")
    watched.picture("rules-error")
    page.get_by_role("button", name="Deploy").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 error must be mended")
    expect(dialog.get_by_role("button", name="Deploy")).to_be_disabled()
    page.keyboard.press("Escape")
    # The browser tab keeps the text until the user discards it.
    page.reload()
    expect(page.get_by_text("1 error", exact=True)).to_be_visible()
    page.get_by_role("button", name="Revert").click()
    expect(page.get_by_text("no errors")).to_be_visible()
    # Completion offers the names that are valid at the cursor.
    page.locator(".CodeMirror").click()
    page.keyboard.press("Control+End")
    watched.check()


def test_a_deploy_never_replaces_an_unseen_version(console, tmp_path):
    watched = console.open(view="rules")
    page = watched.page
    expect(page.get_by_text("no errors")).to_be_visible()
    edit(page, "<= 2000", "<= 4000")
    expect(page.get_by_text("1 line changed")).to_be_visible()
    other = tmp_path / "rules.json"
    other.write_text(STARTER.replace("isBoolean()", "isString()"), encoding="utf-8")
    console.server.run("rules", "deploy", str(other))
    page.get_by_role("button", name="Deploy").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Deploy").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Another version came into force")
    expect(dialog.locator(".line-diff .added")).to_have_count(2)
    watched.picture("rules-conflict")
    watched.check("412")


def test_the_page_tries_any_request_as_any_user(console):
    console.write("/members/lobby/mira", True)
    watched = console.open(view="rules", fragment="/try")
    page = watched.page
    page.get_by_label("Path").fill("/rooms/lobby")
    page.get_by_role("button", name="Evaluate").click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("read refused")
    page.get_by_role("button", name="User").click()
    page.get_by_label("uid").fill("mira")
    page.get_by_role("button", name="Evaluate").click()
    expect(why).to_contain_text("read allowed")
    # As the user of a token, too.
    page.get_by_role("button", name="Token").click()
    page.get_by_label("Token").fill("x")
    page.get_by_role("button", name="Evaluate").click()
    expect(page.get_by_role("alert")).to_contain_text("The token is not valid")
    for uid, outcome in (("mira", "read allowed"), ("noa", "read refused")):
        page.get_by_label("Token").fill(console.server.token(uid))
        page.get_by_role("button", name="Evaluate").click()
        expect(why).to_contain_text(outcome)
    page.get_by_role("button", name="User").click()
    page.get_by_role("button", name="Write", exact=True).click()
    page.get_by_label("Value, in JSON").fill("{")
    page.get_by_role("button", name="Evaluate").click()
    expect(page.get_by_role("alert")).to_contain_text("no JSON")
    page.get_by_label("Value, in JSON").fill(json.dumps({"text": MARKUP}))
    page.get_by_label("Path").fill("/rooms/lobby/messages/m1")
    page.get_by_role("button", name="Evaluate").click()
    expect(why).to_contain_text("write refused")
    expect(why).to_contain_text(MARKUP)
    watched.picture("rules-try")
    check_accessibility(page)
    assert console.read("/rooms/lobby") is None
    watched.check("400")


def test_staged_rules_are_evaluated_promoted_and_discarded(console):
    watched = console.open(view="rules")
    page = watched.page
    expect(page.get_by_text("no errors")).to_be_visible()
    edit(page, '".read": true', '".read": false')
    expect(page.get_by_text("1 line changed")).to_be_visible()
    page.get_by_role("link", name="Staged").click()
    page.get_by_role("button", name="Stage the editor's text").click()
    expect(page.get_by_role("heading", name="Rules on trial")).to_be_visible()
    client = Client(console.server)
    client.call("g", p="/notices", q={})
    expect(page.locator(".figures")).to_contain_text("now refused1")
    watched.picture("rules-staged")
    check_accessibility(page)
    page.get_by_role("button", name="End the trial").click()
    expect(page.get_by_role("heading", name="Nothing is on trial")).to_be_visible()
    watched.check()


def test_markup_in_denials_runs_nothing_and_a_viewer_changes_nothing(console):
    refuse(console, path=f"/{MARKUP}", uid=MARKUP, value={MARKUP.replace('.', ''): MARKUP})
    watched = console.open("--read-only", view="rules", theme="dark")
    page = watched.page
    page.locator(".refused").click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("No rule covers this path")
    expect(page.get_by_role("button", name="Deploy")).to_have_attribute("aria-description", re.compile("read-only"))
    page.locator(".CodeMirror").click()
    page.keyboard.type("x")
    expect(page.get_by_text("no errors")).to_be_visible()
    watched.picture("rules-viewer-dark")
    check_accessibility(page)
    watched.check()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_rules_page_fits_a_narrow_screen(console, theme):
    refuse(console)
    watched = console.open(view="rules", size=NARROW, theme=theme)
    page = watched.page
    page.locator(".refused").click()
    expect(page.get_by_role("region", name="Why")).to_be_visible()
    watched.picture(f"rules-narrow-{theme}")
    check_accessibility(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    watched.check()
