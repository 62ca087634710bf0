"""Write a plugin for Hearth: one function for each hook, then run().

    from hearth_plugin import Plugin, refused

    plugin = Plugin("tickets", "1.0.0")

    @plugin.hook("exchange")
    def exchange(request, settings):
        ticket = request["parameters"].get("ticket", "")
        return {"user": {"uid": "u1"}} if ticket == settings["ticket"] else refused()

    plugin.run()

Functions run concurrently on a pool of threads. The return value is the answer of the hook. An exception is reported in the
operator's log; Temporary means that another attempt may succeed. Standard output is reserved for messages: print() writes to
standard error, which is the plugin's log.
"""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

__all__ = [
    "Plugin", "Temporary", "allow", "claims", "deny", "known", "refused", "rejected", "verified", "wrong",
]


class Temporary(Exception):
    """Raised by a hook for a temporary failure: another attempt may succeed."""


def refused(code="INVALID_CREDENTIAL_OR_PROVIDER_ID", message=None):
    """Returns the answer of "exchange" to a wrong credential. The client receives the code and the message."""
    return {"refused": {"code": code, **({"message": message} if message else {})}}


def known(email, **account):
    """Returns the answer of "checkPassword" to a right password: known("ann@example.com", uid="17", isEmailVerified=True)."""
    return {"user": {"email": email, **account}}


def wrong():
    """Returns the answer of "checkPassword" to an unknown address or a wrong password."""
    return {"wrong": {}}


def allow(**changes):
    """Returns the answer of "beforeCreate" and "beforeSignIn" that allows the sign-in: allow(sessionClaims={"vip": True})."""
    return {"allow": changes}


def deny(message):
    """Returns the answer of "beforeCreate" and "beforeSignIn" that denies the sign-in. The client receives the message."""
    return {"deny": {"message": message}}


def claims(**claims):
    """Returns the answer of "customClaims": claims(plan="gold")."""
    return {"claims": claims}


def verified(uid, **more):
    """Returns the answer of "verifyToken" to a valid token: verified("u1", claims={"vip": True}, cacheSeconds=60)."""
    return {"verified": {"uid": uid, **more}}


def rejected(reason="invalid", **more):
    """Returns the answer of "verifyToken" to an invalid token. The reason may also be "expired"."""
    return {"refused": {"reason": reason, **more}}


class Plugin:
    """A plugin with its hooks. name and version must be those in plugin.json."""

    def __init__(self, name, version, threads=8):
        self.name, self.version, self.threads = name, version, threads
        self.settings = {}
        self._start = lambda settings: None
        self._hooks, self._cancelled, self._running = {}, set(), set()
        self._lock = threading.Lock()
        self._output, sys.stdout = sys.stdout, sys.stderr

    def start(self, function):
        """Registers a function that is called once with the settings, before any hook."""
        self._start = function
        return function

    def hook(self, name):
        """Registers the function for a hook: it is called with the input of the hook and the settings."""

        def register(function):
            self._hooks[name] = function
            return function

        return register

    def run(self):
        """Answers requests until the server announces that no more follow."""
        with ThreadPoolExecutor(self.threads) as pool:
            for line in sys.stdin.buffer:
                message = json.loads(line)
                if "hello" in message:
                    self._send(self.greet(message["hello"]))
                elif "id" in message:
                    with self._lock:
                        self._running.add(message["id"])
                    pool.submit(self._answer, message)
                elif "cancel" in message:
                    with self._lock:
                        # The cancellation of a request that has been answered already is ignored.
                        self._cancelled |= {message["cancel"]} & self._running
                elif "drain" in message:
                    break

    def revoke(self, tokens=(), uids=(), everything=False):
        """Revokes tokens that "verifyToken" accepted: by the "digest" of the request, by user, or all of them."""
        named = {"everything": True} if everything else {"tokens": list(tokens), "uids": list(uids)}
        self._send({"revoke": named})

    def greet(self, hello):
        """Returns the answer to the hello message of the server."""
        if 1 not in hello["protocols"]:
            sys.exit("the server speaks none of this plugin's protocols")
        self.settings = hello.get("settings", {})
        # A plugin that is a service gets hello more than once, and is started once.
        start, self._start = self._start, lambda settings: None
        start(self.settings)
        return {"hello": {"protocol": 1, "name": self.name, "version": self.version, "hooks": list(self._hooks)}}

    def answer(self, request):
        """Returns the answer to a request."""
        try:
            with self._lock:
                is_cancelled = request["id"] in self._cancelled
            if is_cancelled:
                raise Temporary("nobody waited any more")
            answer = {"output": self._hooks[request["hook"]](request["input"], self.settings)}
        except Exception as error:
            # Only the type of an error is reported: its text may contain parts of the request.
            text = str(error) if isinstance(error, Temporary) else type(error).__name__
            answer = {"error": {"message": text, "isTemporary": isinstance(error, Temporary)}}
        return {"id": request["id"], **answer}

    def _answer(self, request):
        answer = self.answer(request)
        with self._lock:
            self._running.discard(request["id"])
            self._cancelled.discard(request["id"])
        self._send(answer)

    def _send(self, message):
        line = json.dumps(message, separators=(",", ":"))
        with self._lock:
            self._output.write(line + "\n")
            self._output.flush()
