"""A PostgreSQL for one test, made with Debian's programs: it has a folder and a Unix domain socket of its own, and no port."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from waits import WAIT_SECONDS

PROGRAMS = max(
    pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None)
WHY_NOT = "PostgreSQL is not installed: apt-get install postgresql"


class Postgres:
    """One PostgreSQL server, which may be killed and started again.

    - more: further arguments of `initdb`.
    """

    def __init__(self, connections=40, more=()):
        self.connections = connections
        self.environment = None
        # Socket paths must be short, and the user that PostgreSQL runs as cannot enter root's folders.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-pg-", dir="/tmp"))
        self.user = []
        self.hand_over(self.folder)
        if os.geteuid() == 0:
            self.user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.process = None
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
                  "--no-locale", "--no-sync", *more)
        # The user `locked` needs a password.
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text("local all locked scram-sha-256\nlocal all all trust\n", encoding="utf-8")

    @staticmethod
    def hand_over(path):
        """Gives a file or a folder to the user that PostgreSQL runs as."""
        if os.geteuid() == 0:
            who = pwd.getpwnam("postgres")
            os.chown(path, who.pw_uid, who.pw_gid, follow_symlinks=False)

    @property
    def socket(self):
        return self.folder / ".s.PGSQL.5432"

    def _run(self, name, *arguments):
        return subprocess.run(
            [*self.user, str(PROGRAMS / name), *arguments], check=True, capture_output=True, text=True, cwd="/",
            timeout=WAIT_SECONDS).stdout

    def start(self):
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.user, str(PROGRAMS / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder), "-c",
                 "listen_addresses=", "-c", "shared_buffers=32MB", "-c", f"max_connections={self.connections}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True, env=self.environment)
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                return self.sql("SELECT 1") and self
            except subprocess.CalledProcessError:
                time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text(encoding="utf-8"))

    def sql(self, text):
        """Returns the result of a statement, a line for each row."""
        return self._run("psql", "-h", str(self.folder), "-U", "postgres", "-AtXc", text).splitlines()

    def kill(self):
        """Kills all of its processes at once, like a power failure."""
        if self.process is None or self.process.poll() is not None:
            return
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        os.kill(self.process.pid, signal.SIGSTOP)
        for child in [*children.read_text().split(), self.process.pid]:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(WAIT_SECONDS)
        self.process = None

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, user="postgres", more=""):
        return f"postgres://{user}@/postgres?host={self.folder}{more}"
