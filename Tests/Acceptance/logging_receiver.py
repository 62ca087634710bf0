"""A receiver of events, run as a process of its own, that syncs each event to a file before it answers; tests kill it at any
time."""

import json
import os
import sys

from stand_in_server import StandInServer


class LoggingReceiver(StandInServer):
    """Appends one line for each event to the file descriptor `log`."""

    protocol = "HTTP/1.1"

    def __init__(self, port, log):
        self.log = log
        super().__init__(port=port)

    def respond(self, request):
        event = json.loads(request.body())
        data = event["data"]
        line = json.dumps([data["path"], event["id"], data["sequence"], data["values"]["after"]]) + "\n"
        # One write in append mode: lines of concurrent threads do not mix, and the line after a kill starts on a new line.
        os.write(self.log, line.encode())
        request.reply(status=204)


if __name__ == "__main__":
    LoggingReceiver(int(sys.argv[1]), os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)).thread.join()
