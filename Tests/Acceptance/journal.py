"""Reads a database's journal from the description of its format, with none of the server's code."""

import sqlite3
import struct


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        part = self.data[self.at:self.at + count]
        assert len(part) == count, "the journal ends in the middle"
        self.at += count
        return part

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        number, shift = 0, 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def text(self):
        return self.take(self.varint()).decode("utf-8")

    def scalar(self, kind):
        if kind in (1, 2):
            return kind == 2
        if kind == 3:
            number = self.varint()
            return number >> 1 ^ -(number & 1)
        if kind == 4:
            return struct.unpack("<d", self.take(8))[0]
        assert kind == 5, kind
        return self.text()

    def value(self):
        kind = self.byte()
        if kind == 0:
            return None
        if kind == 6:
            children = {}
            while key := self.text():
                children[key] = self.value()
            if priority := self.byte():
                self.scalar(priority)
            return children
        value = self.scalar(kind & 7)
        if kind & 8:
            self.scalar(self.byte())
        return value

    def change(self):
        count = self.byte()
        assert count < 128, "a priority: these writes have none"
        return "/".join(self.text() for _ in range(count)), self.value()


def commits(file):
    """Returns the changes of each commit in the file: {position: [(path, value)]}. No process may be writing the file."""
    found = {}
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT first_position, last_position, payload FROM batch ORDER BY 1").fetchall()
    for first, last, payload in rows:
        reader, position = Reader(payload), first
        while reader.at < len(payload):
            (length,) = struct.unpack("<I", reader.take(4))
            end = reader.at + length
            kind = reader.byte()
            reader.take(8)
            assert kind in (1, 2, 3), "a record in pieces: these writes are small"
            if kind == 1:
                found[position] = [reader.change() for _ in range(reader.varint())]
                assert reader.at == end
            reader.at = end
            position += 1
        assert position == last + 1
    return found
