"""Collects every password, token, code and secret in the tests' requests and responses, to search the logs for them."""

import json
import urllib.parse

import requests

NAMES = {
    "password", "newPassword", "oldPassword", "idToken", "refreshToken", "oobCode", "token", "auth", "id_token",
    "access_token", "refresh_token", "assertion", "oobLink", "sessionCookie", "mfaPendingCredential", "sessionInfo",
    "sharedSecretKey", "private_key", "cred", "passwordHash", "salt", "signerKey", "postBody", "verificationCode",
    "recoveryCodes",
}
# Values too short to be distinguished from other text, and values that are public.
SHORT = 7
PUBLIC = {"UkVEQUNURUQ=", "owner"}

seen = set()


def note(text):
    if isinstance(text, str) and len(text) >= SHORT and text not in PUBLIC:
        seen.add(text)


def note_members(value):
    if isinstance(value, dict):
        for name, member in value.items():
            if name in NAMES:
                for secret in member if isinstance(member, list) else [member]:
                    note(secret)
            note_members(member)
    elif isinstance(value, list):
        for element in value:
            note_members(element)


def note_body(body):
    if not body or len(body) > 1 << 20:
        return
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body)
    try:
        note_members(json.loads(text))
    except (ValueError, RecursionError):
        note_members(dict(urllib.parse.parse_qsl(text)))


def install():
    """Makes every later request of the `requests` library pass through this collector."""
    send = requests.Session.send

    def looking(self, request, **options):
        note_members(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request.url).query)))
        note_body(request.body)
        bearer = request.headers.get("Authorization", "")
        if bearer.lower().startswith("bearer "):
            note(bearer[7:])
        answer = send(self, request, **options)
        if not options.get("stream"):
            note_body(answer.content)
        return answer

    requests.Session.send = looking


def found_in(text):
    """Returns the secrets that occur in a text, shortened so that the report reveals none of them."""
    return sorted({secret[:4] + "…" for secret in seen if secret in text})
