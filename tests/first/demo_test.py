"""The README's first command, typed as printed on a fresh machine, to its last line.    demo_test.py Bare|Tools|Archive

Bare     a minimal Debian, with a clone
Tools    a minimal Debian with a compiler, git, pkg-config and Python, as a programmer has it, with a clone in a folder whose
         name has a space, an apostrophe, brackets and an umlaut
Archive  a minimal Debian with an unpacked archive instead of a clone; further commands of ./dev, which work there too, or
         say in one line that they need a clone
"""

import pathlib
import re
import unittest

import fresh


def first_commands():
    """Returns the commands that the README prints first."""
    text = (fresh.ROOT / "README.md").read_text()
    block = re.search(r"On Debian 12, in a clone of this repository:\n\n```\n(.*?)```", text, re.DOTALL)
    return block[1].splitlines()


def promised_line():
    """Returns the line that the README promises of the demo."""
    text = (fresh.ROOT / "README.md").read_text()
    return re.search(r"and prints among other lines:\n\n```\n(.*)\n```", text)[1]


class Demo(unittest.TestCase):
    def runs_to_its_last_line(self, machine):
        demo, _ = first_commands()
        self.assertEqual(demo, "./dev demo")
        said = machine.run(demo)
        self.assertEqual(said.code, 0, said.text)
        self.assertIn(promised_line(), said.lines())
        self.assertRegex(said.lines()[-1], r"build/demo\.png", said.text)
        self.assertEqual(machine.run("head -c 4 build/demo.png | tail -c 3").text, "PNG")


class Bare(Demo):
    def test_the_demo(self):
        fresh.make_source()
        with fresh.Machine("bare", "base", "source") as machine:
            self.assertNotEqual(machine.run("command -v c++ cmake git python3 pkg-config make").code, 0)
            self.runs_to_its_last_line(machine)


class Tools(Demo):
    def test_the_demo(self):
        folder = pathlib.Path("/srv/it's [x] a b ü")
        fresh.make_source(at=folder)
        with fresh.Machine("tools", "base", "source", checkout=folder) as machine:
            machine.install("build-essential", "git", "pkgconf", "python3")
            self.runs_to_its_last_line(machine)


class Archive(Demo):
    """The first test makes the machine, and the last one removes it: the others use what the demo has installed."""

    @classmethod
    def setUpClass(cls):
        fresh.make_source(archive=True)
        cls.machine = fresh.Machine("archive", "base", "source")
        cls.machine.__enter__()
        cls.addClassCleanup(cls.machine.__exit__)

    def says(self, command, code, line):
        """The command ends with this exit status, and with one line, or among its lines, what `line` matches."""
        said = self.machine.run(command)
        self.assertEqual(said.code, code, said.text)
        self.assertRegex(said.text, line)
        self.assertNotIn("Traceback", said.text)
        return said

    def refuses(self, command, line):
        """The command stops with one line."""
        said = self.says(command, 1, f"^./dev: {line}\n$")
        self.assertEqual(len(said.lines()), 1, said.text)

    def test_1_the_demo(self):
        self.assertNotEqual(self.machine.run("test -e .git").code, 0)
        self.runs_to_its_last_line(self.machine)

    def test_2_tests_of_a_folder(self):
        said = self.says(f"{first_commands()[1]} protocol", 0, r"(\d+) of \1 runs passed")
        self.assertRegex(said.text, r"[1-9]\d* tests? from \d+ test suites? ran")

    def test_3_what_runs_in_an_archive(self):
        self.says("./dev help", 0, r"^\./dev demo ")
        self.says("./dev", 0, r"^\./dev demo ")
        self.says("./dev example", 0, "01_solve_in_place\n")
        self.says("./dev tridap check tests/data/valid/*.json", 0, "valid: ")
        self.says("./dev matrix", 2, "a row is missing; the rows are: ")
        self.says("./dev matrix bookwurm", 1, "there is no row 'bookwurm'; the rows are: ")
        self.says("./dev test nothing", 1, "there is no folder of tests, no file and no CTest test 'nothing'")

    def test_4_wrong_arguments_are_one_line(self):
        self.refuses("./dev fuzz", "fuzz needs the number of seconds .*")
        self.refuses("./dev fuzz soon", "fuzz needs the number of seconds .*")
        self.refuses("./dev docs --close", "docs has one option: .*")
        self.refuses("./dev bench nothing", "there is no benchmark 'nothing'; the benchmarks are: .*")
        self.refuses("./dev example nothing", "there is no example 'nothing'; the examples are: .*")
        self.refuses("./dev format --chekc", "format has one option: .*")
        self.refuses("./dev package rpm out", "package needs a kind and a folder .*")

    def test_5_what_needs_a_clone_says_so(self):
        for command in ("format", "format --check", "package debian out", "matrix sid", "matrix first"):
            self.refuses(f"./dev {command}", f"{command.split()[0]} needs a clone of the repository: .*")


if __name__ == "__main__":
    fresh.main()
