"""Cluster nodes that share one PostgreSQL, each a server process of its own, for one test."""

import json

from conftest import Server, hearth
from detour import Detour
from ports import free_ports
from postgres import Postgres
from waits import until


def make_identities(folder, names):
    """Makes a folder for each node, with its certificate and with the keys that all nodes share."""
    hearth("cluster", "init", str(folder), "--nodes", ",".join(names))


class Cluster:
    """Up to three nodes, named a, b and c.

    - postgres: an existing PostgreSQL for the nodes; None to start one.
    - machines: for nodes that run elsewhere than on this machine: {name: (address, prefix of the commands there)}.
    - programs: for nodes that start with another program than the tested one: {name: path}.
    """

    def __init__(
            self, folder, *options, names="abc", rules=None, command="serve", postgres=None, machines=None, programs=None):
        self.postgres = postgres or Postgres().start()
        self.folder = folder
        make_identities(folder / "identities", names)
        machines = machines or {name: ("127.0.0.1", ()) for name in names}
        ports = free_ports(2 * len(names))
        places = {name: f"{name}={machines[name][0]}:{port}" for name, port in zip(names, ports)}
        self.nodes, self.detours = {}, []
        for name, port in zip(names, ports[len(names):]):
            others = [part for other in names if other != name for part in ("--peer", places[other])]
            self.nodes[name] = Server(
                folder / name, "--cluster", self.postgres.url(), "--node", places[name], *others, "--host", machines[name][0],
                "--cluster-identity", str(folder / "identities" / name), *options, command=command, rules=rules,
                within=machines[name][1])
            self.nodes[name].keep_port(port)
            if programs:
                self.nodes[name].use(programs[name])

    def __getitem__(self, name):
        return self.nodes[name]

    def start(self):
        for node in self.nodes.values():
            node.start()
        return self

    def status(self, name):
        """Returns the cluster status that a node reports."""
        return json.loads(self.nodes[name].run("cluster", "status", "--json"))

    def database(self, name, database="default"):
        return next(row for row in self.status(name)["databases"] if row["name"] == database)

    def owner(self, name, database="default"):
        """Returns the name of the node that owns a database, as another node reports it."""
        return self.database(name, database)["owner"]

    def owner_and_other(self):
        """Returns the owner of the default database, and the other one of the nodes a and b."""
        owner = self.owner("a")
        return self[owner], self["b" if owner == "a" else "a"]

    def wait_for_owner(self, asked, owner, database="default"):
        until(lambda: self.owner(asked, database) == owner, f"{owner} does not own {database}")

    def lead_around(self, name):
        """From its next start on, all that goes between a node and PostgreSQL or other nodes goes by detours, which are
        returned."""
        node, made = self.nodes[name], [Detour(self.postgres.socket)]
        place = node.arguments.index("--cluster") + 1
        node.arguments[place] = f"postgres://postgres@127.0.0.1:{made[0].port}/postgres"
        for each in self.nodes.values():
            for place, argument in enumerate(each.arguments):
                if each.arguments[place - 1] == "--peer" and (each is node or argument.startswith(f"{name}=")):
                    other, port = argument.split("=")[0], int(argument.rsplit(":", 1)[1])
                    made.append(Detour(port))
                    each.arguments[place] = f"{other}=127.0.0.1:{made[-1].port}"
        self.detours += made
        return made

    def remove(self):
        for node in self.nodes.values():
            node.kill()
        for detour in self.detours:
            detour.close()
        self.postgres.remove()
