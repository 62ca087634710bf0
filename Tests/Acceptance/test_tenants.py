"""Tenants: firebase-admin manages them, app users sign in to them, rules see them, and the end of a tenant signs its users' sockets
out."""

import time

import pytest
import requests
from firebase_admin import auth, tenant_mgt

import secrets_seen
from client import Client, stream_lines
from identity import Identity, claims, triple
from postgres import PROGRAMS, WHY_NOT
from test_admin_users import app  # noqa: F401  (a fixture)
from waits import WAIT_SECONDS, until

RULES = """{ "rules": { "of": { "$tenant": {
  ".read": "auth.token.firebase.tenant === $tenant", ".write": "auth.token.firebase.tenant === $tenant" } } } }"""
PASSWORD = "correct horse"


class Administrator:
    """The requests of admin SDKs, with an access token of the server."""

    def __init__(self, server):
        self.identity = Identity(server)
        token = server.run("token", "mint", "--admin").strip()
        secrets_seen.note(token)
        self.headers = {"Authorization": f"Bearer {token}"}

    def make(self, **settings):
        settings = {"allowPasswordSignup": True, **settings}
        made = self.identity.post("projects/hearth/tenants", settings, version="v2", headers=self.headers)
        return made["name"].split("/")[-1]

    def disable(self, tenant, is_disabled=True):
        url = f"{self.identity.server.url}/identitytoolkit.googleapis.com/v2/projects/hearth/tenants/{tenant}"
        answer = requests.patch(
            url, params={"updateMask": "disableAuth"}, json={"disableAuth": is_disabled}, headers=self.headers,
            timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text

    def delete(self, tenant):
        url = f"{self.identity.server.url}/identitytoolkit.googleapis.com/v2/projects/hearth/tenants/{tenant}"
        answer = requests.delete(url, headers=self.headers, timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def server(serve):
    return serve("--sign-in", "password", rules=RULES)


def sign_up(server, email, tenant):
    return triple(Identity(server).post("accounts:signUp", {
        "email": email, "password": PASSWORD, "returnSecureToken": True, "tenantId": tenant}))


def is_signed_out(client):
    """Returns True when the client's next frames are a cancel and the expiry of its credential."""
    told = [client.receive()["d"]["a"] for _ in range(2)]
    assert sorted(told) == ["ac", "c"], told


def test_rules_read_the_tenant_of_the_caller(server):
    administrator = Administrator(server)
    one, other = administrator.make(displayName="tenant-one"), administrator.make(displayName="tenant-two")
    user = sign_up(server, "ann@example.com", one)
    assert claims(user["idToken"])["firebase"]["tenant"] == one
    live = Client(server)
    live.sign_in(user["idToken"])
    live.call("p", p=f"/of/{one}/a", d=1)
    live.call("p", "permission_denied", p=f"/of/{other}/a", d=1)
    live.close()
    # The same e-mail address belongs to another user in another tenant.
    Identity(server).fail("accounts:signInWithPassword", {
        "email": "ann@example.com", "password": PASSWORD, "tenantId": other}, "INVALID_LOGIN_CREDENTIALS")
    Identity(server).fail(
        "accounts:lookup", {"idToken": user["idToken"], "tenantId": other}, "TENANT_ID_MISMATCH")


def test_with_a_tenant_its_users_sockets_are_signed_out(server):
    administrator = Administrator(server)
    one, other = administrator.make(), administrator.make()
    gone, stays = (sign_up(server, "ann@example.com", tenant) for tenant in (one, other))
    sockets = {}
    for tenant, user in ((one, gone), (other, stays)):
        sockets[tenant] = Client(server)
        sockets[tenant].sign_in(user["idToken"])
        sockets[tenant].listen(f"/of/{tenant}")
    administrator.delete(one)
    is_signed_out(sockets[one])
    number = sockets[other].request("p", p=f"/of/{other}/a", d=1)
    sockets[other].expect("d", p=f"of/{other}/a", d=1)
    sockets[other].reply(number)
    Client(server).call("auth", "invalid_token", cred=gone["idToken"])


def stream(server, path, token):
    """Returns the first lines of an event stream, and a queue of the later ones."""
    answer = requests.get(
        f"{server.url}{path}.json", params={"auth": token}, headers={"Accept": "text/event-stream"}, stream=True,
        timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    lines = stream_lines(answer)
    assert next(lines) == "event: put"
    return lines


@pytest.mark.parametrize("end", ["disable", "delete"])
def test_connections_of_a_deleted_or_disabled_tenant_are_signed_out(server, end):
    administrator = Administrator(server)
    one, other = administrator.make(), administrator.make()
    user, stays = sign_up(server, "ann@example.com", one), sign_up(server, "ann@example.com", other)
    live, leaving, own = Client(server), Client(server), Client(server)
    live.sign_in(user["idToken"])
    live.listen(f"/of/{one}")
    leaving.sign_in(user["idToken"])
    leaving.call("o", p=f"/of/{one}/left", d=1)
    own.sign_in(stays["idToken"])
    own.call("o", p=f"/of/{other}/left", d=1)
    lines = stream(server, f"/of/{one}", user["idToken"])
    started = time.monotonic()
    getattr(administrator, end)(one)
    is_signed_out(live)
    assert time.monotonic() - started < 1
    assert any(line == "event: auth_revoked" for line in lines)
    # Their `onDisconnect` operations need a permission that they have lost.
    for client in (leaving, own):
        client.close()
    owner = {"Authorization": administrator.headers["Authorization"]}

    def read(tenant):
        return requests.get(f"{server.url}/of/{tenant}/left.json", headers=owner, timeout=WAIT_SECONDS).json()

    until(lambda: read(other) == 1, "another tenant's end is not written")
    assert read(one) is None
    answer = requests.get(f"{server.url}/of/{one}.json", params={"auth": user["idToken"]}, timeout=WAIT_SECONDS)
    assert answer.status_code == 401, answer.text
    refused = "expired_token" if end == "disable" else "invalid_token"
    Client(server).call("auth", refused, cred=user["idToken"])
    if end == "disable":
        refused = Identity(server).refresh(user["refreshToken"], 400)["error"]["message"]
        assert refused.split(" : ")[0] == "PROJECT_DISABLED", refused
        administrator.disable(one, False)
        assert Identity(server).refresh(user["refreshToken"])["user_id"] == user["localId"]


def is_let_in(live, user):
    """Returns True when the client's node knows the user: it follows the node that created the account."""
    number = live.request("auth", cred=user["idToken"])
    answer = live.receive()["d"]
    assert answer["r"] == number, answer
    return answer["b"]["s"] == "ok"


@pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)
def test_every_node_of_a_cluster_knows_tenants(cluster):
    nodes = cluster("--sign-in", "password", rules=RULES)
    administrator = Administrator(nodes["a"])
    one, other = administrator.make(), administrator.make()
    gone, stays = sign_up(nodes["b"], "ann@example.com", one), sign_up(nodes["b"], "ann@example.com", other)
    sockets = []
    for name in "abc":
        for tenant, user in ((one, gone), (other, stays)):
            live = Client(nodes[name])
            until(lambda: is_let_in(live, user), "the user is not known")
            live.listen(f"/of/{tenant}")
            sockets.append((tenant, live))
    administrator.delete(one)
    for live in (live for tenant, live in sockets if tenant == one):
        is_signed_out(live)
    stay = [live for tenant, live in sockets if tenant == other]
    number = stay[0].request("p", p=f"/of/{other}/a", d=1)
    for live in stay:
        live.expect("d", p=f"of/{other}/a", d=1)
    stay[0].reply(number)


def test_tenants_outlive_a_restart_and_a_kill(server):
    administrator = Administrator(server)
    factors = {"state": "DISABLED", "enabledProviders": [], "providerConfigs": [
        {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 5}}]}
    tenant = administrator.make(
        displayName="lasting", mfaConfig=factors, client={"permissions": {"disabledUserDeletion": True}})
    user = sign_up(server, "ann@example.com", tenant)
    server.kill()
    server.start()
    url = f"{server.url}/identitytoolkit.googleapis.com/v2/projects/hearth/tenants/{tenant}"
    kept = requests.get(url, headers=administrator.headers, timeout=WAIT_SECONDS).json()
    assert kept["mfaConfig"] == factors and kept["client"] == {"permissions": {"disabledUserDeletion": True}}
    Identity(server).fail("accounts:delete", {"idToken": user["idToken"], "tenantId": tenant}, "OPERATION_NOT_ALLOWED")
    again = Identity(server).post("accounts:signInWithPassword", {
        "email": "ann@example.com", "password": PASSWORD, "returnSecureToken": True, "tenantId": tenant})
    assert again["localId"] == user["localId"]
    assert Identity(server).refresh(user["refreshToken"])["user_id"] == user["localId"]


def test_firebase_admin_keeps_tenants_and_their_users(app):  # noqa: F811
    if app.mode == "emulator":
        pytest.skip("this SDK's tenants do not know of the emulator's host")
    made = tenant_mgt.create_tenant("cinema-one", allow_password_sign_up=True, enable_email_link_sign_in=False, app=app)
    assert made.display_name == "cinema-one" and made.allow_password_sign_up and not made.enable_email_link_sign_in
    changed = tenant_mgt.update_tenant(made.tenant_id, enable_email_link_sign_in=True, app=app)
    assert changed.enable_email_link_sign_in and changed.allow_password_sign_up
    assert [each.tenant_id for each in tenant_mgt.list_tenants(app=app).iterate_all()] == [made.tenant_id]
    users = tenant_mgt.auth_for_tenant(made.tenant_id, app=app)
    ann = users.create_user(email="ann@example.com", password=PASSWORD)
    assert ann.tenant_id == made.tenant_id and users.get_user_by_email("ann@example.com").uid == ann.uid
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user(ann.uid, app=app)
    client = Identity(app.server)
    signed_in = client.post("accounts:signInWithPassword", {
        "email": "ann@example.com", "password": PASSWORD, "returnSecureToken": True, "tenantId": made.tenant_id})
    assert users.verify_id_token(signed_in["idToken"])["uid"] == ann.uid
    other = tenant_mgt.auth_for_tenant("another-12345", app=app)
    with pytest.raises(tenant_mgt.TenantIdMismatchError):
        other.verify_id_token(signed_in["idToken"])
    custom = users.create_custom_token("bob").decode()
    bob = client.post("accounts:signInWithCustomToken", {
        "token": custom, "returnSecureToken": True, "tenantId": made.tenant_id})
    assert users.verify_id_token(bob["idToken"])["uid"] == "bob"
    client.fail("accounts:signInWithCustomToken", {"token": custom}, "TENANT_ID_MISMATCH")
    users.revoke_refresh_tokens(ann.uid)
    tenant_mgt.delete_tenant(made.tenant_id, app=app)
    with pytest.raises(tenant_mgt.TenantNotFoundError):
        tenant_mgt.get_tenant(made.tenant_id, app=app)
