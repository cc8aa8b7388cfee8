"""exported_symbols.py PREFIX SOURCE: the shared libraries under PREFIX export only names that a header for others declares.

Such headers are the public ones, and the internal ones that TriDAP's libraries offer one another. What Trilinos' templates
and other C++ libraries leave in ours is theirs, but the standard library's and nlohmann-json's code must not come out.
"""

import pathlib
import re
import subprocess
import sys

prefix, source = map(pathlib.Path, sys.argv[1:])
headers = [path for package in (*source.glob("packages/*"), *source.glob("adapters/*"))
           for folder in ("include", "internal") for path in (package / folder).rglob("*.h*")]
declared = set(re.findall(r"\w+", " ".join(path.read_text() for path in headers)))


def exported(library):
    mangled = subprocess.run(["nm", "-D", "--defined-only", "--format=just-symbols", library], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    plain = subprocess.run(["c++filt", "--no-params"], input=mangled, check=True, text=True, stdout=subprocess.PIPE).stdout
    return plain.splitlines()


def fault(name):
    """Returns what is wrong with an exported name, or None."""
    own = name.split("<")[0].split(" ")[-1]  # without template arguments, the type that is returned, and "typeinfo for"
    if re.match(r"(std|nlohmann)::", own):
        return "code of another library"
    found = re.match(r"tridap((::~?\w+)+)", own)
    if found:
        unknown = [word for word in re.findall(r"\w+", found[1]) if word not in declared]
        return f"no header for others has {unknown[0]}" if unknown else None
    return None


libraries = sorted(prefix.rglob("libtridap_*.so"))
assert len(libraries) > 5, libraries
faults, total = [], 0
for library in libraries:
    names = exported(library)
    assert any("tridap::" in name for name in names), f"{library} exports nothing of ours"
    total += len(names)
    faults += [f"{library.name}: {name}: {reason}" for name in names if (reason := fault(name))]
print(f"{len(libraries)} libraries export {total} names")
if faults:
    sys.exit("\n".join([f"{len(faults)} of them must be hidden (see cmake/exports.map):", *faults[:40]]))
