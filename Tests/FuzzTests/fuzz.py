"""Runs the fuzzers in turn from their corpora, keeps the inputs that they find, and ends with a table; see `make fuzz`.

The found inputs go into `.build/fuzz/corpora/NAME`, where the next run continues. An input that makes a parser fail goes into the
parser's corpus in Tests, which the test suite replays. With --merge, the inputs that add most coverage are copied into the corpora
in Tests."""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "Tests" / "FuzzTests" / "Corpora"
# Inputs that are kept in Tests are read in each run of the suite.
KEPT_BYTES_MAX, KEPT_COUNT_MAX, KEPT_TOTAL_MAX = 1_024, 30, 16_384
INPUT_BYTES_MAX = 16_384


def figure(name, text):
    found = re.findall(rf"stat::{name}:\s+(\d+)", text)
    return int(found[-1]) if found else 0


class Fuzzer:
    def __init__(self, program, name, work):
        self.program, self.name = program, name
        self.kept, self.corpus, self.found = KEPT / name, work / "corpora" / name, work / "found" / name
        for folder in (self.kept, self.corpus, self.found):
            folder.mkdir(parents=True, exist_ok=True)

    def run(self, seconds, memory_mebibytes):
        """Returns a row of the table; an input that made the parser fail is in the corpus of the tests then."""
        known = {path.name for path in self.found.iterdir()}
        done = subprocess.run(
            [self.program, f"-max_total_time={seconds}", f"-max_len={INPUT_BYTES_MAX}", "-print_final_stats=1",
             f"-rss_limit_mb={memory_mebibytes}", "-timeout=10", f"-artifact_prefix={self.found}/", self.corpus, self.kept],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
            env={**os.environ, "PARSER": self.name}, check=False)
        broken = [path for path in self.found.iterdir() if path.name not in known]
        for path in broken:
            content = path.read_bytes()
            (self.kept / f"found-{hashlib.sha256(content).hexdigest()[:12]}").write_bytes(content)
            print(f"{self.name}: {path}\n{done.stderr[-3_000:]}", flush=True)
        coverage = re.findall(r"cov: (\d+)", done.stderr)
        wrong = f"{len(broken)} inputs" if broken else "none" if done.returncode == 0 else f"ended with {done.returncode}"
        if done.returncode != 0 and not broken:
            print(done.stderr[-3_000:])
        return [self.name, f"{figure('number_of_executed_units', done.stderr):,}", coverage[-1] if coverage else "0",
                str(len(list(self.corpus.iterdir()))), str(len(list(self.kept.iterdir()))), wrong]

    def merge(self):
        """Copies small inputs that reach features which the corpus in Tests does not reach; repeatedly the one that adds most."""
        work = self.corpus.parent.parent
        small, merged, control = (work / kind / self.name for kind in ("small", "merged", "control"))
        for folder in (small, merged):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        control.parent.mkdir(exist_ok=True)
        control.unlink(missing_ok=True)
        for path in self.corpus.iterdir():
            if path.stat().st_size <= KEPT_BYTES_MAX:
                (small / path.name).write_bytes(path.read_bytes())
        subprocess.run(
            [self.program, "-set_cover_merge=1", f"-merge_control_file={control}", merged, self.kept, small], check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "PARSER": self.name})
        reached = features(control.read_text(encoding="utf-8"))
        new = {path: found for path, found in reached.items() if path.parent == small}
        kept = [found for path, found in reached.items() if path not in new]
        sizes = [path.stat().st_size for path in self.kept.iterdir()]
        for path in best(new, set().union(*kept), KEPT_COUNT_MAX - len(sizes), KEPT_TOTAL_MAX - sum(sizes)):
            (self.kept / path.name[:12]).write_bytes(path.read_bytes())


def features(control):
    """Returns the features that each input of a merge reaches, by its path. The control file has a line with the number of inputs,
    one with the number of those in the first folder, the paths, and then the features by the number of the path."""
    lines = control.splitlines()
    count = int(lines[0])
    paths, found = [pathlib.Path(line) for line in lines[2:2 + count]], {}
    for line in lines[2 + count:]:
        kind, number, *numbers = line.split()
        if kind == "FT":
            found[paths[int(number)]] = set(map(int, numbers))
    return found


def best(inputs, reached, count, size):
    """Returns paths of inputs, each the one that adds most features to those reached before (the smallest of equals), within the
    given number and bytes."""
    chosen = []
    sizes = {path: path.stat().st_size for path in inputs}
    while len(chosen) < count:
        fitting = [path for path in inputs if sizes[path] <= size and not inputs[path] <= reached]
        if not fitting:
            break
        path = max(fitting, key=lambda path: (len(inputs[path] - reached), -sizes[path], path.name))
        chosen.append(path)
        reached = reached | inputs[path]
        size -= sizes[path]
    return chosen


def table(rows):
    rows = [["parser", "executions", "coverage", "corpus", "in Tests", "broken"], *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    rows.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows)


def main():
    parser = argparse.ArgumentParser(prog="fuzz", description="Coverage-guided fuzzers of what reads strangers' bytes.")
    parser.add_argument("program", type=pathlib.Path, help="hearth-fuzz")
    parser.add_argument("--seconds", type=int, default=60, help="of each fuzzer (%(default)s)")
    parser.add_argument("--only", help="a parser's name, or several with commas")
    parser.add_argument("--memory", type=int, default=1_024, help="mebibytes that a fuzzer may take (%(default)s)")
    parser.add_argument("--merge", action="store_true", help="take what adds coverage into the corpora in Tests")
    asked = parser.parse_args()
    listed = subprocess.run([asked.program], capture_output=True, text=True, check=True).stdout.split()
    chosen = [name for name in listed if not asked.only or name in asked.only.split(",")]
    rows, work = [], ROOT / ".build" / "fuzz"
    try:
        for name in chosen:
            fuzzer = Fuzzer(asked.program, name, work)
            rows.append(fuzzer.run(asked.seconds, asked.memory))
            if asked.merge:
                fuzzer.merge()
            print(" ".join(rows[-1]), flush=True)
    except KeyboardInterrupt:
        print("\nstopped")
    print("\n" + table(rows))
    sys.exit(1 if any(row[-1] != "none" for row in rows) else 0)


if __name__ == "__main__":
    main()
