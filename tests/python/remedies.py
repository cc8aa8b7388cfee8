"""The remedies of messages: those in the sources, and those that tests execute."""

import ast
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
# What C++ text can reach a Python program: all but the tool's, the C header's and Fortran's, and packages/device's.
FOLDERS = ("adapters/python", "adapters/scalapack/src", "adapters/petsc/src", "adapters/hdf5/src", "adapters/solvers/src",
           "adapters/tpetra/src", "adapters/globalarrays/src", "adapters/dlpack/src", "packages/protocol/src", "packages/mpi/src",
           "packages/redistribute", "packages/infer/src", "packages/ghosts/src", "packages/sparse/src",
           "packages/captures/src")
TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|#include[^\n]*|R"(\w*)\(.*?\)\1"|(?:"(?:\\.|[^"\\\n])*"\s*)+|\'(?:\\.|[^\'\\])\'', re.S)
# What a text has that advises code: a call, an argument, or an attribute; and a word that advises.
CODE = re.compile(r"[A-Za-z_]\w*(\.\w+)*\(|\b[a-z_]+=[^= ]|\btridap\.\w|\b[a-z]\.[a-z]\w+\b")
ADVICE = re.compile(r"(?i)\b(allocates?|calls?|compute|converts?|copy|copies|finds?|free|gathers?|gives?|is|loads?|makes?|moves?|needs?|"
                    r"pass|passes|reads?|returns?|saves?|sets?|sorts?|takes?|tells?|tries|try|use|writes?)\b")
# Docstrings, patterns and HTML; what a thing is, must be, or was asked, without advice.
NO_MESSAGE = re.compile(r"\\n| -> |^The compiled part of|^\(|^\s*<|^An axis .* makes one|str\(\) is its line|str\(\) is one line|"
                        r"^copy=\w+, but|^copy=True of|must be (a|an) \S+( or None)?$|^ is not a tridap[.]\w+$|must be at least")


def remedy(*texts):
    """A decorator of a test that executes what messages with these texts advise. They are texts of the sources."""
    return lambda test: test


def executed():
    """The texts that decorators name, each with its tests."""
    found = {}
    for path in sorted((ROOT / "tests/python").rglob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            for call in getattr(node, "decorator_list", []):
                if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) == "remedy":
                    for text in call.args:
                        found.setdefault(ast.literal_eval(text), []).append(f"{path.name}::{node.name}")
    return found


def listed():
    """The texts that no decorated test executes, as (file, text, reason): remedies_listed.tsv."""
    lines = (ROOT / "tests/python/remedies_listed.tsv").read_text().splitlines()
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]


def advising():
    """The strings of the sources that seem to advise code, as pairs (file, text)."""
    return [(file, text) for file, text in in_sources()
            if " " in text.strip() and CODE.search(text) and ADVICE.search(text) and not NO_MESSAGE.search(text)]


def of_cpp(text):
    """The strings of a source of C++, neighbours joined, without comments and raw strings."""
    for found in TOKENS.finditer(text):
        if found[0].startswith('"'):
            yield "".join(part.replace('\\"', '"') for part in re.findall(r'"((?:\\.|[^"\\\n])*)"', found[0]))


def of_python(text):
    """The strings of a source of Python, without docstrings; what is formatted is `…`."""
    tree = ast.parse(text)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inner | docs:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def in_sources():
    """All strings of the source files whose errors Python users see, as pairs (file, text)."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.?pp")):
            found += [(path.relative_to(ROOT).as_posix(), text) for text in of_cpp(path.read_text())]
    for path in sorted((ROOT / "adapters/python/tridap").glob("*.py")):
        found += [(path.relative_to(ROOT).as_posix(), text) for text in of_python(path.read_text())]
    return found


def said_by(call, kind=Exception):
    """The message of the error that a call raises."""
    import pytest
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def advice(text, pattern):
    """The part of a message that is code."""
    found = re.search(pattern, text)
    assert found, text
    return found[1]


def follow(given, call, pattern, then=None):
    """Executes what the error of a call advises, and answers what the call, or `then` with the code in it, returns after it.

    `given` holds the names of the caller, and is changed by what is executed.
    """
    text = said_by(lambda: eval(call, given))
    for word in ("Mapping::", "copy=never", "copy=if_needed", "(in Python", "DistArray{}", "`partial`"):
        assert word not in text, text
    code = advice(text, pattern)
    if then is None:
        exec(code, given)
        return eval(call, given)
    return eval(then.format(code), given)
