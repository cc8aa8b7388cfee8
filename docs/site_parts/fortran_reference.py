"""The reference of Fortran: what the module `tridap` makes public, with its arguments and comments, from its source."""

import dataclasses
import re
import textwrap

KINDS = {"int8": "1", "int16": "2", "int32": "4", "int64": "8", "real32": "4", "real64": "8"}
VARIABLES = {"tridap_distribution": "layout", "tridap_array": "u"}  # names of handles in the calls that are shown
SAME = ("stat", "errmsg")  # the last arguments of almost all procedures, which are described once
RELEASE = "Ends what the handle stands for. Local."


@dataclasses.dataclass
class Procedure:
    name: str
    arguments: list
    result: str = ""  # the name of the result of a function, or "" for a subroutine
    doc: str = ""
    section: str = ""
    types: dict = dataclasses.field(default_factory=dict)  # of each argument, as declared: (type, dimensions, attributes)


@dataclasses.dataclass
class Type:
    name: str
    doc: str
    components: list = dataclasses.field(default_factory=list)  # (declaration, comment)
    methods: dict = dataclasses.field(default_factory=dict)  # name: [comment, procedures]


@dataclasses.dataclass
class Module:
    doc: str = ""
    public: set = dataclasses.field(default_factory=set)
    types: dict = dataclasses.field(default_factory=dict)
    constants: list = dataclasses.field(default_factory=list)  # (names, type, comment)
    procedures: dict = dataclasses.field(default_factory=dict)
    generics: dict = dataclasses.field(default_factory=dict)  # name: [comment, section, procedures]
    sections: dict = dataclasses.field(default_factory=dict)  # what is said at the beginning of each


def split(text):
    """Splits at commas outside of parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def statements(text):
    """Yields (statement, comment): lines that are continued are one statement."""
    code = ""
    for line in text.split("\n"):
        part, mark, comment = line.strip().partition("!")
        code += part.strip().lstrip("&").strip() if code else part.strip()
        if code.endswith("&"):
            code = code[:-1].rstrip() + " "
            continue
        yield code, mark + comment
        code = ""


class Reader:
    """Reads the module's source, one statement after another."""

    def __init__(self):
        self.module, self.doc, self.section = Module(), [], ""
        self.generic = self.type = self.procedure = None
        self.hidden = False  # in a type after `private`
        self.opens = False  # after the line of a section, before its first statement

    def read(self, text):
        for code, comment in statements(text):
            found = re.fullmatch(r"! -{4} (.*?) -+", comment)
            if found:
                self.section = found[1]
                self.module.sections[self.section] = ""
                self.opens = True
            elif not code and comment.startswith("!<") and self.type is not None and self.type.methods:
                method = list(self.type.methods.values())[-1]  # whose line has no room for it
                method[0] = method[0] or comment[2:].strip()
            elif not code and comment.startswith("!>"):
                self.doc.append(comment[2:].strip())
            elif not code and comment.startswith("! ") and self.opens:
                self.module.sections[self.section] += comment[2:] + "\n"
            elif code:
                self.opens = False
                if self.statement(code, comment):
                    self.doc = []
        return self.module

    def take_doc(self):
        text = "\n".join(self.doc)
        self.doc = []
        return text

    def statement(self, code, comment):
        """Returns whether comments before this statement are not for a later one."""
        if re.fullmatch(r"module \w+", code):
            self.module.doc = self.take_doc()
        elif self.type is not None:
            self.in_type(code, comment)
        elif self.procedure is not None:
            self.in_procedure(code)
        elif found := re.fullmatch(r"type, public :: (\w+)", code):
            self.type = self.module.types[found[1]] = Type(found[1], self.take_doc())
            self.module.public.add(found[1])
            self.hidden = False
        elif found := re.match(r"(.*), parameter, public :: (.*)", code):
            names = [re.match(r"\w+", part)[0] for part in split(found[2])]
            self.module.public.update(names)
            self.module.constants.append((names, re.sub(r"type\((\w+)\)", r"\1", found[1]), self.take_doc()))
        elif found := re.match(r"public :: (.*)", code):
            self.module.public.update(split(found[1]))
        elif found := re.fullmatch(r"(?:abstract )?interface ?(\w*)", code):
            self.generic = found[1] or None
            if self.generic:
                self.module.generics.setdefault(self.generic, [self.take_doc(), self.section, []])
            return False
        elif code == "end interface":
            self.generic = None
        elif found := re.match(r"module procedure (.*)", code):
            self.module.generics[self.generic][2] += split(found[1])
        else:
            self.begin_procedure(code)
        return True

    def begin_procedure(self, code):
        found = re.match(r"(?:module )?(.*?)\b(subroutine|function) (\w+)\((.*?)\)(?: result\((\w+)\))?", code)
        if not found:
            return
        result = (found[5] or found[3]) if found[2] == "function" else ""
        self.procedure = Procedure(found[3], split(found[4]), result, self.take_doc(), self.section)
        if result and found[1].strip():
            self.procedure.types[result] = (found[1].strip(), "", [])
        self.module.procedures.setdefault(found[3], self.procedure)
        if self.generic:
            self.module.generics[self.generic][2].append(found[3])

    def in_procedure(self, code):
        if re.match(r"end (subroutine|function)", code):
            self.procedure = None
        elif found := re.match(r"(.*?) :: (.*)", code):
            kind, *attributes = split(found[1])
            for name in split(found[2]):
                name, mark, dimensions = name.partition("(")
                self.procedure.types[name] = (kind, mark + dimensions, attributes)

    def in_type(self, code, comment):
        comment = comment[2:].strip() if comment.startswith("!<") else ""
        if code == "end type":
            self.type = None
        elif code in ("private", "contains"):
            self.hidden = code == "private"
        elif found := re.fullmatch(r"(?:procedure|generic) :: (\w+) => (.*)", code):
            method = self.type.methods.setdefault(found[1], ["", []])
            method[0] = method[0] or comment
            method[1] += split(found[2])
        elif "::" in code and not self.hidden and not code.startswith("procedure, private"):
            self.type.components.append((readable(code), comment))


