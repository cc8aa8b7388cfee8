"""The source archive of a release: the same bytes for the same files, on every machine and at any time."""

import gzip
import hashlib
import io
import os
import pathlib
import re
import subprocess
import tarfile
import time

LINK = 0  # the permissions that git gives to a symbolic link
LEFT_OUT = "packaging/spack/"  # its recipe has the checksum of the archive
HEADING = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2}|not yet released)\)$", re.MULTILINE)


class Refused(Exception):
    """Why there is no release; each line is one reason."""


def git(root, *arguments):
    return subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), *arguments], stdout=subprocess.PIPE,
                          check=True).stdout


def stated_versions(root):
    """Returns each place that states TriDAP's version, and what it states there."""
    places = {"CMakeLists.txt": r"^project\(TriDAP VERSION (\S+)", "CITATION.cff": r"^version: (\S+)",
              "packaging/debian/changelog": r"^tridap \((\S+)-\d+\)", "CHANGELOG.md": r"^## (\S+)",
              "packaging/spack/package.py": r'^    version\("(\d\S*?)"'}
    found = {}
    for place, pattern in places.items():
        match = re.search(pattern, (root / place).read_text(), re.MULTILINE) if (root / place).exists() else None
        if match or (root / place).exists():
            found[place] = match.group(1) if match else "no version"
    header = (root / "packages/protocol/include/tridap/dap.h").read_text()
    found["tridap/dap.h"] = ".".join(re.findall(r"^#define TRIDAP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE))
    return found


def version(root):
    """Returns the version. Refused, if the files do not agree on it."""
    stated = stated_versions(root)
    if len(set(stated.values())) != 1:
        raise Refused("\n".join(f"{place} states {what}, must be the same as the others" for place, what in stated.items()))
    return stated["CMakeLists.txt"]


def date(root):
    """Returns the date of the release in CHANGELOG.md, in seconds."""
    match = HEADING.search((root / "CHANGELOG.md").read_text())
    if not match or match.group(2) == "not yet released":
        raise Refused("CHANGELOG.md has no date of the release, must begin with '## MAJOR.MINOR.PATCH (YYYY-MM-DD)'")
    return int(time.mktime(time.strptime(match.group(2) + " UTC", "%Y-%m-%d %Z")) - time.timezone)


def files(root, commit):
    """Returns (name, mode, object) of each file of a commit that is in the archive, by name."""
    entries = []
    for line in git(root, "ls-tree", "-r", "-z", commit).decode().split("\0")[:-1]:
        (mode, kind, number), name = line.split("\t")[0].split(), line.split("\t")[1]
        if kind != "blob":
            raise Refused(f"{name} is a {kind}, must be a file or a link: an archive has nothing else")
        if not name.startswith(LEFT_OUT):
            entries.append((name, int(mode[3:], 8), number))
    return sorted(entries)


def stays_inside(name, target):
    """Whether a link leads to a place in the archive."""
    return not os.path.isabs(target) and not os.path.normpath(os.path.join(os.path.dirname(name), target)).startswith("..")


def pack(root, commit, when):
    """Returns the bytes of the archive."""
    folder = f"tridap-{version(root)}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, mode, number in files(root, commit):
            content = git(root, "cat-file", "blob", number)
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), mode, when
            if mode == LINK:
                entry.type, entry.size, entry.mode, entry.linkname = tarfile.SYMTYPE, 0, 0o777, content.decode()
                if not stays_inside(name, entry.linkname):
                    raise Refused(f"{name} is a link to {entry.linkname}, must be one to a file of the archive")
            archive.addfile(entry, io.BytesIO(content))
    made = bytearray(gzip.compress(packed.getvalue(), 9, mtime=0))
    made[9] = 255  # the system that made it: unknown; versions of Python write different numbers
    return bytes(made)


def checksum(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
