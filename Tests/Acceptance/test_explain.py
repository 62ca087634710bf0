"""`hearth rules explain`: without a server, and by the trace id of a denial in a server's log."""

import json
import re

from client import Client
from conftest import hearth

RULES = """{ "rules": { "rooms": { "$room": {
  ".read": "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()",
  "count": { ".write": "auth != null", ".validate": "newData.val() == data.val() + 1" },
  "at": { ".write": "newData.val() == now && auth.token.role == 'editor'" },
  ".indexOn": "at" } } } }"""

DATA = '{"members":{"r1":{"u1":true}},"rooms":{"r1":{"count":4}}}'


def explain(tmp_path, *arguments, expect):
    (tmp_path / "rules.json").write_text(RULES)
    (tmp_path / "data.json").write_text(DATA)
    return hearth("rules", "explain", str(tmp_path / "rules.json"), "--data", str(tmp_path / "data.json"),
                  *arguments, expect=expect)


def test_verdicts_are_exit_codes_and_json_holds_the_reason(tmp_path):
    explain(tmp_path, "--read", "/rooms/r1", "--uid", "u1", expect=0)
    text = explain(tmp_path, "--read", "/rooms/r1", "--uid", "u2", expect=1)
    assert "^^^^" in text and "/members/r1/u2" in text and "\x1b" not in text
    answer = json.loads(explain(tmp_path, "--read", "/rooms/r1", "--uid", "u2", "--json", expect=1))
    assert answer["allowed"] is False
    assert answer["rule"] == {"path": "/rooms/$room", "kind": "read", "line": 2, "column": 13}
    assert answer["decisive"]["text"] == "root.child('members/' + $room + '/' + auth.uid).exists()"
    [visit] = answer["trace"]
    assert visit["at"] == "/rooms/r1" and visit["value"] is False
    assert visit["reads"] == [{"path": "/members/r1/u2", "after": False, "aspect": "exists", "value": False}]
    signed_out = json.loads(explain(tmp_path, "--read", "/rooms/r1", "--json", expect=1))
    assert signed_out["decisive"]["text"] == "auth != null"
    assert signed_out["trace"][0]["expression"]["operands"][1]["reached"] is False


def test_server_values_are_resolved_as_on_the_server(tmp_path):
    increment = '{".sv":{"increment":1}}'
    explain(tmp_path, "--write", "/rooms/r1/count", "--value", increment, "--uid", "u1", expect=0)
    explain(tmp_path, "--write", "/rooms/r1/count", "--value", "9", "--uid", "u1", expect=1)
    editor = ["--uid", "u1", "--claims", '{"role":"editor"}']
    explain(tmp_path, "--write", "/rooms/r1/at", "--value", '{".sv":"timestamp"}', "--now", "77", *editor, expect=0)
    explain(tmp_path, "--write", "/rooms/r1/at", "--value", "77", "--now", "78", *editor, expect=1)
    (tmp_path / "value.json").write_text('{"r1/count":5,"r2/count":{".sv":{"increment":1}}}')
    update = json.loads(explain(
        tmp_path, "--update", "/rooms", "--value", f"@{tmp_path}/value.json", "--auth", '{"uid":"x"}', "--json", expect=1))
    assert update["rule"]["kind"] == "validate" and update["trace"][-1]["at"] == "/rooms/r2/count"


def test_an_undecidable_request_ends_with_2(tmp_path):
    for arguments in (
            [], ["--read", "/a", "--write", "/b"], ["--write", "/a", "--value", "{"], ["--read", "/a.b"],
            ["--read", "/a", "--value", "1"], ["--update", "/a"], ["--read", "/a", "--claims", "{}"],
            ["--read", "/a", "--uid", "u", "--claims", "1"], ["--read", "/a", "--auth", "{"],
            ["--read", "/a", "--query", "orderBy=x"], ["--write", "/a", "--value", "@/nowhere"],
            ["--read", "/a", "--trace", "x"]):
        explain(tmp_path, *arguments, expect=2)
    failure = json.loads(explain(tmp_path, "--read", "/a.b", "--json", expect=2).splitlines()[0])
    assert list(failure) == ["error"]
    (tmp_path / "bad.json").write_text('{"rules":{".read":"tr"}}')
    hearth("rules", "explain", str(tmp_path / "bad.json"), "--read", "/", expect=2)


def test_a_denial_of_the_log_is_explained_by_its_trace(serve):
    server = serve(rules=RULES)
    socket = Client(server)
    socket.call("q", "permission_denied", p="/rooms/r1", h="")
    socket.close()
    trace = re.findall(r"trace=(\S+).*denied", server.log())[-1]
    text = server.run("rules", "explain", "--trace", trace, expect=1)
    assert "auth != null" in text and "^^^^" in text
    answer = json.loads(server.run("rules", "explain", "--trace", trace, "--json", expect=1))
    assert answer["operation"] == "listen" and answer["decisive"]["text"] == "auth != null"
    server.run("rules", "explain", "--trace", "none", expect=2)
