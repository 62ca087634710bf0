"""`kill -9` at random moments under load; every acknowledged write and account must be there afterwards, in order.

HEARTH_CRASHES sets the number of rounds of kills. From the fourth round on there are also snapshots, then a backup at the end;
`make torture` makes 10,000 kills. The seed is printed, and HEARTH_SEED sets it."""

import os
import random

import pytest
from kills.large import LargeFolder
from kills.life import KilledFolder
from kills.line import WriterOperations

CRASHES = int(os.environ.get("HEARTH_CRASHES", "3"))


def test_acknowledged_writes_survive_sigkill(tmp_path):
    seed = int(os.environ.get("HEARTH_SEED", random.randrange(1 << 30)))
    print("seed", seed)
    # With history, so that the log is also shortened.
    life = KilledFolder(tmp_path / "life", seed, 1)
    try:
        for index in range(CRASHES):
            life.kill(["load", "start", "load", "snapshot"][index % 4], waits=True)
        life.look_at_accounts()
        if CRASHES > 3:
            life.look_at_backup()
    finally:
        life.end()
    print(dict(life.figures), life.start_milliseconds)
    assert life.figures["writes"] > 0 and life.figures["while it starts"] > 0


def test_acknowledged_writes_of_a_database_larger_than_its_memory_survive_sigkill(tmp_path):
    seed = int(os.environ.get("HEARTH_SEED", random.randrange(1 << 30)))
    print("seed", seed)
    life = LargeFolder(tmp_path / "life", seed, 1, 48_000_000, "16M")
    try:
        for kind in ["load", "start", "load"]:
            life.kill(kind, waits=True)
    finally:
        life.end()
    assert life.figures["records"] > 0
    assert (life.server.data / "databases" / "default.pages").is_dir()


def sent(count, acknowledged):
    """Returns a writer's line with `count` operations, and the states after each of them."""
    line, numbers, states = WriterOperations("w"), random.Random(7), [{}]
    for _ in range(count):
        line.next(numbers, 5)
        states.append(dict(line.latest))
    for _ in range(acknowledged):
        line.acknowledge()
    return line, states


def test_the_check_finds_a_lost_a_torn_and_an_unstored_write():
    for stored in range(10, 21):
        line, states = sent(20, 10)
        line.settle(states[stored], states[stored])
        assert line.stored == states[stored] and line.acknowledged == 0
    line, states = sent(20, 10)
    with pytest.raises(AssertionError, match="no state from there on"):
        line.settle(states[9])
    line, states = sent(20, 10)
    index, operation = next((index, operation) for index, operation in enumerate(line.sent[10:], 11)
                            if operation.kind == "update")
    torn = states[index - 1] | {"n": operation.value["n"]}
    with pytest.raises(AssertionError, match="no state from there on"):
        line.settle(torn)
    line, states = sent(20, 10)
    with pytest.raises(AssertionError, match="a listener heard of operation 14, and 12 are stored"):
        line.settle(states[12], states[14])
    line, states = sent(20, 10)
    with pytest.raises(AssertionError, match="never was"):
        line.settle(states[12], states[12] | {"k9": "other"})
