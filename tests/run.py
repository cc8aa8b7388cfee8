"""Runs the tests for ./dev test, which has installed the Debian packages.

    run.py                     the quick tests
    run.py --all               all tests; does not repeat quick tests that have passed on the same sources; under the
                               sanitizers those of memory that passes between libraries or processes
    run.py --all --sanitized   these, and the other sanitized tests
    run.py --all --part K/N    an N-th of what --all adds to the quick tests; builds only what it needs
    run.py --all --record      all tests, and writes how long each took to seconds.tsv, which chooses the parts
    run.py NAME[:FILTER]...    the tests of a folder, a file or a CTest test; -n PROCESSES; --sanitized
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "parts"))

import parts  # noqa: E402

CORES = os.cpu_count() or 1
LEFT_OUT = ("3 and 6 processes, all cases of the sampled sweeps, AddressSanitizer and UBSan, consumers, installs, "
            "examples, tutorials, the site, pages in a browser, fuzzers, simulated nodes, fresh machines")


def say(text):
    print(f"\n== {text}", file=sys.stderr, flush=True)


def folder_of(preset):
    return ROOT / "build" / preset


def lasted(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Table:
    """The steps and their times, printed before CTest's last lines."""

    def __init__(self):
        self.rows = []
        if "TRIDAP_PACKAGES_SECONDS" in os.environ:
            self.rows.append(("Debian packages", "", float(os.environ["TRIDAP_PACKAGES_SECONDS"])))

    def add(self, what, counts, seconds):
        self.rows.append((what, counts, seconds))

    def show(self, not_run):
        say("steps and their times")
        for what, counts, seconds in self.rows:
            print(f"  {what:<46}{counts:<70}{lasted(seconds):>7}")
        print(f"  {'total':<116}{lasted(sum(row[2] for row in self.rows)):>7}")
        if not_run:
            print(f"not run: {not_run}")
            print("         ./dev test --all runs these too")
        sys.stdout.flush()


