"""Certificates for tests: P-256 keys, made with the program `openssl`."""

import subprocess

REQUEST = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def self_signed(folder, name="certificate", names=(), days=30):
    """Makes a self-signed certificate `NAME.pem` and its key `NAME.key` in a folder; returns both paths.

    - names: the subject alternative names, such as `DNS:localhost` or `IP:127.0.0.1`.
    """
    return _make(folder, name, days, _alternative(names))


def tls_options(folder, name="server", names=()):
    """The options of a server that serves TLS with a self-signed certificate of its own."""
    certificate, key = self_signed(folder, name, names)
    return ["--tls-cert", str(certificate), "--tls-key", str(key)]


class Authority:
    """A certificate authority whose certificate `authority.pem` and key are in a folder."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.certificate, self.key = _make(folder, "authority", 2, [
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"])

    def issue(self, name, names):
        """Makes the certificate `NAME.pem` of a server and its key `NAME.key`; returns both paths."""
        return _make(self.folder, name, 2, [
            *_alternative(names), "-addext", "basicConstraints=critical,CA:FALSE", "-CA", str(self.certificate),
            "-CAkey", str(self.key)])


def _alternative(names):
    return ["-addext", f"subjectAltName={','.join(names)}"] if names else []


def _make(folder, name, days, more):
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [*REQUEST, "-days", str(days), "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(certificate), *more],
        check=True, capture_output=True)
    return certificate, key
