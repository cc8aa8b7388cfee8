"""The parts of ./dev test --all: what part K of N runs.

A committed list of seconds, seconds.tsv, is dealt into parts that take as long as one another, and of which each has its
share of every kind of test. So the parts depend on the sources alone, and not on the machine. A test that is not in the list
is placed by its name. `./dev test --all --record` writes the list.
"""

import hashlib
import json
import pathlib
import re
import subprocess
from collections import namedtuple

LIST = pathlib.Path(__file__).resolve().parent / "seconds.tsv"

#: A line of the list. `name` is the preset and the name of the test in CTest, such as "asan/tpetra_np4"; `kind` is one of
#: `kind_of`; the test needs a test `beside` it in the same part, such as one that makes its input ("": none).
Entry = namedtuple("Entry", "name kind beside seconds")


class Part(namedtuple("Part", "number of")):
    """Part `number` of `of`, from 1."""

    @staticmethod
    def read(text):
        """Reads "K/N". Raises ValueError unless 1 <= K <= N."""
        found = re.fullmatch(r"([1-9]\d{0,2})/([1-9]\d{0,2})", text)
        if not found or int(found[1]) > int(found[2]):
            raise ValueError(f"--part is '{text}', must be K/N with 1 <= K <= N, such as 2/3")
        return Part(int(found[1]), int(found[2]))


def told_by_ctest(folder):
    """Returns CTest's entries of the tests of a build folder, as dictionaries, by name."""
    listing = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], text=True, stdout=subprocess.PIPE, check=True)
    return {test["name"]: test for test in json.loads(listing.stdout)["tests"]}


def properties_of(told):
    return {each["name"]: each["value"] for each in told["properties"]}


def kind_of(preset, label, folder, name, processes):
    """Returns the kind of a test, of which each part gets its share."""
    if preset != "release":
        return {"asan": "sanitizers", "fuzz": "fuzzers"}[preset]
    if label in ("root", "first"):
        return {"root": "nodes", "first": "fresh machines"}[label]
    if folder in ("consumer", "packaging") or "install" in name:
        return "installs"
    if folder in ("docs", "site") and not processes:
        return "pages"
    if folder == "examples" or re.match(r"(python_)?(example_)?\d\d_", name):
        return "examples"
    return f"{processes} processes" if processes else "without MPI"


def read_list(path=LIST):
    lines = path.read_text().splitlines() if path.exists() else []
    return [Entry(*cells[:3], float(cells[3])) for cells in (line.split("\t") for line in lines if line[:1] != "#")]


def write_list(entries, path=LIST):
    head = "# preset/test\tkind\tbeside\tseconds: written by ./dev test --all --record; parts.py deals the tests by it\n"
    path.write_text(head + "".join(f"{e.name}\t{e.kind}\t{e.beside}\t{e.seconds:.1f}\n" for e in sorted(entries)))


def groups_of(entries):
    """Returns the tests that must be in one part, as lists of entries, the longest list of seconds first."""
    leaders = {entry.name: entry.beside or entry.name for entry in entries}

    def leader(name):
        seen = set()
        while leaders.get(name, name) != name and name not in seen:
            seen.add(name)
            name = leaders[name]
        return name

    groups = {}
    for entry in sorted(entries):
        groups.setdefault(leader(entry.name), []).append(entry)
    return sorted(groups.values(), key=lambda group: (-sum(entry.seconds for entry in group), group[0].name))


def deal(entries, of):
    """Returns the part of each test of the list, as a dictionary of its name.

    Each kind is dealt in rounds, the longest tests first: in a round each part gets one group of tests, and the part that
    has the fewest seconds so far gets the longest.
    """
    taken, parts = [0.0] * of, {}
    kinds = {}
    for group in groups_of(entries):
        kinds.setdefault(group[0].kind, []).append(group)
    # A kind of few long tests comes first: those that follow make up for what it leaves uneven.
    longest_first = sorted(kinds.items(), key=lambda kind: (-kind[1][0][0].seconds, kind[0]))
    for _, groups in longest_first:
        for begin in range(0, len(groups), of):
            free = sorted(range(of), key=lambda part: (taken[part], part))
            for part, group in zip(free, groups[begin:begin + of]):
                for entry in group:
                    parts[entry.name] = part + 1
                    taken[part] += entry.seconds
    return parts


def by_name(name, of):
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % of + 1


def chosen(names, part, entries):
    """Returns those of the names, in their order, that are in the part."""
    parts = deal(entries, part.of)
    return [name for name in names if parts.get(name, by_name(name, part.of)) == part.number]
