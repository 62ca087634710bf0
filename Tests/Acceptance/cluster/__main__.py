"""Starts the cluster, prints its URL, and stops it on a signal."""

import argparse
import os
import pathlib
import shlex
import signal
import sys
import time

from cluster.balancer import Balancer
from cluster.nodes import NAMES, Nodes
from cluster.ports import ADDRESS, Ports
from cluster.postgres import Replicas
from cluster.process import Ended

ROOT = pathlib.Path(__file__).resolve().parents[3]


def arguments():
    parser = argparse.ArgumentParser(prog="make cluster")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / ".build" / "cluster",
                        help="where everything is; kept for the next time (default: .build/cluster)")
    parser.add_argument("--port", type=int, default=9000,
                        help="the balancer's; others are behind it; 0 finds free ones (default: 9000)")
    parser.add_argument("--rules", type=pathlib.Path, default=ROOT / "Rules" / "starter.json",
                        help="for databases without rules of their own (default: Rules/starter.json)")
    parser.add_argument("--without-nodes", action="store_true",
                        help="start PostgreSQL and the balancer, and print what starts the servers")
    return parser.parse_args()


def run(options):
    """Starts the parts in order, waits for a signal, and stops the parts in reverse order."""
    folder, ports = options.folder.resolve(), Ports.after(options.port)
    hearth = str((ROOT / os.environ.get("HEARTH", ".build/release/hearth")).resolve())
    parts = []
    # Registered before its start, so that a part that started halfway is stopped, too.
    try:
        postgres = Replicas(folder / "postgres", ports.postgres)
        parts.append(postgres)
        postgres.start()
        nodes = Nodes(folder, hearth, postgres.url(), ports.nodes, ports.links, options.rules.resolve())
        nodes.prepare()
        if not options.without_nodes:
            parts.append(nodes)
            nodes.start()
        balancer = Balancer(folder, ports.balancer, list(zip(NAMES, ports.nodes)))
        parts.append(balancer)
        balancer.start()
        if options.without_nodes:
            for name in NAMES:
                print(shlex.join(nodes.command(name)))
        print(f"http://{ADDRESS}:{ports.balancer}", flush=True)
        # A node that was killed (to see what the others do) does not end the cluster.
        while True:
            for running in [one for part in parts for one in part.running]:
                running.tell()
            time.sleep(1)
    finally:
        # A second signal must not interrupt the stop of the other parts.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for part in reversed(parts):
            part.end()


def interrupted(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    # A shell ignores SIGINT for its background jobs; the cluster handles it also there.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)
    try:
        run(arguments())
    except KeyboardInterrupt:
        print("ended", file=sys.stderr)
    except Ended as problem:
        sys.exit(f"make cluster: {problem}")
