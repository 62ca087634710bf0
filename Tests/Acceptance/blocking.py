"""Runs blocking functions as Cloud Functions does: each in a process of the functions framework, which verifies the requests."""

import os
import pathlib
import select
import socket
import subprocess
import sys
import threading
import time

from ports import free_port
from waits import WAIT_SECONDS

SOURCE = pathlib.Path(__file__).parent / "functions"
KEY_HOST = "www.googleapis.com"


class Tunnel:
    """An HTTP proxy that tunnels `www.googleapis.com:443` to a server on this machine and refuses every other address."""

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.count = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            part = client.recv(4096)
            if not part:
                return client.close()
            head += part
        if head.split(b" ")[:2] != [b"CONNECT", f"{KEY_HOST}:443".encode()]:
            client.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            return client.close()
        self.count += 1
        with client, socket.create_connection(self.target) as server:
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    (server if end is client else client).sendall(data)

    def close(self):
        self.listener.close()


class Function:
    """One function, in a process of its own."""

    def __init__(self, target, project, log, environment=None, source=SOURCE):
        self.port = free_port()
        self.log = log
        clean = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "functions_framework", "--target", target, "--source", source / "main.py",
                 "--signature-type", "http", "--host", "127.0.0.1", "--port", str(self.port)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=source,
                env=clean | {"GCLOUD_PROJECT": project, "GOOGLE_CLOUD_PROJECT": project,
                             "PYTHONDONTWRITEBYTECODE": "1"} | (environment or {}))
        self.url = f"http://127.0.0.1:{self.port}"

    def ready(self):
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"the function was not ready: {self.log.read_text()}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(WAIT_SECONDS)
