"""A plugin in Swift, written with HearthPluginKit: the program of the guide."""

import json
import shutil

import requests

from conftest import HEARTH, ROOT, hearth
from waits import WAIT_SECONDS

DOOR = ROOT / "Tests" / "Examples" / "Door"


def folder(path):
    path.mkdir()
    # The program lies beside the server's program, in the same build folder.
    shutil.copy(HEARTH.rsplit("/", 1)[0] + "/Door", path / "Door")
    for name in ("plugin.json", "plugin-tests.json"):
        shutil.copy(DOOR / name, path / name)
    return path


def test_the_program_of_the_guide_passes_the_contract_suite_and_decides(serve, tmp_path):
    door = folder(tmp_path / "door")
    settings = tmp_path / "settings.json"
    settings.write_text('{"domain": "example.com"}', encoding="utf-8")
    assert "passed all tests" in hearth("plugins", "test", str(door), "--settings", str(settings))
    server = serve("--sign-in", "password")
    server.run("plugins", "add", str(door), "--yes")
    server.run("plugins", "settings", "door", "domain=example.com")
    assert "running" in server.run("plugins", "enable", "door")
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"
    answers = {}
    for email in ("a@example.com", "a@example.org"):
        body = {"email": email, "password": "correct horse battery", "returnSecureToken": True}
        answers[email] = requests.post(url, json=body, timeout=WAIT_SECONDS)
    assert answers["a@example.com"].status_code == 200
    denied = answers["a@example.org"]
    assert denied.status_code == 400 and "Accounts are for people of example.com." in denied.text
    listed = json.loads(server.run("plugins", "list", "--json"))["plugins"]
    assert listed[0]["hooks"][0]["failures"] == 0


def test_the_guide_shows_the_program_as_it_is():
    guide = (ROOT / "Sources/Guide/WriteAPlugin.md").read_text(encoding="utf-8")
    assert (DOOR / "main.swift").read_text(encoding="utf-8") in guide
