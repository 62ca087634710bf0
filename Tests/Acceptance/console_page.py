"""The console's page in a browser: a server with data, and pages that show it.

Tests that import `browser` have it as a fixture."""

import json
import pathlib
import re
import time
import urllib.request

import axe_playwright_python
import pytest
from playwright.sync_api import expect

from browser import CheckedPage, browser as start_browser
from waits import WAIT_SECONDS

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}
PAGE = pathlib.Path(__file__).parents[2] / "Sources/Server/HearthConsole/Page"
# The titles of the page's views by their paths.
VIEWS = dict(re.findall(r'\bpath: "(\w+)", title: "([^"]+)"', (PAGE / "views.ts").read_text(encoding="utf-8")))
MARKUP = "<img src=x onerror=alert(1)>"

expect.set_options(timeout=WAIT_SECONDS * 1000)


@pytest.fixture(scope="module")
def browser():
    with start_browser() as made:
        yield made


class Console:
    """A server with data, and its console page."""

    def __init__(self, server, browser):
        self.server = server
        self.browser = browser
        self.secret = server.secret()

    def link(self, *options):
        return self.server.run("console", *options).strip().splitlines()[-1]

    def write(self, path, value, method="PUT"):
        request = urllib.request.Request(
            f"{self.server.url}{path}.json?auth={self.secret}", json.dumps(value).encode(), method=method)
        urllib.request.urlopen(request).read()

    def read(self, path):
        with urllib.request.urlopen(f"{self.server.url}{path}.json?auth={self.secret}&format=export") as answer:
            return json.loads(answer.read())

    def becomes(self, path, value):
        deadline = time.monotonic() + WAIT_SECONDS
        while (found := self.read(path)) != value:
            assert time.monotonic() < deadline, f"{path} is {found}, not {value}"
            time.sleep(0.02)

    def open(self, *options, fragment="", view="data", size=WIDE, theme="light"):
        """Signs in by a fresh link, and opens a view."""
        context = self.browser.new_context(viewport=size, color_scheme=theme)
        watched = CheckedPage(context, self.server.url)
        watched.page.goto(self.link(*options))
        expect(watched.page.locator(".tree")).to_be_visible()
        expect(watched.page.get_by_text("Live", exact=True)).to_have_count(1)
        if fragment or view != "data":
            watched.page.goto(f"{self.server.url}/.console/#/{view}{fragment}")
            # Until then the page shows the view before, which may contain what a test looks for.
            expect(watched.page.get_by_role("main", name=VIEWS[view], exact=True)).to_be_attached()
        return watched


def violations(page):
    # Injected over the developer tools' protocol, which the page's content security policy does not restrict.
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [(each["id"], [node["html"][:160] + " " + node.get("failureSummary", "")[:300] for node in each["nodes"][:4]]) for each in found]


def check_accessibility(page):
    found = violations(page)
    assert not found, found
