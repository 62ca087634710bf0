"""Runs the examples of the README and the guides exactly as they are printed."""

import difflib
import re
import subprocess

from conftest import HEARTH, PATIENT_CURL, ROOT
from waits import WAIT_SECONDS

GUIDES = ROOT / "Sources/Guide"


def blocks(page="README.md", language="sh"):
    """The code blocks of a language on a page: the README, or a guide by its file's name."""
    path = ROOT / page if page == "README.md" else GUIDES / page
    text = path.read_text(encoding="utf-8")
    return [re.sub(r"^ +", "", found[1], flags=re.M) if found[0] else found[1]
            for found in re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.S | re.M)]


def block(page, text, language="sh"):
    """The first block of a page that contains a text."""
    return next(each for each in blocks(page, language) if text in each)


def shown(page):
    """The code blocks of a page that an output follows, each with that output."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```\n\n```\n(.*?)^```", text, re.S | re.M)


def matches(expected, output):
    """Whether an output has the lines that a page shows, in their order; `…` stands for anything."""
    position = 0
    for part in filter(None, (part.strip() for line in expected.splitlines() for part in line.split("…"))):
        position = output.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True


def refreshed(expected, output):
    """What a page shows, with the nearest lines of an output in the place of its own; lines with `…` alone stay."""
    lines, shown_lines = output.splitlines(), []
    for line in expected.splitlines():
        if not line.strip(" …"):
            shown_lines.append(line)
            continue
        near = max(range(len(lines)), key=lambda i: (difflib.SequenceMatcher(None, line, lines[i]).ratio(), -i))
        found = lines[near].rstrip()
        if line.endswith("…") and not found.endswith("…"):
            found = re.sub(r"[\d.,]+ \w+$", "…", found)
        shown_lines.append(found)
        lines = lines[near + 1:] or [""]
    return "".join(line + "\n" for line in shown_lines)


def run(script, folder, address="127.0.0.1:9000"):
    """Runs a block in a folder against the server at an address, and returns the output; a failure fails the test."""
    script = script.replace("127.0.0.1:9000", address).replace("@Rules/", f"@{ROOT}/Rules/")
    script = re.sub(r"^alias hearth=.*$", "", script, flags=re.M)
    done = subprocess.run(
        ["bash", "-c", f'set -euo pipefail\nhearth() {{ "{HEARTH}" "$@"; }}\n{PATIENT_CURL}\n{script}'], cwd=folder,
        capture_output=True, text=True, timeout=4 * WAIT_SECONDS, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    return done.stdout
