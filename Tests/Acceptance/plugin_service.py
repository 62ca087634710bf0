"""A plugin that runs as a service: the hooks of a Python plugin behind HTTP or TLS, or responses that a test defines."""

import json
import pathlib
import ssl
import sys
import threading
from wsgiref.simple_server import make_server

from conftest import ROOT

sys.path.insert(0, str(ROOT / "Plugins" / "Python"))
_output = sys.stdout
from hearth_plugin import Plugin, allow, deny, webhook  # noqa: E402


class Service:
    """Serves until it is stopped. `answer`, when it is set, is a WSGI application that responds in the plugin's place."""

    def __init__(self, name, version="1", hooks=None, secrets=(), tls=None, port=0):
        self.plugin = Plugin(name, version)
        sys.stdout = _output
        for hook, function in (hooks or {}).items():
            self.plugin.hook(hook)(function)
        self.secrets, self.answer, self.headers = list(secrets), None, []
        self.server = make_server("127.0.0.1", port, self._application, webhook._Server, webhook._Handler)
        self.scheme = "http"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.scheme = "https"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    @property
    def port(self):
        return self.server.server_port

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/plugin"

    def _application(self, environ, start_response):
        self.headers.append({name: value for name, value in environ.items() if name.startswith("HTTP_WEBHOOK")})
        if self.answer:
            return self.answer(environ, start_response)
        return webhook.application(self.plugin, self.secrets)(environ, start_response)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def folder(self, path, version="1", **members):
        """Writes the plugin's manifest folder."""
        path = pathlib.Path(path)
        path.mkdir(exist_ok=True)
        (path / "plugin.json").write_text(json.dumps({
            "name": self.plugin.name, "version": version, "protocol": 1, "url": self.url,
            "hooks": list(self.plugin._hooks), **members}), encoding="utf-8")
        return path
