"""Disks that are full, that fail, and that lose writes, for the servers under test."""

import contextlib
import os
import resource
import struct
import subprocess

import pytest
import requests
from waits import WAIT_SECONDS


def status(server, path="/"):
    return requests.get(server.url + path, timeout=WAIT_SECONDS).status_code


def limit_files(server, size_bytes):
    """Limits the size of each file of the server, which appears to it like a full disk; None lifts the limit."""
    limit = resource.RLIM_INFINITY if size_bytes is None else size_bytes
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


@contextlib.contextmanager
def small_disk(folder, size_mebibytes):
    """Mounts a small file system at the folder; skips the test without the permission to mount."""
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_mebibytes}m", "tmpfs", str(folder)], capture_output=True, text=True,
        check=False)
    if mount.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mount.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


FAILING_SYNC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
static int fails(int file) {
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, name, sizeof name - 1);
  if (size < 0) return 0;
  name[size] = 0;
  if (!strstr(name, getenv("FAILING_FILE"))) return 0;
  FILE *found = fopen(getenv("FAILING_SWITCH"), "r");
  if (!found) return 0;
  int milliseconds, is_slow = fscanf(found, "%d", &milliseconds) == 1;
  fclose(found);
  if (is_slow) usleep(milliseconds * 1000);
  return !is_slow;
}
int fsync(int file) {
  if (fails(file)) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
int fdatasync(int file) {
  if (fails(file)) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
"""


class FailingSync:
    """A preloaded library by which syncs of one file fail from `begin` on, or take longer."""

    def __init__(self, folder, file):
        (folder / "sync.c").write_text(FAILING_SYNC, encoding="utf-8")
        library, self.switch = folder / "sync.so", folder / "failing"
        try:
            built = subprocess.run(
                ["cc", "-shared", "-fPIC", "-o", str(library), str(folder / "sync.c"), "-ldl"], capture_output=True,
                check=False)
        except FileNotFoundError:
            pytest.skip("there is no C compiler")
        assert built.returncode == 0, built.stderr
        self.environment = {
            **os.environ, "LD_PRELOAD": str(library), "FAILING_FILE": file, "FAILING_SWITCH": str(self.switch)}

    def begin(self):
        self.switch.touch()

    def end(self):
        self.switch.unlink()

    def take(self, seconds):
        """Makes each sync from now on take this many seconds."""
        text = self.switch.with_suffix(".new")
        text.write_text(str(round(seconds * 1000)), encoding="utf-8")
        text.chmod(0o644)
        text.rename(self.switch)


def commit_ends(log):
    """Returns the offsets at which commits end in SQLite's write-ahead log."""
    page_bytes = struct.unpack(">I", log[8:12])[0]
    salt, ends, offset = log[16:24], [], 32
    while offset + 24 + page_bytes <= len(log) and log[offset + 8:offset + 16] == salt:
        offset += 24 + page_bytes
        if struct.unpack(">I", log[offset - page_bytes - 20:offset - page_bytes - 16])[0]:
            ends.append(offset)
    return ends
