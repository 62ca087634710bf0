"""Faults of the network between machines, and of the PostgreSQL that the nodes share."""

import signal

from faults.patroni import NAMES


class NetworkFault:
    kind = ""

    def __init__(self, network, name, others=None):
        self.network, self.name, self.others = network, name, others
        self.target = "-".join([name, *(others or [])])
        self.lets_go = {name, *(others or [])}

    def make(self):
        self.network.cut(self.name, self.others)

    def undo(self):
        self.network.heal(self.name)


class CutLink(NetworkFault):
    kind = "cut between two nodes"


class CutStore(NetworkFault):
    kind = "cut of a node from PostgreSQL"

    def __init__(self, network, name):
        super().__init__(network, name, list(NAMES))


class CutOff(NetworkFault):
    kind = "cut of a node from everything"


class StoreFault:
    """A fault of the PostgreSQL primary. Nodes must keep their clients during it."""

    kind = ""

    def __init__(self, patroni):
        self.patroni, self.target, self.lets_go = patroni, patroni.primary(), set()

    def make(self):
        raise NotImplementedError

    def undo(self):
        """The old primary may return after another server was promoted."""
        self.patroni.wait_for_another(self.target)


class KillServer(StoreFault):
    kind = "kill -9 of PostgreSQL"

    def make(self):
        self.patroni.kill_server(self.target)

    def undo(self):
        """Patroni restarts it, or promotes another server."""


class KillMachine(StoreFault):
    kind = "kill -9 of PostgreSQL's machine"

    def make(self):
        self.patroni.kill(self.target)

    def undo(self):
        super().undo()
        self.patroni.launch(self.target)


class FreezeMachine(StoreFault):
    kind = "freeze of PostgreSQL's machine"

    def make(self):
        self.patroni.send(self.target, signal.SIGSTOP)

    def undo(self):
        super().undo()
        self.patroni.send(self.target, signal.SIGCONT)


class CutMachine(StoreFault):
    kind = "cut of PostgreSQL's machine"

    def make(self):
        self.patroni.network.cut(self.target)

    def undo(self):
        super().undo()
        self.patroni.network.heal(self.target)


class CutPrimary(CutMachine):
    """Nodes still reach the old primary, in whose place Patroni promotes another server."""

    kind = "cut of PostgreSQL's primary from its standbys"

    def make(self):
        self.patroni.network.cut(self.target, [*(name for name in NAMES if name != self.target), "home"])


class SwitchOver(StoreFault):
    kind = "switchover of PostgreSQL"

    def make(self):
        self.patroni.switch_over(self.target)


class Together:
    """A fault of a node and one of PostgreSQL at once: all leases expire, and the owner after it may be another node."""

    kind = "a node and PostgreSQL at once"

    def __init__(self, node, store):
        self.parts = [node, store]
        self.target = " and ".join(f"{part.kind} {part.target}" for part in self.parts)
        self.lets_go = node.lets_go | store.lets_go

    def make(self):
        for part in self.parts:
            part.make()

    def undo(self):
        for part in reversed(self.parts):
            part.undo()
