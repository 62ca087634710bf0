"""Sign-in against a real OpenLDAP: the plugin Plugins/LDAPPython."""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import pytest
import requests

import secrets_seen
from certificates import self_signed
from conftest import ROOT, hearth
from plugin_packages import plugin_with_packages
from ports import free_ports
from waits import WAIT_SECONDS

SLAPD = shutil.which("slapd") or shutil.which("/usr/sbin/slapd")
pytestmark = pytest.mark.skipif(not SLAPD, reason="slapd is not installed")
PASSWORD = "ann's directory secret"
# The defaults of the plugin's settings, as the server passes them to it.
DEFAULTS = {
    name: rule["default"]
    for name, rule in json.loads((ROOT / "Plugins" / "LDAPPython" / "plugin.json").read_text())["settings"].items()
    if "default" in rule}

CONFIGURATION = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile {folder}/certificate.pem
TLSCertificateKeyFile {folder}/certificate.key
database mdb
suffix dc=example,dc=com
directory {folder}/data
dbnosync
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact=cn=reader,dc=example,dc=com read by anonymous auth by * none
"""


class Directory:
    """An OpenLDAP server of its own on loopback, with a plain (StartTLS) port and a TLS port."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-ldap-"))
        (self.folder / "data").mkdir()
        # A copy: an AppArmor profile may keep the installed program from files outside the system's folders.
        self.program = shutil.copy(SLAPD, self.folder / "slapd")
        self.process = None

    def start(self):
        self_signed(self.folder, names=["DNS:localhost"])
        configuration = self.folder / "slapd.conf"
        configuration.write_text(CONFIGURATION.format(folder=self.folder), encoding="utf-8")
        entries = ROOT / "Plugins" / "LDAPPython" / "test-directory.ldif"
        subprocess.run([self.program, "-T", "add", "-f", configuration, "-l", entries], check=True, capture_output=True)
        self.port, self.tls_port = free_ports(2)
        urls = f"ldap://127.0.0.1:{self.port} ldaps://127.0.0.1:{self.tls_port}"
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [self.program, "-f", configuration, "-h", urls, "-d", "0"], stdout=log, stderr=log)
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.tls_port)).close()
                return self
            except OSError:
                assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "log").read_text()
                time.sleep(0.01)

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(WAIT_SECONDS)

    def settings(self, **others):
        return {
            "url": f"ldap://localhost:{self.port}", "base": "dc=example,dc=com",
            "ca": (self.folder / "certificate.pem").read_text(encoding="utf-8"),
            "reader": "cn=reader,dc=example,dc=com", "readerPassword": "only-reads", "trustsMail": True,
            "groups": {"editors": {"role": "editor"}, "early": {"early": True}}, **others}


@pytest.fixture(scope="module")
def directory():
    directory = Directory()
    try:
        yield directory.start()
    finally:
        directory.stop()
        shutil.rmtree(directory.folder)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    return plugin_with_packages("LDAPPython", tmp_path_factory.mktemp("plugin"), "ldap3")


def ask(plugin, settings, name="ann", password=PASSWORD):
    """Sends one request to the plugin's program; returns its response, or its error."""
    messages = [
        {"hello": {"protocols": [1], "settings": {**DEFAULTS, **settings}}},
        {"id": 1, "hook": "exchange", "input": {
            "operation": "signIn", "parameters": {"username": name, "password": password}}}]
    done = subprocess.run(
        [sys.executable, plugin / "main.py"], input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True, text=True, timeout=WAIT_SECONDS)
    return json.loads(done.stdout.splitlines()[1])


def sign_in(server, name, password=PASSWORD):
    url = f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=any"
    body = urllib.parse.urlencode({"providerId": "ldap", "username": name, "password": password})
    return requests.post(
        url, json={"requestUri": "http://localhost", "postBody": body, "returnSecureToken": True}, timeout=WAIT_SECONDS)


def test_the_plugin_passes_the_contract_suite_over_start_tls(directory, plugin, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(directory.settings()), encoding="utf-8")
    said = hearth("plugins", "test", str(plugin), "--settings", str(settings))
    assert "passed all tests" in said, said


def test_no_password_is_sent_to_another_server_or_unencrypted(directory, plugin):
    assert "identity" in ask(plugin, directory.settings())["output"]
    strange = directory.settings()
    del strange["ca"]
    # A certificate of an unknown authority, a wrong host name, and a port without TLS.
    for settings in (
            strange, directory.settings(url=f"ldaps://127.0.0.1:{directory.tls_port}"),
            directory.settings(url=f"ldaps://localhost:{directory.port}")):
        assert "does not answer" in ask(plugin, settings)["error"]["message"]
    heard = []

    def refuse(listener):
        peer, _ = listener.accept()
        with peer:
            peer.settimeout(WAIT_SECONDS)
            heard.append(peer.recv(4096))
            # An LDAP extended response with the result "unavailable".
            peer.sendall(bytes.fromhex("300c02010178070a013404000400"))
            while chunk := peer.recv(4096):
                heard.append(chunk)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=refuse, args=[listener], daemon=True)
        thread.start()
        url = f"ldap://localhost:{listener.getsockname()[1]}"
        assert "error" in ask(plugin, directory.settings(url=url))
        thread.join(WAIT_SECONDS)
    assert heard and b"1.3.6.1.4.1.1466.20037" in heard[0]
    assert not any(secret in b"".join(heard) for secret in (b"only-reads", PASSWORD.encode()))


def test_users_of_the_directory_sign_in(directory, plugin, serve, tmp_path):
    for secret in (PASSWORD, "only-reads"):
        secrets_seen.note(secret)
    server = serve()
    server.run("plugins", "add", str(plugin), "--yes")
    for name, value in directory.settings(url=f"ldaps://localhost:{directory.tls_port}").items():
        file = tmp_path / name
        file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        server.run("plugins", "settings", "ldap", f"{name}=@{file}")
    server.run("plugins", "enable", "ldap")
    answer = sign_in(server, "ann").json()
    payload = answer["idToken"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["role"] == "editor" and claims["early"] is True and claims["email_verified"] is True
    assert claims["firebase"]["sign_in_provider"] == "ldap" and claims["email"] == "ann@example.com"
    assert sign_in(server, "ANN").json()["localId"] == answer["localId"]
    assert sign_in(server, "b(o)b*", "bob's directory secret").json()["localId"] != answer["localId"]
    for name, password in [("ann", "wrong"), ("ann", ""), ("an*", PASSWORD), ("nobody", PASSWORD), ("", ""), ("ann)(cn=*", PASSWORD)]:
        refused = sign_in(server, name, password)
        assert refused.status_code == 400 and "INVALID_CREDENTIAL" in refused.text, (name, refused.text)
