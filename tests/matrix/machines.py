"""The machines of ./dev matrix and of tests/first: a chroot made by debootstrap for root, or a container of Docker or Podman.

A row's chroot is in build/matrix/ROW, and a base for each Debian suite in build/matrix/.base-SUITE. Every command in a
chroot runs in a mount namespace and a process namespace of its own: when it ends, its mounts and its processes end too.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HOME = ROOT / "build" / "matrix"
MIRROR = os.environ.get("TRIDAP_MATRIX_MIRROR", "http://deb.debian.org/debian")
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
               "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
               "CCACHE_DIR": "/root/.cache/ccache", "OMP_NUM_THREADS": "1"}
SHARED_MEMORY = "4g"  # of /dev/shm: MPI's own, and that of the tests
called = "./dev matrix"  # begins every message


def say(text):
    print(f"\n== {text}", file=sys.stderr, flush=True)


def folder(row):
    return HOME / row["name"]


def base_of(row):
    return HOME / f".base-{row['suite']}"


def checkout_of(row):
    """The checkout has the same path inside as this one has outside, so that ccache finds the objects of both."""
    return folder(row) / str(ROOT).lstrip("/")


def ready(row):
    return (folder(row) / ".tridap_ready").exists()


def ccache_folder():
    """The cache of this machine, or one in build/matrix."""
    told = os.environ.get("CCACHE_DIR") or os.path.expanduser("~/.cache/ccache")
    path = pathlib.Path(told) if os.path.isdir(told) else HOME / ".ccache"
    path.mkdir(parents=True, exist_ok=True)
    return path


def remove(row, others):
    """Removes the row's chroot, and the base of its suite if none of the other rows has a chroot made of it."""
    paths = [folder(row)]
    if not any(folder(other).exists() for other in others if other["suite"] == row["suite"]):
        paths.append(base_of(row))
    for path in paths:
        if path.exists():
            say(f"removing {path.relative_to(ROOT)}")
            shutil.rmtree(path)


class Chroot:
    """A chroot in build/matrix/ROW."""

    def __init__(self, row):
        self.row, self.root, self.checkout = row, folder(row), checkout_of(row)

    def make(self, packages):
        """Makes it from the base of its suite unless it is there, and installs the packages that are missing."""
        make_base(base_of(self.row), self.row["suite"], BASE_PACKAGES)
        if not ready(self.row):
            say(f"copying the base to {self.root.relative_to(ROOT)}")
            shutil.rmtree(self.root, ignore_errors=True)
            must(subprocess.run(["cp", "-a", "--reflink=auto", str(base_of(self.row)), str(self.root)]).returncode,
                 "copying the base")
            (self.root / ".tridap_ready").touch()
        install(self.root, self.row, packages)

    def run(self, *arguments):
        """Runs bash with these arguments in the checkout. Returns its exit status."""
        return in_chroot(self.root, f"cd {shlex.quote(str(ROOT))} && exec bash {shlex.join(arguments)}", self.row)


def in_chroot(root, command, row):
    """Runs a command of bash in a chroot. Returns its exit status."""
    wrap = None
    if row.get("emulated"):  # a user namespace of its own has interpreters of its own for foreign programs
        wrap = [str(pathlib.Path(__file__).with_name("emulated.sh")), str(root), row["emulated"]]
    return subprocess.run(chroot_command(root, command, ENVIRONMENT, wrap=wrap), stdin=subprocess.DEVNULL).returncode


def chroot_command(root, command, environment, before=(), after=(), wrap=None):
    """Returns the command that runs a command of bash in a chroot. The lines `before` make the chroot, in bash, and the
    lines `after` mount more into it: both in the command's mount namespace, in which nothing else sees them."""
    inside = [*(wrap or []), shutil.which("chroot") or "/usr/sbin/chroot", str(root), "/usr/bin/env", "-i",
              *(f"{name}={value}" for name, value in environment.items()), "bash", "-c", command]
    cache = root / "root/.cache/ccache"
    mounts = ["set -e", *before, f"mount --rbind /dev {shlex.quote(str(root / 'dev'))}",
              f"mount -t tmpfs -o size={SHARED_MEMORY} tmpfs {shlex.quote(str(root / 'dev/shm'))}",
              f"mount -t proc proc {shlex.quote(str(root / 'proc'))}",
              f"mount -t sysfs sysfs {shlex.quote(str(root / 'sys'))}",
              f"mkdir -p {shlex.quote(str(cache))}",
              f"mount --bind {shlex.quote(str(ccache_folder()))} {shlex.quote(str(cache))}", *after]
    script = "\n".join(mounts) + "\nexec " + shlex.join(inside)
    # setpriv: if this program is killed, so is everything in the chroot
    namespaces = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child"]
    return [*namespaces, "bash", "-c", script]


def must(code, what):
    if code != 0:
        sys.exit(f"{called}: {what} failed with status {code}; the reason is above")


BASE_PACKAGES = ["ca-certificates", "procps"]


