"""Providers that administrators configure while the server runs: firebase-admin manages them, and users sign in by a real OpenID
provider and by a real SAML identity provider."""

import base64
import html
import json
import re
import urllib.parse

import pytest
import requests
from firebase_admin import auth, tenant_mgt

import secrets_seen
from browser import browser, picture
from certificates import self_signed, tls_options
from conftest import Server
from identity import HOST, claims
from test_admin_users import app  # noqa: F401  (a fixture)
from test_web_sign_in import APP, AUTH, MILLISECONDS, App, agree, script  # noqa: F401
from waits import WAIT_SECONDS
from websdk import provider as providers
from websdk import saml

SERVICE_PROVIDER = "https://auth.example.test/saml"


@pytest.fixture
def provider():
    with providers.provider() as made:
        yield made


@pytest.fixture(params=["assertion"])
def company(request, tmp_path):
    with saml.identity_provider(tmp_path, request.param) as made:
        yield made


@pytest.fixture
def server(tmp_path):
    settings = tmp_path / "auth.json"
    settings.write_text(json.dumps({
        "publicURL": AUTH, "authorizedDomains": ["app.example.test"],
        "signIn": {"anonymous": True, "oauth": {"allowsPlainHTTP": True}}}))
    made = Server(
        tmp_path / "data", *tls_options(tmp_path), "--auth-config", str(settings)).start()
    made.administrator = Administrator(made)
    yield made
    made.stop()


