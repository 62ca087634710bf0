"""Faults of what is between machines, and of the PostgreSQL that nodes share."""

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
    """Of the PostgreSQL that is the primary. Nodes keep their clients meanwhile."""

    kind = ""

    def __init__(self, patroni):
        self.patroni, self.target, self.lets_go = patroni, patroni.primary(), set()

    def make(self):
        raise NotImplementedError

    def undo(self):
        """It may come back when another one has taken its place."""
        self.patroni.wait_for_another(self.target)


class KillServer(StoreFault):
    kind = "kill -9 of PostgreSQL"

    def make(self):
        self.patroni.kill_server(self.target)

    def undo(self):
        """Patroni starts it again, or has another one take its place."""


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
    """Nodes still reach the one whose place another takes."""

    kind = "cut of PostgreSQL's primary from its standbys"

    def make(self):
        self.patroni.network.cut(self.target, [*(name for name in NAMES if name != self.target), "home"])


class SwitchOver(StoreFault):
    kind = "switchover of PostgreSQL"

    def make(self):
        self.patroni.switch_over(self.target)


class Together:
    """Two faults at once, one of a node and one of PostgreSQL: all leases are over, and who comes back is not who was there."""

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
