"""The parts of --all: that together they are everything, that they are alike, and that the list is up to date.

    parts_test.py BUILD_FOLDER
"""

import collections
import pathlib
import random
import re
import sys
import tempfile
import unittest

import parts
from parts import Entry, Part

TESTS_FOLDER = pathlib.Path(__file__).resolve().parent.parent
BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release"
KINDS = ("1 processes", "2 processes", "nodes", "installs")


def random_entries(number, seed):
    draw = random.Random(seed)
    return [Entry(f"release/t{i}", draw.choice(KINDS), "", round(draw.expovariate(0.1), 1)) for i in range(number)]


class Parts(unittest.TestCase):
    def test_each_test_is_in_exactly_one_part(self):
        for of in range(1, 8):
            names = [entry.name for entry in random_entries(100, of)] + ["release/new", "asan/new", "fuzz/new"]
            listed = random_entries(100, of)
            found = [name for number in range(1, of + 1) for name in parts.chosen(names, Part(number, of), listed)]
            self.assertEqual(sorted(found), sorted(names))

    def test_each_part_has_its_share_of_each_kind(self):
        for seed in range(20):
            entries = random_entries(90, seed)
            dealt = parts.deal(entries, 3)
            for kind in KINDS:
                counts = collections.Counter({1: 0, 2: 0, 3: 0})
                counts.update(dealt[entry.name] for entry in entries if entry.kind == kind)
                self.assertLessEqual(max(counts.values()) - min(counts.values()), 1)

    def test_the_parts_take_as_long_as_one_another(self):
        for seed in range(20):
            entries = random_entries(150, seed)
            taken = collections.Counter()
            for name, part in parts.deal(entries, 3).items():
                taken[part] += next(entry.seconds for entry in entries if entry.name == name)
            self.assertLess(max(taken.values()) - min(taken.values()), max(entry.seconds for entry in entries))

    def test_a_test_is_in_the_part_of_what_it_needs(self):
        for seed in range(20):
            entries = random_entries(60, seed)
            entries[3] = entries[3]._replace(beside="release/t5")
            entries[4] = entries[4]._replace(beside="release/t3")
            dealt = parts.deal(entries, 4)
            self.assertEqual(dealt["release/t3"], dealt["release/t5"])
            self.assertEqual(dealt["release/t4"], dealt["release/t5"])

    def test_the_order_of_the_list_changes_no_part(self):
        entries = random_entries(80, 1)
        shuffled = random.Random(2).sample(entries, len(entries))
        self.assertEqual(parts.deal(entries, 3), parts.deal(shuffled, 3))

    def test_a_new_test_moves_no_other(self):
        entries = random_entries(80, 1)
        names = [entry.name for entry in entries]
        for number in (1, 2, 3):
            before = parts.chosen(names, Part(number, 3), entries)
            after = parts.chosen(names + ["release/new"], Part(number, 3), entries)
            self.assertEqual([name for name in after if name != "release/new"], before)

    def test_a_part_is_two_numbers(self):
        self.assertEqual(Part.read("2/3"), Part(2, 3))
        for wrong in ("0/3", "4/3", "2", "2/", "/3", "2/3/4", "-1/3", "1.5/3", "a/b", "1/0", "²/3", " 2/3"):
            with self.assertRaisesRegex(ValueError, r"must be K/N with 1 <= K <= N"):
                Part.read(wrong)

    def test_the_list_is_read_as_it_was_written(self):
        entries = sorted(random_entries(30, 3))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "list.tsv"
            parts.write_list(entries, path)
            self.assertEqual(parts.read_list(path), entries)


def names_here(are_quick):
    """Returns the quick tests of the build folder, or the others."""
    labels = {name: parts.properties_of(told)["LABELS"] for name, told in parts.told_by_ctest(BUILD).items()}
    return {f"release/{name}" for name in labels if ("quick" in labels[name]) == are_quick}


def parts_of_ci():
    return int(re.search(r"^parts=(\d+)", (TESTS_FOLDER.parent / ".ci" / "run").read_text(), re.MULTILINE)[1])


class TheCommittedList(unittest.TestCase):
    def test_its_parts_differ_by_less_than_a_sixth(self):
        entries = parts.read_list()
        for of in {2, 3, parts_of_ci()}:
            taken, dealt = collections.Counter({part + 1: 0 for part in range(of)}), parts.deal(entries, of)
            for entry in entries:
                taken[dealt[entry.name]] += entry.seconds
            self.assertLess(max(taken.values()), 7 / 6 * min(taken.values()), f"of {of}: run ./dev test --all --record")

    def test_each_kind_is_in_it_and_in_each_part_of_ci(self):
        entries, of = parts.read_list(), parts_of_ci()
        dealt = parts.deal(entries, of)
        for kind in {"1 processes", "3 processes", "4 processes", "6 processes", "without MPI", "installs", "pages", "examples",
                     "nodes", "sanitizers", "fuzzers", "fresh machines"}:
            groups = parts.groups_of([entry for entry in entries if entry.kind == kind])
            self.assertNotEqual(groups, [], f"{kind}: run ./dev test --all --record as root")
            self.assertEqual(len({dealt[group[0].name] for group in groups}), min(of, len(groups)), kind)

    def test_most_tests_are_in_it(self):
        listed = {entry.name for entry in parts.read_list()}
        here = names_here(are_quick=False)
        missing = sorted(here - listed)
        few = " ".join(missing[:9])
        self.assertLess(len(missing), 0.1 * len(here), f"run ./dev test --all --record; not in the list, among others: {few}")

    def test_no_quick_test_is_in_it(self):
        self.assertEqual(names_here(are_quick=True) & {entry.name for entry in parts.read_list()}, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
