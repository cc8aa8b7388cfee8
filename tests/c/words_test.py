"""words_test.py PROGRAM --c COMPILER FLAG... [--fortran COMPILER FLAG...]: what messages advise to programs in C and Fortran
is code that they can write.

Takes the strings of the sources that seem to advise code, as the tests of Python's remedies do, in the words of C and of
Fortran. No word of C++ or Python may be left, and each function, option and argument that is named must exist. What is code in
them is compiled, each in a program of its own.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import remedies  # noqa: E402

program, *commands = sys.argv[1:]
COMPILERS = {}
for word in commands:
    if word in ("--c", "--fortran"):
        COMPILERS[word[2:]] = []
    else:
        COMPILERS[list(COMPILERS)[-1]].append(word)
CODE = {"c": r'\bTRIDAP_\w+|\btridap_\w+|\b\w+ = (?:\d+|TRIDAP_\w+|"\w+")',
        "fortran": r"\btridap_\w+|\b\w+%\w+\([^)]*\)|\b[a-z_]+=(?:\.true\.|'\w+')"}
FORTRAN_CALLS = {"copy": "call tridap_solve(a, u, u, %s)", "method": "call tridap_solve(a, u, u, %s)",
                 "convert": "call tridap_redistribute(u, v, %s)", "partial": "call tridap_redistribute(u, v, %s)"}
OTHERS = {  # functions and constants of the program's other libraries
    "MatConvert", "MatShellSetOperation", "MatAssemblyBegin", "MatAssemblyEnd", "DMSetUp", "H5Dread", "BLACS_GRIDINIT", "DESCINIT",
    "BLOCK", "CYCLIC", "GEN_BLOCK",  # formats of HPF
    "MPI_Init", "MPI_Finalize", "MPI_Cart_create", "GA_Destroy", "VecSetType", "VecNestGetSubVec"}
UNREACHABLE = {  # texts that no call of C or Fortran can get, and why
    "pass np.asarray(indices)": "a list of Python",
    "make the grid of the array's placement: ProcessGrid(comm, placed)": "C makes the grid of a desc itself",
    "use gather_bounds()": "C has no bounds of its own",
    "pass what one call of gather_distribution() gave to all": "handles have the distribution that one call gave to all",
    "release the other group's arrays, and call collect()": "C makes arrays of all processes",
    "call make_group(comm) first": "C makes arrays of all processes",
    "call destroy() only after the last use of an exported array": "C has no such call",
    "set its element type with name_type()": "C has no types of its own in Global Arrays",
    " bytes long, but name_type() or an array made here set it to ": "C has no types of its own in Global Arrays",
    "set its element type with name_type(); do not deregister types of arrays made here": "C has none of its own",
    "use another grid, such as near_square_grid(), or more processes": "C makes the grid itself",
}


def said(texts, language):
    done = subprocess.run([program, language], input="\n".join(texts) + "\n", text=True, stdout=subprocess.PIPE, check=True)
    return done.stdout.splitlines()


def sources(language):
    """The text in which the names of a language are."""
    if language == "c":
        return (ROOT / "adapters/c/include/tridap/tridap.h").read_text()
    return "\n".join(path.read_text() for path in (ROOT / "adapters/fortran/src").iterdir())


def faults(text, language, known):
    left = re.search(r"::|DistArray|[Pp]ython|numpy|`|np\.|tridap\.[a-z]", text)
    if left:
        yield f"'{left[0]}' is no word of {language}"
    for name in re.findall(r"\b(\w+)\(", text):
        if name not in OTHERS and name != "order" and not re.search(rf"\b{name}\b", known):
            yield f"there is no {name}()"
    for name in re.findall(r"\btridap_\w+", text):
        if not re.search(rf"\b{name}\b", known, re.I):
            yield f"there is no {name}"
    pattern = r"\b(\w+) = (?:1|TRIDAP_\w+)" if language == "c" else r"\b(\w+)=(?:\.true\.|'\w+')"
    for name in re.findall(pattern, text):
        if not re.search(rf"\b{name}\b", known):
            yield f"there is no option {name}"
    for name in re.findall(r"\bTRIDAP_\w+", text):
        if not re.search(rf"\b{name}\b", known):
            yield f"there is no {name}"


def program_in_c(code, header):
    """A program that has a piece of code: the name of a type, a function or a constant, or the value of an option."""
    if " = " not in code:
        is_type = re.search(rf"(?:^}}|^typedef.*) {code};$", header, re.M)
        return f"#include <tridap/tridap.h>\n{f'typedef {code} given;' if is_type else f'void program(void) {{ (void){code}; }}'}\n"
    name, _ = code.split(" = ")
    struct = re.search(rf"^typedef struct (\w+) {{[^}}]*\b{name};[^}}]*}}", header, re.M)
    argument = re.search(rf"[(,]\s*(\w+) {name}[,)]", header)
    place = f"void program({struct[1]}* options) {{ options->{code}; }}" if struct else \
        f"void program({argument[1]} {name}) {{ {code}; (void){name}; }}"
    return f"#include <tridap/tridap.h>\n{place}\n"


def program_in_fortran(code, _):
    """The same in Fortran: a name of the module, a question to a handle, or an argument by its name."""
    use, call = "", ""
    if re.fullmatch(r"tridap_\w+", code):
        use = f"use tridap, only: {code}"
    elif "%" in code:
        call = f"print *, {code}"
    else:
        call = FORTRAN_CALLS[code.split("=")[0]] % code
    return f"""subroutine program(layout, u, v, a)
  {use or "use tridap"}
  use tridap, only: tridap_distribution, tridap_array, tridap_matrix
  implicit none
  type(tridap_distribution), intent(in) :: layout
  type(tridap_array), intent(inout) :: u, v
  type(tridap_matrix), intent(in) :: a
  {call}
end subroutine
"""


def compile_faults(language, pieces, known):
    """What the compiler of a language says of pieces of code that it does not take."""
    make, ending = {"c": (program_in_c, "c"), "fortran": (program_in_fortran, "f90")}[language]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / f"program.{ending}"
        for piece in sorted(pieces):
            source.write_text(make(piece, known))
            done = subprocess.run([*COMPILERS[language], "-fsyntax-only", source], cwd=folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode != 0:
                yield f"in {language}, this does not compile: {piece}\n{source.read_text()}{done.stdout}"


advising = [(file, text) for file, text in remedies.advising() if not file.startswith(("adapters/python", "adapters/tpetra", "adapters/dlpack"))
            and text not in UNREACHABLE]
advising += [(path.relative_to(ROOT).as_posix(), text) for path in sorted((ROOT / "adapters/c").rglob("*.cpp"))
             if path.name != "words.cpp" for text in remedies.of_cpp(path.read_text()) if " " in text.strip()]
assert len(advising) > 100, advising
wrong = []
for language in ("c", "fortran"):
    known = sources(language)
    texts = said([text for _, text in advising], language)
    for (file, _), given in zip(advising, texts, strict=True):
        wrong += [f"{file}, in {language}: {given}: {fault}" for fault in faults(given, language, known)]
    if language in COMPILERS:
        pieces = {piece for text in texts for piece in re.findall(CODE[language], text)}
        assert len(pieces) > 15, pieces
        wrong += compile_faults(language, pieces, known)
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
