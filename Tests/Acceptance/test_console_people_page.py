"""The console's people view in Chromium: accounts, sessions, revocations, and their receipts."""

import json
import re

import pytest
import requests
from playwright.sync_api import expect

from client import Client
from console_page import MARKUP, NARROW, Console, browser, check_accessibility
from identity import Identity
from waits import WAIT_SECONDS

RULES = '''{"rules": {
  "open": {".read": true},
  "users": {"$uid": {".read": "auth != null && auth.uid == $uid", ".write": "auth != null && auth.uid == $uid"}}
}}'''


@pytest.fixture
def console(serve, browser):
    return Console(serve("--sign-in", "password,anonymous", rules=RULES), browser)


def people(console, *names):
    """Creates accounts with a session each."""
    app = Identity(console.server)
    return {name: app.sign_up(f"{name}@example.com", "password1") for name in names}


def row(page, text):
    return page.get_by_role("row").filter(has_text=text)


def test_disabling_a_user_shows_the_receipt(console):
    users = people(console, "ann", "ben", "kim")
    kim = users["kim"]
    client = Client(console.server)
    client.sign_in(kim["idToken"])
    client.listen(f"/users/{kim['localId']}")
    client.listen(f"/users/{kim['localId']}/drafts")
    client.listen("/open")
    client.call("p", status="permission_denied", p="/open", d=1)
    watched = console.open(view="people")
    page = watched.page
    expect(row(page, "@example.com")).to_have_count(3)
    watched.picture("people")
    check_accessibility(page)
    column = page.get_by_role("columnheader", name="Person")
    page.get_by_role("button", name="Person", exact=True).click()
    page.get_by_role("button", name="Person", exact=True).click()
    expect(column).to_have_attribute("aria-sort", "descending")
    expect(row(page, "@example.com").first).to_contain_text("kim@")
    page.reload()
    expect(column).to_have_attribute("aria-sort", "descending")
    expect(row(page, "@example.com").last).to_contain_text("ann@")
    page.keyboard.press("/")
    page.keyboard.type("KIM")
    expect(row(page, "@example.com")).to_have_count(1)
    row(page, "kim@").click()
    person = page.get_by_role("complementary", name="kim@example.com")
    expect(person).to_contain_text("Signed up")
    expect(person).to_contain_text("Refused: put /open")
    person.get_by_role("link", name="Sessions").click()
    expect(person.locator(".sessions li")).to_have_count(1)
    expect(person.locator(".sessions")).to_contain_text("127.0.0.1")
    person.get_by_role("link", name="Activity").click()
    person.get_by_role("button", name="Disable").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 session ends")
    watched.picture("person-disable")
    dialog.get_by_role("button", name="Disable kim@example.com").click()
    client.expect("ac", s="expired_token", d="Auth token is expired.")
    receipt = person.get_by_role("region", name=re.compile("Receipt"))
    expect(receipt).to_contain_text("2 of 3 listeners cut")
    expect(receipt).to_contain_text("complete")
    expect(receipt.locator(".told-bar")).to_have_count(2)
    expect(receipt.locator(".receipt-counts")).to_contain_text("told2")
    kept = receipt.get_by_role("list", name="Kept").get_by_role("listitem")
    expect(kept).to_have_count(1)
    expect(kept).to_contain_text(re.compile(r"/open.*kept by \.read line \d+"))
    expect(person).to_contain_text("disabled")
    expect(row(page, "kim@")).to_contain_text("disabled")
    watched.picture("person-receipt")
    check_accessibility(page)
    person.get_by_role("button", name="Enable").click()
    expect(person.get_by_role("button", name="Disable")).to_be_visible()
    person.get_by_role("link", name="why").first.click()
    expect(page.get_by_role("region", name="Why")).to_contain_text("put refused")
    watched.check()


