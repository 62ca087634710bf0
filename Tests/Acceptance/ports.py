"""Free ports for servers that cannot choose one themselves."""

import random
import socket


def free_ports(count):
    """Returns ports without a listener. They lie outside the ephemeral range, so that no outgoing connection takes one while a
    server is down."""
    found = set()
    while len(found) < count:
        port = random.randrange(20_000, 32_768)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.add(port)
    return list(found)


def free_port():
    return free_ports(1)[0]
