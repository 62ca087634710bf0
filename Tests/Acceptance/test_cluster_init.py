"""`hearth cluster init`: the certificates by which nodes authenticate each other, and the keys that all nodes share."""

import ssl
import stat

from conftest import hearth


def init(folder, nodes, *options, expect=0):
    return hearth("cluster", "init", str(folder), "--nodes", nodes, *options, expect=expect)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def shake_hands(server, client):
    """Returns the names in the certificates that two nodes present to each other, without a network."""
    def context(node, purpose):
        made = ssl.SSLContext(purpose)
        made.minimum_version = ssl.TLSVersion.TLSv1_3
        made.check_hostname = False
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(node / "authority.pem")
        made.load_cert_chain(node / "certificate.pem", node / "key.pem")
        return made

    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        context(client, ssl.PROTOCOL_TLS_CLIENT).wrap_bio(to_client, to_server),
        context(server, ssl.PROTOCOL_TLS_SERVER).wrap_bio(to_server, to_client, server_side=True)]
    done = set()
    for _ in range(10):
        for side in sides:
            try:
                side.do_handshake()
                done.add(side)
            except ssl.SSLWantReadError:
                pass
    assert len(done) == 2
    return [side.getpeercert()["subjectAltName"] for side in sides]


def test_nodes_know_each_other_and_have_the_same_keys(tmp_path):
    folder = tmp_path / "cluster"
    said = init(folder, "a,b")
    assert f"{folder}/ca: made" in said and f"{folder}/b: made" in said
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "ca"]
    for path in folder.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert shake_hands(folder / "a", folder / "b") == [(("DNS", "a"),), (("DNS", "b"),)]
    keys = files(folder / "ca" / "keys")
    assert sorted(keys) == [
        "admin-token", "id-token-keys.pem", "legacy-secrets", "minting-key.pem", "sealing-key",
        "session-cookie-keys.pem"]
    assert files(folder / "a" / "keys") == keys and files(folder / "b" / "keys") == keys
    # The authority's key is stored in no other folder.
    own = (folder / "ca" / "key.pem").read_bytes()
    assert [path for path, content in files(folder).items() if content == own] == ["ca/key.pem"]

    before = files(folder)
    said = init(folder, "a,b,c")
    assert f"{folder}/a: already exists, not changed" in said and f"{folder}/c: made" in said
    after = files(folder)
    assert {path: after[path] for path in before} == before
    assert files(folder / "c" / "keys") == keys
    assert shake_hands(folder / "c", folder / "a") == [(("DNS", "c"),), (("DNS", "a"),)]


def test_keys_of_a_single_server_are_taken_over(serve, tmp_path):
    server = serve()
    token = server.token("ann")
    folder = tmp_path / "cluster"
    init(folder, "a", "--keys-of", str(server.data))
    assert files(folder / "a" / "keys").items() <= files(server.data / "keys").items()
    assert "which --keys-of would change" in init(folder, "b", "--keys-of", str(server.data), expect=1)
    assert not (folder / "b").exists()
    # A node with a data folder of its own accepts the token.
    data = tmp_path / "data-a"
    data.mkdir(mode=0o700)
    (folder / "a" / "keys").rename(data / "keys")
    assert "of ann" in hearth("token", "verify", token, "--data", str(data))


def test_invalid_node_names_and_folders_are_refused(tmp_path):
    folder = tmp_path / "cluster"
    for nodes in ["", "a,", "A", "a.b", "a_b", "a-"]:
        assert "is not a node name" in init(folder, nodes, expect=64)
    assert "contains the certificate authority" in init(folder, "a,ca", expect=64)
    assert "twice" in init(folder, "a,b,a", expect=64)
    assert "contains no keys" in init(folder, "a", "--keys-of", str(tmp_path / "nothing"), expect=64)
    assert not folder.exists()
    init(folder, "a")
    (folder / "b").mkdir()
    assert "is not a node's folder" in init(folder, "b", expect=1)
    (folder / "a" / "key.pem").write_bytes((folder / "ca" / "key.pem").read_bytes())
    assert "do not match" in init(folder, "a", expect=1)
    (folder / "ca" / "certificate.pem").write_text("none", encoding="utf-8")
    assert "could not be read as a certificate" in init(folder, "c", expect=1)
    assert not (folder / "c").exists()
