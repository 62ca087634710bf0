"""Accounts that are created while the server is killed: the acknowledged ones must be able to sign in afterwards."""

import http.client
import json

import secrets_seen
from kills.writers import Load
from waits import WAIT_SECONDS

PASSWORD = "a password of 1 account"
KEY = "?key=k"
SIGN_UP = "/identitytoolkit.googleapis.com/v1/accounts:signUp" + KEY
SIGN_IN = "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword" + KEY
REFRESH = "/securetoken.googleapis.com/v1/token" + KEY


def post(connection, path, body):
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


class SignUps(Load):
    """Creates anonymous accounts, and some with an e-mail address and a password."""

    def __init__(self, server, numbers, accounts):
        super().__init__(server)
        self.numbers, self.accounts = numbers, accounts

    def use(self):
        secrets_seen.note(PASSWORD)
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=WAIT_SECONDS)
        while not self.ends.is_set():
            body = {"returnSecureToken": True}
            if self.numbers.randrange(12) == 0:
                body |= {"email": f"u{self.numbers.getrandbits(64):x}@example.com", "password": PASSWORD}
            status, answer = post(connection, SIGN_UP, body)
            assert status == 200, answer
            secrets_seen.note_members(answer)
            self.accounts.append((answer["localId"], answer["refreshToken"], body.get("email")))


def check(server, accounts, numbers):
    """Checks that the account that was acknowledged last and a random earlier one exist, with their sessions."""
    if not accounts:
        return
    connection = http.client.HTTPConnection(server.host, server.port, timeout=WAIT_SECONDS)
    for uid, token, email in [accounts[-1], numbers.choice(accounts)]:
        status, answer = post(connection, REFRESH, {"grant_type": "refresh_token", "refresh_token": token})
        assert status == 200 and answer["user_id"] == uid, f"account {uid} is gone: {status} {answer.get('error')}"
        if email is not None:
            status, answer = post(
                connection, SIGN_IN, {"email": email, "password": PASSWORD, "returnSecureToken": True})
            assert status == 200 and answer["localId"] == uid, f"account {uid} cannot sign in: {status} {answer}"
    connection.close()

