"""Clients that watch the node during the writes. Each is a context manager."""

import contextlib
import http.client
import json
import threading
import time

import requests

from client import Client
from console_client import API, Events, Session, link

# The children that a page shows, and a few more.
WINDOW = 200
PEEK_SECONDS = 2


def nobody(_):
    return contextlib.nullcontext()


class _Drained:
    """Reads all messages of a connection in a thread, and drops them."""

    def __init__(self, read, close):
        self.read, self.end = read, close
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        with contextlib.suppress(Exception):
            while self.read():
                pass

    def close(self):
        self.end()
        self.thread.join(10)


def _listen(client, place):
    client.request("q", p=place.node, q={"l": 1000, "vf": "l", "i": ".key", "ep": place.child(WINDOW - 1), "ein": True}, t=1, h="")
    client.socket.settimeout(None)
    return _Drained(lambda: client.socket.recv(), client.socket.shutdown)


@contextlib.contextmanager
def listener(place):
    """An SDK listener of a user on the children that the console shows."""
    listen = _listen(Client(place.server), place)
    yield
    listen.close()


@contextlib.contextmanager
def console(place):
    """All requests that the console's page sends while it shows the node, without the cost of a browser on the same processors."""
    session = Session(*link(place.server.run("console")))
    listen = _listen(session.socket(place.server), place)
    streams = [Events(session, "ns=default&topics=denials"),
               Events(session, "ns=default&topics=pulse&paths=" + requests.utils.quote(json.dumps([place.node])))]
    drained = [_Drained(stream.response.readline, stream.close) for stream in streams]
    over = threading.Event()

    def peek():
        # A browser reuses one connection.
        connection = http.client.HTTPConnection(session.address)
        node = requests.utils.quote(place.node, safe="")
        while not over.wait(PEEK_SECONDS):
            for query in (f"path={node}&dir=asc&limit=1", "path=%2F&order=key&dir=asc&limit=51",
                          f"path={node}&order=key&dir=asc&limit=1"):
                connection.request("GET", f"{API}outline?ns=default&{query}&peek=1", headers=session.headers)
                answer = connection.getresponse()
                text = answer.read()
                assert answer.status == 200, text
        connection.close()

    peeks = threading.Thread(target=peek)
    peeks.start()
    yield
    over.set()
    peeks.join()
    for each in [listen, *drained]:
        each.close()


class Browser:
    """The console in Debian's Chromium."""

    def __init__(self, place):
        from playwright.sync_api import sync_playwright
        self.place = place
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])

    @contextlib.contextmanager
    def __call__(self, place):
        page = self.open()
        yield
        page.close()

    def open(self):
        page = self.browser.new_page(viewport={"width": 1440, "height": 900})
        address, key = link(self.place.server.run("console"))
        page.goto(f"http://{address}/.console/#key={key}")
        page.wait_for_selector(".tree")
        page.goto(f"http://{address}/.console/#/data{self.place.node}")
        page.wait_for_selector(f"text={self.place.child(3)}")
        return page

    def memory(self, page):
        """Returns the bytes of the page's heap, its number of DOM nodes, and the private bytes of its process."""
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable")
        figures = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
        processes = self.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        private = max(_private_bytes(each["id"]) for each in processes if each["type"] == "renderer")
        tools.detach()
        return int(figures["JSHeapUsedSize"]), int(figures["Nodes"]), private

    def close(self):
        self.browser.close()
        self.playwright.stop()


def _private_bytes(process):
    with contextlib.suppress(OSError):
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as lines:
            return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
    return 0


def watch_memory(browser, minutes, show):
    """Keeps the page open, scrolls it at intervals, and prints its memory each minute. A key press prevents the end of an idle
    session."""
    page = browser.open()
    begin = time.monotonic()
    page.mouse.move(600, 500)
    seen = []
    for minute in range(1, minutes + 1):
        while time.monotonic() - begin < 60 * minute:
            page.mouse.wheel(0, 600 if int(time.monotonic()) % 20 < 10 else -600)
            page.wait_for_timeout(5_000)
        page.keyboard.press("Shift")
        seen.append(browser.memory(page))
        show(minute, *seen[-1])
    page.close()
    return seen
