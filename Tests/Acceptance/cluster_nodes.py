"""Nodes of a cluster over one PostgreSQL, each a server of its own, for one test."""

import json
import socket

from conftest import Server, hearth
from postgres import Postgres
from waits import until


def free_ports(count):
    """Ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def make_identities(folder, names):
    """A folder for each node with its certificate, and the keys that all have."""
    hearth("cluster", "init", str(folder), "--nodes", ",".join(names))


class Cluster:
    """Up to three nodes, named a, b and c.

    - postgres: what they share, if that is there already.
    - machines: where each of them is, if they are not all here: by name, an address and what a command begins with there.
    """

    def __init__(self, folder, *options, names="abc", rules=None, command="serve", postgres=None, machines=None):
        self.postgres = postgres or Postgres().start()
        self.folder = folder
        make_identities(folder / "identities", names)
        machines = machines or {name: ("127.0.0.1", ()) for name in names}
        places = {name: f"{name}={machines[name][0]}:{port}" for name, port in zip(names, free_ports(len(names)))}
        self.nodes = {}
        for name in names:
            others = [part for other in names if other != name for part in ("--peer", places[other])]
            self.nodes[name] = Server(
                folder / name, "--cluster", self.postgres.url(), "--node", places[name], *others, "--host", machines[name][0],
                "--cluster-identity", str(folder / "identities" / name), *options, command=command, rules=rules,
                within=machines[name][1])

    def __getitem__(self, name):
        return self.nodes[name]

    def start(self):
        for node in self.nodes.values():
            node.start()
        return self

    def status(self, name):
        """What a node says of the cluster."""
        return json.loads(self.nodes[name].run("cluster", "status", "--json"))

    def database(self, name, database="default"):
        return next(row for row in self.status(name)["databases"] if row["name"] == database)

    def owner(self, name, database="default"):
        """The name of the node that owns a database, as another one says."""
        return self.database(name, database)["owner"]

    def wait_for_owner(self, asked, owner, database="default"):
        until(lambda: self.owner(asked, database) == owner, f"{owner} does not own {database}")

    def remove(self):
        for node in self.nodes.values():
            node.kill()
        self.postgres.remove()
