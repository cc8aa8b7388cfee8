#!/usr/bin/env python3
"""Compares the table of docs/howto/many_processes.md with what the program beside this file measures.

    page_test.py PAGE [--write] COMMAND...

COMMAND runs the program. A call has four rows in the table: formulas, and figures for three numbers P of processes. The
numbers of collectives and messages must be those that were measured; a formula of messages may give more. Bytes must not
be exceeded, and must not be more than twice as many as were measured. In formulas, P is the number of processes, n that of a process's elements or ids,
C that of the coordinates of all axes of the distributions, and g the largest number of coordinates of an axis; m is 1
up to 1,000 processes, and 2 above.

With --write, the figures are written into the page, those of memory a tenth larger than measured. A call without
formulas gets question marks, and the formulas of others stay.
"""

import re
import subprocess
import sys
from math import ceil, floor, log10, sqrt
from pathlib import Path

HEAD = "| call | processes | collectives | bytes in them | messages | bytes sent | memory |"
EXACT = [True, False, True, False, False]  # of figures, in the last five columns
EXACT_FORMULAS = [True, False, False, False, False]
SPARE = [0, 0, 0, 0, 0.1]
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
SLACK = 1000  # bytes that a formula may give more than twice of what was measured


def measured(command):
    """By call and number of processes: the variables of formulas, and what was measured."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{ran.stdout}{ran.stderr}\nthe program failed: {ran.returncode}")
    found = {}
    for line in ran.stdout.splitlines():
        *numbers, call = line.split("\t")
        processes, n, coordinates, longest, *costs = map(int, numbers)
        variables = {"P": processes, "n": n, "C": coordinates, "g": longest, "m": 2 if processes > 1000 else 1}
        found.setdefault(call, {})[processes] = (variables, costs)
    return found


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of(page):
    """(line number, call, cells behind it) of each row of the table."""
    lines = page.read_text(encoding="utf-8").splitlines()
    begin = lines.index(HEAD) + 2
    call = ""
    for number, line in enumerate(lines[begin:], begin + 1):
        if not line.startswith("|"):
            return
        first, *others = cells(line)
        call = first or call
        yield number, call.replace("`", ""), others


def figure(text):
    number, _, unit = text.replace(",", "").partition(" ")
    return float(number) * UNITS[unit]


def shown(bytes_, spare):
    """Two digits, rounded up."""
    if bytes_ == 0:
        return "0"
    larger = bytes_ * (1 + spare)
    unit = 10 ** (floor(log10(larger)) - 1)
    rounded = ceil(larger / unit) * unit
    name, size = next(((name, size) for name, size in reversed(UNITS.items()) if size <= rounded), ("B", 1))
    return f"{rounded / size:g} {name or 'B'}"


def value(formula, variables):
    python = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", re.sub(r"(?<=\d),(?=\d)", "", formula))
    return eval(python, {"__builtins__": {}, "ceil": ceil, "min": min, "sqrt": sqrt}, variables)


def fault(said, cost, exact, most):
    if exact:
        return None if said == cost else f"says {said:,g}, and {cost:,} were measured"
    if said < cost:
        return f"says {said:,.0f}, and {cost:,} were measured"
    return f"says {said:,.0f}, and only {cost:,} were measured" if said > most else None


def faults(page, found):
    seen = {call: set() for call in found}
    for line, call, (processes, *texts) in rows_of(page):
        if call not in found:
            yield line, f"'{call}' was not measured"
            continue
        number = None if processes == "P" else int(processes.replace(",", ""))
        seen[call].add(number)
        if number is not None and number not in found[call]:
            yield line, f"{call} was not measured on {number} processes"
            continue
        for variables, costs in found[call].values() if number is None else [found[call][number]]:
            for text, cost, exact in zip(texts, costs, EXACT_FORMULAS if number is None else EXACT):
                said = value(text, variables) if number is None else figure(text)
                wrong = fault(said, cost, exact, 2 * cost + (SLACK if number is None else 0))
                if wrong:
                    yield line, f"{call}, {variables['P']} processes: the page {wrong}"
    for call, numbers in seen.items():
        if numbers != {None, *found[call]}:
            yield 0, f"{call} must have rows for P, {', '.join(map(str, found[call]))}"


def write(page, found):
    formulas = {call: texts for _, call, texts in rows_of(page) if texts[0] == "P"}
    text = page.read_text(encoding="utf-8").splitlines()
    begin = text.index(HEAD) + 2
    end = next((i for i in range(begin, len(text)) if not text[i].startswith("|")), len(text))
    table = []
    for call, costs in found.items():
        name = re.sub(r"^([\w:]*[_:A-Z]\w*[\w:]*)", r"`\1`", call)
        table.append(f"| {name} | " + " | ".join(formulas.get(call, ["P"] + 5 * ["?"])) + " |")
        for processes, (_, numbers) in costs.items():
            figures = [f"{cost:,}" if exact else shown(cost, spare)
                       for cost, exact, spare in zip(numbers, EXACT, SPARE)]
            table.append(f"| | {processes:,} | " + " | ".join(figures) + " |")
    page.write_text("\n".join(text[:begin] + table + text[end:]) + "\n", encoding="utf-8")


def main(page, *command):
    page = Path(page)
    if command[0] == "--write":
        return write(page, measured(command[1:]))
    wrong = [f"{page.name}:{line}: {what}" for line, what in faults(page, measured(command))]
    return "\n".join(wrong) or None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
