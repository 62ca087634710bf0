"""A receiver of events that records the requests and answers as the test defines."""

import json
import threading

from stand_in_server import StandInServer


class Receiver(StandInServer):
    """Records each request; `answer(number, request)` returns the status, or the status and headers."""

    protocol = "HTTP/1.1"

    def __init__(self, answer=lambda number, request: 204, port=0):
        self.requests = []
        self.answer = answer
        self.lock = threading.Lock()
        super().__init__(port=port)
        self.url = f"{self.origin}/"

    def respond(self, request):
        body = request.body()
        received = {"headers": dict(request.headers), "body": body, "json": json.loads(body)}
        with self.lock:
            self.requests.append(received)
            number = len(self.requests)
        status = self.answer(number, received)
        status, headers = status if isinstance(status, tuple) else (status, {})
        request.reply(status=status, headers=headers)

    def got(self):
        with self.lock:
            return list(self.requests)
