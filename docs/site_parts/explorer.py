"""Pages of `tridap show --html` for the distributions that the site's pages show."""

import json
import subprocess


def run(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"docs/explore.json: tridap {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
    return done.stdout


def write_pages(root, tool, folder):
    """Writes a page for each name in docs/explore.json, whose values are one or two lists of arguments of `tridap make`.
    An argument that begins with "docs/" is a file of the repository."""
    folder.mkdir(parents=True)
    for name, arrays in json.loads((root / "docs" / "explore.json").read_text()).items():
        captures = []
        for number, arguments in enumerate(arrays):
            words = [word.replace("docs/", f"{root}/docs/") for word in arguments]
            captures.append(folder / (f"{name}.json" if len(arrays) == 1 else f"{name}_{number + 1}.json"))
            captures[-1].write_text(run(tool, "make", *words))
        run(tool, "show", "--html", folder / f"{name}.html", *captures)
        for capture in captures:
            capture.unlink()
