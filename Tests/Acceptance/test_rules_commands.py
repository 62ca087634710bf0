"""`hearth rules` on the examples and on invalid files: exit codes, and the members of the JSON output."""

import json
import pathlib
import re
import signal
import subprocess
import threading

import pytest

from conftest import HEARTH, hearth
from waits import WAIT_SECONDS

EXAMPLES = pathlib.Path(__file__).parent.parent.parent / "Rules" / "Examples"
OWNED = EXAMPLES / "owner-only" / "rules.json"
TESTS = EXAMPLES / "owner-only" / "tests.json"
NUMBER, TEXT = (int, float), str
WITNESS = {"auth", "data", "path", "value", "now"}


def run(*arguments, **options):
    return subprocess.run(
        [HEARTH, "rules", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS, **options)


def answer(*arguments, code=0):
    """Returns the JSON object that a command prints."""
    done = run(*arguments, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def has(entry, **types):
    for name, kind in types.items():
        assert isinstance(entry.get(name), kind), (name, entry)


def test_the_examples_pass_and_every_condition_is_seen():
    done = run("test", EXAMPLES)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^[0-9]+ passed, coverage 100 % of conditions, [0-9]+ ms$", done.stdout, re.M), done.stdout
    found = answer("test", EXAMPLES)
    has(found, passed=int, failed=int, milliseconds=NUMBER, files=list, problems=list, coverage=dict)
    assert found["failed"] == 0 and len(found["files"]) == 8 and found["coverage"]["percent"] == 100


def test_a_failing_case_ends_with_1_and_shows_its_trace(tmp_path):
    test = json.loads(TESTS.read_text())
    test["rules"] = str(OWNED)
    test["cases"] = [{"name": "a stranger", "read": "/users/alice", "expect": "allow"}]
    path = tmp_path / "tests.json"
    path.write_text(json.dumps(test))
    done = run("test", path)
    assert done.returncode == 1 and "a stranger" in done.stdout and "decides" in done.stdout, done.stdout
    failed = answer("test", path, code=1)
    case = next(case for case in failed["files"][0]["cases"] if not case["passed"])
    assert case["name"] == "a stranger" and case["allowed"] is False and case["trace"]


def test_explain_says_which_rule_and_why():
    allowed = answer("explain", OWNED, "--read", "/users/alice", "--uid", "alice")
    has(allowed, allowed=bool, rule=dict)
    assert "trace" in allowed and allowed["allowed"] is True
    has(allowed["rule"], path=TEXT, kind=TEXT, line=int, column=int)
    denied = answer("explain", OWNED, "--read", "/users/alice", "--uid", "bob", code=1)
    assert denied["allowed"] is False and denied["rule"]["kind"] == "read"
    for wrong in (["--read", "/a.b"], ["--write", "/users", "--value", "{"], []):
        assert run("explain", OWNED, *wrong).returncode == 2


def test_exposure_answers_for_every_location():
    entries = answer("exposure", OWNED)["entries"]
    assert {entry["verdict"] for entry in entries} == {"open", "closed"}
    for entry in entries:
        assert entry["operation"] in ("read", "write") and re.match(r"nobody$|anyone$|other$|claim:", entry["who"])
        assert ("witness" in entry) == (entry["verdict"] == "open")
        assert WITNESS <= set(entry.get("witness", WITNESS))
    nobody = [entry["verdict"] for entry in entries if entry["who"] == "nobody"]
    assert set(nobody) == {"closed"}


def test_assertions_end_with_0_1_and_2():
    proved = answer("assert", OWNED, "signed-out people cannot read /**", "other cannot write /users/*")
    assert [found["verdict"] for found in proved["assertions"]] == ["proved", "proved"]
    refuted = answer("assert", OWNED, "nobody can write /**", code=1)["assertions"][0]
    assert refuted["verdict"] == "refuted" and WITNESS <= set(refuted["witness"]) and refuted["who"] == "anyone"
    assert run("assert", OWNED, "whoever can write /").returncode == 2


def test_an_undecided_assertion_ends_with_3(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"rules": {"a": {
        ".read": "data.val().replace('a', 'b') == data.child('x').parent().val().toUpperCase() && "
                 "data.val().length * data.val().length == 10 + data.val().length"}}}))
    undecided = answer("assert", path, "signed-out people cannot read /a", code=3)["assertions"][0]
    assert undecided["verdict"] == "undecided" and undecided["reason"]


