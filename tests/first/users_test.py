"""Users and their tools: each ends with a table that is right, or one line that says what to do.    users_test.py Users|Tools

Users    an ordinary user with sudo, and one without
Tools    another Python first on PATH, a CMake that is too old, MPICH's compiler first on PATH
"""

import json
import re
import shlex
import unittest

import cases
import fresh
from configure_test import CONFIGURE, table_of

CAPTURE = "tests/data/valid/big_endian.json"


def add_user(machine, name):
    """Adds a user, to whom the checkout belongs, wherever it is."""
    parents = shlex.join(map(str, fresh.ROOT.parents))
    machine.succeeds("adding a user", f"useradd --create-home --shell /bin/bash {name} && chmod a+x {parents} && "
                     f"chown -R {name} {shlex.quote(str(fresh.ROOT))}")


def put_first(machine, name, script):
    """Puts a stand-in for a program where PATH finds it first."""
    path = f"/usr/local/bin/{name}"
    machine.succeeds(f"writing {path}", f"printf %s {shlex.quote(script)} >{path} && chmod 755 {path}")


class Users(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fresh.make_source()

    def test_without_sudo_the_line_for_the_administrator(self):
        with fresh.Machine("without_sudo", "base", "source") as machine:
            add_user(machine, "ada")
            said = machine.run("./dev tridap check " + CAPTURE, user="ada")
            self.assertEqual(said.code, 1)
            asked, _, line, _ = (said.text + "\n").split("\n")[:4]
            self.assertEqual(asked, "./dev: these Debian packages are missing; ask an administrator to install them:")
            missing = line.removeprefix("  sudo apt-get install --no-install-recommends ").split()
            self.assertEqual(missing, fresh.lists_of_dev()["build"])
            self.assertEqual(len(said.lines()), 4, said.text)
            machine.succeeds("the administrator's line", "apt-get update -qq; " + line.replace("sudo", "").replace("install", "install -y", 1))
            self.checks(machine)

    def test_with_sudo_the_packages_are_installed(self):
        with fresh.Machine("with_sudo", "base", "source") as machine:
            machine.install("sudo")
            add_user(machine, "ada")
            machine.succeeds("giving sudo", "echo 'ada ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/ada")
            self.checks(machine)
            self.assertEqual(machine.run("find . -user root").text, "")

    def checks(self, machine):
        """The user builds the tool, and it checks an array."""
        said = machine.run("./dev tridap check " + CAPTURE, user="ada")
        self.assertEqual(said.code, 0, said.text)
        self.assertRegex(said.lines()[-1], f"^{CAPTURE}: valid: ")


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fresh.make_source()
        fresh.make_layer("full", ["base"], fresh.packages_of_tests())

    def has_table(self, said, on):
        self.assertEqual(said.code, 0, said.text)
        self.assertNotRegex(said.text, r"CMake (Error|Warning)")
        table = table_of(said)
        self.assertEqual({name for name in cases.COMPONENTS if table[name][0] == "on"}, on, said.text)
        return table

    def test_another_python_first_on_path(self):
        with fresh.Machine("python", "base", "full", "source") as machine:
            for name in ("python", "python3"):
                put_first(machine, name, "#!/bin/sh\necho 'Python 2.7.18'\nexit 1\n")
            table = self.has_table(machine.run(CONFIGURE), cases.COMPONENTS)
            self.assertRegex(table["python"][1], r"^Python 3\.11")
            self.assertRegex(machine.run("./dev matrix").text, "a row is missing")

    def test_a_cmake_that_is_too_old(self):
        needed = json.loads((fresh.ROOT / "CMakePresets.json").read_text())["cmakeMinimumRequired"]
        line = (rf"\./dev: /usr/local/bin/cmake is CMake 3\.18\.4, must be {needed['major']}\.{needed['minor']} or later: "
                r"let PATH find a newer one first, such as Debian's /usr/bin/cmake\n")
        with fresh.Machine("cmake", "base", "full", "source") as machine:
            put_first(machine, "cmake", "#!/bin/sh\necho 'cmake version 3.18.4'\n[ \"$1\" = --version ]\n")
            for command in ("./dev demo", "./dev test", "./dev test protocol", "./dev example 01_solve_in_place"):
                said = machine.run(command)
                self.assertEqual(said.code, 1, said.text)
                self.assertRegex(said.text, f"^{line}$")
            self.assertRegex(machine.run("./dev tridap check " + CAPTURE).text, f"{line}$")

    def test_the_compiler_of_mpich_first_on_path(self):
        off = {"globalarrays", "scalapack", "hdf5", "petsc", "tpetra", "solvers", "examples"}
        with fresh.Machine("mpich", "base", "full", "source") as machine:
            machine.install("mpich", "libmpich-dev")
            for name in ("mpicc", "mpicxx", "mpiexec"):
                put_first(machine, name, f'#!/bin/sh\nexec /usr/bin/{name}.mpich "$@"\n')
            table = self.has_table(machine.run(CONFIGURE), cases.COMPONENTS - off)
            for name, library in (("tpetra", "Trilinos"), ("petsc", "PETSc"), ("scalapack", "ScaLAPACK"),
                                  ("globalarrays", "ScaLAPACK")):
                self.assertRegex(table[name][1], rf"{library} uses libmpi\.so\.40, but mpicxx links libmpich\.so\.12: let PATH")
            said = machine.run("./dev demo")
            self.assertEqual((said.code, len(said.lines())), (1, 1), said.text)
            self.assertRegex(said.text, r"^\./dev: /usr/local/bin/mpicxx is MPICH's, .* use Open MPI: let PATH find Open MPI's")


if __name__ == "__main__":
    fresh.main()
