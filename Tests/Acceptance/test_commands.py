"""The `hearth` command as scripts use it."""

import json
import os
import stat

import requests
from client import Client
from conftest import ROOT, hearth
from waits import WAIT_SECONDS, until


def test_serve_denies_everything_by_default(serve):
    server = serve()
    assert server.host == "127.0.0.1"
    assert requests.get(server.url + "/.json", timeout=WAIT_SECONDS).status_code == 401
    assert requests.put(server.url + "/a.json", data="1", timeout=WAIT_SECONDS).status_code == 401


def test_secrets_and_keys_are_private_to_the_owner(serve):
    server = serve()
    found = [path for path in server.data.rglob("*") if path.is_file()]
    private = [path for path in found if any(word in path.name.lower() for word in ("secret", "key", "token", "pem"))]
    assert private
    for path in private:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(server.data.stat().st_mode) & 0o077 == 0


def test_minted_tokens_can_be_inspected(serve):
    server = serve()
    token = server.token("alice", role="editor")
    text = server.run("token", "inspect", token)
    for word in ("alice", "editor", "valid"):
        assert word in text, text
    assert "not valid" in server.run("token", "inspect", token[:-2] + "AA", expect=1)


def test_rules_check_prints_the_place_of_an_error(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('{ "rules": { ".read": "auth != null" } }')
    bad.write_text('{\n  "rules": {\n    ".read": "auth.uid = 5"\n  }\n}\n')
    hearth("rules", "check", str(good))
    text = hearth("rules", "check", str(bad), expect=1)
    assert "bad.json:3:" in text and "may not contain assignments" in text and "^" in text
    bad.write_text('{\n  rules: {}\n}\n')
    text = hearth("rules", "check", str(bad), expect=1)
    assert "bad.json:2:3: error: Parse error." in text and "^" in text
    for path in set((ROOT / "Rules").glob("*.json")) - set((ROOT / "Rules").glob("*.schema.json")):
        assert "warning" not in hearth("rules", "check", str(path))


def test_rules_check_warns_of_probable_mistakes(tmp_path):
    rules = tmp_path / "odd.json"
    rules.write_text(
        '{ "rules": { "$id": { "$id": {\n'
        '  ".write": "newData.val().matches(/^.*a.{0,1000}b.{0,1000}c$/)"\n} } } }'
    )
    lines = hearth("rules", "check", str(rules)).splitlines()
    assert lines[0].startswith(f"{rules}:1:23: warning: Wildcard '$id' is also used above"), lines
    assert lines[1] == '{ "rules": { "$id": { "$id": {' and lines[2] == " " * 22 + "^" and lines[3].startswith("help: ")
    assert lines[5].startswith(f"{rules}:2:36: warning: This regular expression is expensive"), lines
    assert lines[-1] == f"{rules}: ok"


def test_dev_makes_data_and_rules_and_watches_them(serve, tmp_path):
    rules = tmp_path / "app.rules.json"
    server = serve("--rules", str(rules), command="dev")
    assert rules.exists() and "rules" in rules.read_text()
    assert requests.get(server.url + "/fresh/x.json", timeout=WAIT_SECONDS).status_code == 401
    rules.write_text('{ "rules": { "fresh": { ".read": true } } }')
    until(lambda: requests.get(server.url + "/fresh/x.json", timeout=WAIT_SECONDS).status_code == 200, server.log)
    rules.write_text('{ "rules": { "fresh": { ".read": "oops" } } }')
    until(lambda: "Unknown variable 'oops'." in server.log(), server.log)
    assert requests.get(server.url + "/fresh/x.json", timeout=WAIT_SECONDS).status_code == 200


def test_dev_makes_a_database_on_first_use(serve):
    server = serve("--emulator", command="dev", rules='{"rules":{".read":true,".write":true}}')
    assert requests.put(server.url + "/a.json?ns=first", data="1", timeout=WAIT_SECONDS).status_code == 200
    assert requests.get(server.url + "/a.json?ns=second", timeout=WAIT_SECONDS).text == "null"


def test_the_owner_token_is_refused_without_the_emulator(serve):
    server = serve(command="dev", rules='{"rules":{}}')
    owner = {"Authorization": "Bearer owner"}
    assert requests.get(server.url + "/.json", headers=owner, timeout=WAIT_SECONDS).status_code == 401
    client = Client(server)
    client.call("gauth", status="invalid_token", cred="owner")


def test_the_emulator_takes_unsigned_tokens(serve):
    import base64

    def segment(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    token = segment({"alg": "none", "type": "JWT"}) + "." + segment({"sub": "u1", "iat": 0, "exp": 3600}) + "."
    rules = '{"rules":{".read":"auth.uid == \'u1\'"}}'
    emulator = serve("--emulator", command="dev", rules=rules)
    client = Client(emulator)
    client.sign_in(token)
    client.listen("/")
    assert "emulator" in emulator.log().lower()
    plain = serve(name="plain", rules=rules)
    Client(plain).call("auth", status="invalid_token", cred=token)


def test_the_emulator_is_refused_off_loopback(tmp_path):
    text = hearth("dev", "--emulator", "--host", "0.0.0.0", "--port", "0", "--data", str(tmp_path / "d"), expect=64)
    assert "loopback" in text


def test_a_second_server_on_the_same_data_is_refused(serve):
    server = serve()
    text = hearth("serve", "--data", str(server.data), "--port", "0", expect=1)
    assert "in use" in text or "another" in text, text


def test_stopping_is_graceful_and_restarting_finds_everything(serve):
    server = serve(rules='{"rules":{".read":true,".write":true}}')
    client = Client(server)
    client.call("p", p="/a", d={"b": [1, 2, {"c": "é"}]})
    assert server.stop() == 0
    assert client.closed()
    server.start()
    assert requests.get(server.url + "/a.json", timeout=WAIT_SECONDS).json() == {"b": [1, 2, {"c": "é"}]}
    assert os.path.isdir(server.data)
