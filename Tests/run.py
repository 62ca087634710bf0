"""Runs the acceptance tests against the server that `make test` builds before, and at the same time builds and runs the Swift
suites and the tests of the console's page.

Acceptance tests wait for much of their time, which leaves the processors to the compiler. Many tests use real sockets, threads and
processes. The suites of those targets run one after the other; at the same time, also one after the other, run the suites that
mostly compute. A test that fails runs once more, together with the other failed tests only. If it passes then, the whole run
passes, too, and the last lines name the test as unsteady: something in it, or in the product, depends on timing and must be fixed.
A test that fails twice is a failure, and so is a run that crashes or in which many tests fail. A run in which no test ends for
minutes is ended and repeated once; the tests that were running are named, too. The last lines repeat every failure with its
message."""

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

BUILT = ".build/tests/release/"
SWIFT_BUILD = ["make", "build-tests"]
SWIFT_BUILD_OUTPUT = ".build/tests-build.txt"
SWIFT = [BUILT + "hearthPackageTests.xctest", "--testing-library", "swift-testing", "--no-parallel"]
SWIFT_EVENTS = ".build/swift-events-{}.jsonl"
SWIFT_OUTPUT = ".build/swift-output-{}.txt"
# The targets whose suites mostly compute: about half of the time.
COMPUTING = [
    f"^{name}Tests\\." for name in (
        "HearthAccounts", "HearthBackup", "HearthCrypto", "HearthEngine", "HearthExposure", "HearthRules", "HearthSQLite",
        "HearthSync", "HearthTree", "Project")]
CONSOLE_PAGE = ["sh", "Tests/ConsoleTests/run.sh"]
ACCEPTANCE = [".venv/bin/python", "-m", "pytest", "-q"]
ACCEPTANCE_TESTS = "Tests/Acceptance"
ACCEPTANCE_REPORT = ".build/acceptance.xml"
# Acceptance tests wait most of their time, so several files of them run at once.
AT_ONCE = ["-n", "3", "--dist", "loadfile"]
# More failures than this are a broken change, and not unsteady tests.
MOST_AGAIN = 8
# No test takes half as long, not even on a busy machine.
STALL_SECONDS = 480
# The tests that did not end in a first run, and did not prevent the end of the second.
stalled = []


def built_swift():
    """Builds the Swift tests and runs them; returns the same as `swift`."""
    with open(SWIFT_BUILD_OUTPUT, "wb") as output:
        status = subprocess.run(SWIFT_BUILD, stdout=output, stderr=subprocess.STDOUT).returncode
    if status != 0:
        with open(SWIFT_BUILD_OUTPUT, encoding="utf-8", errors="replace") as file:
            print(file.read(), flush=True)
        return status, {"": ["the tests were not built: the lines above say why"]}
    return swift()


