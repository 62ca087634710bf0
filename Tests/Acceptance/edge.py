"""Every server of the tests as a node that owns nothing, with HEARTH_EDGE=1: beside each runs another node, on a folder
of its own, which owns all that the first one serves. So every operation crosses to another process."""

import atexit
import functools
import os
import pathlib
import shutil
import tempfile

from postgres import Postgres

IS_WANTED = os.environ.get("HEARTH_EDGE") == "1"
# Where the journals are is said by the test itself, or by the emulator.
FOREIGN = {"--cluster", "--journal"}


@functools.cache
def _postgres():
    """One for all servers of this process; each has a database in it."""
    postgres = Postgres(connections=200).start()
    atexit.register(postgres.remove)
    return postgres


@functools.cache
def _identities():
    from cluster_nodes import make_identities

    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-edge-"))
    atexit.register(shutil.rmtree, folder, True)
    make_identities(folder / "identities", ["edge", "owner"])
    return folder / "identities"


def is_meant(data, command, options):
    # Not one whose folder somebody has filled with journals.
    has_journals = (data / "accounts.sqlite").exists() or any((data / "databases").glob("*.sqlite"))
    return IS_WANTED and command in ("serve", "dev") and not FOREIGN & set(options) and not has_journals


# What such a node is not asked for, by a part of the test's name.
UNFIT = {
    "[stopped]": "commands on a folder need its server when journals are in PostgreSQL",
}


def mark_unfit(items):
    """Skips what cannot be asked of a node that owns nothing."""
    import pytest

    for item in items:
        for part, reason in UNFIT.items():
            if part in item.nodeid:
                item.add_marker(pytest.mark.skip(reason=reason))


class Pair:
    """What the two nodes of one test's server are started with."""

    count = 0

    def __init__(self):
        from cluster_nodes import free_ports

        Pair.count += 1
        self.database = f"edge{Pair.count}"
        _postgres().sql(f"CREATE DATABASE {self.database}")
        self.ports = dict(zip(("edge", "owner"), free_ports(2)))

    def options(self, name):
        other = "owner" if name == "edge" else "edge"
        url = _postgres().url().replace("/postgres?", f"/{self.database}?")
        return ["--cluster", url, "--node", f"{name}=127.0.0.1:{self.ports[name]}", "--peer",
                f"{other}=127.0.0.1:{self.ports[other]}", "--cluster-identity", str(_identities() / name),
                *(["--edge"] if name == "edge" else [])]
