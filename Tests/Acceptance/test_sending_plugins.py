"""Plugins that send text messages through a gateway, and mail through a command."""

import email
import email.policy
import json
import pathlib
import shutil

import pytest
import requests

import secrets_seen
from conftest import ROOT, hearth, let_everyone_into
from stand_in_services import SMSGateway
from waits import WAIT_SECONDS, until

GATEWAY = ROOT / "Plugins" / "SMSGatewayPython"
MAIL = ROOT / "Plugins" / "ShellMail"
TOKEN = "token-of-the-gateway-0123456789"


@pytest.fixture(scope="module")
def gateway():
    with SMSGateway() as gateway:
        yield gateway


def test_the_gateway_plugin_passes_the_contract_suite(gateway, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"url": gateway.url, "token": TOKEN}), encoding="utf-8")
    said = hearth("plugins", "test", str(GATEWAY), "--settings", str(settings))
    assert "passed all tests" in said
    assert {"to": "+15555550101", "text": "123456 is your code."} in gateway.messages


def test_text_messages_are_sent_and_retried(serve, gateway, tmp_path):
    secrets_seen.note(TOKEN)
    server = serve()
    send = ["plugins", "send-sms", "--to", "+15555550123", "--text", "hello from the test"]
    assert "no sender" in server.run(*send, expect=1)
    token = tmp_path / "token"
    token.write_text(TOKEN, encoding="utf-8")
    server.run("plugins", "add", str(GATEWAY), "--yes")
    server.run(
        "plugins", "settings", "sms-gateway", f"url={gateway.url}", f"token=@{token}", "sender=Example",
        'names={"to":"msisdn","text":"message","from":"originator"}')
    assert "running" in server.run("plugins", "enable", "sms-gateway")
    gateway.messages.clear()
    gateway.authorizations.clear()
    assert server.run(*send).startswith("sent")
    message = {"msisdn": "+15555550123", "message": "hello from the test", "originator": "Example"}
    assert gateway.messages == [message] and gateway.authorizations == {f"Bearer {TOKEN}"}
    # Temporary failures are retried, refusals of the gateway are not, and redirects are not followed.
    gateway.statuses = [503]
    assert server.run(*send).startswith("sent")
    assert gateway.messages == [message] * 2
    for status in (400, 307):
        gateway.statuses = [status]
        assert "plugin sms-gateway refused the message" in server.run(*send, expect=1)
    assert gateway.messages == [message] * 2 and not gateway.statuses
    assert "8 to 15 digits" in server.run("plugins", "send-sms", "--to", "0123", expect=64)
    assert "15555550123" not in server.log() and "hello from the test" not in server.log()
    assert "queued" in server.run("plugins", "list")


@pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
def test_mail_is_sent_by_a_command(serve, tmp_path):
    said = hearth("plugins", "test", str(MAIL), "--settings", str(MAIL / "test-settings.json"))
    assert "passed all tests" in said
    server = serve("--sign-in", "password")
    server.run("plugins", "add", str(MAIL), "--yes")
    # The command runs in the plugin's own working folder, which HOME names.
    sendmail = tmp_path / "sendmail"
    sendmail.write_text('#!/bin/sh\necho "$@" > "$HOME/arguments"; cat > "$HOME/mail.part"; mv "$HOME/mail.part" "$HOME/mail"; pwd\n')
    sendmail.chmod(0o755)
    let_everyone_into(tmp_path)
    assert "running" in server.run("plugins", "settings", "shell-mail", f"sendmail={sendmail}")
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts"
    account = {"email": "somebody@example.com", "password": "correct horse battery", "returnSecureToken": True}
    assert requests.post(f"{url}:signUp?key=any", json=account, timeout=WAIT_SECONDS).status_code == 200
    asked = {"requestType": "PASSWORD_RESET", "email": "somebody@example.com"}
    assert requests.post(f"{url}:sendOobCode?key=any", json=asked, timeout=WAIT_SECONDS).status_code == 200
    # The command's output, which names its working folder, is in the plugin's log.
    where = until(lambda: [line.split()[-1] for line in server.run("plugins", "logs", "shell-mail").splitlines()
                           if line.endswith("/work")], "the mail was not sent")[0]
    mail = email.message_from_bytes((pathlib.Path(where) / "mail").read_bytes(), policy=email.policy.default)
    arguments = (pathlib.Path(where) / "arguments").read_text().split()
    assert arguments[0] == "-i" and arguments[-2:] == ["--", "somebody@example.com"]
    assert mail["To"] == "somebody@example.com" and mail["Subject"]
    plain = mail.get_body(("plain",)).get_content()
    secrets_seen.note(plain.split("oobCode=")[1].split("&")[0])
    assert "oobCode=" in plain and "<" in mail.get_body(("html",)).get_content()
