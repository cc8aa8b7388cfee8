"""Builds and tests in a Debian of its own, for ./dev matrix.

    matrix.py ROW                    make or reuse the row's chroot, build HEAD in it, and run the quick tests
    matrix.py ROW --fresh            make the chroot again first
    matrix.py ROW --run COMMAND      run a command in the row's checkout, as after a failure; nothing is recorded
    matrix.py ROW --clean            remove the row's chroot, and the base that no other row has a chroot of
    matrix.py --table                write the README's table again from results.json
    matrix.py gpu                    record the result of the last ./dev gpu

A row is a file in rows/; rows/README.md explains it. The last run of each row is recorded in results.json, from which
the table in the project's README is made.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import machines  # noqa: E402
from run import counted, quick_stamp  # noqa: E402

RESULTS = HERE / "results.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- ./dev matrix --table writes this table -->\n", "<!-- end of the table -->\n"


def say(text):
    print(f"\n== {text}", file=sys.stderr, flush=True)


def names():
    return sorted(path.stem for path in (HERE / "rows").glob("*.json"))


def read_row(name):
    path = HERE / "rows" / f"{name}.json"
    if name not in names():
        sys.exit(f"./dev matrix: there is no row '{name}'; the rows are: {' '.join(names())}")
    row = json.loads(path.read_text())
    row["name"] = name
    return row


def packages_of(row):
    """Returns the row's Debian packages: dev's lists, of which some packages are replaced, and the row's own."""
    wanted = []
    for group in row["packages"]:
        listed = os.environ.get(f"TRIDAP_{group}_packages")
        if listed is None:
            sys.exit(f"rows/{row['name']}.json: dev has no list '{group}_packages'; "
                     "run ./dev matrix, which passes the lists")
        wanted += listed.split()
    replaced = row.get("instead", {})
    wanted = [replaced.get(package, package) for package in wanted]
    architecture = row.get("architecture")
    if architecture:  # the libraries of another architecture, and the tools of this one
        wanted = [f"{p}:{architecture}" if re.search(row["foreign"], p) else p for p in wanted]
    return list(dict.fromkeys(p for p in wanted + row.get("also", []) if p))


def announce(row):
    """Says what is about to happen, how long it takes and how much disk it needs. Stops if the disk is too small."""
    where = "on this machine itself" if row["in_place"] else f"in {machines.folder(row).relative_to(ROOT)}"
    need = row["gigabytes"]
    say(f"{row['name']}: {row['what']}; {where}")
    made = not row["in_place"] and machines.ready(row)
    print(f"   about {row['minutes']} minutes on two cores, less with a filled ccache; {need} GB of disk"
          + (", most of which the chroot has already" if made else ""), file=sys.stderr, flush=True)
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < need and not made:
        sys.exit(f"./dev matrix: {free:.1f} GB of disk are free, must be at least {need}: free some, "
                 "or ./dev matrix ROW --clean")
    changed = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "status", "--porcelain", "--untracked-files=no"],
                             cwd=ROOT, text=True, stdout=subprocess.PIPE).stdout
    if changed and not row["in_place"]:
        print("   changes that are not committed are not in the checkout of HEAD", file=sys.stderr, flush=True)


def is_debian_12():
    try:
        return 'VERSION_ID="12"' in pathlib.Path("/etc/os-release").read_text()
    except OSError:
        return False


