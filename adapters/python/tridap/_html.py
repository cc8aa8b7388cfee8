"""Reports, arrays and tables as a notebook shows them, and pages for a browser."""

from html import escape

from . import _core

_COLOURS = {"error": "#b3261e", "warning": "#8a6100"}
_CELL = "text-align:left;vertical-align:top"
_ROWS = 40  # of a long table


def shortened(rows, most=_ROWS):
    """The rows of a long table that are shown: the first ones, a row of dots, and the last ones."""
    rows = list(rows)
    if len(rows) <= most:
        return rows
    last = max((most - 1) // 2, 0)
    return rows[:most - 1 - last] + [["\u22ee"] * len(rows[0])] + rows[len(rows) - last:]


def table(head, rows, caption="", colours=None, most=_ROWS):
    """A table as HTML.

    Args:
        head: the names of the columns; without names the table has no header.
        rows: a sequence of sequences, with one cell for each column. A cell is any object; its str() is shown as text.
        caption: a line above the table.
        colours: for each row the CSS colour of its first cell, or None.
        most: of more rows, only the first and the last ones are shown.
    """
    parts = [f'<caption style="{_CELL}">{escape(caption)}</caption>'] if caption else []
    if any(head):
        parts.append("<tr>" + "".join(f'<th style="{_CELL}">{escape(str(name))}</th>' for name in head) + "</tr>")
    for number, row in enumerate(shortened(rows, most)):
        colour = colours[number] if colours else None
        styles = [_CELL + (f";color:{colour}" if colour and i == 0 else "") for i in range(len(row))]
        cells = (f'<td style="{style}">{escape(str(cell))}</td>' for style, cell in zip(styles, row))
        parts.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(parts)}</table>"


def lines(texts):
    """Lines of text as HTML."""
    return "".join(f"<div>{escape(text)}</div>" for text in texts)


def _row(finding):
    return [finding.severity, finding.rule, "" if finding.process is None else finding.process,
            "" if finding.axis is None else finding.axis, finding]


def report(found):
    """A `Report`: its verdict, a table of findings, and a picture of the owners if the array is correct."""
    verdict = verdict_of(found)
    parts = [f'<p style="color:{"#1b6e2c" if found.ok else _COLOURS["error"]}"><b>{escape(verdict)}</b></p>']
    if found.findings:
        parts.append(table(("", "rule", "process", "axis", "what"), [_row(finding) for finding in found.findings],
                           colours=[_COLOURS[finding.severity] for finding in found.findings],
                           most=len(found.findings)))
    more = found.errors + found.warnings - len(found.findings)
    if more:
        parts.append(f"<p>and {more} more</p>")
    if found.distribution is not None:
        parts.append(found.distribution._repr_html_())
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


def receipt(shown):
    """A `Receipt`: a table of what was done."""
    memory = "copied" if not shown.shared else "shared, same address" if shown.same_address else "shared, at an offset"
    rows = [("memory", memory), ("bytes copied", f"{shown.bytes_copied:,}"), ("seconds", f"{shown.seconds:.3g}")]
    return table((), rows + [("not kept", loss) for loss in shown.losses])


def array(shown):
    """A `DistArray`: its repr, and a picture of the owners."""
    picture = shown.distribution._repr_html_() if shown.is_whole else ""
    return f"<p>{escape(repr(shown))}</p>{picture}"


def page(shown, to=None, title=""):
    """See `Distribution.to_html`."""
    if not isinstance(title, str):
        raise TypeError(f"title is {title!r}, must be a str")
    if to is not None and not isinstance(to, (_core.Distribution, _core.DistArray)):
        raise TypeError(f"to is a {type(to).__name__}, must be a Distribution or a DistArray")
    layouts = [array if isinstance(array, _core.Distribution) else array.distribution
               for array in (shown, to) if array is not None]
    titles = [title or layouts[0].describe(), *(layout.describe() for layout in layouts[1:])]
    dtype = (shown.dtype.name, shown.dtype.itemsize) if isinstance(shown, _core.DistArray) else None
    return _core._page(list(zip(titles, layouts)), dtype)
