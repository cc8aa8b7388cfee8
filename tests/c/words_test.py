"""words_test.py PROGRAM: what messages advise to programs in C and Fortran are names that they have.

Takes the strings of the sources that seem to advise code, as the tests of Python's remedies do, in the words of C and of
Fortran. No word of C++ or Python may be left, and each function, option and argument that is named must exist.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import remedies  # noqa: E402

program = sys.argv[1]
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


advising = [(file, text) for file, text in remedies.advising() if not file.startswith(("adapters/python", "adapters/tpetra", "adapters/dlpack"))
            and text not in UNREACHABLE]
advising += [(path.relative_to(ROOT).as_posix(), text) for path in sorted((ROOT / "adapters/c").rglob("*.cpp"))
             if path.name != "words.cpp" for text in remedies.of_cpp(path.read_text()) if " " in text.strip()]
assert len(advising) > 100, advising
wrong = []
for language in ("c", "fortran"):
    known = sources(language)
    for (file, _), given in zip(advising, said([text for _, text in advising], language), strict=True):
        wrong += [f"{file}, in {language}: {given}: {fault}" for fault in faults(given, language, known)]
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
