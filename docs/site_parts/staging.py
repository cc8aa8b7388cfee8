"""Copies the pages of the site into one folder.

Each page is a Markdown file of the repository, which people also read on GitHub. A relative link between two of them
becomes a link between two pages. A relative link to any other file of the repository becomes a link to a page that
shows this file.
"""

import os
import re
import shutil

# Pages outside docs/, by their path in the repository.
PAGES = {"README.md": "readme", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog",
         "SECURITY.md": "security", "CODE_OF_CONDUCT.md": "code_of_conduct",
         "SUPPORT.md": "support", "GOVERNANCE.md": "governance", "benchmarks/README.md": "benchmarks",
         "tests/data/README.md": "captures"}
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".h": "c", ".c": "c", ".py": "python", ".pyi": "python", ".sh": "bash",
             ".js": "javascript", ".cmake": "cmake", ".json": "json", ".yml": "yaml", ".txt": "none"}
PICTURES = {".svg", ".png", ".jpg"}
LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)\s#]*)(#[^)\s]*)?(\))")


def pages_of(root):
    """Returns the page of each Markdown file, as {path in the repository: name}."""
    found = dict(PAGES)
    for folder in ("packages", "adapters", "examples"):
        for path in sorted(root.glob(f"{folder}/*/README.md")):
            found[str(path.relative_to(root))] = f"{folder}/{path.parent.name}"
    for path in sorted((root / "docs").rglob("*.md")):
        found[str(path.relative_to(root))] = str(path.relative_to(root / "docs").with_suffix(""))
    return {path: name for path, name in found.items() if (root / path).is_file()}


class Stage:
    """The folder of the pages, `pages`, made from the repository, `root`."""

    def __init__(self, root, pages):
        self.root, self.pages = root, pages
        self.names = pages_of(root)
        self.sources = {}  # files that have a page because a page links to them
        self.wrong = []

    def copy(self):
        """Copies everything. Returns the faults: links to files that do not exist."""
        ignored = shutil.ignore_patterns("*.md", "__pycache__", "site_parts", "build_site.py")
        shutil.copytree(self.root / "docs", self.pages, dirs_exist_ok=True, ignore=ignored)
        for path, name in self.names.items():
            self.write(name, self.linked(path, name, (self.root / path).read_text()))
        for path, name in self.sources.items():
            language = LANGUAGES.get(os.path.splitext(path)[1], "bash" if path == "dev" else "none")
            file = os.path.relpath(self.root / path, (self.pages / name).parent)
            self.write(name, f"---\norphan: true\n---\n# {path}\n\n"
                             f"```{{literalinclude}} {file}\n:language: {language}\n```\n")
        return self.wrong

    def write(self, name, text):
        file = self.pages / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def linked(self, path, name, text):
        """Returns the text of a file with the links that its page has."""
        lines, fence = [], None
        for line in text.split("\n"):
            mark = re.match(r"\s*(```+|~~~+)", line)
            if fence is None and mark:
                fence = mark[1]
            elif fence and mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = None
            elif fence is None:
                without_code = re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line)
                for found in reversed(list(LINK.finditer(without_code))):
                    line = line[:found.start()] + self.link(path, name, found) + line[found.end():]
            lines.append(line)
        return "\n".join(lines)

    def link(self, path, name, found):
        target = os.path.normpath(os.path.join(os.path.dirname(path), found[2]))
        here = os.path.dirname(name)
        if (self.root / target).is_dir() and (self.root / target / "README.md").is_file():
            target += "/README.md"
        if target in self.names:
            to = f"{self.names[target]}.md"
        elif os.path.splitext(target)[1] in PICTURES:
            return found[0] if target.startswith("docs/") else self.picture(target, here, found)
        elif target.startswith("docs/") and not (self.root / target).exists():
            return found[0]  # a generated page, which Sphinx checks
        elif (self.root / target).is_file():
            to = f"{self.sources.setdefault(target, 'source/' + target)}.md"
        else:
            self.wrong.append(f"{path}: there is no file {target} for the link ({found[2]})")
            return found[0]
        return f"{found[1]}{os.path.relpath(to, here or '.')}{found[3] or ''}{found[4]}"

    def picture(self, target, here, found):
        copied = self.pages / "pictures" / os.path.basename(target)
        copied.parent.mkdir(exist_ok=True)
        shutil.copyfile(self.root / target, copied)
        return f"{found[1]}{os.path.relpath(f'pictures/{copied.name}', here or '.')}{found[4]}"
