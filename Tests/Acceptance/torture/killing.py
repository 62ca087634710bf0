"""The row of kills: many data folders, each with some hundred kills of its server."""

import collections
import os
import shutil
import subprocess
import time
import traceback

from conftest import HEARTH, ROOT
from kills.large import LargeFolder
from kills.life import KilledFolder

FOLDER_KILLS = 300
DEEP_LOOK_EVERY = 100
SAVE_EVERY = 10
FAILURES_MAX = 20
START_KINDS_MILLISECONDS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400]


def build():
    """Makes the release build of this source, unless the environment names another program to kill."""
    if HEARTH == str(ROOT / ".build/release/hearth"):
        subprocess.run(["make", "--no-print-directory", "build"], cwd=ROOT, check=True)


class Kills:
    """Resumes with a new folder after an interruption. A folder with a failure is kept, the failure is recorded in `failures` of
    the state, and the next kill uses another folder."""

    name, unit = "kill -9 under load", "kills"
    # Of the names of folders.
    prefix = ""

    folder_kills = FOLDER_KILLS

    def __init__(self, count):
        self.count, self.only_folder = count, None

    def make(self, path, seed, number):
        """Returns a new folder to kill servers of."""
        return KilledFolder(path, seed, number)

    def run(self, state, row):
        build()
        more = row["more"]
        more.setdefault("folder", 0)
        more.setdefault("failures", [])
        figures = more["figures"] = collections.Counter(more.get("figures", {}))
        starts = more["starts"] = collections.Counter(more.get("starts", {}))
        while row["count"] < self.count and len(more["failures"]) < FAILURES_MAX:
            number = more["folder"] if self.only_folder is None else self.only_folder
            more["folder"] += 1
            state.save()
            self._one_folder(state, row, number, figures, starts)
            if self.only_folder is not None:
                break
        row["status"] = "failed" if more["failures"] else "done" if row["count"] >= self.count else "going"

    def _one_folder(self, state, row, number, figures, starts):
        path = state.folder / "folders" / f"{self.prefix}{number}"
        shutil.rmtree(path, ignore_errors=True)
        life, begin, before = None, time.monotonic(), row["seconds"]
        told, starts_told = collections.Counter(), 0

        def note():
            """Adds the results of the folder since the last call."""
            nonlocal starts_told
            life.figures["accounts"] = len(life.accounts)
            news = collections.Counter(life.figures)
            news.subtract(told)
            figures.update(news)
            told.update(news)
            row["count"], row["seconds"] = figures["kills"], before + time.monotonic() - begin
            for milliseconds in life.start_milliseconds[starts_told:]:
                starts[str(next((kind for kind in START_KINDS_MILLISECONDS if milliseconds <= kind), "more"))] += 1
                more = row["more"]
                more["slowest"] = max(more.get("slowest", 0), round(milliseconds))
            starts_told = len(life.start_milliseconds)
            row["outcome"] = self._outcome(row["more"])
            state.save()

        try:
            life = self.make(path, state.seed, number)
            looks = 0
            while life.figures["kills"] < self.folder_kills and row["count"] < self.count:
                life.kill()
                if life.kills % SAVE_EVERY == 0:
                    note()
                if life.figures["kills"] // DEEP_LOOK_EVERY > looks:
                    looks = life.figures["kills"] // DEEP_LOOK_EVERY
                    life.look_deep()
            life.end()
            note()
            print(f"{row['count']:,} kills; {row['outcome']}", flush=True)
            shutil.rmtree(path)
        except KeyboardInterrupt:
            if life:
                life.end()
                note()
            raise
        except Exception:
            told_by = traceback.format_exc()
            kept = state.folder / "failures" / f"{self.prefix}{state.seed}-{number}"
            if life:
                life.end()
                note()
            kept.parent.mkdir(exist_ok=True)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.move(path, kept)
            (kept / "why.txt").write_text(told_by, encoding="utf-8")
            row["more"]["failures"].append(
                {"folder": number, "kill": life.kills if life else 0, "why": told_by[-2_000:]})
            row["outcome"] = self._outcome(row["more"])
            print(f"seed {state.seed}, folder {number}, kill {life.kills if life else 0}:\n{told_by}kept: {kept}", flush=True)
            state.save()

    @staticmethod
    def _outcome(more):
        figures, starts = more["figures"], more["starts"]
        parts = [f"{figures['writes']:,} acknowledged writes and {figures['accounts']:,} accounts, none lost"]
        if more["failures"]:
            parts = [f"{len(more['failures'])} folders with something wrong, the first at seed and folder "
                     f"{more['failures'][0]['folder']}"]
        parts += [f"{figures[name]:,} {name}" for name in
                  ("while it starts", "in a snapshot", "before its log is removed", "records", "deep looks") if figures[name]]
        half, seen = sum(starts.values()) / 2, 0
        for kind in [*map(str, START_KINDS_MILLISECONDS), "more"]:
            seen += starts[kind]
            if seen >= half > 0:
                parts.append(f"starts: half within {kind} ms, the slowest {more.get('slowest', 0)} ms")
                break
        return "; ".join(parts)


class LargeKills(Kills):
    """Kills of a server whose database is far larger than the memory for its pages. One folder is used for all, because filling it
    takes minutes; HEARTH_LARGE_MB sets its size."""

    name, prefix, folder_kills = "kill -9, larger than memory", "large-", 1_000

    def make(self, path, seed, number):
        return LargeFolder(path, seed, number, int(os.environ.get("HEARTH_LARGE_MB", "2000")) * 1_000_000, "64M")
