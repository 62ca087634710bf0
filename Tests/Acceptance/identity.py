"""The identity interface as app SDKs speak it: plain requests, and the shapes they insist on."""

import base64
import hashlib
import hmac
import json
import struct

import requests
from waits import WAIT_SECONDS

HOST = "identitytoolkit.googleapis.com"


class Identity:
    """An app that is pointed at a server, with the URL layout of the SDKs' emulator switch."""

    def __init__(self, server, key="demo-key"):
        self.server = server
        self.key = key

    def post(self, operation, body, status=200, version="v1", headers=None):
        url = f"{self.server.url}/{HOST}/{version}/{operation}?key={self.key}"
        answer = requests.post(url, json=body, headers=headers or {}, timeout=WAIT_SECONDS)
        assert answer.status_code == status, (operation, answer.status_code, answer.text)
        return answer.json()

    def fail(self, operation, body, message, status=400, **options):
        """Asserts a refusal whose message begins with that code; returns the error object."""
        error = self.post(operation, body, status, **options)["error"]
        assert error["message"].split(" : ")[0] == message, error
        assert error["code"] == status and error["errors"][0]["message"] == error["message"], error
        return error

    def sign_up(self, email=None, password=None, **more):
        body = {"returnSecureToken": True, **more}
        if email is not None:
            body |= {"email": email, "password": password, "clientType": "CLIENT_TYPE_WEB"}
        return triple(self.post("accounts:signUp", body))

    def sign_in(self, email, password):
        return triple(self.post("accounts:signInWithPassword", {
            "email": email, "password": password, "returnSecureToken": True, "clientType": "CLIENT_TYPE_WEB"}))

    def custom(self, token):
        return triple(self.post("accounts:signInWithCustomToken", {"token": token, "returnSecureToken": True}))

    def lookup(self, id_token):
        users = self.post("accounts:lookup", {"idToken": id_token})["users"]
        assert len(users) == 1
        return users[0]

    def refresh(self, refresh_token, status=200):
        url = f"{self.server.url}/securetoken.googleapis.com/v1/token?key={self.key}"
        answer = requests.post(
            url, data={"grant_type": "refresh_token", "refresh_token": refresh_token}, timeout=WAIT_SECONDS)
        assert answer.status_code == status, answer.text
        return answer.json()

    def refresh_fails(self, refresh_token, message):
        assert self.refresh(refresh_token, 400)["error"]["message"].split(" : ")[0] == message


def triple(answer):
    """What every sign-in must answer, or SDKs fail inside."""
    assert answer["expiresIn"] == "3600" and answer["idToken"] and answer["refreshToken"], answer
    assert answer["kind"].startswith("identitytoolkit#"), answer
    return answer


def claims(id_token):
    """The payload of a token, unverified."""
    part = id_token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def totp(secret, at):
    """What an authenticator with that secret, in base 32, shows at a time."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(at) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 10**6:06}"
