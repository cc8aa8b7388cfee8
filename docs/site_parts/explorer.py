"""Pages of `tridap show --html` for the distributions that the site's pages show."""

import json
import subprocess


def run(tool, folder, *arguments):
    done = subprocess.run([tool, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"docs/explore.json: tridap {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.stdout


def write_pages(root, tool, folder):
    """Writes a page for each name in docs/explore.json. Its values are one or two lists of arguments of `tridap make`.
    An argument that begins with "docs/" is a file of the repository."""
    folder.mkdir(parents=True)
    for name, arrays in json.loads((root / "docs" / "explore.json").read_text()).items():
        captures = []
        for number, arguments in enumerate(arrays):
            captures.append(f"{name}.json" if len(arrays) == 1 else f"{name}_{number + 1}.json")
            words = [word.replace("docs/", f"{root}/docs/") for word in arguments]
            (folder / captures[-1]).write_text(run(tool, folder, "make", *words))
        run(tool, folder, "show", "--html", f"{name}.html", *captures)
        for capture in captures:
            (folder / capture).unlink()
