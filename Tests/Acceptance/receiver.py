"""A receiver of events that answers as it is told and writes down what it got, one line for each request."""

import http.server
import json
import threading


class Receiver:
    def __init__(self, answer=lambda number, request: 204, port=0):
        self.requests = []
        self.answer = answer
        self.lock = threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = {"headers": dict(self.headers), "body": body, "json": json.loads(body)}
                with receiver.lock:
                    receiver.requests.append(request)
                    number = len(receiver.requests)
                status = receiver.answer(number, request)
                headers = {}
                if isinstance(status, tuple):
                    status, headers = status
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def got(self):
        with self.lock:
            return list(self.requests)
