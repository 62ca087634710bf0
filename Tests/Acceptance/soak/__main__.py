"""Runs it; see `make soak`."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import requests

import soak
from soak import figures, load
from waits import WAIT_SECONDS

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEARTH = str(ROOT / os.environ.get("HEARTH", ".build/release/hearth"))
# The audit trail is limited so that it fills up within the warm-up: until then it grows as intended.
ACCOUNTS = """{ "signIn": { "anonymous": true, "password": true }, "passwordCost": "small", "auditRecordsMax": 1000,
  "limits": { "anonymousPerHour": 1000000 } }"""
# Columns of the closing table.
SHOWN = ["write", "event", "stream event", "REST", "connect", "sign-in"]


class Server:
    """A `hearth serve` process on a folder."""

    scheme = "http"
    # The command prefix, such as a program that runs the server.
    within = ()

    def __init__(self, folder, data="data"):
        self.folder, self.data = folder, folder / data
        (folder / "rules.json").write_text(load.VERSIONS[0], encoding="utf-8")
        (folder / "accounts.json").write_text(ACCOUNTS, encoding="utf-8")
        self.process = None

    def start(self):
        """Starts the server; returns the seconds until it was ready, as it reports them."""
        log = open(self.folder / "server.log", "ab")
        self.process = subprocess.Popen(
            [*self.within, HEARTH, "serve", "--data", str(self.data), "--port", "0", "--log-level", "warning", "--rules",
             str(self.folder / "rules.json"), "--auth-config", str(self.folder / "accounts.json"), "--stop-with-stdin"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        for line in self.process.stdout:
            if found := re.search(r"ready in (\d+) ms on http://([\d.]+:\d+)", line):
                self.authority = found[2]
                self.url = "http://" + found[2]
                # A thread discards the later output, which would otherwise fill the pipe.
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return int(found[1]) / 1e3
        raise SystemExit(f"the server did not start:\n{self.log()}")

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_SECONDS)
        self.process.stdin.close()

    def log(self):
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")

    def run(self, *arguments):
        return subprocess.run(
            [HEARTH, *arguments, "--data", str(self.data)], check=True, capture_output=True, text=True,
            timeout=WAIT_SECONDS).stdout.strip()


def fill(server, secret, mebibytes):
    """Writes the data that the load changes, and data beside it that the load never touches."""
    session = requests.Session()

    def put(path, value):
        answer = session.put(f"{server.url}/{path}.json?auth={secret}&print=silent", json=value, timeout=WAIT_SECONDS)
        assert answer.status_code == 204, answer.text

    room = {"m": {f"k{key}": load.message(key) for key in range(load.KEYS)}}
    put("rooms", {f"r{number}": room for number in range(load.ROOMS)})
    part = {f"item{number}": {"n": number, "text": load.TEXT} for number in range(5_000)}
    for number in range(mebibytes):
        put(f"base/part{number}", part)


def starts(servers, count):
    """Returns the seconds of several starts of each server. The servers alternate, so that other load on the machine affects
    all."""
    taken = [[] for _ in servers]
    for _ in range(count):
        for server, seconds in zip(servers, taken):
            seconds.append(server.start())
            server.stop()
    return taken


def run(server, secret, arguments):
    """Runs the load and samples it; returns the windows and the errors."""
    tokens = [server.run("token", "mint", "--legacy", "--uid", f"u{number}") for number in range(4)]
    recorder = figures.Recorder()
    whole = load.Load(server, secret, tokens, recorder)
    figures.Lateness(recorder, whole.stop).start()
    figures.Computation(recorder, whole.stop).start()
    windows, samples = [], []
    started = time.monotonic()
    whole.start()
    ends = started + arguments.minutes * 60
    window_end = started + arguments.window_seconds
    due = started
    try:
        while (now := time.monotonic()) < ends:
            due += arguments.sample_seconds
            time.sleep(max(0.0, min(due, ends) - now))
            if server.process.poll() is not None:
                raise SystemExit(f"the server ended with {server.process.returncode}:\n{server.log()}")
            samples.append(figures.sample(time.monotonic() - started, server.process.pid, server.data))
            if (now := time.monotonic()) >= min(window_end, ends):
                windows.append(figures.Window(now - started, samples, recorder.end_window()))
                samples, window_end = [], window_end + arguments.window_seconds
                print(figures.table(windows[-1:], SHOWN).splitlines()[-1], flush=True)
    except KeyboardInterrupt:
        print("interrupted: what there is", flush=True)
    whole.end()
    return windows, recorder


def main():
    parser = argparse.ArgumentParser(prog="soak", description=soak.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="how long the load lasts (60)")
    parser.add_argument("--window-seconds", type=float, default=180, help="a line of the table (180)")
    parser.add_argument("--sample-seconds", type=float, default=5, help="between two looks at the process (5)")
    parser.add_argument("--base-mebibytes", type=int, default=40, help="data that nobody touches, about (40)")
    parser.add_argument("--starts", type=int, default=5, help="how often it is started before and after (5)")
    parser.add_argument("--folder", default=None, help="where the data folder is made: the disk (the temporary folder)")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-soak-", dir=arguments.folder))
    server = Server(folder)
    try:
        server.start()
        secret = server.run("secrets", "list", "--plain").splitlines()[0]
        fill(server, secret, arguments.base_mebibytes)
        server.stop()
        earlier = Server(folder, "earlier")
        shutil.copytree(server.data, earlier.data, ignore=shutil.ignore_patterns("*.sock"))
        server.start()
        print(figures.table([], SHOWN), flush=True)
        windows, recorder = run(server, secret, arguments)
        server.stop()
        before, after = starts([earlier, server], arguments.starts)
        print("\n" + figures.table(windows, SHOWN))
        print("\nstarts on the folder of before: " + ", ".join(figures.milliseconds(s) for s in before))
        print("starts on that of after:        " + ", ".join(figures.milliseconds(s) for s in after))
        print("done: " + ", ".join(f"{count} {name}" for name, count in sorted(recorder.counts.items()) if name not in figures.MACHINE))
        warned = server.log().strip()
        if warned:
            lines = warned.splitlines()
            print(f"the server's log has {len(lines)} lines; the last ones:\n" + "\n".join(lines[-5:]))
        findings, unsaid = figures.judge(windows, before, after, recorder.errors)
        for text in unsaid:
            print("not said: " + text)
        for text in findings:
            print("FOUND: " + text)
        print("verdict: " + ("something grew or failed" if findings else "flat"))
        return 1 if findings else 0
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
