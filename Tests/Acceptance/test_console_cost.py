"""A short run of `make bench-console`, which measures the cost of an open console."""

import os
import pathlib
import re
import subprocess
import sys

from conftest import HEARTH
from console_cost.instructions import parts
from waits import WAIT_SECONDS

HERE = pathlib.Path(__file__).resolve().parent


def test_the_report_has_a_row_for_each_kind_of_watcher():
    done = subprocess.run(
        [sys.executable, "-m", "console_cost", "--children", "500", "--writes", "200", "--seconds", "0.3", "--settle", "0.1",
         "--turns", "1"],
        cwd=HERE, env={**os.environ, "HEARTH": HEARTH}, capture_output=True, text=True, timeout=4 * WAIT_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^\| (\d+%) \| ([a-z ]+) \| [\d.]+ \| [+-][\d.]+% \| (\d+) \|$", done.stdout, re.MULTILINE)
    looking = ["nobody", "a listener", "the console"]
    assert [(share, who) for share, who, _ in rows] == [(share, who) for share in ("0%", "33%") for who in looking]
    assert all(int(written) > 0 for _, _, written in rows), done.stdout


def test_two_write_rates_separate_the_cost_per_second_from_the_cost_per_write():
    def turn(more):
        return [(1_000 * 8 + 50 * 160 + more, 8, 160), (1_000 * 8 + 50 * 960 + more, 8, 960)]

    assert parts([turn(7_000_000), turn(0), turn(90)]) == (1_000, 50)
