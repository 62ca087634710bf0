"""Runs the commands of the guides as they stand, and serves with the guides' configuration file."""

import gzip
import json
import os
import re
import shlex
import sqlite3
import subprocess

import pytest
import requests

import test_migrate
from conftest import HEARTH, ROOT, Server
from guide_examples import GUIDES, block, blocks, matches, refreshed, run, shown
from identity import Identity
from test_import_formats import CONSOLE_TEXT
from waits import WAIT_SECONDS


def test_the_commands_of_running_accounts_run(serve):
    """Runs all commands of the guide in order, beside a running server."""
    server = serve(command="dev")
    for each in blocks("RunningAccounts.md", "sh"):
        run(each, server.data.parent)
    folder = server.data.parent
    assert (folder / "backend.json").stat().st_mode & 0o077 == 0
    assert (folder / "users.json").stat().st_mode & 0o077 == 0
    secrets = server.run("secrets", "list", "--plain").split()
    assert len(secrets) == 1
    states = [line.split()[2] for line in server.run("keys", "list").splitlines() if line.startswith("id-token")]
    assert states == ["signing"], states


def test_the_commands_of_rules_in_production_run(serve):
    """Runs all commands of the guide in order, beside a running server."""
    server = serve()
    (server.data.parent / "rules.json").write_text('{ "rules": { ".read": "auth != null" } }')
    output = [run(each, server.data.parent) for each in blocks("RulesInProduction.md", "sh")]
    assert len(output) == 5, output
    assert "version 2 is in force" in output[0] and "version 4 is in force, and watched until" in output[-1]


def test_the_commands_of_moving_data_run(serve):
    """Runs all commands of the guide in order, beside a running server; the files are in the formats of Firebase's exports."""
    server = serve("--sign-in", "password")
    folder = server.data.parent
    (folder / "data.json.gz").write_bytes(gzip.compress(json.dumps(test_migrate.DATA).encode()))
    (folder / "users.json").write_text(json.dumps(test_migrate.USERS), encoding="utf-8")
    (folder / "rules.json").write_text(test_migrate.RULES, encoding="utf-8")
    (folder / "hash.txt").write_text(CONSOLE_TEXT, encoding="utf-8")
    output = [run(each, folder, server.authority) for each in blocks("MoveYourData.md", "sh")]
    assert "imported, verified" in output[0] and "imported data.json.gz to /, verified" in output[1], output
    first, copy = re.findall(r"\{.*?\}", output[-1])
    assert json.loads(first)["checksum"] == json.loads(copy)["checksum"] and json.loads(first)["values"] > 0


def test_a_removed_key_and_secret_are_refused(serve):
    server = serve(command="dev", rules='{ "rules": { ".read": "auth != null" } }')
    app = Identity(server)
    old = app.sign_up("old@example.com", "secret1")
    secret = server.secret()
    leaked = block("RunningAccounts.md", "LEAKED")
    run(leaked, server.data.parent)
    app.fail("accounts:lookup", {"idToken": old["idToken"]}, "INVALID_ID_TOKEN")
    fresh = app.refresh(old["refreshToken"])["id_token"]
    assert app.lookup(fresh)["localId"] == old["localId"]
    run(block("RunningAccounts.md", "secrets remove"), server.data.parent)
    assert secret not in server.run("secrets", "list", "--plain")


def test_a_replaced_administrator_token_is_in_force_after_a_restart(serve):
    """Stops the server, removes the file, and starts again."""
    server = serve(command="dev")
    before = (server.data / "keys" / "admin-token").read_text()
    server.stop()
    (server.data / "keys" / "admin-token").unlink()
    (server.data / "keys" / "minting-key.pem").unlink()
    server.start()
    assert (server.data / "keys" / "admin-token").read_text() != before
    server.run("users", "list")
    assert Identity(server).custom(server.run("token", "mint", "--uid", "zoe").strip())["idToken"]


def test_a_backup_of_a_running_server_is_whole(serve, tmp_path):
    server = serve(command="dev")
    made = Identity(server).sign_up("kept@example.com", "secret1")
    run(block("RunningAccounts.md", ".backup"), server.data.parent)
    assert sqlite3.connect(tmp_path / "backup" / "accounts.sqlite").execute(
        "pragma integrity_check").fetchone() == ("ok",)
    Identity(server).sign_up("later@example.com", "secret1")
    restored = Server(tmp_path / "backup", command="dev")
    try:
        app = Identity(restored.start())
        assert app.sign_in("kept@example.com", "secret1")["localId"] == made["localId"]
        app.fail("accounts:signInWithPassword", {"email": "later@example.com", "password": "secret1"},
                 "INVALID_LOGIN_CREDENTIALS")
    finally:
        restored.kill()


