"""./dev matrix without a chroot: its rows, its errors, its packages and the README's table.    matrix_test.py DEV"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
DEV = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else HERE.parent.parent / "dev"
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

ROWS = {path.stem: json.loads(path.read_text()) for path in (HERE / "rows").glob("*.json")}
LISTS = dict(re.findall(r"^(\w+)_packages=\(([^)]*)\)", DEV.read_text(), re.MULTILINE))
os.environ.update({f"TRIDAP_{name}_packages": " ".join(packages.split()) for name, packages in LISTS.items()})

import machines  # noqa: E402
import matrix  # noqa: E402

LOG = """[==========] 20 tests from 3 test suites ran. (5 ms total)
[  PASSED  ] 17 tests.
[  SKIPPED ] 3 tests.
[==========] 1 test from 1 test suite ran. (5 ms total)
[  PASSED  ] 0 tests.
\x1b[0;32m[  SKIPPED ] \x1b[m1 test, listed below:
[  SKIPPED ] Suite.Name
31 passed, 2 skipped in 4.00s
1 failed, 5 passed, 40 skipped, 1 warning in 65.12s (0:01:05)
7 passed in 0.20s
500 skipped in 0.01s
"""


def dev(*arguments):
    """Returns the exit status of `./dev matrix ARGUMENT...`, and what it prints."""
    done = subprocess.run([DEV, "matrix", *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=100)
    return done.returncode, done.stdout


class Errors(unittest.TestCase):
    def test_an_unknown_row_is_named_with_the_list(self):
        code, said = dev("bookwurm-gcc")
        self.assertEqual(code, 1)
        rows = " ".join(sorted(ROWS))
        self.assertEqual(said, f"./dev matrix: there is no row 'bookwurm-gcc'; the rows are: {rows}\n")

    def test_a_missing_row_is_said_with_the_list(self):
        code, said = dev()
        self.assertEqual(code, 2)
        self.assertIn(f"a row is missing; the rows are: {' '.join(sorted(ROWS))}", said)

    def test_a_list_of_packages_that_dev_has_not_is_named(self):
        with self.assertRaisesRegex(SystemExit, "rows/x.json: dev has no list 'nothing_packages'"):
            matrix.packages_of({"name": "x", "packages": ["nothing"]})

    def test_too_little_disk_is_said_before_anything_is_made(self):
        row = {"name": "nowhere", "what": "x", "in_place": False, "minutes": 1, "gigabytes": 10**9, "suite": "sid"}
        with self.assertRaisesRegex(SystemExit, "of disk are free, must be at least 1000000000"):
            matrix.announce(row)
        self.assertFalse(machines.folder(row).exists())

    def test_a_command_without_a_checkout_is_refused(self):
        code = ("import pathlib, sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True\n"
                "import machines, matrix; machines.HOME = pathlib.Path('/nowhere')\n"
                "sys.argv[1:] = ['sid', '--run', 'true']; matrix.main()")
        done = subprocess.run([sys.executable, "-c", code, HERE], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.stdout, "./dev matrix: sid has no checkout: ./dev matrix sid makes it\n")
        self.assertEqual(done.returncode, 1)


    def test_a_folder_that_no_package_has_is_asked_for(self):
        given = os.environ.pop("TRIDAP_TRIBITS", None)
        try:
            for folder in (None, "/nowhere"):
                if folder:
                    os.environ["TRIDAP_TRIBITS"] = folder
                with self.assertRaisesRegex(SystemExit, f"TRIDAP_TRIBITS is {folder or 'not set'}, must be a folder: git clone "
                                            "https://github.com/TriBITSPub/TriBITS, then TRIDAP_TRIBITS=TriBITS ./dev matrix tribits"):
                    matrix.test({"name": "tribits", **ROWS["tribits"], "in_place": False})
        finally:
            os.environ.pop("TRIDAP_TRIBITS", None)
            if given is not None:
                os.environ["TRIDAP_TRIBITS"] = given


class Rows(unittest.TestCase):
    def test_the_rows_have_what_a_row_must_have(self):
        self.assertEqual(sorted(ROWS), ["arm64", "bookworm-clang", "bookworm-gcc", "bookworm-mpich", "experimental", "first", "gpu",
                                        "paraview", "sid", "sid-kokkos5", "sid-wheel", "tribits", "trixie-wheel"])
        for name, row in ROWS.items():
            with self.subTest(name):
                self.assertLessEqual({"what", "suite", "packages", "mpi", "minutes", "gigabytes"}, row.keys())
                documented = set(re.findall(r"`(\w+)`", (HERE / "rows" / "README.md").read_text()))
                self.assertEqual(row.keys() - documented, set())
                self.assertTrue(matrix.packages_of({"name": name, **row}))

    def test_mpich_replaces_every_package_of_open_mpi(self):
        packages = matrix.packages_of({"name": "bookworm-mpich", **ROWS["bookworm-mpich"]})
        self.assertLessEqual({"libmpich-dev", "mpich", "g++", "libgtest-dev"}, set(packages))
        self.assertEqual([package for package in packages if "openmpi" in package], [])

    def test_libraries_of_arm64_and_tools_of_this_machine(self):
        packages = matrix.packages_of({"name": "arm64", **ROWS["arm64"]})
        self.assertLessEqual({"libopenmpi-dev:arm64", "libgtest-dev:arm64", "cmake"}, set(packages))
        self.assertNotIn("libopenmpi-dev", packages)

    def test_a_pinned_source_alone_comes_from_another_suite(self):
        self.assertEqual(machines.commands_that_pin({"suite": "sid"}), [])
        lines = machines.commands_that_pin(ROWS["experimental"])
        with tempfile.TemporaryDirectory() as folder:  # what the lines write, and not where
            at = pathlib.Path(folder)
            for part in ("sources.list.d", "preferences.d"):
                (at / "etc/apt" / part).mkdir(parents=True)
            for line in lines:
                subprocess.run(["sh", "-e", "-c", line.replace(">/etc", f">{at}/etc")], check=True)
            self.assertEqual((at / "etc/apt/sources.list.d/pinned.list").read_text(),
                             f"deb {machines.MIRROR} experimental main\n")
            stanzas = (at / "etc/apt/preferences.d/pinned").read_text().split("\n\n")
        of_all, of_one = (dict(line.split(": ") for line in stanza.splitlines()) for stanza in stanzas)
        self.assertEqual(of_one, {"Package": "src:trilinos", "Pin": "version 17.*", "Pin-Priority": "990"})
        self.assertEqual(of_all, {"Package": "*", "Pin": "release a=experimental", "Pin-Priority": "1"})

    def test_the_base_is_kept_while_another_row_needs_it(self):
        (machines.ROOT / "build").mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=machines.ROOT / "build") as folder:
            found, machines.HOME = machines.HOME, pathlib.Path(folder)
            try:
                a, b, c = ({"name": name, "suite": suite} for name, suite in (("a", "x"), ("b", "x"), ("c", "y")))
                for row in (a, b, c):
                    machines.folder(row).mkdir()
                    machines.base_of(row).mkdir(exist_ok=True)
                machines.remove(a, [b, c])
                self.assertEqual(sorted(os.listdir(folder)), [".base-x", ".base-y", "b", "c"])
                machines.remove(b, [a, c])
                self.assertEqual(sorted(os.listdir(folder)), [".base-y", "c"])
            finally:
                machines.HOME = found


class Results(unittest.TestCase):
    def test_the_table_in_the_readme_is_that_of_the_results(self):
        shown = matrix.README.read_text().partition(matrix.BEGIN)[2].partition(matrix.END)[0]
        self.assertEqual(shown, matrix.table(), "write it again: ./dev matrix --table")

    def test_every_result_has_a_row(self):
        for name, result in (json.loads(matrix.RESULTS.read_text()) if matrix.RESULTS.exists() else {}).items():
            self.assertIn(name, ROWS)
            self.assertIn(name + ", " + result["date"], matrix.line_of(name, result))

    def test_the_row_gpu_records_the_result_of_dev_gpu(self):
        found = {"date": "2026-11-01", "commit": "abc1234", "compiler": "nvcc 13.0", "seconds": 130,
                 "counts": {"ok": 3, "FAILED": 1, "skipped": 2}}
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            row = {"name": "gpu", **ROWS["gpu"], "result": str(at / "result.json")}
            kept = matrix.RESULTS, matrix.README
            matrix.RESULTS, matrix.README = at / "results.json", at / "README.md"
            matrix.README.write_text(matrix.BEGIN + matrix.END)
            try:
                with self.assertRaisesRegex(SystemExit, "gpu: not run: there is no .*result.json; ./dev gpu packs"):
                    matrix.recorded(row)
                self.assertIn("| `gpu` |", matrix.table())
                self.assertFalse(matrix.RESULTS.exists())
                pathlib.Path(row["result"]).write_text(json.dumps({**found, "counts": {"ok": 0, "FAILED": 0, "skipped": 3}}))
                with self.assertRaisesRegex(SystemExit, "gpu: not run: no GPU was found"):
                    matrix.recorded(row)
                pathlib.Path(row["result"]).write_text(json.dumps(found))
                self.assertEqual(matrix.recorded(row), 1)
                self.assertIn("| 1 of 4 | 2026-11-01, abc1234 |", matrix.README.read_text())
                self.assertEqual(json.loads(matrix.RESULTS.read_text())["gpu"]["minutes"], 2)
            finally:
                matrix.RESULTS, matrix.README = kept

    def test_the_counts_are_those_of_the_logs(self):
        found = matrix.numbers(matrix.counted(LOG) + "\n95% tests passed, 2 tests failed out of 40\n")
        self.assertEqual(found, {"googletest": 17, "pytest": 43, "skipped": 546, "runs": 40, "failed": 2})
        found = matrix.numbers("  quick tests   40 runs: 7 GoogleTest cases, 5 pytest cases, 4 skipped cases 0:01\n"
                               "  more tests     1 runs: 3 GoogleTest cases, 2 skipped cases 0:01\n"
                               "2 failed, 9 passed, 8 skipped in 1.00s\n"
                               "100% tests passed, 0 tests failed out of 40\n"
                               "0% tests passed, 1 tests failed out of 1\n")
        self.assertEqual(found, {"googletest": 10, "pytest": 5, "skipped": 6, "runs": 41, "failed": 1})

    def test_the_numbers_of_unittest_are_its_tests_and_failures(self):
        said = ("Ran 1 test in 2.000s\n\nOK\n" "Ran 20 tests in 3.000s\n\nFAILED (failures=2, errors=1, skipped=4)\n")
        self.assertEqual(matrix.unittest_numbers(said), {"runs": 21, "failed": 3})


class WhatComesAfterTheTests(unittest.TestCase):
    def recorded(self, code, failed):
        found = {"googletest": 3, "pytest": 0, "skipped": 0, "failed": failed, "runs": 2}
        none = mock.DEFAULT
        with mock.patch.multiple(matrix, needs_clone=none, announce=none, write_table=none, line_of=none, record=none) as called, \
                mock.patch.object(matrix, "run_inside", return_value=(found, code)), mock.patch("builtins.print"), \
                mock.patch.object(matrix, "head", side_effect=["at its beginning", "later"]):
            called["record"].side_effect = lambda row, numbers, begin, commit: dict(numbers)
            status = matrix.test({"name": "a row", "in_place": False})
            self.assertEqual(called["record"].call_args.args[3], "at its beginning")
            return called["record"].call_args.args[1]["failed"], status

    def test_a_row_that_fails_after_its_tests_has_failed(self):
        self.assertEqual(self.recorded(0, 0), (0, 0))
        self.assertEqual(self.recorded(1, 0), (1, 1))
        self.assertEqual(self.recorded(1, 2), (2, 1))


if __name__ == "__main__":
    unittest.main()