def test_users_are_created_given_claims_imported_and_deleted(console):
    people(console, "ann")
    watched = console.open(view="people")
    page = watched.page
    page.get_by_role("button", name="New person").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Mail address").fill("ann@example.com")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.get_by_role("alert")).to_contain_text("EMAIL_EXISTS")
    dialog.get_by_label("Mail address").fill("lee@example.com")
    dialog.get_by_label("uid").fill("lee")
    dialog.get_by_role("button", name="Create").click()
    person = page.get_by_role("complementary", name="lee@example.com")
    person.get_by_role("link", name="Claims").click()
    claims = person.get_by_label("Claims, in JSON")
    claims.fill('{"aud": 1}')
    person.get_by_role("button", name="Set claims").click()
    expect(person.get_by_role("alert")).to_contain_text("aud is a name that tokens use themselves")
    claims.fill('{"role": "editor"}')
    person.get_by_role("button", name="Set claims").click()
    expect(row(page, "lee@")).to_contain_text("role: editor")
    watched.picture("person-claims")

    page.get_by_role("button", name="Import").click()
    dialog.get_by_role("textbox").fill("email,name\nida@example.com,\"Hill, Ida\"\nno address,Nobody\ntom@example.com,Tom")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog).to_contain_text("2 people imported")
    expect(dialog.get_by_role("table")).to_contain_text("2, no address")
    watched.picture("people-import")
    dialog.get_by_role("button", name="Done").click()
    expect(row(page, "tom@")).to_have_count(1)

    row(page, "lee@").click()
    person.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    button = dialog.get_by_role("button", name="Delete lee@example.com")
    expect(button).to_be_disabled()
    dialog.get_by_role("textbox").fill("lee@example.com")
    button.click()
    expect(row(page, "lee@")).to_have_count(0)
    gone = page.get_by_role("complementary", name="Person")
    expect(gone).to_contain_text("lee@example.com is deleted")
    expect(gone.get_by_role("region", name=re.compile("Receipt"))).to_contain_text("No client was connected")
    watched.picture("person-deleted")
    assert "lee@" not in console.server.run("users", "list")

    page.get_by_role("button", name="Audit trail").click()
    expect(dialog.locator(".audit-list")).to_contain_text("POST /accounts:delete")
    dialog.get_by_role("button", name="Verify").click()
    expect(dialog).to_contain_text("the chain is unbroken")
    watched.picture("people-audit")
    check_accessibility(page)
    watched.check("400")


def test_the_locations_that_a_user_can_reach_are_listed(console):
    ann = people(console, "ann")["ann"]
    own = f"/users/{ann['localId']}"
    console.write("/", {"open": 1, "users": {ann["localId"]: 1}, "closed": 1})
    client = Client(console.server)
    client.sign_in(ann["idToken"])
    client.listen(own, data=1)
    watched = console.open(view="people", fragment=f"/{ann['localId']}/access")
    page = watched.page
    probes = page.get_by_role("list", name="Places").get_by_role("listitem")
    expect(probes).to_have_count(5)
    expect(probes.filter(has_text="/open")).to_contain_text("reads")
    expect(probes.filter(has_text="/closed")).to_contain_text("no read")
    expect(probes.filter(has_text=own)).to_contain_text("readswrites")
    probes.filter(has_text="/closed").get_by_role("button", name="no read").click()
    expect(page.get_by_role("region", name="Why")).to_contain_text("No rule covers this path")
    listens = page.get_by_role("list", name="Listens").get_by_role("listitem")
    expect(listens).to_have_count(1)
    listens.get_by_role("button", name="holds").click()
    expect(listens.get_by_role("region", name="Why")).to_contain_text("auth.uid == $uid")
    watched.picture("person-access")
    check_accessibility(page)
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 client of this database now, with 1 listener.")
    watched.check()