class Administrator:
    """The requests of admin SDKs, with an access token of the server."""

    def __init__(self, server):
        self.server = server
        token = server.run("token", "mint", "--admin").strip()
        secrets_seen.note(token)
        self.headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, body=None, place=f"{HOST}/v2/projects/hearth", **query):
        answer = requests.request(
            method, f"{self.server.url}/{place}/{path}", json=body, params=query, headers=self.headers, verify=False,
            timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def tenant(self, name="acme"):
        return self.ask("POST", "tenants", {"displayName": name})["name"].split("/")[-1]

    def make_issuer(self, provider, tenant=None, **more):
        scope = f"tenants/{tenant}/" if tenant else ""
        secrets_seen.note(providers.CLIENT[1])
        return self.ask("POST", f"{scope}oauthIdpConfigs", {
            "enabled": True, "displayName": "Corp", "issuer": provider.url, "clientId": providers.CLIENT[0],
            "clientSecret": providers.CLIENT[1], "responseType": {"code": True}, **more}, oauthIdpConfigId="oidc.corp")

    def make_company(self, company, tenant=None):
        """Configures the identity provider from its metadata, and gives it the server's metadata."""
        file = company.folder / "company.xml"
        file.write_text(company.metadata, encoding="utf-8")
        said = self.server.run(
            "providers", "import-saml", "saml.corp", str(file), "--sp-entity-id", SERVICE_PROVIDER, "--display-name", "Corp",
            *(["--tenant", tenant] if tenant else []))
        assert said == f"saml.corp redirects users to {company.url}/sso and trusts 1 certificate\n", said
        company.configure(self.metadata(tenant))

    def metadata(self, tenant=None):
        answer = requests.get(
            f"{self.server.url}/__/auth/saml/metadata",
            params={"providerId": "saml.corp"} | ({"tenantId": tenant} if tenant else {}),
            headers={"Host": "auth.example.test"}, verify=False, timeout=WAIT_SECONDS)
        assert answer.status_code == 200, answer.text
        return answer.text


# MARK: firebase-admin

def kept(client, tmp_path):
    """Runs all operations of firebase-admin for provider configurations."""
    made = client.create_oidc_provider_config(
        "oidc.one", client_id="app", issuer="https://id.example.com", display_name="One", enabled=True,
        client_secret="hush", id_token_response_type=False, code_response_type=True)
    assert (made.provider_id, made.client_id, made.issuer, made.client_secret, made.enabled, made.display_name) == (
        "oidc.one", "app", "https://id.example.com", "hush", True, "One")
    assert (made.id_token_response_type, made.code_response_type) == (False, True)
    for name in ("two", "three"):
        client.create_oidc_provider_config(f"oidc.{name}", client_id="app", issuer="https://id.example.com")
    page = client.list_oidc_provider_configs(max_results=2)
    assert [each.provider_id for each in page.provider_configs] == ["oidc.one", "oidc.three"] and page.has_next_page
    assert [each.provider_id for each in page.iterate_all()] == ["oidc.one", "oidc.three", "oidc.two"]
    changed = client.update_oidc_provider_config(
        "oidc.one", client_id="other", display_name=auth.DELETE_ATTRIBUTE, enabled=False, id_token_response_type=True,
        code_response_type=False)
    assert (changed.client_id, changed.display_name, changed.enabled) == ("other", None, False)
    assert client.get_oidc_provider_config("oidc.one").issuer == "https://id.example.com"
    client.delete_oidc_provider_config("oidc.one")
    with pytest.raises(auth.ConfigurationNotFoundError):
        client.get_oidc_provider_config("oidc.one")

    first, second = (self_signed(tmp_path, name)[0].read_text() for name in ("first", "second"))
    made = client.create_saml_provider_config(
        "saml.one", idp_entity_id="IDP", sso_url="https://idp.example.com/sso", x509_certificates=[first],
        rp_entity_id="RP", callback_url="https://hearth.firebaseapp.com/__/auth/handler", display_name="One", enabled=True)
    assert (made.idp_entity_id, made.sso_url, made.x509_certificates, made.rp_entity_id, made.callback_url) == (
        "IDP", "https://idp.example.com/sso", [first], "RP", "https://hearth.firebaseapp.com/__/auth/handler")
    changed = client.update_saml_provider_config("saml.one", x509_certificates=[first, second], rp_entity_id="RP2", enabled=False)
    assert (changed.x509_certificates, changed.rp_entity_id, changed.idp_entity_id, changed.enabled, changed.display_name) == (
        [first, second], "RP2", "IDP", False, "One")
    assert [each.provider_id for each in client.list_saml_provider_configs().iterate_all()] == ["saml.one"]
    client.delete_saml_provider_config("saml.one")
    with pytest.raises(auth.ConfigurationNotFoundError):
        client.update_saml_provider_config("saml.one", enabled=True)


def test_firebase_admin_manages_provider_configurations(app, tmp_path):  # noqa: F811
    kept(auth.Client(app), tmp_path)


def test_firebase_admin_manages_provider_configurations_of_a_tenant(app, tmp_path):  # noqa: F811
    if app.mode == "emulator":
        pytest.skip("this client asks Google's own address for tenants, whatever the emulator's variable says")
    tenant = tenant_mgt.create_tenant("acme-corp", app=app).tenant_id
    client = tenant_mgt.auth_for_tenant(tenant, app=app)
    kept(client, tmp_path)
    assert [each.provider_id for each in client.list_oidc_provider_configs().iterate_all()] == ["oidc.three", "oidc.two"]
    assert not list(auth.list_oidc_provider_configs(app=app).iterate_all())


# MARK: Without a browser

class Visit:
    """The requests of a browser on the handler's page and at the identity provider, without scripts."""

    def __init__(self, server, tenant=None):
        self.server, self.tenant = server, tenant

    def handler(self, method, **options):
        return requests.request(
            method, f"{self.server.url}/__/auth/handler", headers={"Host": "auth.example.test"} | options.pop("headers", {}),
            allow_redirects=False, verify=False, timeout=WAIT_SECONDS, **options)

    def leave(self):
        fields = {
            "apiKey": "demo-key", "appName": "[DEFAULT]", "authType": "signInViaPopup", "providerId": "saml.corp",
            "redirectUrl": APP + "/", "eventId": "7", "v": "12"} | ({"tid": self.tenant} if self.tenant else {})
        gone = self.handler("GET", params=fields)
        assert gone.status_code == 303, gone.text
        self.cookie = gone.headers["Set-Cookie"].split(";")[0]
        self.state = urllib.parse.parse_qs(urllib.parse.urlsplit(gone.headers["Location"]).query)["RelayState"][0]
        return gone.headers["Location"]

    def at_company(self, url, who="ann", go="yes"):
        page = requests.post(url, data={"who": who, "go": go}, timeout=WAIT_SECONDS)
        assert page.status_code == 200, page.text
        inputs = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text))
        return {name: html.unescape(value) for name, value in inputs.items()}

    def bring(self, form, cookie=True, own=True):
        """Posts the identity provider's form and, after it, the form of the server's own page."""
        return self.handler(
            "POST", data=form | ({"hearth": "1"} if own else {}), headers={"Cookie": self.cookie} if cookie else {})

    def redeem(self, event):
        body = {
            "requestUri": event["urlResponse"], "sessionId": event["sessionId"], "returnSecureToken": True,
            "returnIdpCredential": True} | ({"tenantId": self.tenant} if self.tenant else {})
        return requests.post(
            f"{self.server.url}/{HOST}/v1/accounts:signInWithIdp?key=demo-key", json=body, verify=False, timeout=WAIT_SECONDS)


