"""What an import of a large compressed file costs the server and the command: `make bench-import`."""

import argparse
import collections
import gzip
import os
import pathlib
import random
import subprocess
import tempfile
import time

from conftest import HEARTH, Server

WORDS = "hello how are you fine today well thanks see later Größe".split()
TICKS = os.sysconf("SC_CLK_TCK")
ROOM_RECORDS = 1_000


def write_export(file, size_bytes):
    """Writes chat records, compressed, and returns the number of bytes and of values. Each room is a request's part."""
    numbers = random.Random(1)
    size = records = room = 0
    with gzip.open(file, "wb", compresslevel=6) as export:
        while size < size_bytes:
            messages = ",".join(
                f'"-N{room:05}{index:05}":{{"text":"{" ".join(numbers.choices(WORDS, k=7))}","ts":{1_700_000_000_000 + index},'
                f'"uid":"u{numbers.randrange(5_000)}"}}' for index in range(ROOM_RECORDS))
            text = f'{"," if room else "{"}"room{room}":{{{messages}}}'.encode()
            export.write(text)
            size, records, room = size + len(text), records + ROOM_RECORDS, room + 1
        export.write(b"}")
    return size, 3 * records


def processor_seconds(process):
    """Returns the user's and the system's seconds of a process, by the names of its threads."""
    seconds = collections.Counter()
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        user, system = rest.split()[11:13]
        seconds[name.split("-#")[0], "user"] += int(user) / TICKS
        seconds[name.split("-#")[0], "system"] += int(system) / TICKS
    return seconds


def main():
    parser = argparse.ArgumentParser(prog="import_speed", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1_000, help="the size of the JSON (%(default)s)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hearth-import-") as folder:
        file = pathlib.Path(folder) / "export.json.gz"
        size, values = write_export(file, asked.megabytes * 1_000_000)
        server = Server(pathlib.Path(folder) / "data", rules='{"rules":{}}').start()
        before, begin = processor_seconds(server.process.pid), time.monotonic()
        command = subprocess.Popen([HEARTH, "db", "import", "/", str(file), "--data", str(server.data)])
        _, status, usage = os.wait4(command.pid, 0)
        took = time.monotonic() - begin
        spent = processor_seconds(server.process.pid)
        spent.subtract(before)
        peak = next(line for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
                    if line.startswith("VmHWM"))
        server.kill()
    assert status == 0
    print(f"{size / 1e6:,.0f} MB of JSON, {values:,} values: {took:.1f} s, {size / 1e6 / took:.0f} MB a second")
    print(f"command: {usage.ru_utime + usage.ru_stime:.1f} s of processor time, at most {usage.ru_maxrss >> 10} MB of memory")
    print(f"server:  {sum(spent.values()):.1f} s of processor time, at most {int(peak.split()[1]) >> 10} MB of memory")
    for (name, mode), seconds in spent.most_common():
        if seconds >= 0.1:
            print(f"         {name}, {mode}: {seconds:.1f} s")


main()
