"""Interfaces for machines: health checks, lines of the log, request ids, and metrics."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

import secrets_seen
from conftest import ROOT, hearth
from identity import Identity
from ports import free_port
from waits import WAIT_SECONDS, until

CLOSED = '{ "rules": { "open": { ".read": true } } }'

# From Debian's package, unpacked by `make test-servers`, unless they are installed.
PROGRAMS = os.pathsep.join([os.environ["PATH"], str(ROOT / ".build" / "test-programs")])
PROMTOOL, PROMETHEUS = (shutil.which(name, path=PROGRAMS) for name in ("promtool", "prometheus"))


def log_lines(server):
    return [json.loads(line) for line in server.log_path.read_text(encoding="utf-8").splitlines()]


def test_health_checks_report_the_state(serve):
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


def test_the_log_is_written_as_json_objects(serve):
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


def test_the_request_id_of_a_proxy_is_logged(serve, tmp_path):
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


def scrape(server, secret):
    answer = requests.get(
        f"{server.url}/.metrics", headers={"Authorization": f"Bearer {secret}"}, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return answer.text


def samples(text):
    """Parses the whole text with the parser of Prometheus's Python client."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text) for sample in family.samples}


def test_a_scrape_counts_operations(serve):
    server = serve(command="dev", rules=CLOSED)
    secret = server.secret()
    before = samples(scrape(server, secret))
    for number in range(3):
        requests.put(f"{server.url}/a.json?auth={secret}", data=str(number), timeout=WAIT_SECONDS)
    for number in range(2):
        requests.put(f"{server.url}/a.json", data="1", timeout=WAIT_SECONDS)
    Identity(server).fail(
        "accounts:signInWithPassword", {"email": "a@example.com", "password": "x"}, "INVALID_LOGIN_CREDENTIALS")
    text = scrape(server, secret)
    after = samples(text)

    def grown(name, **labels):
        key = (name, tuple(sorted(labels.items())))
        return after[key] - before.get(key, 0)

    assert grown("hearth_writes_total", outcome="written") == 3
    assert grown("hearth_writes_total", outcome="denied") == 2
    assert grown("hearth_commits_total") == 3
    assert grown("hearth_sync_seconds_count") == 3
    assert grown("hearth_command_seconds_count") >= 3
    assert grown("hearth_denials_total", database="default", operation="put", rule="none") == 2
    assert grown(
        "hearth_identity_requests_total", operation="signInWithPassword", outcome="INVALID_LOGIN_CREDENTIALS") == 1
    assert grown("hearth_http_responses_total", code="4xx") == 3
    assert after[("hearth_database_up", (("database", "default"),))] == 1
    assert secret not in text
    # Buckets are cumulative, and the last one equals the count.
    for family in text_string_to_metric_families(text):
        if family.type == "histogram":
            counts = [sample.value for sample in family.samples if sample.name.endswith("_bucket")]
            assert counts == sorted(counts), family.name


def test_metrics_are_for_administrators(serve):
    server = serve(command="dev", rules='{ "rules": { ".read": true, ".write": true } }')
    user = Identity(server).sign_up("a@example.com", "secret1")["idToken"]
    secrets_seen.note(user)
    for headers in ({}, {"Authorization": f"Bearer {user}"}, {"Authorization": "Bearer owner"}):
        answer = requests.get(f"{server.url}/.metrics", headers=headers, timeout=WAIT_SECONDS)
        assert answer.status_code == 401 and "hearth_" not in answer.text
    emulator = serve("--emulator", command="dev", name="emulator")
    answer = requests.get(
        f"{emulator.url}/.metrics", headers={"Authorization": "Bearer owner"}, timeout=WAIT_SECONDS)
    assert answer.status_code == 200


def test_the_metrics_token_opens_only_the_metrics(serve, tmp_path):
    file = tmp_path / "metrics-token"
    first, second = "5c" * 32, "6d" * 32
    for token in (first, second):
        secrets_seen.note(token)
    file.write_text(first + "\n", encoding="utf-8")
    server = serve("--metrics-token-file", str(file), command="dev", rules=CLOSED)

    def status(path, token):
        return requests.get(
            f"{server.url}{path}", headers={"Authorization": f"Bearer {token}"}, timeout=WAIT_SECONDS).status_code

    assert samples(scrape(server, first))[("hearth_ready", ())] == 1
    for path in ("/.json", "/.settings/rules.json", "/.inspect/databases.json", "/.settings/databases.json", "/closed.json"):
        assert status(path, first) == 401, path
    assert status("/.metrics", second) == 401
    file.write_text(second + "\n", encoding="utf-8")
    until(lambda: status("/.metrics", second) == 200, "the new token")
    assert status("/.metrics", first) == 401
    file.unlink()
    until(lambda: status("/.metrics", second) == 401, "that no token counts")
    assert status("/.metrics", server.secret()) == 200, "an administrator still does"