def test_many_users_are_listed_and_markup_in_names_is_text(console):
    made = requests.post(
        f"{console.server.url}/identitytoolkit.googleapis.com/v1/projects/hearth/accounts", timeout=WAIT_SECONDS,
        headers={"Authorization": "Bearer " + console.server.run("token", "mint", "--admin").strip()},
        json={"localId": MARKUP, "displayName": MARKUP})
    assert made.status_code == 200, made.text
    console.server.run("users", "set-claims", MARKUP, json.dumps({"<b>": MARKUP}))
    watched = console.open("--read-only", view="people", theme="dark")
    page = watched.page
    row(page, MARKUP).first.click()
    person = page.get_by_role("complementary", name=MARKUP)
    expect(person.get_by_role("heading")).to_have_text(MARKUP)
    expect(person.get_by_role("button", name="Disable")).to_have_attribute("aria-description", re.compile("read-only"))
    expect(page.get_by_role("button", name="New person")).to_have_attribute("aria-disabled", "true")
    watched.picture("person-viewer-dark")
    check_accessibility(page)
    watched.check()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_users_page_fits_a_narrow_screen(console, theme):
    people(console, "ann")
    watched = console.open(view="people", size=NARROW, theme=theme)
    page = watched.page
    expect(row(page, "ann@")).to_be_visible()
    watched.picture(f"people-narrow-{theme}")
    check_accessibility(page)
    row(page, "ann@").click()
    expect(page.get_by_role("complementary", name="ann@example.com")).to_be_visible()
    watched.picture(f"person-narrow-{theme}")
    check_accessibility(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.get_by_role("button", name="Back to the list").click()
    expect(row(page, "ann@")).to_be_visible()
    watched.check()


def test_every_kind_of_revocation_shows_its_receipt(console):
    kim = people(console, "kim")["kim"]
    client = Client(console.server)
    client.sign_in(kim["idToken"])
    client.listen(f"/users/{kim['localId']}")
    watched = console.open(view="people", theme="dark")
    page = watched.page
    page.get_by_role("button", name="Receipts").click()
    dialog = page.get_by_role("dialog", name="Receipts")
    expect(dialog).to_contain_text("No access was revoked")
    console.server.run("users", "disable", kim["localId"])
    client.expect("ac", s="expired_token", d="Auth token is expired.")
    line = dialog.get_by_role("button", name=re.compile("1 listener cut"))
    expect(line).to_contain_text("disabling")
    line.click()
    expect(dialog.get_by_role("region", name=re.compile("Receipt"))).to_contain_text("complete")
    watched.picture("people-receipts-dark")
    check_accessibility(page)
    dialog.get_by_label("Filter").fill("nobody of that name")
    expect(dialog).to_contain_text("No matches")
    watched.check()


def test_the_user_to_act_as_is_found_by_name(console):
    users = people(console, "ann", "kim")
    console.server.run("users", "set-claims", users["kim"]["localId"], '{"role": "editor"}')
    watched = console.open()
    page = watched.page
    page.locator(".tree").focus()
    page.keyboard.press("v")
    page.get_by_label("Uid").fill("KIM@")
    options = page.get_by_role("option")
    expect(options).to_have_count(1)
    expect(options).to_contain_text("role: editor")
    watched.picture("data-as-picker")
    check_accessibility(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Uid")).to_have_value(users["kim"]["localId"])
    expect(page.get_by_label("Claims")).to_have_value(re.compile("editor"))
    page.keyboard.press("Enter")
    expect(page.locator(".banner.violet")).to_contain_text(users["kim"]["localId"])
    watched.check()


def test_a_slow_user_list_can_be_stopped_and_loaded_again(console):
    people(console, "ann")
    watched = console.open()
    page = watched.page
    asked = "**/api/people?*"
    page.route(asked, lambda route: None)
    page.get_by_role("link", name="People").click()
    expect(page.get_by_role("status")).to_contain_text("Waiting for the accounts")
    watched.picture("people-slow")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("heading", name="Stopped before the accounts came.")).to_be_visible()
    page.unroute(asked)
    page.get_by_role("button", name="Try again").click()
    expect(row(page, "ann@")).to_have_count(1)
    watched.check()


def test_actions_on_a_selected_tenants_users_stay_in_the_tenant(console):
    server = console.server
    one = server.run("tenants", "create", "acme-corp", "--passwords", "true").strip()
    people(console, "ann", "ben")
    for name in ("ann", "kim"):
        server.run("users", "create", f"{name}@example.com", "--without-password", "--uid", f"{name}-1", "--tenant", one)
    watched = console.open(view="people")
    page = watched.page
    expect(row(page, "@example.com")).to_have_count(2)
    page.get_by_label("Whose accounts").select_option(one)
    expect(row(page, "kim@")).to_have_count(1)
    expect(row(page, "ben@")).to_have_count(0)
    expect(page).to_have_url(re.compile(f"tenant={one}"))
    row(page, "ann@").click()
    person = page.get_by_role("complementary", name="ann@example.com")
    expect(person).to_contain_text("ann-1")
    watched.picture("people-tenant")
    check_accessibility(page)
    person.get_by_role("button", name="Disable").click()
    page.get_by_role("dialog").get_by_role("button", name="Disable ann@example.com").click()
    expect(row(page, "ann@")).to_contain_text("disabled")
    person.get_by_role("link", name="Claims").click()
    person.get_by_label("Claims, in JSON").fill('{"role": "editor"}')
    person.get_by_role("button", name="Set claims").click()
    expect(row(page, "ann@")).to_contain_text("role: editor")
    expect(page).to_have_url(re.compile(f"tenant={one}"))
    page.reload()
    expect(row(page, "ann@")).to_contain_text("disabled")
    page.get_by_role("button", name="Audit trail").click()
    dialog = page.get_by_role("dialog", name=f"Audit trail of {one}")
    expect(dialog).to_contain_text("ann-1")
    dialog.get_by_role("button", name="Verify").click()
    expect(dialog).to_contain_text("the chain is unbroken")
    page.keyboard.press("Escape")
    page.get_by_label("Whose accounts").select_option("")
    expect(row(page, "ben@")).to_have_count(1)
    expect(row(page, "ann@")).not_to_contain_text("disabled")
    page.go_back()
    expect(row(page, "ann@")).to_contain_text("disabled")
    # A text that cannot be a tenant id selects no tenant.
    page.goto(f"{server.url}/.console/#/people?tenant=..%2F..")
    expect(row(page, "ben@")).to_have_count(1)
    watched.check()
    narrow = console.open(view="people", fragment=f"?tenant={one}", size=NARROW, theme="dark")
    expect(row(narrow.page, "kim@")).to_have_count(1)
    narrow.picture("people-tenant-narrow")
    check_accessibility(narrow.page)
    narrow.check()


def test_tenants_are_created_disabled_and_deleted_in_the_settings(console):
    watched = console.open(view="settings")
    page = watched.page
    section = page.get_by_role("region", name="Tenants")
    expect(section).to_contain_text("No tenants")
    section.get_by_role("button", name="New tenant").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("no")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog).to_contain_text("displayName must have 4 to 20 letters")
    dialog.get_by_label("Name").fill("acme-corp")
    dialog.get_by_role("button", name="Create").click()
    entry = section.locator(".settings-row")
    expect(entry).to_contain_text("password")
    tenant = entry.locator("bdi").inner_text()
    entry.get_by_role("button", name=f"Disable {tenant}").click()
    expect(dialog).to_contain_text("Sign-ins and token refreshes are refused")
    dialog.get_by_role("button", name="Disable").click()
    expect(entry).to_contain_text("disabled")
    entry.get_by_role("button", name=f"Enable {tenant}").click()
    expect(entry.get_by_role("button", name=f"Disable {tenant}")).to_be_visible()
    watched.picture("settings-tenants")
    check_accessibility(page)
    narrow = console.open(view="settings", size=NARROW, theme="dark")
    act = narrow.page.get_by_role("button", name=f"Delete {tenant}")
    act.scroll_into_view_if_needed()
    box = act.bounding_box()
    assert 0 <= box["x"] and box["x"] + box["width"] <= NARROW["width"], box
    narrow.picture("settings-tenants-narrow")
    check_accessibility(narrow.page)
    narrow.check()
    entry.get_by_role("link", name=f"People of {tenant}").click()
    expect(page.get_by_label("Whose accounts")).to_have_value(tenant)
    expect(page.get_by_text("No accounts yet")).to_be_visible()
    expect(page.locator(".shell-line")).to_contain_text(f"--tenant {tenant}")
    page.go_back()
    entry.get_by_role("button", name=f"Delete {tenant}").click()
    act = dialog.get_by_role("button", name="Delete")
    expect(act).to_be_disabled()
    dialog.get_by_role("textbox").fill(tenant)
    act.click()
    expect(section).to_contain_text("No tenants")
    watched.check("400")


