"""Malformed input: each kind gets the documented error or a closed socket, and other clients are not affected."""

import os
import queue
import socket
import struct
import threading

import pytest
import requests
from client import Client
from waits import WAIT_SECONDS

OPEN = '{ "rules": { ".read": true, ".write": true } }'


@pytest.fixture
def server(serve):
    server = serve(rules=OPEN)
    other = Client(server)
    other.listen("/quiet")
    # This client answers pings meanwhile: an attack may take longer than the server keeps a silent client.
    frames = queue.Queue()
    threading.Thread(target=lambda: frames.put([other.receive(), other.receive()]), daemon=True).start()
    yield server
    # The server is alive, its memory is bounded, and a client beside the attacker still receives its events.
    number = other.request("p", p="/quiet/x", d=1)
    push, reply = frames.get(timeout=WAIT_SECONDS)
    assert push == {"t": "d", "d": {"a": "d", "b": {"p": "quiet/x", "d": 1}}}, push
    assert reply["d"]["r"] == number and reply["d"]["b"]["s"] == "ok", reply
    assert resident_megabytes(server) < 600
    assert server.process.poll() is None


def resident_megabytes(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def upgraded(server):
    """Returns a raw TCP connection after the WebSocket handshake and the server's hello."""
    raw = socket.create_connection((server.host, server.port), timeout=WAIT_SECONDS)
    raw.sendall((f"GET /.ws?v=5 HTTP/1.1\r\nHost: {server.authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
    head = b""
    while b'"s":"' not in head:
        head += raw.recv(4096)
    assert b"101" in head.split(b"\r\n")[0] and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head
    return raw


def frame(opcode, payload, final=True, masked=True, reserved=0):
    mask = os.urandom(4) if masked else b""
    size = len(payload)
    length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65536 \
        else b"\x7f" + struct.pack(">Q", size)
    length = bytes([length[0] | (0x80 if masked else 0)]) + length[1:]
    body = bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if masked else payload
    return bytes([(0x80 if final else 0) | reserved | opcode]) + length + mask + body


def ends(raw, close_code=None):
    """Reads to the end of the connection; checks the close code when one is expected."""
    data = b""
    try:
        while chunk := raw.recv(65536):
            data += chunk
    except ConnectionResetError:
        pass
    if close_code is not None:
        assert bytes([0x88]) in data and struct.pack(">H", close_code) in data, data
    return True


BROKEN_FRAMES = {
    "unmasked": (frame(1, b"0", masked=False), 1002),
    "reserved bits": (frame(1, b"0", reserved=0x40), 1002),
    "unknown opcode": (frame(3, b"0"), 1002),
    "binary": (frame(2, b"\x00\x01"), 1003),
    "bad UTF-8": (frame(1, b"\xff\xfe"), 1007),
    "fragmented ping": (frame(9, b"", final=False), 1002),
    "continuation of nothing": (frame(0, b"x"), 1002),
    "length of 2^63": (b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", None),
    "a frame over the cap": (b"\x81\xff" + struct.pack(">Q", 1 << 32) + b"\0\0\0\0", 1009),
}


@pytest.mark.parametrize("name", BROKEN_FRAMES)
def test_broken_frames_close_the_socket(server, name):
    raw = upgraded(server)
    data, code = BROKEN_FRAMES[name]
    raw.sendall(data)
    assert ends(raw, code)


def test_a_truncated_frame_is_forgotten_with_its_connection(server):
    raw = upgraded(server)
    raw.sendall(frame(1, b"x" * 1000)[:500])
    raw.close()


@pytest.mark.parametrize("text", ["{", "[]", '"x"', '{"t":"d"}', '{"t":"x","d":{}}', "999999", "\x00",
                                  '{"t":"d","d":{"r":1e99,"a":"q","b":{}}}', '{"t":"d","d":{"r":1,"a":5,"b":{}}}'])
def test_malformed_messages_close_the_socket(server, text):
    client = Client(server)
    client.send_text(text)
    assert client.closed()


def test_missing_segments_do_not_hold_memory(server):
    clients = [Client(server) for _ in range(20)]
    for client in clients:
        client.send_text("9999")
        for _ in range(4):
            client.send_text("x" * 16384)
    assert resident_megabytes(server) < 400
    for client in clients:
        client.close()


def test_values_and_keys_beyond_the_limits(server):
    client = Client(server)

    def refused(path, value):
        number = client.request("p", p=path, d=value)
        answer = client.receive()["d"]
        assert answer["r"] == number and answer["b"]["s"] != "ok" and isinstance(answer["b"]["d"], str), answer

    def nested(levels):
        value = 1
        for _ in range(levels):
            value = {"k": value}
        return value

    client.call("p", p="/v/k768", d={"k" * 768: 1})
    refused("/v", {"k" * 769: 1})
    refused("/v/" + "é" * 385, 1)
    client.call("p", p="/v/deep", d=nested(30))
    refused("/v/deep", nested(31))
    client.call("p", p="/v/string", d="x" * 1_000_000)
    client.call("p", p="/v/string", d=None)
    for key in ("a.b", "a$b", "a#b", "a[b", "a]b", "a/b", "", "a\u007fb", "a\u0001b"):
        refused("/v", {key: 1})
    refused("/v", {".sv": "unknown"})
    refused("/v", {".value": 1, "child": 2})
    refused("/v", {".priority": True, ".value": 1})
    assert client.call("g", p="/v/deep/k/k", q={}) is not None


def test_a_string_over_ten_megabytes_is_refused_and_one_below_is_kept(server):
    limit = 10 * 1024 * 1024
    accepted = requests.put(f"{server.url}/v/s.json?print=silent", data='"' + "x" * limit + '"', timeout=WAIT_SECONDS)
    assert accepted.status_code == 204, accepted.text
    refused = requests.put(f"{server.url}/v/s.json", data='"' + "x" * (limit + 1) + '"', timeout=WAIT_SECONDS)
    assert refused.status_code == 400 and "error" in refused.json()
    assert len(requests.get(f"{server.url}/v/s.json", timeout=WAIT_SECONDS).json()) == limit
    requests.delete(f"{server.url}/v.json", timeout=WAIT_SECONDS)


def test_odd_json_over_rest(server):
    for body in ("1e400", '"\\ud800"', '"\udfff"'.encode("utf-8", "surrogatepass"), b'"\xff"', '{"a":1', "[" * 100000):
        answer = requests.put(f"{server.url}/v.json", data=body, timeout=WAIT_SECONDS)
        assert answer.status_code == 400 and "error" in answer.json(), (body[:20], answer.text)
    assert requests.put(f"{server.url}/v.json", data='{"a":1,"a":2}', timeout=WAIT_SECONDS).json() == {"a": 2}
    both = requests.put(f"{server.url}/v.json", data='{"é":1,"e\u0301":2}'.encode(), timeout=WAIT_SECONDS)
    assert both.status_code == 200
    assert len(requests.get(f"{server.url}/v.json", timeout=WAIT_SECONDS).json()) == 2


def test_an_endless_json_body_is_refused(server):
    """A body without a declared length that never ends is answered with an error; the server discards the rest."""
    raw = socket.create_connection((server.host, server.port), timeout=WAIT_SECONDS)
    raw.sendall(f"PUT /v.json HTTP/1.1\r\nHost: {server.authority}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    chunk = b"100000\r\n" + b"[" * 0x100000 + b"\r\n"
    try:
        for _ in range(1024):
            raw.sendall(chunk)
    except OSError:
        pass
    answer = b""
    try:
        while part := raw.recv(65536):
            answer += part
    except OSError:
        pass
    assert answer.startswith(b"HTTP/1.1 400 ") and b'"error"' in answer, answer[:200]


def test_a_number_of_a_million_digits_and_a_long_request_head_are_refused(server):
    answer = requests.put(f"{server.url}/v.json", data="1" * 1_000_000, timeout=WAIT_SECONDS)
    assert answer.status_code == 400
    raw = socket.create_connection((server.host, server.port), timeout=WAIT_SECONDS)
    try:
        raw.sendall(b"GET /" + b"a" * 2_000_000)
    except OSError:
        pass
    assert ends(raw)


def test_many_silent_sockets_do_not_stop_the_server(server):
    idle = [socket.create_connection((server.host, server.port), timeout=WAIT_SECONDS) for _ in range(200)]
    assert requests.get(f"{server.url}/v.json", timeout=WAIT_SECONDS).status_code == 200
    for raw in idle:
        raw.close()


def test_a_reader_that_never_reads_is_dropped(server):
    client, writer = Client(server), Client(server)
    client.listen("/flood")
    text = "x" * 1_000_000
    done = threading.Event()

    def write():
        for i in range(120):
            writer.call("p", p="/flood/a", d=text + str(i))
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    # The test waits for each of the client's calls, for a limited time.
    thread.join()
    assert done.is_set()
    assert resident_megabytes(server) < 500
    assert client.closed()
