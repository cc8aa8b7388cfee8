"""The reference of the rules: each with an example that breaks it, and the message that the example gives.

An example is a capture in tests/data/rules, or a row of docs/reference/rules/examples.json: arguments of `tridap`, or a
Python program. The messages are those that the tool and the library print while the site is built.
"""

import json
import os
import re
import subprocess
import sys

SOURCE = "packages/protocol/src/report.cpp"
GROUPS = {
    "The version": "version.",
    "Types and keys": ("type.", "key.", "dist_type", "empty-dict", "extra."),
    "The buffer": ("buffer.", "shape."),
    "The process grid": ("size", "grid."),
    "Blocks": ("block.", "periodic."),
    "Cyclic blocks": "cyclic.",
    "Lists of indices": "unstructured.",
    "Between processes": ("agree.", "axis.", "capture."),
    "Files, conversions and failures": ("json.", "conversion", "process."),
}


class Rule:
    def __init__(self, identity, severity, says, remedy):
        self.id, self.severity, self.says, self.remedy = identity, severity, says, remedy


def rules_of(root):
    """Returns the table of the rules in packages/protocol, in its order."""
    table = (root / SOURCE).read_text().partition("texts = {{\n")[2].partition("\n}};")[0]
    text = r'"((?:[^"\\]|\\.)*)"'
    table = re.sub(r'"\s*\n\s*"', "", table)  # literals that C++ joins
    table = re.sub(r"\bsame_array\b", '"export the same array on every process"', table)
    found = [Rule(*row) for row in re.findall(rf"\{{{text},\s*(error|warning),\s*{text},\s*{text}\}}", table)]
    header = (root / "packages/protocol/include/tridap/report.hpp").read_text()
    names = re.findall(r"^  (\w+),$", header.partition("enum class Rule {")[2].partition("};")[0], re.MULTILINE)
    if [re.sub(r"[.-]", "_", rule.id) for rule in found] != names:
        raise SystemExit(f"docs/site_parts/rules_reference.py cannot read the table of {SOURCE}")
    return found


def run_example(root, tool, package, arguments):
    """Runs an example. Returns what a reader types, and what is printed."""
    if arguments[0] == "python":
        file = root / arguments[1]
        environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, file], cwd=root, env=environment, capture_output=True, text=True)
        return f"python3 {file.name}", done.stdout or done.stderr
    done = subprocess.run([tool, *arguments], cwd=root, capture_output=True, text=True)
    typed = " ".join(word.rpartition("/")[2] for word in ["tridap", *arguments])
    printed = done.stdout + done.stderr
    for word in arguments:
        if "/" in word:
            printed = printed.replace(word, word.rpartition("/")[2])
    return typed, printed


def examples(root, tool, package):
    """Yields (rule, file, what a reader types, what is printed). Raises SystemExit if a rule has no example, or if its
    example does not print it, or prints another rule."""
    special = json.loads((root / "docs/reference/rules/examples.json").read_text())
    rules = rules_of(root)
    unknown = set(special) - {rule.id for rule in rules}
    if unknown:
        raise SystemExit(f"docs/reference/rules/examples.json: there is no rule {sorted(unknown)}")
    ids = "|".join(re.escape(rule.id) for rule in rules)
    for rule in rules:
        arguments = special.get(rule.id, ["check", f"tests/data/rules/{rule.id}.json"])
        file = arguments[-1]
        if not (root / file).is_file():
            raise SystemExit(f"the rule {rule.id} has no example: there is no file {file}")
        typed, printed = run_example(root, tool, package, arguments)
        printed = re.sub(r"\x1b\[[0-9;]*m", "", printed).rstrip("\n")
        named = set(re.findall(rf"\[({ids})\]", printed))
        if named != {rule.id}:
            raise SystemExit(f"the example {file} of the rule {rule.id} gives {sorted(named) or 'no rule'}:\n{printed}")
        yield rule, file, typed, printed


def group_of(rule):
    return next(group for group, begins in GROUPS.items() if rule.id.startswith(begins))


def section(root, rule, file, typed, printed):
    language = "python" if file.endswith(".py") else "json"
    what = "A violation is an error" if rule.severity == "error" else "A violation is a warning"
    lines = [f"### {rule.id}", "", f"{rule.says[0].upper()}{rule.says[1:]}. {what}.", ""]
    if rule.remedy:
        lines += [f"What to do: {rule.remedy}.", ""]
    example = (root / file).read_text(errors="replace").rstrip("\n")
    lines += [f"```{language if rule.id != 'json.document' else 'none'}", example, "```", "", "```text",
              f"$ {typed}", printed, "```", ""]
    return lines


def write_pages(root, tool, package, pages):
    """Writes reference/rules/all.txt, which reference/rules.md includes."""
    grouped = {group: [] for group in GROUPS}
    for row in examples(root, tool, package):
        grouped[group_of(row[0])].append(row)
    text = []
    for group, rows in grouped.items():
        text += [f"## {group}", ""]
        for row in rows:
            text += section(root, *row)
    (pages / "reference" / "rules").mkdir(parents=True, exist_ok=True)
    (pages / "reference" / "rules" / "all.txt").write_text("\n".join(text))
