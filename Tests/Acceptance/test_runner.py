"""What runs the tests: a test that fails twice fails the whole, one that fails once is named and does not."""

import importlib.util
import json

import pytest

from conftest import ROOT

# A stand-in for `swift test` that writes events as the testing library does. The file `plan` holds, for each run, the
# tests that fail in it; `crash` among them ends the run before its end, with `gone` no test runs. `asked` keeps what each run was asked for.
SWIFT = """#!/usr/bin/env python3
import json, pathlib, sys
runs = json.loads(pathlib.Path("plan").read_text())
asked = pathlib.Path("asked")
before = asked.read_text().splitlines() if asked.exists() else []
asked.write_text("\\n".join([*before, " ".join(sys.argv[1:])]) + "\\n")
failing = runs[len(before)]
with open(sys.argv[sys.argv.index("--event-stream-output-path") + 1], "w") as events:
    def event(**payload):
        events.write(json.dumps({"kind": "event", "version": 0, "payload": payload}) + "\\n")
    for test in set(failing) - {"gone"}:
        event(kind="issueRecorded", testID=f"{test}/SomeTests.swift:3:4", messages=[{"text": f"{test} went wrong"}],
              issue={"isKnown": test.startswith("Known"), "sourceLocation": {"fileID": "T/SomeTests.swift", "line": 9}})
    for word in sys.argv:
        if word.startswith("^") and "gone" not in failing:
            event(kind="testEnded", testID=word[1:].removesuffix("(/|$)").replace("\\\\", "") + "/SomeTests.swift:3:4")
    if "crash" not in failing:
        event(kind="runEnded", messages=[])
sys.exit(1 if any(test != "gone" and not test.startswith("Known") for test in failing) else 0)
"""


@pytest.fixture
def runner(tmp_path, monkeypatch):
    (tmp_path / ".build").mkdir()
    (tmp_path / "swift").write_text(SWIFT, encoding="utf-8")
    (tmp_path / "swift").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    specification = importlib.util.spec_from_file_location("run", ROOT / "Tests/run.py")
    run = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(run)
    monkeypatch.setattr(run, "SWIFT", [str(tmp_path / "swift"), "test"])
    return run


def outcome(runner, *runs):
    """Whether the whole passes, what is told, and what each run of `swift test` was asked for."""
    with open("plan", "w", encoding="utf-8") as plan:
        json.dump(runs, plan)
    told = []
    passes = runner.kind_passes("Swift", runner.swift, told)
    with open("asked", encoding="utf-8") as asked:
        return passes, "\n".join(told), asked.read().splitlines()


def test_all_pass(runner):
    passes, told, asked = outcome(runner, ["Known.Suite/a()"])
    assert passes and told == "" and len(asked) == 1


def test_one_that_passes_when_it_runs_again_is_named(runner):
    passes, told, asked = outcome(runner, ["T.Suite/a()"], [])
    assert passes
    assert "unsteady" in told and "T/SomeTests.swift:9: T.Suite/a() went wrong" in told
    # Exactly that test, and the whole of its cases.
    assert r"--filter ^T\.Suite/a\(\)(/|$)" in asked[1]


def test_one_that_fails_twice_is_a_failure(runner):
    passes, told, _ = outcome(runner, ["T.Suite/a()", "T.Suite/b()"], ["T.Suite/b()"])
    assert not passes
    assert "T.Suite/a() unsteady" in told and "T.Suite/b() failed" in told


def test_many_failures_and_crashes_do_not_run_again(runner):
    passes, _, asked = outcome(runner, [f"T.Suite/a{number}()" for number in range(9)])
    assert not passes and len(asked) == 1


@pytest.mark.parametrize("runs", [(["crash"],), (["T.Suite/a()", "crash"],), (["T.Suite/a()"], ["crash"])])
def test_a_crash_is_a_failure(runner, runs):
    passes, _, asked = outcome(runner, *runs)
    assert not passes and len(asked) == len(runs)


def test_a_second_run_of_nothing_is_a_failure(runner):
    passes, told, _ = outcome(runner, ["T.Suite/a()"], ["gone"])
    assert not passes and "T.Suite/a() failed" in told


def test_acceptance_failures_are_read(runner, monkeypatch):
    with open("test_two.py", "w", encoding="utf-8") as tests:
        tests.write(
            "import os, pytest\n@pytest.mark.parametrize('n', ['a b', 'c'])\ndef test_first(n):\n"
            "  new = not os.path.exists('ran ' + n); open('ran ' + n, 'w'); assert not new or n == 'c'\n"
        )
    monkeypatch.setattr(runner, "ACCEPTANCE", [str(ROOT / ".venv/bin/python"), "-m", "pytest", "-q"])
    monkeypatch.setattr(runner, "ACCEPTANCE_TESTS", "test_two.py")
    told = []
    assert runner.kind_passes("acceptance", runner.acceptance, told)
    assert "acceptance test_two.py::test_first[a b] unsteady" in told[0] and len([t for t in told if "unsteady" in t]) == 1
