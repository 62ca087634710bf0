"""A receiver that writes each event down, durably, before it answers; so that it can be killed at any moment."""

import http.server
import json
import os
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = event["data"]
        line = json.dumps([data["path"], event["id"], data["sequence"], data["values"]["after"]]) + "\n"
        # One write at the end of the file: lines of threads do not mix. It starts on a line of its own after a kill.
        os.write(LOG, line.encode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    LOG = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    http.server.ThreadingHTTPServer.request_queue_size = 128
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
