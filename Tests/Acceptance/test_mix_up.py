"""OAuth's mix-up attack: a tenant's administrator configures a provider whose page redirects users to the project's honest
provider, and waits for the honest provider's code at the attacker's token endpoint. Uses two real issuers, and browsers that follow
redirects without scripts."""

import html
import json
import re
import urllib.parse

import pytest
import requests

import secrets_seen
from certificates import tls_options
from conftest import Server
from identity import HOST, claims
from stand_in_server import StandInServer
from test_provider_configurations import Administrator
from waits import WAIT_SECONDS
from websdk import provider as providers

AUTH, APP = "https://auth.example.test", "https://app.example.test"
SHARED = f"{AUTH}/__/auth/handler"
VICTIM = "ceo@corp.example"


class EvilIssuer(StandInServer):
    """An issuer that redirects browsers to another issuer, and records the codes that are sent to its token endpoint."""

    def __init__(self):
        self.codes, self.more, self.onward = [], {}, None
        super().__init__()
        self.url = self.origin

    def respond(self, request):
        url = urllib.parse.urlsplit(request.path)
        if request.command == "POST":
            self.codes.append(request.form()["code"])
            request.reply({"error": "invalid_grant"}, 400)
        elif url.path == "/.well-known/openid-configuration":
            request.reply({
                "issuer": self.url, "authorization_endpoint": f"{self.url}/page", "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys", **self.more})
        else:
            request.reply(status=302, headers={"Location": self.onward(dict(urllib.parse.parse_qsl(url.query)))})


class Browser:
    """Keeps the cookie of one visit, and reads the results that pages post to the app."""

    def __init__(self, server):
        self.server, self.cookie = server, None

    def at_server(self, method, url, cookie=True, **options):
        parts = urllib.parse.urlsplit(url)
        answer = requests.request(
            method, self.server.url + parts.path + (f"?{parts.query}" if parts.query else ""), verify=False,
            headers={"Host": parts.hostname} | ({"Cookie": self.cookie} if cookie and self.cookie else {}),
            allow_redirects=False, timeout=WAIT_SECONDS, **options)
        made = answer.headers.get("Set-Cookie", "").split(";")[0]
        if made and not made.endswith("="):
            self.cookie = made
        return answer

    def leave(self, provider, tenant=None):
        """Starts a sign-in; returns the address of the provider's page."""
        fields = {
            "apiKey": "demo-key", "appName": "[DEFAULT]", "authType": "signInViaPopup", "providerId": provider,
            "redirectUrl": APP + "/", "eventId": "7", "v": "12"} | ({"tid": tenant} if tenant else {})
        gone = self.at_server("GET", f"{SHARED}?{urllib.parse.urlencode(fields)}")
        assert gone.status_code == 303, gone.text
        return gone.headers["Location"]

    def agree(self, url, who=VICTIM):
        """Consents at the honest provider; returns the address that it redirects to, or None when it does not redirect."""
        if requests.get(url, timeout=WAIT_SECONDS).status_code != 200:
            return None
        answer = requests.post(url, data={"sub": who, "action": "authorize"}, allow_redirects=False, timeout=WAIT_SECONDS)
        assert answer.status_code in (302, 303), answer.text
        return answer.headers["Location"]

    def arrive(self, url, by="GET"):
        """Follows the redirect back to the server; returns the result for the app, or None when there is none."""
        if by == "GET":
            page = self.at_server("GET", url)
        else:
            place, _, query = url.partition("?")
            form = dict(urllib.parse.parse_qsl(query))
            first = self.at_server("POST", place, cookie=False, data=form)
            assert 'id="answer"' in first.text, first.text
            page = self.at_server("POST", place, data=form | {"hearth": "1"})
        found = re.search(r'data-event="([^"]*)"', page.text)
        return json.loads(html.unescape(found[1]))["event"] if found else None

    def redeem(self, event, tenant=None):
        body = {"requestUri": event["urlResponse"], "sessionId": event["sessionId"], "returnSecureToken": True}
        return requests.post(
            f"{self.server.url}/{HOST}/v1/accounts:signInWithIdp?key=demo-key", verify=False, timeout=WAIT_SECONDS,
            json=body | ({"tenantId": tenant} if tenant else {}))


@pytest.fixture
def honest():
    with providers.provider() as made:
        yield made


@pytest.fixture
def evil():
    made = EvilIssuer()
    yield made
    made.close()


@pytest.fixture
def server(tmp_path, honest):
    (tmp_path / "secret").write_text(providers.CLIENT[1] + "\n")
    settings = tmp_path / "auth.json"
    settings.write_text(json.dumps({
        "publicURL": AUTH, "authorizedDomains": ["app.example.test"],
        "signIn": {"anonymous": True, "oauth": {"allowsPlainHTTP": True, "oidc": [{
            "id": "oidc.file", "issuer": honest.url, "clientIDs": [providers.CLIENT[0]],
            "clientSecretFile": str(tmp_path / "secret"), "emailDomains": ["corp.example"]}]}}}))
    made = Server(
        tmp_path / "data", *tls_options(tmp_path), "--auth-config", str(settings)).start()
    made.administrator = Administrator(made)
    made.tenant = made.administrator.tenant()
    yield made
    made.stop()


def set_up(server, issuer, name, tenant=None, **more):
    secrets_seen.note(providers.CLIENT[1])
    place = f"tenants/{tenant}/oauthIdpConfigs" if tenant else "oauthIdpConfigs"
    return server.administrator.ask(
        "POST", place, {
            "enabled": True, "issuer": issuer.url, "clientId": providers.CLIENT[0], "clientSecret": providers.CLIENT[1],
            "responseType": {"code": True}, "emailDomains": ["corp.example"], **more}, oauthIdpConfigId=name)


