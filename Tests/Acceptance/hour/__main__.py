"""Plays a newcomer's first hour with the program, and prints how long each step takes.

    HEARTH=.build/release/hearth PYTHONPATH=Tests/Acceptance python3 -m hour [--package FILE --root FOLDER]

Each step is what a guide tells a newcomer to type, in a folder with nothing else, and ends when the expected text is
seen. With --package the first steps run in a bare Debian root, as Deploy/try-deb.sh makes it (as root).
"""

import argparse
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

PROGRAM = str(pathlib.Path(os.environ.get("HEARTH", ".build/release/hearth")).resolve())
WAIT_SECONDS = 60

TESTS = """\
rules: hearth.rules.json
users:
  ann: {uid: ann}
cases:
  - {as: ann, write: /users/ann, value: {color: green}, expect: allow}
  - {as: ann, read: /users/bob, expect: deny}
"""


class Hour:
    """The steps so far, and the folder that they are taken in."""

    def __init__(self, folder):
        self.folder = folder
        self.rows = []
        (folder / "bin").mkdir()
        (folder / "bin" / "hearth").symlink_to(PROGRAM)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")},
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "XDG_STATE_HOME": str(folder / "state"),
            "NO_PROXY": "*", "no_proxy": "*"}

    def shell(self, command, expect=0):
        """Runs a command as typed, and returns what it printed on both streams."""
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.folder / "app", env=self.environment, capture_output=True, text=True,
            timeout=WAIT_SECONDS * 5)
        text = done.stdout + done.stderr
        if done.returncode != expect:
            raise SystemExit(f"hour: {command!r} ended with {done.returncode}, not {expect}:\n{text}")
        return text

    @contextlib.contextmanager
    def step(self, title, *commands):
        """A step; its body does what the commands say."""
        started = time.monotonic()
        row = {"title": title, "commands": commands, "seen": ""}
        yield row
        row["seconds"] = time.monotonic() - started
        self.rows.append(row)
        print(f"hour: {title}: {row['seconds']:.1f} s", file=sys.stderr)

    def see(self, row, pattern, text):
        found = re.search(pattern, text)
        if not found:
            raise SystemExit(f"hour: {row['title']}: no {pattern!r} in\n{text}")
        row["seen"] = found[0]
        return found

    def table(self):
        lines = ["| step | commands | seconds | what is seen |", "|---|---|---|---|"]
        for row in self.rows:
            commands = "; ".join(f"`{command}`" for command in row["commands"]).replace("|", "\\|")
            seen = row["seen"].replace("|", "\\|")
            lines.append(f"| {row['title']} | {commands} | {row['seconds']:.1f} | `{seen}` |")
        total = sum(row["seconds"] for row in self.rows)
        count = sum(len(row["commands"]) for row in self.rows)
        return "\n".join(lines + [f"| all | {count} commands | {total:.1f} | |"])


