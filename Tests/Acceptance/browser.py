"""Chromium for tests of pages: records each error on the page's console and each request to another host."""

import contextlib
import os
import pathlib
import shutil

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium")
# Folder for screenshots of the tests; None to take none.
PICTURES = os.environ.get("HEARTH_PICTURES")


def picture(page, name):
    """Saves a screenshot of the page when a folder for screenshots is set."""
    if PICTURES:
        folder = pathlib.Path(PICTURES)
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png")


class CheckedPage:
    """A page, with the errors and foreign requests that it caused."""

    def __init__(self, context, origin):
        self.page = context.new_page()
        self.origin = origin
        self.wrong = []
        self.foreign = []
        self.page.on("console", self.said)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self.asked)
        self.page.on("dialog", lambda dialog: (self.wrong.append("a dialog: " + dialog.message), dialog.dismiss()))

    def said(self, message):
        if message.type == "error":
            self.wrong.append(message.text)

    def asked(self, request):
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.foreign.append(request.url)

    def picture(self, name):
        picture(self.page, name)

    def check(self, *allowed):
        """Asserts that the page caused no error except those that contain one of the allowed texts."""
        assert not self.foreign, self.foreign
        wrong = [text for text in self.wrong if not any(each in text for each in allowed)]
        assert not wrong, wrong


@contextlib.contextmanager
def browser(*arguments):
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *arguments])
        yield made
        made.close()
