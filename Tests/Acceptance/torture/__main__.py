"""Executes the runs from where they were interrupted; see `make torture`."""

import argparse
import pathlib
import signal
import sys

from conftest import ROOT
from torture.killing import Kills
from torture.rows import KILLS, rows
from torture.state import State
from torture.table import table


def show(state, all_rows):
    print(f"\nseed {state.seed}, state in {state.file}\n")
    print(table([(row.name, {"status": "open", "count": 0, "outcome": "", "seconds": 0} | state.rows.get(row.name, {})
                  | {"unit": row.unit}) for row in all_rows]))
    for row in all_rows:
        for failure in state.rows.get(row.name, {}).get("more", {}).get("failures", []):
            print(f"\nfolder {failure['folder']}, kill {failure['kill']}; --only \"{row.name}\" --seed {state.seed} "
                  f"--folder {failure['folder']} does it again:\n{failure['why']}")


def main():
    parser = argparse.ArgumentParser(prog="torture", description="Long runs that go on where they were stopped.")
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / ".build" / "torture", help="the folder of the state")
    parser.add_argument("--seed", type=int, help="of a new state; another one each time if not given")
    parser.add_argument("--kills", type=int, default=KILLS, help="how many in all (%(default)s)")
    parser.add_argument("--folder", type=int, help="the kills of this folder alone, with --seed and --only")
    parser.add_argument("--only", help="rows whose names contain this")
    parser.add_argument("--table", action="store_true", help="show how far it is, and run nothing")
    asked = parser.parse_args()
    state, all_rows = State(asked.state, asked.seed, asked.table), rows(asked.kills)
    if asked.folder is not None:
        all_rows = [row for row in all_rows if isinstance(row, Kills) and (asked.only or Kills.name) in row.name]
        for row in all_rows:
            row.only_folder = asked.folder
    # A shell ignores SIGINT for its background jobs; the program handles it also there.
    for interruption in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interruption, signal.default_int_handler)
    chosen = [] if asked.table else [row for row in all_rows if (asked.only or "") in row.name]
    try:
        for row in chosen:
            known = state.row(row.name)
            if known["status"] == "done" and not (isinstance(row, Kills) and known["count"] < row.count):
                continue
            known["status"] = "going"
            state.save()
            print(f"{row.name}, seed {state.seed}", flush=True)
            row.run(state, known)
            state.save()
    except KeyboardInterrupt:
        state.save()
        print("\nstopped; the same command goes on from here")
    show(state, all_rows)
    statuses = {state.rows.get(row.name, {}).get("status") for row in all_rows}
    sys.exit(1 if "failed" in statuses else 0 if statuses == {"done"} or asked.table else 130)


main()
