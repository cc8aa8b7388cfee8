"""Tests run on every process together; the first speaks for all, and a failure on any fails the test on all.

A test is skipped on all processes or on none: else it fails, and the processes that skipped it are named.
"""

import pathlib
import sys
import tempfile

import pytest
from mpi4py import MPI

WORLD = MPI.COMM_WORLD.Dup()
FAILED = {}  # by file, the functions that failed


@pytest.fixture
def comm():
    return MPI.COMM_WORLD


@pytest.fixture
def folder(comm):
    """A new folder, the same on every process."""
    made = tempfile.TemporaryDirectory() if comm.rank == 0 else None
    yield pathlib.Path(comm.bcast(made.name if made else None))
    comm.Barrier()
    if made:
        made.cleanup()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    outcomes = WORLD.allgather(report.outcome)
    where = {name: [rank for rank, one in enumerate(outcomes) if one == name] for name in ("failed", "skipped", "passed")}
    why = ""
    if where["failed"]:
        why = f"failed on rank {listed(where['failed'])}"
    elif where["skipped"] and where["passed"]:
        why = f"skipped on rank {listed(where['skipped'])}, but run on rank {listed(where['passed'])}"
    if why:
        FAILED.setdefault(item.path.stem, {})[item.originalname or item.name] = True
    if report.failed and WORLD.rank != 0:
        sys.stderr.write(f"[rank {WORLD.rank}] {item.nodeid} ({report.when}):\n{report.longreprtext}\n")
    if why and not report.failed:
        report.outcome = "failed"
        report.longrepr = why


def listed(ranks):
    return ", ".join(map(str, ranks))


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    if WORLD.rank != 0:  # the others tell of failures alone, in their own words
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        config.pluginmanager.unregister(reporter)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    if FAILED and WORLD.rank == 0:
        names = " ".join(f"'{file}:{' or '.join(functions)}'" for file, functions in FAILED.items())
        print(f"\nagain: ./dev test {names} -n {WORLD.size}")
