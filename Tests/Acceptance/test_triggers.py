"""Triggers: real functions-framework processes with unmodified functions, and receivers that fail in every way."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

import pytest
import requests

from conftest import hearth
from receiver import Receiver
from waits import WAIT_SECONDS, until

HERE = pathlib.Path(__file__).resolve().parent
MESSAGES = "rooms/{room}/messages/{message}"


def put(server, path, value, method="PUT", **params):
    answer = requests.request(
        method, f"{server.url}/{path}.json", params={"auth": server.secret(), **params},
        data=json.dumps(value, ensure_ascii=False).encode(), timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text


def add(server, name, url, path=MESSAGES, on="write", *options):
    return server.run("triggers", "add", name, "--path", path, "--on", on, "--url", url, *options)


def status(server, name):
    return json.loads(server.run("triggers", "show", name, "--json"))


@pytest.fixture
def receiver():
    made = []

    def make(*arguments, **options):
        made.append(Receiver(*arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def functions(tmp_path):
    processes = []
    seen = tmp_path / "seen.jsonl"
    seen.touch()
    shutil.copy(HERE / "functions_main.py", tmp_path / "main.py")

    def start(target):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        log = open(tmp_path / f"{target}.log", "wb")
        processes.append(subprocess.Popen(
            [sys.executable, "-m", "functions_framework", "--source", "main.py"], cwd=tmp_path, stdout=log, stderr=log,
            env={**os.environ, "FUNCTION_TARGET": target, "FUNCTION_SIGNATURE_TYPE": "cloudevent", "HOST": "127.0.0.1",
                 "PORT": str(port), "SEEN": str(seen), "GCLOUD_PROJECT": "demo"}))
        return f"http://127.0.0.1:{port}/"

    start.seen = lambda: [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()]
    yield start
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(WAIT_SECONDS)


def test_unmodified_functions_of_all_four_kinds(serve, functions):
    server = serve()
    for kind, on in [("written", "write"), ("created", "create"), ("updated", "update"), ("deleted", "delete")]:
        # Not listening yet: events wait for it.
        add(server, kind, functions(kind), MESSAGES, on)
    key = "é 😀"
    put(server, f"rooms/{key}/messages/m1", {"text": "hi", "list": ["a", "b"]})
    put(server, f"rooms/{key}/messages/m1", {"text": "hello"}, method="PATCH")
    put(server, f"rooms/{key}/messages/m1/text", None)
    put(server, f"rooms/{key}/messages", None)
    until(lambda: len(functions.seen()) == 8)
    seen = functions.seen()
    lists = {"0": "a", "1": "b"}
    steps = [
        (None, {"text": "hi", "list": lists}), ({"text": "hi", "list": lists}, {"text": "hello", "list": lists}),
        ({"text": "hello", "list": lists}, {"list": lists}), ({"list": lists}, None)]
    written = [line for line in seen if line["kind"] == "written"]
    assert [(line["before"], line["after"]) for line in written] == steps
    assert [line["after"] for line in seen if line["kind"] == "created"] == [steps[0][1]]
    assert [(line["before"], line["after"]) for line in seen if line["kind"] == "updated"] == steps[1:3]
    assert [line["before"] for line in seen if line["kind"] == "deleted"] == [steps[3][0]]
    for line in seen:
        assert line["params"] == {"room": key, "message": "m1"}
        assert line["reference"] == f"rooms/{key}/messages/m1"
        assert line["instance"] == "default"
        assert line["auth"] == ["admin", None] or line["auth"][0] == "admin"
        assert line["type"].endswith("ref.v1." + line["kind"])
    assert len({line["id"] for line in seen}) == 8


def test_signatures_and_who_wrote(serve, receiver, tmp_path):
    hook = receiver()
    server = serve(rules='{"rules": {".read": true, ".write": "auth != null"}}')
    made = json.loads(add(
        server, "signed", hook.url, "notes/{id}", "create", "--form", "webhook", "--new-secret", "--json"))
    answer = requests.put(
        f"{server.url}/notes/n1.json", params={"auth": server.token("ada", role="ed")}, json={"a": 1},
        timeout=WAIT_SECONDS)
    assert answer.status_code == 200
    until(lambda: hook.got())
    request = hook.got()[0]
    headers = {name.lower(): value for name, value in request["headers"].items()}
    key = base64.b64decode(made["newSecret"].removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + request["body"]
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == "v1," + expected
    data = request["json"]["data"]
    assert data["values"] == {"before": None, "after": {"a": 1}}
    assert (data["author"]["type"], data["author"]["uid"]) == ("user", "ada")
    assert data["params"] == {"id": "n1"}
    assert made["newSecret"] not in server.run("triggers", "show", "signed", "--json")
    assert made["newSecret"] not in server.log()


def test_events_survive_a_crash_of_the_server_and_of_the_receiver(serve, receiver):
    hook = receiver()
    port = hook.port
    hook.close()
    server = serve()
    server.keep_port()
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    for number in range(20):
        put(server, f"n/k{number % 4}", number)
    server.kill()
    server.start()
    again = receiver(port=port)
    until(lambda: len({request["json"]["id"] for request in again.got()}) == 20)
    for key in range(4):
        values = [
            request["json"]["data"]["values"]["after"] for request in again.got()
            if request["json"]["data"]["path"] == f"/n/k{key}"]
        assert values == list(range(key, 20, 4))
    until(lambda: status(server, "t")["status"]["waiting"] == 0)


def test_failures_dead_letters_and_replay(serve, receiver):
    answers = {"/n/fails": 500, "/n/refuses": 400, "/n/busy": 503}
    hook = receiver(lambda number, request: answers.get(request["json"]["data"]["path"], 204))
    server = serve()
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    for name in ["fails", "refuses", "works"]:
        put(server, f"n/{name}", 1)
    until(lambda: status(server, "t")["status"]["dead"] == 2)
    letters = json.loads(server.run("triggers", "dead", "t", "--json"))["letters"]
    assert {letter["path"]: letter["reason"] for letter in letters} == {
        "/n/fails": "the handler failed: status 500", "/n/refuses": "the receiver does not take it: status 400"}
    ids = {request["json"]["data"]["path"]: request["json"]["id"] for request in hook.got()}
    answers.clear()
    assert "2 events wait again" in server.run("triggers", "replay", "t")
    until(lambda: len(hook.got()) == 5)
    assert all(request["json"]["id"] == ids[request["json"]["data"]["path"]] for request in hook.got())
    until(lambda: status(server, "t")["status"]["waiting"] == 0)
    assert status(server, "t")["status"]["dead"] == 0


def test_pause_resume_and_remove(serve, receiver):
    hook = receiver()
    server = serve()
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    server.run("triggers", "pause", "t")
    put(server, "n/a", 1)
    assert status(server, "t")["status"]["waiting"] == 1
    assert "paused: by command" in server.run("triggers", "list")
    server.stop()
    # On the stopped folder, and nothing is sent by it.
    server.run("triggers", "resume", "t")
    assert hook.got() == []
    server.start()
    until(lambda: len(hook.got()) == 1)
    until(lambda: status(server, "t")["status"]["waiting"] == 0)
    server.run("triggers", "pause", "t")
    put(server, "n/b", 1)
    server.run("triggers", "remove", "t")
    assert json.loads(server.run("triggers", "list", "--json"))["triggers"] == []
    put(server, "n/c", 1)
    letters = json.loads(server.run("triggers", "dead", "t", "--json"))["letters"]
    assert [(letter["path"], letter["reason"]) for letter in letters] == [("/n/b", "the trigger was removed")]


def test_what_makes_no_event(serve, receiver):
    hook = receiver()
    server = serve(rules='{"rules": {".read": true, ".write": true}}')
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    put(server, "n/silent", 1, disableTriggers="true")
    put(server, "n/same", 1)
    put(server, "n/same", 1)
    # Nobody but an administrator can hide a write.
    requests.put(
        f"{server.url}/n/stranger.json", params={"disableTriggers": "true"}, data="1",
        timeout=WAIT_SECONDS).raise_for_status()
    until(lambda: len(hook.got()) == 2)
    assert [request["json"]["data"]["path"] for request in hook.got()] == ["/n/same", "/n/stranger"]


def test_too_much_for_triggers(serve, receiver):
    hook = receiver()
    server = serve()
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    many = {f"k{number}": 1 for number in range(1001)}
    answer = requests.put(
        f"{server.url}/n.json", params={"auth": server.secret()}, json=many, timeout=WAIT_SECONDS)
    assert answer.status_code == 400 and "strictTriggerValidation" in answer.text
    large = "x" * (1 << 20)
    answer = requests.put(
        f"{server.url}/n/large.json", params={"auth": server.secret()}, json=large, timeout=WAIT_SECONDS)
    assert answer.status_code == 400
    put(server, ".settings/strictTriggerValidation", False)
    put(server, "n/large", large)
    until(lambda: hook.got())
    data = hook.got()[0]["json"]["data"]
    assert (data["path"], data["values"], data["isTooLarge"]) == ("/n/large", None, True)
    put(server, "n", many)
    until(lambda: len(hook.got()) == 1001)


def test_a_copy_of_the_folder_sends_nothing_until_it_is_told_to(serve, receiver, tmp_path):
    hook = receiver()
    server = serve()
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    server.stop()
    copy = tmp_path / "copy"
    shutil.copytree(server.data, copy)
    listed = hearth("triggers", "list", "--data", str(copy))
    assert "paused: the data folder is a copy" in listed
    assert "paused" not in server.run("triggers", "list")
    hearth("triggers", "resume", "t", "--data", str(copy))
    assert "paused" not in hearth("triggers", "list", "--data", str(copy))


def test_what_firebase_tools_registers(serve, receiver):
    known = {"us-central1-one-0", "us-central1-two-0"}
    hook = receiver(lambda number, request: 200 if number < 3 else 404)
    server = serve("--functions-emulator", f"127.0.0.1:{hook.port}", command="dev", rules='{"rules": {}}')
    for body in [
        {"name": "projects/p/locations/_/functions/us-central1-one-0", "path": "/n/{id}",
         "event": "providers/google.firebase.database/eventTypes/ref.create",
         "topic": "projects/p/topics/us-central1-one-0"},
        {"name": "projects/p/locations/us-central1/triggers/us-central1-two-0", "path": "n/{id}",
         "event": "google.firebase.database.ref.v1.written", "topic": "projects/p/topics/us-central1-two-0",
         "namespacePattern": "*"},
    ]:
        put(server, ".settings/functionTriggers", body, method="POST")
    assert {one["name"] for one in json.loads(server.run("triggers", "list", "--json"))["triggers"]} == known
    put(server, "n/a", 1)
    until(lambda: len(hook.got()) == 2)
    bodies = [request["json"] for request in hook.got()]
    assert {body.get("eventType") or body["type"] for body in bodies} == {
        "providers/google.firebase.database/eventTypes/ref.create", "google.firebase.database.ref.v1.written"}
    # A generation that the emulator has given up.
    put(server, "n/a", 2)
    until(lambda: len(json.loads(server.run("triggers", "list", "--json"))["triggers"]) == 1)


def test_strangers_see_and_change_no_triggers(serve):
    server = serve(rules='{"rules": {".read": true, ".write": true}}')
    for method, path in [
        ("GET", "triggers"), ("POST", "triggers"), ("DELETE", "triggers/t"), ("GET", "triggers/t/dead"),
        ("POST", "triggers/t/replay"), ("PATCH", "triggers/t"),
    ]:
        for params in [{}, {"auth": server.token("ada")}]:
            answer = requests.request(
                method, f"{server.url}/.settings/{path}.json", params=params, json={}, timeout=WAIT_SECONDS)
            assert answer.status_code == 401, (method, path)


KILLS = int(os.environ.get("HEARTH_TRIGGER_KILLS", "4"))


def test_no_event_is_lost_when_server_and_receiver_are_killed(serve, tmp_path):
    """Writers write while one or the other is killed. Each acknowledged write has its event, duplicates share an id, and
    each place sees its events in order."""
    log = tmp_path / "got.jsonl"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def start_receiver():
        return subprocess.Popen([sys.executable, str(HERE / "logging_receiver.py"), str(port), str(log)])

    server = serve()
    server.keep_port()
    add(server, "t", f"http://127.0.0.1:{port}/", "n/{id}", "write", "--form", "webhook", "--window", "3600")
    secret = server.secret()
    acknowledged = {key: [] for key in range(4)}
    over = threading.Event()

    def write(key):
        number = 0
        with requests.Session() as session:
            while not over.is_set():
                number += 1
                try:
                    answer = session.put(
                        f"{server.url}/n/k{key}.json", params={"auth": secret, "print": "silent"}, data=str(number),
                        timeout=WAIT_SECONDS)
                    if answer.status_code == 204:
                        acknowledged[key].append(number)
                except requests.RequestException:
                    time.sleep(0.02)

    receiver = start_receiver()
    writers = [threading.Thread(target=write, args=(key,)) for key in acknowledged]
    for writer in writers:
        writer.start()
    numbers = random.Random(20261123)
    try:
        for _ in range(KILLS):
            time.sleep(numbers.uniform(0.2, 0.8))
            if numbers.random() < 0.5:
                server.kill()
                server.start()
            else:
                receiver.kill()
                receiver.wait(WAIT_SECONDS)
                receiver = start_receiver()
    finally:
        over.set()
        for writer in writers:
            writer.join(WAIT_SECONDS)
    try:
        until(lambda: status(server, "t")["status"]["waiting"] == 0)
        assert status(server, "t")["status"]["dead"] == 0
    finally:
        receiver.kill()
        receiver.wait(WAIT_SECONDS)
    ids, seen = {}, {f"/n/k{key}": [] for key in acknowledged}
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            path, identifier, sequence, value = json.loads(line)
        except ValueError:
            continue  # The receiver was killed in the middle of the line, and had not answered.
        # One id for one event.
        assert ids.setdefault(identifier, (path, sequence, value)) == (path, sequence, value)
        seen[path].append((sequence, value))
    for key, numbers_written in acknowledged.items():
        assert len(numbers_written) > 10
        events = seen[f"/n/k{key}"]
        assert set(numbers_written) <= {value for _, value in events}, "an acknowledged write has no event"
        first = list(dict.fromkeys(events))
        assert first == sorted(first), "events of one place are out of order"
