"""What machines look at: health, lines of the log, names of requests."""

import json
import signal
import time

import requests

from waits import WAIT_SECONDS

CLOSED = '{ "rules": { "open": { ".read": true } } }'


def log_lines(server):
    return [json.loads(line) for line in server.log_path.read_text(encoding="utf-8").splitlines()]


def test_load_balancers_are_told_a_state(serve):
    server = serve("--drain-seconds", "60", rules=CLOSED)
    for path, state in (("live", "live"), ("ready", "ready")):
        answer = requests.get(f"{server.url}/.health/{path}", timeout=WAIT_SECONDS)
        assert (answer.status_code, answer.json()) == (200, {"state": state})
    server.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + WAIT_SECONDS
    while requests.get(f"{server.url}/.health/ready", timeout=WAIT_SECONDS).status_code == 200:
        assert time.monotonic() < deadline
    drained = requests.get(f"{server.url}/.health/ready", timeout=WAIT_SECONDS)
    assert (drained.status_code, drained.json()) == (503, {"state": "draining"})
    assert requests.get(f"{server.url}/.health/live", timeout=WAIT_SECONDS).status_code == 200
    assert requests.get(f"{server.url}/open.json", timeout=WAIT_SECONDS).text == "null", "it answers as before"


def test_the_log_as_objects(serve):
    server = serve("--log-format", "json", "--log-level", "debug", rules=CLOSED)
    refused = requests.get(f"{server.url}/a%22%0A%1B[31m.json", timeout=WAIT_SECONDS)
    denied = requests.get(f"{server.url}/rooms/1.json", timeout=WAIT_SECONDS)
    unknown = requests.post(
        f"{server.url}/v1/accounts:signInWithPassword?key=k", json={"email": "a@example.com", "password": "x"},
        timeout=WAIT_SECONDS)
    wrong = requests.get(f"{server.url}/a.json?auth=wrong", timeout=WAIT_SECONDS)
    ids = [answer.headers["X-Request-Id"] for answer in (refused, denied, unknown, wrong)]
    assert len(set(ids)) == 4
    lines = log_lines(server)
    assert all({"time", "level", "message", "logger"} <= set(line) for line in lines)
    by_id = {line["request"]: line for line in lines if "request" in line}
    assert by_id[ids[1]]["message"] == "denied" and by_id[ids[1]]["path"] == "/rooms/1"
    assert by_id[ids[2]]["message"] == "identity request"
    assert by_id[ids[3]]["message"] == "credential refused"
    assert server.stop() == 0
    assert any(line["message"] == "stopped" for line in log_lines(server))


def test_a_proxy_names_requests(serve, tmp_path):
    config = tmp_path / "accounts.json"
    config.write_text(json.dumps({"trustedProxies": ["127.0.0.1"]}), encoding="utf-8")
    server = serve("--auth-config", str(config), "--log-format", "json", rules=CLOSED)
    named = {"X-Request-Id": "edge-7/42"}
    answer = requests.get(f"{server.url}/secret.json", headers=named, timeout=WAIT_SECONDS)
    assert answer.headers["X-Request-Id"] == "edge-7/42"
    assert [line["path"] for line in log_lines(server) if line.get("request") == "edge-7/42"] == ["/secret"]
    odd = requests.get(f"{server.url}/secret.json", headers={"X-Request-Id": "a b"}, timeout=WAIT_SECONDS)
    assert odd.headers["X-Request-Id"] != "a b"

    direct = serve(name="direct", rules=CLOSED)
    answer = requests.get(f"{direct.url}/secret.json", headers=named, timeout=WAIT_SECONDS)
    assert answer.headers["X-Request-Id"] != "edge-7/42", "nobody is trusted unless told so"
