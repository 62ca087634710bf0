"""HAProxy in front of the nodes: the clients of one database go to one node, unless that node is overloaded."""

import pathlib
import shutil
import socket

from cluster.ports import ADDRESS
from cluster.process import Ended, Running

CONFIGURATION = """\
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  # Sockets of clients, and streams of events.
  timeout tunnel 1h
  option forwardfor
  option redispatch
  retries 2

frontend clients
  bind {address}:{port}
  default_backend nodes

backend nodes
  # Clients name their database in the URL, and those of one database go to one server, which saves the others a copy of it.
  # A server takes half as much again as its share at most. Nothing depends on either.
  balance url_param ns
  hash-type consistent
  hash-balance-factor 150
  option httpchk GET /.health/ready
  http-check expect status 200
{servers}
"""


class Balancer:
    def __init__(self, folder, port, nodes, configuration=CONFIGURATION):
        """`nodes` is a list of (name, port)."""
        self.folder, self.port, self.nodes, self.configuration = folder, port, nodes, configuration
        self.running = []

    def start(self):
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        if not pathlib.Path(program).exists():
            raise Ended("HAProxy is not installed: apt-get install haproxy")
        servers = "\n".join(
            f"  server {name} {ADDRESS}:{port} check inter 1s fall 2 rise 1" for name, port in self.nodes)
        file = self.folder / "haproxy.cfg"
        file.write_text(
            self.configuration.format(address=ADDRESS, port=self.port, servers=servers), encoding="utf-8")
        running = Running("haproxy", [program, "-db", "-f", str(file)], self.folder)
        self.running.append(running)
        running.until(self._listens, "was to listen")

    def _listens(self):
        try:
            socket.create_connection((ADDRESS, self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def end(self):
        for one in self.running:
            one.end()
