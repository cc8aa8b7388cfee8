"""Finds links inside the site that lead nowhere, and links to other sites that are written wrongly or are in no list.

Whether another site answers is for people to look at: EXTERNAL lists all addresses once.
"""

import html.parser
import os
import pathlib
import re
import urllib.parse

EXTERNAL = pathlib.Path(__file__).with_name("external_links.txt")
HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")


class Page(html.parser.HTMLParser):
    """The anchors of a page, and the places it links to."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.outside, self.repeated = set(), [], [], []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                if name == "id" and value in self.anchors:
                    self.repeated.append(value)
                self.anchors.add(value)
            elif name in ("href", "xlink:href", "src", "data", "poster", "action") and value:
                self.links.append(value)
                if name in ("src", "poster") or tag in ("link", "use", "image"):
                    self.outside.append(value)
            elif name == "srcset" and value:
                self.links += [part.split()[0] for part in value.split(",")]


def pages_of(site):
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


def form_fault(link):
    """What is wrong with the form of a link that has a scheme or a host; empty: nothing."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme == "mailto":
        return "" if re.fullmatch(r"[\w.+-]+@" + HOST.pattern, parts.path) else "is no address of mail"
    if parts.scheme == "data":
        return ""
    if parts.scheme != "https":
        return "must begin with https:"
    if not HOST.fullmatch(parts.netloc):
        return f"has no host of the form name.org, but '{parts.netloc}'"
    if re.search(r"[^\x21-\x7e]", link):
        return "has blanks, or characters that must be written as %20"
    return "ends with a mark of punctuation" if re.search(r"[.,;:!?'\"]$", link) else ""


def faults_of(site):
    """Returns a line for each link that leads to no file or no anchor, for each address of another site that is written
    wrongly, and for each script, style, picture or font that a page loads from a network."""
    pages = pages_of(site)
    faults = []
    for file, page in pages.items():
        here = file.relative_to(site)
        faults += [f"{here}: loads {link} from a network" for link in page.outside
                   if urllib.parse.urlsplit(link).scheme in ("http", "https") or link.startswith("//")]
        faults += [f"{here}: the anchor {anchor} is there twice" for anchor in page.repeated
                   if any(urllib.parse.urlsplit(link).fragment == anchor for other in pages.values() for link in other.links)]
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                fault = form_fault(link)
                if fault and link not in page.outside:
                    faults.append(f"{here}: {link} {fault}")
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


def listed(text):
    """The addresses of a list, and those of them that need not be on a page, below the line "# Of the theme ..."."""
    ours, _, theirs = text.partition("# Of the theme")
    addresses = [{line for line in part.split("\n") if line.startswith("https:")} for part in (ours, theirs)]
    return addresses[0] | addresses[1], addresses[1]


def faults_of_list(site, file=EXTERNAL):
    """Returns a line for each address of another site that the list does not have, and for each that is on no page."""
    known, optional = listed(file.read_text())
    found = {}
    for path, page in pages_of(site).items():
        for link in page.links:
            if urllib.parse.urlsplit(link).scheme in ("http", "https"):
                found.setdefault(urllib.parse.urldefrag(link)[0], path.relative_to(site))
    return ([f"{found[link]}: {link} is not in docs/site_parts/{file.name}: look where it leads, and add it"
             for link in sorted(found.keys() - known)] +
            [f"docs/site_parts/{file.name}: {link} is on no page: take it out" for link in sorted(known - optional - found.keys())])
