"""The explanation of a denial is sent to holders of a database secret only."""

import base64
import hashlib
import hmac
import json
import time

import secrets_seen
from client import Client

RULES = '{ "rules": { "open": { ".read": true, ".write": true }, "closed": { ".read": "auth.uid === \'nobody\'" } } }'


def token(secret, **claims):
    """Makes a legacy (2.x) token with top-level claims that the command line does not offer."""
    def encoded(value):
        raw = value if isinstance(value, bytes) else json.dumps(value).encode()
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    content = {"v": 0, "iat": int(time.time()), "d": {"uid": "ann"}, **claims}
    text = encoded({"typ": "JWT", "alg": "HS256"}) + "." + encoded(content)
    signed = text + "." + encoded(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())
    secrets_seen.note(signed)
    return signed


def denied(server, credential):
    """Returns the frames that a client receives with a denied read."""
    socket = Client(server)
    socket.sign_in(credential)
    numbers = [socket.request("q", p="/closed", h=""), socket.request("q", p="/open", h="")]
    pushes = []
    # Answers come in order: when the second request is answered, all frames of the first have arrived.
    while (frame := socket.receive()["d"]).get("r") != numbers[1]:
        if frame.get("r") == numbers[0]:
            assert frame["b"]["s"] == "permission_denied", frame
        else:
            pushes.append(frame)
    socket.silent()
    socket.close()
    return pushes


def test_rules_are_explained_only_to_a_debugging_token(serve):
    server = serve(rules=RULES)
    secret = server.secret()
    explained = denied(server, token(secret, debug=True))
    assert [push["a"] for push in explained] == ["sd"] and "/closed" in explained[0]["b"]["msg"], explained
    for credential in (
            token(secret), token(secret, debug="true"), token(secret, debug=1),
            # Data and custom claims that an app's user can have in a token.
            token(secret, d={"uid": "ann", "debug": True}),
            server.run("token", "mint", "--id-token", "--uid", "ann", "--claims", '{"debug":true}').strip()):
        assert denied(server, credential) == []


def test_a_simulated_write_is_refused_and_not_delivered(serve):
    server = serve(rules=RULES)
    listener, simulator = Client(server), Client(server)
    listener.listen("/open")
    simulator.sign_in(token(server.secret(), simulate=True))
    simulator.call("p", "failed", p="/open/x", d=1)
    listener.silent()
