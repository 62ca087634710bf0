"""A program that runs until it is stopped, with a log file of its own."""

import os
import shlex
import signal
import subprocess
import sys
import time

# The time limit for a program's start and for its end.
WAIT_SECONDS = 60


class Ended(Exception):
    """A program ended by itself, or did not start in time."""


class Running:
    """One program. A terminal's signals do not reach it: the process that started it ends it by its process id."""

    def __init__(self, name, command, folder, environment=None):
        self.name, self.command = name, command
        self.log = folder / f"{name}.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
                env={**os.environ, **(environment or {})})

        self.is_told = False

    def tell(self):
        """Prints once that the program has ended, and the command that starts it again."""
        code = self.process.poll()
        if code is not None and not self.is_told:
            self.is_told = True
            print(f"{self.name} ended with {code}, see {self.log}; it was: {shlex.join(self.command)}", file=sys.stderr)

    def until(self, condition, what):
        """Waits until a condition of the program holds."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            code = self.process.poll()
            if code is not None:
                lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:]
                raise Ended("\n".join([f"{self.name} ended with {code}; {self.log} ends with:", *lines]))
            if time.monotonic() > deadline:
                raise Ended(f"{self.name}: {what}, and did not after {WAIT_SECONDS} s; see {self.log}")
            time.sleep(0.05)

    def end(self, sent=signal.SIGTERM):
        """Sends a signal, and waits for the end."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
            try:
                self.process.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                print(f"{self.name} did not end and is killed", file=sys.stderr)
                self.process.kill()
                self.process.wait(WAIT_SECONDS)
