"""`hearth db` for people and scripts: on a running server, on a stopped folder, and against a scripted server."""

import bisect
import gzip
import json
import os
import pty
import random
import re
import signal
import subprocess
import urllib.parse

import pytest
import requests

from conftest import HEARTH
from guide_examples import block, blocks, run
from stand_in_server import StandInServer
from waits import WAIT_SECONDS, until

RULES = """{ "rules": {
  "open": { ".read": true, ".write": true },
  "mine": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid && auth.token.role === 'editor'" } }
} }"""


def db(folder, *arguments, body=None, expect=0):
    done = subprocess.run(
        [HEARTH, "db", *arguments, "--data", str(folder)], input=body, capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS, stdin=subprocess.DEVNULL if body is None else None)
    assert done.returncode == expect, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout if expect == 0 else done.stdout + done.stderr


@pytest.fixture(params=["running", "stopped"])
def folder(request, serve):
    """A data folder, with a running server or after its server has stopped."""
    server = serve(rules=RULES)
    if request.param == "stopped":
        server.stop()
    return server.data


@pytest.fixture
def running(serve):
    return serve(rules=RULES).data


def test_values_are_written_and_read(folder, tmp_path):
    assert db(folder, "get", "/a") == "null\n"
    assert db(folder, "set", "/a", '{"b":1,"é":[true,"x"]}') == "set /a\n"
    assert json.loads(db(folder, "get", "a")) == {"b": 1, "é": [True, "x"]}
    db(folder, "update", "/a", "-d", '{"b":null,"c/d":2.5}')
    db(folder, "set", "/a/é/.priority", "7")
    assert db(folder, "get", "/a", "--pretty") == '{\n  "c" : {\n    "d" : 2.5\n  },\n  "é" : [ true, "x" ]\n}\n'
    assert json.loads(db(folder, "get", "/a", "--export"))["é"][".priority"] == 7
    assert json.loads(db(folder, "get", "/a", "--shallow")) == {"c": True, "é": True}
    (tmp_path / "value.json").write_text('{"from":"file"}')
    key = db(folder, "push", "/a/list", "--file", str(tmp_path / "value.json")).strip()
    assert re.fullmatch(r"[-_0-9A-Za-z]{20}", key)
    other = json.loads(db(folder, "push", "/a/list", "--json", body='"from a pipe"'))["name"]
    assert json.loads(db(folder, "get", "/a/list")) == {key: {"from": "file"}, other: "from a pipe"}
    db(folder, "get", "/a/list", "-o", str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text()) == {key: {"from": "file"}, other: "from a pipe"}
    db(folder, "remove", "/a/list", "--force")
    assert db(folder, "get", "/a/list") == "null\n"


@pytest.mark.parametrize("value", ["-4", "-0.5", "-1e3"])
def test_a_negative_number_is_a_value(running, value):
    db(running, "set", "/n", value)
    assert json.loads(db(running, "get", "/n")) == float(value)
    db(running, "set", "/n", "-d", value)
    assert json.loads(db(running, "get", "/n")) == float(value)
    db(running, "set", "/list", '{"a": {".value": 1, ".priority": -5}, "b": {".value": 2, ".priority": 5}}')
    assert json.loads(db(running, "get", "/list", "--order-by", "$priority", "--end-at", "-1")) == {"a": 1}
    assert "Unknown option" in db(running, "set", "/n", "-x4", expect=64)


def test_replacing_children_needs_force(folder):
    db(folder, "set", "/a", '{"b":1}')
    for arguments in (["set", "/a", "5"], ["remove", "/a"]):
        assert "--force" in db(folder, *arguments, expect=64)
    assert json.loads(db(folder, "get", "/a")) == {"b": 1}
    db(folder, "set", "/a/b", "2")
    db(folder, "remove", "/a/b")
    db(folder, "remove", "/nothing")
    assert db(folder, "get", "/a") == "null\n"