def readable(declared):
    """integer(int64) as integer(8)."""
    return re.sub(r"\((int\d+|real\d+)\)", lambda kind: f"({KINDS[kind[1]]})", declared).split(" = ")[0]


def either(words):
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def described(variants):
    """What an argument may be: the types that the procedures of one generic name have for it."""
    plain, pointers = {}, {}  # as lists without repetitions
    for kind, dimensions, attributes in variants:
        kind = readable(kind).replace("character(*)", "character").replace("character(:)", "character")
        kind, dimensions = ("memory of any kind and rank", "") if kind == "type(*)" else (kind, dimensions)
        (pointers if "pointer" in attributes else plain)[kind] = None
        intent = next((word for word in attributes if word.startswith("intent")), "")
    kinds = [either(list(plain))] if plain else []
    kinds += [f"a pointer to {either(list(pointers))}"] if pointers else []
    more = f" `{dimensions}`" if dimensions else ""
    return ", or ".join(kinds) + more + {"intent(out)": ", out", "intent(inout)": ", in and out"}.get(intent, "")


def signatures(procedures):
    """Procedures of one generic name, by the names of their arguments."""
    groups = {}
    for procedure in procedures:
        groups.setdefault(tuple(procedure.arguments), []).append(procedure)
    return groups.values()


def arguments_of(procedures, passed):
    """[(name as shown, what it may be)] of the arguments, without those that all procedures have."""
    found = []
    for name in procedures[0].arguments[1 if passed else 0:]:
        if name not in SAME:
            variants = [procedure.types[name] for procedure in procedures]
            found.append((f"{name}=" if "optional" in variants[0][2] else name, described(variants)))
    return found


def result_of(procedures):
    """What a function returns; "" for a subroutine."""
    return described([one.types[one.result] for one in procedures]) if procedures[0].result else ""


def call(name, procedures, passed=""):
    """How a procedure is called; `passed` is the variable of a handle, or ""."""
    given = ", ".join(shown for shown, _ in arguments_of(procedures, passed))
    of = f"{passed}%{name}({given})" if passed else f"{name}({given})"
    if not procedures[0].result:
        return f"call {of}"
    return of if passed else f"{procedures[0].result} = {of}".removeprefix(f"{name} = ")


def wrapped(statement):
    """A statement in lines of a page's width."""
    return " &\n    ".join(textwrap.wrap(statement, 90, break_long_words=False, break_on_hyphens=False))


def escaped(text):
    """Text of a comment for Markdown: what looks like a call or a text of Fortran is code."""
    code = r"(?<!\w)((?:\w+=)?'[^']*'|\w+%\w+(?:\([^)]*\))?|tridap_\w+(?:\([^)]*\))?|MPI_\w+)"
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(code, r"`\1`", part) for part in parts[::2]]
    parts = re.split(r"(`[^`]*`|\*\w+\*)", "".join(parts))
    parts[::2] = [part.replace("*", r"\*") for part in parts[::2]]
    return "".join(parts).replace("|", r"\|")


def listed(rows, result):
    """Arguments and a result in one line."""
    words = [f"`{shown.rstrip('=')}`: {what}" for shown, what in rows] + ([f"result: {result}"] if result else [])
    return "; ".join(words)