def test_trusted_issuers_are_added_and_removed_in_the_settings(console):
    watched = console.open(view="settings")
    page = watched.page
    section = page.get_by_role("region", name="Trusted issuers")
    expect(section).to_contain_text("None.")
    section.get_by_role("button", name="Trust an issuer").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Project id").fill("My App")
    dialog.get_by_role("button", name="Trust", exact=True).click()
    expect(dialog).to_contain_text("must be the id of a Firebase project")
    dialog.get_by_label("Project id").fill("my-app")
    dialog.get_by_label("Databases").fill("shop, guests")
    dialog.get_by_role("button", name="Trust", exact=True).click()
    entry = section.locator(".settings-row")
    expect(entry).to_contain_text("Firebase project; opens shop, guests")
    section.get_by_role("button", name="Trust an issuer").click()
    dialog.get_by_role("button", name="OpenID Connect").click()
    dialog.get_by_label("Issuer, as in the tokens").fill("https://id.example.com")
    dialog.get_by_label("Audiences").fill("api")
    watched.picture("settings-trust-sheet")
    check_accessibility(page)
    dialog.get_by_role("button", name="Trust", exact=True).click()
    expect(entry).to_have_count(2)
    expect(entry.last).to_contain_text("api; opens all databases; uids id.example.com:…")
    watched.picture("settings-trust")
    check_accessibility(page)
    entry.first.get_by_role("button", name="Remove my-app").click()
    expect(dialog).to_contain_text("Its tokens become invalid at once")
    dialog.get_by_role("button", name="Remove").click()
    expect(entry).to_have_count(1)
    watched.check("400")
