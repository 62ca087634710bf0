"""Write a plugin for Hearth: one function for each hook, then run().

    from hearth_plugin import Plugin, refused

    plugin = Plugin("tickets", "1.0.0")

    @plugin.hook("exchange")
    def exchange(request, settings):
        ticket = request["parameters"].get("ticket", "")
        return {"user": {"uid": "u1"}} if ticket == settings["ticket"] else refused()

    plugin.run()

Functions run on a pool of threads, many at once. What they return is the answer; what they raise is an error for the
operator's log, and a Temporary says that it may go better later. Standard output belongs to the messages: print() goes
to standard error, which is the plugin's log.
"""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

__all__ = [
    "Plugin", "Temporary", "allow", "claims", "deny", "known", "refused", "rejected", "verified", "wrong",
]


class Temporary(Exception):
    """It could not be done now, and may go better when it is tried again."""


def refused(code="INVALID_CREDENTIAL_OR_PROVIDER_ID", message=None):
    """The answer of "exchange" to a credential that is wrong. The client sees code and message."""
    return {"refused": {"code": code, **({"message": message} if message else {})}}


def known(email, **account):
    """The answer of "checkPassword" to a right password: known("ann@example.com", uid="17", isEmailVerified=True)."""
    return {"user": {"email": email, **account}}


def wrong():
    """The answer of "checkPassword" to an address or a password that is not known."""
    return {"wrong": {}}


def allow(**changes):
    """The answer of "beforeCreate" and "beforeSignIn" that lets somebody in: allow(sessionClaims={"vip": True})."""
    return {"allow": changes}


def deny(message):
    """The answer of "beforeCreate" and "beforeSignIn" that lets nobody in. The client sees the message."""
    return {"deny": {"message": message}}


def claims(**claims):
    """The answer of "customClaims": claims(plan="gold")."""
    return {"claims": claims}


def verified(uid, **more):
    """The answer of "verifyToken" to a token that counts: verified("u1", claims={"vip": True}, cacheSeconds=60)."""
    return {"verified": {"uid": uid, **more}}


def rejected(reason="invalid", **more):
    """The answer of "verifyToken" to a token that does not count. The reason may also be "expired"."""
    return {"refused": {"reason": reason, **more}}


class Plugin:
    """A plugin with its hooks. Name and version are those of plugin.json."""

    def __init__(self, name, version, threads=8):
        self.name, self.version, self.threads = name, version, threads
        self.settings = {}
        self._start = lambda settings: None
        self._hooks, self._cancelled, self._running = {}, set(), set()
        self._lock = threading.Lock()
        self._output, sys.stdout = sys.stdout, sys.stderr

    def start(self, function):
        """Has the function called once with the settings, before anything is asked."""
        self._start = function
        return function

    def hook(self, name):
        """Makes the function the answer to a hook: it is called with the hook's input and the settings."""

        def register(function):
            self._hooks[name] = function
            return function

        return register

    def run(self):
        """Answers until the server says that nothing more comes."""
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
                        # Of what has been answered there is nothing to remember.
                        self._cancelled |= {message["cancel"]} & self._running
                elif "drain" in message:
                    break

    def revoke(self, tokens=(), uids=(), everything=False):
        """Ends tokens that "verifyToken" vouched for: by the "digest" of the question, by user, or all of them."""
        named = {"everything": True} if everything else {"tokens": list(tokens), "uids": list(uids)}
        self._send({"revoke": named})

    def greet(self, hello):
        """The answer to the server's first message."""
        if 1 not in hello["protocols"]:
            sys.exit("the server speaks none of this plugin's protocols")
        self.settings = hello.get("settings", {})
        # A service is greeted more than once.
        start, self._start = self._start, lambda settings: None
        start(self.settings)
        return {"hello": {"protocol": 1, "name": self.name, "version": self.version, "hooks": list(self._hooks)}}

    def answer(self, request):
        """The answer to a request."""
        try:
            with self._lock:
                is_cancelled = request["id"] in self._cancelled
            if is_cancelled:
                raise Temporary("nobody waited any more")
            answer = {"output": self._hooks[request["hook"]](request["input"], self.settings)}
        except Exception as error:
            # The type alone: an error's text may hold what the request held.
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
