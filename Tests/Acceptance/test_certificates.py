"""A certificate that is renewed while the server runs: new connections get it, and open connections stay."""

import os
import re
import signal
import socket
import ssl
import subprocess
import time

import pytest

from certificates import self_signed
from waits import WAIT_SECONDS

RULES = '{ "rules": { ".read": true } }'
REQUEST = b"GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def renewed(serve, tmp_path):
    """A server whose certificate and key files are symbolic links, as with certbot; a second certificate lies beside the first."""
    for name, days in (("first", 60), ("second", 90)):
        self_signed(tmp_path, name, days=days)
    lead(tmp_path, "first")
    return serve("--tls-cert", str(tmp_path / "live.pem"), "--tls-key", str(tmp_path / "live.key"), rules=RULES)


def lead(folder, name):
    """Redirects both links, each atomically."""
    for ending in ("pem", "key"):
        (folder / "next").symlink_to(f"{name}.{ending}")
        os.replace(folder / "next", folder / f"live.{ending}")


def connect(server):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = socket.create_connection((server.host, server.port), WAIT_SECONDS)
    return context.wrap_socket(connection)


def name(connection):
    """Returns the subject name of the certificate that the connection received."""
    text = subprocess.run(
        ["openssl", "x509", "-inform", "DER", "-noout", "-subject"], input=connection.getpeercert(binary_form=True),
        capture_output=True, check=True).stdout.decode()
    return text.split("=")[-1].strip()


def answered(connection):
    connection.sendall(REQUEST)
    return connection.recv(65536).startswith(b"HTTP/1.1 200")


def end(folder, name):
    """Returns the time at which the certificate expires."""
    text = subprocess.run(
        ["openssl", "x509", "-noout", "-enddate", "-in", f"{name}.pem"], cwd=folder, capture_output=True, text=True,
        check=True).stdout
    return ssl.cert_time_to_seconds(text.strip().split("=")[1])


def told_end(server):
    """Returns the expiry time that the metrics report for the served certificate."""
    with connect(server) as connection:
        connection.sendall(
            f"GET /.metrics?auth={server.secret()} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    return float(re.search(r"^hearth_certificate_end_time_seconds (\S+)\r?$", text, re.M)[1])


def wait_until(condition):
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_renewed_certificate_is_served_and_no_connection_ends(renewed, tmp_path):
    with connect(renewed) as before:
        assert name(before) == "first" and answered(before)
        assert told_end(renewed) == end(tmp_path, "first")
        lead(tmp_path, "second")

        def is_served():
            # Keeps the first connection below the idle timeout on a slow machine.
            assert answered(before)
            with connect(renewed) as new:
                return name(new) == "second"

        wait_until(is_served)
        assert answered(before)
    assert told_end(renewed) == end(tmp_path, "second")
    assert renewed.log().count("the certificate was reloaded") == 1
    assert renewed.stop() == 0


def test_unusable_files_are_logged_once_and_leave_the_former_certificate_in_force(renewed, tmp_path):
    (tmp_path / "second.key").write_text("-----BEGIN PRIVATE KEY-----\nhalf", encoding="utf-8")
    lead(tmp_path, "second")
    renewed.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "cannot be used; the previous certificate stays in use" in renewed.log())
    with connect(renewed) as connection:
        assert name(connection) == "first" and answered(connection)
    lead(tmp_path, "first")
    renewed.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the certificate was reloaded" in renewed.log())
    assert renewed.stop() == 0


def test_a_server_without_tls_survives_the_reload_signal(serve):
    server = serve(rules=RULES)
    server.process.send_signal(signal.SIGHUP)
    with socket.create_connection((server.host, server.port), WAIT_SECONDS) as connection:
        assert answered(connection)
    assert server.stop() == 0
