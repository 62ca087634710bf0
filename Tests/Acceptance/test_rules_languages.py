"""Rules files in another language: Bolt, read by every command and by servers, with error places in the author's file."""

import json
import re
import shutil
import subprocess
import sys

import pytest
import requests

from conftest import HEARTH, ROOT, hearth
from waits import WAIT_SECONDS, until

BOLT = ROOT / "Plugins" / "Bolt"
sys.path.append(str(BOLT))
from bolt import translate  # noqa: E402
EXAMPLES = BOLT / "Examples"

OWNED = """// Each user has a folder.
path /users/{id} is Folder {
  read() { isUser(id) }
  write() { isUser(id) }
}

type Folder {
  title: Short
}

type Short extends String { validate() { this.length < 5 } }

isUser(id) { auth != null && auth.uid == id }
"""


def run(*arguments):
    return subprocess.run(
        [HEARTH, "rules", *map(str, arguments), "--rules-plugin", str(BOLT)], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=2 * WAIT_SECONDS)


@pytest.fixture(scope="module")
def owned(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "owned.bolt"
    path.write_text(OWNED, encoding="utf-8")
    return path


def test_the_plugin_passes_the_contract_suite():
    assert "the plugin passed all tests" in hearth("plugins", "test", str(BOLT))


def test_the_examples_pass_their_tests():
    done = run("test", EXAMPLES)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^92 passed, coverage", done.stdout, re.M), done.stdout


@pytest.mark.parametrize("name", ["rooms", "shop", "words"])
def test_an_example_is_the_rules_beside_it(name):
    folder = EXAMPLES / name
    done = run("diff", folder / "rules.bolt", folder / "rules.json")
    assert done.returncode == 0 and "no difference: proved" in done.stdout, done.stdout + done.stderr


def test_places_refer_to_the_source_file(owned, tmp_path):
    explained = run("explain", owned, "--write", "/users/u1", "--value", '{"title":"a long one"}', "--uid", "u1", "--json")
    answer = json.loads(explained.stdout)
    assert explained.returncode == 1
    assert (answer["rule"]["file"], answer["rule"]["line"], answer["rule"]["column"]) == ("owned.bolt", 8, 10), answer
    assert (answer["decisive"]["line"], answer["decisive"]["column"]) == (11, 42), answer
    page = run("explain", owned, "--read", "/users/u1", "--uid", "u2").stdout
    assert f"{owned}:3:3 .read at /users/$id" in page and f"from {owned}:13:30" in page, page
    # A condition in a function counts as one condition of the file, covered by all of its callers.
    tests = tmp_path / "tests.json"
    tests.write_text(json.dumps({"rules": str(owned), "users": {"a": {"uid": "u1"}}, "cases": [
        {"as": "a", "read": "/users/u1", "expect": "allow"}, {"as": "a", "read": "/users/u2", "expect": "deny"},
        {"read": "/users/u1", "expect": "deny"}]}), encoding="utf-8")
    html, lcov = tmp_path / "coverage.html", tmp_path / "lcov.info"
    done = run("test", tests, "--coverage-html", html, "--coverage-lcov", lcov)
    assert done.returncode == 0, done.stdout
    mark = '<span class="both" title="true 2×, false 1×, error 0×: both">auth != null</span>'
    assert mark in html.read_text(encoding="utf-8") and "Each user has a folder" in html.read_text(encoding="utf-8")
    assert "FN:3,.read at /users/$id" in lcov.read_text() and "DA:13,3" in lcov.read_text()


@pytest.mark.parametrize("text, place, message", [
    ("path / { read() { nobody } }", "1:19", "Unknown name 'nobody'."),
    ("path / {\n  read() { f(1) }\n}\nf(x) { g(x) }\ng(x) { f(x) }", "5:8", "'f' is recursive"),
    ("path / {\n  read() { auth.uid.test(/(/) }\n}", "2:26", "Illegal regular expression"),
    ("path / is T;\ntype T { next: T }", "2:16", "The type 'T' contains itself."),
    # Constructs that rules cannot express without a change of meaning.
    ("path / is A | B;\ntype A { write() { true } a: Any }\ntype B { b: Any }", "1:15", "differ in read or write"),
    ("path / is String[] | Number[];", "1:11", "cannot be distinguished from the other alternatives"),
    ("path / is A | B;\ntype A { a: String[] }\ntype B { a: Number[] }", "2:10", "cannot be distinguished from the other alternatives"),
    ("path /{x}/{y};\npath /{y}/{x} { read() { f() } }\nf() { $y == 'a' }", "3:7", "'$y' has another name in the rules"),
    ("path /{n} is S;\npath /{n}/{k}/z;\ntype S { $n: V }\ntype V extends String { validate() { this == $n } }", "4:46",
     "'$n' has another name in the rules"),
    ("path /p/{x} is T;\npath /p/all/b;\ntype T { a: Any }", "2:9", "/p/all also matches /p/{x}, and 'T' has no 'b'."),
    ("path / is B;\ntype A { create() { true } }\ntype B extends A { delete() { true } }", "3:20", "never true together"),
    ("path /a { create() { true } }\npath /a { update() { true } }", "2:11", "never true together"),
    ("path / { read() { true } }\nprior(x) { x }", "2:1", "'prior' is a reserved word"),
    ("path / { read() { f(1) } }\nf(now) { now == 1 }", "2:1", "'now' is a reserved word"),
    ("path /a/{auth} { read() { auth != null } }", "1:9", "'auth' is a reserved word"),
    ("path / { read() { this == 010.5 } }", "1:27", "This number has leading zeros."),
    ("f0(x) { x && x }\n" + "".join(f"f{i}(x) {{ f{i - 1}(x) && f{i - 1}(x) }}\n" for i in range(1, 40))
     + "path / { read() { f39(this.a) } }", "", "The rules become too long here."),
])
def test_an_error_is_reported_with_the_line_of_the_source_file(tmp_path, text, place, message):
    path = tmp_path / "wrong.bolt"
    path.write_text(text, encoding="utf-8")
    done = run("check", path)
    assert done.returncode == 1 and f"{path}:{place}" in done.stdout and message in done.stdout, done.stdout + done.stderr
    assert "^" in done.stdout


@pytest.mark.parametrize("text, rule", [
    ("path /a is T {}\ntype T extends String { validate() { this.matches(/^a/) } }", "newData.val().matches(/^a/)"),
    ("path /a is T {}\ntype T extends String { validate() { this.contains('a') && this.beginsWith('b') } }",
     "newData.val().contains('a') && newData.val().beginsWith('b')"),
    ("path /t/{p}/{k} is T {}\ntype T { validate() { root.parties[p] != null } read() { true } }",
     "child('parties').child($p).val() != null"),
    ("path /t/{p} is T {}\ntype T { name: Name }\ntype Name extends String { validate() { this == p } }", "newData.val() == $p"),
    ("path /t/{owner} is Map<Key, String>;\ntype Key extends String { validate() { this == owner } }", "== $owner"),
    ("path /u/{data} { read() { data == auth.uid } }", "$data == auth.uid"),
    ("path /x { read() { query.orderByKey } validate() { data.exists() && newData.isNumber() } }", "query.orderByKey == true"),
    ("path /x is T;\ntype T { data: String, newData: String, query: String, auth: String, validate() { this.auth == this.data } }",
     "newData.child('auth').val() == newData.child('data').val()"),
    ("path /x { validate() { f(this) } }\nf(data) { data.a == 1 }", "newData.child('a').val() == 1"),
])
def test_rules_that_the_original_bolt_compiler_accepts_are_accepted(tmp_path, text, rule):
    path = tmp_path / "taken.bolt"
    path.write_text(text, encoding="utf-8")
    done = run("check", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert rule in translate(text)["rules"], translate(text)


def test_a_failing_rules_plugin_is_named(owned, tmp_path):
    plugin = tmp_path / "plugin"
    shutil.copytree(BOLT, plugin)
    (plugin / "main.py").write_text("raise SystemExit(3)", encoding="utf-8")
    done = subprocess.run(
        [HEARTH, "rules", "check", str(owned), "--rules-plugin", str(plugin)], capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS)
    assert done.returncode == 2 and "bolt 1.0.0" in done.stderr and "code 3" in done.stderr, done.stderr


def denied(server):
    """Returns the rule's place and the trace id that the log has for the newest denial."""
    line = [line for line in server.log().splitlines() if "denied" in line][-1]
    return re.search(r"line=(\S+)", line)[1], re.search(r"trace=(\S+)", line)[1]


def read(server, path, uid):
    return requests.get(f"{server.url}{path}.json", params={"auth": server.token(uid)}, timeout=WAIT_SECONDS).status_code


def test_a_server_keeps_the_file_with_its_rules_and_needs_no_plugin_to_start_with_them(serve, owned):
    server = serve()
    assert "on demand" in server.run("plugins", "add", str(BOLT), "--yes") + server.run("plugins", "list")
    assert "version 2 is in force" in server.run("rules", "deploy", str(owned))
    assert read(server, "/users/u1", "u1") == 200 and read(server, "/users/u1", "u2") == 401
    place, trace = denied(server)
    assert place == "owned.bolt:3:3"
    assert "owned.bolt:13:30" in server.run("rules", "explain", "--trace", trace, expect=1)
    assert server.run("rules", "history", "2") == OWNED
    compiled = server.run("rules", "history", "2", "--compiled")
    assert "auth.uid == $id" in compiled and compiled.splitlines()[-1].startswith("//# hearth.origin=")
    # The server does not keep a process for translating rules.
    assert server.stop() == 0
    # A plugin whose files have changed is not run, and the rules in force stay.
    folder = server.data / "plugins" / "bolt" / "versions" / "1.0.0"
    folder.chmod(0o755)
    (folder / "main.py").chmod(0o644)
    (folder / "main.py").write_text("raise SystemExit(3)", encoding="utf-8")
    server.arguments += ["--rules", str(owned)]
    server.start()
    assert "the last deployed rules stay in force" in server.log()
    assert read(server, "/users/u1", "u1") == 200 and read(server, "/users/u1", "u2") == 401
    assert denied(server)[0] == "owned.bolt:3:3"


def test_dev_reads_the_file_each_time_it_is_saved(serve, tmp_path):
    rules = tmp_path / "app.bolt"
    rules.write_text(OWNED, encoding="utf-8")
    server = serve("--rules", str(rules), "--rules-plugin", str(BOLT), command="dev")
    assert read(server, "/users/u1", "u2") == 401 and denied(server)[0] == "app.bolt:3:3"
    rules.write_text("\n" + OWNED.replace("isUser(id) }\n  write", "nobody }\n  write"), encoding="utf-8")
    until(lambda: f"rules: {rules}:4:12: Unknown name 'nobody'. - the previous rules" in server.log(), server.log)
    assert read(server, "/users/u1", "u1") == 200
    rules.write_text("\n" + OWNED.replace("read() { isUser(id) }", "read() { true }"), encoding="utf-8")
    until(lambda: f"rules: {rules} is in force" in server.log(), server.log)
    assert read(server, "/users/u1", "u2") == 200
