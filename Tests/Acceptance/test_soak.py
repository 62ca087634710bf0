"""A short run of `make soak`, and the verdict on given measurements."""

import os
import re
import subprocess
import sys

import pytest

from conftest import HEARTH
from soak.figures import Latency, Sample, Window, judge
from waits import WAIT_SECONDS

MIB = 1 << 20


def windows(count=16, **grown):
    """Returns the windows of a run with constant measurements; each one named in `grown` grows evenly by that factor."""

    def value(name, start, window):
        return start * (1 + (grown.get(name, 1) - 1) * window / (count - 1))

    return [
        Window(
            window * 60.0,
            [Sample(window * 60.0 + number, int(value("resident", 100 * MIB, window)), int(value("files", 90, window)),
                    # The journal is shortened at intervals.
                    int(value("journal", 30 * MIB, window)) + number * 4 * MIB, int(value("folder", 60 * MIB, window)))
             for number in range(4)],
            {"write": Latency(value("p50", 0.005, window), value("p99", 0.02, window), 100),
             "machine": Latency(0.0001, value("machine", 0.002, window), 100),
             "computation": Latency(value("computation", 0.02, window), 0.03, 100)})
        for window in range(count)]


def test_a_flat_run_has_no_findings():
    assert judge(windows(), [0.05, 0.06], [0.05, 0.07], {}) == ([], [])


@pytest.mark.parametrize("grown, word", [
    ({"resident": 2}, "memory"), ({"files": 2}, "open files"), ({"journal": 3}, "journals"), ({"folder": 3}, "folder"),
    ({"p50": 4}, "p50 of write"), ({"p99": 12}, "p99 of write"),
])
def test_growth_is_a_finding(grown, word):
    findings, unsaid = judge(windows(**grown), [0.05], [0.05], {})
    assert len(findings) == 1 and word in findings[0] and not unsaid, (findings, unsaid)


@pytest.mark.parametrize("sign", ["machine", "computation"])
def test_latencies_of_a_busy_machine_are_not_judged(sign):
    findings, unsaid = judge(windows(p99=12, **{sign: 12}), [0.05], [0.05], {})
    assert not findings and "p99 of write" in unsaid[0] and f"of {sign}" in unsaid[0], (findings, unsaid)


def test_a_log_replayed_in_parallel_to_the_load_is_no_finding():
    assert judge(windows(), [1.6, 1.5], [2.1, 2.9], {}) == ([], [])


def test_slow_restarts_and_failures_are_findings():
    findings, _ = judge(windows(), [0.05], [0.2], {"REST: status 500": 3})
    assert ["a restart" in findings[0], findings[1]] == [True, "3 × REST: status 500"], findings
    assert judge(windows(count=2), [], [], {})[1], "too little to compare is no verdict"


def test_a_short_run_completes_without_failures(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "soak", "--minutes", "0.06", "--window-seconds", "1.2", "--sample-seconds", "0.3",
         "--base-mebibytes", "1", "--starts", "1", "--folder", str(tmp_path)],
        cwd=os.path.dirname(__file__), env={**os.environ, "HEARTH": HEARTH}, capture_output=True, text=True,
        timeout=2 * WAIT_SECONDS)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert "verdict: " in done.stdout, done.stdout + done.stderr
    counts = dict((name, int(count)) for count, name in re.findall(r"(\d+) ([a-zA-Z -]+?)(?:,|\n)", done.stdout.split("done: ")[1]))
    assert counts["write"] > 0 and counts["REST"] > 0 and counts["event"] > 0, done.stdout
    # The durations depend on the machine; failures do not.
    assert " × " not in done.stdout, done.stdout
    assert not list(tmp_path.iterdir())
