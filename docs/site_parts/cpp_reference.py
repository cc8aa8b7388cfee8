"""The reference of C++: a page for each component, with its headers as Doxygen read them."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree

# In the order of the layers.
COMPONENTS = ["packages/protocol", "packages/tool", "packages/mpi", "packages/infer", "packages/plan",
              "packages/redistribute", "packages/ghosts", "packages/sparse", "packages/kokkos", "adapters/dlpack",
              "adapters/globalarrays", "adapters/scalapack", "adapters/hdf5", "adapters/petsc", "adapters/tpetra",
              "adapters/solvers"]


def run_doxygen(root, work):
    """Writes Doxygen's XML to work/xml. A warning is an error."""
    work.mkdir(parents=True, exist_ok=True)
    folders = [root / component / "include" for component in COMPONENTS]
    settings = (root / "docs" / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {work}\n" + \
        f"STRIP_FROM_PATH = {' '.join(map(str, folders))}\nINPUT = {' '.join(map(str, folders))}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"Doxygen:\n{done.stdout}{done.stderr}")


def with_content(xml):
    """Returns the headers, as "tridap/axis.hpp", of which Doxygen describes something."""
    found = set()
    for file in xml.glob("*.xml"):
        compound = ElementTree.parse(file).getroot().find("compounddef")
        if compound is None or compound.get("kind") in ("file", "dir"):
            continue
        for location in compound.iter("location"):
            found.add(location.get("file"))
    return found


def summary(root, component):
    """The row of the README's table of components."""
    name = component.split("/")[1]
    row = re.search(rf"^\| `TriDAP::{name}` \| (.*?) \| (.*?) \|$", (root / "README.md").read_text(), re.MULTILINE)
    if not row:
        raise SystemExit(f"README.md: its table of components has no row TriDAP::{name}")
    what = re.sub(r": \[the table\]\([^)]*\)", "", row[1])
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", what), re.sub(r"\[(.*?)\]\(.*?\)", r"\1", row[2])


def write_pages(root, work, pages):
    """Writes reference/cpp/<component>.md, and the table reference/cpp/components.txt, which reference/cpp.md includes."""
    described = with_content(work / "xml")
    rows = ["| component | what it does | needs |", "|---|---|---|"]
    names = []
    for component in COMPONENTS:
        folder, name = root / component / "include", component.split("/")[1]
        what, needs = summary(root, component)
        rows.append(f"| [TriDAP::{name}](cpp/{name}.md) | {what} | {needs} |")
        names.append(name)
        text = [f"# TriDAP::{name}", "", f"{what[0].upper()}{what[1:]}. It needs {needs}.", ""]
        if (root / component / "README.md").is_file():
            text += [f"[What maps, what is refused, and what is copied](../../{component}.md)", ""]
        headers = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.hpp"))
        for header in (header for header in headers if header in described):
            text += [f"## tridap/{header.removeprefix('tridap/')}", "", "```{doxygenfile} " + header,
                     ":sections: innerclass define enum typedef func var", "```", ""]
        (pages / "reference" / "cpp").mkdir(parents=True, exist_ok=True)
        (pages / "reference" / "cpp" / f"{name}.md").write_text("\n".join(text))
    toctree = ["", "```{toctree}", ":hidden:", "", *(f"cpp/{name}" for name in names), "```", ""]
    (pages / "reference" / "cpp" / "components.txt").write_text("\n".join(rows + toctree))