def test_a_missing_metrics_token_file_prevents_the_start(tmp_path):
    (tmp_path / "short").write_text("short\n", encoding="utf-8")
    for name, reason in (("short", "32 visible characters"), ("none", "cannot be read")):
        said = hearth(
            "serve", "--data", str(tmp_path / "data"), "--port", "0", "--metrics-token-file", str(tmp_path / name), expect=1)
        assert reason in said, said


def test_the_time_of_the_last_backup_is_a_metric(serve, tmp_path):
    server = serve(command="dev")
    name = ("hearth_last_backup_time_seconds", ())
    assert name not in samples(scrape(server, server.secret()))
    server.run("backup", "create", str(tmp_path / "backups"))
    marker = json.loads((server.data / "backup.json").read_text(encoding="utf-8"))
    assert samples(scrape(server, server.secret()))[name] == pytest.approx(marker["instantMilliseconds"] / 1000)


@pytest.mark.skipif(not PROMTOOL, reason="promtool, of Debian's prometheus, is missing")
def test_promtool_accepts_metrics_and_alerts(serve):
    server = serve(command="dev")
    checked = subprocess.run(
        [PROMTOOL, "check", "metrics"], input=scrape(server, server.secret()), capture_output=True, text=True,
        timeout=WAIT_SECONDS)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.skipif(not PROMTOOL, reason="promtool, of Debian's prometheus, is missing")
def test_alerts_fire_under_their_conditions_only(tmp_path):
    rules = ROOT / "Deploy" / "alerts.yml"
    tests = tmp_path / "alerts_test.yml"
    text = pathlib.Path(__file__).with_name("alerts_test.yml").read_text(encoding="utf-8")
    tests.write_text(text.replace("RULES", str(rules)), encoding="utf-8")
    for command in (["check", "rules", str(rules)], ["test", "rules", str(tests)]):
        done = subprocess.run([PROMTOOL, *command], capture_output=True, text=True, timeout=WAIT_SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not PROMETHEUS, reason="prometheus, of Debian's package, is missing")
def test_prometheus_scrapes_the_server(serve, tmp_path):
    token = tmp_path / "metrics-token"
    token.write_text("7e" * 32 + "\n", encoding="utf-8")
    server = serve("--metrics-token-file", str(token), command="dev")
    config = tmp_path / "prometheus.yml"
    config.write_text(json.dumps({
        "global": {"scrape_interval": "1s"}, "rule_files": [str(ROOT / "Deploy" / "alerts.yml")],
        "scrape_configs": [{
            "job_name": "hearth", "metrics_path": "/.metrics", "authorization": {"credentials_file": str(token)},
            "static_configs": [{"targets": [server.authority]}]}]}), encoding="utf-8")
    port = free_port()
    process = subprocess.Popen(
        [PROMETHEUS, f"--config.file={config}", f"--storage.tsdb.path={tmp_path / 'tsdb'}",
         f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                found = requests.get(
                    f"http://127.0.0.1:{port}/api/v1/query", params={"query": "hearth_ready"}, timeout=1).json()
                if found["data"]["result"]:
                    break
            except (requests.ConnectionError, requests.Timeout, KeyError, ValueError):
                pass
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.1)
        assert found["data"]["result"][0]["value"][1] == "1"
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


def test_the_scrape_command_of_the_guide_runs(serve):
    """Runs the command of the guide as it stands."""
    server = serve(command="dev")
    path = ROOT / "Sources/Guide/Monitoring.md"
    (command,) = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("curl ")]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command.replace("127.0.0.1:9000", server.authority)],
        cwd=server.data.parent, capture_output=True, text=True, timeout=WAIT_SECONDS)
    assert "hearth_ready 1" in done.stdout, done.stderr