def configure(preset, quiet=False):
    configured = subprocess.run(["cmake", "--preset", preset, *lenient()], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    inside = False
    for line in [] if quiet else configured.stdout.splitlines():  # our table of components
        inside = (inside or line.startswith("-- TriDAP")) and not line.startswith("-- Configuring")
        if inside:
            print(line, file=sys.stderr)


def build(preset, targets, table, what, begin):
    say(f"building {what} in build/{preset}")
    compiled = subprocess.run(["cmake", "--build", folder_of(preset), "--target", *targets], cwd=ROOT)
    if compiled.returncode != 0:
        sys.exit(f"./dev test: building {what} failed; the compiler's messages are above")
    table.add(f"building {what}", f"build/{preset}", time.monotonic() - begin)


def lenient():
    """Warnings are errors only with GCC 12: a newer compiler's new warnings must not stop the build."""
    version = subprocess.run(["c++", "-dumpversion"], text=True, stdout=subprocess.PIPE).stdout
    return [] if version.startswith("12") else ["--compile-no-warning-as-error"]


def counted(log):
    """Returns the numbers of test cases that GoogleTest and pytest report; those that were skipped count as skipped alone."""
    def total(pattern):
        return sum(int(n) for n in re.findall(pattern, log, re.MULTILINE))
    skipped = total(r"\[  SKIPPED \] (?:\x1b\[m)?(\d+) tests?[.,]")  # GoogleTest counts these among those that ran
    google = total(r"\[=+\][^\n]*?(\d+) tests? from \d+ test suites? ran") - skipped
    python = total(r"^(?:\d+ \w+, )*(\d+) passed")
    skipped += total(r"^(?:\d+ \w+, )*(\d+) skipped(?:, \d+ \w+)* in [\d.]+s")
    cases = [f"{google} GoogleTest cases"] if google else []
    cases += [f"{python} pytest cases"] if python else []
    return ", ".join(cases + ([f"{skipped} skipped cases"] if skipped else []))


def run_ctest(preset, names, what, table):
    """Runs these CTest tests. Returns the exit code, CTest's last lines, and lines on what was skipped and what to repeat."""
    say(f"{what} (build/{preset})")
    begin = time.monotonic()
    report_of(preset, what).unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(folder_of(preset)), "--output-on-failure", "--no-label-summary",
               "--no-tests=error", "--parallel", str(CORES), "--output-junit", str(report_of(preset, what)),
               "--tests-regex", f"^({'|'.join(map(re.escape, names))})$"]
    process = subprocess.Popen(command, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    closing, again = [], []
    for line in process.stdout:
        if closing or re.match(r"\d+% tests passed", line):
            closing.append(line)
            continue
        if line.startswith("again: "):
            again.append(line)
        print(line, end="", flush=True)
    code = process.wait()
    log = folder_of(preset) / "Testing" / "Temporary" / "LastTest.log"
    ran = re.findall(r"(\d+) tests failed out of (\d+)", "".join(closing))
    counts = f"{ran[0][1]} runs" if ran else "no runs"
    cases = counted(log.read_text(errors="replace")) if log.exists() else ""
    table.add(what, counts + (f": {cases}" if cases else ""), time.monotonic() - begin)
    for name in re.findall(r"^\s*\d+ - (\S+) \((?!Skipped\)|Disabled\))", "".join(closing), re.MULTILINE):
        sanitized = " --sanitized" if preset == "asan" else ""
        again.append(f"again: ./dev test {name}{sanitized}\n")
    return code, closing, skipped(preset, what) + again


def report_of(preset, what):
    return folder_of(preset) / "Testing" / f"{what.replace(' ', '_')}.xml"


def cases_of(preset, what):
    report = report_of(preset, what)
    return list(xml.etree.ElementTree.parse(report).iter("testcase")) if report.exists() else []


def skipped(preset, what):
    """Returns a line for each test that did not run: its name, and the reason. The reason of a test that skipped itself is
    the last line that it printed."""
    found = []
    for case in cases_of(preset, what):
        entry = case.find("skipped")
        if entry is not None:
            printed = (case.findtext("system-out") or "").strip().splitlines() or ["it printed no reason"]
            itself = "SKIP_RETURN_CODE" in entry.get("message", "SKIP_RETURN_CODE")
            found.append(f"skipped: {case.get('name')}: {printed[-1] if itself else entry.get('message')}\n")
    return found


def sources():
    """Returns the names of the sources: tracked files, and new files that git does not ignore; without git, all files."""
    git = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(git, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if listed.returncode == 0:  # else .git is not of this machine, as in a container with a worktree
            return set(filter(None, listed.stdout.split(b"\0")))
    found = set()
    for folder, inside, files in os.walk(os.fsencode(ROOT)):
        inside[:] = [name for name in inside if name not in (b"build", b"__pycache__")]
        found.update(os.path.relpath(os.path.join(folder, name), os.fsencode(ROOT)) for name in files)
    return found


def digest():
    """Returns a hash of the sources."""
    found = hashlib.sha256()
    for name in sorted(sources()):
        path = ROOT / os.fsdecode(name)
        found.update(name + b"\0" + (path.read_bytes() if path.is_file() else b""))
    return found.hexdigest()


def quick_stamp():
    return folder_of("release") / "tests" / "quick_tests_passed"


def refusal_of_nodes():
    """Why this machine cannot run the tests whose label is "root"; empty: it can."""
    tried = subprocess.run([ROOT / "tests" / "nodes" / "nodes.py", "1", "true"], text=True, stderr=subprocess.PIPE)
    return tried.stderr.strip() if tried.returncode == 77 else ""


def run_quick(table):
    begin, tested = time.monotonic(), digest()
    configure("release")
    build("release", ["quick_tests"], table, "libraries and tests", begin)
    result = run_ctest("release", [test.name for test in known_tests("release") if test.label == "quick"], "quick tests", table)
    if result[0] == 0:
        quick_stamp().write_text(tested)
    return result


class More:
    """What --all adds to the quick tests, or a part of it: three builds and their tests."""

    STEPS = (("release", "more", "more tests", "the other tests, and the benchmarks"),
             ("release", "root", "tests on nodes", ""), ("release", "first", "fresh machines", ""),
             ("asan", "memory", "sanitized tests", "with sanitizers"), ("fuzz", "fuzz", "fuzzers", "fuzzers"))

    def __init__(self, part, sanitized, table):
        self.part, self.sanitized, self.table = part, sanitized, table
        self.listed, self.ran, self.left_out, self.results = parts.read_list(), [], [], []

    def chosen(self, preset, label):
        """Returns the tests of a preset and label that are in the part."""
        tests = [test for test in known_tests(preset) if test.label == label or preset == "asan" and self.sanitized]
        if self.part is None:
            return tests
        names = parts.chosen([f"{preset}/{test.name}" for test in tests], self.part, self.listed)
        return [test for test in tests if f"{preset}/{test.name}" in names]

    def run(self):
        configured = set()
        for preset, label, what, built in self.STEPS:
            begin = time.monotonic()
            if preset not in configured:
                configure(preset)
                configured.add(preset)
            tests = self.chosen(preset, label)
            refused = refusal_of_nodes() if label == "root" else ""
            if refused:
                self.table.add(what, f"left out: {refused}", 0)
                self.left_out += [f"{preset}/{test.name}" for test in tests]
                continue
            if not tests:
                self.table.add(what, "none in this part", 0)
                continue
            targets = {target for test in tests for target in test.targets}
            if self.part is None or self.part.number == self.part.of:
                targets |= {"benchmarks"} if label == "more" else set()
            if targets:
                build(preset, sorted(targets), self.table, built or f"what {what} need", begin)
            if self.part:
                say(f"part {self.part.number}/{self.part.of} of the {what}: " + " ".join(test.name for test in tests))
            self.results.append(run_ctest(preset, [test.name for test in tests], what, self.table))
            self.ran += [(preset, label, what, test) for test in tests]
        return self.results

    def record(self):
        """Writes how long each test took to seconds.tsv, unless one failed. A test that did not run keeps its line."""
        if any(code for code, _, _ in self.results):
            return say("seconds.tsv is as it was, because a test failed")
        before = {entry.name: entry for entry in self.listed}
        seconds, entries = {}, [before[name] for name in self.left_out if name in before]
        for preset, what in {(preset, what) for preset, _, what, _ in self.ran}:
            for case in cases_of(preset, what):
                if case.find("skipped") is None:
                    seconds[preset, case.get("name")] = float(case.get("time"))
        for preset, label, _, test in self.ran:
            name = f"{preset}/{test.name}"
            if (preset, test.name) not in seconds:
                entries += [before[name]] if name in before else []
                continue
            beside = next((other.name for at, _, _, other in self.ran
                           if at == preset and other.provides & test.requires), "")
            entries.append(parts.Entry(name, parts.kind_of(preset, label, test.folder, test.name, test.ranks),
                                       f"{preset}/{beside}" if beside else "", seconds[preset, test.name]))
        parts.write_list(entries)


def run_all(everything, sanitized, part, record):
    table, results = Table(), []
    if everything and quick_stamp().exists() and quick_stamp().read_text() == digest():
        table.add("quick tests", "not repeated: they have passed on the same sources", 0)
    elif part is None:
        results.append(run_quick(table))
    if everything:
        more = More(part, sanitized, table)
        results += more.run()
        if record:
            more.record()
    table.show("" if everything and part is None else f"all but part {part.number}/{part.of}" if part else LEFT_OUT)
    for code, closing, again in results:
        sys.stdout.writelines(again)
        sys.stdout.writelines(closing)
    return int(any(code for code, _, _ in results))


class Test:
    """A CTest test: its entry in CTest's JSON. cmake/TriDAPTests.cmake explains its labels."""

    def __init__(self, told):
        properties = parts.properties_of(told)
        self.name, self.command = told["name"], told.get("command", [])
        labels = properties["LABELS"]
        (self.label,) = [label for label in labels if ":" not in label]
        (self.folder,), (self.kind,), (ranks,), self.targets, self.files = (
            [label.partition(":")[2] for label in labels if label.startswith(f"{key}:")]
            for key in ("folder", "kind", "ranks", "target", "file"))
        self.ranks = int(ranks)
        self.environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
        self.working_directory = properties["WORKING_DIRECTORY"]
        self.provides = set(properties.get("FIXTURES_SETUP", []))
        self.requires = set(properties.get("FIXTURES_REQUIRED", []))
        self.plain = not {"WILL_FAIL", "PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION",
                          "FIXTURES_REQUIRED"} & properties.keys()

    def program(self):
        return self.targets[0] if self.kind == "gtest" else re.sub(r"_np\d+(_more)?$", "", self.name)

    def command_for(self, files, pattern, processes):
        """Returns CTest's command for these files, the tests that match the pattern, and this number of processes."""
        command = [part for part in self.command if part != "--gtest_brief=1" and not part.startswith("--files=")]
        if self.kind == "pytest":
            command = [part for part in command if not part.endswith(".py") or pathlib.Path(part).stem in files]
        if processes and "-n" in command:
            command[command.index("-n") + 1] = str(processes)
        if self.kind == "gtest" and set(files) != set(self.files):
            command.append("--files=" + ",".join(files))
        if pattern:
            command += ["-k", pattern] if self.kind == "pytest" else [f"--gtest_filter={pattern}"]
        return command


def known_tests(preset):
    return [Test(told) for told in parts.told_by_ctest(folder_of(preset)).values()]


def chosen(name, tests, processes):
    """Returns the runs of a name as pairs of a test and its files: one for each program and number of processes."""
    base = re.sub(r"[.](cpp|py)$", "", name.rstrip("/").split("/")[-1])
    in_folder = [test for test in tests if test.folder == base]
    has_quick = any(test.label == "quick" for test in in_folder)
    takes_all = in_folder and not has_quick  # as the sanitized tests, of which those with MPI are not quick
    runs = {}
    for test in sorted(tests, key=lambda test: test.label != "quick"):
        files = [file for file in test.files if file == base]
        if test.name == base:
            files = test.files
        elif not files and (test.folder == base or re.sub(r"_np\d+$", "", test.name) == base):
            files = test.files if test.label == "quick" or test.kind == "other" or takes_all else []
            if test.kind == "other" and test.label != "quick" and test.folder == base and has_quick:
                continue
        if not files and test.kind != "other":
            continue
        if test.kind == "other" and base not in (test.name, test.folder, re.sub(r"_np\d+$", "", test.name)):
            continue
        if test.ranks and processes:
            key = (test.program(), tuple(files), processes)
        elif test.label != "quick" and not takes_all and any(key[0] == test.program() for key in runs):
            continue
        else:
            key = (test.program(), tuple(files), test.ranks)
        runs.setdefault(key, (test, files))
    return list(runs.values())


def run_named(names, processes, preset):
    configure(preset, quiet=True)
    tests, runs = known_tests(preset), []
    for given in names:
        name, _, pattern = given.partition(":")
        found = chosen(name, tests, processes)
        if not found:
            words = sorted({t.folder for t in tests} | {f for t in tests for f in t.files})
            sys.exit(f"./dev test: there is no folder of tests, no file and no CTest test '{name}'; the folders and files are: "
                     + " ".join(words))
        if processes and not any(test.ranks for test, _ in found):
            sys.exit(f"./dev test: the number of processes of '{name}' is fixed: omit -n {processes}")
        runs += [(test, files, pattern) for test, files in found if not pattern or test.kind != "other"]
    targets = sorted({target for test, _, _ in runs for target in test.targets})
    if targets and subprocess.run(["cmake", "--build", folder_of(preset), "--target", *targets]).returncode:
        return 1
    commands = {test.name: test.command for test in known_tests(preset)}  # CTest has no command for a program that is not built
    failed, left = [], []
    for test, files, pattern in runs:
        test.command = commands[test.name]
        on = processes if test.ranks and processes else test.ranks
        say(f"{test.name if test.kind == 'other' else ' '.join(files)}" + (f" on {on}" if on else ""))
        if test.kind == "other" and (not test.plain or not processes):  # only CTest knows whether these pass
            report_of(preset, "named").unlink(missing_ok=True)
            code = subprocess.run(["ctest", "--test-dir", folder_of(preset), "--output-on-failure", "--output-junit",
                                   report_of(preset, "named"), "-R", f"^{re.escape(test.name)}$"]).returncode
            left += skipped(preset, "named")
        else:
            environment = {**os.environ, **test.environment, "TRIDAP_TEST_EFFORT": "all"}
            code = subprocess.run(test.command_for(files, pattern, processes), env=environment,
                                  cwd=test.working_directory).returncode
            code = 0 if code == 5 and test.kind == "pytest" and pattern else code  # 5: no test matches
        if code:
            failed.append(f"again: ./dev test {test.name}" + (" --sanitized" if preset == "asan" else "") + "\n")
    sys.stdout.writelines(["\n", *left, *failed])
    print(f"{len(runs) - len(failed) - len(left)} of {len(runs)} runs passed" + (f", {len(left)} skipped" if left else ""))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(prog="./dev test", description="without a name: the quick tests")
    parser.add_argument("names", nargs="*", metavar="NAME[:FILTER]",
                        help="a folder of tests/, a file in it, or a CTest test; FILTER: a GoogleTest filter, or pytest's -k")
    parser.add_argument("--all", action="store_true", help="run every test")
    parser.add_argument("--part", metavar="K/N", help="with --all: run an N-th of what the quick tests leave out")
    parser.add_argument("--record", action="store_true", help="with --all: write how long each test took to tests/parts/seconds.tsv")
    parser.add_argument("-n", type=int, metavar="PROCESSES", help="number of processes")
    parser.add_argument("--sanitized", action="store_true", help="run under AddressSanitizer and UBSan; with --all: all such tests too")
    options = parser.parse_args()
    if options.n is not None and options.n < 1:
        parser.error(f"-n is {options.n}, must be a number of processes, at least 1")
    if options.names and options.all:
        parser.error("--all runs every test, and takes no NAME: omit one of them")
    if not options.names and (options.n or options.sanitized and not options.all):
        parser.error("-n needs a NAME, and --sanitized a NAME or --all, which runs all numbers of processes")
    try:
        part = None if options.part is None else parts.Part.read(options.part)
    except ValueError as error:
        parser.error(str(error))
    if (part or options.record) and not options.all or part and options.record:
        parser.error("--part and --record need --all, and not each other")
    if options.names:
        return run_named(options.names, options.n, "asan" if options.sanitized else "release")
    return run_all(options.all, options.sanitized, part, options.record)


if __name__ == "__main__":
    sys.exit(main())
