"""Console sessions across restarts: they continue, and what has ended stays ended."""

import json
import os
import stat

import pytest

from client import Client
from conftest import hearth
from console_client import API, CLOSED, Session, ask, link, put, start_link
from identity import Identity
from waits import WAIT_SECONDS, until

FILE = "console-sessions.json"


@pytest.fixture
def server(serve):
    server = serve("--console-claim", "console", "--sign-in", "password", rules=CLOSED)
    server.keep_port()
    return server


def restart(server, meanwhile=lambda: None, isKilled=False):
    if isKilled:
        server.kill()
    else:
        server.stop()
    meanwhile()
    server.start()


def sign_in(server, name="ada", claim="true"):
    """A session of an account, and its uid."""
    app = Identity(server)
    uid = app.sign_up(f"{name}@example.com", "secret1")["localId"]
    server.run("users", "set-claims", uid, f'{{"console":{claim}}}')
    return Session(server.authority, idToken=app.sign_in(f"{name}@example.com", "secret1")["idToken"]), uid


def is_open(session):
    status = session.ask("GET", "session?peek=1").status
    assert status in (200, 401), status
    return status == 200


@pytest.mark.parametrize("isKilled", [False, True])
def test_sessions_continue_after_a_restart_and_ended_ones_do_not(server, isKilled):
    kept, viewer, ended = Session(*start_link(server)), Session(*link(server.run("console", "--read-only"))), Session(*link(server.run("console")))
    account, _ = sign_in(server)
    credential = kept.credential()["credential"]
    unused = link(server.run("console"))
    assert ended.ask("DELETE", "session").status == 200
    before = kept.get("session?peek=1")
    restart(server, isKilled=isKilled)
    assert is_open(kept) and is_open(viewer) and is_open(account) and not is_open(ended)
    after = kept.get("session?peek=1")
    assert (after["role"], after["name"]) == ("administrator", "server-start")
    assert after["endsInSeconds"] <= before["endsInSeconds"]
    assert viewer.ask("POST", "server/hearth/v1/secrets:rotate", {}).status == 403
    put(kept, "a", 1, server)
    Client(server).call("gauth", status="expired_token", cred=credential)
    assert ask(unused[0], "POST", API + "session", {"key": unused[1]}, {"Content-Type": "application/json"}).status == 401
    assert kept.ask("POST", "server/hearth/v1/secrets:rotate", {}).status == 200, "presence was shown a moment ago"
    assert kept.ask("DELETE", "session").status == 200
    restart(server, isKilled=True)
    assert not is_open(kept) and is_open(viewer)


@pytest.mark.parametrize("command", [("revoke",), ("disable",), ("set-claims", "{}"), ("delete", "--yes")])
def test_what_ends_a_session_of_an_account_does_so_while_the_server_is_stopped(server, command):
    session, uid = sign_in(server)
    other, _ = sign_in(server, "vic", '"viewer"')
    name, *rest = command
    restart(server, lambda: server.run("users", name, uid, *rest))
    assert not is_open(session) and is_open(other)
    if name == "disable":
        restart(server, lambda: server.run("users", "enable", uid))
        assert not is_open(session), "it does not come back with the account"


def test_an_account_of_the_same_uid_does_not_continue_a_session(server):
    session, uid = sign_in(server)

    def replace():
        server.run("users", "delete", uid, "--yes")
        server.run("users", "create", "ada@example.com", "--uid", uid, "--without-password")
        server.run("users", "set-claims", uid, '{"console":true}')

    restart(server, replace)
    assert not is_open(session)


def test_signing_out_everywhere_ends_a_session_for_good(server):
    session, uid = sign_in(server)
    server.run("users", "revoke", uid)
    assert not is_open(session)
    restart(server, isKilled=True)
    assert not is_open(session)


def test_sessions_of_links_end_with_the_operator_s_token(server):
    session = Session(*start_link(server))
    account, _ = sign_in(server)
    restart(server, lambda: (server.data / "keys/admin-token").unlink())
    assert not is_open(session) and is_open(account)


def test_a_session_ends_with_the_key_that_signed_its_token(server):
    session, _ = sign_in(server)
    link_session = Session(*link(server.run("console")))
    key = next(each["kid"] for each in json.loads(server.run("keys", "list", "--json"))["keys"] if each["state"] == "signing")
    server.run("keys", "rotate", "--now")
    server.run("keys", "remove", key, "--yes")
    assert not is_open(session) and is_open(link_session)
    restart(server, isKilled=True)
    assert not is_open(session) and is_open(link_session)


def test_the_claim_must_still_be_the_console_s(server):
    session, _ = sign_in(server)
    at = server.arguments.index("--console-claim") + 1
    restart(server, lambda: server.arguments.__setitem__(at, "other"))
    assert not is_open(session)


def test_the_file_has_hashes_alone_and_is_in_no_backup(server, tmp_path):
    session = Session(*start_link(server))
    path = server.data / FILE
    text = until(lambda: path.exists() and path.read_text(encoding="utf-8"))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert session.token not in text and session.cookie.split("=")[1] not in text
    record = json.loads(text)["sessions"][0]
    name = session.cookie.split("=")[0]
    for cookie, token in (record["cookie"], record["token"]), (session.cookie.split("=")[1], record["token"]), (record["cookie"], session.token):
        assert session.ask("GET", "session", None, {"Cookie": f"{name}={cookie}", "X-Hearth-Console": token}).status == 401
    server.run("backup", "create", str(tmp_path / "backup"))
    restored = tmp_path / "restored"
    hearth("restore", str(tmp_path / "backup"), "--into", str(restored))
    assert (restored / "keys/admin-token").exists() and not (restored / FILE).exists()


@pytest.mark.parametrize("text", ["", "{", '{"version":2}', "null", "\0" * 100])
def test_a_damaged_file_ends_sessions_and_nothing_else(server, text):
    session = Session(*start_link(server))
    restart(server, lambda: (server.data / FILE).write_text(text, encoding="utf-8"))
    assert not is_open(session)
    assert "console sessions end" in server.log()
    again = Session(*link(server.run("console")))
    restart(server)
    assert is_open(again)


def test_a_start_without_a_console_ends_all_sessions(serve):
    server = serve(rules=CLOSED)
    server.keep_port()
    session = Session(*start_link(server))
    restart(server, lambda: server.arguments.append("--no-console"))
    assert not (server.data / FILE).exists()
    restart(server, lambda: server.arguments.remove("--no-console"))
    assert not is_open(session)
