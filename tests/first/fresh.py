"""Fresh machines: a minimal Debian 12 for each test, in which nothing of this machine is installed.

A machine is an overlay: its lower layers are never changed, and what happens in it is in a folder of its own, which is
removed at its end. The layers are in build/matrix/first: `base` is what debootstrap makes, `small` and `full` add
packages to it, and `source` is this commit at the path that this checkout has, so that ccache finds its objects. All
machines share this machine's ccache and one folder of downloaded packages. They need root, and all mounts are private.
"""

import dataclasses
import fcntl
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "matrix"))

import machines  # noqa: E402

ROOT = machines.ROOT
HOME = machines.HOME / "first"
SUITE = "bookworm"
GIGABYTES = 8
REFUSED = 77
MINUTES = 25  # of one command
machines.called = "tests/first"

# As root finds it. Nothing else is set: what a command needs, it must set itself.
ENVIRONMENT = {"PATH": machines.ENVIRONMENT["PATH"], "HOME": "/root"}
INSTALLING = {**machines.ENVIRONMENT, "HOME": "/root"}
APT = threading.Lock()  # one apt at a time, because all have the same folder of downloaded packages


def lists_of_dev():
    """Returns the lists of Debian packages in dev: {"build": ["g++", ...], ...}. The shell expands them."""
    text = (ROOT / "dev").read_text()
    names = re.findall(r"^(\w+)_packages=", text, re.MULTILINE)
    lists = "\n".join(re.findall(r"^\w+_packages=\([^)]*\)", text, re.MULTILINE))
    shown = "\n".join(f'echo {name} "${{{name}_packages[@]}}"' for name in names)
    said = subprocess.run(["bash", "-ec", lists + "\n" + shown], text=True, stdout=subprocess.PIPE, check=True).stdout
    return {line.split()[0]: line.split()[1:] for line in said.splitlines()}


def packages_of_tests():
    """Returns what `./dev test` installs."""
    lists = lists_of_dev()
    return sum((lists[name] for name in ("build", "trilinos", "globalarrays", "petsc", "hdf5", "python", "tests")), [])


@dataclasses.dataclass
class Said:
    """What a command said on standard output and standard error together, and its exit status."""
    command: str
    code: int
    text: str

    def lines(self):
        return self.text.splitlines()


class Machine:
    """A machine on layers of which the first is the lowest: with Machine("bare", "base", "source") as machine: ..."""

    def __init__(self, name, *layers, checkout=ROOT):
        self.name, self.layers, self.folder, self.checkout = name, layers, HOME / "run" / name, checkout
        self.root = self.folder / "root"

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("root", "upper", "work"):
            (self.folder / part).mkdir(parents=True)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command, user="root"):
        """Runs a command of bash in the checkout, as a user would type it. Returns what it said."""
        typed = f"cd {shlex.quote(str(self.checkout))} && {command}"
        if user != "root":
            typed = f"runuser -l {user} -c {shlex.quote(typed)}"
        return self.process(command, typed, ENVIRONMENT)

    def install(self, *packages):
        """Installs packages as an administrator would."""
        lines = machines.commands_that_install(packages)
        with APT:
            self.succeeds(f"installing {' '.join(packages)}", "\n".join(lines))

    def remove(self, patterns, by_apt=False):
        """Removes the packages whose names match: by dpkg these alone, by apt those that depend on them, too."""
        how = "apt-get remove -y -qq" if by_apt else "dpkg --purge --force-depends"
        named = shlex.join(["dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\\n", *patterns])
        lines = ["set -e", f"packages=$({named} | sed -n 's/^installed //p')", '[[ -n $packages ]]', f"{how} $packages"]
        if patterns:
            with APT:
                self.succeeds(f"removing {' '.join(patterns)}", "\n".join(lines))

    def succeeds(self, what, typed):
        """Runs what an administrator does."""
        done = self.process(what, typed, INSTALLING)
        if done.code:
            raise RuntimeError(f"{what} failed:\n{done.text}")

    def process(self, command, typed, environment):
        """Runs a command of bash in the root folder."""
        below = ":".join(str(layer_folder(layer).relative_to(HOME)) for layer in reversed(self.layers))
        here = f"run/{self.name}"
        overlay = [f"cd {shlex.quote(str(HOME))}", "mkdir -p archives",
                   f"mount -t overlay overlay -o lowerdir={below},upperdir={here}/upper,workdir={here}/work {here}/root"]
        shared = [f"mount --bind archives {here}/root/var/cache/apt/archives"]
        whole = machines.chroot_command(self.root, typed, environment, overlay, shared)
        try:
            done = subprocess.run(whole, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=60 * MINUTES)
        except subprocess.TimeoutExpired as ended:
            said = (ended.stdout or b"").decode(errors="replace")
            return Said(command, 124, f"{said}\nit did not end within {MINUTES} minutes")
        return Said(command, done.returncode, done.stdout)


