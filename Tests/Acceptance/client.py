"""A WebSocket client of the Realtime Database protocol that passes every frame of the server to the test."""

import json
import time

import requests
import urllib3
import websocket
from waits import WAIT_SECONDS


def stream_lines(answer):
    """Yields the lines of an event stream as they arrive. `iter_lines` would wait for a whole block of bytes."""
    rest = b""
    try:
        while part := answer.raw.read1(1 << 16):
            *lines, rest = (rest + part).split(b"\n")
            yield from (line.removesuffix(b"\r").decode() for line in lines)
    except urllib3.exceptions.HTTPError as error:
        raise requests.ConnectionError(error) from error


class Client:
    """Speaks protocol version 5. A request returns its number; `expect` asserts the content of the next frame."""

    def __init__(self, server, ns=None, last_session=None, hello=True, timeout=WAIT_SECONDS):
        query = "v=5" + (f"&ns={ns}" if ns else "") + (f"&ls={last_session}" if last_session else "")
        scheme = "wss" if server.scheme == "https" else "ws"
        self.socket = websocket.create_connection(
            f"{scheme}://{server.authority}/.ws?{query}", timeout=timeout, enable_multithread=False)
        self.number = 0
        if hello:
            first = self.receive()
            assert first["t"] == "c" and first["d"]["t"] == "h", first
            greeting = first["d"]["d"]
            assert greeting["v"] == "5" and isinstance(greeting["ts"], int), greeting
            assert greeting["h"] == server.authority, greeting
            self.session = greeting["s"]

    def receive(self):
        """Returns the next whole message; joins the frames of a message that a count header announces."""
        text = self.socket.recv()
        if text.isdigit() and len(text) <= 6:
            text = "".join(self.socket.recv() for _ in range(int(text)))
        return json.loads(text)

    def send_text(self, text):
        self.socket.send(text)

    def request(self, action, **body):
        self.number += 1
        self.send_text(json.dumps({"t": "d", "d": {"r": self.number, "a": action, "b": body}}))
        return self.number

    def expect(self, action, **body):
        """Asserts that the next frame is this push."""
        frame = self.receive()
        assert frame == {"t": "d", "d": {"a": action, "b": body}}, frame

    def reply(self, number=None, status="ok", **more):
        """Asserts that the next frame answers the request with this number (by default the last request); returns its payload."""
        frame = self.receive()
        assert frame["t"] == "d" and frame["d"].get("r") == (number or self.number), frame
        assert frame["d"]["b"]["s"] == status, frame
        if "d" in more:
            assert frame["d"]["b"]["d"] == more["d"], frame
        return frame["d"]["b"].get("d")

    def call(self, action, status="ok", **body):
        """Sends a request and asserts that the next frame is its answer."""
        return self.reply(self.request(action, **body), status)

    def silent(self, seconds=0.2):
        """Asserts that the server sends nothing more: the frame after this is the answer to a ping."""
        self.send_text('{"t":"c","d":{"t":"p","d":{}}}')
        frame = self.receive()
        assert frame == {"t": "c", "d": {"t": "o", "d": None}}, frame
        self.socket.settimeout(seconds)
        try:
            raise AssertionError(self.receive())
        except websocket.WebSocketTimeoutException:
            pass
        finally:
            self.socket.settimeout(WAIT_SECONDS)

    def sign_in(self, token, action="auth"):
        return self.call(action, cred=token)

    def listen(self, path, data=None, status="ok"):
        """Starts a listen without cached data. `data` is the value that must arrive before the answer; None when no data is
        stored."""
        number = self.request("q", p=path, h="")
        if data is not None:
            self.expect("d", p=path.strip("/"), d=data)
        return self.reply(number, status)

    def closed(self):
        """Returns True when the server closes the socket; ignores the frames before that."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                self.socket.settimeout(max(0.01, deadline - time.monotonic()))
                if self.socket.recv() == "":
                    return True
            except websocket.WebSocketTimeoutException:
                return False
            except (websocket.WebSocketException, OSError):
                return True
        return False

    def close(self):
        self.socket.close()
