"""Runs the Swift suites, then the acceptance tests against the debug server. `make test` builds both before.

Many tests drive real sockets, threads and processes. A test that fails runs once more, beside nothing but the others that
failed. If it passes then, the whole passes too, and the last lines name it as unsteady: something in it, or in the product,
depends on timing and is to be mended. A test that fails twice is a failure, and so is a run that crashes or in which many
tests fail. The last lines repeat every failure with its message.
"""

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

SWIFT = ["swift", "test", "--skip-build", "--no-parallel"]
SWIFT_EVENTS = ".build/swift-events.jsonl"
ACCEPTANCE = [".venv/bin/python", "-m", "pytest", "-q"]
ACCEPTANCE_TESTS = "Tests/Acceptance"
ACCEPTANCE_REPORT = ".build/acceptance.xml"
# Acceptance tests wait most of their time, so two files of them run at once.
AT_ONCE = ["-n", "2", "--dist", "loadfile"]
# More failures than these are a broken change, and no unsteady tests.
MOST_AGAIN = 8


def swift(only=()):
    """Runs the Swift tests, or those with the given identifiers: the exit status, and the messages of each that failed.

    A run that does not come to its end has a failure without an identifier."""
    if os.path.exists(SWIFT_EVENTS):
        os.remove(SWIFT_EVENTS)
    filters = [word for test in only for word in ("--filter", f"^{re.escape(test)}(/|$)")]
    status = subprocess.run([*SWIFT, *filters, "--event-stream-output-path", SWIFT_EVENTS]).returncode
    failed, ran, ended = {}, set(), False
    if os.path.exists(SWIFT_EVENTS):
        with open(SWIFT_EVENTS, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                # A crash may leave half a line.
                try:
                    record = json.loads(line)["payload"]
                except (ValueError, KeyError):
                    continue
                # The last part of an identifier is the place in the file.
                test = re.sub(r"/[^/]*\.swift:[0-9:]*$", "", record.get("testID", ""))
                ended = ended or record.get("kind") == "runEnded"
                if record.get("kind") == "testEnded":
                    ran.add(test)
                if record.get("kind") != "issueRecorded" or record["issue"].get("isKnown"):
                    continue
                place = record["issue"].get("sourceLocation") or {}
                text = " ".join(message["text"] for message in record.get("messages", []))
                failed.setdefault(test, []).append(f"{place.get('fileID', '')}:{place.get('line', '')}: {text}")
    if not ended or (status != 0 and not failed):
        failed.setdefault("", []).append("the run did not come to its end: the lines above say why")
    for test in set(only) - ran:
        failed.setdefault(test, []).append("did not run")
    return status, failed


def acceptance(only=()):
    """Runs the acceptance tests, or those with the given identifiers: as `swift` does."""
    if os.path.exists(ACCEPTANCE_REPORT):
        os.remove(ACCEPTANCE_REPORT)
    which = list(only) or [ACCEPTANCE_TESTS, *AT_ONCE]
    status = subprocess.run(
        [*ACCEPTANCE, *which, "--junitxml", ACCEPTANCE_REPORT], env={**os.environ, "HEARTH": ".build/debug/hearth"}
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


def kind_passes(name, run, told):
    """Whether all tests of a kind pass at once or when they run again. Appends to `told` what is to be said at the end."""
    status, failed = run()
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
    told = []
    # Both kinds run, whatever the first says.
    passes = [kind_passes("Swift", swift, told), kind_passes("acceptance", acceptance, told)]
    if told:
        print("\n" + "\n".join(told))
    print("all tests passed" if all(passes) else "tests failed", flush=True)
    return 0 if all(passes) else 1


if __name__ == "__main__":
    sys.exit(main())