def layer_folder(layer):
    return HOME / "layers" / layer


def make_layer(layer, below, packages):
    """Makes a layer with these packages on other layers, unless it is there."""
    stamp = HOME / "layers" / f"{layer}.packages"
    told = "\n".join(sorted(packages))
    if stamp.exists() and stamp.read_text() == told:
        return
    stamp.unlink(missing_ok=True)
    shutil.rmtree(layer_folder(layer), ignore_errors=True)
    machines.say(f"making {layer_folder(layer).relative_to(ROOT)} with its Debian packages")
    with Machine(f"making_{layer}", *below) as machine:
        machine.install(*packages)
        (machine.folder / "upper").rename(layer_folder(layer))
    stamp.write_text(told)


def make_base():
    machines.make_base(layer_folder("base"), SUITE, [], keep_downloads=True)


def make_source(archive=False, at=ROOT):
    """Puts a clean clone of HEAD into the layer `source` at this path, or what an archive of HEAD has."""
    shutil.rmtree(layer_folder("source"), ignore_errors=True)
    inside = pathlib.Path(str(at).lstrip("/"))
    checkout = layer_folder("source") / inside
    checkout.mkdir(parents=True)
    for parent in inside.parents:  # /tmp stays writable for all
        below = layer_folder("base") / parent
        if below.exists():
            shutil.copymode(below, layer_folder("source") / parent)
    if not archive:
        return machines.fill_checkout(checkout)
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "archive", "HEAD"]
    with subprocess.Popen(git, stdout=subprocess.PIPE) as packed:
        machines.must(subprocess.run(["tar", "-x", "-C", str(checkout)], stdin=packed.stdout).returncode, "unpacking HEAD")
    machines.must(packed.returncode, "git archive HEAD")


def refusal():
    """Why this machine has no fresh machines for root; empty: it has."""
    missing = [name for name in ("debootstrap", "git", "setpriv", "unshare") if not shutil.which(name)]
    if missing:
        return f"the commands {' '.join(missing)} are missing: install debootstrap, git and util-linux"
    if not (ROOT / ".git").exists():
        return "this folder is no clone: git clone the repository"
    with Machine("refusal") as machine:
        tried = subprocess.run(["unshare", "--mount", "--pid", "--fork", "sh", "-c",
                                "mkdir lower && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work root"],
                               cwd=machine.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if tried.returncode:
        return (tried.stdout.strip() or f"status {tried.returncode}").splitlines()[-1]
    try:
        urllib.request.urlopen(f"{machines.MIRROR}/dists/{SUITE}/Release", timeout=60).close()
    except OSError as error:
        return f"{machines.MIRROR} cannot be reached: {error}"
    free = shutil.disk_usage(HOME).free / 1e9
    if free < GIGABYTES and not (HOME / "layers").exists():
        return f"{free:.1f} GB of disk are free, must be at least {GIGABYTES}"
    return ""


def refuse(reason):
    print(f"this machine has no fresh machines: {reason}")
    sys.exit(REFUSED)


def main():
    """Runs the tests of the calling program, one such program at a time. Its status is 77 if they cannot run here."""
    if os.geteuid() != 0:
        refuse("they need root")
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(HOME / "run", ignore_errors=True)  # of a program that was killed
        reason = refusal()
        if reason:
            refuse(reason)
        if not (HOME / "layers").exists():
            machines.say(f"fresh machines: up to {GIGABYTES} GB of disk in {HOME.relative_to(ROOT)}, and downloads of 0.5 GB")
            (HOME / "layers").mkdir()
        make_base()
        with Machine("tried", "base") as machine:
            tried = machine.process("true", "true", ENVIRONMENT)
        if tried.code:
            refuse((tried.lines() or [f"status {tried.code}"])[-1])
        program = unittest.main(module="__main__", exit=False, verbosity=2)
        shutil.rmtree(HOME / "run", ignore_errors=True)
        (HOME / ".tridap_ready").touch()
        sys.exit(not program.result.wasSuccessful())
