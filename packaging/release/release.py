"""release.py FOLDER [--try] [--before FOLDER]: makes and checks a release of the commit that is checked out.

Leaves in FOLDER the source archive, and in FOLDER/abi what its shared libraries promise. Refuses a commit whose files state
different versions, changes that are not committed, and a recipe of spack with another checksum.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(ROOT / "tests" / "first"))

import abi  # noqa: E402
import archive  # noqa: E402


def say(text):
    print(f"\n== {text}", file=sys.stderr, flush=True)


def make_archive(folder):
    """Returns the path of the archive of HEAD, and its checksum."""
    changed = archive.git(ROOT, "status", "--porcelain").decode()
    if changed:
        raise archive.Refused(f"there are changes that are not committed:\n{changed.rstrip()}")
    when = archive.date(ROOT)
    path = folder / f"tridap-{archive.version(ROOT)}.tar.gz"
    packed = archive.pack(ROOT, "HEAD", when)
    if packed != archive.pack(ROOT, "HEAD", when):
        raise archive.Refused("the archive of the same commit has other bytes the second time")
    path.write_bytes(packed)
    return path, archive.checksum(path)


def unpack(path, folder):
    """Unpacks the archive beside itself. Returns the folder of the sources."""
    with tarfile.open(path) as packed:
        names = packed.getnames()
        packed.extractall(folder)
    sources = folder / names[0].split("/")[0]
    there = sorted(str(file.relative_to(folder)) for file in sources.rglob("*") if file.is_file() or file.is_symlink())
    if there != sorted(names):
        raise archive.Refused(f"{sources} has files that the archive has not: remove it first")
    return sources


def checksum_of_recipe():
    recipe = (ROOT / "packaging" / "spack" / "package.py").read_text()
    return next((line.split('sha256="')[1].split('"')[0] for line in recipe.splitlines() if 'sha256="' in line), "none")


def describe_abi(sources, folder):
    """Builds the archive's shared libraries with debug information, and describes them."""
    build = folder / "shared"
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-g -O0", "-DBUILD_SHARED_LIBS=ON", "-DTRIDAP_TESTS=OFF",
               "-DTRIDAP_EXAMPLES=OFF", "-DTRIDAP_PYTHON=OFF", "-DCMAKE_UNITY_BUILD=ON",
               "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12"]  # as every build of ./dev: batches of other sizes are never built
    for command in (["-S", str(sources), "-B", str(build), "-G", "Ninja", *options], ["--build", str(build)],
                    ["--install", str(build), "--prefix", str(build / "prefix")]):
        subprocess.run(["cmake", *command], check=True, stdout=subprocess.DEVNULL)
    return abi.describe(build / "prefix", folder / "abi")


def try_archive(sources):
    """Runs the quick tests on a fresh machine that has the archive's files alone, and no clone."""
    import fresh
    fresh.HOME.mkdir(parents=True, exist_ok=True)
    (fresh.HOME / "layers").mkdir(exist_ok=True)
    reason = "they need root" if os.geteuid() != 0 else fresh.refusal()
    if reason:
        raise archive.Refused(f"this machine has no fresh machines, in which --try tests: {reason}")
    fresh.make_base()
    fresh.MINUTES = 90
    inside = pathlib.Path("/srv/tridap")
    with fresh.Machine("release", "base", checkout=inside) as machine:
        target = machine.folder / "upper" / "srv"
        target.mkdir(parents=True)
        subprocess.run(["cp", "-r", str(sources), str(target / "tridap")], check=True)
        said = machine.run("./dev test")
        print(said.text[-4000:])
        if said.code:
            raise archive.Refused(f"./dev test fails on a fresh machine, with {said.code}")


def main():
    parser = argparse.ArgumentParser(prog="./dev release", description="makes and checks a release of this commit")
    parser.add_argument("folder", type=pathlib.Path, help="where to put it")
    parser.add_argument("--try", dest="tries", action="store_true",
                        help="as root: the tests pass in a fresh Debian that has the archive alone; 30 minutes, 8 GB")
    parser.add_argument("--before", type=pathlib.Path, metavar="FOLDER", help="the folder `abi` of the last release")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    say("the archive")
    path, number = make_archive(folder)
    print(f"{path.name}\nsha256 {number}")
    sources = unpack(path, folder)
    say("what the shared libraries promise")
    print("\n".join(describe_abi(sources, folder)))
    if options.before and not abi.compare(options.before, folder / "abi"):
        if archive.version(ROOT).endswith(".0"):
            print("a minor version may change this: its libraries have other names")
        else:
            raise archive.Refused("a patch version must not change what the libraries promise: see the lines above")
    if options.tries:
        say("its tests on a fresh machine")
        try_archive(sources)
    if checksum_of_recipe() != number:
        raise archive.Refused(f"packaging/spack/package.py has the checksum {checksum_of_recipe()}, must be {number}: write it there, and "
                              "commit; the archive stays the same")
    say(f"{path.name} is ready")


if __name__ == "__main__":
    try:
        main()
    except archive.Refused as refused:
        sys.exit(f"./dev release: {refused}")
