"""One network namespace for each simulated machine, connected by a bridge, with addresses that exist only there.

All of them lie in namespaces of the program itself, see ``alone``: the kernel removes them when the program ends."""

import os
import signal
import subprocess
import sys

# The address of the clients. The machines' addresses follow it.
HOME = "10.77.0.1"
EVERYBODY = "10.77.0.0/24"


def alone():
    """Runs this program again in mount, network and process namespaces of its own. All processes in it end with it."""
    if "HEARTH_FAULTS_ALONE" not in os.environ:
        os.environ["HEARTH_FAULTS_ALONE"] = "1"
        os.execvp("unshare", [
            "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-m",
            "faults", *sys.argv[1:]])
    _lead(os.fork())
    os.makedirs("/run/netns", exist_ok=True)
    run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
    run("ip", "link", "set", "lo", "up")


def _lead(child):
    """Runs as the namespace's first process, which adopts orphaned processes and must reap them: a process that is not reaped still
    appears as running. The child runs the program itself."""
    if child == 0:
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(child, number))
    while True:
        ended, status = os.wait()
        if ended == child:
            os._exit(os.waitstatus_to_exitcode(status) & 0xff)


def run(*command, given=None):
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


# A cut link drops packets without an error message.
RULES = """
table inet faults {
  set lost { type ipv4_addr; flags interval; }
  chain input { type filter hook input priority 0; ip saddr @lost drop; }
  chain output { type filter hook output priority 0; ip daddr @lost drop; }
}
"""


class Network:
    """Machines by name, in the order of their addresses; `home` is the namespace of the clients."""

    def __init__(self, names):
        self.addresses = {name: f"10.77.0.{11 + number}" for number, name in enumerate(names)} | {"home": HOME}
        run("ip", "link", "add", "hearth", "type", "bridge")
        run("ip", "address", "add", f"{HOME}/24", "dev", "hearth")
        run("ip", "link", "set", "hearth", "up")
        for name in names:
            address = self.addresses[name]
            run("ip", "netns", "add", name)
            run("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "link", "set", f"to-{name}", "master", "hearth", "up")
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                run("ip", "-n", name, "link", "set", device, "up")
            run(*self.within(name), "nft", "-f", "-", given=RULES)

    @staticmethod
    def within(name):
        """Returns the command prefix that runs a program on a machine."""
        return ["ip", "netns", "exec", name]

    def cut(self, name, others=None):
        """Drops all packets between a machine and the others, or all machines if none is given."""
        lost = ", ".join(self.addresses[other] for other in others) if others else EVERYBODY
        run(*self.within(name), "nft", f"add element inet faults lost {{ {lost} }}")

    def heal(self, name):
        run(*self.within(name), "nft", "flush set inet faults lost")

    @staticmethod
    def processes(name):
        """Returns the ids of the processes on a machine."""
        return [int(number) for number in run("ip", "netns", "pids", name).split()]
