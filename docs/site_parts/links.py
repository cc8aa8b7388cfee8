"""Finds links inside the site that lead nowhere."""

import html.parser
import os
import re
import urllib.parse


class Page(html.parser.HTMLParser):
    """The anchors of a page, and the places it links to."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.outside = set(), [], []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src", "data") and value:
                self.links.append(value)
                if name == "src" or tag == "link":
                    self.outside.append(value)
            elif name == "srcset" and value:
                self.links += [part.split()[0] for part in value.split(",")]


def faults_of(site):
    """Returns a line for each link that leads to no file or no anchor, and for each script, style, picture or font that
    a page loads from a network."""
    pages = {file: Page(file) for file in sorted(site.rglob("*.html")) if "explore" not in file.relative_to(site).parts}
    faults = []
    for file, page in pages.items():
        here = file.relative_to(site)
        faults += [f"{here}: loads {link} from a network" for link in page.outside
                   if urllib.parse.urlsplit(link).scheme in ("http", "https") or link.startswith("//")]
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = file if not parts.path else file.parent / urllib.parse.unquote(parts.path)
            target = site / os.path.relpath(target, site)
            if not target.is_file():
                faults.append(f"{here}: {link} is no file of the site")
            elif target in pages and parts.fragment and urllib.parse.unquote(
                    parts.fragment) not in pages[target].anchors:
                faults.append(f"{here}: {link} is no anchor of that page")
    for file in sorted(site.rglob("*.css")):
        for link in re.findall(r"""url\(["']?(?!data:)([^"')]+)""", file.read_text()):
            if not (file.parent / link).is_file():
                faults.append(f"{file.relative_to(site)}: {link} is no file of the site")
    return sorted(set(faults))
