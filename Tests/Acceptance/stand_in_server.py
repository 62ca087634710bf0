"""HTTP servers on loopback that replace the services that a server or a command of Hearth calls."""

import http.server
import json
import threading
import urllib.parse


class StandInRequest(http.server.BaseHTTPRequestHandler):
    """One request to a stand-in: its body, and the response to it."""

    def setup(self):
        self.protocol_version = self.server.stand_in.protocol
        super().setup()

    def respond(self):
        self.server.stand_in.respond(self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

    def log_message(self, *_):
        pass

    def body(self):
        """The bytes of the body; called once for a request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def form(self):
        """The fields of a body in the form encoding."""
        return dict(urllib.parse.parse_qsl(self.body().decode()))

    def reply(self, body=b"", status=200, content_type=None, headers=None):
        """Sends a whole response. A body that is neither bytes nor text is sent as JSON."""
        if not isinstance(body, (bytes, str)):
            body, content_type = json.dumps(body), content_type or "application/json"
        content = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        for name, value in {"Content-Type": content_type, **(headers or {})}.items():
            if value is not None:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class StandInServer:
    """An HTTP server that serves from the moment it is made until `close`; a subclass defines `respond(request)`."""

    protocol = "HTTP/1.0"

    def __init__(self, address="127.0.0.1", port=0):
        self.server = _Server((address, port), StandInRequest)
        self.server.stand_in = self
        self.port = self.server.server_port
        self.origin = f"http://{address}:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def respond(self, request):
        raise NotImplementedError

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
