"""A PostgreSQL primary and two streaming standbys: a commit is acknowledged when one standby has it, too."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess

from cluster.ports import ADDRESS
from cluster.process import Ended, Running

PROGRAMS = max(
    pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None)
DATABASE = "hearth"
# A commit waits for one of the two standbys, whichever is first.
QUORUM = "ANY 1 (s2,s3)"


class Replicas:
    """The primary s1 and the standbys s2 and s3, in data folders of these names."""

    def __init__(self, folder, ports):
        if PROGRAMS is None:
            raise Ended("PostgreSQL is not installed: apt-get install postgresql")
        self.folder, self.ports = folder, ports
        self.running = []
        # PostgreSQL refuses to run as root.
        self.user = []
        folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self._hand_over()

    def _hand_over(self):
        for parent in self.folder.parents:
            if not parent.stat().st_mode & 0o001:
                raise Ended(f"the user postgres cannot reach {self.folder}: run chmod o+x {parent}, or not as root")
        who = pwd.getpwnam("postgres")
        os.chown(self.folder, who.pw_uid, who.pw_gid)
        self.user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def start(self):
        """Starts all three, and creates the data folders that do not exist yet."""
        if not self._is_made("s1"):
            self._make("s1", lambda data: self._run(
                "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"))
        primary = self._launch("s1")
        primary.until(lambda: self._answers("SELECT 1") == "1", "was to answer")
        # A primary without standbys must not wait for one.
        if self._answers(f"SELECT count(*) FROM pg_database WHERE datname = '{DATABASE}'") == "0":
            self._ask(f"CREATE DATABASE {DATABASE}")
        for name in ("s2", "s3"):
            if not self._is_made(name):
                self._make(name, lambda data, name=name: self._run(
                    "pg_basebackup", "-D", data, "-R", "-X", "stream", "-c", "fast",
                    "-d", f"host={ADDRESS} port={self.ports[0]} user=postgres application_name={name}"))
            self._launch(name)
        primary.until(
            lambda: self._answers("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "2",
            "was to have two standbys")

    def end(self):
        # The primary stops first: its shutdown waits until the standbys have received its log.
        for one in self.running:
            one.end(signal.SIGINT)

    def url(self):
        """The connection URL for nodes; it selects the server that accepts writes."""
        hosts = ",".join(f"{ADDRESS}:{port}" for port in self.ports)
        return f"postgres://postgres@{hosts}/{DATABASE}"

    def _is_made(self, name):
        return (self.folder / name).is_dir()

    def _make(self, name, fill):
        """Makes a data folder, and renames it to its final name when it is complete."""
        work = self.folder / f"{name}.partial"
        shutil.rmtree(work, ignore_errors=True)
        fill(str(work))
        work.rename(self.folder / name)

    def _launch(self, name):
        data = self.folder / name
        port = self.ports[int(name[1]) - 1]
        settings = {
            "listen_addresses": ADDRESS, "port": port, "unix_socket_directories": "", "shared_buffers": "32MB",
            "max_connections": 60, "synchronous_standby_names": QUORUM, "synchronous_commit": "on",
            # The address of the primary; its port may differ from the last run's.
            "primary_conninfo": f"host={ADDRESS} port={self.ports[0]} user=postgres application_name={name}",
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        # The file with the process id of an earlier run; that id may belong to another program by now.
        (data / "postmaster.pid").unlink(missing_ok=True)
        running = Running(
            f"postgres-{name}", [*self.user, str(PROGRAMS / "postgres"), "-D", str(data), *options], self.folder.parent)
        self.running.append(running)
        return running

    def _run(self, program, *arguments):
        done = subprocess.run(
            [*self.user, str(PROGRAMS / program), *arguments], capture_output=True, text=True, cwd="/")
        if done.returncode != 0:
            raise Ended(f"{program} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout.strip()

    def _ask(self, sql):
        return self._run(
            "psql", "-AtX", "-h", ADDRESS, "-p", str(self.ports[0]), "-U", "postgres", "-d", "postgres",
            "-c", "SET synchronous_commit = local", "-c", sql).removeprefix("SET").strip()

    def _answers(self, sql):
        """Like `_ask`, but returns an empty text when the server does not answer."""
        try:
            return self._ask(sql)
        except Ended:
            return None