def test_a_difference_that_opens_access_ends_with_1(tmp_path):
    wider = tmp_path / "wider.json"
    wider.write_text(OWNED.read_text().replace("auth.uid == $uid", "auth != null", 1))
    assert wider.read_text() != OWNED.read_text()
    opened = answer("diff", OWNED, wider, code=1)
    has(opened, opened=list, closed=list, undecided=list)
    assert opened["opened"] and not opened["undecided"]
    for entry in opened["opened"]:
        has(entry, path=TEXT, operation=TEXT, who=TEXT, witness=dict)
    assert answer("diff", wider, OWNED)["opened"] == []
    assert answer("diff", OWNED, OWNED) == {"opened": [], "closed": [], "undecided": []}


def test_mutate_counts_mutants_and_prints_the_missing_test(tmp_path):
    whole = answer("mutate", OWNED, TESTS)
    assert whole["survived"] == 0 and whole["undecided"] == 0 and whole["killed"] > 20
    test = json.loads(TESTS.read_text())
    test["cases"] = test["cases"][:3]
    few = tmp_path / "tests.json"
    few.write_text(json.dumps(test))
    missing = tmp_path / "missing.test.json"
    found = answer("mutate", OWNED, few, "--write", missing, code=1)
    for name in ("mutants", "killed", "survived", "equivalent", "undecided"):
        has(found, **{name: int})
    assert found["survived"] == len(found["survivors"]) > 0
    assert all(survivor["test"]["cases"] for survivor in found["survivors"])
    assert run("test", missing).returncode == 0
    assert answer("mutate", OWNED, few, missing)["survived"] == 0


def test_lint_ends_with_1_when_it_warns(tmp_path):
    assert answer("lint", OWNED, TESTS.parent) == {"findings": []}
    path = tmp_path / "rules.json"
    path.write_text('{"rules": {".read": true, "a": {".read": "auth != null"}}}')
    finding = answer("lint", path, code=1)["findings"][0]
    has(finding, code=TEXT, severity=TEXT, file=TEXT, line=int, column=int, message=TEXT, help=TEXT)
    sarif = json.loads(run("lint", path, "--format", "sarif").stdout)
    assert sarif["version"] == "2.1.0" and sarif["runs"][0]["results"]


