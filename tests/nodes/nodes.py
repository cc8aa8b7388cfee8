#!/usr/bin/env python3
"""Runs a command on simulated nodes of this machine, over which Open MPI's mpiexec distributes its processes.

    nodes.py [--in-turn] [--show FOLDER] LAYOUT COMMAND ARGUMENT...

LAYOUT is the number of processes on each node: with 3+1, `mpiexec -n 4` starts ranks 0 to 2 on node1 and rank 3 on
node2. With --in-turn, ranks are dealt to the nodes in turn: with 3+2+1, ranks 0, 3 and 5 are on node1, 1 and 4 on
node2, and 2 on node3. COMMAND runs on node1, with this environment.

Each node has its own network, host name, /dev/shm, /tmp and System V memory; the cores and all other files are the
machine's. This checkout and FOLDER stay visible if they are in /tmp. Between nodes, Open MPI sends by TCP.

The status is that of COMMAND, or 77 if this machine refuses simulated nodes: they need root, Linux namespaces, and the
Debian packages iproute2 and util-linux. All processes are in one PID namespace, so that the kernel ends them and
removes the nodes when this script ends, in whatever way. Nothing of the nodes is visible outside, and any number of
these scripts may run at a time.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REFUSED = 77
NAMESPACES = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--net"]  # of all nodes together

# What a node does first, with its processes' /etc/hosts as input and the folders that stay visible as arguments. /mnt
# holds the new /tmp while the old one can still be read.
NODE = """set -e
hostname "$0"
ip link set lo up
mount -t tmpfs tmpfs /dev/shm
cat >/dev/shm/hosts
mount --bind /dev/shm/hosts /etc/hosts
rm /dev/shm/hosts
mount -t tmpfs -o mode=1777 tmpfs /mnt
for folder; do
  mkdir -p "/mnt/${folder#/tmp/}"
  mount --rbind "$folder" "/mnt/${folder#/tmp/}"
done
mount --move /mnt /tmp
echo ready
exec sleep infinity
"""


def refusal():
    """Why this machine refuses simulated nodes; empty: it does not."""
    if os.geteuid() != 0:
        return "they need root"
    missing = [name for name in ("ip", "mount", "nsenter", "setpriv", "unshare") if not shutil.which(name)]
    if missing:
        return f"the commands {' '.join(missing)} are missing: install iproute2 and util-linux"
    steps = ("ip link add name left type veth peer name right && ip link add name bridge type bridge && "
             "mount -t tmpfs tmpfs /mnt")
    tried = subprocess.run([*NAMESPACES, "--uts", "--ipc", "sh", "-c", steps], text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    return (tried.stdout.strip() or f"status {tried.returncode}").splitlines()[-1] if tried.returncode else ""


def enter(pid):
    return ["nsenter", f"--target={pid}", "--net", "--uts", "--mount", "--ipc", "env", f"--chdir={os.getcwd()}"]


def start_node(number, hosts, shown):
    """Returns the process that keeps node<number>. The bridge exists already."""
    name = f"node{number}"
    node = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "--ipc", "sh", "-c", NODE, name, *shown],
                            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    node.stdin.write(hosts)
    node.stdin.close()
    if node.stdout.readline() != "ready\n":
        sys.exit(f"nodes.py: {name} did not start")
    subprocess.run(f"""set -e
        ip link add name {name} type veth peer name eth0 netns {node.pid}
        ip link set {name} master bridge up
        nsenter --target={node.pid} --net sh -c 'ip address add 10.0.0.{number}/24 dev eth0; ip link set eth0 up'
        """, shell=True, check=True)
    return node


def environment(layout, in_turn, nodes):
    """What makes mpiexec start its processes on the nodes: it calls `enter_node` in place of ssh."""
    host_file = os.memfd_create("hosts")
    os.write(host_file, "".join(f"node{i + 1} slots={n}\n" for i, n in enumerate(layout)).encode())
    settings = {
        "orte_default_hostfile": f"/proc/1/fd/{host_file}",  # this process is the first one of its PID namespace
        "plm_rsh_agent": "enter_node",
        "rmaps_base_mapping_policy": "node" if in_turn else "slot",
        "hwloc_base_binding_policy": "none",  # each node would bind its first process to the same core
        "pml": "ob1", "btl": "self,vader,tcp", "btl_tcp_if_include": "eth0", "oob_tcp_if_include": "eth0",
        "mpi_yield_when_idle": str(int(sum(layout) > (os.cpu_count() or 1))),
    }
    return {**os.environ, **{f"OMPI_MCA_{name}": value for name, value in settings.items()},
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TMPDIR": "/tmp",
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"), "PATH": f"{HERE}:{os.environ['PATH']}",
            "TRIDAP_NODES": " ".join(f"node{i + 1}={node.pid}" for i, node in enumerate(nodes))}


def run_inside(options):
    """Makes the nodes and runs the command, in the namespaces of all nodes together."""
    hosts = "127.0.0.1 localhost\n" + "".join(f"10.0.0.{i + 1} node{i + 1}\n" for i in range(len(options.layout)))
    folders = {str(pathlib.Path(folder).resolve()) for folder in [HERE.parent.parent, os.getcwd(), *options.show]}
    shown = sorted(folder for folder in folders if folder.startswith("/tmp/"))
    subprocess.run("ip link add name bridge type bridge && ip link set bridge up", shell=True, check=True)
    nodes = [start_node(i + 1, hosts, shown) for i in range(len(options.layout))]
    return subprocess.run([*enter(nodes[0].pid), *options.command],
                          env=environment(options.layout, options.in_turn, nodes)).returncode


def run_outside():
    """Runs this script again in namespaces of its own, and ends all their processes if it is interrupted."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    # setpriv: if this process is killed, the kernel kills unshare, and with it the namespaces' first process.
    inside = subprocess.Popen(["setpriv", "--pdeathsig=KILL", *NAMESPACES, sys.executable, __file__, "--inside",
                               *sys.argv[1:]], start_new_session=True)
    try:
        return inside.wait()
    finally:
        inside.kill()
        inside.wait()


def layout(text):
    if not re.fullmatch(r"[1-9]\d*(\+[1-9]\d*)*", text):
        raise argparse.ArgumentTypeError(f"'{text}' must be the numbers of processes on each node, such as 3+1")
    return [int(number) for number in text.split("+")]


def main():
    parser = argparse.ArgumentParser(prog="nodes.py", description="runs a command on simulated nodes of this machine")
    parser.add_argument("--in-turn", action="store_true", help="deal ranks to the nodes in turn")
    parser.add_argument("--show", action="append", default=[], metavar="FOLDER", help="stays visible if it is in /tmp")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("layout", type=layout, metavar="LAYOUT", help="processes on each node, such as 3+1")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    options = parser.parse_args()
    if not options.command:
        parser.error("there is no COMMAND")
    if options.inside:
        return run_inside(options)
    reason = refusal()
    if reason:
        print(f"this machine has no simulated nodes: {reason}", file=sys.stderr)
        return REFUSED
    return run_outside()


if __name__ == "__main__":
    sys.exit(main())
