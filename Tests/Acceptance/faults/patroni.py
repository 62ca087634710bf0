"""A PostgreSQL on three machines: Patroni promotes one to primary, and each commit is on two disks."""

import json
import os
import pathlib
import pwd
import signal
import time
import urllib.error
import urllib.request

from cluster.postgres import PROGRAMS
from cluster.process import Running
from faults.network import HOME, Network

NAMES = ("db1", "db2", "db3")
# The upper limit of a failover; Patroni accepts no shorter one.
LEADER_SECONDS = 20
# Long enough to rebuild a standby.
WHOLE_SECONDS = 120


class Patroni:
    """- folder: the folder of all files.
    - programs: the folder with Patroni and its Python.
    - is_synchronous: True when a commit must be on two disks before it is acknowledged. Otherwise a failover loses the last
    commits.
    """

    def __init__(self, network, folder, programs, is_synchronous=True):
        self.network, self.folder, self.programs = network, folder, pathlib.Path(programs)
        self.is_synchronous = is_synchronous
        self.running = {}
        folder.mkdir(parents=True)
        # PostgreSQL refuses to run as root.
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        self.etcd = Running("etcd", [
            "etcd", "--data-dir", str(folder / "etcd"), "--listen-client-urls", f"http://{HOME}:2379",
            "--advertise-client-urls", f"http://{HOME}:2379", "--log-level", "error"], folder.parent)
        for name in NAMES:
            file = folder / f"{name}.json"
            file.write_text(json.dumps(self._configuration(name)), encoding="utf-8")

    def _configuration(self, name):
        address = self.network.addresses[name]
        return {
            "scope": "hearth", "name": name,
            "restapi": {"listen": f"{address}:8008", "connect_address": f"{address}:8008"},
            "etcd3": {"hosts": f"{HOME}:2379"},
            "bootstrap": {
                "dcs": {
                    "ttl": LEADER_SECONDS, "loop_wait": 2, "retry_timeout": 5,
                    "synchronous_mode": "quorum" if self.is_synchronous else "off",
                    "synchronous_mode_strict": self.is_synchronous, "primary_start_timeout": 0,
                    "postgresql": {
                        "use_pg_rewind": True, "remove_data_directory_on_rewind_failure": True,
                        "remove_data_directory_on_diverged_timelines": True,
                        "parameters": {"shared_buffers": "32MB", "max_connections": 60, "synchronous_commit": "on"}}},
                "initdb": [{"encoding": "UTF8"}, "data-checksums", "no-locale"]},
            "postgresql": {
                "listen": f"{address}:5432", "connect_address": f"{address}:5432", "data_dir": str(self.folder / name),
                "bin_dir": str(PROGRAMS), "pgpass": str(self.folder / f"{name}.pgpass"),
                "pg_hba": ["local all all trust", "host all all 10.77.0.0/24 trust",
                           "host replication all 10.77.0.0/24 trust"],
                "authentication": {who: {"username": "postgres"} for who in ("superuser", "replication", "rewind")},
                "parameters": {"unix_socket_directories": ""}}}

    def start(self):
        for name in NAMES:
            self.launch(name)
        self.wait_until_whole()
        return self

    def launch(self, name):
        user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.running[name] = Running(
            name, [*Network.within(name), *user, str(self.programs / "python"), str(self.programs / "patroni"),
                   str(self.folder / f"{name}.json")], self.folder.parent)

    def url(self):
        hosts = ",".join(self.network.addresses[name] for name in NAMES)
        return f"postgres://postgres@{hosts}/postgres?target_session_attrs=read-write&connect_timeout=2"

    def members(self):
        """Returns the members as one of them reports them: {name: member}; empty when none answers."""
        for name in NAMES:
            try:
                address = self.network.addresses[name]
                with urllib.request.urlopen(f"http://{address}:8008/cluster", timeout=2) as answer:
                    return {member["name"]: member for member in json.load(answer)["members"]}
            except (OSError, ValueError):
                continue
        return {}

    def primary(self):
        return next((name for name, member in self.members().items()
                     if member["role"] == "leader" and member["state"] == "running"), None)

    def wait_until_whole(self):
        """Waits for a primary and two standbys that have caught up with it."""
        self._wait(self._is_whole, "PostgreSQL is not whole")

    def wait_for_another(self, than):
        self._wait(lambda: self.primary() not in (None, than), f"nobody takes the place of {than}")

    def _is_whole(self):
        members = self.members()
        roles = sorted(member["role"] for member in members.values())
        standby = "quorum_standby" if self.is_synchronous else "replica"
        return len(members) == 3 and roles == ["leader", standby, standby] and all(
            member["state"] in ("running", "streaming") for member in members.values()) and len(
            {member.get("timeline") for member in members.values()}) == 1

    def _wait(self, condition, what):
        deadline = time.monotonic() + WHOLE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} after {WHOLE_SECONDS} s: {self.members()}")
            time.sleep(0.2)

    def send(self, name, number):
        """Sends a signal to all processes on a machine."""
        for process in Network.processes(name):
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self, name):
        self.send(name, signal.SIGKILL)
        self.running[name].process.wait()

    def kill_server(self, name):
        """Kills PostgreSQL alone, with all its processes."""
        number = int((self.folder / name / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        os.kill(number, signal.SIGKILL)

    def switch_over(self, primary):
        address = self.network.addresses[primary]
        asked = urllib.request.Request(
            f"http://{address}:8008/switchover", json.dumps({"leader": primary}).encode(),
            {"Content-Type": "application/json"}, method="POST")
        try:
            urllib.request.urlopen(asked, timeout=60).close()
        except urllib.error.HTTPError as why:
            raise AssertionError(f"no switchover: {why.code} {why.read()}") from why
