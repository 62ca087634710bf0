"""The log of one lap: its commits in order, as the server reads them from the log."""

import bisect
import json

from kills.line import flat


class Truth:
    """`commits` are [(position, {place: value})] in order: the values that each commit set, None for a removed one."""

    def __init__(self, commits):
        self.commits = commits
        # By place: [(position, value)] in order.
        self.versions = {}
        for position, changes in commits:
            for place, value in changes.items():
                self.versions.setdefault(place, []).append((position, value))

    @classmethod
    def read(cls, parts):
        """- parts: by place, the output of `hearth db history --json`, newest first."""
        commits = {}
        for part, lines in parts.items():
            for line in map(json.loads, lines.splitlines()):
                before, after = (flat(line[side], part) for side in ("from", "to"))
                changes = {place: after.get(place) for place in sorted({*before, *after})
                           if before.get(place) != after.get(place)}
                commits.setdefault(line["position"], {}).update(changes)
        return cls(sorted(commits.items()))

    def at(self, place, position):
        """Returns the value of a place after the commit at a position."""
        versions = self.versions.get(place, [])
        index = bisect.bisect_right(versions, position, key=lambda version: version[0])
        return versions[index - 1][1] if index else None

    def below(self, place):
        """Returns the commits that changed a place or a location below it, reduced to those changes."""
        steps = []
        for position, changes in self.commits:
            here = {leaf: value for leaf, value in changes.items() if leaf == place or leaf.startswith(place + "/")}
            if here:
                steps.append((position, here))
        return steps
