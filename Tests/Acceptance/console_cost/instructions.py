"""Counts instructions instead of time: the server runs in callgrind, whose count does not depend on other load of the machine.

Two rates of writes separate the constant cost a second from the cost of each write. Instructions of the kernel are not counted."""

import contextlib
import pathlib
import re
import shutil
import subprocess
import time

from client import Client

# The writes of one group: as many as arrive in 10 ms at 2,000 writes a second.
GROUP = 20
# Groups a second; a server in callgrind keeps up with both rates.
RATES = (1, 6)


# libdispatch suspends a thread with a signal mask in read-only memory, and valgrind writes to that mask.
SUSPEND = """
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
"""


class Counted:
    """A running server in callgrind."""

    def __init__(self, process, folder):
        self.process, self.folder, self.dumps = process, folder, 0

    @staticmethod
    def command(folder):
        """Returns the prefix of the server's command line."""
        if not shutil.which("callgrind_control"):
            raise SystemExit("callgrind is missing: install valgrind.")
        library = pathlib.Path(folder) / "suspend.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-xc", "-"], input=SUSPEND, text=True, check=True)
        return ["env", f"LD_PRELOAD={library}", "valgrind", "-q", "--tool=callgrind",
                f"--callgrind-out-file={folder}/instructions.%p"]

    def take(self):
        """Returns the instructions since the last call."""
        self.dumps += 1
        subprocess.run(["callgrind_control", "-d", str(self.process)], check=True, capture_output=True)
        path = pathlib.Path(f"{self.folder}/instructions.{self.process}.{self.dumps}")
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(FileNotFoundError):
                if found := re.search(r"^totals: (\d+)", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE):
                    return int(found[1])
            if time.monotonic() > deadline:
                raise SystemExit(f"callgrind wrote no {path}")
            time.sleep(0.05)


class Writes:
    """Writes in groups; each group starts when the one before was answered."""

    def __init__(self, place, share):
        self.place, self.children, self.client = place, place.children(share), Client(place.server)

    def make(self, groups, rate):
        """Writes `groups` groups at `rate` groups a second. Returns the seconds that it took, and the number of writes."""
        begin = time.monotonic()
        for number in range(groups):
            time.sleep(max(0.0, begin + number / rate - time.monotonic()))
            for _ in range(GROUP):
                self.client.request("p", p=f"{self.place.node}/{self.place.child(next(self.children))}", d=self.client.number)
            for _ in range(GROUP):
                self.client.receive()
        time.sleep(max(0.0, begin + groups / rate - time.monotonic()))
        return time.monotonic() - begin, groups * GROUP


def measure(place, counted, watcher, writes, asked):
    """Returns (instructions, seconds, writes) for each rate."""
    found = []
    with watcher(place):
        time.sleep(asked.settle)
        for rate in RATES:
            writes.make(1, rate)
            counted.take()
            seconds, count = writes.make(max(1, round(rate * asked.seconds)), rate)
            found.append((counted.take(), seconds, count))
    return found


def parts(turns):
    """Returns the constant instructions a second and the instructions for each write. Periodic work of the server only adds to a
    count, so the least count of all turns is used."""
    (slow, few), (fast, many) = ((taken / seconds, count / seconds) for taken, seconds, count in map(min, zip(*turns)))
    each = (fast - slow) / (many - few)
    return slow - few * each, each


def compare(place, counted, asked, share, kinds):
    """Measures the kinds in turns, and prints a table row for each."""
    writes = Writes(place, share)
    found = {name: [] for name in kinds}
    for _ in range(asked.turns):
        for name, watcher in kinds.items():
            found[name].append(measure(place, counted, watcher, writes, asked))
    writes.client.close()
    base = None
    for name, turns in found.items():
        standing, each = parts(turns)
        whole = standing / asked.writes + each
        base = base or whole
        print(f"| {share:.0%} | {name} | {each:,.0f} | {standing:,.0f} | {whole:,.0f} | {whole / base - 1:+.1%} |", flush=True)
