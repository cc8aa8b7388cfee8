"""The reference of C++: a page for each component, with its headers as Doxygen read them."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree

# In the order of the layers.
COMPONENTS = ["packages/protocol", "packages/captures", "packages/tool", "packages/mpi", "packages/infer",
              "packages/redistribute", "packages/ghosts", "packages/sparse", "packages/kokkos", "adapters/dlpack",
              "adapters/globalarrays", "adapters/scalapack", "adapters/hdf5", "adapters/petsc", "adapters/tpetra",
              "adapters/solvers"]


SECTIONS = {"enum": "enum", "typedef": "typedef", "function": "func", "variable": "var"}  # kinds of members

SHOWN = ("briefdescription detaileddescription innerclass enum typedef func var public-type public-attrib public-func "
         "public-static-func public-static-attrib friend")


def run_doxygen(root, work):
    """Writes Doxygen's XML to work/xml. A warning is an error."""
    work.mkdir(parents=True, exist_ok=True)
    folders = [root / component / "include" for component in [*COMPONENTS, "adapters/c"]]
    settings = (root / "docs" / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {work}\n" + \
        f"STRIP_FROM_PATH = {' '.join(map(str, folders))}\nINPUT = {' '.join(map(str, folders))}\n"
    done = subprocess.run(["doxygen", "-"], cwd=root, input=settings, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"Doxygen:\n{done.stdout}{done.stderr}")


def place_members(xml):
    """Doxygen describes the members of a namespace in the namespace. Breathe shows a header by itself, without the
    namespaces around it. So this function moves each member to its header, under its full name. Returns the headers,
    as "tridap/axis.hpp", that describe something."""
    members, described = {}, set()
    for file in sorted(xml.glob("namespace*.xml")):
        compound = ElementTree.parse(file).getroot().find("compounddef")
        for member in compound.iter("memberdef"):
            name = member.find("name")
            name.text = f"{compound.findtext('compoundname')}::{name.text}"
            members.setdefault(member.find("location").get("file"), []).append(member)
    for file in sorted(xml.glob("*_8hpp.xml")):
        tree = ElementTree.parse(file)
        compound = tree.getroot().find("compounddef")
        header = compound.find("location").get("file")
        for inside in compound.findall("innernamespace") + compound.findall("sectiondef"):
            compound.remove(inside)
        for kind, section in SECTIONS.items():
            found = [member for member in members.get(header, []) if member.get("kind") == kind]
            if found:
                ElementTree.SubElement(compound, "sectiondef", kind=section).extend(found)
        if compound.find("sectiondef") is not None or compound.find("innerclass") is not None:
            described.add(header)
        save(tree, file)
    for file in [*xml.glob("class*.xml"), *xml.glob("struct*.xml")]:
        save(ElementTree.parse(file), file)
    return described


def save(tree, file):
    """Writes XML without the word `inline` before functions, which says nothing to a caller."""
    for member in tree.iter("memberdef"):
        member.attrib.pop("inline", None)
    tree.write(file, encoding="utf-8", xml_declaration=True)


def summary(root, component):
    """The row of the README's table of components."""
    name = component.split("/")[1]
    row = re.search(rf"^\| `TriDAP::{name}` \| (.*?) \| (.*?) \|$", (root / "README.md").read_text(), re.MULTILINE)
    if not row:
        raise SystemExit(f"README.md: its table of components has no row TriDAP::{name}")
    what = re.sub(r": \[the table\]\([^)]*\)", "", row[1])
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", what), re.sub(r"\[(.*?)\]\(.*?\)", r"\1", row[2])


def write_pages(root, work, pages):
    """Writes reference/cpp/<component>.md, and the table components.txt there, which reference/cpp.md includes."""
    described = place_members(work / "xml")
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
            text += [f"## {header}", "", "```{doxygenfile} " + header, f":sections: {SHOWN}", "```", ""]
        (pages / "reference" / "cpp").mkdir(parents=True, exist_ok=True)
        (pages / "reference" / "cpp" / f"{name}.md").write_text("\n".join(text))
    toctree = ["", "```{toctree}", ":hidden:", "", *(f"cpp/{name}" for name in names), "```", ""]
    (pages / "reference" / "cpp" / "components.txt").write_text("\n".join(rows + toctree))
