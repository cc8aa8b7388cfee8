"""Builds the site for ./dev docs: pages in build/site, from the Markdown of the repository and from its sources.

    build_site.py BUILD_FOLDER OUTPUT

BUILD_FOLDER has the command `tridap` and the Python package, which write parts of the reference, and the source of the
Fortran module. A warning of Doxygen
or Sphinx is an error, as is a link inside the site that leads nowhere, or one to another site that is in no list.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

from site_parts import (c_reference, command_reference, cpp_reference, explorer, fortran_reference, links,
                        python_reference, rules_reference, staging, theme)

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run_sphinx(work, out, package):
    environment = {**os.environ, "TRIDAP_ROOT": str(ROOT), "TRIDAP_DOXYGEN_XML": str(work / "xml"),
                   "TRIDAP_EXTRA": str(work / "extra"), "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python_reference.interpreter(package), "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html",
               "-j", str(os.cpu_count() or 1), "-d", work / "doctrees", work / "pages", out]
    if subprocess.run(command, env=environment).returncode:
        raise SystemExit("./dev docs: Sphinx reports the faults above; pages are in build/site_work/pages")


def build(build_folder, out):
    begin = time.monotonic()
    work = out.parent / f"{out.name}_work"
    for folder in (work, out):
        shutil.rmtree(folder, ignore_errors=True)
    (work / "pages").mkdir(parents=True)
    tool, package = build_folder / "packages" / "tool" / "tridap", build_folder / "adapters" / "python"
    faults = staging.Stage(ROOT, work / "pages").copy()
    cpp_reference.run_doxygen(ROOT, work)
    cpp_reference.write_pages(ROOT, work, work / "pages")
    c_reference.write_pages(ROOT, work / "pages")
    fortran_reference.write_pages(build_folder, work / "pages")
    python_reference.write_pages(package, work / "pages")
    command_reference.write_pages(ROOT, tool, work / "pages")
    rules_reference.write_pages(ROOT, tool, package, work / "pages")
    explorer.write_pages(ROOT, tool, work / "extra" / "explore")
    if faults:
        raise SystemExit("./dev docs: " + "\n".join(faults))
    run_sphinx(work, out, package)
    theme.mend(out / "_static")
    faults = links.faults_of(out) + links.faults_of_list(out)
    if faults:
        raise SystemExit("./dev docs: wrong links:\n" + "\n".join(faults))
    count = sum(1 for _ in out.rglob("*.html"))
    print(f"{count} pages in {out}, in {time.monotonic() - begin:.0f} s", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description="Builds the site.")
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("out", type=pathlib.Path, help="the folder for the site, which is replaced")
    given = parser.parse_args()
    build(given.build.resolve(), given.out.resolve())


if __name__ == "__main__":
    main()
