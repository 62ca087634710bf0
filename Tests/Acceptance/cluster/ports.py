"""The ports of the cluster's processes, always on loopback."""

import dataclasses
import socket

ADDRESS = "127.0.0.1"


@dataclasses.dataclass(frozen=True)
class Ports:
    balancer: int
    # The nodes' ports for clients, the nodes' ports for each other, and the ports of the primary and its standbys.
    nodes: tuple
    links: tuple
    postgres: tuple

    @staticmethod
    def after(first):
        """Returns the ports that follow the balancer's port, each kind 100 above the one before. A first port of 0 finds free
        ports."""
        if first == 0:
            found = free(10)
            return Ports(found[0], tuple(found[1:4]), tuple(found[4:7]), tuple(found[7:10]))
        return Ports(first, *(tuple(first + kind + number for number in (1, 2, 3)) for kind in (0, 100, 200)))


def free(count):
    """Returns free ports; each stays bound until all are found, so that they differ."""
    sockets = [socket.create_server((ADDRESS, 0)) for _ in range(count)]
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports
