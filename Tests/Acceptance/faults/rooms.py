"""A client that manages a room: it grants its listener access, writes, revokes the access, and continues to write."""

import time

from faults.history import Write
from faults.users import SocketUser

PAUSE_SECONDS = 0.1


class RoomKeeper(SocketUser):
    def __init__(self, lap, node, numbers, user):
        super().__init__(lap, node, numbers)
        self.room, self.member = f"rooms/{user}", f"members/{user}"

    def work(self):
        while not self.lap.is_quiet.is_set():
            self.put(self.member)
            for _ in range(3):
                self.put(self.room)
                self.wait()
            if self.numbers.random() < 0.5:
                # Revokes in the same commit as the next word, without waiting for the answer.
                record = Write(self.room, self.lap.next_name("secret"), time.monotonic())
                self.connection.write(record, "m", "", d={self.member: None, self.room: record.value})
            else:
                self.connection.request("p", lambda *_: None, p=self.lap.at(self.member), d=None)
            for _ in range(3):
                self.put(self.room, "secret")
                self.wait()

    def put(self, place, kind="word"):
        record = Write(place, self.lap.next_name(kind), time.monotonic())
        self.connection.write(record, d=record.value)

    def wait(self):
        self.connection.pump(PAUSE_SECONDS * self.numbers.uniform(0.5, 1.5))