@pytest.fixture
def example(tmp_path):
    """The guide's file, with the secrets' files moved to a folder that a test may write."""
    text = blocks("RunningAccounts.md", "json")[0]
    for name in ("github", "smtp"):
        (tmp_path / name).write_text("not-a-real-secret\n", encoding="utf-8")
        (tmp_path / name).chmod(0o600)
        assert f'"/etc/hearth/{name}"' in text
    path = tmp_path / "accounts.json"
    path.write_text(text.replace("/etc/hearth", str(tmp_path)), encoding="utf-8")
    return path


def test_the_example_file_is_served(serve, example):
    server = serve("--auth-config", str(example))
    said = server.log()
    assert "project shop" in said, said
    for way in ("custom", "anonymous", "password", "google.com", "apple.com", "github.com", "oidc.corp"):
        assert way in said, way
    assert "no mail" not in said
    refused = Identity(server).fail(
        "accounts:signUp", {"email": "a@example.com", "password": "12345678"}, "WEAK_PASSWORD")
    assert "too common" in refused["message"]


def test_a_misspelt_member_of_the_configuration_prevents_the_start(tmp_path):
    path = tmp_path / "accounts.json"
    path.write_text('{ "limits": { "adressFailures": 8 } }', encoding="utf-8")
    done = subprocess.run(
        [HEARTH, "serve", "--data", str(tmp_path / "data"), "--port", "0", "--auth-config", str(path)],
        capture_output=True, text=True, timeout=WAIT_SECONDS, stdin=subprocess.DEVNULL)
    assert done.returncode != 0 and "limits.adressFailures" in done.stderr and "addressFailures?" in done.stderr


def test_the_requests_of_an_app_without_an_sdk_are_answered(serve):
    server = serve(command="dev")
    output = run(blocks("ConnectingClients.md", "sh")[-1], server.data.parent, server.authority)
    assert json.loads(output)["email"] == "bea@example.com"


def test_a_host_of_three_labels_names_the_database(serve):
    """With the recommended host name every client reaches the default database, whether or not its SDK sends `ns`."""
    rules = '{ "rules": { "open": { ".read": true } } }'
    named = serve("--default-namespace", "shop", rules=rules)
    other = serve(name="other", rules=rules)
    for server, query, status in ((named, "", 200), (other, "?ns=default", 200), (other, "", 404)):
        answer = requests.get(
            f"{server.url}/open.json{query}", headers={"Host": "shop.example.com"}, timeout=WAIT_SECONDS)
        assert answer.status_code == status, answer.text


def test_the_certificate_of_the_recipe_is_valid_for_the_api_hosts(tmp_path):
    recipe = block("ConnectingClients.md", "authority.key")
    run(recipe, tmp_path)
    names = ["shop.example.com", "identitytoolkit.googleapis.com", "securetoken.googleapis.com",
             "oauth2.googleapis.com", "www.googleapis.com"]
    for name in names:
        subprocess.run(
            ["openssl", "verify", "-CAfile", "authority.pem", "-verify_hostname", name, "server.pem"],
            cwd=tmp_path, check=True, capture_output=True)


def test_the_walk_through_with_a_certificate_runs(tmp_path, serve):
    """From creating the certificate authority to a command from another machine. No certificate of the walk-through is valid for an
    IP address."""
    steps = {step.split()[0] + " " + step.split()[1]: step for step in blocks("ConnectingClients.md", "sh")}
    run(steps["openssl req"], tmp_path)
    names = subprocess.run(["openssl", "x509", "-in", "server.pem", "-noout", "-ext", "subjectAltName"], cwd=tmp_path,
                           check=True, capture_output=True, text=True).stdout
    assert "DNS:shop.example.com" in names and "IP Address" not in names
    # Only the port and the machine's name are the test's; everything else stands as in the guide.
    command = steps["hearth serve"].replace("\\\n", "").replace("10.0.0.5", "127.0.0.1").replace("--port 443", "")
    server = serve(*shlex.split(command)[2:])
    output = run(steps["hearth service-account"].replace("10.0.0.5", "127.0.0.1").replace(":443:", f":{server.port}:")
                 .replace("//shop.example.com", f"//shop.example.com:{server.port}"), tmp_path)
    assert '"hello"\n' in output and '"projectId":"hearth"' in output.replace(" ", ""), output
    made = json.loads((tmp_path / "backend.json").read_text(encoding="utf-8"))
    assert made["token_uri"].startswith("https://shop.example.com/"), made["token_uri"]


