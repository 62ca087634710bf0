"""Faults of nodes: what befalls a server of its own accord, or of its operator's."""

import dataclasses
import signal

from conftest import Server


@dataclasses.dataclass
class Node:
    """A node of the cluster, and the secret that opens everything on it."""

    name: str
    server: Server
    secret: str


class NodeFault:
    """Something that is made and undone. Clients of the nodes in `lets_go` may be let go by it, and no others."""

    kind = ""

    def __init__(self, node):
        self.node, self.target, self.lets_go = node, node.name, {node.name}

    def make(self):
        raise NotImplementedError

    def undo(self):
        self.node.server.start()


class Kill(NodeFault):
    kind = "kill -9 of a node"

    def make(self):
        self.node.server.kill()


class Freeze(NodeFault):
    kind = "freeze of a node"

    def make(self):
        self.node.server.process.send_signal(signal.SIGSTOP)

    def undo(self):
        self.node.server.process.send_signal(signal.SIGCONT)


class ShortFreeze(Freeze):
    """For less than its lease."""

    kind = "short freeze of a node"

    def __init__(self, node):
        super().__init__(node)
        self.lets_go = set()


class Restart(NodeFault):
    kind = "restart of a node"

    def make(self):
        self.node.server.stop()


class Drain(NodeFault):
    """It gives away what it owns first, while it is used."""

    kind = "drain of a node"

    def make(self):
        self.node.server.run("cluster", "drain", self.node.name)
        self.node.server.stop()
