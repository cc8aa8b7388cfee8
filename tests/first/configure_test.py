"""Configure on machines that lack libraries, or have few: the table is right, or one line says what to do (cases.py).

    configure_test.py Missing    each library is missing alone; or apt has removed it with all that depends on it
    configure_test.py Alone      each library is there alone, or none is
    configure_test.py Missing.test_without_petsc     one machine
"""

import concurrent.futures
import os
import re
import sys
import unittest

import cases
import fresh

CONFIGURE = "cmake --preset release"


def table_of(said):
    """Returns the table that configure prints: {name: (state, reason)}."""
    rows = said.text.partition("-- TriDAP ")[2].partition("-- Configuring")[0]
    return {name: (state, why) for name, state, why in re.findall(r"^--   (\S.*?) +(on|off)\s(.*)$", rows, re.MULTILINE)}


def method(name):
    return "test_" + re.sub(r"\W+", "_", name)


class Configure(unittest.TestCase):
    """The machines of a class run at the same time, as many as there are cores."""
    CASES, LAYERS = {}, ()

    @classmethod
    def setUpClass(cls):
        fresh.make_source()
        cls.make_layers()
        chosen = [word.partition(".")[2] for word in sys.argv if word.startswith(cls.__name__ + ".")]
        cls.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        cls.addClassCleanup(cls.pool.shutdown, cancel_futures=True)
        cls.running = {name: cls.pool.submit(cls.configure, name) for name in sorted(cls.CASES)
                       if not chosen or method(name) in chosen}

    @classmethod
    def make_layers(cls):
        pass

    @classmethod
    def configure(cls, name):
        with fresh.Machine(method(name), *cls.LAYERS, "source") as machine:
            cls.prepare(machine, name)
            return machine.run(CONFIGURE)

    def said(self, name):
        return self.running[name].result()

    def has_table(self, said, on, reasons):
        self.assertEqual(said.code, 0, said.text)
        self.assertNotRegex(said.text, r"CMake (Error|Warning|Deprecation)")
        table = table_of(said)
        self.assertEqual({name for name in cases.COMPONENTS if table[name][0] == "on"}, on, said.text)
        for name in cases.COMPONENTS - on:
            self.assertNotEqual(table[name][1], "", f"no reason for {name}\n{said.text}")
        for name, why in reasons.items():
            self.assertRegex(table[name][1], why, said.text)
        if "tests" not in reasons:
            self.assertNotIn("tests", table)


class Missing(Configure):
    CASES = {**cases.MISSING, **cases.REQUIRED, **cases.REMOVED_BY_APT}
    LAYERS = ("base", "full")

    @classmethod
    def make_layers(cls):
        fresh.make_layer("full", ["base"], fresh.packages_of_tests())

    @staticmethod
    def prepare(machine, name):
        machine.remove(Missing.CASES[name][0], by_apt=name in cases.REMOVED_BY_APT)


class Alone(Configure):
    CASES = cases.ALONE
    LAYERS = ("base", "small")

    @classmethod
    def make_layers(cls):
        fresh.make_layer("small", ["base"], cases.SMALL)

    @staticmethod
    def prepare(machine, name):
        named = cases.ALONE[name][0]
        packages = sum((fresh.lists_of_dev()[p[1:]] if p.startswith("@") else [p] for p in named), [])
        if packages:
            machine.install(*packages)

    def test_the_command_of_the_readme(self):
        with fresh.Machine("readme", *self.LAYERS, "source") as machine:
            machine.install("make")
            command = re.search("^(cmake -B build) && cmake --build build", (fresh.ROOT / "README.md").read_text(), re.M)[1]
            self.has_table(machine.run(command), cases.ALWAYS, {"mpi": "no MPI", "tests": "no GoogleTest"})


def check_without(name, off, reasons):
    return lambda self: self.has_table(self.said(name), cases.COMPONENTS - off, reasons)


def check_required(name, line):
    def test(self):
        said = self.said(name)
        self.assertNotEqual(said.code, 0)
        self.assertRegex(said.text, line)
        self.assertEqual(table_of(said), {})
    return test


def check_with(name, packages, on, reasons={}):
    tests = {} if any("gtest" in package for package in packages) else {"tests": "no GoogleTest"}
    return lambda self: self.has_table(self.said(name), on, {**reasons, **tests})


for each, (_, off, reasons) in {**cases.MISSING, **cases.REMOVED_BY_APT}.items():
    setattr(Missing, method(each), check_without(each, off, reasons))
for each, (_, line) in cases.REQUIRED.items():
    setattr(Missing, method(each), check_required(each, line))
for each, case in cases.ALONE.items():
    setattr(Alone, method(each), check_with(each, *case))


if __name__ == "__main__":
    fresh.main()
