"""A PostgreSQL primary and two standbys that stream from it: a commit is acknowledged when one of them has it, too."""

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
# Either of the standbys is enough, and one is needed.
QUORUM = "ANY 1 (s2,s3)"


class Replicas:
    """The primary s1 and the standbys s2 and s3, in folders of these names."""

    def __init__(self, folder, ports):
        if PROGRAMS is None:
            raise Ended("PostgreSQL is not installed: apt-get install postgresql")
        self.folder, self.ports = folder, ports
        self.running = []
        # PostgreSQL does not run as the superuser.
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
        """Starts all three, and makes those that are not there yet."""
        if not self._is_made("s1"):
            self._make("s1", lambda data: self._run(
                "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"))
        primary = self._launch("s1")
        primary.until(lambda: self._answers("SELECT 1") == "1", "was to answer")
        # Before there are standbys nothing waits for them.
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
        # The primary first: it ends when its standbys have what it wrote.
        for one in self.running:
            one.end(signal.SIGINT)

    def url(self):
        """For servers: of the three that one is used which takes writes."""
        hosts = ",".join(f"{ADDRESS}:{port}" for port in self.ports)
        return f"postgres://postgres@{hosts}/{DATABASE}"

    def _is_made(self, name):
        return (self.folder / name).is_dir()

    def _make(self, name, fill):
        """Makes a folder of data, which gets its name when it is whole."""
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
            # Where the standbys find the primary: ports may be others than the last time.
            "primary_conninfo": f"host={ADDRESS} port={self.ports[0]} user=postgres application_name={name}",
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        # A process id of a run before may be another program's by now.
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
        """The same; nothing when no answer comes."""
        try:
            return self._ask(sql)
        except Ended:
            return None
