"""The measurements of a long run: samples of the server's process and folder, latencies by window, and a verdict."""

import dataclasses
import hashlib
import os
import pathlib
import statistics
import threading
import time

# The first quarter of a run is its warm-up. The last quarter is compared with the second one.
QUARTERS = 4

# How far the last quarter may exceed the second: a factor, and the difference below which nothing is reported.
MEMORY = (1.10, 16 << 20)
LATENCY_P50 = (1.5, 0.002)
LATENCY_P99 = (2.0, 0.010)
JOURNAL = (1.25, 8 << 20)
FOLDER = (1.25, 16 << 20)
FILES = (1.0, 16)
# A start also replays the log since the last snapshot. Right after the fill that log is empty; later the server limits it so that
# the replay takes about as long as loading the snapshot.
RESTART = (2.0, 0.020)
# Limits for two measurements of the machine itself, taken beside the load: how much later than requested a sleeping thread is
# woken, and how long a fixed piece of computation takes.
LATENESS, COMPUTATION = "machine", "computation"
MACHINE = {LATENESS: ("p99", (2.0, 0.002)), COMPUTATION: ("p50", (1.25, 0.002))}


@dataclasses.dataclass
class Sample:
    """The resources of the server's process and folder at one time."""

    seconds: float
    resident: int
    files: int
    journal: int
    folder: int


def sample(seconds, process, data):
    """Samples a process and its data folder. Files that are removed meanwhile are skipped."""
    resident = 0
    for line in pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            resident = int(line.split()[1]) << 10
    sizes = {"databases": 0, "": 0}
    for folder, _, names in os.walk(data):
        part = "databases" if pathlib.Path(folder).name == "databases" else ""
        for name in names:
            try:
                sizes[part] += os.lstat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                pass
    return Sample(
        seconds, resident, len(os.listdir(f"/proc/{process}/fd")), sizes["databases"], sum(sizes.values()))


class Recorder:
    """Latencies in seconds by kind of operation, and the number of errors, in the current window."""

    def __init__(self):
        self._lock = threading.Lock()
        self._window = {}
        self.counts = {}
        self.errors = {}

    def took(self, name, seconds):
        with self._lock:
            self._window.setdefault(name, []).append(seconds)
            self.counts[name] = self.counts.get(name, 0) + 1

    def failed(self, name, error):
        with self._lock:
            text = f"{name}: {type(error).__name__}: {str(error)[:160]}"
            self.errors[text] = self.errors.get(text, 0) + 1

    def end_window(self):
        """Returns the percentiles of each kind since the last call."""
        with self._lock:
            window, self._window = self._window, {}
        return {name: Latency.of(seconds) for name, seconds in window.items()}


@dataclasses.dataclass
class Latency:
    """Percentiles, in seconds."""

    p50: float
    p99: float
    count: int

    @staticmethod
    def of(seconds):
        ordered = sorted(seconds)
        return Latency(ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)], len(ordered))


@dataclasses.dataclass
class Window:
    """A part of the run: its samples, and its latencies by kind of operation."""

    end: float
    samples: list
    latencies: dict


def exceeds(before, after, bound):
    """Returns True when a figure grew by more than the bound's factor and by more than its least difference."""
    factor, slack = bound
    return after > before * factor and after - before > slack


