"""Runs it; see `make bench-console`."""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import threading
import time

import requests
from client import Client
from soak.__main__ import HEARTH, Server
from waits import WAIT_SECONDS

from console_cost import instructions, watchers

RULES = """{ "rules": { ".read": true, ".write": true } }"""
FILL = 50_000
# The number of children that a page shows without scrolling.
IN_SIGHT = 30
# The shares of the writes that go to the visible children.
SHARES = (0, 1 / 3)


class Place:
    """A server with a node of many children."""

    node = "/sensors"

    def __init__(self, server, count):
        self.server, self.count = server, count

    @staticmethod
    def child(number):
        return f"s-{number:07}"

    def children(self, share):
        """Yields numbers of children without end; the given share of them is visible on the page."""
        numbers = random.Random(1)
        while True:
            yield numbers.randrange(min(IN_SIGHT, self.count) if numbers.random() < share else self.count)

    def fill(self):
        for first in range(0, self.count, FILL):
            part = {self.child(number): number for number in range(first, min(first + FILL, self.count))}
            answer = requests.patch(f"{self.server.url}{self.node}.json", params={"print": "silent"}, json=part,
                                    timeout=WAIT_SECONDS)
            assert answer.status_code == 204, answer.text


class Watched(Server):
    """The server, with the members that the console's test helpers need."""

    def start(self):
        (self.folder / "rules.json").write_text(RULES, encoding="utf-8")
        return super().start()

    def run(self, *words):
        return subprocess.run([HEARTH, *words, "--data", str(self.folder / self.data)], check=True, capture_output=True,
                              text=True).stdout

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Writer(threading.Thread):
    """Writes the given number of children a second over a WebSocket."""

    def __init__(self, place, rate, share):
        super().__init__(daemon=True)
        self.place, self.rate, self.share = place, rate, share
        self.sent, self.over = 0, threading.Event()

    def run(self):
        client, numbers = Client(self.place.server), self.place.children(self.share)
        client.socket.settimeout(None)
        threading.Thread(target=self._drain, args=(client,), daemon=True).start()
        begin, done = time.monotonic(), 0
        while not self.over.wait(0.01):
            due = min(int((time.monotonic() - begin) * self.rate), done + 10 * self.rate // 100)
            for _ in range(done, due):
                client.request("p", p=f"{self.place.node}/{self.place.child(next(numbers))}", d=done)
            self.sent += due - done
            done = due
        client.socket.shutdown()

    @staticmethod
    def _drain(client):
        try:
            while client.socket.recv():
                pass
        except Exception:  # The socket was shut down.
            return


def measure(place, writer, watcher, asked):
    """Returns the microseconds of the server's processor time for each write, and the writes a second."""
    with watcher(place):
        time.sleep(asked.settle)
        used, sent, begin = place.server.processor_seconds(), writer.sent, time.monotonic()
        time.sleep(asked.seconds)
        spent, written = place.server.processor_seconds() - used, writer.sent - sent
        return 1e6 * spent / max(1, written), written / (time.monotonic() - begin)


def compare(place, asked, share, kinds):
    writer = Writer(place, asked.writes, share)
    writer.start()
    found = {name: [] for name in kinds}
    for _ in range(asked.turns):
        for name, watcher in kinds.items():
            found[name].append(measure(place, writer, watcher, asked))
    writer.over.set()
    writer.join()
    base = [cost for cost, _ in found["nobody"]]
    for name, costs in found.items():
        # The kinds alternate, so that other load on the machine affects all of them.
        more = statistics.median(cost / before for (cost, _), before in zip(costs, base)) - 1
        print(f"| {share:.0%} | {name} | {statistics.median(cost for cost, _ in costs):.1f} | {more:+.1%} | "
              f"{statistics.median(rate for _, rate in costs):.0f} |", flush=True)


def count(place, asked, kinds, counted):
    print(f"| writes in sight | who looks | instructions a write | and a second | a write, at {asked.writes:,} a second | "
          "more than with nobody |\n|---|---|---|---|---|---|", flush=True)
    for share in SHARES:
        instructions.compare(place, counted, asked, share, kinds)


def main():
    parser = argparse.ArgumentParser(prog="console_cost", description="What an open console costs the server.")
    parser.add_argument("--children", type=int, default=1_000_000, help="of the node (%(default)s)")
    parser.add_argument("--writes", type=int, default=2_000, help="a second (%(default)s)")
    parser.add_argument("--seconds", type=float, default=10, help="of each turn (%(default)s)")
    parser.add_argument("--settle", type=float, default=2, help="seconds before each turn (%(default)s)")
    parser.add_argument("--turns", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--browser", action="store_true", help="also with the page in Chromium, on the same processors")
    parser.add_argument("--minutes", type=int, default=0, help="leave the page open so long, and show its memory each minute")
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions, in callgrind: slow, and nearly the same each time")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Watched(pathlib.Path(folder))
        server.start()
        browser = None
        try:
            place = Place(server, asked.children)
            place.fill()
            kinds = {"nobody": watchers.nobody, "a listener": watchers.listener, "the console": watchers.console}
            if asked.instructions:
                server.stop()
                server.within = instructions.Counted.command(folder)
                server.start()
                count(place, asked, kinds, instructions.Counted(server.process.pid, folder))
                return
            if asked.browser or asked.minutes:
                browser = watchers.Browser(place)
            if asked.browser:
                kinds["the console in Chromium"] = browser
            if asked.turns:
                print("| writes in sight | who looks | µs of the server's processor time a write | more than with nobody | writes/s |"
                      "\n|---|---|---|---|---|", flush=True)
                for share in SHARES:
                    compare(place, asked, share, kinds)
            if asked.minutes:
                writer = Writer(place, asked.writes, SHARES[-1])
                writer.start()
                print("\n| minute | heap, MB | nodes | private, MB |\n|---|---|---|---|", flush=True)
                watchers.watch_memory(browser, asked.minutes, lambda minute, heap, nodes, private: print(
                    f"| {minute} | {heap / 1e6:.1f} | {nodes} | {private / 1e6:.0f} |", flush=True))
                writer.over.set()
        finally:
            if browser:
                browser.close()
            server.stop()


if __name__ == "__main__":
    main()
