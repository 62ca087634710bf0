"""The selection of the fuzzers' inputs that are kept in Tests."""

import importlib.util

from conftest import ROOT

SPEC = importlib.util.spec_from_file_location("fuzz", ROOT / "Tests/FuzzTests/fuzz.py")
FUZZ = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FUZZ)


def inputs(folder, **sizes):
    for name, size in sizes.items():
        (folder / name).write_bytes(b"x" * size)
    return [folder / name for name in sizes]


def test_a_merge_reports_the_coverage_of_each_input(tmp_path):
    first, second = inputs(tmp_path, first=1, second=2)
    control = f"2\n0\n{first}\n{second}\nSTARTED 0 1\nFT 0 7 9\nCOV 0 4\nSTARTED 1 2\nFT 1\nCOV 1\n"
    assert FUZZ.features(control) == {first: {7, 9}, second: set()}


def test_inputs_are_taken_by_added_coverage_and_redundant_ones_are_dropped(tmp_path):
    small, large, same, none = inputs(tmp_path, small=1, large=9, same=8, none=1)
    reached = {small: {1, 2}, large: {2, 3, 4}, same: {2, 3, 4}, none: {5}}
    assert FUZZ.best(reached, {5}, 10, 100) == [same, small], "the smallest of equals, and the one that it makes unneeded"


def test_a_corpus_stays_within_its_size(tmp_path):
    small, large = inputs(tmp_path, small=2, large=9)
    reached = {small: {1}, large: {2, 3}}
    assert FUZZ.best(reached, set(), 1, 100) == [large]
    assert FUZZ.best(reached, set(), 10, 8) == [small]
    assert FUZZ.best(reached, set(), 0, 100) == FUZZ.best(reached, set(), -3, -1) == []
