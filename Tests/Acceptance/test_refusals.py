"""What the command line says when something is wrong: one form, no usage after a command has begun, and a suggestion."""

import socket
import subprocess

from conftest import HEARTH, hearth


def test_wrong_words_get_a_suggestion():
    assert "hearth has no command 'usrs'. Did you mean 'users'?" in hearth("usrs", "list", expect=64)
    assert "hearth db has no command 'gett'. Did you mean 'get'?" in hearth("db", "gett", "/", expect=64)
    assert "Did you mean" not in hearth("kubernetes", expect=64)
    assert "Did you mean '--port'" in hearth("serve", "--prot", "1", expect=64)
    text = hearth("serve", "--sign-in", "pasword", expect=64)
    assert "no method 'pasword'. Did you mean 'password'?" in text and "custom-token" in text, text


def test_an_error_of_a_command_has_no_usage(tmp_path):
    for arguments in (["users", "list"], ["db", "set", "/a", "1"], ["console"]):
        text = hearth(*arguments, "--data", str(tmp_path / "none"), expect=2 if arguments == ["console"] else 64)
        assert text.startswith("Error: ") and "Usage" not in text and str(tmp_path / "none") in text, text


def test_claims_are_explained_by_what_was_typed():
    text = hearth("token", "mint", "--uid", "a", "--claims", "role=editor", expect=64)
    assert """--claims must be a JSON object: write '{"role":"editor"}'.""" in text or "not a data folder" in text, text
    text = hearth("db", "get", "/", "--as", "a", "--claims", "level=3", expect=64)
    assert """--claims must be a JSON object: write '{"level":3}'.""" in text, text


def test_a_taken_port_is_named_in_words(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = hearth("serve", "--data", str(tmp_path / "data"), "--port", str(port), expect=1)
    assert f"cannot listen on 127.0.0.1 port {port}: another program uses the port" in text, text


def test_rules_of_a_file_are_the_first_version_with_its_author(serve):
    server = serve(rules='{"rules": {"a": {".read": true}}}')
    history = server.run("rules", "history")
    assert str(server.rules) in history and "unknown" not in history, history
    other = server.data.parent / "other.json"
    other.write_text('{"rules": {}}')
    deployed = subprocess.run(
        [HEARTH, "rules", "deploy", str(other), "--data", str(server.data)], capture_output=True, text=True, check=True)
    assert f"will deploy its rules file {server.rules}" in deployed.stderr, deployed.stderr


def test_a_trigger_to_a_private_address_is_refused(serve):
    server = serve()
    for url in ("http://10.1.2.3/hook", "https://10.1.2.3/hook", "http://example.com/hook"):
        text = server.run(
            "triggers", "add", "t", "--path", "/a", "--on", "write", "--url", url, expect=2)
        assert "would send no event" in text and "--allow-private" in text, text
    server.run("triggers", "add", "t", "--path", "/a", "--on", "write", "--url", "http://10.1.2.3/hook", "--allow-private")
