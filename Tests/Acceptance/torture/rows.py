"""The runs of `make torture`, in this order. The kills take longest and are last."""

import os

from torture.commands import Command, faults_in
from torture.importing import KilledImports
from torture.killing import Kills, LargeKills

KILLS, LARGE_KILLS = 10_000, 1_000


def rows(kills=KILLS):
    return [
        Command("random runs", "torture-random"),
        Command("the client over a server", "torture-clients"),
        Command("proofs of what rules expose", "torture-proofs"),
        Command("databases with no page in memory", "torture-pages"),
        Command("disks that fail", "torture-disks"),
        Command("events over 200 kills", "torture-events"),
        # It makes network namespaces, which needs root.
        *([Command("faults of a cluster", "torture-cluster", "faults", faults_in)] if os.geteuid() == 0 else []),
        KilledImports(),
        LargeKills(min(kills, LARGE_KILLS)),
        Kills(kills),
    ]
