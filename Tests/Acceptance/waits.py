"""How long tests wait. Nothing here needs to be quick: a wait ends with what it waits for, and a machine that is busy
with other things takes its time. The bound only keeps a run from hanging for ever."""

import time

# Of one wait. Commands that do many things get a multiple of it.
WAIT_SECONDS = 60


def until(condition, what="what was waited for"):
    """Waits for something that becomes true by itself; returns the first true answer."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{WAIT_SECONDS} s over, and no sign of it: {what() if callable(what) else what}")
        time.sleep(0.01)
    return answer