def head():
    return subprocess.run(["git", "-c", f"safe.directory={ROOT}", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, check=True).stdout.strip()


def compiler_of(folder):
    """Returns the compiler's name and version from CMake's notes in a build folder."""
    shown = {"GNU": "GCC"}
    for path in sorted(folder.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        text = path.read_text()
        kind = re.search(r'set\(CMAKE_CXX_COMPILER_ID "(\w+)"', text)
        version = re.search(r'set\(CMAKE_CXX_COMPILER_VERSION "([\d.]+)"', text)
        if kind and version:
            return f"{shown.get(kind[1], kind[1])} {version[1]}"
    return "unknown"


def numbers(text):
    """Returns the cases of GoogleTest and pytest, the skipped ones, and the runs of CTest and the failed ones of a text."""
    def total(pattern):
        return sum(int(n) for n in re.findall(pattern, text))
    return {"googletest": total(r"(\d+) GoogleTest cases"), "pytest": total(r"(\d+) pytest cases"),
            "skipped": total(r"(\d+) skipped cases"),
            "failed": total(r"tests passed, (\d+) tests? failed out of \d+"),
            "runs": total(r"tests passed, \d+ tests? failed out of (\d+)")}


def run_in_place(row):
    """Runs `./dev test --all` on this machine, the quick tests too. Returns the numbers and the exit status."""
    quick_stamp().unlink(missing_ok=True)
    process = subprocess.Popen([str(ROOT / "dev"), *row["in_place_command"]], cwd=ROOT, text=True, errors="replace",
                               stdout=subprocess.PIPE)
    said = []
    for line in process.stdout:
        print(line, end="", flush=True)
        said.append(line)
    code = process.wait()
    if "after" in row:
        code = subprocess.run(["cmake", "--build", build_of(row), "--target", row["after"]]).returncode or code
    return numbers("".join(said)), code


def run_inside(row):
    """Builds and tests the row's checkout. Returns the numbers and the exit status."""
    machine = machines.prepare(row, packages_of(row))
    results = machine.checkout / "build" / "matrix_results"
    if "script" in row:
        return run_script(row, machine, results)
    arguments = [",".join(row.get("presets", ["release"])), " ".join(row.get("configure", [])),
                 " ".join(row.get("sanitized", [])), row.get("tests", ""), row["mpi"][1], row.get("after", ""), row.get("label", "quick")]
    code = machine.run("tests/matrix/inside.sh", *arguments)
    return numbers_of(results), code


def given(row):
    """Returns the folder that the row needs and no package has."""
    name, how = row["given"]
    folder = os.environ.get(name)
    if not folder or not os.path.isdir(folder):
        sys.exit(f"./dev matrix: {name} is {folder or 'not set'}, must be a folder: {how}")
    return folder


def run_script(row, machine, results):
    """Runs the row's script, which leaves CTest's log and last lines in the results. Returns the numbers and the exit status."""
    results.mkdir(parents=True)
    shutil.copytree(given(row), machine.checkout / "build" / "given", symlinks=True)
    machine.run("-c", f"dpkg-query -W -f='${{Version}}' {row['mpi'][1]} >build/matrix_results/mpi")
    code = machine.run(row["script"], "build/given")
    for file in (machine.checkout / "build" / row["presets"][0]).parent.glob("release.*"):
        shutil.copy(file, results)
    return numbers_of(results), code


def numbers_of(results):
    """Returns the sums of the numbers of all logs in a folder."""
    found = dict.fromkeys(numbers(""), 0)
    for log in sorted(results.glob("*.log")):
        closing = log.with_suffix(".out").read_text(errors="replace")
        for key, number in numbers(counted(log.read_text(errors="replace")) + "\n" + closing).items():
            found[key] += number
    return found


def run_programs(row):
    """Runs programs of unittest. Returns the numbers and the exit status."""
    found = {"googletest": 0, "pytest": 0, "failed": 0, "runs": 0}
    codes = []
    for program in sorted((ROOT / row["programs"]).glob("*_test.py")):
        say(f"{program.relative_to(ROOT)}")
        process = subprocess.Popen([sys.executable, str(program)], text=True, errors="replace", stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        said = []
        for line in process.stdout:
            print(line, end="", flush=True)
            said.append(line)
        codes.append(process.wait())
        for key, number in unittest_numbers("".join(said)).items():
            found[key] += number
    return found, int(any(codes))  # a signal's code is negative


def unittest_numbers(text):
    """Returns the tests that unittest has run, and those that failed."""
    return {"runs": sum(int(n) for n in re.findall(r"^Ran (\d+) tests? in ", text, re.MULTILINE)),
            "failed": sum(int(n) for line in re.findall(r"^FAILED \((.*)\)$", text, re.MULTILINE)
                          for n in re.findall(r"(?:failures|errors)=(\d+)", line))}


def version_in(layer, package):
    """Returns the version of a Debian package that is installed in a folder."""
    query = ["dpkg-query", f"--admindir={layer}/var/lib/dpkg", "-W", "-f=${Version}", package]
    return re.sub(r"^\d+:", "", subprocess.run(query, text=True, stdout=subprocess.PIPE).stdout) or "unknown"


def mpi_of(row):
    """Returns the name and version of the row's MPI, from the version of its Debian package."""
    if "-DTRIDAP_MPI=OFF" in row.get("configure", []):
        return "off"
    name, package = row["mpi"]
    if row["in_place"]:
        query = ["dpkg-query", "-W", "-f=${Version}", package]
        version = subprocess.run(query, text=True, stdout=subprocess.PIPE).stdout
    elif "programs" in row:
        version = version_in(machines.folder(row) / "layers" / "full", package)
    else:
        version = (machines.checkout_of(row) / "build" / "matrix_results" / "mpi").read_text()
    return f"{name} {re.sub(r'[-+~].*', '', version.strip())}"


def build_of(row):
    return (ROOT if row["in_place"] else machines.checkout_of(row)) / "build" / row.get("presets", ["release"])[0]


def line_of(name, result):
    return (f"{name}, {result['date']}, {result['commit']}: {result['compiler']}, {result['mpi']}: "
            f"{result['googletest']} GoogleTest cases, {result['pytest']} pytest cases, "
            + (f"{result['skipped']} skipped cases, " if "skipped" in result else "") +
            f"{result['runs']} runs, {result['failed']} failed, {result['minutes']} minutes")


def record(row, found, begin, commit):
    if "programs" in row:
        compiler = "GCC " + re.sub(r"-.*", "", version_in(machines.folder(row) / "layers" / "full", "g++"))
    else:
        compiler = compiler_of(build_of(row))
    result = {"date": datetime.date.today().isoformat(), "commit": commit, "compiler": compiler,
              "mpi": mpi_of(row), **found, "minutes": round((time.monotonic() - begin) / 60)}
    keep(row, result)
    return result


def keep(row, result):
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    kept[row["name"]] = result
    RESULTS.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")


def table():
    """Returns the README's table: one line for each row, in which a row that has never run has no numbers."""
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    lines = ["| `./dev matrix` | what | compiler | MPI | GoogleTest cases | pytest cases | failed runs | last run |",
             "|---|---|---|---|---|---|---|---|"]
    for name in names():
        result = kept.get(name)
        what = read_row(name)["what"]
        if result:
            lines.append(f"| `{name}` | {what} | {result['compiler']} | {result['mpi']} | {result['googletest']} | "
                         f"{result['pytest']} | {result['failed']} of {result['runs']} | {result['date']}, "
                         f"{result['commit']} |")
        else:
            lines.append(f"| `{name}` | {what} | | | | | | not yet |")
    return "\n".join(lines) + "\n"


def write_table():
    text = README.read_text()
    before, found, rest = text.partition(BEGIN)
    if not found or END not in rest:
        sys.exit(f"README.md has no place for the table: write the lines {BEGIN.strip()!r} and {END.strip()!r} "
                 "where it must be")
    README.write_text(before + BEGIN + table() + END + rest.partition(END)[2])


def needs_clone():
    if not (ROOT / ".git").exists():
        sys.exit("./dev: matrix needs a clone of the repository: this folder has no .git, and so no commit and no list of files")


def test(row):
    needs_clone()
    begin, commit = time.monotonic(), head()
    if "given" in row:
        given(row)
    announce(row)
    run = run_in_place if row["in_place"] else run_programs if "programs" in row else run_inside
    found, code = run(row)
    if found["runs"] == 0:
        sys.exit(f"./dev matrix: {row['name']}: no test ran; the reason is above")
    if code and found["failed"] == 0:
        found["failed"] = 1  # what comes after the tests
    result = record(row, found, begin, commit)
    write_table()
    print(line_of(row["name"], result))
    if code and "programs" not in row:
        print(f"again, for one test: ./dev matrix {row['name']} --run "
              "'ctest --test-dir build/release --output-on-failure -R TEST'")
    return 1 if code or result["failed"] else 0


def recorded(row):
    """Records the result of the last `./dev gpu`, unless it found no GPU."""
    path = ROOT / row["result"]
    found = json.loads(path.read_text()) if path.exists() else None
    ok, failed = (found["counts"][key] for key in ("ok", "FAILED")) if found else (0, 0)
    if ok + failed == 0:
        sys.exit(f"./dev matrix: {row['name']}: not run: " + ("no GPU was found" if found else f"there is no {row['result']}")
                 + "; ./dev gpu packs the checks, runs them if this machine has a GPU, and says how another one runs them: then copy "
                 f"its result.json to {row['result']}")
    result = {"date": found["date"], "commit": found["commit"], "compiler": found["compiler"],
              "mpi": mpi_of({**row, "in_place": True}), "googletest": 0, "pytest": 0, "failed": failed, "runs": ok + failed,
              "minutes": round(found["seconds"] / 60)}
    keep(row, result)
    write_table()
    print(line_of(row["name"], result))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(prog="./dev matrix", epilog="The rows are: " + " ".join(names()),
                                     description="builds and tests on another Debian, compiler or MPI")
    parser.add_argument("row", nargs="?", metavar="ROW")
    parser.add_argument("--fresh", action="store_true", help="make the row's chroot again")
    parser.add_argument("--run", metavar="COMMAND", help="run a command in the row's checkout, and record nothing")
    parser.add_argument("--clean", action="store_true", help="remove the row's chroot")
    parser.add_argument("--table", action="store_true", help="write the README's table from the recorded results")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("./dev matrix: ended by SIGTERM"))  # ends what the chroot runs
    if options.table:
        return write_table()
    if options.row is None:
        parser.error(f"a row is missing; the rows are: {' '.join(names())}")
    row = read_row(options.row)
    if "result" in row:
        if options.clean or options.fresh or options.run is not None:
            parser.error(f"{row['name']} has no chroot: it records the result of ./dev gpu")
        return recorded(row)
    row["in_place"] = bool(row.get("in_place_command")) and is_debian_12()
    if options.clean or options.fresh:
        machines.remove(row, [other for other in map(read_row, names()) if other["name"] != row["name"] and "programs" not in other])
    if options.clean:
        return 0
    if options.run is not None:
        if "programs" in row:
            sys.exit(f"./dev matrix: {row['name']} makes its machines anew for each test: omit --run")
        if row["in_place"] or not machines.checkout_of(row).exists():
            sys.exit(f"./dev matrix: {row['name']} has no checkout: ./dev matrix {row['name']} makes it")
        return machines.machine_for(row, packages_of(row)).run("-c", options.run)
    return test(row)


if __name__ == "__main__":
    sys.exit(main())