def attack(server, honest, evil, target, redirect_uri, by="GET"):
    """The victim starts a sign-in by `oidc.evil` in the tenant; the attacker wants to sign in as the victim at `target`."""
    attacker, victim = Browser(server), Browser(server)
    own = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(attacker.leave(target)).query))
    # The attacker's own authorization request, with the victim's state in it.
    evil.onward = lambda asked: f"{honest.url}/oauth2/authorize?" + urllib.parse.urlencode(
        own | {"state": asked["state"], "redirect_uri": redirect_uri})
    sent_on = requests.get(victim.leave("oidc.evil", server.tenant), allow_redirects=False, timeout=WAIT_SECONDS)
    back = victim.agree(sent_on.headers["Location"])
    if back is None:
        return "the honest provider refuses the redirect URI"
    told = victim.arrive(back, by)
    if told and told["sessionId"]:
        victim.redeem(told, server.tenant)
    if not evil.codes:
        return (told or {}).get("error") or "the page is none of this visit"
    event = attacker.arrive(f"{own['redirect_uri']}?" + urllib.parse.urlencode({"state": own["state"], "code": evil.codes[0]}))
    return f"the attacker is {claims(attacker.redeem(event).json()['idToken'])['email']}"


@pytest.mark.parametrize("by", ["GET", "POST"])
def test_a_code_of_a_provider_of_the_file_reaches_no_other(server, honest, evil, by):
    set_up(server, evil, "oidc.evil", server.tenant)
    honest.registered = {SHARED}
    assert attack(server, honest, evil, "oidc.file", SHARED, by) == "the page is none of this visit"
    elsewhere = f"{AUTH}/__/auth/redirect/{server.tenant}/oidc.evil"
    assert "refuses" in attack(server, honest, evil, "oidc.file", elsewhere, by)
    assert evil.codes == [] and honest.redeemed == []
    # The honest provider still works, with the redirect URI that it had.
    person = Browser(server)
    event = person.arrive(person.agree(person.leave("oidc.file")), by)
    assert person.redeem(event).json()["email"] == VICTIM


@pytest.mark.parametrize("by", ["GET", "POST"])
def test_a_code_of_a_provider_that_was_set_up_reaches_no_other(server, honest, evil, by):
    set_up(server, evil, "oidc.evil", server.tenant)
    made = set_up(server, honest, "oidc.corp")
    honest.registered = set(made["redirectUris"])
    assert made["redirectUris"] == [f"{AUTH}/__/auth/redirect/oidc.corp"]
    assert attack(server, honest, evil, "oidc.corp", made["redirectUris"][0], by) == "the page is none of this visit"
    assert evil.codes == [] and honest.redeemed == []
    person = Browser(server)
    event = person.arrive(person.agree(person.leave("oidc.corp")), by)
    assert person.redeem(event).json()["email"] == VICTIM


def test_a_provider_with_the_shared_address_must_name_its_issuer(server, honest, evil):
    """A malicious provider that uses the shared redirect URI is declared to send `iss`: the honest provider's code arrives without
    `iss`, or with another issuer's."""
    evil.more = {"authorization_response_iss_parameter_supported": True}
    set_up(server, evil, "oidc.evil", server.tenant, usesSharedRedirectUri=True)
    for more in ({}, {"iss": honest.url}):
        honest.answers_with = more
        told = attack(server, honest, evil, "oidc.file", SHARED)
        assert told["code"] == "auth/internal-error" and "does not name the issuer" in told["message"], told
    assert evil.codes == [] and honest.redeemed == []
    assert "another issuer's answer" in server.run("audit", "tail", "--tenant", server.tenant)


def test_the_iss_parameter_is_compared_with_the_issuer(server, honest):
    """RFC 9207, for a provider of the operator's configuration file."""
    for more, good in (({}, True), ({"iss": honest.url}, True), ({"iss": honest.url + "/"}, False), ({"iss": ""}, False)):
        honest.answers_with = more
        person = Browser(server)
        told = person.arrive(person.agree(person.leave("oidc.file")))
        assert (told["error"] is None) == good, (more, told)
        assert (told["sessionId"] is not None) == good


def test_create_auth_uri_with_an_address_of_the_app_separates_the_issuers(server, honest, evil):
    """`createAuthUri` with a redirect URI of the app: the app names the provider, or the `iss` of the response does."""
    set_up(server, evil, "oidc.evil", server.tenant)
    asked = f"{server.url}/{HOST}/v1/accounts:createAuthUri?key=demo-key"
    body = {"providerId": "oidc.evil", "tenantId": server.tenant}
    shared = requests.post(asked, json=body | {"continueUri": f"{APP}/back"}, verify=False, timeout=WAIT_SECONDS)
    assert shared.status_code == 400 and "INVALID_CONTINUE_URI : oidc.evil does not declare" in shared.text, shared.text
    place = f"{APP}/back/{server.tenant}/oidc.evil"
    own = requests.post(asked, json=body | {"continueUri": place}, verify=False, timeout=WAIT_SECONDS).json()
    state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(own["authUri"]).query))["state"]
    for back, sent in ((f"{APP}/back", []), (place, ["c"])):
        event = {"urlResponse": f"{back}?state={state}&code=c", "sessionId": own["sessionId"]}
        answer = Browser(server).redeem(event, server.tenant)
        assert answer.status_code == 400 and evil.codes == sent, answer.text
