"""The rules for names and skips of tests (CONTRIBUTING.md), which this finds in the sources of all tests.    names_test.py"""

import ast
import pathlib
import re
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
MOST = 60
UNCLEAR = {"who", "whoever", "whom", "whose", "nobody", "nobodys", "somebody", "somebodys", "anybody", "anybodys", "everybody",
           "everybodys", "stand", "stands", "standing", "stood"}
A_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
BODY = re.compile(r".*\}$|(?:.*\n)*?\}", re.MULTILINE)  # of one line, or to a line that begins with }
CONDITION = re.compile(r"^  if \(([^;{}]*)\)\s+return;", re.MULTILINE)
BLOCK = re.compile(r"^  if \(([^;{}]*)\) \{\n(?:    .*\n)*?    return;$", re.MULTILINE)


def wrong_name(name):
    """Returns what is wrong with a test's name; empty: nothing."""
    unclear = UNCLEAR & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)}
    if unclear:
        return f"the name {name} has the word '{min(unclear)}': name the process, or the place in memory"
    if len(name) > MOST:
        return f"the name {name} has {len(name)} characters, must have at most {MOST}: state the fact in fewer words"
    return ""


def faults_of_cpp(text):
    """Yields the lines and faults of tests in C++. A test that has failed may return."""
    for found in A_TEST.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield line, wrong_name(found[2])
        ends = BODY.match(text, found.end())
        body = ends[0] if ends else text[found.end():]
        for silent in [*CONDITION.finditer(body), *BLOCK.finditer(body)]:
            if "Failure()" not in silent[1]:
                yield (line + body.count("\n", 0, silent.start()),
                       f"{found[2]} returns if {silent[1]}: write GTEST_SKIP() << \"needs ...\", or split the test")
        if re.search(r"GTEST_SKIP\(\);", body):
            yield line, f"{found[2]} is skipped without a reason: write GTEST_SKIP() << \"needs ...\""


def statements(function):
    """Yields the nodes of a function, but not those of functions and classes in it."""
    nodes = list(function.body)
    while nodes:
        node = nodes.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            nodes += ast.iter_child_nodes(node)


def faults_of_python(text):
    """Yields the lines and faults of tests in Python."""
    tree = ast.parse(text)
    for scope in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        seen = set()
        for test in scope.body:
            if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test_"):
                continue
            yield test.lineno, wrong_name(test.name)
            if test.name in seen:
                yield test.lineno, f"{test.name} replaces a test of the same name, which never runs: give it another name"
            seen.add(test.name)
            for node in statements(test):
                if isinstance(node, ast.Return):
                    yield node.lineno, f"{test.name} returns early: write pytest.skip(\"needs ...\"), or split the test"
                if isinstance(node, ast.Call) and ast.unparse(node) in ("pytest.skip()", "self.skipTest()"):
                    yield node.lineno, f"{test.name} is skipped without a reason: write pytest.skip(\"needs ...\")"


def faults(path, text):
    found = faults_of_python(text) if path.suffix == ".py" else faults_of_cpp(text)
    return [f"{path}:{line}: {fault}" for line, fault in found if fault]


class Rules(unittest.TestCase):
    def test_every_test_keeps_the_rules(self):
        paths = [path for path in sorted(TESTS.rglob("*")) if path.suffix in (".cpp", ".hpp", ".py")]
        self.assertGreater(len(paths), 100)
        found = [fault for path in paths for fault in faults(path.relative_to(TESTS.parent), path.read_text())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def said(self, name, text):
        return [fault.partition(": ")[2] for fault in faults(pathlib.Path(name), text)]

    def test_a_name_of_61_characters_is_found(self):
        name = "A" + "bcde" * 15
        self.assertEqual(self.said("x.cpp", f"TEST(S, {name[:60]}) {{}}\nTEST(S, {name}) {{}}\n"),
                         [f"the name {name} has 61 characters, must have at most 60: state the fact in fewer words"])
        self.assertEqual(len(self.said("x.py", f"def test_{name}():\n    pass\n")), 1)

    def test_unclear_words_are_found_as_whole_words(self):
        for name in "NobodyWaits", "ItStands", "AreOfWho", "WhatSomebodyHas", "IsThere_stood", "ForWhoeverAsks":
            self.assertEqual(len(self.said("x.cpp", f"TYPED_TEST(S, {name}) {{}}\n")), 1, name)
            self.assertEqual(len(self.said("x.hpp", f"TEST_F(S,\n       {name}) {{}}\n")), 1, name)
        self.assertEqual(self.said("x.cpp", "TEST(S, StandardsOfTheWholeAreUnderstood) {}\n"), [])
        self.assertEqual(len(self.said("x.py", "class T:\n    def test_whose_it_is(self):\n        pass\n")), 1)

    def test_silent_returns_of_cpp_are_found(self):
        for silent in ("  if (processes() < 2) return;\n", "  f();\n  if (g(1) &&\n      h()) return;\n",
                       "  if (processes() == 1) {\n    f();\n    return;\n  }\n"):
            self.assertEqual(len(self.said("x.cpp", "TEST(S, A) {\n" + silent + "  g();\n}\n")), 1, silent)
        for good in ("  if (processes() < 2) GTEST_SKIP() << \"needs at least 2 processes\";\n",
                     "  if (HasFatalFailure()) return;\n", "  for (;;)\n    if (HasFailure()) return;\n",
                     "  each([&] {\n    if (n > 2) return;\n    f();\n  });\n", "  if (a) return f();\n"):
            self.assertEqual(self.said("x.cpp", "TEST(S, A) {\n" + good + "}\n\nvoid f() {\n  if (a) return;\n}\n"), [])
        self.assertEqual(len(self.said("x.cpp", "TEST(S, A) {\n  if (a) GTEST_SKIP();\n}\n")), 1)

    def test_the_body_of_a_test_goes_on_after_its_inner_blocks(self):
        block = "  for (int i = 0; i < 2; ++i) {\n    f(i);\n  }\n  const int a[] = {1}\n  ;\n"
        for silent in "  if (a) return;\n", "  if (a) GTEST_SKIP();\n":
            self.assertEqual(len(self.said("x.cpp", "TEST(S, A) {\n" + block + silent + "  g();\n}\n")), 1, silent)
            self.assertEqual(self.said("x.cpp", "TEST(S, A) {}\n\nvoid f() {\n" + silent + "}\n"), [])

    def test_silent_returns_of_python_are_found(self):
        self.assertEqual(len(self.said("x.py", "def test_a():\n    if P == 1:\n        return\n    assert f()\n")), 1)
        self.assertEqual(len(self.said("x.py", "def test_a():\n    pytest.skip()\n")), 1)
        self.assertEqual(self.said("x.py", "def test_a():\n    def f():\n        return 1\n    pytest.skip('needs f')\n"), [])

    def test_python_tests_of_one_name_are_found(self):
        self.assertEqual(len(self.said("x.py", "def test_a():\n    pass\n\ndef test_a():\n    pass\n")), 1)


if __name__ == "__main__":
    unittest.main()