def make_base(base, suite, packages, keep_downloads=False):
    """Makes a minimal Debian in the folder `base`, with further packages, unless it is there."""
    if (base / ".tridap_ready").exists():
        return
    if shutil.which("debootstrap") is None:
        sys.exit(f"{called}: debootstrap is missing: apt-get install debootstrap")
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    say(f"making {base.relative_to(ROOT)} with debootstrap")
    command = ["debootstrap", "--variant=minbase", *([f"--include={','.join(packages)}"] if packages else []), suite,
               str(base), MIRROR]
    must(subprocess.run(command, stdout=subprocess.DEVNULL).returncode, "debootstrap")
    policy = base / "usr/sbin/policy-rc.d"  # packages start no services
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    (base / "etc/apt/apt.conf.d/90tridap").write_text('APT::Install-Recommends "false";\nAcquire::Languages "none";\n'
                                                      f'APT::Keep-Downloaded-Packages "{str(keep_downloads).lower()}";\n'
                                                      'Acquire::Check-Valid-Until "false";\n')  # a mirror may be weeks old
    (base / "etc/dpkg/dpkg.cfg.d/tridap").write_text("force-unsafe-io\n")  # a chroot is made again after a crash
    if suite != "sid":
        with (base / "etc/apt/sources.list").open("a") as sources:
            sources.write(f"deb {MIRROR} {suite}-updates main\n")
    (base / ".tridap_ready").touch()


def commands_that_install(packages, architecture=None):
    """Returns the lines of bash that install those of the packages that are missing."""
    lines = ["set -e"]
    if architecture:
        lines.append(f"dpkg --add-architecture {architecture}")
    return lines + [f"packages=({' '.join(packages)}) missing=()",
                    'for package in "${packages[@]}"; do',
                    "  status=$(dpkg-query -W -f='${db:Status-Status}' $package 2>/dev/null) || true",
                    "  [[ $status == installed ]] || missing+=($package)",
                    "done",
                    "((${#missing[@]})) || exit 0",
                    "apt-get update -qq",
                    "apt-get install -y -qq --no-install-recommends ${missing[@]} >/tmp/apt.log 2>&1 ||",
                    "  { tail -n 30 /tmp/apt.log >&2; exit 1; }"]


def commands_that_pin(row):
    """Returns the lines of bash that add another suite, of which apt takes only the binaries of one source package, in
    the versions that the row names. The priority is above that of the row's own suite."""
    if "pinned" not in row:
        return []
    suite, source, version = (row["pinned"][key] for key in ("suite", "source", "version"))
    return [f"echo 'deb {MIRROR} {suite} main' >/etc/apt/sources.list.d/pinned.list",
            f"printf '%s\\n' 'Package: *' 'Pin: release a={suite}' 'Pin-Priority: 1' '' 'Package: src:{source}' "
            f"'Pin: version {version}' 'Pin-Priority: 990' >/etc/apt/preferences.d/pinned"]


def install(root, row, packages):
    """Installs the packages that are missing."""
    say(f"packages of {row['name']}")
    lines = [*commands_that_pin(row), *commands_that_install(packages, row.get("architecture")), "apt-get clean"]
    must(in_chroot(root, "\n".join(lines), {}), "installing the packages")
    if "prepare" in row:
        must(in_chroot(root, "set -e\n" + row["prepare"], {}), "the row's command 'prepare'")


def fill_checkout(checkout):
    """Puts a clean clone of HEAD there."""
    shutil.rmtree(checkout, ignore_errors=True)
    checkout.parent.mkdir(parents=True, exist_ok=True)
    git = ["git", "-c", f"safe.directory={ROOT}", "-c", f"safe.directory={ROOT / '.git'}"]
    command = [*git, "clone", "-q", "--no-local", "--depth", "1", f"file://{ROOT}", str(checkout)]
    must(subprocess.run(command).returncode, "cloning HEAD")


def machine_for(row, packages):
    """Returns the row's machine: a chroot for root, else a container. A chroot need not be there yet."""
    if os.geteuid() == 0 and shutil.which("debootstrap"):
        return Chroot(row)
    engine = shutil.which("docker") or shutil.which("podman")
    if engine is None:
        sys.exit("./dev matrix needs root and debootstrap (apt-get install debootstrap), or Docker or Podman")
    return Container(row, engine, packages)


def prepare(row, packages):
    """Returns the row's machine, with its packages and a clean checkout of HEAD."""
    machine = machine_for(row, packages)
    machine.make(packages)
    fill_checkout(machine.checkout)
    return machine


class Container:
    """A container of Docker or Podman, for users who are not root. Its checkout is in build/matrix/ROW."""

    def __init__(self, row, engine, packages):
        self.row, self.engine, self.checkout = row, engine, checkout_of(row)
        self.image = f"tridap-matrix-{row['name']}"
        if row.get("emulated"):
            sys.exit(f"./dev matrix: {row['name']} runs in a chroot only: run it as root")

    def make(self, packages):
        recipe = [f"FROM debian:{self.row['suite']}", *(f"RUN {line}" for line in commands_that_pin(self.row)),
                  "RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive "
                  f"apt-get install -y -qq --no-install-recommends {' '.join(packages)} && apt-get clean"]
        if "prepare" in self.row:
            recipe.append("RUN " + self.row["prepare"])
        say(f"building the image {self.image}")
        command = [self.engine, "build", "-t", self.image, "-"]
        must(subprocess.run(command, input="\n".join(recipe) + "\n", text=True).returncode, "building the image")

    def run(self, *arguments):
        variables = {**ENVIRONMENT, "HOME": "/tmp", "CCACHE_DIR": "/ccache"}
        command = [self.engine, "run", "--rm", f"--shm-size={SHARED_MEMORY}", "-w", str(ROOT),
                   "-v", f"{self.checkout}:{ROOT}", "-v", f"{ccache_folder()}:/ccache"]
        if "docker" in self.engine:  # what it writes is ours; in Podman, our user is its root
            command += ["--user", f"{os.getuid()}:{os.getgid()}"]
        for name, value in variables.items():
            command += ["-e", f"{name}={value}"]
        return subprocess.run([*command, self.image, "bash", *arguments], stdin=subprocess.DEVNULL).returncode
