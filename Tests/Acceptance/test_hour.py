"""The newcomer's first hour, step by step: `make hour` prints its times."""

import os
import subprocess
import sys

from conftest import HEARTH, ROOT
from waits import WAIT_SECONDS


def test_every_step_of_the_first_hour_ends_in_what_it_shows():
    done = subprocess.run(
        [sys.executable, "-m", "hour"], cwd=ROOT, capture_output=True, text=True, timeout=WAIT_SECONDS * 5,
        env={**os.environ, "HEARTH": HEARTH, "PYTHONPATH": str(ROOT / "Tests" / "Acceptance")})
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()[2:]
    assert len(rows) == 8 and rows[-1].startswith("| all |"), done.stdout
