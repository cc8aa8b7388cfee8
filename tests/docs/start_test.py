"""What docs/start.md shows in a tab is what its commands do.    start_test.py TAB SOURCE BUILD FOLDER

The commands are those of docs/start/TAB.sh, except that BUILD replaces build/release, FOLDER replaces build/start, and
`./dev` does not run, because what it builds is in BUILD. "..." in the shown output stands for anything within a line.
"""

import pathlib
import re
import shutil
import subprocess
import sys

tab, source, build, folder = sys.argv[1], *map(pathlib.Path, sys.argv[2:])


def run(commands, where, more=""):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", f"{more}\n{commands}"], cwd=where, text=True,
                          capture_output=True, timeout=600)
    if done.returncode:
        sys.exit(f"{commands}\nreturned {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def need(shown, printed, what):
    pattern = re.escape(shown).replace(re.escape("..."), ".+")
    if not re.fullmatch(pattern, printed):
        sys.exit(f"{what}: the page shows\n{shown}\nand it prints\n{printed}")


def here(line):
    return re.sub(r"(\$PWD/)?build/release", str(build), line).replace("build/start", str(folder / "start"))


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
lines = (source / "docs" / "start" / f"{tab}.sh").read_text().splitlines()
assert lines[0].startswith("./dev "), "a tab begins with what installs the packages"
commands = [here(line) for line in lines if not line.startswith("./dev ")]
assert commands
if tab == "command":
    shown = (source / "docs" / "start" / "command.txt").read_text()
    for line in re.findall(r"^\$ .*$", shown, re.MULTILINE):
        expected = shown.partition(f"{line}\n")[2].partition("$ ")[0]
        need(expected, run(line[2:] + " || true", folder, "\n".join(commands)), line)
else:
    printed = ""
    for command in commands:
        printed = run(command, source)
    need((source / "docs" / "start" / f"start.{tab}.out").read_text(), printed, commands[-1])
    (folder / "printed").write_text(printed)
print(f"{tab}: {len(commands)} commands")
