"""Kills, freezes, restarts and drains nodes of a cluster under load, and compares everything that clients did and saw with the log.
Other tests plant errors in recorded histories, and the comparison must find each of them."""

import random

import pytest

from cluster_nodes import Cluster
from faults.check import check
from faults.history import ACKNOWLEDGED, REFUSED, Frame, History, Listen, Read, Session, Write
from faults.lap import RULES, Lap
from faults.nodes import Drain, Freeze, Kill, Node, Restart, ShortFreeze
from faults.truth import Truth
from postgres import PROGRAMS, WHY_NOT

SEED = 1


class RecordedHistory:
    """A correct history, of a log with one position for each second."""

    def __init__(self):
        self.history = History()
        self.commits = {
            1: {"members/u": "in"}, 2: {"registers/r0": "a"}, 3: {"registers/r1": "b", "total": 1}, 4: {"rooms/u": "w"},
            5: {"registers/r0": "c"}, 6: {"members/u": None}, 7: {"rooms/u": "secret"}, 8: {"registers/r1": "d"},
            9: {"ends/s": 1}}
        self.writes = {
            value: Write(place, value, position - 0.5, position + 0.5, ACKNOWLEDGED, session="s")
            for position, changes in self.commits.items() for place, value in changes.items() if isinstance(value, str)}
        self.writes["b"].is_counted = True
        self.writes["c"].found = "a"
        self.writes["c"].status = "ok"
        # A write that was acknowledged late, and one of unknown outcome.
        self.writes["x"] = Write("registers/r0", "x", 5.6, 5.7, REFUSED, "datastale", "s", found="a")
        self.writes["y"] = Write("registers/r1", "y", 5.8, session="t")
        self.history.writes = list(self.writes.values())
        self.reads = [Read("registers/r0", "a", 2.6, 4.9), Read("registers/r0", "c", 5.6, 6), Read("registers/r1", "b", 6, 7)]
        self.history.reads = self.reads
        self.all = Listen("all", "registers", [
            Frame(2.7, "registers", {"r0": "a"}), Frame(3.2, "registers/r1", "b"),
            Frame(5.4, "registers", {"r0": "c"}, is_merge=True), Frame(8.6, "registers/r1", "d")], is_whole=True)
        self.room = Listen(
            "room", "rooms/u", [Frame(3, "rooms/u"), Frame(4.1, "rooms/u", "w"), Frame(6.2, is_cut=True)], member="members/u")
        self.history.listens = [self.all, self.room]
        self.session = Session("s", "a", 0, ACKNOWLEDGED, 8.9)
        self.history.sessions = [self.session]

    def findings(self):
        return check(self.history, Truth(sorted(self.commits.items())))


def lose(made):
    del made.commits[8]


def write_twice(made):
    made.commits[10] = {"registers/r0": "c"}


def keep_what_was_refused(made):
    made.commits[8] = {"registers/r0": "x"}


def write_from_nowhere(made):
    made.commits[10] = {"registers/r0": "z"}


def lose_an_update(made):
    made.writes["c"].found = None


def count_twice(made):
    made.commits[3]["total"] = 2


def count_an_unknown_one_again(made):
    made.commits[10] = {"total": 2}


def read_what_is_old(made):
    made.reads[1].value = "a"


def read_what_is_old_elsewhere(made):
    # Each place on its own is in order.
    made.reads[:] = [Read("registers/r1", "b", 3.6, 3.7), Read("registers/r0", None, 3.8, 3.9)]


def read_what_a_listener_knew_before(made):
    made.all.frames[2].time = 5.1
    made.reads[:] = [Read("registers/r0", "a", 5.2, 5.3)]


def go_back(made):
    made.reads[:] = [Read("registers/r0", "c", 4.6, 4.7), Read("registers/r0", "a", 4.8, 4.9)]


def write_in_another_order(made):
    made.writes["d"].start, made.writes["d"].end = 0.1, 0.2
    made.reads[:] = []


def read_what_never_was(made):
    made.reads[0].value = "q"


def refuse_without_a_reason(made):
    made.history.writes.append(Write("registers/r1", "v", 8.7, 8.8, REFUSED, "datastale", "s", found="d"))


def swap_two_frames(made):
    made.all.frames[1:3] = made.all.frames[2:0:-1]


def repeat_a_frame(made):
    made.all.frames.insert(2, made.all.frames[1])


def leave_a_frame_out(made):
    del made.all.frames[2]


def leave_the_last_frame_out(made):
    del made.all.frames[3]


def tell_of_a_write_that_is_not_there(made):
    made.all.frames.insert(2, Frame(4, "registers/r1", "y"))


