"""Options of this process."""

from __future__ import annotations

import os

from . import _core

_CHOICES = {"array": ("refuse", "local"), "errors": ("one process", "every process"), "messages": ("print", "none")}
_chosen = {name: choices[0] for name, choices in _CHOICES.items()}
if os.environ.get("TRIDAP_MESSAGES") == "off":
    _chosen["messages"] = "none"


def set_option(*, array: str | None = None, errors: str | None = None, messages: str | None = None) -> dict[str, str]:
    """Sets options of this process, and returns those that were set before. Local.

    ``tridap.set_option(**before)`` sets the returned ones again. An option that is None stays as it is.

    Args:
        array: what ``numpy.asarray(x)`` and other functions that read memory, such as those of scipy.linalg, matplotlib and
            h5py, get of a `DistArray` on more than one process. "refuse": an error that names the right call. "local": this
            process's part with its padding, ``x.local``.
        errors: which processes print an error that a collective call of TriDAP raises on all of them, and that the program does
            not catch. "one process": rank 0 of the call. "every process": each prints its own traceback.
        messages: whether TriDAP's libraries print, on standard error, what no call can return: warnings, and why they end the
            job. "none": nothing. If ``TRIDAP_MESSAGES=off`` is in the environment, nothing is printed until "print" is set.

    Raises:
        ValueError: for another choice; nothing is set then.
    """
    asked = {name: choice for name, choice in (("array", array), ("errors", errors), ("messages", messages)) if choice is not None}
    for name, choice in asked.items():
        if choice not in _CHOICES[name]:
            raise ValueError(f"{name} is {choice!r}, must be {' or '.join(map(repr, _CHOICES[name]))}")
    before = dict(_chosen)
    _chosen.update(asked)
    _core._give_local_part(_chosen["array"] == "local")
    if "messages" in asked:
        _core._print_messages(messages == "print")
    return before


def chosen(name):
    """What an option is."""
    return _chosen[name]
