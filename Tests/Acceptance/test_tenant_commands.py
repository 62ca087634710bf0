"""`hearth tenants`, and `--tenant` of `hearth users` and `hearth audit`: on a running server and on a stopped folder."""

import json
import subprocess

from client import Client
from conftest import HEARTH
from identity import claims
from test_account_commands import restarted, run, server  # noqa: F401  (server is a fixture)
from test_tenants import RULES, is_signed_out, sign_up
from waits import WAIT_SECONDS


def complaint(server, *arguments, expect=1):  # noqa: F811
    """Returns the error message of a refused command. With the status for invalid arguments no request was sent."""
    done = subprocess.run(
        [HEARTH, *arguments, "--data", str(server.data)], capture_output=True, text=True, timeout=2 * WAIT_SECONDS)
    assert done.returncode == expect, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stderr


def test_tenants_are_created_listed_and_deleted(server):  # noqa: F811
    tenant = run(server, "tenants", "create", "acme-corp", "--passwords", "true").strip()
    assert tenant.startswith("acme-corp-")
    other = json.loads(run(server, "tenants", "create", "zebra", "--json"))
    assert other["displayName"] == "zebra" and other["allowPasswordSignup"] is False
    listed = run(server, "tenants", "list")
    assert tenant in listed and "zebra" in listed and "password" in listed
    assert [json.loads(line)["displayName"] for line in run(server, "tenants", "list", "--json").splitlines()] == [
        "acme-corp", "zebra"]
    run(server, "tenants", "set", tenant, "--anonymous", "true", "--disabled", "true")
    shown = json.loads(run(server, "tenants", "show", tenant, "--json"))
    assert shown["enableAnonymousUser"] and shown["disableAuth"] and shown["allowPasswordSignup"]
    assert "disabled" in run(server, "tenants", "list")
    run(server, "tenants", "delete", tenant, "--yes")
    assert tenant not in run(server, "tenants", "list")
    for command in (["show", tenant], ["set", tenant, "--disabled", "true"], ["delete", tenant, "--yes"]):
        assert "list the tenants with: hearth tenants list" in complaint(server, "tenants", *command)
    # A text that cannot be a tenant id is no valid path either, and no request is sent.
    assert "letters, digits and hyphens" in complaint(server, "tenants", "show", "../config", expect=64)
    assert "begins with a letter" in complaint(server, "tenants", "create", "4u", expect=64)
    assert "give at least one option" in complaint(server, "tenants", "set", tenant, expect=64)


def test_users_of_a_tenant(server, tmp_path):  # noqa: F811
    tenant = run(server, "tenants", "create", "acme-corp", "--passwords", "true").strip()
    password = "s3cret pass\n"
    own = json.loads(run(
        server, "users", "create", "ann@example.com", "--password-stdin", "--json", password=password))["localId"]
    in_tenant = json.loads(run(
        server, "users", "create", "ann@example.com", "--password-stdin", "--json", "--tenant", tenant,
        password=password))
    uid = in_tenant["localId"]
    assert uid != own and in_tenant["tenantId"] == tenant

    def uids(*where):
        return [each["localId"] for each in json.loads(run(server, "users", "list", "--json", *where))]

    assert uids() == [own] and uids("--tenant", tenant) == [uid]
    run(server, "users", "show", uid, expect=1)
    assert json.loads(run(server, "users", "show", "ann@example.com", "--tenant", tenant, "--json"))["localId"] == uid
    run(server, "users", "set-claims", "ann@example.com", '{"role":"editor"}', "--tenant", tenant)
    run(server, "users", "update", uid, "--display-name", "Ann", "--tenant", tenant)
    run(server, "users", "disable", uid, "--tenant", tenant)
    assert json.loads(run(server, "users", "show", uid, "--tenant", tenant, "--json"))["disabled"] is True
    assert not json.loads(run(server, "users", "show", own, "--json")).get("disabled")
    run(server, "users", "enable", uid, "--tenant", tenant)
    run(server, "users", "revoke", uid, "--tenant", tenant)
    trail = run(server, "audit", "tail", "--tenant", tenant, "--json")
    assert uid in trail and own not in trail and "user_disable" in trail
    assert "whole" in run(server, "audit", "verify", "--tenant", tenant)
    # An unknown tenant's error names the command that lists the tenants.
    assert "there is no such account" in complaint(server, "users", "disable", own, "--tenant", tenant)
    unknown = complaint(server, "users", "list", "--tenant", "nobody-12345")
    assert "TENANT_NOT_FOUND" in unknown and "list the tenants with: hearth tenants list" in unknown
    assert "letters, digits and hyphens" in complaint(server, "users", "list", "--tenant", "../x", expect=64)

    file = tmp_path / "people.json"
    run(server, "users", "export", str(file), "--tenant", tenant)
    assert [each["localId"] for each in json.loads(file.read_text())["users"]] == [uid]
    run(server, "users", "delete", uid, "--yes", "--tenant", tenant)
    assert uids("--tenant", tenant) == [] and uids() == [own]
    run(server, "users", "import", str(file), "--tenant", tenant)
    app = restarted(server)
    signed_in = app.post("accounts:signInWithPassword", {
        "email": "ann@example.com", "password": password.strip(), "returnSecureToken": True, "tenantId": tenant})
    content = claims(signed_in["idToken"])
    assert content["role"] == "editor" and content["name"] == "Ann" and content["firebase"]["tenant"] == tenant


def test_a_user_of_another_tenant_is_not_imported(server, tmp_path):  # noqa: F811
    one, other = (run(server, "tenants", "create", name).strip() for name in ("one-corp", "two-corp"))
    file = tmp_path / "people.json"
    file.write_text(json.dumps({"users": [{"localId": "ann", "tenantId": one}, {"localId": "bob"}]}))
    said = complaint(server, "users", "import", str(file), "--tenant", other)
    assert "account 1 (ann): Tenant id" in said and "does not match" in said, said
    assert [each["localId"] for each in json.loads(run(server, "users", "list", "--json", "--tenant", other))] == ["bob"]


def test_deleting_a_tenant_cancels_its_sockets_and_prints_receipts(serve):
    server = serve("--sign-in", "password", rules=RULES)
    tenant = run(server, "tenants", "create", "acme-corp", "--passwords", "true").strip()
    user = sign_up(server, "ann@example.com", tenant)
    live = Client(server)
    live.sign_in(user["idToken"])
    live.listen(f"/of/{tenant}")
    told = run(server, "tenants", "delete", tenant, "--yes", "--wait", "--json").splitlines()
    state, receipt = (json.loads(line) for line in told)
    assert state == {"tenantId": tenant} and (receipt["cancelled"], receipt["isComplete"]) == (1, True), told
    is_signed_out(live)
