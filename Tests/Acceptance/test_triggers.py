"""Triggers: functions-framework processes with unmodified functions, and receivers that fail in every way."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys

import pytest
import requests

from conftest import ROOT, hearth
from identity import Identity
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

    def start(target, signature="cloudevent"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        log = open(tmp_path / f"{target}.log", "wb")
        processes.append(subprocess.Popen(
            [sys.executable, "-m", "functions_framework", "--source", "main.py"], cwd=tmp_path, stdout=log, stderr=log,
            env={**os.environ, "FUNCTION_TARGET": target, "FUNCTION_SIGNATURE_TYPE": signature, "HOST": "127.0.0.1",
                 "PORT": str(port), "SEEN": str(seen), "GCLOUD_PROJECT": "demo"}))
        return f"http://127.0.0.1:{port}/"

    start.seen = lambda: [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()]
    yield start
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(WAIT_SECONDS)


def test_unmodified_functions_of_all_four_kinds_are_called(serve, functions):
    server = serve()
    for kind, on in [("written", "write"), ("created", "create"), ("updated", "update"), ("deleted", "delete")]:
        # The function does not listen yet: its events wait.
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


def test_events_carry_signatures_and_the_identity_of_the_writer(serve, receiver, tmp_path):
    hook = receiver()
    server = serve(rules='{"rules": {".read": true, ".write": "auth != null"}}')
    made = json.loads(add(
        server, "signed", hook.url, "notes/{id}", "create", "--form", "webhook", "--new-secret", "--json"))
    flat = receiver()
    add(server, "flat", flat.url, "notes/{id}", "create", "--form", "gen1")
    answer = requests.put(
        f"{server.url}/notes/n1.json", params={"auth": server.token("ada", role="ed")}, json={"a": 1},
        timeout=WAIT_SECONDS)
    assert answer.status_code == 200
    until(lambda: hook.got() and flat.got())
    auth = flat.got()[0]["json"]["auth"]
    assert auth["admin"] is False and auth["variable"]["uid"] == "ada" and auth["variable"]["role"] == "ed"
    # For an administrator who acts as another user, rules decide as for that user, and the event names the administrator.
    put(server, "notes/n2", {"a": 2}, auth_variable_override='{"uid":"bob"}')
    put(server, "notes/n3", {"a": 3})
    until(lambda: len(flat.got()) == 3 and len(hook.got()) == 3)
    assert [event["json"]["auth"] for event in flat.got()[1:]] == [{"admin": True}] * 2
    assert [event["json"]["data"]["author"] for event in hook.got()[1:]] == [{"type": "admin"}] * 2
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


ALL_WAYS = "password,anonymous,custom-token"


def test_created_and_deleted_users_reach_functions_of_both_generations(serve, functions):
    server = serve("--sign-in", ALL_WAYS, "--project", "demo-users", command="dev", rules='{"rules": {}}')
    gen1 = functions("user_event", "event")
    gen2 = functions("user_cloud_event")
    for moment in ["created", "deleted"]:
        server.run("triggers", "add", "old-" + moment, "--user", moment, "--url", gen1, "--form", "gen1")
        server.run("triggers", "add", "new-" + moment, "--user", moment, "--url", gen2)
    assert "(users)" in server.run("triggers", "list")
    identity = Identity(server)
    ann = identity.sign_up("ann@example.com", "correct horse battery")
    guest = identity.sign_up()
    # The first sign-in by a custom token makes no event, as in Firebase; imports make none either.
    identity.custom(server.run("token", "mint", "--uid", "bob").strip())
    made = json.loads(server.run("users", "create", "eve@example.com", "--without-password", "--json"))["localId"]
    identity.post("accounts:delete", {"idToken": ann["idToken"]})
    server.run("users", "delete", made, "--yes")
    until(lambda: len(functions.seen()) == 10)
    seen = functions.seen()
    old = [line for line in seen if "resource" in line]
    new = [line for line in seen if "source" in line]
    created = "providers/firebase.auth/eventTypes/user.create"
    assert sorted(line["data"]["uid"] for line in old if line["type"] == created) == sorted(
        [ann["localId"], guest["localId"], made])
    assert sorted(line["data"]["uid"] for line in old if line["type"] == created.replace("create", "delete")) == sorted(
        [ann["localId"], made])
    first = next(line["data"] for line in old if line["data"]["uid"] == ann["localId"])
    assert (first["email"], first["emailVerified"], first["disabled"]) == ("ann@example.com", False, False)
    assert first["metadata"]["creationTime"].startswith("20") and first["metadata"]["lastSignInTime"]
    assert first["providerData"][0]["providerId"] == "password" and first["customClaims"] == {}
    assert {line["resource"] if isinstance(line["resource"], str) else line["resource"]["name"] for line in old} == {
        "projects/demo-users"}
    assert {line["type"] for line in new} == {
        "google.firebase.auth.user.v2.created", "google.firebase.auth.user.v2.deleted"}
    for line in new:
        assert line["source"] == "//firebaseauth.googleapis.com/projects/demo-users"
        user = line["data"].get("value") or line["data"]["oldValue"]
        assert ("value" in line["data"]) == line["type"].endswith("created")
        assert line["subject"] == "users/" + user["uid"] and user["metadata"]["createTime"]
    assert len({line["id"] for line in seen}) == 10
    for secret in ["hash", "salt", "correct horse"]:
        assert secret not in json.dumps(seen).lower()


def test_events_of_users_survive_a_crash_and_a_stopped_folder(serve, receiver):
    hook = receiver()
    port = hook.port
    hook.close()
    server = serve("--sign-in", ALL_WAYS, command="dev", rules='{"rules": {}}')
    server.keep_port()
    server.run("triggers", "add", "made", "--user", "created", "--url", hook.url, "--form", "webhook")
    uids = [Identity(server).sign_up()["localId"] for _ in range(5)]
    server.kill()
    # On the stopped folder.
    uids.append(json.loads(server.run("users", "create", "eve@example.com", "--without-password", "--json"))["localId"])
    server.start()
    again = receiver(port=port)
    until(lambda: len({request["json"]["id"] for request in again.got()}) == 6)
    bodies = [request["json"] for request in again.got()]
    assert {body["data"]["user"]["uid"] for body in bodies} == set(uids)
    assert {body["type"] for body in bodies} == {"user.created"}
    until(lambda: status(server, "made")["status"]["waiting"] == 0)


def test_events_of_a_tenants_users_name_the_tenant(serve, receiver):
    server = serve("--sign-in", "password", command="dev", rules='{"rules": {}}')
    (hook, cloud) = receiver(), receiver()
    for moment in ["created", "deleted"]:
        server.run("triggers", "add", moment, "--user", moment, "--url", hook.url, "--form", "webhook")
        server.run("triggers", "add", "cloud-" + moment, "--user", moment, "--url", cloud.url)
    tenant = server.run("tenants", "create", "acme-corp", "--passwords", "true").strip()
    for place in [], ["--tenant", tenant]:
        server.run("users", "create", "ann@example.com", "--without-password", "--uid", "same", *place)
    Identity(server).post("accounts:signUp", {
        "email": "bob@example.com", "password": "correct horse battery", "tenantId": tenant})
    server.run("users", "delete", "same", "--yes", "--tenant", tenant)
    until(lambda: len(hook.got()) == 4 and len(cloud.got()) == 4)
    told = [(body["type"], body["data"]["user"]["email"], body["data"]["user"].get("tenantId"))
            for body in (request["json"] for request in hook.got())]
    assert sorted(told, key=str) == sorted([
        ("user.created", "ann@example.com", None), ("user.created", "ann@example.com", tenant),
        ("user.created", "bob@example.com", tenant), ("user.deleted", "ann@example.com", tenant)], key=str)
    events = [request["json"] for request in cloud.got()]
    assert sorted(str(event.get("tenantid")) for event in events) == sorted(["None", tenant, tenant, tenant])
    # Deleting a whole tenant makes no events of its users.
    server.run("tenants", "delete", tenant, "--yes")
    server.run("users", "create", "last@example.com", "--without-password")
    until(lambda: len(hook.got()) == 5)
    assert hook.got()[-1]["json"]["data"]["user"]["email"] == "last@example.com"


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


def test_failed_events_become_dead_letters_and_are_replayed(serve, receiver):
    answers = {"/n/fails": 500, "/n/refuses": 400, "/n/busy": 503}
    hook = receiver(lambda number, request: answers.get(request["json"]["data"]["path"], 204))
    server = serve()
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    for name in ["fails", "refuses", "works"]:
        put(server, f"n/{name}", 1)
    until(lambda: status(server, "t")["status"]["dead"] == 2)
    letters = json.loads(server.run("triggers", "dead", "t", "--json"))["letters"]
    assert {letter["path"]: letter["reason"] for letter in letters} == {
        "/n/fails": "the handler failed: status 500", "/n/refuses": "the receiver refused the event: status 400"}
    ids = {request["json"]["data"]["path"]: request["json"]["id"] for request in hook.got()}
    answers.clear()
    assert "2 events are waiting again" in server.run("triggers", "replay", "t")
    until(lambda: len(hook.got()) == 5)
    assert all(request["json"]["id"] == ids[request["json"]["data"]["path"]] for request in hook.got())
    until(lambda: status(server, "t")["status"]["waiting"] == 0)
    assert status(server, "t")["status"]["dead"] == 0


def test_triggers_are_paused_resumed_and_removed(serve, receiver):
    hook = receiver()
    server = serve()
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    server.run("triggers", "pause", "t")
    put(server, "n/a", 1)
    assert status(server, "t")["status"]["waiting"] == 1
    assert "paused: by command" in server.run("triggers", "list")
    server.stop()
    # On the stopped folder, from which no event is sent.
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


def test_unchanged_values_and_disabled_triggers_make_no_event(serve, receiver):
    hook = receiver()
    server = serve(rules='{"rules": {".read": true, ".write": true}}')
    add(server, "t", hook.url, "n/{id}", "write", "--form", "webhook")
    put(server, "n/silent", 1, disableTriggers="true")
    put(server, "n/same", 1)
    put(server, "n/same", 1)
    # Only an administrator can disable the triggers of a write.
    requests.put(
        f"{server.url}/n/stranger.json", params={"disableTriggers": "true"}, data="1",
        timeout=WAIT_SECONDS).raise_for_status()
    until(lambda: len(hook.got()) == 2)
    assert [request["json"]["data"]["path"] for request in hook.got()] == ["/n/same", "/n/stranger"]


def test_writes_too_large_for_triggers_are_refused(serve, receiver):
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


def test_a_copied_folder_sends_no_event_until_it_is_confirmed(serve, receiver, tmp_path):
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


def test_triggers_registered_by_firebase_tools_are_accepted(serve, receiver):
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
    # A generation of functions that the Firebase emulator no longer supports.
    put(server, "n/a", 2)
    until(lambda: len(json.loads(server.run("triggers", "list", "--json"))["triggers"]) == 1)


def test_only_administrators_see_and_change_triggers(serve):
    server = serve(rules='{"rules": {".read": true, ".write": true}}')
    for method, path in [
        ("GET", "triggers"), ("POST", "triggers"), ("DELETE", "triggers/t"), ("GET", "triggers/t/dead"),
        ("POST", "triggers/t/replay"), ("PATCH", "triggers/t"),
    ]:
        for params in [{}, {"auth": server.token("ada")}]:
            answer = requests.request(
                method, f"{server.url}/.settings/{path}.json", params=params, json={}, timeout=WAIT_SECONDS)
            assert answer.status_code == 401, (method, path)


INDEX = ROOT / "Plugins" / "SearchIndexPython"


def test_a_plugin_writes_changes_into_a_search_index(serve):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def asked(words):
        try:
            return [requests.get(f"http://127.0.0.1:{port}/", params={"q": words}, timeout=WAIT_SECONDS)]
        except requests.ConnectionError:
            return None

    def found(words):
        # The index accepts events before it answers searches.
        (answer,) = until(lambda: asked(words), "no search is answered")
        assert answer.status_code == 200, answer.text
        return [(place["database"], place["path"]) for place in answer.json()]

    server = serve(rules='{"rules": {".read": true, ".write": "auth != null"}}')
    said = server.run("triggers", "add", "index", "--path", "notes/{id}", "--on", "write", "--plugin", "search-index")
    assert said.startswith("registered")
    # The plugin is not installed yet: its events wait.
    put(server, "notes/n1", {"title": "Fire", "lines": ["wood", "matches"]})
    answer = requests.put(
        f"{server.url}/notes/n2.json", params={"auth": server.token("ada")}, json="Water on fire", timeout=WAIT_SECONDS)
    assert answer.status_code == 200
    server.run("plugins", "add", str(INDEX), "--yes")
    server.run("plugins", "settings", "search-index", f"port={port}")
    server.run("plugins", "enable", "search-index")
    until(lambda: status(server, "index")["status"]["waiting"] == 0)
    assert sorted(found("fire")) == [("default", "/notes/n1"), ("default", "/notes/n2")]
    assert found("fire wood") == [("default", "/notes/n1")]
    put(server, "notes/n1/lines/0", None)
    put(server, "notes/n2", None)
    until(lambda: status(server, "index")["status"]["waiting"] == 0)
    assert found("fire wood") == [] and found("fire") == [("default", "/notes/n1")]
    assert found('NOT (') == []
    listed = server.run("triggers", "list")
    assert "plugin search-index" in listed and "sending" in listed
    hooks = json.loads(server.run("plugins", "list", "--json"))["plugins"][0]["hooks"]
    assert hooks[0]["hook"] == "onWrite" and hooks[0]["requests"] >= 2 and "queued" in hooks[0]["onFailure"]
    assert status(server, "index")["status"]["dead"] == 0


def test_the_search_index_passes_the_contract_suite():
    said = hearth("plugins", "test", str(INDEX))
    assert "an older event" in said
