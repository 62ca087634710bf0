"""The keys of an issuer: found by discovery, cached, and fetched again when a token names an unknown one."""

import json
import threading
import time
import urllib.parse
import urllib.request

import jwt
from hearth_plugin import Temporary

CACHE_SECONDS = 3600
# The minimum time between two fetches, so that tokens with invented key ids cause no more requests to the issuer.
REQUEST_INTERVAL_SECONDS = 10
DOCUMENT_BYTES_MAX = 1 << 20
KEYS_MAX = 100


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


class IssuerKeys:
    def __init__(self):
        self._lock = threading.Lock()
        self._keys, self._read_at, self._requested_at = {}, None, None

    def find(self, kid, algorithm, settings):
        """Returns the key with that id for that algorithm, or None when the issuer has none. Raises Temporary when the keys cannot
        be fetched."""
        is_fresh = self._is_fresh()
        if is_fresh and (kid, algorithm) in self._keys:
            return self._keys[kid, algorithm]
        # While another thread fetches the keys and the cached ones are fresh, a request for an unknown key does not wait.
        if not self._lock.acquire(blocking=not is_fresh):
            raise Temporary("the issuer's keys are being read")
        try:
            if not self._is_fresh() or (kid, algorithm) not in self._keys:
                self._read(settings)
            return self._keys.get((kid, algorithm))
        finally:
            self._lock.release()

    def _is_fresh(self):
        return self._read_at is not None and time.monotonic() - self._read_at < CACHE_SECONDS

    def _read(self, settings):
        now = time.monotonic()
        if self._requested_at is not None and now - self._requested_at < REQUEST_INTERVAL_SECONDS:
            if self._is_fresh():
                return
            raise Temporary("the issuer's keys could not be read a moment ago")
        self._requested_at = now
        try:
            document = settings["keys"] or self._fetch(self._discover(settings["issuer"]))
            self._keys, self._read_at = usable_keys(document), now
        except (OSError, ValueError, KeyError) as error:
            # Keys that were fetched within the cache time stay valid.
            if not self._is_fresh():
                raise Temporary(f"the issuer's keys cannot be read: {type(error).__name__}") from error

    def _discover(self, issuer):
        document = self._fetch(issuer.rstrip("/") + "/.well-known/openid-configuration")
        if document.get("issuer") != issuer:
            raise ValueError("the discovery document is another issuer's")
        return document["jwks_uri"]

    def _fetch(self, url):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "::1", "localhost"):
            raise ValueError("keys come over https")
        opener = urllib.request.build_opener(NoRedirects)
        with opener.open(url, timeout=4) as answer:
            text = answer.read(DOCUMENT_BYTES_MAX + 1)
        if len(text) > DOCUMENT_BYTES_MAX:
            raise ValueError("the document is too long")
        document = json.loads(text)
        if not isinstance(document, dict):
            raise ValueError("the document is no object")
        return document


def usable_keys(document):
    """Returns the signing keys by key id and algorithm; a key is accepted for a single algorithm."""
    found = {}
    for entry in document.get("keys", [])[:KEYS_MAX]:
        algorithm = {"RSA": "RS256", "EC": "ES256"}.get(entry.get("kty"))
        if algorithm is None or entry.get("use", "sig") != "sig" or entry.get("alg", algorithm) != algorithm:
            continue
        if algorithm == "ES256" and entry.get("crv") != "P-256":
            continue
        try:
            key = jwt.PyJWK(entry, algorithm=algorithm).key
        except jwt.PyJWTError:
            continue
        if algorithm == "RS256" and key.key_size < 2048:
            continue
        # Only the public part of a key is kept, in case the issuer publishes private keys by mistake.
        found[entry.get("kid"), algorithm] = key.public_key() if hasattr(key, "private_numbers") else key
    return found