def event(page):
    assert page.status_code == 200, page.text
    return json.loads(html.unescape(re.search(r'data-event="([^"]*)"', page.text)[1]))["event"]


@pytest.mark.parametrize("company", ["assertion", "response", "both"], indirect=True)
def test_users_sign_in_with_saml(server, company):
    server.administrator.make_company(company)
    visit = Visit(server)
    url = visit.leave()
    assert url.startswith(f"{company.url}/sso?SAMLRequest=")
    form = visit.at_company(url)
    # Browsers post the identity provider's form without the cookie; a page of the server posts it again.
    again = visit.bring(form, cookie=False, own=False)
    assert 'id="answer"' in again.text and "data-event" not in again.text
    told = event(visit.bring(form))
    assert told["error"] is None, told
    answer = visit.redeem(told).json()
    token = claims(answer["idToken"])
    assert answer["email"] == "ann@corp.example" and answer["displayName"] == "Ann Smith"
    assert token["firebase"]["sign_in_provider"] == "saml.corp"
    assert token["firebase"]["identities"]["saml.corp"] == ["ann@corp.example"]
    assert "Engineer" in token["firebase"]["sign_in_attributes"].values()
    asked, = company.asked
    assert asked.issuer.text == SERVICE_PROVIDER and asked.assertion_consumer_service_url == f"{AUTH}/__/auth/handler"
    # The event and the SAML response are each accepted once.
    assert "used before" in visit.redeem(told).text
    assert "used before" in event(visit.bring(form))["error"]["message"]
    # The account and the provider are kept over a restart.
    server.stop()
    server.start()
    later = Visit(server)
    assert later.redeem(event(later.bring(later.at_company(later.leave())))).json()["localId"] == answer["localId"]


def test_invalid_saml_responses_are_refused(server, company, tmp_path):
    server.administrator.make_company(company)
    visit = Visit(server)
    denied = event(visit.bring(visit.at_company(visit.leave(), go="no")))
    assert denied["error"]["code"] == "auth/user-cancelled", denied
    form = visit.at_company(visit.leave())
    text = base64.b64decode(form["SAMLResponse"]).decode()
    forged = text.replace("ann@corp.example", "bob@corp.example")
    assert forged != text
    for wrong in (forged, re.sub(r"<ns\d+:Signature .*</ns\d+:Signature>", "", text, flags=re.DOTALL),
                  re.sub(r"<(ns\d+):Subject>", r'<\1:Subject xmlns:q="../x" q:a="1">', text),
                  "<!DOCTYPE a [<!ENTITY b 'c'>]>" + text, text[:-10], ""):
        answer = visit.bring(form | {"SAMLResponse": base64.b64encode(wrong.encode()).decode()})
        told = answer.status_code == 400 or event(answer)["error"]["message"].startswith("INVALID_IDP_RESPONSE")
        assert told, answer.text
    # The XML library's error is not logged, because clients choose its text.
    assert "C14N" not in server.log() and "parser error" not in server.log()
    # Another browser has no visit; another visit has another request id.
    other = Visit(server)
    other.leave()
    assert visit.handler("POST", data=form | {"hearth": "1"}, headers={"Cookie": other.cookie}).status_code == 400
    swapped = event(other.bring(form | {"RelayState": other.state}))
    assert "InResponseTo" in swapped["error"]["message"], swapped
    # An identity provider with the same entity id and another key.
    with saml.identity_provider(tmp_path_of(tmp_path, "imposter")) as imposter:
        imposter.url = company.url
        imposter.configure(server.administrator.metadata())
        url = urllib.parse.urlsplit(visit.leave())
        fields = {name: values[0] for name, values in urllib.parse.parse_qs(url.query).items()}
        page = imposter.answer(fields, {"who": "ann", "go": "yes"})
        inputs = {
            name: html.unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)}
        told = event(visit.bring(inputs))
        assert "does not match the configured certificates" in told["error"]["message"], told


