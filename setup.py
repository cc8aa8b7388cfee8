"""pip's way to the CMake build: configures and builds the Python component, and installs it into the wheel."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """CMAKE_ARGS in the environment go to CMake."""

    def build_extension(self, ext):
        here = pathlib.Path(self.build_temp).resolve()
        place = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent.parent  # that of the package
        arguments = ["-DCMAKE_BUILD_TYPE=Release", "-DTRIDAP_PYTHON=ON", "-DTRIDAP_TESTS=OFF", "-DTRIDAP_EXAMPLES=OFF",
                     f"-DPython_EXECUTABLE={sys.executable}", f"-DTRIDAP_PYTHON_DIR={place}",
                     *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
        for command in (["-S", str(ROOT), "-B", str(here), *arguments],
                        ["--build", str(here), "--parallel", "--target", "tridap_modules"],
                        ["--install", str(here), "--component", "python"]):
            subprocess.run(["cmake", *command], check=True)


def version():
    return re.search(r"project\(TriDAP VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


(ROOT / "build").mkdir(exist_ok=True)
setup(version=version(), ext_modules=[Extension("tridap._core", sources=[])], cmdclass={"build_ext": CMakeBuild},
      options={"egg_info": {"egg_base": "build"}})
