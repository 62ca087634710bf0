"""The program that runs the tests: a test that fails twice fails the run; a test that fails once is reported and does not."""

import importlib.util
import json
import pathlib
import re

import pytest

from conftest import ROOT

# A stand-in for the tests' program, which writes events as the testing library does. The file `plan` lists the tests that fail in
# each run, by the name in its events' file; `crash` in that list ends the run early, with `gone` no test runs. The file `asked
# NAME` records the arguments of the run.
SWIFT = """#!/usr/bin/env python3
import json, pathlib, re, sys
events_path = sys.argv[sys.argv.index("--event-stream-output-path") + 1]
name = re.search("swift-events-(.*)[.]jsonl", events_path)[1]
pathlib.Path("asked " + name).write_text(" ".join(sys.argv[1:]))
failing = json.loads(pathlib.Path("plan").read_text())[name]
with open(events_path, "w") as events:
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
    monkeypatch.setattr(run, "SWIFT", [str(tmp_path / "swift")])
    return run


def outcome(runner, driving, again=(), computing=()):
    """Returns whether the whole passes, the messages, and the arguments of each run by its name."""
    with open("plan", "w", encoding="utf-8") as plan:
        json.dump({"driving": list(driving), "computing": list(computing), "again": list(again)}, plan)
    told = []
    passes = runner.kind_passes("Swift", runner.swift(), runner.swift, told)
    return passes, "\n".join(told), {
        path.name.removeprefix("asked "): path.read_text() for path in pathlib.Path().glob("asked *")}


def test_the_run_passes_when_all_tests_pass(runner):
    passes, told, asked = outcome(runner, ["Known.Suite/a()"])
    assert passes and told == "" and sorted(asked) == ["computing", "driving"]


def test_every_suite_runs_in_one_of_the_two_runs(runner):
    _, _, asked = outcome(runner, [])
    chosen = re.findall(r"--filter (\S+)", asked["computing"])
    assert chosen and chosen == re.findall(r"--skip (\S+)", asked["driving"])
    targets = [path.name for path in (ROOT / "Tests").iterdir()]
    for each in chosen:
        assert each.removeprefix("^").removesuffix(r"\.") in targets, each


def test_a_test_that_passes_when_repeated_is_named(runner):
    passes, told, asked = outcome(runner, ["T.Suite/a()"], computing=["U.Suite/b()"])
    assert passes
    assert "unsteady" in told and "T/SomeTests.swift:9: T.Suite/a() went wrong" in told and "U.Suite/b() unsteady" in told
    # Exactly those tests, with all of their parameters.
    assert r"--filter ^T\.Suite/a\(\)(/|$) --filter ^U\.Suite/b\(\)(/|$)" in asked["again"]


def test_a_test_that_fails_twice_fails_the_run(runner):
    passes, told, _ = outcome(runner, ["T.Suite/a()", "T.Suite/b()"], ["T.Suite/b()"])
    assert not passes
    assert "T.Suite/a() unsteady" in told and "T.Suite/b() failed" in told


def test_many_failures_are_not_repeated(runner):
    passes, _, asked = outcome(
        runner, [f"T.Suite/a{number}()" for number in range(5)], computing=[f"U.Suite/a{number}()" for number in range(4)])
    assert not passes and "again" not in asked


@pytest.mark.parametrize("runs", [
    {"driving": ["crash"]}, {"driving": [], "computing": ["crash"]}, {"driving": ["T.Suite/a()", "crash"]},
    {"driving": ["T.Suite/a()"], "again": ["crash"]}])
def test_a_crash_fails_the_run(runner, runs):
    passes, _, asked = outcome(runner, **runs)
    assert not passes and ("again" in asked) == ("again" in runs)


def test_a_repetition_that_runs_no_test_fails_the_run(runner):
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
    assert runner.kind_passes("acceptance", runner.acceptance(), runner.acceptance, told)
    assert "acceptance test_two.py::test_first[a b] unsteady" in told[0] and len([t for t in told if "unsteady" in t]) == 1


def test_a_failed_build_fails_the_run(runner, monkeypatch):
    monkeypatch.setattr(runner, "SWIFT_BUILD", ["sh", "-c", "echo no compiler; exit 1"])
    status, failed = runner.built_swift()
    assert status == 1 and "" in failed


def test_a_failure_of_the_console_page_fails_the_run(runner, monkeypatch):
    monkeypatch.setattr(runner, "CONSOLE_PAGE", ["false"])
    told = []
    assert not runner.kind_passes("console page", runner.console_page(), None, told) and len(told) == 2
