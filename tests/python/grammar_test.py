"""The package's sources are of Python 3.9, the oldest that pyproject.toml allows: its grammar, and what runs with it.

    grammar_test.py SOURCE_DIR
"""

import ast
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
OLDEST = tuple(map(int, re.search(r'requires-python = ">=(\d+)[.](\d+)"', (SOURCE / "pyproject.toml").read_text()).groups()))
FILES = [SOURCE / "setup.py", *sorted((SOURCE / "adapters/python").rglob("*.py")), *sorted((SOURCE / "adapters/python").rglob("*.pyi"))]

BUILT_IN = {"bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "object", "range", "set", "slice", "str", "tuple", "type"}
#: What the standard library has since Python 3.10 or later, of the modules that a package like this one may use.
NEWER = {
    "ast": {"TypeAlias", "TryStar"}, "asyncio": {"TaskGroup", "Runner", "timeout"},
    "builtins": {"aiter", "anext", "EncodingWarning", "BaseExceptionGroup", "ExceptionGroup", "PythonFinalizationError"},
    "collections.abc": {"Buffer"}, "contextlib": {"aclosing", "chdir"}, "copy": {"replace"}, "dataclasses": {"KW_ONLY"},
    "datetime": {"UTC"}, "enum": {"StrEnum", "ReprEnum", "EnumType", "member", "nonmember", "verify", "property"},
    "functools": {"Placeholder"}, "hashlib": {"file_digest"}, "inspect": {"get_annotations", "BufferFlags", "markcoroutinefunction"},
    "itertools": {"pairwise", "batched"}, "logging": {"getLevelNamesMapping", "getHandlerByName"},
    "math": {"cbrt", "exp2", "sumprod", "fma"}, "operator": {"call", "is_none", "is_not_none"},
    "os": {"process_cpu_count", "listdrives", "unshare", "setns"}, "statistics": {"covariance", "correlation", "linear_regression", "kde"},
    "sys": {"exception", "monitoring", "orig_argv", "stdlib_module_names", "activate_stack_trampoline"},
    "threading": {"gettrace", "getprofile", "setprofile_all_threads", "settrace_all_threads"},
    "types": {"NoneType", "EllipsisType", "NotImplementedType", "UnionType", "get_original_bases", "CapsuleType"},
    "typing": {"Concatenate", "LiteralString", "Never", "NotRequired", "ParamSpec", "ParamSpecArgs", "ReadOnly", "Required", "Self",
               "TypeAlias", "TypeAliasType", "TypeGuard", "TypeIs", "TypeVarTuple", "Unpack", "assert_never", "assert_type",
               "clear_overloads", "dataclass_transform", "get_overloads", "get_protocol_members", "is_protocol", "is_typeddict",
               "override", "reveal_type"},
    "warnings": {"deprecated"},
}
NEW_MODULES = {"tomllib", "annotationlib", "compression", "string.templatelib", "concurrent.interpreters"}
NEW_METHODS = {"add_note", "bit_count"}
NEW_ARGUMENTS = {("zip", "strict"), ("map", "strict"), ("dataclass", "slots"), ("dataclass", "kw_only"), ("dataclass", "weakref_slot"),
                 ("NamedTemporaryFile", "delete_on_close"), ("TemporaryDirectory", "delete"), ("walk", "follow_symlinks"),
                 ("bisect_left", "key"), ("bisect_right", "key"), ("insort", "key"), ("rmtree", "onexc"), ("rmtree", "dir_fd"),
                 ("TemporaryDirectory", "ignore_cleanup_errors"), ("glob", "root_dir")}


def ours(node):
    """The name of a call's function: "zip" of zip(...), "dataclass" of dataclasses.dataclass(...)."""
    return getattr(node, "id", getattr(node, "attr", ""))


def is_type(node):
    """Whether an operand of | is a type: None, a type that is built in, a subscript of one, or a name like a class."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Subscript):
        return is_type(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr[:1].isupper() and not node.attr.isupper()
    return isinstance(node, ast.Name) and (node.id in BUILT_IN or re.fullmatch(r"[A-Z]\w*[a-z]\w*", node.id) is not None)


def has_a_bare_star(index, text):
    """Whether an index is a[*b] or a[*b, 0], not a[(*b, 0)]."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Starred) for part in parts) and not ast.get_source_segment(text, index).startswith("(")


def never_evaluated(tree):
    """The annotations that Python 3.9 does not evaluate, and what is for type checkers alone; with all that is in them."""
    roots = []
    deferred = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in (ours(node.test),):
            roots += node.body
        elif deferred:
            roots += [getattr(node, field) for field in ("annotation", "returns") if isinstance(getattr(node, field, None), ast.AST)]
    return {id(inner) for root in roots for inner in ast.walk(root)}


def newer_than_3_9(text, is_stub=False):
    """What Python 3.9 cannot read or run, as texts with the line."""
    try:
        tree = ast.parse(text, feature_version=OLDEST)
    except SyntaxError as error:
        return [f"{error.lineno}: {error.msg}"]
    found = []
    unread = never_evaluated(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Subscript) and has_a_bare_star(node.slice, text):
            found.append(f"{line}: a star in an index")
        if is_stub or id(node) in unread:
            continue
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and (is_type(node.left) or is_type(node.right)):
            found.append(f"{line}: {ast.unparse(node)} is evaluated")
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found += [f"{line}: {node.module}.{alias.name}" for alias in node.names if alias.name in NEWER.get(node.module, ())]
            found += [f"{line}: {node.module}"] * (node.module in NEW_MODULES)
        elif isinstance(node, ast.Import):
            found += [f"{line}: {alias.name}" for alias in node.names if alias.name in NEW_MODULES]
        elif isinstance(node, ast.Attribute):
            found += [f"{line}: {ast.unparse(node)}"] * (node.attr in NEWER.get(ast.unparse(node.value), ()) or node.attr in NEW_METHODS)
        elif isinstance(node, ast.Name):
            found += [f"{line}: {node.id}"] * (node.id in NEWER["builtins"])
        elif isinstance(node, ast.Call):
            found += [f"{line}: {ours(node.func)}({word.arg}=)" for word in node.keywords if (ours(node.func), word.arg) in NEW_ARGUMENTS]
    return found


class Python39(unittest.TestCase):
    def test_reads_and_runs_each_source(self):
        self.assertEqual(OLDEST, (3, 9))
        self.assertGreater(len(FILES), 50)
        self.assertEqual({str(file): said for file in FILES if (said := newer_than_3_9(file.read_text(), file.suffix == ".pyi"))}, {})

    def test_refuses_what_is_newer(self):
        for text in ("match x:\n    case 1:\n        pass\n", "def f(x: int | None): pass", "kind = int | str", "isinstance(x, list[int] | None)",
                     "try:\n    pass\nexcept* OSError:\n    pass\n", "a[*b]", "a[*b, 0]", "type X = int", "def f[T](x: T): pass",
                     "from typing import Self", "import tomllib", "import itertools\nitertools.pairwise(x)", "zip(a, b, strict=True)",
                     "import dataclasses\n@dataclasses.dataclass(slots=True)\nclass A:\n    pass\n", "(5).bit_count()", "aiter(x)",
                     "from __future__ import annotations\nX = Array | None", "class A:\n    x: int | None = None\n",
                     "with (open(a) as b, open(c) as d):\n    match = 1\n    match d:\n        case _:\n            pass\n"):
            with self.subTest(text):
                self.assertEqual(len(newer_than_3_9(text)), 1)

    def test_takes_what_is_of_3_9(self):
        for text in ("from __future__ import annotations\ndef f(x: int | None) -> list[int] | None: pass",
                     "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from typing import Self\n", "x = a | b", "flags = os.O_RDWR | os.O_CREAT",
                     "x: list[int] = []", "'abc'.removesuffix('c')", "d | {1: 2}", "match = case = 1", "a[(*b, 0)]", "@f(x)[0]\ndef g(): pass",
                     "zip(a, b)", "f'{x!r}'", "from __future__ import annotations\nclass A:\n    x: int | None = None\n"):
            with self.subTest(text):
                self.assertEqual(newer_than_3_9(text), [])


if __name__ == "__main__":
    unittest.main()
