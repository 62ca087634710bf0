"""Instructions instead of time: the server runs in callgrind, where what else the machine does changes nothing.

What it takes is told apart by two rates of writes: so much a second, whether anybody writes or not, and so much for each write.
What the kernel does for it is not in it."""

import contextlib
import pathlib
import re
import shutil
import subprocess
import time

from client import Client

# As many writes together as come in a hundredth of a second of 2,000 a second.
GROUP = 20
# Groups a second: a server in callgrind keeps up with both.
RATES = (1, 6)


# libdispatch suspends a thread with a mask in memory that nobody may write to, and valgrind writes to it.
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
        """What the server's command begins with."""
        if not shutil.which("callgrind_control"):
            raise SystemExit("callgrind is missing: install valgrind.")
        library = pathlib.Path(folder) / "suspend.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-xc", "-"], input=SUSPEND, text=True, check=True)
        return ["env", f"LD_PRELOAD={library}", "valgrind", "-q", "--tool=callgrind",
                f"--callgrind-out-file={folder}/instructions.%p"]

    def take(self):
        """Instructions since the last time."""
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
    """Writes in groups, each once the one before was answered."""

    def __init__(self, place, share):
        self.place, self.children, self.client = place, place.children(share), Client(place.server)

    def make(self, groups, rate):
        """So many groups, at so many a second. Returns how many seconds it took, and how many writes those were."""
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
    """Of each rate: instructions, seconds, writes."""
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
    """Instructions a second and for each write. What a server does now and then only adds: the least of the turns count."""
    (slow, few), (fast, many) = ((taken / seconds, count / seconds) for taken, seconds, count in map(min, zip(*turns)))
    each = (fast - slow) / (many - few)
    return slow - few * each, each


def compare(place, counted, asked, share, kinds):
    """Each in turns; a row of the table for each."""
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
