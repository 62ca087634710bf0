"""A client that listens to all writers and keeps the data it received."""

from client import Client
from kills.line import flat, put
from kills.writers import Load


class Listener(Load):
    """`known` is the last received state of the writers' places; None before the first."""

    def __init__(self, server):
        super().__init__(server)
        self.known = None

    def use(self):
        client = Client(self.server)
        client.request("q", p="/w", h="")
        while not self.ends.is_set():
            frame = client.receive()["d"]
            if "a" in frame:
                self.hear(frame["a"], frame["b"])
            else:
                assert frame["b"]["s"] == "ok", frame
                # The server sends no data before the answer when the place is empty.
                self.known = self.known if self.known is not None else {}

    def hear(self, action, body):
        path = body["p"].removeprefix("w").strip("/")
        state = dict(self.known or {})
        if action == "m":
            for member, value in body["d"].items():
                put(state, f"{path}/{member}".strip("/"), value)
        else:
            assert action == "d", (action, body)
            if path:
                put(state, path, body["d"])
            else:
                state = flat(body["d"])
        # Applied in one step: a listener that is cut off has received a message completely or not at all.
        self.known = state

    def of(self, name):
        """Returns the state that it knows of one writer."""
        if self.known is None:
            return None
        return {path.removeprefix(name + "/"): value for path, value in self.known.items() if path.startswith(name + "/")}
