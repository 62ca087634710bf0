"""The sign-in pages on the app's own domain: the guide's configurations of nginx and Caddy, and a sign-in through them."""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import urllib.parse

import pytest

from browser import browser
from certificates import self_signed, tls_options
from conftest import ROOT
from ports import free_port
from test_web_sign_in import APP, MILLISECONDS, PROVIDER, App, agree, provider, script, start  # noqa: F401
from waits import WAIT_SECONDS, until
from websdk import provider as providers

NAME = "app.example.test"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
# The configuration around the guide's lines.
NGINX_FILE = """daemon off;
master_process off;
pid FOLDER/nginx.pid;
error_log FOLDER/nginx.log;
events {}
http {
  access_log off;
  client_body_temp_path FOLDER/temporary;
  proxy_temp_path FOLDER/temporary;
  fastcgi_temp_path FOLDER/temporary;
  uwsgi_temp_path FOLDER/temporary;
  scgi_temp_path FOLDER/temporary;
  upstream hearth.example.com { server AUTHORITY; }
  server {
    listen 127.0.0.1:PORT ssl;
    server_name app.example.com;
    ssl_certificate FOLDER/app.pem;
    ssl_certificate_key FOLDER/app.key;
    root FOLDER/app;
LINES
  }
}
"""
CADDY_FILE = """{
  admin off
  auto_https off
}
LINES
"""


