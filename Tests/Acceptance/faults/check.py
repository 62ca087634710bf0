"""Compares what clients did and saw with the log.

The log is the order of all commits, so no search is needed: every write has a position in it or is absent, and every read and every
frame of a listener shows a state between two positions."""

import collections
import dataclasses
import math

from faults.history import ACKNOWLEDGED, ANYTHING, REFUSED, STALE
from faults.listening import follow


@dataclasses.dataclass(frozen=True)
class Finding:
    """A violation. `kind` is one of a few fixed words, `text` describes the case."""

    kind: str
    text: str


def check(history, truth):
    """Returns all findings of a lap."""
    told = []
    findings = check_writes(history, truth)
    for listen in history.listens:
        heard, found = follow(listen, truth)
        told += heard
        findings += [Finding(kind, f"{listen.name}: {text}") for kind, text in found]
    return findings + check_order(history, truth, told) + check_connections(history, truth) + check_ends(history, truth)


def positions(truth):
    """Returns the positions at which each value was written: {(place, value): [position]}."""
    found = collections.defaultdict(list)
    for place, versions in truth.versions.items():
        for position, value in versions:
            if isinstance(value, str):
                found[place, value].append(position)
    return found


def check_writes(history, truth):
    """Checks that acknowledged writes are in the log once, that refused writes are not, and that the log has no other writes; that
    a compared write replaced the value it compared with, and that each counted write was counted once."""
    findings, there = [], positions(truth)
    for write in history.writes:
        count = len(there.get((write.place, write.value), []))
        if write.outcome == ACKNOWLEDGED and count == 0:
            findings.append(Finding("lost", f"{write} was acknowledged and is not in the log"))
        if write.outcome == REFUSED and count > 0:
            findings.append(Finding("refused", f"{write} was refused and is in the log"))
        if count > 1:
            findings.append(Finding("twice", f"{write} is in the log {count} times"))
    written = {(write.place, write.value): write for write in history.writes}
    total = 0
    for position, changes in truth.commits:
        counted = 0
        for place, value in changes.items():
            if not isinstance(value, str):
                continue
            write = written.get((place, value))
            if write is None:
                findings.append(Finding("nowhere", f"{value} at {place}, position {position}, was written by nobody"))
                continue
            counted += write.is_counted
            before = truth.at(place, position - 1)
            if write.found is not ANYTHING and before != write.found:
                findings.append(Finding("compare", f"{write} was made where {before} was"))
        if changes.get("total", total) != total + counted:
            findings.append(Finding("count", f"the total became {changes.get('total', total)} at position {position} "
                                             f"and was to be {total + counted}"))
        total = changes.get("total", total)
    return findings


@dataclasses.dataclass(frozen=True)
class Span:
    """An operation, and the range of positions at which it may have taken effect: from `first` on, and before `end`. Positions that
    the log reached before the operation began lie before `end`, too."""

    start: float
    stop: float
    first: int
    end: float
    text: object
    # The value that a refused comparison expected.
    wanted: object = None


def check_order(history, truth, told):
    """Checks that the order of the log agrees with real time, for writes and for reads of the newest state: an operation that began
    after another one had ended, or after a listener had received its effect, is not before that one in the log.

    Each operation is assigned the first position at which it may have taken effect; when that is too late, no other choice is valid
    either."""
    findings, there = [], positions(truth)
    spans = []
    for write in history.writes:
        landed = there.get((write.place, write.value))
        if landed:
            spans.append(Span(write.start, write.end if write.outcome == ACKNOWLEDGED else math.inf,
                              landed[0], landed[0], write))
        elif write.outcome == REFUSED and write.status in STALE:
            held = _held(truth, there, write.place, write.found)
            if held:
                spans.append(Span(write.start, write.end, 0, math.inf, write, held))
    for read in history.reads:
        held = _held(truth, there, read.place, read.value)
        if held is None:
            findings.append(Finding("nowhere", f"{read} saw what was never there"))
        else:
            spans.append(Span(read.start, read.end, *held, read))
    # The time at which the next version of a place began to be written; until then the place surely has the version before.
    begun = {(write.place, write.value): write.start for write in history.writes}
    moments = [(span.start, 0, index) for index, span in enumerate(spans)]
    moments += [(span.stop, 1, index) for index, span in enumerate(spans) if span.stop < math.inf]
    moments += [(each.time, 2, each.position) for each in told]
    placed, floor = [0] * len(spans), 0
    for _, kind, what in sorted(moments):
        if kind == 2:
            floor = max(floor, what)
        elif kind == 1:
            floor = max(floor, placed[what])
        else:
            span = spans[what]
            placed[what] = max(span.first, floor)
            if floor >= span.end:
                findings.append(Finding("order", f"{span.text} is before position {span.end}, and position {floor} was "
                                                 "known when it began"))
            if span.wanted and span.wanted[0] <= floor:
                following = _next(truth, span.text.place, span.wanted[0])
                if following is None or begun.get((span.text.place, following), -math.inf) > span.stop:
                    findings.append(Finding("compare", f"{span.text} was refused where nothing else was"))
    return findings


def _held(truth, there, place, value):
    """Returns the range of positions during which a place had a value; None when it never had it."""
    versions = truth.versions.get(place, [])
    if value is None:
        return (0, versions[0][0] if versions else math.inf)
    found = there.get((place, value))
    if not found:
        return None
    return (found[0], next((position for position, _ in versions if position > found[0]), math.inf))


def _next(truth, place, position):
    return next((value for at, value in truth.versions.get(place, []) if at > position), None)


def check_connections(history, truth):
    """Checks that the writes of one connection are in the log in the order in which they were sent. The last unanswered ones may be
    absent, but none that precedes a write in the log."""
    findings, there = [], positions(truth)
    last, missing = {}, {}
    for write in history.writes:
        if write.session is None or write.outcome == REFUSED:
            continue
        landed = there.get((write.place, write.value))
        if not landed:
            # A compared write may have been refused because it found another value.
            if write.found is ANYTHING:
                missing.setdefault(write.session, write)
            continue
        if write.session in missing:
            findings.append(Finding("skipped", f"{write} is there, and {missing[write.session]} before it is not"))
        if landed[0] < last.get(write.session, 0):
            findings.append(Finding("order", f"{write} is before what its connection wrote at {last[write.session]}"))
        last[write.session] = max(last.get(write.session, 0), landed[0])
    return findings


def check_ends(history, truth):
    """Checks that an acknowledged `onDisconnect` operation is made once, and after all writes of its connection."""
    findings, there = [], positions(truth)
    fired = {}
    for session in history.sessions:
        ends = truth.versions.get(f"ends/{session.name}", [])
        if len(ends) > 1 or any(value != 1 for _, value in ends):
            findings.append(Finding("ends", f"{session}: its end was done {len(ends)} times: {ends}"))
        if ends:
            fired[session.name] = ends[0][0]
            if session.end == math.inf:
                findings.append(Finding("ends", f"{session}: it lives, and its end was done"))
        elif session.armed == ACKNOWLEDGED and session.end < math.inf:
            findings.append(Finding("ends", f"{session}: its end was not done"))
    for write in history.writes:
        landed = there.get((write.place, write.value))
        if landed and landed[0] > fired.get(write.session, math.inf):
            findings.append(Finding("ends", f"{write} is behind the end of its connection at {fired[write.session]}"))
    return findings
