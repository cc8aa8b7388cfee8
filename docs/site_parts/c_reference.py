"""The reference of tridap/tridap.h: its sections in its own order, with what Doxygen read of it."""

import re

SECTION = re.compile(r"// -{4} (.*?) -+$", re.MULTILINE)
DECLARED = re.compile(
    r"^typedef (?P<what>struct|enum) (?P<type>\w+) (?:TRIDAP_ANY_INT )?\{(?:[^\n]*\}|.*?^\}) ?\w*;"
    r"(?:  ///< (?P<comment>[^\n]*))?|"
    r"^typedef \w+ \(\*(?P<function_type>\w+)\)\(|^#define (?P<define>TRIDAP_[A-Z]\w+) (?=[\w(])|"
    r"^(?:int|int64_t|const char\*) (?P<function>tridap_\w+)\(|(?P<prose>(?:^// [^\n]*\n)+)", re.MULTILINE | re.DOTALL)
DIRECTIVES = {"struct": "doxygenstruct", "enum": "doxygenenum", "function_type": "doxygentypedef",
              "define": "doxygendefine", "function": "doxygenfunction"}


def directive(kind, name):
    members = [":members:"] if kind == "struct" else []
    return [f"```{{{DIRECTIVES[kind]}}} {name}", *members, "```", ""]


def sentence(comment):
    return f"{comment[0].upper()}{comment[1:]}."


def section_lines(text):
    lines = []
    for found in DECLARED.finditer(text):
        if found["prose"]:
            lines += [re.sub(r"^// ?", "", line) for line in found["prose"].split("\n")]
        elif found["type"]:
            lines += directive(found["what"], found["type"])
            lines += [sentence(found["comment"]), ""] if found["comment"] else []
        else:
            kind = found.lastgroup
            lines += directive(kind, found[kind])
    return lines


def markdown(header):
    """The reference of a header. Raises SystemExit if a function or a type of it is not found."""
    parts = SECTION.split(header)
    lines = ["## tridap/tridap.h", "", "```{doxygenfile} tridap.h", ":sections: briefdescription detaileddescription",
             "```", "", "### Status", ""] + section_lines(parts[0])
    for title, text in zip(parts[1::2], parts[2::2]):
        lines += [f"### {title}", ""] + section_lines(text)
    all_of, shown = re.findall(r"^[^/\n#]*?\b(tridap_\w+)\(|^typedef \w+ (tridap_\w+)", header, re.MULTILINE), "\n".join(lines)
    all_of = {name for names in all_of for name in names if name}
    lost = sorted(name for name in all_of if not re.search(rf"\}} {name}$", shown, re.MULTILINE))
    if lost:
        raise SystemExit(f"docs/site_parts/c_reference.py does not find {lost} in tridap/tridap.h")
    return "\n".join(lines)


def write_pages(root, pages):
    """Writes reference/c/header.txt, which reference/c.md includes."""
    folder = pages / "reference" / "c"
    folder.mkdir(parents=True, exist_ok=True)
    header = root / "adapters" / "c" / "include" / "tridap" / "tridap.h"
    (folder / "header.txt").write_text(markdown(header.read_text()) + "\n")