def console_page():
    """Runs the tests of the console's page; returns the same as `swift`, with one failure for all of them."""
    done = subprocess.run(CONSOLE_PAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(done.stdout, flush=True)
    return done.returncode, {"": ["the lines above say why"]} if done.returncode else {}


def swift(only=()):
    """Runs the Swift tests, or those with the given identifiers; returns the exit status, and the messages of each failed test.

    A run that does not complete has a failure without an identifier."""
    if only:
        runs = [SwiftRun("again", [word for test in only for word in ("--filter", f"^{re.escape(test)}(/|$)")])]
    else:
        runs = [SwiftRun("driving", [word for name in COMPUTING for word in ("--skip", name)]),
                SwiftRun("computing", [word for name in COMPUTING for word in ("--filter", name)])]
    failed, ran, status = {}, set(), 0
    for run in runs:
        run_status = run.end()
        if run.is_stalled and not only:
            before, run = run, SwiftRun(run.name, run.which)
            run_status = run.end()
            stalled.extend(sorted(before.running))
        status = run_status or status
        failed.update(run.failed)
        ran |= run.ran
    for test in set(only) - ran:
        failed.setdefault(test, []).append("did not run")
    return status, failed


class SwiftRun:
    """A process that runs some of the Swift tests. Its output is printed when it has ended."""

    def __init__(self, name, which):
        self.name, self.which, self.is_stalled = name, which, False
        self.events = SWIFT_EVENTS.format(name)
        self.output = SWIFT_OUTPUT.format(name)
        self.failed, self.running, self.ran = {}, set(), set()
        if os.path.exists(self.events):
            os.remove(self.events)
        command = [*SWIFT, *which, "--event-stream-output-path", self.events]
        with open(self.output, "wb") as file:
            self.process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)

    def wait(self):
        """Waits for the process; returns its exit status. It is ended when it reports nothing for `STALL_SECONDS`."""
        size, since = 0, time.monotonic()
        while True:
            try:
                return self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                grown = os.path.getsize(self.events) if os.path.exists(self.events) else 0
                if grown != size:
                    size, since = grown, time.monotonic()
                elif time.monotonic() - since > STALL_SECONDS:
                    self.is_stalled = True
                    self.process.kill()

    def end(self):
        """Waits for the process, and reads its report of each test; returns the exit status."""
        status = self.wait()
        with open(self.output, encoding="utf-8", errors="replace") as file:
            print(file.read(), flush=True)
        ended = False
        if os.path.exists(self.events):
            with open(self.events, encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    # A crash may leave a partial line.
                    try:
                        record = json.loads(line)["payload"]
                    except (ValueError, KeyError):
                        continue
                    ended = self.take(record) or ended
        for test in sorted(self.running):
            self.failed.setdefault(test, []).append("did not end")
        if not ended or (status != 0 and not self.failed):
            self.failed.setdefault("", []).append("the run did not come to its end: the lines above say why")
        return status

    def take(self, record):
        """Records one event; returns True when it is the end of the run."""
        # The last part of an identifier is the test's place in the file.
        test = re.sub(r"/[^/]*\.swift:[0-9:]*$", "", record.get("testID", ""))
        if record.get("kind") == "testStarted":
            self.running.add(test)
        if record.get("kind") == "testEnded":
            self.running.discard(test)
            self.ran.add(test)
        if record.get("kind") == "issueRecorded" and not record["issue"].get("isKnown"):
            place = record["issue"].get("sourceLocation") or {}
            text = " ".join(message["text"] for message in record.get("messages", []))
            self.failed.setdefault(test, []).append(f"{place.get('fileID', '')}:{place.get('line', '')}: {text}")
        return record.get("kind") == "runEnded"


def acceptance(only=()):
    """Runs the acceptance tests, or those with the given identifiers; returns the same as `swift`."""
    if os.path.exists(ACCEPTANCE_REPORT):
        os.remove(ACCEPTANCE_REPORT)
    which = list(only) or [ACCEPTANCE_TESTS, *AT_ONCE]
    status = subprocess.run(
        [*ACCEPTANCE, *which, "--junitxml", ACCEPTANCE_REPORT], env={**os.environ, "HEARTH": BUILT + "hearth"}
    ).returncode
    failed = {}
    if os.path.exists(ACCEPTANCE_REPORT):
        for case in ElementTree.parse(ACCEPTANCE_REPORT).iter("testcase"):
            for failure in [*case.findall("failure"), *case.findall("error")]:
                test = case.get("classname", "").replace(".", "/") + ".py::" + case.get("name", "")
                failed.setdefault(test, []).append(failure.get("message", ""))
    if status != 0 and not failed:
        failed[""] = ["the run did not come to its end: the lines above say why"]
    return status, failed


def kind_passes(name, outcome, run, told):
    """Returns True when all tests of a kind passed, or pass when they run again. Appends the closing lines to `told`.

    `outcome` is the result of the first run; `run` runs the tests with the given identifiers again."""
    status, failed = outcome
    if status == 0:
        return True
    again = {}
    if "" in failed or len(failed) > MOST_AGAIN:
        again = failed
    else:
        print(f"\n{len(failed)} failed. Once more, alone:", flush=True)
        again = run(sorted(failed))[1]
    for test, messages in sorted(failed.items()):
        verdict = "failed" if test in again or "" in again else "unsteady: failed, and passed when it ran again"
        told.append(f"{name} {test} {verdict}")
        told += [f"    {message[:2000]}" for message in messages[:3]]
    return not again


def main():
    # Every kind runs, whatever the results of the others.
    kinds = {"acceptance": (acceptance, acceptance), "Swift": (built_swift, swift), "console page": (console_page, None)}
    with ThreadPoolExecutor(len(kinds)) as pool:
        outcomes = {name: pool.submit(first) for name, (first, _) in kinds.items()}
    told = []
    passes = [kind_passes(name, outcomes[name].result(), again, told) for name, (_, again) in kinds.items()]
    told += [f"Swift {test} unsteady: did not end, and the run was repeated" for test in stalled]
    if told:
        print("\n" + "\n".join(told))
    print("all tests passed" if all(passes) else "tests failed", flush=True)
    return 0 if all(passes) else 1


if __name__ == "__main__":
    sys.exit(main())
