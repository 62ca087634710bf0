"""What clients did and saw in one lap, with times of one monotonic clock.

Places are paths relative to the lap's own path, without a leading slash. All written values differ, so that a read value identifies
its write."""

import dataclasses
import math

ACKNOWLEDGED, REFUSED, UNKNOWN = "acknowledged", "refused", "unknown"
# The status of a compared write that found another value.
STALE = ("datastale", "412")
# Marks a write that compares nothing.
ANYTHING = object()


@dataclasses.dataclass
class Write:
    """A write. Its outcome is unknown until the server has answered."""

    place: str
    value: str
    start: float
    end: float = math.inf
    outcome: str = UNKNOWN
    # The server's error message, for the report.
    status: str = ""
    # The connection that sent the write.
    session: str = None
    # The value that the write compares with.
    found: object = ANYTHING
    # True when the same commit also increments the lap's total.
    is_counted: bool = False


@dataclasses.dataclass
class Read:
    """An answered read that must see the newest state."""

    place: str
    value: object
    start: float
    end: float


@dataclasses.dataclass
class Frame:
    """What a listener received: a value at a place, several children of one place, or the cancel of the listen."""

    time: float
    place: str = ""
    value: object = None
    is_merge: bool = False
    is_cut: bool = False


@dataclasses.dataclass
class Listen:
    """One listen from its start. The data that arrives before its answer is the first frame."""

    name: str
    place: str
    frames: list = dataclasses.field(default_factory=list)
    # The place of the membership by which the rules allow the listen; None when no membership is needed.
    member: str = None
    # True when the listen was active after the last write and had received everything.
    is_whole: bool = False


@dataclasses.dataclass
class Session:
    """One connection, whose `onDisconnect` operation increments `ends/NAME`."""

    name: str
    node: str
    start: float
    # The outcome of the `onDisconnect` request.
    armed: str = UNKNOWN
    end: float = math.inf
    # True when the server, or the network, ended the connection.
    is_lost: bool = False


class History:
    """All records of one lap. Each client appends its own records."""

    def __init__(self):
        self.writes, self.reads, self.listens, self.sessions = [], [], [], []

    def acknowledgements(self):
        """Returns the times at which writes were acknowledged, in order."""
        return sorted(write.end for write in self.writes if write.outcome == ACKNOWLEDGED)
