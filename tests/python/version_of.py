"""Prints the version of a library, or why it cannot be used; then the status is 1.

    python3 version_of.py MODULE

MODULE may be a part of the library, such as torch.distributed.tensor, which older versions do not have.
"""

import importlib
import importlib.util
import sys

library = sys.argv[1].partition(".")[0]
if importlib.util.find_spec(library) is None:
    print(f"no Python module {library}")
    sys.exit(1)
version = importlib.import_module(library).__version__
try:
    importlib.import_module(sys.argv[1])
except ImportError:
    print(f"{library} {version} is too old")
    sys.exit(1)
print(version)
