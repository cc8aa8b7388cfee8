"""What the shared libraries promise to programs that were linked before, as abigail describes it.

    abi.py describe PREFIX FOLDER     writes FOLDER/libtridap_NAME.abi for each shared library of an install with debug information
    abi.py compare BEFORE AFTER       prints what has changed between two such folders; 1: a program of before may not work
"""

import pathlib
import subprocess
import sys

INCOMPATIBLE = 8  # a bit of abidiff's status: a function, or what it takes, is not there as it was
WRONG = 1 | 2


def describe(prefix, folder):
    """Returns the libraries that were described."""
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(path for path in prefix.rglob("libtridap_*.so") if path.is_file())
    if not found:
        sys.exit(f"abi.py: {prefix} has no shared library libtridap_*.so")
    for library in found:
        subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--headers-dir", str(prefix / "include"),
                        "--drop-private-types", "--out-file", str(folder / f"{library.stem}.abi"), str(library)], check=True)
    return [path.stem for path in found]


def compare(before, after):
    """Prints the differences. Returns whether a program that was linked with `before` works with `after`."""
    works = True
    for old in sorted(before.glob("*.abi")):
        new = after / old.name
        if not new.exists():
            print(f"{old.stem}: the library is not there any more")
            works = False
            continue
        done = subprocess.run(["abidiff", "--no-show-locs", str(old), str(new)], text=True, stdout=subprocess.PIPE)
        if done.returncode & WRONG:
            sys.exit(f"abi.py: abidiff {old} {new} failed: {done.stdout}")
        works = works and not done.returncode & INCOMPATIBLE
        print(f"{old.stem}: " + ("as before" if done.returncode == 0 else "changed\n" + done.stdout.rstrip()))
    for new in sorted(after.glob("*.abi")):
        if not (before / new.name).exists():
            print(f"{new.stem}: new")
    return works


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("describe", "compare"):
        sys.exit(__doc__)
    one, other = map(pathlib.Path, sys.argv[2:])
    if sys.argv[1] == "describe":
        print("\n".join(describe(one, other)))
    elif not compare(one, other):
        print("a program that was linked with the first ones may not work with the others")
        sys.exit(1)
