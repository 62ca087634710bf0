"""Checks that a listener received everything in the log, in the log's order, and nothing that the rules deny."""

import dataclasses
import math

from kills.line import put


@dataclasses.dataclass(frozen=True)
class ReceivedPosition:
    """The time at which a listener received a position."""

    time: float
    position: int


def follow(listen, truth):
    """Returns the positions that the listener received, [`ReceivedPosition`], and the findings, [(kind, text)]."""
    steps = truth.below(listen.place)
    told, findings = [], []
    if not listen.frames:
        return told, findings
    first, *rest = listen.frames
    if first.is_cut:
        return told, findings
    state = {}
    _apply(state, first)
    index = _index(state, steps)
    if index is None:
        return told, [("nowhere", f"it began with a state that never was: {state}")]
    low, high = _span(steps, index)
    told.append(ReceivedPosition(first.time, low))
    if listen.member and not _may_read(truth, listen.member, low, high):
        findings.append(("cut", f"it began with {state}, positions {low} to {high}, and may not see them"))
    for number, frame in enumerate(rest):
        if frame.is_cut:
            if not (listen.member and _is_cut(truth, listen.member, low, high)):
                findings.append(("gap", f"it was cut behind position {low}, and next is {high}, which it may see"))
            if number + 1 < len(rest):
                findings.append(("cut", f"it was told more after its end: {rest[number + 1]}"))
            return told, findings
        before = dict(state)
        _apply(state, frame)
        changes = {place: state.get(place) for place in {*before, *state} if before.get(place) != state.get(place)}
        found = next((at for at in range(index, len(steps)) if steps[at][1] == changes), None)
        if found is None:
            found = next((at for at in range(index) if steps[at][1] == changes), None)
            if not changes:
                findings.append(("repeated", f"{frame} says again what it knew"))
            elif found is None:
                findings.append(("nowhere", f"{frame} is of no commit"))
            else:
                findings.append(("back", f"{frame} is of position {steps[found][0]}, and it was at {low}"))
            continue
        if found > index:
            findings.append(("gap", f"{frame} is of position {steps[found][0]}, and it was not told of {high}"))
        if listen.member and _is_past(truth, listen.member, low if number else None, steps[found][0]):
            findings.append(("cut", f"{frame} is of position {steps[found][0]}, which is past a cut"))
        index = found + 1
        low, high = _span(steps, index)
        told.append(ReceivedPosition(frame.time, low))
    if listen.is_whole and index < len(steps):
        findings.append(("gap", f"it stayed to the end, and was not told of {steps[index]}"))
    return told, findings


def _apply(state, frame):
    for member, value in frame.value.items() if frame.is_merge else [("", frame.value)]:
        put(state, f"{frame.place}/{member}" if member else frame.place, value)


def _index(state, steps):
    """Returns the number of steps that lead to a state."""
    known = {}
    for index in range(len(steps) + 1):
        if index > 0:
            for place, value in steps[index - 1][1].items():
                known.pop(place, None)
                if value is not None:
                    known[place] = value
        if known == state:
            return index
    return None


def _span(steps, index):
    """Returns the range of positions between the step at `index` and the one after it."""
    return (steps[index - 1][0] if index else 0, steps[index][0] if index < len(steps) else math.inf)


def _may_read(truth, member, low, high):
    """Returns True when the rules allowed the listen at any position of a range."""
    return truth.at(member, low) is not None or any(
        value is not None and low <= position < high for position, value in truth.versions.get(member, []))


def _is_cut(truth, member, low, high):
    """Returns True when the permission ended after a position and before the next frame's position."""
    return any(value is None and low < position <= high for position, value in truth.versions.get(member, []))


def _is_past(truth, member, low, position):
    """Returns True when a frame lies after a cut. `low` is the position of the frame before; None for the first frame, whose
    predecessor may have any earlier position."""
    if truth.at(member, position) is None:
        return True
    return low is not None and any(
        value is None and low < at < position for at, value in truth.versions.get(member, []))
