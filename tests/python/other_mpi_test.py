"""An mpi4py for another MPI is refused by `import tridap`, in one line, before mpi4py.MPI is imported.

    other_mpi_test.py STAND_IN SCRATCH    with PYTHONPATH for tridap; STAND_IN is the library of stand_in_mpi.cpp
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

STAND_IN, SCRATCH = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
MPICH = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\nMPICH ABI:\t14:2:2\n"
OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"
NAME = "from mpi4py import MPI; print(MPI.Get_library_version())"


def ran(program, **environment):
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    return done.returncode, done.stdout


def path_with(*folders):
    return os.pathsep.join([*map(str, folders), os.environ["PYTHONPATH"]])


class AnotherMPI(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        package = SCRATCH / "mpi4py"
        shutil.rmtree(SCRATCH, ignore_errors=True)
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        shutil.copy(STAND_IN, package / "MPI.so")
        cls.ours = ran(NAME)[1].strip("\0\n")
        cls.other = MPICH if cls.ours.startswith("Open MPI") else OPEN_MPI

    def refused(self, program, pattern, **environment):
        code, said = ran(program, **environment)
        self.assertEqual(code, 1, said)  # not by a signal
        self.assertRegex(said.splitlines()[-1], "^ImportError: " + pattern)
        self.assertEqual(said.count("tridap was "), 1, said)

    def test_of_another_library_is_refused_before_it_is_imported(self):
        short = "MPICH 4.0.2" if self.other is MPICH else "Open MPI v4.1.4"
        mine = self.ours.splitlines()[0].split(",")[0].split()[0]
        self.refused("import tridap", rf"tridap was built for {mine}.*, but mpi4py for {short} \({SCRATCH}/mpi4py/MPI.so\): install the "
                     "mpi4py that was built for the MPI of tridap, or build tridap again with the compilers of the MPI of mpi4py$",
                     PYTHONPATH=path_with(SCRATCH), STAND_IN_MPI=self.other)

    def test_of_another_copy_of_the_same_version_is_refused(self):
        self.refused("import tridap", "tridap was built for .*, but mpi4py for another copy of ",
                     PYTHONPATH=path_with(SCRATCH), STAND_IN_MPI=self.ours)

    def test_that_replaces_the_mpi_of_tridap_is_refused(self):
        self.refused("import tridap", "tridap was compiled for .*, but this process loads .* in its place",
                     LD_PRELOAD=str(STAND_IN), STAND_IN_MPI=self.other)

    def test_is_looked_for_without_initializing_mpi(self):
        program = ("import sys, tridap; assert 'mpi4py.MPI' not in sys.modules; import mpi4py; mpi4py.rc.initialize = False\n"
                   "from mpi4py import MPI; assert not MPI.Is_initialized(); MPI.Init()\n"
                   "print(tridap.zeros(tridap.distribution(3), comm=MPI.COMM_WORLD).sum())")
        self.assertEqual(ran(program), (0, "0.0\n"))

    def test_is_not_looked_for_where_there_is_no_mpi4py(self):
        self.assertEqual(ran("import sys; sys.modules['mpi4py'] = None; import tridap; print(tridap.distribution(3).shape)"),
                         (0, "(3,)\n"))


if __name__ == "__main__":
    unittest.main()
