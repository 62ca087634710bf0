"""A real OpenID provider on this machine: oidc-provider-mock, which is built on Authlib. A WSGI wrapper adds PKCE, the client
secret, and the state of refusals, which the provider lacks."""

import base64
import contextlib
import hashlib
import io
import threading
import urllib.parse

import pytest

CLIENT = ("web-app", "web-secret")


class Guard:
    """Wraps the provider: a code is redeemed only with the verifier of its challenge and with the client secret."""

    def __init__(self, app):
        self.app = app
        self.challenges = {}
        self.asked = []
        self.redeemed = []
        # Additional parameters of its responses, beside code and state.
        self.answers_with = {}
        # The redirect URIs that it accepts; None for all.
        self.registered = None

    def seen(self, name, value, query):
        """Reads a header of the provider's response: records a code's challenge, and adds the state to a refusal."""
        if name.lower() != "location":
            return value
        parts = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(value).query))
        if "code" in parts and query.get("code_challenge_method") == "S256":
            self.challenges[parts["code"]] = query["code_challenge"]
        if "error" in parts and "state" not in parts and "state" in query:
            value += "&" + urllib.parse.urlencode({"state": query["state"]})
        if "code" in parts and self.answers_with:
            value += "&" + urllib.parse.urlencode(self.answers_with)
        return value

    def __call__(self, environ, start_response):
        query = dict(urllib.parse.parse_qsl(environ.get("QUERY_STRING", "")))
        if environ["PATH_INFO"] == "/oauth2/token":
            size = int(environ.get("CONTENT_LENGTH") or 0)
            body = environ["wsgi.input"].read(size)
            form = dict(urllib.parse.parse_qsl(body.decode()))
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            known = (form.get("client_id"), form.get("client_secret")) == CLIENT
            if not known or self.challenges.pop(form.get("code"), None) != challenge:
                start_response("400 Bad Request", [("Content-Type", "application/json")])
                return [b'{"error": "invalid_grant"}']
            self.redeemed.append(form["code"])
            environ["wsgi.input"] = io.BytesIO(body)
        if environ["PATH_INFO"] == "/oauth2/authorize" and environ["REQUEST_METHOD"] == "GET":
            self.asked.append(query)
        if environ["PATH_INFO"] == "/oauth2/authorize" and self.registered is not None:
            if query.get("redirect_uri") not in self.registered:
                start_response("400 Bad Request", [("Content-Type", "text/plain")])
                return [b"unregistered redirect_uri"]

        def start(status, headers, *more):
            return start_response(status, [(name, self.seen(name, value, query)) for name, value in headers], *more)

        return self.app(environ, start)


@contextlib.contextmanager
def provider():
    mock = pytest.importorskip("oidc_provider_mock")
    import werkzeug.serving

    guard = Guard(mock.app(require_nonce=True))
    server = werkzeug.serving.make_server("127.0.0.1", 0, guard, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    guard.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield guard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
