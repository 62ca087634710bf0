"""Rows that run a make target: from its beginning to its end, or again after an interruption."""

import re
import subprocess
import time

from conftest import ROOT


def tests_in(output):
    """Returns the number of tests that swift-testing and pytest report."""
    swift = re.findall(r"Test run with (\d+) tests?", output)
    python = re.findall(r"^(?:=+ )?(?:\d+ failed, )?(\d+) passed", output, re.MULTILINE)
    return sum(map(int, swift + python))


def faults_in(output):
    """Returns the total number of faults that the cluster run reports."""
    return max(map(int, re.findall(r"^(\d+) faults in ", output, re.MULTILINE)), default=0)


class Command:
    """`make TARGET`. Its output is shown and kept in `TARGET.log`, and has the number of units that were run."""

    def __init__(self, name, target, unit="tests", count=tests_in):
        self.name, self.target, self.unit, self.count = name, target, unit, count

    def run(self, state, row):
        begin = time.monotonic()
        path = state.folder / f"{self.target}.log"
        with path.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                ["make", "--no-print-directory", self.target], cwd=ROOT, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace")
            try:
                for line in process.stdout:
                    print(line, end="", flush=True)
                    log.write(line)
                process.wait()
            finally:
                # The child processes received the interrupt, too, and end by themselves.
                process.wait()
        row["seconds"] = time.monotonic() - begin
        row["count"] = self.count(path.read_text(encoding="utf-8"))
        # A row that only built, and ran no test, has not passed.
        row["status"] = "done" if process.returncode == 0 and row["count"] > 0 else "failed"
        row["outcome"] = "" if row["status"] == "done" else f"see {path}"
