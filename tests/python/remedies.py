"""The remedies of messages: those in the sources, and those that tests execute."""

import ast
import pathlib
import re
import types
from typing import Any, Callable, NamedTuple

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


class Advice(NamedTuple):
    """A case of a table: a call whose error advises code. `run` executes the code, and asks whether its result is right.

    `text` is one of the sources, or a tuple of them. `given` makes the names of the caller, whose functions `follow` explains
    with `call`, `pattern` and `then`. `is_right` gets the result and the names.
    """

    text: str | tuple[str, ...]
    given: Callable[[], dict[str, Any]]
    call: str
    pattern: str
    then: str | None
    is_right: Callable[[Any, dict[str, Any]], bool]

    def run(self):
        given = self.given()
        assert self.is_right(follow(given, self.call, self.pattern, self.then), given)


def name_of(case):
    """The identifier of a case in the output of pytest."""
    return case.text if isinstance(case.text, str) else case.text[0]


def names_of(case, **more):
    """The names of a caller: those of `case`, and more, of which a function makes its value of `case["x"]`."""
    return {**case, **{name: value(case["x"]) if isinstance(value, types.FunctionType) else value for name, value in more.items()}}


def executed():
    """The texts that decorators and cases name, each with its place."""
    found = {}
    for path in sorted((ROOT / "tests/python").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            for argument in {"remedy": node.args, "Advice": node.args[:1]}.get(name, []) if name else []:
                texts = ast.literal_eval(argument)
                for text in [texts] if isinstance(texts, str) else texts:
                    found.setdefault(text, []).append(f"{path.name}:{node.lineno}")
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
