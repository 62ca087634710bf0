"""The time limits of the tests' waits. A wait ends with its condition, so a busy machine only takes longer; the limit keeps a run
from hanging forever."""

import time

# The limit of one wait, in seconds. Commands that do many things get a multiple of it.
WAIT_SECONDS = 60


def until(condition, what="what was waited for"):
    """Waits until a condition holds; returns its first true value."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{WAIT_SECONDS} s over, and no sign of it: {what() if callable(what) else what}")
        time.sleep(0.01)
    return answer