def until(text, pattern, process):
    """Waits for a line of a growing file."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not (found := re.search(pattern, text())):
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"hour: no {pattern!r} in\n{text()}")
        time.sleep(0.02)
    return found


def page(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=WAIT_SECONDS) as answer:
        return answer.read().decode("utf-8", "replace")


def package(hour, file, root):
    """From a package to the first screen, in a root of Debian without anything else."""
    def inside(*command):
        return ["chroot", root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                *command]

    with hour.step("install the package", "apt install ./hearth.deb") as row:
        subprocess.run(["cp", file, root + "/hearth.deb"], check=True)
        done = subprocess.run(
            inside("apt-get", "install", "--yes", "--no-install-recommends", "/hearth.deb"), capture_output=True, text=True)
        hour.see(row, r"Setting up hearth[^\n]*", done.stdout + done.stderr)
    user = ("setpriv", "--reuid=hearth", "--regid=hearth", "--clear-groups", "env", "-C", "/")
    log = hour.folder / "package.log"
    with hour.step("first screen of the service", "systemctl start hearth", "sudo -u hearth hearth console") as row:
        with open(log, "wb") as output:
            server = subprocess.Popen(
                inside(*user, "hearth", "serve", "--config", "/etc/hearth/hearth.conf", "--port", "0"), stdout=output,
                stderr=output)
        until(log.read_text, r"ready in \d+ ms on (\S+)", server)
        link = subprocess.run(inside(*user, "hearth", "console"), capture_output=True, text=True, check=True).stdout.strip()
        hour.see(row, r"<title>[^<]*</title>", page(link))
    server.terminate()
    server.wait()


def play(hour):
    log = hour.folder / "server.log"
    server = None
    try:
        with hour.step("first screen", "hearth dev", "open the link that it prints") as row:
            with open(log, "wb") as output:
                server = subprocess.Popen(
                    ["hearth", "dev", "--port", "0"], cwd=hour.folder / "app", env=hour.environment, stdout=output,
                    stderr=output, stdin=subprocess.DEVNULL)
            url = until(log.read_text, r"ready in \d+ ms on (\S+)", server)[1]
            link = until(log.read_text, r"console  (http\S+)", server)[1]
            hour.see(row, r"<title>[^<]*</title>", page(link))
        with hour.step("first data", "hearth db set /rooms/lobby/topic '\"hello\"'", "hearth db get /rooms") as row:
            hour.shell("""hearth db set /rooms/lobby/topic '"hello"'""")
            hour.see(row, r'\{"lobby".*', hour.shell("hearth db get /rooms"))
        with hour.step("first denial explained", f"curl {url}/rooms.json", "hearth rules explain --trace …") as row:
            hour.see(row, "Permission denied", hour.shell(f"curl --silent {url}/rooms.json"))
            trace = until(log.read_text, r"trace=(\S+)", server)[1]
            hour.see(row, r"read /rooms is denied[^\n]*", hour.shell(f"hearth rules explain --trace {trace}", expect=1))
        with hour.step(
                "first token", "TOKEN=$(hearth token mint --id-token --uid ann)",
                "curl -X PUT \"…/users/ann.json?auth=$TOKEN\" -d '{\"color\":\"green\"}'") as row:
            hour.see(row, r'\{"color":"green"\}', hour.shell(
                "TOKEN=$(hearth token mint --id-token --uid ann); curl --silent --fail -X PUT "
                f"\"{url}/users/ann.json?auth=$TOKEN\" -d '{{\"color\":\"green\"}}'"))
        with hour.step("first backup", "hearth backup create backups", "hearth backup verify backups") as row:
            hour.shell("hearth backup create ../backups")
            hour.see(row, r"[^\n]+", hour.shell("hearth backup verify ../backups"))
        with hour.step("first test of rules", "hearth rules test .") as row:
            (hour.folder / "app" / "test.yaml").write_text(TESTS)
            hour.see(row, r"\d+ passed[^\n]*", hour.shell("hearth rules test ."))
        with hour.step("first failing test suite", "hearth exec --rules hearth.rules.json -- sh suite.sh") as row:
            (hour.folder / "app" / "suite.sh").write_text(
                'curl --silent --fail "http://$FIREBASE_DATABASE_EMULATOR_HOST/users/ann.json?ns=demo"\n')
            hour.see(row, r"denied[^\n]*", hour.shell(
                "hearth exec --rules hearth.rules.json -- sh suite.sh", expect=22))
    finally:
        if server is not None:
            server.terminate()
            server.wait()


def main():
    parser = argparse.ArgumentParser(prog="hour", description=__doc__.split("\n")[0])
    parser.add_argument("--package", help="a Debian package, installed in --root first")
    parser.add_argument("--root", help="a bare Debian root, such as .build/debian/root")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hearth-hour-") as name:
        folder = pathlib.Path(name)
        (folder / "app").mkdir()
        hour = Hour(folder)
        if options.package:
            package(hour, options.package, options.root)
        play(hour)
        print(hour.table())


if __name__ == "__main__":
    main()
