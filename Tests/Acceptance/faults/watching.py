"""Clients that listen: to everything that is written, and to a room as long as the rules allow it."""

import time

from faults.history import Frame, Listen
from faults.users import SocketUser

AGAIN_SECONDS = 0.1


class Listener(SocketUser):
    """Listens to all registers."""

    place, member, token = "registers", None, None

    def work(self):
        self.listen = self.over = None
        self.connection.hear = self.hear
        if self.token:
            self.connection.call("auth", cred=self.token)
        while not self.lap.is_quiet.is_set():
            self.begin()
            self.connection.pump(until=lambda: self.listen is None or self.lap.is_quiet.is_set())
            if self.listen is None:
                self.connection.pump(AGAIN_SECONDS)

    def begin(self):
        self.listen = Listen(self.lap.next_name(f"{self.node.name}-l"), self.place, member=self.member)
        self.lap.history.listens.append(self.listen)
        status, _ = self.connection.call("q", p=self.lap.at(self.place), h="")
        if status != "ok":
            assert self.member and status == "permission_denied", status
            self.over, self.listen = self.listen, None
        elif self.listen is not None and not self.listen.frames:
            # The place has no data.
            self.listen.frames.append(Frame(time.monotonic(), self.place))

    def proved(self):
        """Returns True when its own write is acknowledged: by then its node has sent everything before that write."""
        super().proved()
        if self.listen is not None:
            self.listen.is_whole = True

    def hear(self, action, body):
        if self.listen is None:
            # A frame of a listen that was cancelled.
            self.over.frames.append(Frame(time.monotonic(), "?"))
        elif action == "c":
            self.listen.frames.append(Frame(time.monotonic(), is_cut=True))
            self.over, self.listen = self.listen, None
        else:
            place = self.lap.place(body["p"])
            self.listen.frames.append(Frame(time.monotonic(), place, body["d"], action == "m"))


class RoomListener(Listener):
    """Listens to its room repeatedly, because the room's keeper grants and revokes the access."""

    def __init__(self, lap, node, numbers, user, token):
        super().__init__(lap, node, numbers)
        self.place, self.member, self.token = f"rooms/{user}", f"members/{user}", token
