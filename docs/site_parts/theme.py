"""Mends Debian's package of the theme Furo, whose files suit neither a browser without a server nor dark mode."""

import re

NORMALIZE = "/usr/share/javascript/normalize.css/normalize.css"  # of node-normalize.css, which furo depends on


def mend(static):
    """Changes the files of the theme in `static`, the folder _static of a site."""
    scripts = static / "scripts"
    script, imported = (scripts / "furo.js").read_text(), 'import Gumshoe from "./gumshoe-patched.js";\n'
    if script.startswith(imported):  # a script that is no module must not import, and file:// has no modules
        (scripts / "furo.js").write_text((scripts / "gumshoe-patched.js").read_text() + script[len(imported):])
    style = (static / "styles" / "furo.css").read_text()
    asked = "@import url(/javascript/normalize.css/normalize.css);"
    if asked in style:
        with open(NORMALIZE) as file:
            style = style.replace(asked, file.read())
    if "prefers-color-scheme" not in style:  # Debian's compiler drops this rule of Furo
        dark = re.search(r'@media not print \{\n(  body\[data-theme="dark"\] \{\n.*?\}) \}\n', style, re.DOTALL)[1]
        dark = dark.replace('[data-theme="dark"]', ':not([data-theme="light"])')
        style += f"\n@media screen and (prefers-color-scheme: dark) {{\n{dark} }}\n"
    (static / "styles" / "furo.css").write_text(style)
