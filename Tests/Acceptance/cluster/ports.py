"""Where each part of the cluster listens, always on loopback."""

import dataclasses
import socket

ADDRESS = "127.0.0.1"


@dataclasses.dataclass(frozen=True)
class Ports:
    balancer: int
    # The servers for clients, and for each other; then the primary and its standbys.
    nodes: tuple
    links: tuple
    postgres: tuple

    @staticmethod
    def after(first):
        """The balancer's port, and those behind it: a hundred apart for each kind. 0 finds free ones."""
        if first == 0:
            found = free(10)
            return Ports(found[0], tuple(found[1:4]), tuple(found[4:7]), tuple(found[7:10]))
        return Ports(first, *(tuple(first + kind + number for number in (1, 2, 3)) for kind in (0, 100, 200)))


def free(count):
    """Ports that nobody listens on now; all are held until all are found, so that they differ."""
    sockets = [socket.create_server((ADDRESS, 0)) for _ in range(count)]
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports
