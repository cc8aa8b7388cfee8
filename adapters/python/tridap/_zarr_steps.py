"""Which steps of a time series were saved: the attribute `saved_steps`, ranges such as [[0, 3], [5, 6]]."""

from __future__ import annotations

from typing import Any


def ranges_of(said: Any, count: int) -> list[list[int]]:
    """The ranges of an attribute. Without it, every step below the length counts as saved. Raises ValueError if it is wrong."""
    if said is None:
        return [[0, count]] if count else []
    right = isinstance(said, list) and all(isinstance(one, list) and len(one) == 2 and all(type(n) is int for n in one) and
                                           0 <= one[0] < one[1] for one in said)
    if not right or any(before[1] > after[0] for before, after in zip(said, said[1:])) or not said:
        raise ValueError(f"the attribute 'saved_steps' is {str(said)[:80]}, must be the steps that were saved, such as [[0, 3], [5, 6]]: "
                         "remove it, then every step counts as saved")
    found = [list(one) for one in said]
    found[-1][1] = max(found[-1][1], count)  # steps that another program has added
    return [[begin, min(end, count)] for begin, end in found if begin < min(end, count)]


def with_step(said: Any, count: int, step: int) -> list[list[int]] | None:
    """The attribute when `step` is saved, too; None if it is every step below the length."""
    ranges = ranges_of(said, count)
    steps = sorted([*ranges, [step, step + 1]])
    merged = [steps[0]]
    for begin, end in steps[1:]:
        if begin <= merged[-1][1]:
            merged[-1] = [merged[-1][0], max(end, merged[-1][1])]
        else:
            merged.append([begin, end])
    return None if merged == [[0, max(count, step + 1)]] else merged


def need_step(stored: Any, step: int | None) -> int:
    """The step that is loaded: `step`, or the last one. Raises ValueError unless it was saved."""
    count = stored.shape[0]
    ranges = ranges_of(stored.attrs.get("saved_steps"), count)
    if not ranges:
        raise ValueError(f"{stored.name!r} has no steps: give the name of an array with elements")
    step = ranges[-1][1] - 1 if step is None else step
    if not 0 <= step < count:
        raise ValueError(f"'step' is {step}, {stored.name!r} has {count} steps: give a step from 0 to one less than their number")
    if not any(begin <= step < end for begin, end in ranges):
        texts = ", ".join(str(begin) if end == begin + 1 else f"{begin} to {end - 1}" for begin, end in ranges)
        raise ValueError(f"'step' is {step}, {stored.name!r} has only the steps {texts}: give one of them")
    return step
