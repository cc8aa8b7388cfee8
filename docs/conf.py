"""Sphinx's configuration. docs/build_site.py calls Sphinx on build/site_work/pages, where it has put all pages."""

import os
import pathlib
import re

ROOT = pathlib.Path(os.environ["TRIDAP_ROOT"])

project = "TriDAP"
author = "The TriDAP authors"
project_copyright = author
release = re.search(r"project\(TriDAP VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
version = release

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_inline_tabs",
              "sphinx_copybutton"]
exclude_patterns = ["site_parts/**"]
nitpicky = False
language = "en"

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4  # the anchors that GitHub gives to headings
highlight_language = "none"
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

breathe_projects = {"tridap": os.environ["TRIDAP_DOXYGEN_XML"]}
breathe_default_project = "tridap"
breathe_show_include = False
breathe_domain_by_extension = {"hpp": "cpp", "h": "c"}

default_role = "py:obj"  # a name in a docstring links to its description
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings and signatures say it

html_theme = "furo"
html_title = f"TriDAP {release}"
html_static_path = ["_static"]
html_extra_path = [os.environ["TRIDAP_EXTRA"]]  # the explorer's pages
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
