"""The row of imports that are killed."""

import shutil
import time
import traceback

from killed_import import KilledImport
from torture.killing import build

FILE_BYTES = 24 << 20


class KilledImports:
    """Resumes with the next import after an interruption. After a failure, the folder is kept and the row ends."""

    name, unit = "kill -9 in the middle of an import", "imports"

    def __init__(self, count=100):
        self.count = count

    def run(self, state, row):
        build()
        path = state.folder / "imports"
        shutil.rmtree(path, ignore_errors=True)
        killed, begin, before = None, time.monotonic(), row["seconds"]
        figures = row["more"].setdefault("figures", {})
        try:
            killed = KilledImport(path, state.seed, FILE_BYTES)
            while row["count"] < self.count:
                told = dict(killed.figures)
                killed.run(row["count"])
                for name, count in killed.figures.items():
                    figures[name] = figures.get(name, 0) + count - told.get(name, 0)
                row["count"] += 1
                row["seconds"] = before + time.monotonic() - begin
                row["outcome"] = "the same data each time; kills " + ", ".join(
                    f"{name} {count}" for name, count in sorted(figures.items()) if name != "imports")
                state.save()
            row["status"] = "done"
            shutil.rmtree(path)
        except AssertionError:
            row["status"], row["outcome"] = "failed", f"import {row['count']} of seed {state.seed}, kept in {path}"
            print(traceback.format_exc(), flush=True)
        finally:
            if killed:
                killed.end()