def begin_with_half_a_state(made):
    made.all.frames[0] = Frame(8.7, "registers", {"r0": "a", "r1": "d"})
    del made.all.frames[1:]


def tell_past_a_cut(made):
    made.room.frames[2] = Frame(7.2, "rooms/u", "secret")


def tell_after_a_cut(made):
    made.room.frames.append(Frame(7.2, "rooms/u", "secret"))


def begin_past_a_cut(made):
    made.room.frames[:] = [Frame(7.2, "rooms/u", "secret")]


def go_on_past_a_cut(made):
    # The permission was granted again, and the listener received no cancel in between.
    made.commits.update({6.5: {"members/u": "again"}, 7: {"rooms/u": "secret"}})
    made.history.writes.append(Write("members/u", "again", 6.1, 6.9, ACKNOWLEDGED, session="s"))
    made.room.frames[2] = Frame(7.2, "rooms/u", "secret")


def cut_without_a_reason(made):
    made.room.frames.pop(1)
    made.commits[4.5] = made.commits.pop(6)


def skip_a_write(made):
    made.writes["y"].session = "s"
    made.history.writes.sort(key=lambda write: write.start)


def swap_two_writes(made):
    made.history.writes[0:2] = made.history.writes[1::-1]


def end_twice(made):
    made.commits[10] = {"ends/s": 2}


def never_end(made):
    del made.commits[9]


def end_what_lives(made):
    made.session.end = float("inf")


def write_after_the_end(made):
    made.commits[4.2] = made.commits.pop(9)


PLANTED = {
    lose: "lost", write_twice: "twice", keep_what_was_refused: "refused", write_from_nowhere: "nowhere",
    lose_an_update: "compare", count_twice: "count", count_an_unknown_one_again: "count", read_what_is_old: "order",
    read_what_is_old_elsewhere: "order", read_what_a_listener_knew_before: "order", go_back: "order",
    write_in_another_order: "order", read_what_never_was: "nowhere", refuse_without_a_reason: "compare",
    swap_two_frames: "back", repeat_a_frame: "repeated", leave_a_frame_out: "gap", leave_the_last_frame_out: "gap",
    tell_of_a_write_that_is_not_there: "nowhere", begin_with_half_a_state: "nowhere", tell_past_a_cut: "cut",
    tell_after_a_cut: "cut", begin_past_a_cut: "cut", go_on_past_a_cut: "cut", cut_without_a_reason: "gap",
    skip_a_write: "skipped", swap_two_writes: "order", end_twice: "ends", never_end: "ends", end_what_lives: "ends", write_after_the_end: "ends"}


def test_the_check_passes_a_correct_history():
    assert RecordedHistory().findings() == []


def test_the_check_allows_writes_of_unknown_outcome_to_be_present_or_absent():
    made = RecordedHistory()
    made.commits[5.9] = {"registers/r1": "y"}
    made.all.frames.insert(3, Frame(5.95, "registers/r1", "y"))
    made.reads[2].value = "y"
    assert made.findings() == []


@pytest.mark.parametrize("plant, kind", PLANTED.items(), ids=[plant.__name__ for plant in PLANTED])
def test_the_check_finds_each_kind_of_error(plant, kind):
    made = RecordedHistory()
    plant(made)
    kinds = {finding.kind for finding in made.findings()}
    assert kind in kinds, kinds


@pytest.mark.skipif(PROGRAMS is None, reason=WHY_NOT)
def test_a_cluster_under_faults_agrees_with_its_log(tmp_path):
    cluster = Cluster(tmp_path, "--history", "1d", "--history-who", rules=RULES)
    try:
        cluster.start()
        secret = cluster["a"].secret()
        nodes = {name: Node(name, server, secret) for name, server in cluster.nodes.items()}
        lap = Lap(nodes, 1, SEED, {name: cluster["a"].token(name) for name in nodes})
        numbers = random.Random(SEED)

        def owner():
            return nodes[cluster.owner("a")]

        def other():
            owning = owner()
            return numbers.choice([node for node in nodes.values() if node is not owning])

        lap.start()
        # Freezes shorter and longer than a lease, of the owner and of a follower.
        for fault, node, seconds in [
                (ShortFreeze, owner, 2), (Kill, owner, 7), (Restart, other, 0), (Freeze, other, 8), (Drain, owner, 0)]:
            lap.meet(fault(node()), seconds)
        assert not lap.end(), "\n".join(f"{finding.kind}: {finding.text}" for finding in lap.findings[:10])
        figures = lap.figures()
        assert all(figures[what] for what in ("acknowledged", "reads", "frames", "cuts", "lost sessions")), figures
    finally:
        cluster.remove()
