"""The operations of one writer on a place of its own, and the states of that place that a crash may leave."""

import dataclasses

# The data below a place: {path: scalar}, with paths relative to the place. Equal dictionaries are equal states.
State = dict


def put(state, path, value):
    """Sets the value at a path of a state; null and empty objects remove it."""
    for known in [known for known in state if known == path or known.startswith(path + "/")]:
        del state[known]
    for leaf, scalar in flat(value).items():
        state[f"{path}/{leaf}" if leaf else path] = scalar


def flat(value, path=""):
    """Returns the state that a JSON value stands for."""
    if isinstance(value, dict):
        return {leaf: scalar for key, child in value.items()
                for leaf, scalar in flat(child, f"{path}/{key}" if path else key).items()}
    return {} if value is None else {path: value}


@dataclasses.dataclass
class Operation:
    """One write: its request, and its effect."""

    kind: str
    path: str
    value: object
    # The values that it sets, in order: [(path, value)].
    puts: list
    # The amount by which it increments the number that all writers share.
    shared: int = 0
    # The state that a transaction compares with.
    found: object = None
    size_bytes: int = 0


class WriterOperations:
    """The operations of one writer, in the order in which they are sent. All its states differ, except when a value that was set is
    removed again."""

    def __init__(self, name):
        self.name = name
        self.stored = {}
        self.number = 0
        self.begin()

    def begin(self):
        """Begins at the stored state, with no operations in flight."""
        self.latest, self.sent, self.acknowledged, self.acknowledged_bytes = dict(self.stored), [], 0, 0

    def next(self, numbers, size_bytes):
        """Returns the next operation, which counts as sent from now on."""
        self.number += 1
        operation = self._any(numbers, self.number, f"{self.number}:" + "x" * size_bytes)
        operation.size_bytes = sum(
            len(text) for _, value in operation.puts for text in flat(value).values() if isinstance(text, str))
        for path, value in operation.puts:
            put(self.latest, path, value)
        self.sent.append(operation)
        return operation

    def _any(self, numbers, number, text):
        kind = numbers.choice(["set", "set", "branch", "update", "update", "remove", "transaction", "increment", "shared"])
        leaf, branch = f"k{numbers.randrange(12)}", f"b{numbers.randrange(3)}"
        if kind == "branch":
            value = {"x": number, "y": {"z": text}}
            return Operation("set", branch, value, [(branch, value)])
        if kind == "update":
            members = {"n": number, leaf: text, f"{branch}/x": number, f"{branch}/gone": None}
            return Operation("update", "", members, list(members.items()))
        there = sorted({path.split("/")[0] for path in self.latest if path[0] in "kb"})
        if kind == "remove" and there:
            path = numbers.choice(there)
            return Operation("remove", path, None, [(path, None)])
        if kind == "transaction":
            return Operation(kind, "t", number, [("t", number)], found=self.latest.get("t"))
        if kind == "increment":
            return Operation(kind, "i", None, [("i", self.latest.get("i", 0) + 1)])
        if kind == "shared":
            return Operation(kind, "n", number, [("n", number)], shared=1)
        return Operation("set", leaf, text, [(leaf, text)])

    def acknowledge(self):
        """Marks the oldest unanswered operation as acknowledged."""
        self.acknowledged_bytes += self.sent[self.acknowledged].size_bytes
        self.acknowledged += 1

    def settle(self, stored, announced=None):
        """Accepts the state after a crash: all acknowledged operations and, after them, any number of the sent ones, in order and
        each complete. An operation that a listener received must be included.

        - stored: the state that was found.
        - announced: the last state that a listener received; None when there was none.
        Returns the amount that the found operations have added to the shared number.
        """
        state, found, heard, shared, found_shared = dict(self.stored), None, None, 0, 0
        for index in range(len(self.sent) + 1):
            if index > 0:
                operation = self.sent[index - 1]
                shared += operation.shared
                for path, value in operation.puts:
                    put(state, path, value)
            if heard is None and state == announced:
                heard = index
            if index >= self.acknowledged and state == stored:
                found, found_shared = index, shared
        where = f"{self.name}: {self.acknowledged} of {len(self.sent)} operations were acknowledged"
        assert found is not None, f"{where}, and what is stored is no state from there on: {self._differences(stored)}"
        if announced is not None:
            assert heard is not None, f"{where}, and a listener saw a state that never was"
            assert heard <= found, f"{where}; a listener heard of operation {heard}, and {found} are stored"
        self.stored = stored
        self.begin()
        return found_shared

    def _differences(self, stored):
        """Returns the places at which the stored state differs from the last acknowledged one."""
        state = dict(self.stored)
        for operation in self.sent[:self.acknowledged]:
            for path, value in operation.puts:
                put(state, path, value)
        places = [path for path in sorted({*state, *stored}) if state.get(path) != stored.get(path)]
        return [(path, str(state.get(path))[:20], str(stored.get(path))[:20]) for path in places[:8]]
