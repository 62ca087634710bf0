"""Serves a plugin over HTTP, for a manifest with "url" instead of "command".

    from hearth_plugin import webhook

    application = webhook.application(plugin, ["whsec_..."])   # for any WSGI server
    webhook.serve(plugin, ["whsec_..."], port=8080)            # or by itself, behind a proxy with TLS

Requests are signed according to Standard Webhooks. A request without a valid signature, or with a signature older than five
minutes, gets status 401 and reaches no hook. While a secret is replaced, pass both.
"""

import base64
import hashlib
import hmac
import json
import time
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

__all__ = ["application", "serve"]

TOLERANCE_SECONDS = 300
BODY_BYTES_MAX = 32 << 20


def application(plugin, secrets):
    """Returns the plugin as a WSGI application."""
    keys = [base64.b64decode(secret.strip()[len("whsec_"):]) for secret in secrets]

    def answer(environ, start_response):
        status, body = _answer(plugin, keys, environ)
        start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    return answer


def _answer(plugin, keys, environ):
    length = environ.get("CONTENT_LENGTH") or "0"
    if not _is_number(length) or int(length) > BODY_BYTES_MAX:
        return "413 Content Too Large", b"{}"
    body = environ["wsgi.input"].read(int(length))
    if environ["REQUEST_METHOD"] != "POST" or not _is_signed(keys, environ, body):
        return "401 Unauthorized", b"{}"
    message = json.loads(body)
    if "hello" in message:
        try:
            answer = plugin.greet(message["hello"])
        except SystemExit:
            return "400 Bad Request", b"{}"
    elif "id" in message:
        answer = plugin.answer(message)
    else:
        return "400 Bad Request", b"{}"
    return "200 OK", json.dumps(answer, separators=(",", ":")).encode()


def _is_number(text):
    return 1 <= len(text) <= 18 and text.isascii() and text.isdigit()


def _is_signed(keys, environ, body):
    name, seconds = environ.get("HTTP_WEBHOOK_ID", ""), environ.get("HTTP_WEBHOOK_TIMESTAMP", "")
    if not _is_number(seconds) or abs(time.time() - int(seconds)) > TOLERANCE_SECONDS:
        return False
    given = [part[len("v1,"):] for part in environ.get("HTTP_WEBHOOK_SIGNATURE", "").split() if part.startswith("v1,")]
    signed = f"{name}.{seconds}.".encode("latin-1") + body
    right = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    # Every signature is compared with every expected one, so that the duration reveals nothing about them.
    found = [hmac.compare_digest(one.encode("latin-1"), other) for one in given[:8] for other in right]
    return any(found)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, *arguments):
        """Logs nothing: the log of the server contains the failures."""


def serve(plugin, secrets, host="127.0.0.1", port=8080):
    """Serves requests until the process ends. It has no TLS: for clients on this machine, or behind a proxy with TLS."""
    with make_server(host, port, application(plugin, secrets), _Server, _Handler) as server:
        server.serve_forever()
