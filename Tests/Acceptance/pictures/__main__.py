"""Takes all pictures into Sources/Guide/Images: the console in light and dark, and a recording of commands."""

import contextlib
import json
import pathlib
import sys
import tempfile
import time
import urllib.request

from browser import browser
from client import Client
from conftest import ROOT, Server
from console_page import Console, expect

from pictures import terminal

FOLDER = ROOT / "Sources/Guide/Images"
SIZE = {"width": 1240, "height": 700}
# Pixels of the picture for each of the page, so that text is sharp on dense screens.
SCALE = 1.5
BYTES_MAX = 300_000
MINUTE = 60_000


RULES = """{
  // A studio's app: notices for all users, and rooms for their members.
  "rules": {
    "notices": {
      ".read": "auth != null"
    },
    "members": {
      "$room": {
        ".read": "auth != null && data.hasChild(auth.uid)"
      }
    },
    "rooms": {
      "$room": {
        ".read": "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()",
        "messages": {
          "$message": {
            // Members write, under their own name.
            ".write": "auth != null && root.child('members/' + $room + '/' + auth.uid).exists() && !data.exists()",
            ".validate": "newData.hasChildren(['text', 'uid', 'ts'])",
            "uid": { ".validate": "newData.val() == auth.uid" }
          }
        }
      }
    }
  }
}
"""


def data():
    """Returns the data of a pottery studio's app."""
    now = int(time.time() * 1000)
    messages = [("ada", "The kiln is free on Thursday."), ("ben", "I have six bowls for it."), ("ada", "Then we fire at nine.")]
    return {
        "notices": {"opening": "The studio opens at nine.", "glaze": "New celadon on the shelf."},
        "members": {"kiln": {"ada": True, "ben": True}, "lobby": {"ada": True, "ben": True, "mira": True}},
        "rooms": {
            "kiln": {"messages": {
                f"-OfKkm{number}": {"text": text, "uid": uid, "ts": now - (9 - number) * MINUTE}
                for number, (uid, text) in enumerate(messages)}},
            "lobby": {"messages": {"-OfKkl0": {"text": "Welcome, mira!", "uid": "ada", "ts": now - 20 * MINUTE}}}},
        "users": {"ada": {"name": "Ada", "color": "teal"}, "mira": {"name": "Mira", "color": "amber"}},
    }


def put(server, path, value):
    request = urllib.request.Request(
        f"{server.url}{path}.json?auth={server.secret()}", json.dumps(value).encode(), method="PUT")
    urllib.request.urlopen(request).read()


class Session:
    """The console's page in one theme."""

    def __init__(self, console, theme):
        self.theme = theme
        context = console.browser.new_context(viewport=SIZE, color_scheme=theme, device_scale_factor=SCALE, reduced_motion="reduce")
        self.page = context.new_page()
        self.page.goto(console.link())
        expect(self.page.locator(".tree")).to_be_visible()
        expect(self.page.get_by_text("Live", exact=True)).to_have_count(1)

    def show(self, fragment):
        self.page.goto(self.page.url.partition("#")[0] + "#/" + fragment)

    def take(self, name, part=None):
        # Highlights of changes and the positions of marks settle within a second.
        self.page.wait_for_timeout(1_200)
        path = FOLDER / f"{name}-{self.theme}.png"
        (part or self.page).screenshot(path=path, animations="disabled")
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}  {size // 1000} kB")
        assert size < BYTES_MAX, f"{path.name} has {size} bytes"


def take_console(console):
    for theme in ("light", "dark"):
        session = Session(console, theme)
        page = session.page
        session.show("data/rooms/kiln/messages/-OfKkm2/text")
        expect(page.locator(".tree")).to_contain_text("Then we fire at nine.")
        session.take("console-data")
        session.show("rules")
        page.locator(".refused").first.click()
        expect(page.get_by_role("region", name="Why").locator(".part.failed").first).to_be_visible()
        session.take("console-denial")
        page.set_viewport_size({**SIZE, "height": 1_000})
        session.take("denial", page.get_by_role("region", name="Why"))
        page.context.close()


def main():
    FOLDER.mkdir(exist_ok=True)
    if "console" in sys.argv[1:] or len(sys.argv) == 1:
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hearth-pictures-")))
            server = Server(folder / "data", "--rules-coverage", rules=RULES)
            stack.callback(server.kill)
            server.start()
            put(server, "/", data())
            ada, mira = Client(server), Client(server)
            for client, uid in ((ada, "ada"), (mira, "mira")):
                client.sign_in(server.token(uid))
            ada.request("q", p="/rooms/kiln", h="")
            mira.call("p", status="permission_denied", p="/rooms/kiln/messages/-OfKkm9",
                      d={"text": "Can I join the Thursday firing?", "uid": "mira", "ts": {".sv": "timestamp"}})
            take_console(Console(server, stack.enter_context(browser())))
    if "terminal" in sys.argv[1:] or len(sys.argv) == 1:
        path = FOLDER / "rules-tools.svg"
        path.write_text(terminal.recording(), encoding="utf-8")
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
