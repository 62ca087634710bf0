"""Reads the journal of a database whose server was killed."""

import contextlib
import dataclasses
import sqlite3

# A snapshot is due after this many bytes of log, or after as many bytes as the last snapshot has.
SNAPSHOT_INTERVAL_BYTES = 16 << 20


@dataclasses.dataclass
class JournalState:
    """Whether a snapshot was being written, whether the log that it replaces was still there, and the bytes of log until the next
    snapshot."""

    is_in_snapshot: bool
    is_before_prune: bool
    bytes_to_snapshot: int
    last_snapshot: int


def look(file):
    """Reads the file without changing the folder."""
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT position, size_bytes, is_complete FROM snapshot ORDER BY id").fetchall()
        complete = [(position, size) for position, size, is_complete in rows if is_complete]
        position, size = complete[-1] if complete else (0, 0)
        (behind,) = database.execute(
            "SELECT coalesce(sum(size_bytes), 0) FROM batch WHERE last_position > ?", (position,)).fetchone()
        (covered,) = database.execute("SELECT count(*) FROM batch WHERE last_position <= ?", (position,)).fetchone()
    return JournalState(
        is_in_snapshot=len(complete) < len(rows), is_before_prune=len(complete) > 0 and covered > 0,
        bytes_to_snapshot=max(0, max(SNAPSHOT_INTERVAL_BYTES, size) - behind), last_snapshot=position)
