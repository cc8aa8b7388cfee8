"""Reports and arrays as a notebook shows them."""

from html import escape

_COLOURS = {"error": "#b3261e", "warning": "#8a6100"}
_CELL = "text-align:left;vertical-align:top"


def _row(finding):
    cells = [finding.severity, finding.rule, "" if finding.process is None else str(finding.process),
             "" if finding.axis is None else str(finding.axis), str(finding)]
    colour = _COLOURS[finding.severity]
    inner = "".join(f'<td style="{_CELL}{";color:" + colour if i == 0 else ""}">{escape(cell)}</td>'
                    for i, cell in enumerate(cells))
    return f"<tr>{inner}</tr>"


def report(found):
    """A `Report`: its verdict, a table of findings, and a picture of the owners if the array is correct."""
    verdict = verdict_of(found)
    parts = [f'<p style="color:{"#1b6e2c" if found.ok else _COLOURS["error"]}"><b>{escape(verdict)}</b></p>']
    if found.findings:
        head = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("", "rule", "process", "axis", "what"))
        parts.append(f"<table><tr>{head}</tr>{''.join(map(_row, found.findings))}</table>")
    more = found.errors + found.warnings - len(found.findings)
    if more:
        parts.append(f"<p>and {more} more</p>")
    if found.distribution is not None:
        parts.append(found.distribution.svg())
    return "".join(parts)


def verdict_of(found):
    """ "valid: block x cyclic over 2 x 2 processes", "2 errors, 1 warning"."""
    def count(number, name):
        return f"{number} {name}{'' if number == 1 else 's'}"

    counted = [count(n, name) for n, name in ((found.errors, "error"), (found.warnings, "warning")) if n]
    if found.ok:
        what = found.distribution.describe() if found.distribution is not None else "this process's part"
        counted.insert(0, f"valid: {what}")
    return ", ".join(counted)


def text(found):
    """A `Report` for a terminal: its verdict, then a finding in each line."""
    findings = found._text()
    return verdict_of(found) + ("\n" + findings if findings else "")


def array(shown):
    """A `DistArray`: its repr, and a picture of the owners."""
    picture = shown.distribution.svg() if shown.is_whole else ""
    return f"<p>{escape(repr(shown))}</p>{picture}"