# The exit status of each command for an invalid rules file: `check`, which looks for such mistakes, ends with 1.
COMMANDS = {
    "check": lambda rules, good: ["check", rules],
    "lint": lambda rules, good: ["lint", rules],
    "test": lambda rules, good: ["test", "--rules", rules, TESTS],
    "mutate": lambda rules, good: ["mutate", rules, TESTS],
    "explain": lambda rules, good: ["explain", rules, "--read", "/"],
    "exposure": lambda rules, good: ["exposure", rules],
    "assert": lambda rules, good: ["assert", rules, "nobody can read /**"],
    "diff, old": lambda rules, good: ["diff", rules, good],
    "diff, new": lambda rules, good: ["diff", good, rules],
}
BROKEN = {
    "no file": (None, "cannot read .*: No such file"),
    "no text": (b"\xff\xfe\x00", "is not UTF-8 text"),
    "an end too early": ('{"rules": {"a": {', r"rules.json:1:[0-9]+: error: Parse error"),
    "a mistake": ('{"rules": {".read": "auth.uid + 1"}}', r"rules.json:1:22: error: "),
    "10,000 parentheses": (
        '{"rules": {".read": "' + "(" * 10_000 + "true" + ")" * 10_000 + '"}}',
        r"rules.json:1:[0-9]+: error: Rule expression is nested too deeply"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", BROKEN)
def test_invalid_rules_are_reported_with_their_place(tmp_path, name, command):
    content, told = BROKEN[name]
    path = tmp_path / "rules.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run(*COMMANDS[command](path, OWNED))
    has_mistake = name not in ("no file", "no text")
    assert done.returncode == (1 if command == "check" and has_mistake else 2), done.stdout + done.stderr
    assert re.search(told, done.stdout + done.stderr), done.stdout + done.stderr


def test_five_megabytes_of_rules_are_refused_at_once(tmp_path):
    path = tmp_path / "rules.json"
    rules = {f"k{i}": {".read": "auth.uid == '" + "x" * 1_000 + "'"} for i in range(5_000)}
    path.write_text(json.dumps({"rules": rules}))
    for command in ("exposure", "test"):
        done = run(*COMMANDS[command](path, OWNED))
        assert done.returncode == 2 and "larger than 1048576 bytes" in done.stdout + done.stderr


WRONG_TYPES = {
    "a list": ("[]", r":1:1: Expected an object for .*, found a list"),
    "cases": ('{"cases": 5}', r":1:11: 'cases' must be a list"),
    "a case": ('{"cases": [5]}', r":1:12: Expected an object for a case"),
    "a path": ('{"cases": [{"read": 5, "expect": "deny"}]}', r":1:21: A path must be a string"),
    "a verdict": ('{"cases": [{"read": "/", "expect": 5}]}', r":1:36: 'expect' must be a string"),
    "users": ('{"users": [1], "cases": []}', r":1:11: 'users' must be an object"),
    "a time": ('{"cases": [{"now": "x", "read": "/", "expect": "deny"}]}', r":1:20: 'now' must be milliseconds"),
    "a query": (
        '{"cases": [{"read": "/", "query": {"limitToFirst": "x"}, "expect": "deny"}]}', r":1:52: 'limitToFirst' must"),
    "data": ('{"data": {"a.b": 1}, "cases": []}', r":1:11: Invalid key"),
    "the rules": ('{"rules": 7, "cases": []}', r":1:11: 'rules' must be a string"),
    "10,000 levels": ('{"data": ' + '{"a":' * 10_000, r":1:[0-9]+: .*More than 64"),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_wrong_types_in_test_files_are_reported_with_their_place(tmp_path, name):
    content, told = WRONG_TYPES[name]
    path = tmp_path / "broken.test.json"
    path.write_text(content)
    for command in (["test", path], ["lint", OWNED, path], ["mutate", OWNED, path]):
        done = run(*command)
        text = (done.stdout + done.stderr).replace(": error: ", ": ")
        assert done.returncode == 2, text
        assert re.search("broken.test.json" + told, text), text


class Watching:
    """`hearth rules test --watch` in a folder; each run ends with one line."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [HEARTH, "rules", "test", "--watch", "."], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
            # pytest workers may ignore interrupts, and their child processes would inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        # A timer ends the command, so that no read waits forever for a line.
        self.guard = threading.Timer(2 * WAIT_SECONDS, self.process.kill)
        self.guard.start()

    def comes_to(self, expected):
        """Waits for a run whose last line is as expected. On a slow machine a run may see a file that is still being written."""
        seen = []
        for line in self.process.stdout:
            if re.search(r"[0-9]+ passed", line):
                seen.append(line)
                if expected in line:
                    return
        raise AssertionError(f"ended without {expected!r}: {seen}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(WAIT_SECONDS)
        self.guard.cancel()
        return code


def test_watch_runs_again_when_a_file_is_saved(tmp_path):
    rules, test = tmp_path / "rules.json", tmp_path / "tests.json"
    rules.write_text('{"rules": {".read": true}}')
    test.write_text('{"rules": "rules.json", "cases": [{"read": "/", "expect": "allow"}]}')
    watching = Watching(tmp_path)
    watching.comes_to("1 passed")
    # Changes the rules, adds a test file, breaks the rules, and replaces a file, as editors do on saving.
    rules.write_text('{"rules": {".read": false}}')
    watching.comes_to("1 failed, 0 passed")
    (tmp_path / "more.test.json").write_text('{"rules": "rules.json", "cases": [{"read": "/x", "expect": "deny"}]}')
    watching.comes_to("1 failed, 1 passed")
    rules.write_text("{")
    watching.comes_to("1 invalid file")
    other = tmp_path / "other"
    other.write_text('{"rules": {".read": "auth == null && $x"}}'.replace(" && $x", ""))
    other.rename(rules)
    watching.comes_to("1 failed, 1 passed")
    assert watching.end() == -signal.SIGINT
