"""Plugins that run as services: signed requests over HTTP, which a receiver verifies with the plugin package's own code."""

import json
import re
import shutil
import time

import pytest
import requests

import secrets_seen
from certificates import self_signed
from conftest import hearth
from plugin_service import Service, allow, deny
from waits import WAIT_SECONDS


def call(server, method, body):
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:{method}?key=any"
    return requests.post(url, json=body, timeout=WAIT_SECONDS)


def sign_up(server):
    answer = call(server, "signUp", {})
    if answer.status_code == 200:
        secrets_seen.note(answer.json()["idToken"])
    return answer


def listed(server, name):
    plugins = json.loads(server.run("plugins", "list", "--json"))["plugins"]
    return next(plugin for plugin in plugins if plugin["name"] == name)


def secret_of(said):
    secret = re.search(r"whsec_\S+", said).group()
    secrets_seen.note(secret)
    return secret


def until(condition):
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def service():
    made = []

    def make(verdict=None, name="judge", **options):
        hooks = {"beforeCreate": lambda event, settings: verdict(event, settings) if verdict else allow()}
        made.append(Service(name, hooks=hooks, **options))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def test_a_webhook_plugin_is_added_and_removed_while_the_server_runs(serve, service, tmp_path):
    server = serve("--sign-in", "anonymous")
    judge = service(lambda event, settings: deny(settings["sentence"]))
    sentence = {"sentence": {"type": "text", "default": "The house is full."}}
    said = server.run("plugins", "add", str(judge.folder(tmp_path / "judge", settings=sentence)), "--yes")
    assert "not enabled" in said and sign_up(server).status_code == 200
    first = secret_of(said)
    judge.secrets = [first]
    assert "running" in server.run("plugins", "enable", "judge")
    denied = sign_up(server)
    assert denied.status_code == 400 and "The house is full." in denied.text
    plugin = listed(server, "judge")
    assert plugin["url"] == judge.url and plugin["hooks"][0]["requests"] == 1
    assert plugin["hooks"][0]["p50Microseconds"] > 0
    # Every message has an id of its own.
    assert len({header["HTTP_WEBHOOK_ID"] for header in judge.headers}) == len(judge.headers) >= 2
    # Rotates the secret: the server signs with both secrets until the service has changed to the new one.
    second = secret_of(server.run("plugins", "rotate-secret", "judge"))
    assert second != first and sign_up(server).status_code == 400
    judge.secrets = [second]
    assert "The house is full." in sign_up(server).text
    server.run("plugins", "rotate-secret", "judge", "--overlap", "0", "--json", expect=1)
    # The service does not know the new secret, so the earlier plugin version stays in use.
    assert "keeps running" in listed(server, "judge")["problem"] and "The house is full." in sign_up(server).text
    # A secret is printed once, to the administrator who requested it.
    for arguments in (["list", "--json"], ["logs", "judge"], ["settings", "judge", "--json"]):
        assert "whsec_" not in server.run("plugins", *arguments)
    assert (server.data / "plugins" / "judge" / "secrets.json").stat().st_mode & 0o077 == 0
    server.run("plugins", "remove", "judge", "--yes")
    assert sign_up(server).status_code == 200


