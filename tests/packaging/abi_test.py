"""A function that is changed on purpose is found by what ./dev release compares.    abi_test.py SOURCE_DIR CMAKE SCRATCH"""

import pathlib
import shutil
import subprocess
import sys

SOURCE, CMAKE, SCRATCH = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
ABI = [sys.executable, str(SOURCE / "packaging" / "release" / "abi.py")]


def installed(sources, name):
    """Builds TriDAP::protocol as a shared library, and describes what it promises."""
    build = SCRATCH / f"build_{name}"
    for command in (["-S", str(sources), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-g -O0",
                     "-DBUILD_SHARED_LIBS=ON", "-DTRIDAP_MPI=OFF", "-DTRIDAP_KOKKOS=OFF", "-DTRIDAP_DLPACK=OFF", "-DTRIDAP_PYTHON=OFF",
                     "-DTRIDAP_TESTS=OFF", "-DTRIDAP_EXAMPLES=OFF", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=20"],
                    ["--build", str(build), "--target", "tridap_protocol"]):
        subprocess.run([CMAKE, *command], check=True, stdout=subprocess.DEVNULL)
    prefix = SCRATCH / name
    (prefix / "lib").mkdir(parents=True)
    shutil.copytree(sources / "packages" / "protocol" / "include", prefix / "include")
    shutil.copy((build / "packages" / "protocol" / "libtridap_protocol.so").resolve(), prefix / "lib" / "libtridap_protocol.so")
    subprocess.run([*ABI, "describe", str(prefix), str(SCRATCH / f"abi_{name}")], check=True)
    return SCRATCH / f"abi_{name}"


def compared(before, after):
    done = subprocess.run([*ABI, "compare", str(before), str(after)], text=True, stdout=subprocess.PIPE)
    print(done.stdout)
    return done.returncode, done.stdout


def changed(text, old, new):
    assert text.count(old) == 1, f"'{old}' is there {text.count(old)} times"
    return text.replace(old, new)


shutil.rmtree(SCRATCH, ignore_errors=True)
SCRATCH.mkdir(parents=True)
now = installed(SOURCE, "now")
code, said = compared(now, now)
assert code == 0 and said == "libtridap_protocol: as before\n", "the same library is another one"

copy = SCRATCH / "sources"
shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))
for file in ("packages/protocol/include/tridap/library.hpp", "packages/protocol/src/library.cpp"):
    text = (copy / file).read_text()
    (copy / file).write_text(changed(text, "void print_message(const char* line) noexcept", "void print_message(const char* line, int) noexcept"))
text = (copy / "packages/protocol/src/library.cpp").read_text()
text = changed(text, "&print_message;", "MessageSink([](const char* line) { print_message(line, 0); });").replace("tridap::print_message(line)", "tridap::print_message(line, 0)")
(copy / "packages/protocol/src/library.cpp").write_text(text)
code, said = compared(now, installed(copy, "changed"))
assert code == 1 and "may not work" in said, "a function with another argument was not found"
assert "print_message(const char*)" in said, "the function is not named"

(SCRATCH / "nothing").mkdir()
code, said = compared(now, SCRATCH / "nothing")
assert code == 1 and "libtridap_protocol: the library is not there any more" in said