def test_the_commands_of_realtime_clients_run(serve):
    """Runs queries with and without an index, an event stream, and conditional writes."""
    server = serve(rules='{"rules": {}}')
    output = run("\n".join(blocks("RealtimeClients.md", "sh")), server.data.parent, server.authority)
    assert 'Index not defined, add \\".indexOn\\": \\"points\\"' in output, output
    found = '{"bob":{"points":9},"cyd":{"points":5}}'
    assert f'"ok"}}{found}event: put\ndata: {{"path":"/","data":{found}}}\n\n' in output, output
    assert output.endswith("44"), output
    assert json.loads(server.run("db", "get", "/scores/ann/points")) == 4


def test_the_commands_of_permission_loss_run(serve):
    server = serve(command="dev")
    output = run("\n".join(blocks("PermissionLoss.md", "sh")), server.data.parent, server.authority)
    assert output.count("user_disable") >= 3, output
    last = json.loads(output[output.rindex('{"receipts"'):])
    assert [one["cause"] for one in last["receipts"]] == ["rules"] and last["isComplete"] is True, output


def test_the_commands_of_the_rest_reference_run(serve):
    """The comment after each command is the output that the command must print."""
    server = serve(rules='{"rules": {}}')
    (block,) = blocks("RESTReference.md", "sh")
    output = run(block, server.data.parent, server.authority)
    assert output == "".join(re.findall(r"# (.+)$", block, re.M)), output


def test_working_with_data_names_every_command():
    listed = subprocess.run([HEARTH, "db", "--help"], check=True, capture_output=True, text=True).stdout
    _, _, names = listed.partition("SUBCOMMANDS:\n")
    path = ROOT / "Sources/Guide/WorkingWithData.md"
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"^  ([a-z-]+)", names, re.M):
        assert f"hearth db {name}" in text, name


def test_the_commands_of_the_data_folder_guide_run(serve):
    """Runs the repair commands on a stopped, undamaged folder."""
    server = serve()
    server.stop()
    output = "".join(run(block, server.data.parent) for block in blocks("DataFolder.md", "sh"))
    # Two commands examine the whole folder, and one the database's file.
    assert (output.count("accounts: intact"), output.count("databases/default: intact")) == (2, 3), output


def test_the_commands_that_create_cluster_nodes_run(tmp_path):
    output = [run(each, tmp_path) for each in blocks("Cluster.md", "sh")]
    assert "nodes/c: made" in output[0] and "nodes/d: made" in output[-1], output
    assert sorted(path.name for path in (tmp_path / "nodes").iterdir()) == ["a", "b", "c", "ca", "d"]


@pytest.mark.parametrize("page, count", [
    ("WritingRules.md", 6), ("TestingRules.md", 2), ("LintingRules.md", 1), ("ExplainingDenials.md", 1),
    ("RulesExposure.md", 3), ("RulesInOtherLanguages.md", 1)])
def test_the_commands_on_rules_print_what_the_guide_shows(page, count, tmp_path):
    """With HEARTH_WRITE_GUIDES=1 the page gets what is printed now; read the difference before you commit it."""
    examples = shown(page)
    assert len(examples) == count
    for script, expected in examples:
        for folder in ("Rules/", "Plugins/"):
            script = script.replace(f" {folder}", f" {ROOT}/{folder}")
        output = run(script, tmp_path)
        if os.environ.get("HEARTH_WRITE_GUIDES") == "1":
            path = GUIDES / page
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(expected, refreshed(expected, output)), encoding="utf-8")
            continue
        assert matches(expected, output), f"{expected}\nis shown, and printed is\n{output}"


def test_the_first_plugin_of_the_guide_conforms_and_signs_in(serve):
    server = serve(command="dev")
    make, install = blocks("WriteAPlugin.md", "sh")
    output = run(make.replace(" Plugins/", f" {ROOT}/Plugins/"), server.data.parent)
    assert output.endswith("the plugin passed all tests\n"), output
    output = run(install, server.data.parent, server.authority)
    assert json.loads(output.splitlines()[-1])["localId"] == "u1", output
