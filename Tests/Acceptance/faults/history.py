"""What clients did and saw in one lap, with times of one clock that never goes back.

Places are paths below the lap's own path, without a slash before them. Every value that is written is another one, so that
whoever reads one knows which write it is of.
"""

import dataclasses
import math

ACKNOWLEDGED, REFUSED, UNKNOWN = "acknowledged", "refused", "unknown"
# What the server says to one that compares, and finds something else.
STALE = ("datastale", "412")
# A write that compares nothing.
ANYTHING = object()


@dataclasses.dataclass
class Write:
    """Nobody knows what became of it unless somebody said so."""

    place: str
    value: str
    start: float
    end: float = math.inf
    outcome: str = UNKNOWN
    # What the server said, for people.
    status: str = ""
    # The connection that it was made in.
    session: str = None
    # What had to be there before it.
    found: object = ANYTHING
    # Whether it adds one to the lap's total in the same commit.
    is_counted: bool = False


@dataclasses.dataclass
class Read:
    """A read that has to see the newest state: one that was answered."""

    place: str
    value: object
    start: float
    end: float


@dataclasses.dataclass
class Frame:
    """What a listener was told: a value at a place, or several members of one; or that it is told no more."""

    time: float
    place: str = ""
    value: object = None
    is_merge: bool = False
    is_cut: bool = False


@dataclasses.dataclass
class Listen:
    """One listen from its beginning on. What came before its answer is the first frame."""

    name: str
    place: str
    frames: list = dataclasses.field(default_factory=list)
    # Whoever reads there has to be a member: the place that says so.
    member: str = None
    # It was there when everything was written, and knew all of it.
    is_whole: bool = False


@dataclasses.dataclass
class Session:
    """One connection. At its end one is to be added at `ends/NAME`."""

    name: str
    node: str
    start: float
    # What became of asking for that.
    armed: str = UNKNOWN
    end: float = math.inf
    # Whether the server, or something between, ended it.
    is_lost: bool = False


class History:
    """Everything of one lap. Clients append to it, each its own records."""

    def __init__(self):
        self.writes, self.reads, self.listens, self.sessions = [], [], [], []

    def acknowledgements(self):
        """When writes were acknowledged, in order."""
        return sorted(write.end for write in self.writes if write.outcome == ACKNOWLEDGED)
