"""pip's way to the CMake build: configures and builds the Python component, and installs it into the wheel."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = pathlib.Path(__file__).resolve().parent


def pybind11():
    """Where the Python package pybind11 has its CMake files, if there is one. CMake looks for others itself."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


class CMakeBuild(build_ext):
    """CMAKE_ARGS in the environment go to CMake. CMAKE_BUILD_PARALLEL_LEVEL limits the number of compilers."""

    def build_extension(self, ext):
        here = pathlib.Path(self.build_temp).resolve()
        place = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent.parent  # that of the package
        arguments = ["-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}", *pybind11(),
                     *shlex.split(os.environ.get("CMAKE_ARGS", "")),
                     # A wheel has the modules alone, so they contain our libraries.
                     "-DTRIDAP_PYTHON=ON", "-DBUILD_SHARED_LIBS=OFF", "-DTRIDAP_TESTS=OFF", "-DTRIDAP_EXAMPLES=OFF",
                     f"-DTRIDAP_PYTHON_DIR={place}"]
        at_once = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
        for command in (["-S", str(ROOT), "-B", str(here), *arguments],
                        ["--build", str(here), "--parallel", at_once, "--target", "tridap_modules"],
                        ["--install", str(here), "--component", "python"]):
            subprocess.run(["cmake", *command], check=True)


class Archive(sdist):
    """Leaves out setuptools' own notes, which are in build/."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, [file for file in files if not file.startswith("build/")])


def version():
    return re.search(r"project\(TriDAP VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


(ROOT / "build").mkdir(exist_ok=True)
setup(version=version(), ext_modules=[Extension("tridap._core", sources=[])],
      cmdclass={"build_ext": CMakeBuild, "sdist": Archive}, options={"egg_info": {"egg_base": "build"}})
