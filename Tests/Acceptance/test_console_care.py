"""Findings of `hearth doctor`, and backups, in the console."""

import json
import re

import pytest
from playwright.sync_api import expect

from conftest import hearth
from console_client import Session, admin, link, server, viewer
from console_page import Console, browser, check_accessibility
from waits import until

OPEN = '{"rules": {"open": {".read": true, ".write": true}}}'


def details(server):
    lines = server.run("audit", "tail", "-n", "1000", "--json").splitlines()
    return [record["detail"] for record in map(json.loads, lines) if record["event"] == "console"]


def examined(console):
    return until(lambda: (found := console.get("now/doctor"))["at"] and not found["isRunning"] and found)


# MARK: Checks

def test_the_checks_are_those_of_hearth_doctor(serve):
    server = serve(rules=OPEN)
    console = Session(*link(server.run("console", "--read-only")))
    found = examined(console)
    said = json.loads(server.run("doctor", "--json", expect=1))
    assert found["problem"] is None and found["worst"] == said["worst"]
    # The measured speed of the disk may differ the second time.
    def codes(report):
        return {each["code"] for each in report["findings"] if not each["code"].startswith("sync")}

    assert codes(found) == codes(said)
    open_to_all = next(each for each in found["findings"] if each["code"] == "rules-world-writable")
    assert "/open" in open_to_all["text"] and open_to_all["advice"]
    assert console.get("now/doctor")["at"] == found["at"], "one that is new is not made again"
    assert console.ask("POST", "now/doctor", {}).status == 200
    assert until(lambda: (again := console.get("now/doctor"))["at"] > found["at"] and again)["problem"] is None


# MARK: Backups

def test_a_backup_is_made_in_the_folder_of_the_last_one(server, admin, viewer, tmp_path):
    told = admin.get("now/backups")
    assert told["place"] is None and "hearth backup create" in told["reason"] and told["backups"] == []
    answer = admin.ask("POST", "now/backups", {})
    assert answer.status == 409 and answer.json["error"] == told["reason"]
    server.run("backup", "create", str(tmp_path / "backups"))
    told = viewer.get("now/backups")
    assert told["place"] == str(tmp_path / "backups") and told["reason"] is None and told["running"] is None
    assert [each["kind"] for each in told["backups"]] == ["full"]
    assert viewer.ask("POST", "now/backups", {}).status == 403
    assert admin.ask("POST", "now/backups", []).status == 400
    assert admin.ask("POST", "now/backups", {}).status == 200
    made = until(lambda: (told := admin.get("now/backups"))["ended"] and told)
    assert made["ended"]["problem"] is None
    assert [each["kind"] for each in made["backups"]] == ["incremental", "full"]
    assert made["backups"][0]["backup"] == made["ended"]["backup"]
    listed = [json.loads(line)["backup"] for line in hearth("backup", "list", str(tmp_path / "backups"), "--json").splitlines()]
    assert listed == [each["backup"] for each in reversed(made["backups"])]
    hearth("backup", "verify", str(tmp_path / "backups"))
    told = until(lambda: (told := details(server)) and "is complete" in told[-1] and told)
    assert told[-2] == "session 1 (server-start): creates a backup" and made["ended"]["backup"] in told[-1]


def test_a_missing_backup_folder_is_not_created(server, admin, tmp_path):
    server.run("backup", "create", str(tmp_path / "backups"))
    (tmp_path / "backups").rename(tmp_path / "away")
    assert "cannot be read" in admin.get("now/backups")["reason"]
    assert admin.ask("POST", "now/backups", {}).status == 200
    ended = until(lambda: admin.get("now/backups")["ended"])
    assert ended["backup"] is None and "no backups" in ended["problem"]
    assert not (tmp_path / "backups").exists()


def test_sealed_backups_are_not_made_without_the_passphrase(server, admin, tmp_path):
    (tmp_path / "passphrase").write_text("a long enough passphrase\n", encoding="utf-8")
    server.run("backup", "create", str(tmp_path / "backups"), "--passphrase-file", str(tmp_path / "passphrase"))
    answer = admin.ask("POST", "now/backups", {})
    assert answer.status == 409 and "passphrase" in answer.json["error"]
    assert len(admin.get("now/backups")["backups"]) == 1


# MARK: In the browser

def test_the_now_page_shows_findings_and_makes_a_backup(serve, browser, tmp_path):
    console = Console(serve(rules=OPEN), browser)
    console.server.run("backup", "create", str(tmp_path / "backups"), "--without-keys")
    watched = console.open(view="now")
    page = watched.page
    look = page.get_by_role("region", name="To look at")
    expect(look).to_contain_text("default: signed-out clients can write /open")
    expect(look).to_contain_text("hearth rules exposure")
    expect(page.get_by_role("status").filter(has_text="to look at")).to_contain_text("signed-out clients can write")
    checks = page.get_by_role("region", name="Checks")
    checks.get_by_role("button", name=re.compile("well")).click()
    expect(checks).to_contain_text("The last backup is 0 hours old")
    backups = page.get_by_role("region", name="Backups")
    expect(backups.locator("li")).to_have_count(1)
    backups.get_by_role("button", name="Back up now").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("keys left out")
    watched.picture("now-backup")
    dialog.get_by_role("button", name="Back up now").click()
    expect(backups.locator("li")).to_have_count(2)
    expect(backups.locator("li").first).to_contain_text("incremental")
    page.get_by_role("button", name="24 h").click()
    watched.picture("now-checks")
    check_accessibility(page)
    watched.check()


def test_a_viewer_sees_findings_and_backups_and_makes_no_backup(serve, browser, tmp_path):
    console = Console(serve(rules=OPEN), browser)
    console.server.run("backup", "create", str(tmp_path / "backups"))
    watched = console.open("--read-only", view="now", theme="dark")
    page = watched.page
    backups = page.get_by_role("region", name="Backups")
    expect(backups.locator("li")).to_have_count(1)
    expect(backups.get_by_role("button", name="Back up now")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("region", name="To look at")).to_contain_text("signed-out clients can write")
    watched.picture("now-checks-dark")
    check_accessibility(page)
    watched.check()