def lines(name):
    """Returns the guide's block for a web server."""
    text = (ROOT / "Sources/Guide/SigningInOnTheWeb.md").read_text(encoding="utf-8")
    return re.search(rf"^{name} .*?\n```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[1]


def put(text, **places):
    for old, new in places.items():
        assert old in text, (old, text)
        text = text.replace(old, str(new))
    return text


class Proxy:
    """The app's own web server, with the guide's lines in its configuration."""

    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder
        self.port = free_port()
        self_signed(folder, "app")
        (folder / "app").mkdir()
        (folder / "app" / "index.html").write_text("the app's own page", encoding="utf-8")
        self.process = None

    def start(self, server):
        file, environment = self.folder / "proxy.conf", dict(os.environ)
        if self.kind == "nginx":
            own = put(lines("nginx"), **{"/etc/ssl/certs/ca-certificates.crt": self.folder / "hearth.pem"})
            text = put(NGINX_FILE, FOLDER=self.folder, AUTHORITY=server.authority, PORT=self.port, LINES=own)
            command = [NGINX, "-p", self.folder, "-c", file, "-e", self.folder / "nginx.log"]
        else:
            own = put(lines("Caddy"), **{
                "app.example.com {": f"https://{NAME}:{self.port} {{\n  tls {self.folder}/app.pem {self.folder}/app.key",
                "127.0.0.1:9000": server.authority, "/srv/app": self.folder / "app"})
            text = put(CADDY_FILE, LINES=own)
            environment |= {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
            command = ["caddy", "run", "--adapter", "caddyfile", "--config", file]
        file.write_text(text, encoding="utf-8")
        with open(self.folder / "proxy.out", "wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, cwd=self.folder)
        until(self.answers, lambda: (self.folder / "proxy.out").read_text(encoding="utf-8"))

    def answers(self):
        assert self.process.poll() is None, (self.folder / "proxy.out").read_text(encoding="utf-8")
        try:
            return self.ask("/").status == 200
        except OSError:
            return False

    def ask(self, path, method="GET", body=None, host=NAME, source="127.0.0.2", **headers):
        """Returns the response with its text; the request comes from another address than the proxy's own."""
        context = ssl._create_unverified_context()
        with socket.create_connection(("127.0.0.1", self.port), WAIT_SECONDS, (source, 0)) as plain:
            with context.wrap_socket(plain, server_hostname=NAME) as secured:
                connection = http.client.HTTPConnection(host)
                connection.sock = secured
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                answer.text = answer.read().decode()
                return answer

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(WAIT_SECONDS)


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request, tmp_path):
    if (NGINX if request.param == "nginx" else shutil.which("caddy")) is None:
        pytest.skip(f"there is no {request.param}")
    made = Proxy(request.param, tmp_path)
    yield made
    made.stop()


@pytest.fixture
def server(proxy, provider, serve, tmp_path):  # noqa: F811
    """Behind nginx the server has a certificate, which nginx verifies; Caddy uses plain HTTP on the same machine."""
    (tmp_path / "secret").write_text(providers.CLIENT[1] + "\n")
    settings = tmp_path / "auth.json"
    settings.write_text(json.dumps({
        "publicURL": "https://hearth.example.test", "authorizedDomains": [NAME], "pageDomains": [NAME],
        "trustedProxies": ["127.0.0.1"], "signIn": {"password": True, "oauth": {
            "allowsPlainHTTP": True, "oidc": [{
                "id": PROVIDER, "displayName": "Corp", "issuer": provider.url, "clientIDs": [providers.CLIENT[0]],
                "clientSecretFile": str(tmp_path / "secret")}]}}}))
    options = ["--auth-config", str(settings)]
    if proxy.kind == "nginx":
        options += tls_options(tmp_path, "hearth", ["DNS:hearth.example.com"])
    made = serve(*options)
    proxy.start(made)
    return made


def test_the_proxy_configuration_of_the_guide_serves_app_and_pages(proxy, server):
    assert proxy.ask("/").text == "the app's own page" and proxy.ask("/shop.json").status == 404
    assert json.loads(proxy.ask("/__/firebase/init.json").text)["authDomain"]
    frame = proxy.ask("/__/auth/iframe?apiKey=demo-key&appName=x")
    assert "X-Frame-Options" not in frame.headers and f"https://{NAME}:*" in frame.headers["Content-Security-Policy"]
    # The redirect URI and the cookie belong to the app's own domain.
    for folder in ("__", "emulator"):
        gone = proxy.ask(start().replace("__", folder, 1))
        asked = urllib.parse.parse_qs(urllib.parse.urlsplit(gone.headers["Location"]).query)
        assert gone.status == 303 and asked["redirect_uri"] == [f"{APP}/__/auth/handler"]
        cookie = gone.headers["Set-Cookie"]
        assert cookie.startswith("__Host-hearth-visit-")
        assert all(f"; {word}" in cookie for word in ("Path=/", "HttpOnly", "Secure", "SameSite=Lax"))
    # The longest response head fits into the proxy's buffers.
    longest = proxy.ask(start(
        f"{APP}/".ljust(1_499, "a"), authType="signInViaRedirect", apiKey="k" * 256, appName="n" * 256, eventId="e" * 256))
    assert longest.status == 303 and len(longest.headers["Set-Cookie"]) > 3_000, longest.text
    # Requests for another host name get no page, nor do those for the pages of an unknown app.
    foreign = proxy.ask(start(), host="evil.example")
    assert "Location" not in foreign.headers and "Set-Cookie" not in foreign.headers
    assert proxy.ask(start("https://evil.example")).status == 403
    # The client's address is the one that the proxy sees, whatever header the client sends.
    answer = proxy.ask(
        "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", "POST",
        json.dumps({"email": "ann@example.com", "password": "correct horse", "returnSecureToken": True}),
        **{"Content-Type": "application/json", "Origin": APP, "X-Forwarded-For": "203.0.113.9"})
    made = json.loads(answer.text)
    assert answer.status == 200 and answer.headers["Access-Control-Allow-Origin"] == APP
    trail = server.run("audit", "tail")
    assert "127.0.0.2" in trail and "203.0.113.9" not in trail, trail
    renewed = proxy.ask(
        "/securetoken.googleapis.com/v1/token?key=k", "POST",
        urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": made["refreshToken"]}),
        **{"Content-Type": "application/x-www-form-urlencoded"})
    assert json.loads(renewed.text)["user_id"] == made["localId"]


def test_users_sign_in_through_the_proxy(proxy, server, provider, script):  # noqa: F811
    with browser(
        f"--host-resolver-rules=MAP {NAME}:443 127.0.0.1:{proxy.port}", "--disable-features=LocalNetworkAccessChecks",
        "--ignore-certificate-errors"
    ) as made:
        app = App(made.new_context(ignore_https_errors=True), script, domain=NAME, emulator=APP)
        agree(app.popup("signIn"), "ann@corp.example")
        first = app.result()
        assert (first["email"], first["providers"]) == ("ann@corp.example", [PROVIDER]), first
        app.do("signInRedirect")
        agree(app.page, "ann@corp.example")
        app.page.wait_for_url(app.url, timeout=MILLISECONDS)
        app.do("redirectResult")
        assert app.result()["uid"] == first["uid"]
    assert {each["redirect_uri"] for each in provider.asked} == {f"{APP}/__/auth/handler"}
