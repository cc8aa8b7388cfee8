// Puts the page together.

const listedProcesses = 256n;

// What an element or a range of elements is, in words and as rows of a list.
function describeLook({ layout, globals, isOne, positions, local }, layouts) {
  if (isOne) {
    const global = globals.map(([first]) => first), facts = elementFacts(layout, global);
    const where = `element ${tuple(global)}`;
    const prefix = local ? `process ${local.process}, local ${tuple(local.ends.map(([first]) => first))}: ` : "";
    if (layouts.length === 1) return { words: `${prefix}${where}: ${facts.words}`, global, facts: [["", facts]] };
    const both = layouts.map((one) => (one === layout ? facts : elementFacts(one, global)));
    const [before, after] = both.map((one) => one.owners.map((owner) => owner.process));
    const verdict = before.length === 0 || after.length === 0 ? "" : String(before) === String(after) ? "; it stays"
      : `; it moves from process ${listed(before)} to process ${listed(after)}`;
    return { words: `${prefix}${where}: before: ${both[0].words}; after: ${both[1].words}${verdict}`, global,
             facts: [["Before", both[0]], ["After", both[1]]] };
  }
  const span = ([first, last]) => (first === last ? String(first) : `${grouped(first)} to ${grouped(last)}`);
  if (local) {
    return { words: `process ${local.process}, local (${local.ends.map(span).join(", ")}): elements (${globals.map(span).join(", ")})`,
             global: null, facts: [] };
  }
  const parts = positions.map(([from, to], a) => layout.axes[a].summary(from, to));
  const processes = processesAt(layout, parts.map((part) => part.coordinates));
  const more = parts.some((part) => part.more) || product(parts.map((part) => BigInt(part.coordinates.length))) > BigInt(processes.length);
  const owners = processes.length === 0 ? "no process owns them"
    : processes.length === 1 ? `owner process ${processes[0]}` : `owners: processes ${listed(processes, more)}`;
  const edge = parts.some((part) => part.edge) ? "; some are boundary padding" : "";
  return { words: `elements (${globals.map(span).join(", ")}): ${owners}${edge}`, global: null, facts: [], processes };
}

// The panel that says what is pointed at.
class Inspector {
  constructor(layouts) {
    this.layouts = layouts;
    this.heading = make("h2", {}, "Element");
    this.list = make("dl");
    this.says = make("p", { class: "says", id: "says" }, "Point at an element, or move over the elements by the arrow keys.");
    this.live = make("p", { class: "unseen", "aria-live": "polite", id: "live" });
    this.element = make("section", { class: "card inspector", "aria-label": "Element" }, this.heading, this.says, this.list, this.live);
  }
  announce(words) { this.live.textContent = words; }
  show(look) {
    const { words, global, facts } = describeLook(look, this.layouts);
    this.says.textContent = words;
    if (look.byKeyboard) this.announce(words);
    replace(this.list, facts.flatMap(([when, fact]) => this.rows(when ? `${when}: ` : "", fact)));
    return global;
  }
  rows(when, { owners, padding, mirrored }) {
    const places = (found) => found.flatMap((place, i) => [i > 0 ? ", " : "", chip(place.process), ` local ${tuple(place.local)}`]);
    const row = (name, parts) => [make("dt", {}, when + name), make("dd", {}, parts)];
    return [...row("owner", owners.length > 0 ? places(owners) : ["no process"]), ...(padding.length > 0 ? row("padding of", places(padding)) : []),
            ...(mirrored ? row("mirror of", [tuple(mirrored)]) : [])];
  }
}

function legend(layouts) {
  const padded = layouts.some((layout) => layout.isPadded);
  const swatch = (kind, text) => make("li", {}, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text);
  const items = [swatch("outlined", "outlined: the chosen process")];
  if (padded) items.push(swatch("communication", "lines: communication padding"), swatch("boundary", "dots: boundary padding"));
  items.push(swatch("stripes", "stripes: several owners"));
  return make("ul", { class: "legend", "aria-label": "Legend" }, items);
}

