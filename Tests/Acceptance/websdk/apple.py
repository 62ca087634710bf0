"""A stand-in for Apple's sign-in server, with Apple's deviations: it posts its response from its own site, takes a signed client
assertion in place of a client secret, and sends a user's name the first time alone."""

import hashlib
import html
import json
import secrets
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from stand_in_server import StandInServer

TEAM, KEY, SERVICES, APP = "TEAM123456", "KEY1234567", "com.example.web", "com.example.shop"
FORM = """<!DOCTYPE html><meta charset="utf-8"><title>Apple's stand-in</title><form method="post">
<input name="sub" value="000123.abc.0456"><input name="first" value="Ann"><input name="last" value="Lee">
<button name="say" value="yes">Continue</button> <button name="say" value="no">Cancel</button></form>"""
# The response is a form post from this site (OAuth 2.0 Form Post Response Mode).
ANSWER = """<!DOCTYPE html><meta charset="utf-8"><body><form method="post" action="{action}">{fields}</form>
<script>document.forms[0].submit()</script>"""


class Apple(StandInServer):
    def __init__(self):
        self.secret_key = ec.generate_private_key(ec.SECP256R1())
        self.own_key = rsa.generate_private_key(65_537, 2_048)
        self.asked, self.secrets, self.wrong, self.codes, self.known = [], [], [], {}, set()
        super().__init__()
        self.url = self.origin

    def respond(self, request):
        url = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if request.command == "GET" and url.path == "/auth/keys":
            request.reply({"keys": [self.public_key]})
        elif request.command == "GET":
            wrong = self.wrong_of(query)
            if url.path != "/auth/authorize" or wrong:
                return request.reply(f"invalid_request {wrong}", 400, "text/html")
            self.asked.append(query)
            request.reply(FORM, content_type="text/html")
        elif url.path == "/auth/token":
            status, answer = self.redeem(request.form())
            request.reply(answer, status)
        else:
            fields = "".join(
                f'<input type="hidden" name="{name}" value="{html.escape(value)}">'
                for name, value in self.answer(query, request.form()).items())
            request.reply(ANSWER.format(action=html.escape(query["redirect_uri"]), fields=fields), content_type="text/html")

    @property
    def private_key(self):
        """The private key, as the `.p8` file that Apple offers for download once."""
        return self.secret_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    @property
    def public_key(self):
        """The key that verifies this server's tokens."""
        key = jwt.algorithms.RSAAlgorithm.to_jwk(self.own_key.public_key(), as_dict=True)
        return {**key, "kid": "apple-1", "alg": "RS256", "use": "sig"}

    @staticmethod
    def wrong_of(query):
        """Returns the error of a request; Apple refuses to send the name in a query."""
        if query.get("client_id") != SERVICES:
            return "client_id"
        if "name" in query.get("scope", "").split() and query.get("response_mode") != "form_post":
            return "response_mode"
        return None if query.get("response_type") == "code" and query.get("state") and query.get("nonce") else "request"

    def answer(self, query, form):
        if form["say"] == "no":
            return {"state": query["state"], "error": "user_cancelled_authorize"}
        code = secrets.token_urlsafe(64)
        self.codes[code] = {**query, "sub": form["sub"]}
        answer = {"state": query["state"], "code": code}
        if form["sub"] not in self.known:
            self.known.add(form["sub"])
            answer["user"] = json.dumps({
                "name": {"firstName": form["first"], "lastName": form["last"]}, "email": "x1@privaterelay.appleid.com"})
        return answer

    def redeem(self, form):
        try:
            proof = jwt.decode(form["client_secret"], self.secret_key.public_key(), algorithms=["ES256"], audience=self.url)
        except (KeyError, jwt.InvalidTokenError) as error:
            self.wrong.append(str(error))
            return 400, {"error": "invalid_client"}
        now = time.time()
        self.secrets.append(form["client_secret"])
        expected = {"iss": TEAM, "sub": SERVICES, "aud": self.url}
        is_fresh = proof["iat"] <= now + 5 and now < proof["exp"] <= now + 600
        header = jwt.get_unverified_header(form["client_secret"])
        if header.get("kid") != KEY or not is_fresh or {name: proof[name] for name in expected} != expected:
            self.wrong.append(dict(proof))
            return 400, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code"), None)
        if not asked or form.get("redirect_uri") != asked["redirect_uri"] or form.get("client_id") != SERVICES:
            return 400, {"error": "invalid_grant"}
        return 200, {
            "id_token": self.id_token(SERVICES, asked["nonce"], asked["sub"]), "access_token": "a", "token_type": "Bearer",
            "refresh_token": "r", "expires_in": 3600}

    def id_token(self, audience, nonce, sub):
        now = int(time.time())
        return jwt.encode({
            "iss": self.url, "aud": audience, "sub": sub, "iat": now, "exp": now + 600, "nonce": nonce, "nonce_supported": True,
            "email": "x1@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true"},
            self.own_key, algorithm="RS256", headers={"kid": "apple-1"})

    def native_token(self, raw_nonce, sub):
        """Returns the token that the system's sign-in button gives an app, which passed the digest of its nonce."""
        return self.id_token(APP, hashlib.sha256(raw_nonce.encode()).hexdigest(), sub)