def test_a_terminal_is_asked_for_confirmation(running):
    db(running, "set", "/a", '{"b":1}')

    def answered(answer):
        owner, terminal = pty.openpty()
        process = subprocess.Popen(
            [HEARTH, "db", "remove", "/a", "--data", str(running)], stdin=terminal, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        os.write(owner, answer)
        output = process.communicate(timeout=WAIT_SECONDS)
        os.close(owner)
        os.close(terminal)
        return process.returncode, output

    code, (_, said) = answered(b"n\n")
    assert code == 1 and "Remove everything at /a" in said and "nothing was changed" in said
    assert json.loads(db(running, "get", "/a")) == {"b": 1}
    assert answered(b"yes\n")[0] == 0
    assert db(running, "get", "/a") == "null\n"


def test_invalid_arguments_are_refused_before_a_request_is_sent(running, tmp_path):
    (tmp_path / "bad.json").write_text('{\n "a": 1,\n "b" 2\n}')
    assert "bad.json:3:6:" in db(running, "set", "/a", "--file", str(tmp_path / "bad.json"), expect=1)
    assert "the value:1:2:" in db(running, "set", "/a", "{a:1}", expect=1)
    assert "object" in db(running, "update", "/a", "[1]", expect=64)
    assert "a[b" in db(running, "get", "/a[b", expect=64)
    assert "twice" in db(running, "set", "/a", "1", "-d", "2", expect=64)
    assert "--order-by" in db(running, "get", "/a", "--limit-to-last", "3", expect=64)
    assert "cannot be combined" in db(running, "get", "/a", "--as", "x", "--as-nobody", expect=64)
    assert "JSON object" in db(running, "get", "/a", "--as", "x", "--claims", "[]", expect=64)
    assert "No such database" in db(running, "get", "/a", "--ns", "elsewhere", expect=1)
    assert "couldn't parse" in db(running, "set", "/a", '{"b.c":1}', expect=1)


def test_rules_apply_to_commands_that_act_as_a_user(serve):
    server = serve(rules=RULES)
    folder = server.data
    db(folder, "set", "/mine/ann", '"hers"')
    assert db(folder, "get", "/mine/ann", "--as", "ann") == '"hers"\n'
    for arguments in (["--as", "bob"], ["--as-nobody"]):
        assert "is denied" in db(folder, "get", "/mine/ann", *arguments, expect=1)
    assert db(folder, "get", "/open", "--as-nobody") == "null\n"
    assert "is denied" in db(folder, "set", "/mine/ann", "1", "--as", "ann", expect=1)
    db(folder, "set", "/mine/ann", "1", "--as", "ann", "--claims", '{"role":"editor"}')
    assert db(folder, "get", "/mine/ann") == "1\n"
    server.stop()
    assert "no server runs" in db(folder, "get", "/open", "--as-nobody", expect=1)


def test_the_server_of_another_machine_is_reached_with_a_token(serve, tmp_path):
    server = serve(rules=RULES)
    token = tmp_path / "token"
    token.write_text((server.data / "keys" / "admin-token").read_text())
    nowhere = tmp_path / "nowhere"
    db(nowhere, "set", "/a", "1", "--server", server.url, "--token-file", str(token))
    assert db(nowhere, "get", "/a", "--server", server.url, "--token-file", str(token)) == "1\n"
    token.write_text("wrong\n")
    assert "token" in db(nowhere, "get", "/a", "--server", server.url, "--token-file", str(token), expect=1)
    assert "unencrypted" in db(nowhere, "get", "/a", "--server", "http://192.0.2.1:9", expect=64)


def test_a_stopped_folder_in_use_by_another_process_is_refused(running):
    """The file with the server's address is gone, but the folder's lock is held."""
    (running / "server.sock").unlink()
    assert "cannot be opened" in db(running, "get", "/a", expect=1)


def test_the_commands_of_the_data_guides_run(serve, starter_rules):
    server = serve(rules=starter_rules)
    server.token("alice")
    db(server.data, "set", "/members/lobby", '{"alice":true}')
    output = run(block("GettingStarted.md", "hearth db"), server.data.parent, server.authority)
    assert output.count("from the shell") == 2 and "imported" in output, output
    db(server.data, "remove", "/restored", "--force")
    (server.data.parent / "backup.json").unlink()
    for script in blocks("WorkingWithData.md"):
        output = run(script, server.data.parent, server.authority)
    assert json.loads(output.splitlines()[-1])["rooms"] is True
    assert json.loads(db(server.data, "get", "/restored/rooms/lobby")) == {
        "name": "The lobby", "members": {"ann": True}}


def upload(folder, rules):
    """Deploys other rules to a running server."""
    url = json.loads((folder / "server.json").read_text())["url"]
    token = (folder / "keys" / "admin-token").read_text().split()[0]
    requests.put(
        url + "/.settings/rules.json", json=rules, timeout=WAIT_SECONDS, headers={"Authorization": "Bearer " + token}
    ).raise_for_status()


def test_queries_order_and_limit_children(running):
    db(running, "set", "/q", '{"a":{"h":1},"b":{"h":2},"c":{"h":"2"},"d":{"h":10}}')
    db(running, "set", "/v", '{"10":1,"9":2,"x":"1"}')

    def keys(*arguments):
        return list(json.loads(db(running, "get", *arguments)) or {})

    assert keys("/q", "--order-by", "$key", "--start-at", "b", "--limit-to-first", "2") == ["b", "c"]
    assert keys("/q", "--order-by", "$key", "--start-after", "b", "--end-before", "d") == ["c"]
    assert keys("/v", "--order-by", "$key", "--start-at", "10") == ["10", "x"]
    assert keys("/q", "--order-by", "$priority", "--limit-to-last", "1") == ["d"]
    upload(running, {"rules": {"q": {".indexOn": "h"}, "v": {".indexOn": ".value"}}})
    assert keys("/q", "--order-by", "h", "--equal-to", "2") == ["b"]
    assert keys("/q", "--order-by", "h", "--equal-to", '"2"') == ["c"]
    assert keys("/q", "--order-by", "h", "--start-at", "2", "--end-at", "10") == ["b", "d"]
    assert keys("/v", "--order-by", "$value", "--end-at", "2") == ["9", "10"]
    assert "Index not defined" in db(running, "get", "/q", "--order-by", "other", expect=1)


def test_following_a_real_server(running):
    db(running, "set", "/f", '{"a":1}')
    process = subprocess.Popen(
        [HEARTH, "db", "listen", "/f", "-n", "4", "--json", "--data", str(running)], stdout=subprocess.PIPE, text=True)
    lines = [json.loads(process.stdout.readline())]
    db(running, "set", "/f/b", "2")
    db(running, "update", "/f", '{"a":null,"c/d":3}')
    db(running, "remove", "/f/b")
    lines += [json.loads(line) for line in process.communicate(timeout=WAIT_SECONDS)[0].splitlines()]
    assert process.returncode == 0
    assert lines == [
        {"event": "put", "path": "/f", "data": {"a": 1}}, {"event": "put", "path": "/f/b", "data": 2},
        {"event": "patch", "path": "/f", "data": {"a": None, "c/d": 3}},
        {"event": "put", "path": "/f/b", "data": None}]


def test_following_ends_when_rules_revoke_the_permission(running):
    db(running, "set", "/open", "1")
    process = subprocess.Popen(
        [HEARTH, "db", "listen", "/open", "--as", "u", "--data", str(running)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "put    /open  1\n"
    upload(running, {"rules": {".read": False}})
    assert "Permission denied" in process.communicate(timeout=WAIT_SECONDS)[1]
    assert process.returncode == 1


# MARK: Export and import


def tree(seed, leaves):
    """Returns nested data with long and short lists, priorities, integer keys, and strings that need escapes."""
    source = random.Random(seed)
    data = {"list": {}, "deep": {}, "1": {"0": "a", "2": "b"}, "text": {".value": "with a priority", ".priority": "p"}}
    for i in range(leaves):
        record = {"n": i, "f": i / 7, "t": "\"é\\\n\u2028" + "x" * source.randrange(60), "b": i % 2 == 0}
        if i % 50 == 0:
            record[".priority"] = i
        data["list"][f"-N{i:06}"] = record
    place = data["deep"]
    for i in range(20):
        place[f"level {i}"] = {"x": "y" * 9_000, ".priority": i}
        place = place[f"level {i}"]
    data["list"][".priority"] = 3.5
    return data


def exported(folder, path="/", *options):
    return json.loads(db(folder, "get", path, "--export", *options))


def test_an_export_can_be_imported(folder, tmp_path):
    data = tree(1, 500)
    (tmp_path / "in.json").write_text(json.dumps(data))
    assert db(folder, "import", "/", str(tmp_path / "in.json")).startswith("imported ")
    assert exported(folder) == data
    db(folder, "export", "/", str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text()) == data
    assert (tmp_path / "out.json").stat().st_mode & 0o077 == 0
    assert "exists" in db(folder, "export", "/", str(tmp_path / "out.json"), expect=64)
    db(folder, "import", "/copy", "-", body=(tmp_path / "out.json").read_text())
    assert exported(folder, "/copy") == data
    assert json.loads(db(folder, "export", "/copy/list", "-")) == data["list"]


def test_a_compressed_file_is_imported(folder, tmp_path):
    value = {f"room{number}": {"title": "Größe", "n": number} for number in range(2_000)}
    compressed = tmp_path / "backup.json.gz"
    compressed.write_bytes(gzip.compress(json.dumps(value).encode()))
    db(folder, "import", "/rooms", compressed)
    assert json.loads(db(folder, "get", "/rooms")) == value
    compressed.write_bytes(compressed.read_bytes()[:-20])
    text = db(folder, "import", "/rooms", compressed, "--force", expect=1)
    assert f"{compressed}: the compressed file ends too early" in text, text
    # A small file is one write, so nothing was removed.
    assert json.loads(db(folder, "get", "/rooms")) == value


def test_a_large_file_is_imported_in_parts(running, tmp_path):
    data = tree(2, 44_000)
    (tmp_path / "in.json").write_text(json.dumps(data, indent=1, ensure_ascii=False))
    assert (tmp_path / "in.json").stat().st_size > 5 << 20
    said = json.loads(db(running, "import", "/big", str(tmp_path / "in.json"), "--json"))
    assert said["requests"] >= 2 and said["bytes"] == (tmp_path / "in.json").stat().st_size
    assert exported(running, "/big") == data
    assert not (tmp_path / "in.json.import").exists()


def test_an_import_overwrites_data_only_with_force(folder, tmp_path):
    (tmp_path / "in.json").write_text('{"new":1}')
    db(folder, "set", "/a", '{"old":1}')
    assert "--force" in db(folder, "import", "/a", str(tmp_path / "in.json"), expect=1)
    assert exported(folder, "/a") == {"old": 1}
    db(folder, "import", "/a", str(tmp_path / "in.json"), "--force")
    assert exported(folder, "/a") == {"new": 1}
    (tmp_path / "leaf.json").write_text(' {".value": 5, ".priority": "p"}\n')
    db(folder, "import", "/leaf", str(tmp_path / "leaf.json"))
    assert exported(folder, "/leaf") == {".value": 5, ".priority": "p"}


def test_an_import_can_create_its_database(folder, tmp_path):
    (tmp_path / "in.json").write_text('{"a":1}')
    assert "--create" in db(folder, "import", "/", str(tmp_path / "in.json"), "--ns", "second", expect=1)
    db(folder, "import", "/", str(tmp_path / "in.json"), "--ns", "second", "--create")
    assert exported(folder, "/", "--ns", "second") == {"a": 1}
    assert exported(folder) is None


@pytest.mark.parametrize("text, place, what", [
    ('{"a":1,\n  "b":[1,2,\n 3', "3:3", "Unexpected end"), ('{"a":{\n"b.c":1}}', "2:1", "Invalid key"),
    ('{"a":1}\n{"b":2}', "2:1", "Unexpected content"), ('{"a":\n{".value":1,"b":2}}', "2:13", "both .value and children"),
    ("", "1:1", "Unexpected end"),
])
def test_an_invalid_file_is_reported_with_line_and_column(running, tmp_path, text, place, what):
    (tmp_path / "in.json").write_text(text)
    said = db(running, "import", "/a", str(tmp_path / "in.json"), expect=1)
    assert f"in.json:{place}:" in said and what in said, said
    assert exported(running, "/a") is None


class ForwardingServer(StandInServer):
    """Forwards requests to a server."""

    def __init__(self, server):
        self.target = server
        self.token = (server.data / "keys" / "admin-token").read_text().split()[0]
        super().__init__()

    def forward(self, request, body):
        # On a busy machine, a debug server may take a minute for the largest part of an import.
        answer = requests.request(
            request.command, self.target.url + request.path, data=body or None,
            headers={"Authorization": "Bearer " + self.token}, timeout=4 * WAIT_SECONDS)
        request.reply(answer.content, answer.status_code)


class InterruptingProxy(ForwardingServer):
    """A proxy that forwards a number of writes, and drops the connection of each later one."""

    def __init__(self, server, writes):
        self.writes, self.seen = writes, 0
        super().__init__(server)

    def respond(self, request):
        body = request.body()
        if request.command in ("PATCH", "PUT"):
            self.seen += 1
            if self.seen > self.writes:
                return request.connection.close()
        self.forward(request, body)


def test_an_interrupted_import_resumes(serve, tmp_path):
    server = serve(rules=RULES)
    data = tree(3, 60_000)
    path = tmp_path / "in.json"
    path.write_text(json.dumps(data))
    options = ["--ns", "default", "--token-file", str(server.data / "keys" / "admin-token")]
    with InterruptingProxy(server, 2) as proxy:
        db(server.data, "import", "/big", str(path), "--server", proxy.origin, *options, expect=1)
        record = json.loads((tmp_path / "in.json.import").read_text())
        assert record["requests"] == 2 and record["target"] == "default /big"
        whole = exported(server.data, "/big")
        assert whole != data and whole is not None
        assert "continuing the interrupted import" in db(
            server.data, "import", "/big", str(path), "--server", proxy.origin, *options, expect=1)
        assert "another target" in db(
            server.data, "import", "/other", str(path), "--resume", "--server", proxy.origin, *options, expect=1)
        # The file was changed in the part that had been imported.
        text = path.read_bytes()
        path.write_bytes(text.replace(b"-N000007", b"-N00000x", 1))
        assert "--force" in db(server.data, "import", "/big", str(path), "--resume", "--server", proxy.origin, *options, expect=1)
        path.write_bytes(text)
        proxy.writes, before = 1_000, proxy.seen
        db(server.data, "import", "/big", str(path), "--server", proxy.origin, *options)
        sent = proxy.seen - before
    assert exported(server.data, "/big") == data
    assert not (tmp_path / "in.json.import").exists()
    with InterruptingProxy(server, 1_000) as proxy:
        db(server.data, "import", "/again", str(path), "--server", proxy.origin, *options)
        assert sent == proxy.seen - 2, "what was answered is not sent again"


def test_a_killed_import_does_not_harm_the_server(serve, tmp_path):
    server = serve(rules=RULES)
    data = tree(4, 60_000)
    path = tmp_path / "in.json"
    path.write_text(json.dumps(data))
    process = subprocess.Popen([HEARTH, "db", "import", "/big", str(path), "--data", str(server.data)])
    until(lambda: exported(server.data, "/big") is not None)
    process.send_signal(signal.SIGKILL)
    process.wait(WAIT_SECONDS)
    db(server.data, "import", "/big", str(path))
    assert exported(server.data, "/big") == data


def test_an_unreadable_import_file_removes_no_data(running, tmp_path):
    db(running, "set", "/a", '{"old":1}')
    for text in ('{"a":1', '{"a":1}{', "nul", ""):
        (tmp_path / "in.json").write_text(text)
        db(running, "import", "/a", str(tmp_path / "in.json"), "--force", expect=1)
    assert exported(running, "/a") == {"old": 1}
    (tmp_path / "in.json").write_bytes(b'\xef\xbb\xbf{"new":1}')
    db(running, "import", "/a", str(tmp_path / "in.json"), "--force")
    assert exported(running, "/a") == {"new": 1}
    db(running, "set", "/b", "--file", str(tmp_path / "in.json"))
    assert exported(running, "/b") == {"new": 1}
    (tmp_path / "in.json").write_text("{}")
    db(running, "import", "/a", str(tmp_path / "in.json"), "--force")
    assert exported(running, "/a") is None


def leaves(value):
    return sum(map(leaves, value.values())) if isinstance(value, dict) else int(value is not None)


class SmallWriteProxy(ForwardingServer):
    """A proxy that refuses to delete more than `leaves_max` leaves by one write, as the server does above 256 MB."""

    def __init__(self, server, leaves_max):
        self.sent, self.leaves_max = [], leaves_max
        super().__init__(server)

    def leaves_below(self, path, keys):
        places = [f"{path}/{key}" for key in keys] if keys is not None else [path]
        urls = [f"{self.target.url}{place}.json" for place in places]
        headers = {"Authorization": "Bearer " + self.token}
        return sum(leaves(requests.get(url, headers=headers, timeout=WAIT_SECONDS).json()) for url in urls)

    def respond(self, request):
        body = request.body()
        if request.command in ("PATCH", "DELETE"):
            path = request.path.partition(".json")[0]
            keys = list(json.loads(body)) if request.command == "PATCH" else None
            self.sent.append((request.command, path, keys))
            if self.leaves_below(path, keys) > self.leaves_max:
                return request.reply({
                    "error": "Data to write exceeds the maximum size that can be modified with a single request."}, 400)
        self.forward(request, body)


def test_a_removal_too_large_for_one_write_is_made_in_pieces(serve, tmp_path):
    server = serve(rules=RULES)
    data = {
        "1": "a", "big": {f"k{i:03}": {"x": i, "y": {str(j): j for j in range(5)}} for i in range(20)},
        "many": {f"-N{i}": True for i in range(15)}, "z": 1, ".priority": 5}
    options = ["--token-file", str(server.data / "keys" / "admin-token"), "--ns", "default"]
    (tmp_path / "new.json").write_text('{"new":1}')
    for command in (["remove", "/r", "--force"], ["import", "/r", str(tmp_path / "new.json"), "--force"]):
        db(server.data, "set", "/r", json.dumps(data), "--force")
        db(server.data, "set", "/kept", "1")
        with SmallWriteProxy(server, 10) as proxy:
            db(server.data, *command, "--server", proxy.origin, *options)
        assert exported(server.data, "/r") == (None if command[0] == "remove" else {"new": 1})
        assert exported(server.data, "/kept") == 1
        assert len(proxy.sent) < 120 and ("DELETE", "/r/big", None) in proxy.sent
    db(server.data, "set", "/r", json.dumps(data), "--force")
    with SmallWriteProxy(server, 10) as proxy:
        said = db(server.data, "remove", "/r", "--force", "--as", "u", "--server", proxy.origin, *options, expect=1)
        assert "write in parts" in said and exported(server.data, "/r") == data
        assert [command for command, _, _ in proxy.sent] == ["DELETE"]


def test_a_failed_export_leaves_no_file(running, tmp_path):
    assert db(running, "export", "/a", str(tmp_path / "out.json"), "--as-nobody", expect=1)
    assert not list(tmp_path.glob("out.json*"))


# MARK: Scripted servers, for responses that are rare on a real one


class ScriptedServer(StandInServer):
    """A server whose responses come from a function: `answer(request, path, query)`."""

    protocol = "HTTP/1.1"

    def __init__(self, answer):
        self.answer = answer
        super().__init__()

    def respond(self, request):
        path, _, query = request.path.partition("?")
        self.answer(request, urllib.parse.unquote(path), dict(urllib.parse.parse_qsl(query)))
        request.close_connection = True


def stream(handler, *pieces):
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for piece in pieces:
        handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        handler.wfile.flush()
    handler.wfile.write(b"0\r\n\r\n")


@pytest.fixture
def token(tmp_path):
    (tmp_path / "token").write_text("a-token\n")
    return ["--token-file", str(tmp_path / "token")]


EVENTS = (
    b'event: put\ndata: {"path":"/","data":{"a":"\xc3\xa9"}}\n\n'
    b"event: keep-alive\ndata: null\n\n"
    b'event: patch\ndata: {"path":"/a","data":{"b/c":1,"d":null}}\n\n')


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_events_are_printed_for_every_chunk_size(tmp_path, token, size):
    seen = []

    def answer(handler, path, query):
        seen.append((path, query, handler.headers["Accept"]))
        stream(handler, *[EVENTS[i:i + size] for i in range(0, len(EVENTS), size)])

    with ScriptedServer(answer) as scripted:
        arguments = ["listen", "/r", "-n", "2", "--order-by", "$key", "--limit-to-last", "2", "--as-nobody", "--ns", "n"]
        lines = db(tmp_path, *arguments, "--json", "--server", scripted.origin, *token).splitlines()
        assert [json.loads(line) for line in lines] == [
            {"event": "put", "path": "/r", "data": {"a": "é"}},
            {"event": "patch", "path": "/r/a", "data": {"b/c": 1, "d": None}}]
        assert db(tmp_path, *arguments, "--server", scripted.origin, *token) == (
            'put    /r  {"a":"é"}\npatch  /r/a  {"b/c":1,"d":null}\n')
    assert seen[0] == ("/r.json", {
        "orderBy": '"$key"', "limitToLast": "2", "ns": "n", "auth_variable_override": "null"}, "text/event-stream")


def test_a_stream_that_ends_is_opened_again(tmp_path, token):
    connections = []

    def answer(handler, path, query):
        connections.append(path)
        stream(handler, b'event: put\ndata: {"path":"/","data":%d}\n\n' % len(connections))

    with ScriptedServer(answer) as scripted:
        assert db(tmp_path, "listen", "/", "-n", "3", "--server", scripted.origin, *token) == "put    /  1\nput    /  2\nput    /  3\n"


@pytest.mark.parametrize("event, said", [
    (b'event: cancel\ndata: "Permission denied."\n\n', "ended the stream: Permission denied."),
    (b"event: auth_revoked\ndata: credential is no longer valid\n\n", "ended the stream: credential is no longer valid"),
    (b"event: put\ndata: nonsense\n\n", "sent an unknown event"),
])
def test_a_stream_that_is_cut_ends_the_command(tmp_path, token, event, said):
    with ScriptedServer(lambda handler, path, query: stream(handler, EVENTS + event)) as scripted:
        output = db(tmp_path, "listen", "/r", "--server", scripted.origin, *token, expect=1)
    assert output.startswith("put    /r") and said in output


def test_a_refused_stream_ends_the_command_with_an_error(tmp_path, token):
    with ScriptedServer(lambda handler, path, query: handler.reply({"error": "Permission denied"}, 401)) as scripted:
        assert "Permission denied" in db(tmp_path, "listen", "/r", "--as", "u", "--server", scripted.origin, *token, expect=1)


class Limited:
    """Answers like a database whose responses are limited to `bytes_max` bytes."""

    TOO_BIG = "Data requested exceeds the maximum size that can be accessed with a single request."

    def __init__(self, data, bytes_max):
        self.data, self.bytes_max, self.requests = data, bytes_max, 0
        # The children's keys in order, by path: a thousand requests read pages of the same node.
        self.ordered = {}

    def __call__(self, handler, path, query):
        self.requests += 1
        keys = [key for key in path.removesuffix(".json").split("/") if key]
        node = self.data
        for key in keys:
            node = node.get(key) if isinstance(node, dict) else None
        if "limitToFirst" in query:
            if path not in self.ordered:
                self.ordered[path] = sorted((key for key in node if key != ".priority"), key=self.order)
            children, first = self.ordered[path], 0
            if "startAfter" in query:
                first = bisect.bisect_right(children, self.order(json.loads(query["startAfter"])), key=self.order)
            children = children[first:first + int(query["limitToFirst"])]
            shallow = query.get("shallow") == "true"
            node = {key: True if shallow else node[key] for key in children} or None
        text = json.dumps(node).encode()
        if len(text) > self.bytes_max:
            return handler.reply({"error": self.TOO_BIG}, 400)
        handler.reply(text)

    @staticmethod
    def order(key):
        return (0, int(key), "") if key.isdigit() else (1, 0, key)


@pytest.mark.parametrize("bytes_max", [300, 5_000, 200_000])
def test_a_node_too_large_for_one_response_is_exported_in_pages(tmp_path, token, bytes_max):
    data = {"list": {f"-N{i:05}": {"n": i, ".priority": i} for i in range(3_000)}, "7": 1, "11": 2, "empty?": "no"}
    data["list"][".priority"] = "of the list"
    data["list"]["-N00500"] = {f"child {i}": "x" * 100 for i in range(60)}
    server = Limited(data, bytes_max)
    with ScriptedServer(server) as scripted:
        db(tmp_path, "export", "/", str(tmp_path / "out.json"), "--server", scripted.origin, *token)
    assert json.loads((tmp_path / "out.json").read_text()) == data
    assert server.requests < {300: 4_000, 5_000: 400, 200_000: 40}[bytes_max]


def test_a_truncated_response_leaves_no_file(tmp_path, token):
    def answer(handler, path, query):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"a":1,')

    with ScriptedServer(answer) as scripted:
        db(tmp_path, "export", "/", str(tmp_path / "out.json"), "--server", scripted.origin, *token, expect=1)
    assert not list(tmp_path.glob("out.json*"))
