"""A client of the identity interface that sends the requests of app SDKs and checks the members that they require."""

import base64
import hashlib
import hmac
import json
import struct

import requests
from waits import WAIT_SECONDS

HOST = "identitytoolkit.googleapis.com"


class Identity:
    """An app that uses a server through the URLs of the SDKs' emulator mode."""

    def __init__(self, server, key="demo-key"):
        self.server = server
        self.key = key

    def post(self, operation, body, status=200, version="v1", headers=None):
        url = f"{self.server.url}/{HOST}/{version}/{operation}?key={self.key}"
        answer = requests.post(url, json=body, headers=headers or {}, timeout=WAIT_SECONDS)
        assert answer.status_code == status, (operation, answer.status_code, answer.text)
        return answer.json()

    def fail(self, operation, body, message, status=400, **options):
        """Asserts that the request is refused with a message that begins with this code; returns the error object."""
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
    """Asserts the members that every sign-in response must have for the SDKs."""
    assert answer["expiresIn"] == "3600" and answer["idToken"] and answer["refreshToken"], answer
    assert answer["kind"].startswith("identitytoolkit#"), answer
    return answer


def claims(id_token):
    """The payload of a token, unverified."""
    part = id_token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def totp(secret, at):
    """Returns the code that an authenticator app with this base-32 secret shows at a time."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(at) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 10**6:06}"
