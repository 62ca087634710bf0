"""A plugin that adds claims to each token."""

import base64
import json
import shutil

import requests

import secrets_seen
from conftest import ROOT
from waits import WAIT_SECONDS

PROGRAM = """
from hearth_plugin import Plugin, claims

plugin = Plugin("plans", "1")

@plugin.hook("customClaims")
def plan(request, settings):
    return claims(plan=settings["plan"], occasion=request["occasion"], who=request["user"]["uid"])

plugin.run()
"""


def post(server, path, **request):
    return requests.post(f"{server.url}/{path}?key=any", timeout=WAIT_SECONDS, **request)


def sign_up(server):
    return post(server, "identitytoolkit.googleapis.com/v1/accounts:signUp", json={"returnSecureToken": True})


def refresh(server, token):
    return post(
        server, "securetoken.googleapis.com/v1/token", data={"grant_type": "refresh_token", "refresh_token": token})


def said(token):
    secrets_seen.note(token)
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def test_tokens_carry_the_claims_that_the_plugin_returns_when_they_are_made(serve, tmp_path):
    folder = tmp_path / "plans"
    shutil.copytree(ROOT / "Plugins" / "Python" / "hearth_plugin", folder / "hearth_plugin")
    (folder / "main.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "plugin.json").write_text(json.dumps({
        "name": "plans", "version": "1", "protocol": 1, "command": ["python3", "./main.py"], "hooks": ["customClaims"],
        "settings": {"plan": {"type": "text", "default": "gold"}}}), encoding="utf-8")
    server = serve("--sign-in", "anonymous")
    assert "plan" not in said(sign_up(server).json()["idToken"])
    server.run("plugins", "add", str(folder), "--yes")
    assert "closed" in server.run("plugins", "list")
    answer = sign_up(server).json()
    claims = said(answer["idToken"])
    assert (claims["plan"], claims["occasion"], claims["who"]) == ("gold", "signIn", answer["localId"])
    server.run("plugins", "settings", "plans", "plan=silver")
    claims = said(refresh(server, answer["refreshToken"]).json()["id_token"])
    assert (claims["plan"], claims["occasion"]) == ("silver", "refresh")
    # The account has none of them.
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:lookup?key=any"
    user = requests.post(url, json={"idToken": answer["idToken"]}, timeout=WAIT_SECONDS).json()["users"][0]
    assert "customAttributes" not in user
    # More than a token holds: nobody signs in, and a session waits.
    server.run("plugins", "settings", "plans", "plan=" + "x" * 1_001)
    refused = sign_up(server)
    assert refused.status_code == 503 and "plans could not provide" in refused.json()["error"]["message"]
    assert refresh(server, answer["refreshToken"]).status_code == 503
    assert "CLAIMS_TOO_LARGE" in server.log()
    server.run("plugins", "disable", "plans")
    assert "plan" not in said(refresh(server, answer["refreshToken"]).json()["id_token"])
