"""What copy and pickle get from objects that belong to all processes of a communicator together."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

_Class = TypeVar("_Class", bound=type)


def lasting(again: str) -> Callable[[_Class], _Class]:
    """A decorator of a class: copy.copy and copy.deepcopy of its objects return the object itself, because it never changes.

    Pickling an object raises a TypeError, which says how to make the object `again`.
    """
    def decorate(kind: _Class) -> _Class:
        def itself(self: Any, memo: Any = None) -> Any:
            if not isinstance(self, kind):
                raise TypeError(f"self is of type {type(self).__name__}, must be a {kind.__name__}")
            return self

        kind.__copy__ = kind.__deepcopy__ = itself  # type: ignore[attr-defined]
        return unpickled(again)(kind)

    return decorate


def unpickled(again: str) -> Callable[[_Class], _Class]:
    """A decorator of a class: pickle raises a TypeError, and copy does, too, unless the class defines its own copies."""
    def refuse(self: Any, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled, because it belongs to all processes of its communicator: "
                        f"{again}")

    def decorate(kind: _Class) -> _Class:
        kind.__reduce_ex__ = refuse  # type: ignore[method-assign,assignment]
        return kind

    return decorate
