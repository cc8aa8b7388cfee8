"""The compiled modules of this package, and the modules of others: the error says why one cannot be imported."""

from importlib import import_module
from typing import Any


def compiled(name: str, library: str, packages: str) -> Any:
    """A compiled module of this package: `name` is "_petsc", `library` what it is for, `packages` what it needs."""
    return needed(f"tridap.{name}", f"this tridap has no module for {library}: install {packages}, and build it again (in a "
                  "build folder: the target tridap_modules)")


def needed(module: str, missing: str) -> Any:
    """A module. If it is not there, an ImportError with the text `missing`; if it cannot be loaded, with the reason."""
    try:
        return import_module(module)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name is not None and (
            module == error.name or module.startswith(f"{error.name}."))
        raise ImportError(missing if absent else f"{module} is there, but cannot be loaded: {error}") from error