def quarter(items, number):
    """Returns the quarter of a list with this number, from 0."""
    size = len(items)
    return items[size * number // QUARTERS:size * (number + 1) // QUARTERS]


def judge(windows, starts, ends, errors):
    """Returns the findings, each a sentence (none when nothing grew), and the comparisons that the machine's load made impossible.

    `starts` and `ends` are the seconds until the server was ready, before and after the load.
    """
    findings, unsaid = [], []
    samples = [sample for window in windows for sample in window.samples]
    if len(windows) < 2 * QUARTERS:
        unsaid.append(f"latencies: {len(windows)} windows are too few to compare quarters")
    if len(samples) < 4 * QUARTERS:
        return findings, [*unsaid, f"{len(samples)} samples are too few to compare quarters"]
    before, after = quarter(samples, 1), quarter(samples, QUARTERS - 1)

    def compare(name, figure, bound, shown):
        first, last = figure(before), figure(after)
        if exceeds(first, last, bound):
            findings.append(f"{name} grew from {shown(first)} to {shown(last)}")

    compare("memory", lambda part: statistics.median(s.resident for s in part), MEMORY, mebibytes)
    compare("the journals", lambda part: max(s.journal for s in part), JOURNAL, mebibytes)
    compare("the folder", lambda part: max(s.folder for s in part), FOLDER, mebibytes)
    compare("the number of open files", lambda part: max(s.files for s in part), FILES, str)
    if len(windows) >= 2 * QUARTERS:
        judge_latencies(windows, findings, unsaid)
    # The fastest start is the one that the machine disturbed least.
    if starts and ends and exceeds(min(starts), min(ends), RESTART):
        findings.append(f"a restart took {milliseconds(min(ends))} after the load, {milliseconds(min(starts))} before it")
    findings += [f"{count} × {text}" for text, count in sorted(errors.items())]
    return findings, unsaid


def judge_latencies(windows, findings, unsaid):
    def middle(part, name, percentile):
        figures = [getattr(w.latencies[name], percentile) for w in part if name in w.latencies]
        return statistics.median(figures) if figures else None

    before, after = quarter(windows, 1), quarter(windows, QUARTERS - 1)
    changes = []
    for name, (percentile, bound) in MACHINE.items():
        first, last = middle(before, name, percentile), middle(after, name, percentile)
        if None not in (first, last) and exceeds(first, last, bound):
            changes.append(f"{percentile} of {name} from {milliseconds(first)} to {milliseconds(last)}")
    for name in sorted({name for window in windows for name in window.latencies} - set(MACHINE)):
        for percentile, bound in (("p50", LATENCY_P50), ("p99", LATENCY_P99)):
            first, last = middle(before, name, percentile), middle(after, name, percentile)
            if first is None or last is None or not exceeds(first, last, bound):
                continue
            text = f"{percentile} of {name} grew from {milliseconds(first)} to {milliseconds(last)}"
            if changes:
                unsaid.append(f"{text}, but the machine became slower by itself: {', '.join(changes)}")
            else:
                findings.append(text)


def table(windows, names):
    """Returns a table with a line for each window."""
    head = ["minute", "memory", "files", "journals", "folder"]
    head += [f"{name} p50/p99" for name in names] + [f"{name} {percentile}" for name, (percentile, _) in MACHINE.items()]
    rows = [head]
    for window in windows:
        row = [f"{window.end / 60:.1f}"]
        samples = window.samples
        row += [
            mebibytes(max(s.resident for s in samples)), str(max(s.files for s in samples)),
            mebibytes(max(s.journal for s in samples)), mebibytes(max(s.folder for s in samples))] if samples else [""] * 4
        for name in names:
            latency = window.latencies.get(name)
            row.append(f"{latency.p50 * 1e3:.1f}/{latency.p99 * 1e3:.1f} ms" if latency else "")
        for name, (percentile, _) in MACHINE.items():
            machine = window.latencies.get(name)
            row.append(milliseconds(getattr(machine, percentile)) if machine else "")
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)


def mebibytes(count):
    return f"{count / (1 << 20):.1f} MiB"


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f} ms"


class Lateness(threading.Thread):
    """Measures how much later than requested a thread of this program is woken: a delay of the machine, not of the server."""

    def __init__(self, recorder, stop):
        super().__init__(daemon=True)
        self.recorder, self.stopped = recorder, stop

    def run(self):
        while not self.stopped.is_set():
            due = time.monotonic() + 0.05
            time.sleep(0.05)
            self.recorder.took(LATENESS, time.monotonic() - due)


class Computation(threading.Thread):
    """Measures a computation of about 20 ms. When other programs use the processors, a request that computes (such as a password
    sign-in) slows down by the same factor, even if threads are woken in time."""

    def __init__(self, recorder, stop):
        super().__init__(daemon=True)
        self.recorder, self.stopped = recorder, stop

    def run(self):
        while not self.stopped.wait(1):
            started = time.monotonic()
            hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 30_000)
            self.recorder.took(COMPUTATION, time.monotonic() - started)
