"""Descriptors of processes: which ones a program that is started next would get."""

import os
import pathlib
import re


def inheritable(pid):
    """Those above 2 that are not close-on-exec, with what they lead to."""
    found = {}
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            flags = (pathlib.Path(f"/proc/{pid}/fdinfo") / entry.name).read_text(encoding="ascii")
            if int(entry.name) > 2 and not int(re.search(r"flags:\s+([0-7]+)", flags)[1], 8) & os.O_CLOEXEC:
                found[int(entry.name)] = os.readlink(entry)
        except FileNotFoundError:
            pass  # It was closed meanwhile.
    return found
