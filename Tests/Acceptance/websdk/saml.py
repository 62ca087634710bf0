"""A real SAML identity provider on this machine: pysaml2, which signs with Debian's xmlsec1."""

import contextlib
import html
import shutil
import subprocess
import threading
import urllib.parse

import pytest

PEOPLE = {
    "ann": {"mail": "ann@corp.example", "displayName": "Ann Smith", "givenName": "Ann", "sn": "Smith", "title": "Engineer"},
    "bob": {"mail": "bob@corp.example", "displayName": "Bob Jones"},
}
PAGE = """<!DOCTYPE html><title>Corp login</title><form method="post">{fields}
<input name="who" autofocus><button name="go" value="yes">Sign in</button> <button name="go" value="no">Deny</button>
</form>"""


class IdentityProvider:
    """Its page asks for a name, and needs no password."""

    def __init__(self, folder, sign="assertion"):
        self.folder, self.sign = folder, sign
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-keyout", "idp.key", "-out",
             "idp.pem", "-subj", "/CN=idp"], cwd=folder, check=True, capture_output=True)
        self.url = None
        self.service = None
        self.asked = []
        self.sent = []

    def configure(self, *service_providers, signed=False):
        """Accepts the requests of the service providers with this metadata."""
        from saml2 import BINDING_HTTP_REDIRECT
        from saml2.config import IdPConfig
        from saml2.saml import NAME_FORMAT_URI, NAMEID_FORMAT_EMAILADDRESS, NAMEID_FORMAT_PERSISTENT
        from saml2.server import Server

        files = []
        for number, text in enumerate(service_providers):
            files.append(str(self.folder / f"sp{number}.xml"))
            (self.folder / f"sp{number}.xml").write_text(text, encoding="utf-8")
        config = IdPConfig().load({
            "entityid": f"{self.url}/meta",
            "service": {"idp": {
                "endpoints": {"single_sign_on_service": [(f"{self.url}/sso", BINDING_HTTP_REDIRECT)]},
                "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": NAME_FORMAT_URI}},
                "name_id_format": [NAMEID_FORMAT_EMAILADDRESS, NAMEID_FORMAT_PERSISTENT],
                "want_authn_requests_signed": signed}},
            "key_file": str(self.folder / "idp.key"), "cert_file": str(self.folder / "idp.pem"),
            "xmlsec_binary": shutil.which("xmlsec1"), "metadata": {"local": files}})
        self.config = config
        self.service = Server(config=config)

    @property
    def metadata(self):
        from saml2.metadata import entity_descriptor

        return str(entity_descriptor(self.config))

    @property
    def certificate(self):
        return (self.folder / "idp.pem").read_text()

    def __call__(self, environ, start_response):
        query = urllib.parse.parse_qs(environ.get("QUERY_STRING", ""))
        fields = {name: values[0] for name, values in query.items()}
        if environ["REQUEST_METHOD"] == "POST":
            size = int(environ.get("CONTENT_LENGTH") or 0)
            form = urllib.parse.parse_qs(environ["wsgi.input"].read(size).decode())
            page = self.answer(fields, {name: values[0] for name, values in form.items()})
        else:
            page = PAGE.format(fields="")
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [page.encode()]

    def answer(self, fields, form):
        """Returns the page that posts the response back."""
        from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
        from saml2.saml import NAMEID_FORMAT_EMAILADDRESS, NameID
        from saml2.samlp import STATUS_AUTHN_FAILED
        from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

        request = self.service.parse_authn_request(
            fields["SAMLRequest"], BINDING_HTTP_REDIRECT, relay_state=fields["RelayState"], sigalg=fields.get("SigAlg"),
            signature=fields.get("Signature"))
        self.asked.append(request.message)
        arguments = self.service.response_args(request.message, [BINDING_HTTP_POST])
        if form["go"] == "no":
            response = self.service.create_error_response(
                arguments["in_response_to"], arguments["destination"], info=(STATUS_AUTHN_FAILED, "no"))
        else:
            who = PEOPLE[form["who"]]
            response = self.service.create_authn_response(
                who, userid=form["who"], name_id=NameID(format=NAMEID_FORMAT_EMAILADDRESS, text=who["mail"]),
                authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": self.url},
                sign_assertion=self.sign in ("assertion", "both"), sign_response=self.sign in ("response", "both"),
                sign_alg=SIG_RSA_SHA256, digest_alg=DIGEST_SHA256, **arguments)
        parts = self.service.apply_binding(
            BINDING_HTTP_POST, str(response), arguments["destination"], fields["RelayState"], response=True)
        self.sent.append(parts)
        return parts["data"] if isinstance(parts["data"], str) else html.unescape("".join(parts["data"]))


@contextlib.contextmanager
def identity_provider(folder, sign="assertion"):
    pytest.importorskip("saml2")
    if shutil.which("xmlsec1") is None:
        pytest.skip("xmlsec1 is not installed, with which pysaml2 signs")
    import werkzeug.serving

    made = IdentityProvider(folder, sign)
    server = werkzeug.serving.make_server("127.0.0.1", 0, made, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    made.configure()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