// The table of processes: the same as the pictures, for reading.
function processTable(layouts, moves, state) {
  const rows = least(layouts.reduce((count, layout) => most(count, layout.processes), 0n), listedProcesses);
  const all = layouts.reduce((count, layout) => most(count, layout.processes), 0n);
  const names = layouts.length === 1 ? [""] : ["before: ", "after: "];
  const head = ["process", ...names.flatMap((name) => [`${name}place`, `${name}buffer`, `${name}owned`, `${name}padding`])];
  if (moves && moves.why === null) head.push("keeps", "sends", "receives");
  const body = [];
  for (let process = 0n; process < rows; process += 1n) {
    const cells = layouts.flatMap((layout) => {
      if (process >= layout.processes) return ["\u2013", "\u2013", "\u2013", "\u2013"];
      const owned = product(layout.owned(process)), held = product(layout.held(process));
      return [tuple(layout.coordinates(process)), layout.held(process).map(grouped).join(" \u00d7 ") || "1", grouped(owned), grouped(held - owned)];
    });
    if (moves && moves.why === null) {
      const { kept, sent, received } = moves.sums(process);
      cells.push(...[kept, sent, received].map((amount) => moves.text(amount)));
    }
    const button = make("button", { type: "button", class: "pick", "aria-label": `show process ${process}`, onclick: () => state.set({ process }) }, chip(process));
    body.push(make("tr", { "data-process": process }, make("th", { scope: "row" }, button), cells.map((cell) => make("td", {}, cell))));
  }
  const mark = () => body.forEach((row, number) => row.toggleAttribute("data-chosen", BigInt(number) === state.process));
  state.listen(mark);
  mark();
  const caption = rows < all ? `The first ${rows} of ${grouped(all)} processes` : `${counted(all, "process", "processes")}`;
  return make("section", { class: "card table", "aria-label": "Processes" }, make("h2", {}, "Processes"),
              make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "table of processes" },
                   make("table", {}, make("caption", {}, caption),
                        make("thead", {}, make("tr", {}, head.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, body))));
}

function sliceOf(layout) {
  const count = layout.axes.length;
  const shown = count === 0 ? [null, null] : count === 1 ? [null, 0] : [count - 2, count - 1];
  return new State({ shown, globals: layout.axes.map((axis) => (axis.extent > 0n ? axis.globalAt(0n) : null)) });
}

// Whether two arrays have the same axes, so that one slice is of both. Unstructured axes have no size of their own.
function haveSameShape([a, b]) {
  return !b || (a.axes.length === b.axes.length &&
    a.axes.every((axis, i) => axis instanceof UnstructuredAxis || b.axes[i] instanceof UnstructuredAxis || axis.size === b.axes[i].size));
}

function build(data) {
  const layouts = data.arrays.map((array) => new Layout(array)), [first, second] = layouts;
  const state = new State({ process: 0n, global: null, flow: null, onlyMoves: false });
  const moves = data.moves ? new Moves(data.moves, first, second) : null, same = haveSameShape(layouts);
  const inspector = new Inspector(same ? layouts : [first]);
  const look = (what) => {
    if (!same) inspector.layouts = [what.layout];
    state.set({ global: inspector.show(what) });
  };
  const ofFirst = sliceOf(first), slices = layouts.map((layout) => (same ? ofFirst : sliceOf(layout)));
  const names = second ? [`Before: ${first.title}`, `After: ${second.title}`] : [first.title || "Array"];
  const views = layouts.map((layout, i) => new ArrayPanel(
    { layout, slice: slices[i], state, name: names[i], sides: same && second ? layouts : null, look }));
  const buffers = layouts.map((layout, i) => new ProcessPanel(
    { layout, slice: slices[i], state, look, name: second ? ["Buffer before", "Buffer after"][i] : "Buffer of process" }));
  const controls = (same ? [first] : layouts).map((layout, i) => sliceControls(layout, slices[i])).filter((one) => one !== null);
  const title = second ? `${first.title || "Array"} \u2192 ${second.title || "array"}` : first.title || "Distributed array";
  const head = make("header", {}, make("h1", {}, title),
                    make("p", { class: "lead" }, "Who owns what: point at an element, or walk over the array with the arrow keys. " +
                                                 "Click an element to see its owner's buffer."), legend(layouts));
  document.title = title;
  const side = make("div", { class: "side" }, inspector.element, buffers.map((panel) => panel.element));
  replace(document.getElementById("page"), head, controls.length ? make("div", { class: "card controls" }, controls) : null,
          make("div", { class: second ? "columns two" : "columns one" }, make("div", { class: "arrays" }, views.map((view) => view.element)),
               moves ? movesPanel(moves, state, (words) => inspector.announce(words)) : null, side),
          processTable(layouts, moves, state),
          make("footer", {}, "Made by TriDAP. Indices are global unless they are called local."));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.tell(["theme"]));
}

build(JSON.parse(document.getElementById("data").textContent));