def method_lines(module, kind, name, method):
    comment, names = method
    variable = VARIABLES.get(kind.name, kind.name.removeprefix("tridap_"))
    procedures = [module.procedures[target] for target in names]
    docs = [procedure.doc for procedure in procedures if procedure.doc]
    what = re.sub(r"^(?:call |\w+ = )?\w+%\w+\([^)]*\)(?:: |$)", "", comment) or "\n".join(docs[:1])
    if name == "release":
        what = RELEASE
    if not what:
        raise SystemExit(f"adapters/fortran: {kind.name} says nothing about its procedure {name}")
    if re.match(r"a |[a-z]\w", what):
        what = what[0].upper() + what[1:]
    lines = []
    for group in signatures(procedures):
        more = listed(arguments_of(group, variable), result_of(group))
        lines += [f"`{call(name, group, variable)}`", f":   {escaped(what)}{'' if what.endswith('.') else '.'}", ""]
        lines += [f"    {more}", ""] if more else []
    return lines


def type_lines(module, kind):
    if not kind.doc:
        raise SystemExit(f"adapters/fortran: there is no comment before the type {kind.name}")
    lines = [f"### {kind.name}", "", escaped(kind.doc), ""]
    made = [module.procedures[name] for name in module.generics.get(kind.name, ("", "", []))[2]]
    for group in signatures(made):
        lines += [f"`{call(kind.name, group)}`", f":   {listed(arguments_of(group, ''), '')}", ""]
    if kind.components:
        lines += ["| component | |", "|---|---|"]
        lines += [f"| `{declared}` | {escaped(comment)} |" for declared, comment in kind.components] + [""]
    for name, method in kind.methods.items():
        lines += method_lines(module, kind, name, method)
    return lines


def procedure_lines(name, doc, procedures):
    if not doc:
        raise SystemExit(f"adapters/fortran: there is no comment before {name}")
    lines = [f"### {name}", "", "```fortran", *(wrapped(call(name, group)) for group in signatures(procedures)), "```", ""]
    lines += [escaped(doc), ""]
    rows = {}
    for group in signatures(procedures):
        rows.update(arguments_of(group, ""))
        if result_of(group):
            rows["the result"] = result_of(group)
    if rows:
        lines += ["| argument | |", "|---|---|"]
        lines += [f"| {shown if shown == 'the result' else f'`{shown}`'} | {what} |" for shown, what in rows.items()] + [""]
    return lines


def entries_of(module):
    """Yields (section, name, comment, procedures) of each public procedure."""
    for name, (doc, section, names) in module.generics.items():
        if name in module.public and name not in module.types:
            procedures = [module.procedures[target] for target in names]
            yield section, name, doc or next((one.doc for one in procedures if one.doc), ""), procedures
    for name, procedure in module.procedures.items():
        if name in module.public and name not in module.generics:
            yield procedure.section, name, procedure.doc, [procedure]


def markdown(source):
    """The reference of a module's source. Raises SystemExit if a public name has no comment, or is not found."""
    module = Reader().read(source)
    last = "Functions of the program"
    sections, without = {section: [] for section in [*module.sections, last]}, []
    for section, name, doc, procedures in entries_of(module):
        sections[section or last].append((name, doc, procedures))
        if not all(set(SAME) <= set(one.arguments) for one in procedures):
            without.append(name)
    constants = {name for names, _, _ in module.constants for name in names}
    shown = constants | set(module.types) | {name for all_of in sections.values() for name, _, _ in all_of}
    if module.public != shown:
        raise SystemExit(f"adapters/fortran: the reference does not find {sorted(module.public ^ shown)}")
    lines = [escaped(module.doc), "", "In the calls below, `name=` is an optional argument. All procedures also have the "
             f"optional arguments `stat=` and `errmsg=`, except {', '.join(f'`{name}`' for name in sorted(without))}.", ""]
    lines += ["## Constants", "", "| names | |", "|---|---|"]
    for names, kind, doc in module.constants:
        what = doc or module.types[kind].doc.replace("\n", " ")
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | `{kind}`: {escaped(what)} |")
    lines += ["", "## Types", ""]
    for kind in module.types.values():
        lines += type_lines(module, kind)
    for section, all_of in sections.items():
        opening = escaped(module.sections.get(section, ""))
        lines += [f"## {section}", "", *([opening, ""] if opening else [])]
        for entry in all_of:
            lines += procedure_lines(*entry)
    return "\n".join(lines)


def write_pages(build, pages):
    """Writes reference/fortran/module.txt, which reference/fortran.md includes."""
    source = build / "adapters" / "fortran" / "src" / "tridap.f90"
    folder = pages / "reference" / "fortran"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "module.txt").write_text(markdown(source.read_text()) + "\n")
