"""The Hearth nodes of the cluster, each with a data folder and a TLS certificate that the other nodes trust."""

import shutil
import subprocess
import urllib.error
import urllib.request

from cluster.ports import ADDRESS
from cluster.process import Ended, Running

NAMES = ("a", "b", "c")


class Nodes:
    def __init__(self, folder, hearth, url, ports, links, rules):
        self.folder, self.hearth, self.url, self.rules = folder, hearth, url, rules
        self.ports, self.links = dict(zip(NAMES, ports)), dict(zip(NAMES, links))
        self.identities = folder / "identities"
        self.running = []

    def prepare(self):
        """Makes the certificates, and the data folders with the keys that all nodes share."""
        done = subprocess.run(
            [self.hearth, "cluster", "init", str(self.identities), "--nodes", ",".join(NAMES)], capture_output=True,
            text=True)
        if done.returncode != 0:
            raise Ended(f"hearth cluster init ended with {done.returncode}: {done.stderr.strip()}")
        for name in NAMES:
            data = self._data(name)
            data.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (data / "keys").exists():
                shutil.copytree(self.identities / name / "keys", data / "keys")

    def start(self):
        """Starts all nodes, and waits until each is ready."""
        for name in NAMES:
            self.running.append(Running(f"node-{name}", self.command(name), self.folder))
        for running, name in zip(self.running, NAMES):
            running.until(lambda name=name: self._is_ready(name), "was to be ready")

    def command(self, name):
        """Returns the command line of a node."""
        peers = [part for other in NAMES if other != name for part in ("--peer", self._link(other))]
        return [
            self.hearth, "serve", "--data", str(self._data(name)), "--cluster", self.url, "--node", self._link(name),
            *peers, "--cluster-identity", str(self.identities / name), "--host", ADDRESS,
            "--port", str(self.ports[name]), *(["--rules", str(self.rules)] if self.rules else [])]

    def end(self):
        for one in self.running:
            one.end()

    def _link(self, name):
        return f"{name}={ADDRESS}:{self.links[name]}"

    def _data(self, name):
        return self.folder / f"data-{name}"

    def _is_ready(self, name):
        try:
            with urllib.request.urlopen(f"http://{ADDRESS}:{self.ports[name]}/.health/ready", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False
