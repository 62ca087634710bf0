"""Plugins in processes of their own: installed, called, replaced and removed while the server runs."""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import requests

import secrets_seen
from conftest import ROOT, hearth
from waits import WAIT_SECONDS

API_KEYS = ROOT / "Plugins" / "APIKeysPython"
KEY = "hk_0123456789abcdef0123456789abcdef0123456789abcdef"

JUDGE = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = {"hello": {"protocol": 1, "name": "judge", "version": "%s", "hooks": ["beforeCreate", "beforeSignIn"]}}
    elif "id" in message:
        answer = {"id": message["id"], "output": %s}
    elif "drain" in message:
        break
    else:
        continue
    print(json.dumps(answer), flush=True)
"""


def call(server, method, body):
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:{method}?key=any"
    return requests.post(url, json=body, timeout=WAIT_SECONDS)


def sign_in(server, key=KEY):
    return call(server, "signInWithIdp", {
        "requestUri": "http://localhost", "postBody": f"providerId=apikey&key={key}", "returnSecureToken": True})


def install_keys(server, tmp_path):
    secrets_seen.note(KEY)
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({hashlib.sha256(KEY.encode()).hexdigest(): "sensor-7"}), encoding="utf-8")
    said = server.run("plugins", "add", str(API_KEYS), "--yes")
    assert "Set keys: hearth plugins settings" in said
    server.run("plugins", "settings", "api-keys", f"keys=@{keys}")
    return server.run("plugins", "enable", "api-keys")


def judge(folder, version, output, program=None):
    folder.mkdir(exist_ok=True)
    (folder / "main.py").write_text(program or JUDGE % (version, output), encoding="utf-8")
    (folder / "plugin.json").write_text(json.dumps({
        "name": "judge", "version": version, "protocol": 1, "command": ["python3", "./main.py"],
        "hooks": ["beforeCreate", "beforeSignIn"], "wants": {"deadlineMilliseconds": 5000}}), encoding="utf-8")
    return folder


def listed(server, name):
    plugins = json.loads(server.run("plugins", "list", "--json"))["plugins"]
    return next(plugin for plugin in plugins if plugin["name"] == name)


def test_a_plugin_is_added_and_removed_while_the_server_runs(serve, tmp_path):
    server = serve()
    assert sign_in(server).json()["error"]["message"].startswith("OPERATION_NOT_ALLOWED")
    assert "running" in install_keys(server, tmp_path)
    answer = sign_in(server).json()
    assert answer["localId"] == "sensor-7", answer
    refused = sign_in(server, KEY[:-1] + "0")
    assert refused.status_code == 400 and "INVALID_CREDENTIAL_OR_PROVIDER_ID" in refused.text
    plugin = listed(server, "api-keys")
    assert plugin["state"] == "running" and plugin["hooks"][0]["requests"] == 2
    assert "closed" in server.run("plugins", "list")
    # No command shows the values of the settings.
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    for arguments in (["settings", "api-keys"], ["settings", "api-keys", "--json"], ["list", "--json"], ["logs", "api-keys"]):
        assert digest not in server.run("plugins", *arguments)
    assert "(set)" in server.run("plugins", "settings", "api-keys")
    server.run("plugins", "disable", "api-keys")
    assert sign_in(server).status_code == 400
    server.run("plugins", "enable", "api-keys")
    assert sign_in(server).json()["localId"] == "sensor-7"
    # A restarted server runs the installed plugins.
    server.stop()
    server.start()
    assert sign_in(server).json()["localId"] == "sensor-7"
    server.run("plugins", "remove", "api-keys", "--yes")
    assert sign_in(server).status_code == 400
    assert server.run("plugins", "list").startswith("no plugins")
    assert digest not in server.log() and KEY not in server.log()


def processes_of(server):
    """Returns the ids of the processes that the server started."""
    children = pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return [int(child) for path in children for child in path.read_text().split()]


def test_a_killed_process_is_replaced_and_ends_with_the_server(serve, tmp_path):
    server = serve()
    install_keys(server, tmp_path)
    first = processes_of(server)
    assert len(first) == 2
    for process in first:
        os.kill(process, signal.SIGKILL)
    deadline = time.monotonic() + WAIT_SECONDS
    while sign_in(server).status_code != 200:
        assert time.monotonic() < deadline
    assert listed(server, "api-keys")["restarts"] >= 1
    assert "by signal 9" in server.run("plugins", "logs", "api-keys")
    left = processes_of(server)
    server.kill()
    for process in left:
        while time.monotonic() < deadline and pathlib.Path(f"/proc/{process}/exe").is_symlink():
            try:
                os.readlink(f"/proc/{process}/exe")
            except OSError:
                break
            time.sleep(0.01)
        else:
            assert not pathlib.Path(f"/proc/{process}/exe").exists()


def test_a_hook_decides_and_a_failing_hook_denies(serve, tmp_path):
    server = serve("--sign-in", "anonymous")
    source = tmp_path / "judge"
    assert call(server, "signUp", {}).status_code == 200
    server.run("plugins", "add", str(judge(source, "1", '{"deny": {"message": "The house is full."}}')), "--yes")
    denied = call(server, "signUp", {})
    assert denied.status_code == 400 and "The house is full." in denied.text
    server.run("plugins", "add", str(judge(source, "2", '{"allow": {"sessionClaims": {"vip": True}}}')), "--yes")
    token = call(server, "signUp", {}).json()["idToken"]
    secrets_seen.note(token)
    payload = token.split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["vip"] is True
    # A new version that does not start leaves the running version in place.
    said = server.run(
        "plugins", "add", str(judge(source, "3", None, "import sys; sys.exit(3)")), "--yes", expect=1)
    assert "version 2 keeps running" in said
    assert call(server, "signUp", {}).status_code == 200
    server.run("plugins", "rollback", "judge")
    assert call(server, "signUp", {}).status_code == 200
    # The files differ from the installed ones: the server starts, and denies what the plugin was to decide.
    server.stop()
    program = server.data / "plugins" / "judge" / "versions" / "2" / "main.py"
    program.chmod(0o644)
    program.write_text(program.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    server.start()
    closed = call(server, "signUp", {})
    assert closed.status_code == 503, closed.text
    assert "hook judge could not be reached; the sign-in is denied" in server.log()
    assert "checksum" in listed(server, "judge")["problem"]
    assert "plugin judge: is not running" in server.log()
    server.run("plugins", "disable", "judge")
    assert call(server, "signUp", {}).status_code == 200


def test_compiled_files_outside_the_installed_package_are_not_run(serve, tmp_path):
    """Python runs a compiled file instead of the verified source, without comparing their times."""
    server = serve("--sign-in", "anonymous")
    source = judge(tmp_path / "judge", "1", 'verdict()', "from helper import verdict\n" + JUDGE % ("1", "verdict()"))
    (source / "helper.py").write_text("def verdict():\n    return {'deny': {'message': 'The house is full.'}}\n")
    server.run("plugins", "add", str(source), "--yes")
    assert "The house is full." in call(server, "signUp", {}).text
    server.stop()
    installed = server.data / "plugins" / "judge" / "versions" / "1"
    installed.chmod(0o755)
    evil = tmp_path / "helper.py"
    evil.write_text("def verdict():\n    return {'allow': {}}\n", encoding="utf-8")
    python = shutil.which("python3", path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    subprocess.run([
        python, "-c", "import importlib.util, py_compile, sys; py_compile.compile(sys.argv[1], "
        "importlib.util.cache_from_source(sys.argv[2]), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)",
        str(evil), str(installed / "helper.py")], check=True)
    assert list(installed.glob("__pycache__/helper.*.pyc"))
    server.start()
    assert call(server, "signUp", {}).status_code == 503, "what was to be decided is denied"
    problem = listed(server, "judge")["problem"]
    assert "__pycache__/helper" in problem and "add the plugin again" in problem, problem
    server.run("plugins", "add", str(source), "--yes")
    assert "The house is full." in call(server, "signUp", {}).text


def test_a_process_gets_no_descriptor_but_its_standard_streams(serve, tmp_path):
    server = serve("--sign-in", "anonymous")
    # The fourth descriptor is the directory listing itself.
    server.run("plugins", "add", str(judge(tmp_path / "judge", "1", (
        "{'deny': {'message': ' '.join(sorted(__import__('os').listdir('/proc/self/fd')))}}"))), "--yes")
    told = call(server, "signUp", {}).json()["error"]["message"]
    assert told.endswith("0 1 2 3"), told


HOSTILE = """
import os, sys
hello = sys.stdin.readline()
print('{"hello":{"protocol":1,"name":"hostile","version":"%s","hooks":["exchange"]}}', flush=True)
request = sys.stdin.readline()
%s
"""


def test_a_flooding_or_hanging_plugin_delays_no_other_request(serve, tmp_path):
    server = serve()
    install_keys(server, tmp_path)
    folder = tmp_path / "hostile"
    folder.mkdir()
    deeds = [
        "while True: os.write(1, b'x' * 65536)", "sys.stdin.read()",
        "while True: os.write(1, b'{\"id\":1000,\"output\":{}}\\n')", "while True: os.write(2, b'flood\\n' * 10000)",
        "os.fork()\nos.fork()\nwhile True: os.write(1, b'\\n')", "sys.exit(7)",
    ]
    for number, deed in enumerate(deeds):
        (folder / "main.py").write_text(HOSTILE % (number, deed), encoding="utf-8")
        (folder / "plugin.json").write_text(json.dumps({
            "name": "hostile", "version": str(number), "protocol": 1, "command": ["python3", "./main.py"],
            "hooks": ["exchange"], "provider": {"id": "hostile"}, "wants": {"deadlineMilliseconds": 500}}),
            encoding="utf-8")
        server.run("plugins", "add", str(folder), "--yes")
        hostile = call(server, "signInWithIdp", {
            "requestUri": "http://localhost", "postBody": "providerId=hostile&x=1", "returnSecureToken": True})
        assert hostile.status_code == 400 and "hostile did not answer" in hostile.text
        assert sign_in(server).status_code == 200
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    assert resident < 400_000, f"{resident} KiB"
    log = server.run("plugins", "logs", "hostile", "--count", "100000")
    for said in ("a line of more than", "16 invalid lines", "ended with code 7"):
        assert said in log
    assert log.count("flood\n") < 2_000


def test_the_contract_suite_tells_good_plugins_from_bad(tmp_path):
    said = hearth("plugins", "test", str(API_KEYS), "--settings", str(API_KEYS / "test-settings.json"))
    assert "passed all tests" in said and "restarts after a kill during a request ok" in " ".join(said.split())
    bad = judge(tmp_path / "judge", "1", '{"allow": 7}')
    report = json.loads(hearth("plugins", "test", str(bad), "--json", expect=1).splitlines()[0])
    assert report["isGood"] is False
    assert any(finding["name"] == "a plain input" and finding["problem"] for finding in report["findings"])
    assert "plugin.json" in hearth("plugins", "test", str(tmp_path), expect=2)


def test_plugins_are_managed_on_a_stopped_folder(serve, tmp_path):
    server = serve("--sign-in", "anonymous")
    server.stop()
    source = judge(tmp_path / "judge", "1", '{"deny": {"message": "no"}}')
    server.run("plugins", "add", str(source), "--yes")
    assert listed(server, "judge")["state"] == "enabled"
    assert "--yes" in hearth("plugins", "add", str(source), "--data", str(server.data), expect=64)
    server.start()
    assert call(server, "signUp", {}).status_code == 400
    assert listed(server, "judge")["state"] == "running"
