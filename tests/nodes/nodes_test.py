#!/usr/bin/env python3
"""nodes.py: where the ranks are, what the nodes share, that no trace is left, and what is refused."""

import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NODES = pathlib.Path(__file__).with_name("nodes.py")
failures = 0


def expect(name, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"{name}: found {found!r}, wanted {wanted!r}")


def on_nodes(*arguments, script=NODES):
    ran = subprocess.run([script, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return ran.returncode, ran.stdout, ran.stderr


def hosts(*arguments, script=NODES):
    """The host name of each rank."""
    layout = arguments[-1]
    ranks = str(sum(map(int, layout.split("+"))))
    echo = "echo $OMPI_COMM_WORLD_RANK $(hostname)"
    status, out, err = on_nodes(*arguments, "mpiexec", "-n", ranks, "sh", "-c", echo, script=script)
    return " ".join(line.split()[1] for line in sorted(out.splitlines())) if status == 0 else err


def processes_of(mark):
    """How many processes have a mark in their command."""
    count = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += mark in path.read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it has just ended
            pass
    return count


def outside():
    """What the nodes must leave alone."""
    links = subprocess.run(["ip", "-oneline", "-brief", "link"], text=True, stdout=subprocess.PIPE, check=True).stdout
    files = [pathlib.Path(name).read_text() for name in ("/proc/self/mountinfo", "/etc/hosts")]
    return os.uname().nodename, links, files


def wait_for(condition):
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_ranks_are_on_the_nodes_of_the_layout():
    expect("3+1", hosts("3+1"), "node1 node1 node1 node2")
    expect("2+2", hosts("2+2"), "node1 node1 node2 node2")
    expect("in turn", hosts("--in-turn", "3+2+1"), "node1 node2 node3 node1 node2 node1")


def test_each_node_has_its_own_files():
    mark, rank = secrets.token_hex(8), "$OMPI_COMM_WORLD_RANK"
    write = f"for folder in /tmp /dev/shm; do echo > $folder/{mark}_{rank}; done"
    read = f"for folder in /tmp /dev/shm; do cd $folder; echo {rank}: {mark}_*; done"
    status, out, err = on_nodes("2+1", "sh", "-c", f"mpiexec -n 3 sh -c '{write}'; mpiexec -n 3 sh -c '{read}'")
    first = f"{mark}_0 {mark}_1"
    wanted = [f"0: {first}", f"0: {first}", f"1: {first}", f"1: {first}", f"2: {mark}_2", f"2: {mark}_2"]
    expect("files", (status, sorted(out.splitlines())), (0, wanted))
    for folder in ("/tmp", "/dev/shm"):
        expect(f"files in {folder} outside", list(pathlib.Path(folder).glob(f"{mark}_*")), [])


def test_status_and_folder_are_those_of_the_command():
    expect("status", on_nodes("1+1", "sh", "-c", "pwd; exit 7"), (7, os.getcwd() + "\n", ""))


def test_every_end_leaves_no_process():
    before = outside()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        mark = secrets.token_hex(8)
        running = subprocess.Popen([NODES, "2+1", "mpiexec", "-n", "3", "sh", "-c", "sleep 1000; true", mark],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # nodes.py twice, unshare, mpiexec, and its three processes.
        expect(f"started before {number.name}", wait_for(lambda: processes_of(mark) == 7), True)
        running.send_signal(number)
        expect(f"status after {number.name}", running.wait(), -9 if number == signal.SIGKILL else 128 + number)
        expect(f"ended after {number.name}", wait_for(lambda: processes_of(mark) == 0), True)
    status, _, _ = on_nodes("1+1", "true")
    expect("what is outside, and the last status", (outside(), status), (before, 0))


def test_two_at_a_time():
    command = [NODES, "2+1", "mpiexec", "-n", "3", "hostname"]
    both = [subprocess.Popen(command, text=True, stdout=subprocess.PIPE) for _ in range(2)]
    expect("two at a time", [sorted(one.communicate()[0].split()) for one in both], [["node1", "node1", "node2"]] * 2)


def test_any_path():
    with tempfile.TemporaryDirectory(prefix="a checkout ") as folder:
        copy = pathlib.Path(folder) / "tests" / "my nodes"
        copy.mkdir(parents=True)
        for name in (NODES, NODES.with_name("enter_node")):
            shutil.copy(name, copy)
        expect("a path with spaces", hosts("1+1", script=copy / NODES.name), "node1 node2")


def test_what_is_refused():
    for layout in ("", "0+1", "2+", "2,2"):
        status, _, err = on_nodes(layout, "true")
        says = f"'{layout}' must be the numbers of processes on each node" in err
        expect(f"layout {layout!r}", (status, says), (2, True))
    expect("no command", "there is no COMMAND" in on_nodes("2+2")[2], True)
    with tempfile.TemporaryDirectory() as folder:  # that every user may read
        os.chmod(folder, 0o755)
        copy = shutil.copy(NODES, folder)
        for how, why in ((["--reuid=65534", "--clear-groups"], "they need root"),
                         (["--bounding-set=-sys_admin"], "unshare: unshare failed: Operation not permitted")):
            status, _, err = on_nodes(*how, copy, "1+1", "true", script="setpriv")
            expect(f"refused {how}", (status, err), (77, f"this machine has no simulated nodes: {why}\n"))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
sys.exit(failures > 0)
