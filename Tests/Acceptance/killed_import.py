"""`kill -9` of the server or of the importer in the middle of an import; the same command again completes it."""

import collections
import hashlib
import json
import random
import subprocess
import time

from conftest import HEARTH, Server
from waits import WAIT_SECONDS

WORDS = ["hello", "how", "are", "you", "fine", "today", "Größe", "\"quoted\"", "line\nbreak", "😀"]
RUNS_MAX = 6


def write_export(file, numbers, size_bytes):
    """Writes an export of about this size, with values and priorities of all kinds, and lists that are longer than a request."""
    def record(index):
        value = {
            "text": " ".join(numbers.choices(WORDS, k=8)), "uid": f"u{numbers.randrange(5_000)}", "ts": 1_700_000_000_000 + index,
            "rate": numbers.random() * 10 ** numbers.randrange(-3, 6), "seen": numbers.random() < 0.5}
        if index % 7 == 0:
            value["tags"] = numbers.sample(WORDS, 3)
        if index % 11 == 0:
            value[".priority"] = numbers.choice([index, index / 3, f"p{index}"])
        return value

    text = file.open("w", encoding="utf-8")
    with text:
        text.write('{"counts":{' + ",".join(f'"c{index}":{index}' for index in range(100_000)) + "}")
        room = 0
        while text.tell() < size_bytes:
            count = numbers.randrange(1, 2_000) if room % 40 < 39 else 60_000
            text.write(f',"room{room}":{{".priority":{room}' + "".join(
                f',"-N{index:08}":{json.dumps(record(index), ensure_ascii=index % 2 == 0)}' for index in range(count)) + "}")
            room += 1
        text.write("}")


class KilledImport:
    """A server in a new folder, and a file that is imported again and again, each time into a new database.

    All random choices depend on the seed and the number of the import. `figures` counts what the kills interrupted.
    """

    def __init__(self, folder, seed, size_bytes):
        self.seed, self.figures = seed, collections.Counter()
        folder.mkdir(parents=True)
        self.file = folder / "export.json"
        write_export(self.file, random.Random(seed), size_bytes)
        self.server = Server(folder / "data", rules='{"rules":{}}').start()
        begin = time.monotonic()
        process = self._begin("whole")
        assert process.wait(WAIT_SECONDS) == 0, process.stderr.read()
        self.seconds = time.monotonic() - begin
        self.expected = self._stored("whole")

    def run(self, number):
        """Imports the file with one kill or several; raises AssertionError when the stored data is another one than without."""
        numbers, name = random.Random(f"{self.seed}/{number}"), f"import{number}"
        kills = 1 if numbers.random() < 0.75 else 2
        for attempt in range(RUNS_MAX):
            process = self._begin(name)
            if attempt < kills:
                # The first attempt is killed before its usual end, later ones have less to do.
                time.sleep(numbers.uniform(0, self.seconds * 0.9 ** (attempt + 1)))
                victim = "the server" if (number + attempt) % 2 else "the importer"
                self._kill(victim, process)
            status = process.wait(WAIT_SECONDS)
            error = process.stderr.read()
            if status == 0:
                break
            if attempt >= kills:
                # The kill came between the end of the import and that of its process.
                assert "there is data at /" in error, error
                self.figures["at the very end"] += 1
                break
            self.figures[f"of {victim}"] += 1
            self.figures["with requests done"] += json.loads(self._record() or '{"requests":0}')["requests"] > 0
        assert self._record() is None
        assert self._stored(name) == self.expected, f"import {number} stored other data"
        self._command("databases", "delete", name, "--yes")
        self.figures["imports"] += 1

    def end(self):
        self.server.kill()

    def _begin(self, name):
        return subprocess.Popen(
            [HEARTH, "db", "import", "/", str(self.file), "--ns", name, "--create", "--data", str(self.server.data)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def _kill(self, victim, process):
        if victim == "the importer":
            process.kill()
        else:
            self.server.kill()
            process.wait(WAIT_SECONDS)
            self.server.start()

    def _record(self):
        record = self.file.with_name(self.file.name + ".import")
        return record.read_text(encoding="utf-8") if record.exists() else None

    def _command(self, *arguments):
        done = subprocess.run(
            [HEARTH, *arguments, "--data", str(self.server.data)], capture_output=True, timeout=WAIT_SECONDS)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def _stored(self, name):
        """Returns the hash of everything that a database exports."""
        path = self.file.with_name("stored.json")
        path.unlink(missing_ok=True)
        self._command("db", "export", "/", str(path), "--ns", name)
        return hashlib.sha256(path.read_bytes()).hexdigest()
