// What is pointed at, in words.
//
// A look is {layout, globals, isOne, positions, local, byKeyboard}: by axis the first and the last global index, then
// whether it is one element, the positions [from, to) on the layout's axes, and, if it is in a buffer, {process, ends}
// with the local indices.

const spansText = (spans) => `(${spans.map(spanText).join(", ")})`;

// Returns {words, global, facts, processes}: a sentence, the element, its facts by array, or the owners of a range.
function describeLook(look, layouts) {
  if (look.isOne) return describeElement(look, layouts);
  const { layout, globals, positions, local } = look;
  if (local) {
    const words = `process ${local.process}, local ${spansText(local.ends)}: elements ${spansText(globals)}`;
    return { words, global: null, facts: [] };
  }
  const parts = positions.map(([from, to], a) => layout.axes[a].summary(from, to));
  const processes = processesAt(layout, parts.map((part) => part.coordinates));
  const owners = processes.length === 0 ? "no process owns them"
    : processes.length === 1 ? `owner process ${processes[0]}`
    : `owners: processes ${listed(processes, hasMore(parts, processes))}`;
  const edge = parts.some((part) => part.edge) ? "; some are boundary padding" : "";
  return { words: `elements ${spansText(globals)}: ${owners}${edge}`, global: null, facts: [], processes };
}

function describeElement({ layout, globals, local }, layouts) {
  const global = globals.map(([first]) => first), facts = elementFacts(layout, global);
  const prefix = local ? `process ${local.process}, local ${tuple(local.ends.map(([first]) => first))}: ` : "";
  const begin = `${prefix}element ${tuple(global)}: `;
  if (layouts.length === 1) return { words: begin + facts.words, global, facts: [["", facts]] };
  const [before, after] = layouts.map((one) => (one === layout ? facts : elementFacts(one, global)));
  const [from, to] = [before, after].map((one) => one.owners.map((owner) => owner.process));
  const verdict = from.length === 0 || to.length === 0 ? "" : String(from) === String(to) ? "; it stays"
    : `; it moves from process ${listed(from)} to process ${listed(to)}`;
  return { words: `${begin}before: ${before.words}; after: ${after.words}${verdict}`, global,
           facts: [["before: ", before], ["after: ", after]] };
}

// The panel that says what is pointed at. What the keyboard points at is read aloud.
class Inspector {
  constructor(layouts) {
    this.layouts = layouts;
    this.list = make("dl");
    this.says = make("p", { class: "says", id: "says" });
    this.live = make("p", { class: "unseen", "aria-live": "polite", id: "live" });
    this.element = make("section", { class: "card inspector", "aria-label": "Element" }, make("h2", {}, "Element"),
                        this.says, this.list, this.live);
  }
  // Says what a process owns, in each of the layouts that has it.
  showProcess(layouts, process, byKeyboard) {
    const names = layouts.length === 1 ? [""] : ["before: ", "after: "];
    const words = layouts.map((layout, i) => (
      process < layout.processes ? [names[i] + processWords(layout, process)] : [])).flat().join(". ");
    this.says.textContent = words;
    replace(this.list);
    if (byKeyboard) this.announce(words);
  }
  announce(words) { this.live.textContent = words; }
  // Returns the element that is pointed at; null: it is a range of elements.
  show(look) {
    const { words, global, facts, processes } = describeLook(look, this.layouts);
    this.says.textContent = words;
    if (look.byKeyboard) this.announce(words);
    const owners = processes ? this.row("owners", processes.flatMap((process) => [chip(process), " "])) : [];
    replace(this.list, facts.flatMap(([when, fact]) => this.rows(when, fact)), owners);
    return global;
  }
  row(name, parts) { return [make("dt", {}, name), make("dd", {}, parts)]; }
  rows(when, { owners, padding, mirrored }) {
    const places = (found) => found.map((place) => (
      make("span", { class: "place" }, chip(place.process), ` local ${tuple(place.local)}`)));
    return [...this.row(`${when}owner`, owners.length > 0 ? places(owners) : ["no process"]),
            ...(padding.length > 0 ? this.row(`${when}padding of`, places(padding)) : []),
            ...(mirrored ? this.row(`${when}mirror of`, [tuple(mirrored)]) : [])];
  }
}
