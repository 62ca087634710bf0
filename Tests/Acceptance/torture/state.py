"""The progress of the runs, in a file that is replaced atomically."""

import fcntl
import json
import os


class State:
    """`seed` is the seed of the kills; `rows` has the progress of each row by name: `status` (going, done, failed), `count`,
    `seconds`, `outcome`, and the row's own values in `more`. Only one run at a time may use a folder; others may read it
    meanwhile."""

    def __init__(self, folder, seed=None, is_looking=False):
        self.folder = folder
        self.file = folder / "state.json"
        folder.mkdir(parents=True, exist_ok=True)
        if not is_looking:
            self.lock = (folder / "lock").open("w")
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SystemExit(f"Another run has {folder}.") from None
        if self.file.exists():
            known = json.loads(self.file.read_text(encoding="utf-8"))
            self.seed, self.rows = known["seed"], known["rows"]
            if seed not in (None, self.seed):
                raise SystemExit(f"{self.file} has the seed {self.seed}; remove {folder} to begin anew with another.")
        else:
            self.seed, self.rows = int.from_bytes(os.urandom(4)) if seed is None else seed, {}
            self.save()

    def row(self, name):
        return self.rows.setdefault(name, {"status": "going", "count": 0, "seconds": 0, "outcome": "", "more": {}})

    def save(self):
        new = self.file.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            json.dump({"seed": self.seed, "rows": self.rows}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.file)
