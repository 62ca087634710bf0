"""A clock for a server process that a test sets back and forward, as an operator or an NTP client does.

A preloaded library adds an offset to one clock of the process (by default the wall clock) and leaves its other clocks unchanged.
The offset is eight bytes of a file that the library and the test map."""

import mmap
import pathlib
import shutil
import struct
import subprocess

SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offset_seconds;

__attribute__((constructor)) static void map_offset(void) {
  const char *path = getenv("STEPPABLE_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) offset_seconds = page;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == STEPPED && offset_seconds) time->tv_sec += *offset_seconds;
  return result;
}
"""


class SteppableClock:
    """`environment` is what a process needs to be started with.

    - clock: as C names it. A cluster's node counts by CLOCK_BOOTTIME, which goes on while a machine sleeps.
    """

    def __init__(self, folder, clock="CLOCK_REALTIME"):
        folder = pathlib.Path(folder)
        source, library, offset = folder / "clock.c", folder / "clock.so", folder / "clock.offset"
        source.write_text(SOURCE, encoding="utf-8")
        compiler = shutil.which("clang") or shutil.which("cc")
        assert compiler, "a C compiler comes with Swift; is its folder in PATH?"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", f"-DSTEPPED={clock}", "-o", library, source], check=True)
        offset.write_bytes(bytes(8))
        with open(offset, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 8)
        self.offset_seconds = 0
        self.environment = {"LD_PRELOAD": str(library), "STEPPABLE_CLOCK": str(offset)}

    def set(self, offset_seconds):
        """Sets the difference in seconds between the process's clock and the machine's."""
        self.offset_seconds = offset_seconds
        self.page[:8] = struct.pack("<q", offset_seconds)
