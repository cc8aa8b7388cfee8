"""The checks on a GPU, as far as a machine without one can try them.

    pack_test.py collect            pytest finds the tests of test_python_gpu.py, over a CuPy that has nothing in it
    pack_test.py pack DIR BUILD     pack.sh packs into DIR from a build, compiles driver_test.cpp, and the pack runs there

The status is 77 if this machine cannot try it.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{command[0]} has ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def collect():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cupy.py").touch()
        said = run(sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", HERE / "test_python_gpu.py",
                   PYTHONPATH=os.pathsep.join([folder, os.environ["PYTHONPATH"]]),
                   PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")  # the plugin of zarr 3 would ask CuPy for GPUs
    found = re.search(r"^(\d+) tests collected", said, re.M)
    assert found and int(found[1]) > 60, said
    assert "test_call_that_reads_gpu_memory_is_refused[add]" in said, said


def need_all_modules(packed, folder):
    """What the packed tests import from their folder is packed, too."""
    texts = [path.read_text() for path in packed.glob("*.py")]
    imported = {name for text in texts for name in re.findall(r"^(?:from|import) (\w+)", text, re.M)}
    lacking = [name for name in imported if (folder / f"{name}.py").exists() and not (packed / f"{name}.py").exists()]
    assert texts and not lacking, lacking


def pack(folder, build):
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None:
        print("no nvcc, which compiles the check of the driver")
        sys.exit(77)
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory() as scripts:  # some machines have a script in PATH that calls nvcc
        script = pathlib.Path(scripts) / "nvcc"
        script.write_text(f'#!/bin/sh\nexec "{nvcc}" "$@"\n')
        script.chmod(0o755)
        run(HERE / "pack.sh", "--into", folder, build, PATH=os.pathsep.join([scripts, os.environ["PATH"]]))
    assert (folder / "kernels.fatbin").stat().st_size > 10000 and os.access(folder / "mpi_programs" / "moves", os.X_OK)
    assert (folder / "refused_calls.py").exists() and os.access(folder / "programs" / "driver", os.X_OK)
    need_all_modules(folder / "shards" / "tests" / "python", HERE.parent / "python")
    with tempfile.TemporaryDirectory() as out:
        said = run(sys.executable, folder / "run", "--out", out, "--only", "configure", CUDA_VISIBLE_DEVICES="")
        result = json.loads((pathlib.Path(out) / "result.json").read_text())
    checks = {check["check"]: (check["outcome"], check["what"]) for check in result["checks"]}
    module = checks.popitem()  # the last one
    assert module[0] == "configure" and module[1][0] == "ok" or module == ("build", ("skipped", module[1][1])), said
    assert list(checks) == ["driver", "moves", "rates", "sanitizer", "python", "mpi", "shards"], said
    assert set(checks.values()) == {("skipped", "no GPU here")}, said
    assert re.fullmatch(r"nvcc \d+[.]\d+", result["compiler"]), result


if __name__ == "__main__":
    {"collect": collect, "pack": pack}[sys.argv[1]](*sys.argv[2:])
