"""Three Hearth nodes and three PostgreSQL machines, and the faults that can be made on them."""

import random
import shutil
import signal

from cluster_nodes import Cluster
from faults import cables, nodes
from faults.lap import RULES
from faults.network import Network
from faults.patroni import NAMES as STORES
from faults.patroni import Patroni

NODES = "abc"

# For each fault: its weight in the random choice, and its shortest and longest duration in seconds.
KINDS = {
    nodes.Kill: (3, 0, 8), nodes.ShortFreeze: (2, 1, 4), nodes.Freeze: (3, 7, 11), nodes.Restart: (2, 0, 2),
    nodes.Drain: (2, 0, 0), cables.CutLink: (3, 3, 12), cables.CutStore: (3, 3, 12), cables.CutOff: (3, 3, 12),
    cables.KillServer: (2, 0, 0), cables.KillMachine: (1, 0, 0), cables.FreezeMachine: (1, 0, 0),
    cables.CutMachine: (1, 0, 0), cables.CutPrimary: (1, 0, 0), cables.SwitchOver: (2, 0, 0),
    cables.Together: (2, 0, 8)}


class Deployment:
    """Runs in a folder that does not exist yet."""

    def __init__(self, network, folder, programs, is_synchronous):
        self.network, self.folder = network, folder
        folder.mkdir(parents=True)
        # The user that PostgreSQL runs as needs access.
        folder.chmod(0o755)
        self.patroni = Patroni(network, folder / "postgres", programs, is_synchronous)
        self.cluster = self.nodes = self.tokens = None

    def start(self):
        self.patroni.start()
        machines = {name: (self.network.addresses[name], self.network.within(name)) for name in NODES}
        self.cluster = Cluster(
            self.folder, "--history", "7d", "--history-who", rules=RULES, postgres=self.patroni, machines=machines)
        self.cluster.start()
        secret = self.cluster["a"].secret()
        self.nodes = {name: nodes.Node(name, server, secret) for name, server in self.cluster.nodes.items()}
        self.tokens = {name: self.cluster["a"].token(name) for name in NODES}
        return self

    def draw(self, numbers, only=""):
        """Returns a random fault, and its duration in seconds.

        - only: a text that the fault's name must contain.
        """
        kinds = {kind: weight for kind, (weight, _, _) in KINDS.items() if only in kind.kind}
        kind = numbers.choices(list(kinds), list(kinds.values()))[0]
        seconds = numbers.uniform(*KINDS[kind][1:])
        # Prefers the owner, which decides all writes.
        wants_owner, name, other = numbers.random() < 0.4, *numbers.sample(NODES, 2)
        if wants_owner:
            owner = self.cluster.owner(NODES[0])
            name, other = owner, other if other != owner else name
        if kind is cables.Together:
            node = numbers.choice([nodes.Kill, nodes.Freeze, nodes.Restart])(self.nodes[name])
            store = numbers.choice([cables.KillServer, cables.KillMachine, cables.CutPrimary, cables.SwitchOver])
            return kind(node, store(self.patroni)), seconds
        if issubclass(kind, nodes.NodeFault):
            return kind(self.nodes[name]), seconds
        if issubclass(kind, cables.StoreFault):
            return kind(self.patroni), seconds
        return kind(self.network, name, *([[other]] if kind is cables.CutLink else [])), seconds

    def wait_until_whole(self):
        self.patroni.wait_until_whole()

    def keep_logs(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for log in [*self.folder.glob("*.log"), *self.folder.glob("*.out"), *(self.folder / "postgres").glob("*/log/*")]:
            shutil.copy(log, folder)

    def end(self):
        """Kills all processes at once."""
        for name in [*NODES, *STORES]:
            self.network.heal(name)
            self.patroni.send(name, signal.SIGKILL)
        self.patroni.etcd.end(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