def tmp_path_of(folder, name):
    made = folder / name
    made.mkdir()
    return made


def test_users_of_a_tenant_sign_in_with_saml(server, company):
    tenant = server.administrator.tenant()
    server.administrator.make_company(company, tenant)
    visit = Visit(server, tenant)
    told = event(visit.bring(visit.at_company(visit.leave())))
    assert told["tenantId"] == tenant
    stray = Visit(server)
    assert "TENANT_ID_MISMATCH" in stray.redeem(told).text
    answer = visit.redeem(told).json()
    assert claims(answer["idToken"])["firebase"]["tenant"] == tenant
    page = stray.handler("GET", params={
        "apiKey": "k", "appName": "a", "authType": "signInViaPopup", "providerId": "saml.corp", "redirectUrl": APP + "/"})
    assert event(page)["error"]["code"] == "auth/operation-not-allowed"


def test_saml_requests_are_signed(server, company):
    server.administrator.make_company(company)
    server.administrator.ask(
        "PATCH", "inboundSamlConfigs/saml.corp", {"idpConfig": {"signRequest": True}}, updateMask="idpConfig.signRequest")
    company.configure(server.administrator.metadata(), signed=True)
    visit = Visit(server)
    told = event(visit.bring(visit.at_company(visit.leave())))
    assert visit.redeem(told).json()["email"] == "ann@corp.example"


# MARK: Chromium

@pytest.fixture
def contexts(server):
    rules = ",".join(
        f"MAP {name}:443 {server.authority}" for name in (HOST, "securetoken.googleapis.com", "auth.example.test"))
    with browser(
        f"--host-resolver-rules={rules}", "--disable-features=LocalNetworkAccessChecks", "--ignore-certificate-errors"
    ) as made:
        yield lambda: made.new_context(ignore_https_errors=True)


def log_in(page, who):
    page.fill("input[name=who]", who, timeout=MILLISECONDS)
    page.click("button:has-text('Sign in')")


def test_users_sign_in_with_saml_in_a_browser(contexts, script, server, company):  # noqa: F811
    server.administrator.make_company(company)
    page = App(contexts(), script, provider="saml.corp")
    popup = page.popup("signIn")
    popup.wait_for_selector("input[name=who]", timeout=MILLISECONDS)
    picture(popup, "saml-company")
    log_in(popup, "ann")
    result = page.result()
    assert result["email"] == "ann@corp.example" and result["providers"] == ["saml.corp"], result
    log_in(page.popup("reauthenticate"), "bob")
    assert page.result()["error"] == "auth/user-mismatch"
    assert company.asked[-1].force_authn == "true"
    popup = page.popup("signIn")
    popup.click("button:has-text('Deny')", timeout=MILLISECONDS)
    assert page.result()["error"] == "auth/user-cancelled"
    page.do("signInRedirect")
    log_in(page.page, "ann")
    page.page.wait_for_url(page.url, timeout=MILLISECONDS)
    page.do("redirectResult")
    assert page.result()["uid"] == result["uid"]


def test_users_sign_in_with_openid_in_a_browser(contexts, script, server, provider):  # noqa: F811
    server.administrator.make_issuer(provider)
    page = App(contexts(), script)
    agree(page.popup("signIn"), "ann@corp.example")
    result = page.result()
    assert result["email"] == "ann@corp.example" and result["providers"] == ["oidc.corp"], result
    server.administrator.ask("PATCH", "oauthIdpConfigs/oidc.corp", {"enabled": False}, updateMask="enabled")
    page.popup("signIn")
    assert page.result()["error"] == "auth/operation-not-allowed"


def test_users_of_a_tenant_sign_in_with_openid_in_a_browser(contexts, script, server, provider):  # noqa: F811
    tenant = server.administrator.tenant()
    server.administrator.make_issuer(provider, tenant)
    page = App(contexts(), script, tenant=tenant)
    agree(page.popup("signIn"), "ann@corp.example")
    result = page.result()
    assert (result["email"], result["tenant"]) == ("ann@corp.example", tenant), result
