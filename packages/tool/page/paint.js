// Colours and patterns. A process has the colour that `tridap show` gives it (packages/tool/src/palette.cpp).

const hues = [[68, 125, 190], [240, 156, 45], [70, 160, 110], [222, 135, 185],
              [238, 215, 95], [120, 95, 175], [120, 200, 225], [205, 85, 65]];

const mixed = (from, to, share) => from.map((value, i) => Math.trunc(value + (to[i] - value) * share));

function processColour(process) {
  const row = process / 8n, kind = Number(row % 3n);
  const hue = hues[Number((process + 3n * (row % 8n)) % 8n)];
  return kind === 0 ? hue : kind === 1 ? mixed(hue, [255, 255, 255], 0.46) : mixed(hue, [0, 0, 0], 0.34);
}

const css = (colour) => `rgb(${colour.join(",")})`;
const inkOn = ([red, green, blue]) => (299 * red + 587 * green + 114 * blue > 118000 ? "#14171c" : "#ffffff");

// A colour of the page's style sheet, which is another one in dark mode.
const themeColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// "#d8dee7" as [216, 222, 231].
const numbersOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// A square that repeats: `paint` draws it.
function tile(context, side, paint) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  paint(canvas.getContext("2d"));
  return context.createPattern(canvas, "repeat");
}

// Patterns of one canvas. They are made once.
class Patterns {
  constructor(context) {
    this.context = context;
    this.made = new Map();
  }
  get(key, make) {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key);
  }
  // One colour, or diagonal stripes of several.
  fill(colours) {
    if (colours.length === 1) return css(colours[0]);
    return this.get(`stripes ${colours.join(" ")}`, () => {
      const stripe = 6, side = stripe * colours.length;
      return tile(this.context, side, (to) => {
        for (let i = 0; i < 2 * colours.length; ++i) {
          to.fillStyle = css(colours[i % colours.length]);
          to.beginPath();
          to.moveTo(i * stripe, 0);
          to.lineTo((i + 1) * stripe, 0);
          to.lineTo((i + 1) * stripe - side, side);
          to.lineTo(i * stripe - side, side);
          to.fill();
        }
      });
    });
  }
  // Communication padding has diagonal lines, boundary padding has dots.
  hatch(kind, ink) {
    return this.get(`${kind} ${ink}`, () => tile(this.context, 8, (to) => {
      to.fillStyle = to.strokeStyle = ink;
      to.globalAlpha = 0.75;
      to.lineWidth = 1.6;
      if (kind === "boundary") {
        for (const [x, y] of [[2, 2], [6, 6]]) {
          to.beginPath();
          to.arc(x, y, 1.2, 0, 7);
          to.fill();
        }
        return;
      }
      for (const x of [-8, 0, 8]) {
        to.beginPath();
        to.moveTo(x - 1, 9);
        to.lineTo(x + 9, -1);
        to.stroke();
      }
    }));
  }
}

// The colour of an amount between 0 and 1, from the page's background to a strong blue or, in dark mode, a light one.
function heatColour(share) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const stops = dark ? [[30, 41, 59], [37, 99, 175], [96, 187, 240], [224, 244, 255]]
    : [[232, 240, 250], [137, 182, 226], [43, 108, 176], [14, 45, 92]];
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1), below = Math.min(Math.floor(at), stops.length - 2);
  return mixed(stops[below], stops[below + 1], at - below);
}