def test_an_unreachable_service_denies_until_it_is_reachable_again(serve, service, tmp_path):
    server = serve("--sign-in", "anonymous")
    judge = service()
    secret = tmp_path / "secret"
    secret.write_text("whsec_" + "QUJD" * 8 + "\n", encoding="utf-8")
    judge.secrets = [secret.read_text(encoding="utf-8")]
    secrets_seen.note(judge.secrets[0].strip())
    folder = judge.folder(tmp_path / "judge")
    assert "running" in server.run("plugins", "add", str(folder), "--yes", "--secret-file", str(secret))
    assert sign_up(server).status_code == 200
    judge.stop()
    for _ in range(6):
        assert sign_up(server).status_code == 503
    assert listed(server, "judge")["state"] == "down"
    assert "hook judge could not be reached; the sign-in is denied" in server.log()
    back = service(port=judge.port, secrets=judge.secrets)
    until(lambda: sign_up(server).status_code == 200)
    assert listed(server, "judge")["restarts"] == 1
    # A version that runs as a process replaces the service, and the service then replaces that version.
    (folder / "main.sh").write_text("""#!/bin/sh
read -r hello; echo '{"hello":{"protocol":1,"name":"judge","version":"2","hooks":["beforeCreate"]}}'
while read -r line; do id=${line#*:}; echo "{\\"id\\":${id%%,*},\\"output\\":{\\"deny\\":{\\"message\\":\\"by a process\\"}}}"; done
""", encoding="utf-8")
    (folder / "main.sh").chmod(0o755)
    manifest = json.loads((folder / "plugin.json").read_text(encoding="utf-8"))
    del manifest["url"]
    manifest.update(version="2", command=["./main.sh"])
    (folder / "plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert "running" in server.run("plugins", "add", str(folder), "--yes")
    assert "by a process" in sign_up(server).text
    assert "running" in server.run("plugins", "rollback", "judge")
    assert sign_up(server).status_code == 200
    assert back.headers and "requests resume" in server.run("plugins", "logs", "judge")


def hostile(status, body, headers=()):
    def answer(environ, start_response):
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start_response(status, list(headers))
        return body() if callable(body) else [body]
    return answer


def flood():
    for _ in range(10_000):
        yield b"x" * 65_536


def drip():
    for _ in range(10_000):
        yield b" "
        time.sleep(0.05)


def test_invalid_answers_of_a_hostile_service_deny_the_request(serve, service, tmp_path):
    server = serve("--sign-in", "anonymous,custom-token")
    judge, target = service(), service(name="target")
    secret = tmp_path / "secret"
    secret.write_text("whsec_" + "QUJD" * 8, encoding="utf-8")
    judge.secrets = [secret.read_text(encoding="utf-8")]
    secrets_seen.note(judge.secrets[0])
    server.run(
        "plugins", "add", str(judge.folder(tmp_path / "judge", wants={"deadlineMilliseconds": 300})), "--yes",
        "--secret-file", str(secret))
    good = b'{"id":1,"output":{"allow":{}}}'
    answers = {
        "a redirect": hostile("307 Temporary Redirect", b"", [("Location", target.url)]),
        "what it was not asked": hostile("200 OK", good.replace(b"1", b"4711")),
        "no JSON object": hostile("200 OK", b"<html>"),
        "more than 1048576 bytes": hostile("200 OK", flood),
        "in time": hostile("200 OK", drip),
    }
    for said, answer in answers.items():
        judge.answer = answer
        began = time.monotonic()
        # An invalid response is reported as the hook's own fault, a missing one as an unreachable hook.
        assert sign_up(server).status_code in (400, 503), said
        assert time.monotonic() - began < 5
        judge.answer = None
        assert sign_up(server).status_code == 200, said
    # Problems are logged once a second at most, and the first one always.
    assert "sent a redirect, which is not followed" in server.log()
    assert not target.headers
    assert listed(server, "judge")["hooks"][0]["failures"] == len(answers)


def test_the_contract_suite_checks_signatures_of_a_service_over_tls(service, tmp_path):
    pem, key = self_signed(tmp_path, names=["IP:127.0.0.1"])
    secret = tmp_path / "secret"
    secret.write_text("whsec_" + "QUJD" * 8, encoding="utf-8")
    judge = service(tls=(pem, key), secrets=[secret.read_text(encoding="utf-8")])
    folder = judge.folder(tmp_path / "judge", authority="./ca.pem")
    shutil.copy(pem, folder / "ca.pem")
    said = " ".join(hearth("plugins", "test", str(folder), "--secret-file", str(secret)).split())
    for line in ("sends hello ok", "with a wrong signature ok", "of an hour ago ok", "passed all tests"):
        assert line in said, said
    # The suite detects a receiver that accepts requests without checking signatures, and one with another host's certificate.
    judge.answer = hostile("200 OK", b'{"hello":{"protocol":1,"name":"judge","version":"1","hooks":["beforeCreate"]}}')
    found = json.loads(hearth("plugins", "test", str(folder), "--secret-file", str(secret), "--json", expect=1))
    assert any(one["name"] == "a message without a signature" and one["problem"] for one in found["findings"])
    judge.answer = None
    (folder / "ca.pem").write_bytes(self_signed(tmp_path, names=["IP:127.0.0.1"])[0].read_bytes())
    said = hearth("plugins", "test", str(folder), "--secret-file", str(secret), expect=1)
    assert "no trusted TLS connection" in said
    assert "give its secret in a file" in hearth("plugins", "test", str(folder), expect=2)


def test_a_service_at_a_private_address_is_refused(serve, tmp_path):
    server = serve("--sign-in", "anonymous")
    folder = tmp_path / "inside"
    folder.mkdir()
    manifest = {"name": "inside", "version": "1", "protocol": 1, "hooks": ["beforeCreate"], "url": "http://10.0.0.1/"}
    (folder / "plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert "must use https" in server.run("plugins", "add", str(folder), "--yes", expect=1)
    # Over TLS the address is refused when the socket would be opened.
    manifest["url"] = "https://10.0.0.1/"
    (folder / "plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    secret_of(server.run("plugins", "add", str(folder), "--yes"))
    said = server.run("plugins", "enable", "inside", expect=1)
    assert "an address that the outbound policy forbids" in said, said
    assert sign_up(server).status_code == 503
