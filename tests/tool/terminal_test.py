"""What the command prints is readable in a terminal of 80 columns, and --version says what it was built with.

    terminal_test.py PROGRAM DATA VERSION COMPILER COMPONENTS COMPLETION
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

from terminal import ESCAPE, Terminal, printed_by, widest

PROGRAM, DATA, VERSION, COMPILER, COMPONENTS, COMPLETION = sys.argv[1:]
COMMANDS = ("check", "show", "make", "where", "diff", "convert")
LONG = "a_file_whose_name_is_longer_than_half_a_line_of_the_terminal_" + "x" * 60 + ".json"
ARRAYS = {  # shape, distribution, process grid, and more
    "small.json": ("5x9", "b,c:2", "2x2"), "line.json": ("100", "b", "4"), "cyclic.json": ("1000000", "c:7", "12"),
    "large.json": ("4000x3000", "b,c:16", "8x12"), "cube.json": ("20x30x40", "b,b,c:4", "2x2x2"),
    "padded.json": ("40x40", "b,b", "3x3", "--padding", "1,1", "--periodic"),
    "lists.json": ("9", "u:lists", "3"), "huge.json": ("4611686018427387904", "b", "300"),
    "many_axes.json": ("3x3x3x3x3x3x3x3x3x3", "b,b,*,*,*,*,*,*,*,b", "2x2x1x1x1x1x1x1x1x2"),
    LONG: ("64x64", "c:3,b", "4x4")}


def piped(*words):
    done = subprocess.run([PROGRAM, *words], cwd=FOLDER, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def setUpModule():
    global FOLDER, temporary
    temporary = tempfile.TemporaryDirectory()
    FOLDER = pathlib.Path(temporary.name)
    (FOLDER / "lists").write_text("[[0, 5000000000, 2], [-7, 1, 3], [4, 6, 123456789012]]")
    for name, (shape, dist, grid, *more) in ARRAYS.items():
        (FOLDER / name).write_text(piped("make", "--shape", shape, "--dist", dist, "--grid", grid, *more))
    for name in ("small", "large", "cube", "huge"):  # one process states another beginning
        capture = json.loads((FOLDER / f"{name}.json").read_text())
        capture["processes"][1]["dim_data"][0]["start"] += 1
        (FOLDER / f"wrong_{name}.json").write_text(json.dumps(capture))
    far = json.loads((FOLDER / "line.json").read_text())
    for process in far["processes"]:
        process["rank"] += 4611686018427387900
        process["dim_data"][0]["note"] = "an unknown key"
    (FOLDER / "wrong_far.json").write_text(json.dumps(far))


def tearDownModule():
    temporary.cleanup()


def calls():
    """Calls of the command that print to be read, right and wrong ones."""
    for name in [*ARRAYS, *(f"wrong_{name}.json" for name in ("small", "large", "cube", "huge", "far"))]:
        yield "check", name
        yield "check", "--local", name
        yield "show", name
        yield "show", "--colour", "always", "--trust-extent", name
    for name in ("check", "show", "where", "diff", "convert", "make"):
        yield (name,)
        yield name, "--wrong"
        yield name, "nothing_of_a_name_that_is_as_long_as_half_a_line_and_more.json"
    for file in sorted((pathlib.Path(DATA) / "rules").glob("*.json"))[::5]:
        yield "check", file
        yield "show", file
    yield "show", "--slice", "3,:,:", "cube.json"
    yield "show", "--slice", "30,:,:,1,2,3", "cube.json"
    for index in ("3,4", "9,9"):
        yield "where", "small.json", index
        yield "where", "wrong_small.json", index
    yield "where", "many_axes.json", "1,1,1,1,1,1,1,1,1,1"
    yield "diff", "many_axes.json", "many_axes.json"
    yield "diff", "large.json", LONG
    yield "diff", "cube.json", "padded.json"
    yield "diff", "small.json", "wrong_small.json"
    yield "make", "--shape", "5x9", "--dist", "b,b:0,3,17", "--grid", "2x3"
    yield "make", "--shape", "5", "--dist", "c", "--padding", "1,1", "--grid", "2"
    yield "convert", "--to", "0.9", "padded_of_no_file.json"
    yield "convert", "--to", "0.9", "wrong_cube.json"
    yield "chek", "small.json"
    yield ("--version",)


class InATerminal(unittest.TestCase):
    def assert_fits(self, words, columns):
        text, _ = printed_by([PROGRAM, *words], FOLDER, columns)
        self.assertLessEqual(len(widest(text)), columns, f"tridap {' '.join(map(str, words))}:\n{text}")
        return text

    def test_each_help_text_fits_terminals_of_40_to_120_columns(self):
        for words in [("--help",), *((command, "--help") for command in COMMANDS)]:
            here = piped(*words)
            self.assertLessEqual(len(widest(here)), 80)
            for columns in (40, 60, 80, 120):
                self.assertEqual(self.assert_fits(words, columns).split(), here.split())

    def test_all_that_is_printed_to_be_read_fits_80_columns(self):
        for words in calls():
            self.assert_fits(words, 80)

    def test_usual_arrays_are_drawn_in_terminals_of_40_columns(self):
        for name in ("small", "line", "cyclic", "large", "cube", "padded", "wrong_small", "wrong_cube"):
            self.assert_fits(("show", f"{name}.json"), 40)

    def test_no_word_is_lost_where_a_line_is_broken(self):
        for words in (("check", "wrong_large.json"), ("check", "many_axes.json"), ("where", "many_axes.json", "1" + ",1" * 9),
                      ("diff", "large.json", "cube.json"), ("check", "wrong_far.json"), ("make", "--shape", "5", "--dist", "bb")):
            text = ESCAPE.sub("", self.assert_fits(words, 80))
            self.assertEqual(text.split(), piped(*words).split())
            self.assertGreater(len(text.split("\n")), 2)

    def test_what_follows_of_a_broken_line_is_indented(self):
        text, _ = printed_by([PROGRAM, "check", "wrong_small.json"], FOLDER, 80)
        first, *others = ESCAPE.sub("", text).rstrip("\n").split("\n")
        self.assertRegex(first, "^wrong_small.json: invalid, [0-9]+ error")
        self.assertTrue(others[0].startswith("axis "), text)
        self.assertTrue(any(line.startswith("  ") for line in others), text)

    def test_a_drawing_takes_the_width_of_the_terminal(self):
        widths = [len(widest(printed_by([PROGRAM, "show", "large.json"], FOLDER, columns)[0])) for columns in (60, 80, 200)]
        self.assertLess(widths[0], widths[1])
        self.assertGreater(widths[2], 150)

    def test_a_terminal_of_unknown_width_has_COLUMNS_else_80(self):
        wide, _ = printed_by([PROGRAM, "show", "large.json"], FOLDER, 0, COLUMNS="200")
        self.assertGreater(len(widest(wide)), 150)
        for columns in ("", "x", "-5", "0", "99999999999999999999"):
            text, _ = printed_by([PROGRAM, "show", "large.json"], FOLDER, 0, COLUMNS=columns)
            self.assertLessEqual(len(widest(text)), 80)
            self.assertGreater(len(widest(text)), 60)

    def test_what_a_program_reads_is_never_broken(self):
        for words in (("check", "--json", "wrong_large.json"), ("make", "--shape", "90x90", "--dist", "b,c", "--grid", "2x3"),
                      ("convert", "--to", "0.9", "padded.json")):
            self.assertEqual(printed_by([PROGRAM, *words], FOLDER, 40)[0], piped(*words))

    def test_a_pipe_gets_one_line_for_each_violation(self):
        head, *lines = piped("check", "wrong_large.json").rstrip("\n").split("\n")
        self.assertRegex(head, "invalid")
        self.assertTrue(all(line.startswith(("axis ", "warning: ", "and ", "rank")) for line in lines), lines)
        self.assertGreater(max(map(len, lines)), 80)


class Version(unittest.TestCase):
    def setUp(self):
        self.lines = piped("--version").rstrip("\n").split("\n")

    def test_the_first_line_is_the_version_alone(self):
        self.assertEqual(self.lines[0], f"tridap {VERSION}")

    def test_the_compiler_and_its_version_follow(self):
        self.assertEqual(self.lines[1].split()[0], "compiler")
        self.assertIn(COMPILER, self.lines[1])

    def test_each_component_is_named_once_with_its_library(self):
        said, name = {}, ""
        for line in self.lines[1:]:
            name = line[:16].strip() or name
            said[name] = f"{said.get(name, '')} {line[16:].strip()}".strip()
        also, without = (said.pop(name, "").split(", ") for name in ("also", "without"))
        self.assertIn(COMPILER, said.pop("compiler"))
        self.assertIn(said.pop("libraries"), ("static", "shared"))
        rows = [line.split("|", 2) for line in pathlib.Path(COMPONENTS).read_text().splitlines()]
        for name, state, why in rows:
            named = (name in said) + (name in also) + (name in without)
            if name in ("protocol", "captures", "tool", "mpi", "kokkos", "hdf5", "petsc", "tpetra"):
                self.assertEqual(named, 1, name)
            if named:
                self.assertEqual(name in without, state == "off", name)
            if name in said:
                self.assertEqual(said[name], why)
        self.assertIn("CLI11", said["tool"])
        self.assertLessEqual({*said, *also, *without} - {""}, {name for name, _, _ in rows})

    def test_it_names_no_folder_no_machine_and_no_user(self):
        text = "\n".join(self.lines)
        self.assertNotIn("/", text)
        self.assertNotIn(socket.gethostname(), text.split())
        self.assertNotIn(os.environ.get("USER", "?"), text.split())


class TheTabKey(unittest.TestCase):
    def test_it_completes_a_command_an_option_and_a_file(self):
        environment = {**os.environ, "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "$ ",
                       "INPUTRC": "/dev/null", "HISTFILE": ""}
        with Terminal(120) as terminal:
            shell = terminal.start(["bash", "--norc", "--noprofile", "-i"], FOLDER, environment)
            try:
                terminal.write(f"source '{COMPLETION}'; echo rea'd'y\n")
                terminal.read(until="\nready")
                terminal.write("tridap wh\t--tr\tsmal\t3,4\n")
                self.assertIn("tridap where --trust-extent small.json 3,4", terminal.read(until="process 2 at"))
            finally:
                shell.kill()
                shell.wait(timeout=60)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
