"""Commands reach a running server through the socket in its data folder, whatever its port serves; and servers by host name."""

import json
import os
import socket
import subprocess

import pytest

from certificates import Authority
from conftest import HEARTH, hearth
from waits import WAIT_SECONDS

RULES = '{ "rules": { "open": { ".read": true } } }'
NAME = "shop.example.com"


@pytest.fixture
def authority(tmp_path):
    """A certificate authority, and a server certificate from it for one host name and no IP address."""
    made = Authority(tmp_path)
    made.issue("server", [f"DNS:{NAME}"])
    return made.certificate


@pytest.fixture
def encrypted(serve, authority):
    folder = authority.parent
    options = ["--tls-cert", str(folder / "server.pem"), "--tls-key", str(folder / "server.key")]
    return serve(*options, command="dev", rules=RULES)


def test_every_command_on_the_folder_works_beside_tls(encrypted):
    """No command needs a certificate or the port."""
    server = encrypted
    uid = json.loads(server.run("users", "create", "ann@example.com", "--without-password", "--json"))["localId"]
    assert uid in server.run("users", "list")
    server.run("users", "revoke", "ann@example.com")
    assert "valid" in server.run("token", "verify", server.run("token", "mint", "--admin").strip())
    assert "signing" in server.run("keys", "list")
    server.run("secrets", "rotate")
    assert json.loads(server.run("service-account", "create", "ci"))["type"] == "service_account"
    server.run("revocations")
    assert "key_rotate" in server.run("audit", "tail", "--count", "20")
    server.run("db", "set", "/open/a", '{"b":1}')
    assert json.loads(server.run("db", "get", "/open/a", "--as-nobody")) == {"b": 1}
    assert server.run("db", "listen", "/open/a/b", "-n", "1").split() == ["put", "/open/a/b", "1"]
    server.stop()
    assert uid in server.run("users", "list")
    assert json.loads(server.run("db", "get", "/open/a")) == {"b": 1}


def test_ca_file_is_accepted_beside_the_folder_and_other_options_are_refused(encrypted, authority):
    done = subprocess.run(
        [HEARTH, "users", "list", "--ca-file", str(authority), "--data", str(encrypted.data)], capture_output=True,
        text=True, timeout=2 * WAIT_SECONDS, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and "--ca-file is not needed" in done.stderr, done.stderr
    assert "--server" in encrypted.run("users", "list", "--resolve", f"{NAME}:443:127.0.0.1", expect=64)


def test_a_server_is_reached_by_a_name_of_its_certificate(encrypted, authority, tmp_path):
    """The certificate is for the host name; --resolve gives the address of that name."""
    server, (folder, token) = encrypted, (tmp_path / "nowhere", tmp_path / "token")
    token.write_text((server.data / "keys" / "admin-token").read_text())
    at = ["--data", str(folder), "--token-file", str(token)]
    url, resolved = f"https://{NAME}:{server.port}", f"{NAME}:{server.port}:127.0.0.1"
    named = [*at, "--server", url, "--ca-file", str(authority), "--resolve", resolved]
    hearth("db", "set", "/open/a", "7", *named)
    assert hearth("db", "get", "/open/a", *named) == "7\n"
    assert hearth("db", "listen", "/open/a", "-n", "1", *named).split() == ["put", "/open/a", "7"]
    hearth("users", "list", *named)
    # The host name must match, and the certificate's authority must be named.
    place = f"other.example.com:{server.port}"
    other = ["--server", f"https://{place}", "--resolve", f"{place}:127.0.0.1", "--ca-file", str(authority)]
    assert "certificate" in hearth("users", "list", *at, *other, expect=1)
    assert "--ca-file" in hearth("users", "list", *at, "--server", url, "--resolve", resolved, expect=1)
    assert "certificate" in hearth("users", "list", *at, "--server", server.url, "--ca-file", str(authority), expect=1)


@pytest.mark.parametrize("server, resolve, said", [
    (f"https://{NAME}:9000", f"{NAME}:443:127.0.0.1", "must have the name and port of"),
    (f"https://{NAME}", "other.example.com:443:127.0.0.1", "must have the name and port of"),
    (f"https://{NAME}", f"{NAME}:443", "--resolve"),
    (f"https://{NAME}", f"{NAME}:443:elsewhere.example.com", "--resolve"),
    (f"https://{NAME}", f"{NAME}:0:127.0.0.1", "--resolve"),
    ("http://localhost:9000", "localhost:9000:192.0.2.1", "unencrypted"),
    ("http://localhost:9000", "localhost:9000:[2001:db8::1]", "unencrypted"),
    ("http://127.example.com", "127.example.com:80:192.0.2.1", "unencrypted"),
])
def test_an_invalid_resolve_option_is_refused_before_a_request_is_sent(tmp_path, server, resolve, said):
    text = hearth("users", "list", "--data", str(tmp_path), "--server", server, "--resolve", resolve, expect=64)
    assert said in text, text


def test_a_name_that_begins_like_loopback_is_not_loopback(tmp_path):
    name = ["--server", "http://127.example.com"]
    assert "unencrypted" in hearth("users", "list", "--data", str(tmp_path), *name, expect=64)


def test_an_unencrypted_connection_to_a_loopback_name_is_allowed(serve, tmp_path):
    server = serve(rules=RULES)
    assert hearth("db", "get", "/open", "--data", str(server.data), "--server", f"http://{NAME}:{server.port}",
                  "--resolve", f"{NAME}:{server.port}:127.0.0.1", "--ns", "default") == "null\n"


def test_a_killed_server_leaves_a_folder_that_works(serve):
    server = serve(rules=RULES)
    path = server.data / "server.sock"
    server.run("db", "set", "/a", "1")
    server.kill()
    assert path.is_socket()
    assert server.run("db", "get", "/a") == "1\n"
    server.run("users", "list")
    server.start()
    assert path.is_socket() and path.stat().st_mode & 0o777 == 0o600
    assert "is denied" in server.run("db", "get", "/a", "--as-nobody", expect=1)
    server.stop()
    assert not path.exists()
    assert "no server runs" in server.run("db", "get", "/a", "--as-nobody", expect=1)


def test_a_folder_with_a_long_path(serve, tmp_path):
    """The folder's path is longer than a Unix domain socket's path may be."""
    name = "/".join(["d" * 100] * 3)
    (tmp_path / name).parent.mkdir(parents=True)
    server = serve(name=name, rules=RULES)
    server.run("db", "set", "/open/a", "1")
    assert server.run("db", "get", "/open/a", "--as-nobody") == "1\n"


def ask(folder, user):
    """Returns the response that a user with this uid gets over the socket, or the name of the error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            # The folders above may be closed to that user.
            os.chdir(folder)
            os.setuid(user)
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(WAIT_SECONDS)
                client.connect("server.sock")
                client.sendall(b"GET /open.json?ns=default HTTP/1.1\r\nHost: localhost\r\n\r\n")
                os.write(writer, client.recv(100))
        except OSError as error:
            os.write(writer, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        text = answer.read().decode()
    os.waitpid(child, 0)
    return text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_of_the_machine_is_refused(serve):
    """Also when the file modes were loosened: the server checks the peer's uid, which the kernel reports."""
    server = serve(rules=RULES)
    assert "200 OK" in ask(server.data, 0)
    assert ask(server.data, 65534) == "PermissionError"
    server.data.chmod(0o711)
    assert ask(server.data, 65534) == "PermissionError"
    (server.data / "server.sock").chmod(0o666)
    assert ask(server.data, 65534) in ("", "BrokenPipeError", "ConnectionResetError")
    assert "200 OK" in ask(server.data, 0)
