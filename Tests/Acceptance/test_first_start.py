"""A server's first start: it answers before it has made its signing keys, and may be killed at any time meanwhile."""

import json
import signal
import subprocess
import time

import pytest

from conftest import Server
from identity import Identity, claims
from waits import WAIT_SECONDS

RULES = '{ "rules": { ".read": "auth != null", ".write": "auth != null" } }'
FILES = {"admin-token", "id-token-keys.pem", "legacy-secrets", "minting-key.pem", "sealing-key",
         "session-cookie-keys.pem"}


def files(server):
    return {path.name for path in (server.data / "keys").iterdir() if ".new." not in path.name}


def key_names(server):
    return {key["kid"] for key in json.loads(server.run("keys", "list", "--json"))["keys"]}


def opened_by_commands(server):
    """The keys that a command makes or finds are those of the next start."""
    token = server.run("token", "mint", "--id-token", "--uid", "alice").strip()
    custom = server.run("token", "mint", "--uid", "bob").strip()
    names = key_names(server)
    assert files(server) == FILES
    server.start()
    assert key_names(server) == names
    server.run("token", "verify", token)
    assert claims(Identity(server).custom(custom)["idToken"])["user_id"] == "bob"
    assert server.stop() == 0


def opened_by_a_start(server):
    server.start()
    signed_in = Identity(server).custom(server.run("token", "mint", "--uid", "bob").strip())
    assert claims(signed_in["idToken"])["user_id"] == "bob"
    assert server.stop() == 0
    assert files(server) == FILES


def test_a_server_stopped_right_after_its_ready_line_leaves_its_keys(serve):
    server = serve(rules=RULES, makes_keys=True)
    assert server.stop() == 0
    assert files(server) == FILES
    opened_by_commands(server)


def test_a_server_stopped_while_it_starts_ends_cleanly(tmp_path):
    server = Server(tmp_path / "data", rules=RULES, makes_keys=True)
    with open(server.output_path, "wb") as output:
        process = subprocess.Popen(server.arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        deadline = time.monotonic() + WAIT_SECONDS
        while not (server.data / "keys").exists() and time.monotonic() < deadline:
            pass
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_SECONDS) == 0, server.output_path.read_text()
    assert files(server) == FILES
    opened_by_commands(server)


@pytest.mark.parametrize("opened", [opened_by_commands, opened_by_a_start])
@pytest.mark.parametrize("made", ["admin-token", "id-token-keys.pem"])
def test_a_server_killed_while_it_makes_keys_leaves_a_folder_that_opens(serve, made, opened):
    """Killed when it is ready, and when the first of its keys exists, which is before the last one does."""
    server = serve(rules=RULES, makes_keys=True)
    deadline = time.monotonic() + WAIT_SECONDS
    while made not in files(server) and time.monotonic() < deadline:
        pass
    server.kill()
    assert files(server) >= {"admin-token", "legacy-secrets", "sealing-key"}
    opened(server)


def test_requests_before_the_keys_exist_are_answered_or_wait(serve):
    server = serve(command="dev", rules=RULES, makes_keys=True)
    app = Identity(server)
    signed_up = app.sign_up("alice@example.com", "s3cret pass")
    assert claims(signed_up["idToken"])["user_id"] == signed_up["localId"]
    assert key_names(server)
