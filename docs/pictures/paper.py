"""An SVG picture of boxes, arrows and text, readable on a light and on a dark page."""

from html import escape

STYLE = """
.d text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; fill: #1f2328 }
.d .page { fill: #ffffff; stroke: #d0d7de }
.d .box { stroke-width: 1.2; fill: #f6f8fa; stroke: #8c959f }
.d .ours { fill: #ddeeff; stroke: #3f79b8 }
.d .theirs { fill: #fff1d6; stroke: #b9812b }
.d .memory { fill: #dcf3e2; stroke: #3f8f5f }
.d .none { fill: none; stroke-dasharray: 4 3 }
.d .line { fill: none; stroke: #57606a; stroke-width: 1.4 }
.d .thin { stroke-width: 1.1 }
.d .dashed { stroke-dasharray: 5 4 }
.d .head { fill: #57606a }
.d .title { font-weight: 600 }
.d .heading { font-weight: 600; font-size: 15px }
.d .small { font-size: 12px }
.d .muted { fill: #57606a }
.d .code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; font-size: 12px }
.d .middle { text-anchor: middle }
.d .end { text-anchor: end }
@media (prefers-color-scheme: dark) {
.d text { fill: #e6e8eb }
.d .page { fill: #14171c; stroke: #30363d }
.d .box { fill: #22272e; stroke: #768390 }
.d .ours { fill: #16304d; stroke: #6ea8e0 }
.d .theirs { fill: #3d2f14; stroke: #d9a441 }
.d .memory { fill: #15361f; stroke: #5fb37f }
.d .none { fill: none }
.d .line { stroke: #adb5bf }
.d .head { fill: #adb5bf }
.d .muted { fill: #9aa4af }
}
"""


class Paper:
    """Collects the parts of one picture. Units are pixels, from the upper left corner."""

    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def text(self, x, y, words, kind=""):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>')

    def box(self, x, y, width, height, kind, *lines):
        """A rectangle. The first line is its title; a line that begins with '`' is code."""
        self.parts.append(
            f'<rect class="box {kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>')
        top = y + height / 2 - 17 * (len(lines) - 1) / 2 + 4.5
        for number, line in enumerate(lines):
            style = "middle code" if line.startswith("`") else "middle title" if number == 0 else "middle small"
            self.text(x + width / 2, top + 17 * number, line.lstrip("`"), style)

    def path(self, points, kind=""):
        """Straight lines through points, without a head."""
        self.parts.append(f'<path class="line {kind}" d="M' + " L".join(f"{x:g} {y:g}" for x, y in points) + '"/>')

    def curve(self, points, kind=""):
        """A smooth line through points, which leaves and reaches each of them vertically."""
        (x, y), *others = points
        path = f"M{x:g} {y:g}"
        for u, v in others:
            path += f" C{x:g} {(y + v) / 2:g} {u:g} {(y + v) / 2:g} {u:g} {v:g}"
            x, y = u, v
        self.parts.append(f'<path class="line {kind}" d="{path}"/>')

    def arrow(self, points, label="", at=None, kind=""):
        """Straight lines through points, with a head at the end, and a label at `at`."""
        (x0, y0), (x1, y1) = points[-2:]
        length = ((x1 - x0)**2 + (y1 - y0)**2)**0.5
        u, v = (x1 - x0) / length, (y1 - y0) / length
        self.path([*points[:-1], (x1 - 7 * u, y1 - 7 * v)], kind)
        corners = [(x1, y1), (x1 - 9 * u - 4 * v, y1 - 9 * v + 4 * u), (x1 - 9 * u + 4 * v, y1 - 9 * v - 4 * u)]
        self.parts.append('<path class="head" d="M' + " L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + ' Z"/>')
        if label:
            x, y = at or ((x0 + x1) / 2, (y0 + y1) / 2 - 8)
            self.text(x, y, label, "middle small muted")

    def svg(self):
        width, height = self.size
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" class="d" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img">', f"<title>{escape(self.title)}</title>", f"<style>{STYLE}</style>",
            f'<rect class="page" x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>', *self.parts,
            "</svg>", ""
        ])
