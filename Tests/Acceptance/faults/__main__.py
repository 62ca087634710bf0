"""Runs laps of real cluster faults, and resumes where an earlier run stopped; see `make torture-cluster`. Needs root."""

import argparse
import dataclasses
import json
import pathlib
import random
import shutil
import signal
import statistics
import sys
import time
import traceback

from conftest import ROOT
from faults.check import Finding
from faults.deployment import NODES, Deployment
from faults.lap import Lap
from faults.network import Network, alone
from faults.patroni import NAMES as STORES
from torture.state import State
from torture.table import duration

ROW = "faults"
LAP_FAULTS = 5
# The laps that one cluster serves: after each lap the whole log is read, so a longer log makes each check slower.
CLUSTER_LAPS = 2
FINDINGS_MAX = 50


class Run:
    """- state: the folder with the results of earlier runs, to which this run adds.
    - asked: the command-line arguments.
    """

    def __init__(self, state, asked):
        self.state, self.asked, self.count = state, asked, asked.faults
        self.row = state.row(ROW)
        self.more = self.row["more"]
        for name, empty in (("lap", 0), ("kinds", {}), ("findings", []), ("figures", {})):
            self.more.setdefault(name, empty)
        self.network = Network([*NODES, *STORES])
        self.deployment = None

    def go_on(self):
        while self.row["count"] < self.count and len(self.more["findings"]) < FINDINGS_MAX:
            begin = time.monotonic()
            self.more["lap"] += 1
            number = self.more["lap"]
            self.state.save()
            lap, findings = None, []
            try:
                if self.deployment is None:
                    self._deploy(number)
                lap = Lap(self.deployment.nodes, number, self.state.seed, self.deployment.tokens)
                findings = self._run(lap, random.Random(f"{self.state.seed}/{number}"))
            except Exception as why:  # Any error is reported, and the next lap gets a new cluster.
                findings = [*(lap.findings if lap else []), Finding("stuck", f"{why}\n{traceback.format_exc()[-2_000:]}")]
            self._note(number, lap, findings, time.monotonic() - begin)
            if any(finding.kind == "stuck" for finding in findings) or number % CLUSTER_LAPS == 0:
                self.end()

    def _deploy(self, number):
        folder = self.state.folder / f"cluster-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        self.deployment = Deployment(self.network, folder, self.asked.patroni, not self.asked.asynchronous)
        self.deployment.start()

    def _run(self, lap, numbers):
        lap.start()
        for _ in range(min(LAP_FAULTS, self.count - self.row["count"])):
            time.sleep(numbers.uniform(0.5, 2))
            fault, seconds = self.deployment.draw(numbers, self.asked.only)
            print(f"  {fault.kind}, {fault.target}", end="", flush=True)
            lap.meet(fault, seconds)
            self.deployment.wait_until_whole()
            print(f", {lap.faults[-1].settled - lap.faults[-1].start:.1f} s", flush=True)
        findings = lap.end()
        return findings

    def _note(self, number, lap, findings, seconds):
        self.row["seconds"] += seconds
        # A lap whose check failed to run does not count.
        if lap and lap.is_checked:
            for fault in lap.faults:
                self.row["count"] += 1
                known = self.more["kinds"].setdefault(fault.kind, {"acknowledged": 0, "gaps": []})
                known["acknowledged"] += fault.acknowledged
                known["gaps"].append(round(fault.gap_seconds, 2))
            for name, value in lap.figures().items():
                self.more["figures"][name] = self.more["figures"].get(name, 0) + value
        kinds = sorted({fault.kind for fault in lap.faults} if lap else [])
        self.more["findings"] += [
            {"lap": number, "faults": kinds, "kind": finding.kind, "text": finding.text[:2_000]} for finding in findings[:10]]
        if findings:
            kept = self.state.folder / "failures" / f"{self.state.seed}-{number}"
            if self.deployment:
                self.deployment.keep_logs(kept)
            if lap:
                for name, records in {**vars(lap.history), "faults": lap.faults}.items():
                    (kept / f"{name}.json").write_text(
                        json.dumps([dataclasses.asdict(record) for record in records], default=str, indent=1), encoding="utf-8")
            print("\n".join(f"{finding.kind}: {finding.text}" for finding in findings[:10]), flush=True)
        self.row["status"] = "failed" if self.more["findings"] else "done" if self.row["count"] >= self.count else "going"
        self.state.save()
        print(f"lap {number}: {self.row['count']} of {self.count} faults, {len(self.more['findings'])} findings, "
              f"{lap.figures() if lap else ''}", flush=True)

    def end(self):
        if self.deployment:
            self.deployment.end()
        self.deployment = None


def table(state):
    """Returns a Markdown table of the results."""
    row = state.row(ROW)
    more = row["more"]
    lines = ["| fault | how many | acknowledged writes | without one, median | longest | in laps with findings |",
             "|---|---|---|---|---|---|"]
    for kind, known in sorted(more.get("kinds", {}).items()):
        found = sum(kind in finding["faults"] for finding in more["findings"])
        lines.append(f"| {kind} | {len(known['gaps'])} | {known['acknowledged']:,} | {statistics.median(known['gaps']):.1f} s | "
                     f"{max(known['gaps']):.1f} s | {found} |")
    figures = ", ".join(f"{value:,} {name}" for name, value in more.get("figures", {}).items())
    lines += ["", f"{row['count']} faults in {duration(row['seconds'])}: {figures}; {len(more.get('findings', []))} findings"]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="faults", description="Real faults of a cluster under load.")
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / ".build" / "torture-cluster", help="the folder of the state")
    parser.add_argument("--seed", type=int, help="of a new state; another one each time if not given")
    parser.add_argument("--faults", type=int, default=200, help="how many in all (%(default)s)")
    parser.add_argument("--patroni", type=pathlib.Path, default=ROOT / ".build" / "patroni" / "bin",
                        help="where Patroni and its Python are")
    parser.add_argument("--only", default="", help="faults whose names contain this")
    parser.add_argument("--asynchronous", action="store_true",
                        help="PostgreSQL acknowledges what is on one disk: what a failover loses is to be found")
    parser.add_argument("--table", action="store_true", help="show how far it is, and run nothing")
    asked = parser.parse_args()
    if asked.table:
        return print(table(State(asked.state, is_looking=True)))
    alone()
    state = State(asked.state, asked.seed)
    for interruption in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interruption, signal.default_int_handler)
    print(f"seed {state.seed}, state in {state.file}", flush=True)
    run = Run(state, asked)
    try:
        run.go_on()
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here")
    finally:
        run.end()
    print(f"\n{table(state)}\n")
    status = state.row(ROW)["status"]
    sys.exit(1 if status == "failed" else 0 if status == "done" else 130)


main()
