"""Runs an example under mpiexec, and compares what it prints with what its docstring says that it prints.

Numbers and the name of a picture may vary; on another number of processes than four, so may all but the first word of a
line. The status must be 0.

    python3 run_example.py MPIEXEC PROCESSES EXAMPLE ARGUMENT...
"""

import ast
import os
import re
import subprocess
import sys


def shown_by(path):
    with open(path) as file:
        doc = ast.get_docstring(ast.parse(file.read()))
    return [line.strip() for line in doc.rpartition("Prints:\n")[2].strip().splitlines()]


def form(line, processes):
    if processes != 4:
        return line.split()[0]
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", re.sub(r"\S+\.png", "*.png", line))


mpiexec, processes, example, *arguments = sys.argv[1:]
ran = subprocess.run([mpiexec, "-n", processes, sys.executable, example, *arguments],
                     capture_output=True, text=True, env={**os.environ, "MPIEXEC_TIMEOUT": "250"})
print(ran.stdout)
shown, said = ([form(line, int(processes)) for line in lines] for lines in (shown_by(example), ran.stdout.splitlines()))
if ran.returncode != 0:
    sys.exit(f"status {ran.returncode}\n{ran.stderr}")
if not shown or shown != said:
    sys.exit("its docstring shows\n" + "\n".join(shown_by(example)))
solves = sum(re.fullmatch(r"solve      \d+\.\d{3} s in \d+ solves", line) is not None for line in ran.stdout.splitlines())
if solves != sum(line.startswith("solve ") for line in shown_by(example)):
    sys.exit("there is not one line of how long the solves took")
