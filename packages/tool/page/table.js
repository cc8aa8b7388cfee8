// The table of processes: what the pictures show, for reading. Also the legend.

const listedProcesses = 256n;

// `point` is called with the process that is pointed at, and whether the keyboard does it.
function processTable(layouts, moves, state, point) {
  const all = layouts.reduce((count, layout) => most(count, layout.processes), 0n), rows = least(all, listedProcesses);
  const hasMoves = moves !== null && moves.why === null;
  const cells = (process) => [
    ...layouts.flatMap((layout) => layoutCells(layout, process)),
    ...(hasMoves ? ["kept", "sent", "received"].map((name) => moves.text(moves.sums(process)[name])) : [])];
  const body = [];
  for (let process = 0n; process < rows; process += 1n) {
    const pick = make("button", { type: "button", class: "pick", "aria-label": `show process ${process}`,
                                  onclick: () => state.set({ process }), onblur: () => state.set({ pointed: null }),
                                  onfocus: () => point(process, true) }, chip(process));
    const entry = { onpointerenter: () => point(process, false), onpointerleave: () => state.set({ pointed: null }) };
    body.push(make("tr", { "data-process": process, ...entry }, make("th", { scope: "row" }, pick),
                   cells(process).map((cell) => make("td", {}, cell))));
  }
  const mark = () => body.forEach((row, p) => row.toggleAttribute("data-chosen", BigInt(p) === state.process));
  state.listen(mark);
  mark();
  const caption = rows < all ? `The first ${rows} of ${grouped(all)} processes` : counted(all, "process", "processes");
  const table = make("table", {}, make("caption", {}, caption), tableHead(layouts.length, hasMoves),
                     make("tbody", {}, body));
  return make("section", { class: "card table", "aria-label": "Processes" }, make("h2", {}, "Processes"),
              make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "table of processes" }, table));
}

function tableHead(arrays, hasMoves) {
  const columns = ["coordinates", "buffer", "owned", "padding"], sums = hasMoves ? ["keeps", "sends", "receives"] : [];
  const names = ["process", ...Array(arrays).fill(columns).flat(), ...sums];
  const group = (name, span) => make("th", { scope: "colgroup", colspan: span }, name);
  const groups = arrays === 1 ? null
    : make("tr", {}, make("td"), group("before", columns.length), group("after", columns.length),
           hasMoves ? group("moves", sums.length) : null);
  return make("thead", {}, groups, make("tr", {}, names.map((name) => make("th", { scope: "col" }, name))));
}

function layoutCells(layout, process) {
  if (process >= layout.processes) return Array(4).fill("\u2013");
  const shape = layout.held(process), owned = product(layout.owned(process));
  return [tuple(layout.coordinates(process)), shapeText(shape), grouped(owned), grouped(product(shape) - owned)];
}

function legend(layouts) {
  const swatch = (kind, text) => make("li", {}, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text);
  const padding = [swatch("communication", "lines: communication padding"),
                   swatch("boundary", "dots: boundary padding")];
  return make("ul", { class: "legend", "aria-label": "Legend" }, swatch("outlined", "outlined: the chosen process"),
              layouts.some((layout) => layout.isPadded) ? padding : [], swatch("stripes", "stripes: several owners"));
}
