"""The account requests of the legacy SDKs. firebase.js 2.x sends GET requests with the method in `_method` and asks for
the status 200 in every case; other clients use the real methods."""

import json
import re

import pytest
import requests

from client import Client
from waits import WAIT_SECONDS

RULES = '{ "rules": { "users": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } } } }'


class Legacy:
    def __init__(self, server):
        self.server = server

    def get(self, path, **parameters):
        query = {"v": "js-2.4.2", "transport": "json", "suppress_status_codes": "true", **parameters}
        answer = requests.get(f"{self.server.url}/v2/default{path}", params=query, timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text
        return answer

    def call(self, path, **parameters):
        body = self.get(path, **parameters).json()
        assert "error" not in body, body
        return body

    def fail(self, path, code, **parameters):
        assert self.get(path, **parameters).json()["error"]["code"] == code


@pytest.fixture
def server(serve):
    return serve(command="dev", rules=RULES)


@pytest.fixture
def legacy(server):
    return Legacy(server)


def test_a_user_signs_up_changes_the_account_and_is_removed(server, legacy):
    made = legacy.call("/users", email="old@example.com", password="secret1", _method="POST")
    assert set(made) >= {"uid"} and "token" not in made
    legacy.fail("/users", "EMAIL_TAKEN", email="OLD@example.com", password="secret1", _method="POST")
    signed_in = legacy.call("/auth/password", email="old@example.com", password="secret1")
    assert signed_in["uid"] == made["uid"] and signed_in["provider"] == "password"
    assert signed_in["password"]["email"] == "old@example.com"

    socket = Client(server)
    assert socket.sign_in(signed_in["token"])["auth"]["uid"] == made["uid"]
    socket.call("p", p=f"/users/{made['uid']}", d="here")

    legacy.fail("/auth/password", "INVALID_PASSWORD", email="old@example.com", password="wrong1")
    legacy.fail("/auth/password", "INVALID_PASSWORD", email="nobody@example.com", password="wrong1")
    legacy.call(
        "/users/old@example.com/password", oldPassword="secret1", newPassword="secret2", password="secret2",
        _method="PUT")
    # The change of the password has ended the earlier session.
    socket.expect("ac", s="expired_token", d="Auth token is expired.")
    legacy.call(
        "/users/old@example.com/email", oldEmail="old@example.com", newEmail="new@example.com", password="secret2",
        email="new@example.com", _method="PUT")
    assert legacy.call("/auth/password", email="new@example.com", password="secret2")["uid"] == made["uid"]
    legacy.call("/users/new@example.com/password", email="new@example.com", _method="POST")
    removed = legacy.call("/users/new@example.com", email="new@example.com", password="secret2", _method="DELETE")
    assert removed.get("uid") in (None, made["uid"])
    legacy.fail("/auth/password", "INVALID_PASSWORD", email="new@example.com", password="secret2")
    socket.close()


def test_anonymous_users_sign_in(server, legacy):
    answer = legacy.call("/auth/anonymous")
    assert answer["provider"] == "anonymous" and answer["token"] and answer["uid"]
    socket = Client(server)
    assert socket.sign_in(answer["token"])["auth"]["uid"] == answer["uid"]
    socket.close()


def test_jsonp_and_real_verbs(server, legacy):
    answer = legacy.get("/auth/anonymous", callback="pRequestCB1")
    found = re.fullmatch(r"/\*\*/\s*pRequestCB1\((.*)\);?\s*", answer.text, re.S)
    assert found and json.loads(found[1])["provider"] == "anonymous"
    assert answer.headers["Content-Type"].startswith("application/javascript")
    bad = requests.get(
        f"{server.url}/v2/default/auth/anonymous", params={"callback": "alert(1)//"}, timeout=WAIT_SECONDS)
    assert "alert(1)" not in bad.text
    made = requests.post(
        f"{server.url}/v2/default/users?transport=json&v=android-2", timeout=WAIT_SECONDS,
        data={"email": "verb@example.com", "password": "secret1"})
    assert made.status_code == 200 and made.json()["uid"]
    gone = requests.delete(
        f"{server.url}/v2/default/users/verb@example.com?transport=json", timeout=WAIT_SECONDS,
        data={"password": "secret1"})
    assert "error" not in gone.json()


def test_passwords_in_queries_stay_out_of_the_log(server, legacy):
    legacy.call("/users", email="log@example.com", password="log-Secret-77", _method="POST")
    token = legacy.call("/auth/password", email="log@example.com", password="log-Secret-77")["token"]
    text = server.log()
    assert "log-Secret-77" not in text and token not in text
