"""ParaView's two readers of XDMF give each value at its place, in files of TriDAP.

    paraview_test.py PYTHON MPIEXEC...
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON, *MPIEXEC = sys.argv[1:]


def run(*command):
    """Runs a program; what it prints is in the message if it fails."""
    ended = subprocess.run(command, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500)
    assert ended.returncode == 0, f"{' '.join(map(str, command))}\n{ended.stdout}"
    return ended.stdout


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tridap_paraview_")
        run(*MPIEXEC, PYTHON, HERE / "cases.py", cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def read(self, kind):
        screen = ["xvfb-run", "-a", "-w", "10"] if shutil.which("xvfb-run") else []
        print(run(*screen, "pvpython", HERE / "readers.py", self.folder.name, kind).strip().splitlines()[-1])

    def test_the_first_reader_gives_each_value_at_its_place(self):
        self.read("XDMFReader")

    def test_the_second_reader_gives_each_value_at_its_place(self):
        self.read("Xdmf3ReaderS")


unittest.main(argv=sys.argv[:1])
