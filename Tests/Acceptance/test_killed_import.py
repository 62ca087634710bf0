"""A few of the kills that `make torture` makes: `kill -9` of the server and of the importer in the middle of an import."""

import random

from killed_import import KilledImport


def test_an_import_with_kills_ends_with_the_same_data(tmp_path):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    killed = KilledImport(tmp_path / "killed", seed, 2 << 20)
    try:
        for number in range(2):
            killed.run(number)
    finally:
        killed.end()
    print(dict(killed.figures))
    assert killed.figures["of the server"] > 0 and killed.figures["of the importer"] > 0
