"""A few of the kills that `make torture` makes: `kill -9` of the server and of the importer in the middle of an import."""

import random

from killed_import import KilledImport


def test_an_import_with_kills_ends_with_the_same_data(tmp_path):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    killed = KilledImport(tmp_path / "killed", seed, 2 << 20)

    def has_interrupted_both():
        return killed.figures["of the server"] > 0 and killed.figures["of the importer"] > 0

    try:
        # A kill that comes after the import's end interrupts nothing.
        for number in range(20):
            if has_interrupted_both():
                break
            killed.run(number)
    finally:
        killed.end()
    print(dict(killed.figures))
    assert has_interrupted_both()
