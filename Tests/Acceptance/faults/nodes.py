"""Faults of nodes: crashes, stalls, restarts and drains."""

import dataclasses
import signal

from conftest import Server


@dataclasses.dataclass
class Node:
    """A node of the cluster, with a database secret that grants full access on it."""

    name: str
    server: Server
    secret: str


class NodeFault:
    """A fault that is made and undone. It may disconnect clients of the nodes in `lets_go`, and no others."""

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
    """A freeze that is shorter than the node's lease."""

    kind = "short freeze of a node"

    def __init__(self, node):
        super().__init__(node)
        self.lets_go = set()


class Restart(NodeFault):
    kind = "restart of a node"

    def make(self):
        self.node.server.stop()


class Drain(NodeFault):
    """The node hands over its databases before it stops, under load."""

    kind = "drain of a node"

    def make(self):
        self.node.server.run("cluster", "drain", self.node.name)
        self.node.server.stop()
