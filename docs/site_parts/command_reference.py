"""The reference of the command: its manual page as Markdown, and what each command prints for --help."""

import re
import subprocess

COMMANDS = ["check", "show", "make", "where", "diff", "convert"]


def escaped(text):
    return re.sub(r"([*_<>\[\]{}`])", r"\\\1", text)


def marked(fonts, text):
    """Bold text, and bold text that italic text follows without a space, is code."""
    if fonts == "R" or not text.strip():
        return escaped(text)
    return f"`{text}`" if "B" in fonts or re.search(r"[*_`]", text) else f"*{text}*"


def inline(text):
    r"""Turns the fonts of roff, \fB, \fI and \fR, into Markdown."""
    font, parts = "R", []
    for part in re.split(r"(\\f[BIR])", text.replace("\\ ", " ").replace("\\-", "-")):
        if re.fullmatch(r"\\f[BIR]", part):
            font = part[2]
        elif part and parts and "R" not in parts[-1][0] + font:
            parts[-1] = (parts[-1][0] + font, parts[-1][1] + part)
        elif part:
            parts.append((font, part))
    return "".join(marked(fonts, part) for fonts, part in parts)


def plain(text):
    return re.sub(r"\\f[BIR]", "", text).replace("\\ ", " ").replace("\\-", "-")


def lines_of(page):
    """Yields (macro, arguments) of each line; the macro of text is empty."""
    for line in page.split("\n"):
        found = re.fullmatch(r"\.([A-Z]+|nf|fi)\s*(.*)", line)
        yield (found[1], found[2]) if found else ("", line)


class Writer:
    """Collects the lines of Markdown."""

    def __init__(self):
        self.lines, self.indent, self.awaits_term = [], "", False

    def add(self, *lines):
        self.lines += lines

    def text(self, line):
        """A line of running text, which begins the description of a term if the term was the last line."""
        if self.lines and self.lines[-1].endswith(("\t", ": ")):
            self.lines[-1] = self.lines[-1].replace("\t", "") + line
        else:
            self.add(self.indent + line)

    def term(self, line):
        self.add("", line, ":   \t")
        self.awaits_term, self.indent = False, "    "


def markdown(page):
    """Returns a manual page, written with the macros .TH .SH .TP .IP .RS .RE .PP .B .nf .fi, as Markdown."""
    out, verbatim = Writer(), False
    for macro, text in lines_of(page):
        if macro in ("nf", "fi"):
            verbatim = macro == "nf"
            out.add(*(["", "```text"] if verbatim else ["```", ""]))
        elif verbatim:
            out.add(plain(text))
        elif macro == "SH":
            out.indent = ""
            out.add("", f"## {text.capitalize()}", "")
        elif macro == "TP":
            out.awaits_term = True
        elif out.awaits_term:
            out.term(f"`{text}`" if macro == "B" else inline(text))
        elif macro == "IP" and text:  # an item of a list; the number is its width
            out.add(f"    - {inline(re.sub(r' [0-9]+$', '', text))}: ")
        elif macro in ("IP", "PP", "RS", "RE"):
            out.indent = "" if macro == "PP" else "    "
            out.add("")
        elif macro == "":
            out.text(inline(text))
        elif macro != "TH":
            raise SystemExit(f"docs/site_parts/command_reference.py does not know the macro .{macro} of the page")
    return re.sub(r"\n\n\n+", "\n\n", "\n".join(out.lines))


def write_pages(root, tool, pages):
    """Writes reference/command/manual.txt and reference/command/help.txt, which reference/command.md includes."""
    folder = pages / "reference" / "command"
    folder.mkdir(parents=True, exist_ok=True)
    page = (root / "packages" / "tool" / "tridap.1").read_text()
    (folder / "manual.txt").write_text(markdown(page) + "\n")
    text = []
    for command in COMMANDS:
        printed = subprocess.run([tool, command, "--help"], capture_output=True, text=True, check=True).stdout
        text += [f"### tridap {command}", "", "```text", printed.rstrip("\n"), "```", ""]
    (folder / "help.txt").write_text("\n".join(text))
