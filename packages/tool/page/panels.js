// The panels of the page: an array with its slice, a process with its buffer, and the moves.

// After a change of the state. The element that is pointed at only moves a mark.
function redraw(grid, changed) {
  if (changed.every((name) => name === "global")) grid.mark();
  else grid.draw();
}

const isOfProcess = (name) => name === "process" || name === "pointed";
const isOneElement = (positions) => positions.every(([from, to]) => to - from === 1n);

// The owners of one array. `look` is called with what is pointed at.
class ArrayPanel {
  constructor({ layout, slice, state, name, sides, look }) {
    Object.assign(this, { layout, slice, state, sides, look });
    const keys = "Arrow keys move over the elements, plus and minus zoom, Enter shows the owner's buffer.";
    this.grid = new GridView({
      label: `${name}: owners of the elements. ${keys}`, model: this.model(),
      onHover: (range) => this.point(range, false),
      onMove: (range) => this.point(range, true),
      onChoose: (range) => this.choose(range),
    });
    this.element = make("section", { class: "card array", "aria-label": name }, make("h2", {}, name),
                        make("p", { class: "facts" }, layout.words), this.grid.element);
    slice.listen(() => this.refresh());
    state.listen((changed) => redraw(this.grid, changed));
  }
  model() {
    const { shown, globals } = this.slice;
    const fixed = this.layout.axes.map((axis, a) => (
      shown.includes(a) || globals[a] === null ? null : axis.positionOf(globals[a])));
    return new OwnersModel(this.layout, shown, fixed, this.state, this.sides);
  }
  refresh() {
    this.grid.setModel(this.model());
    const cell = this.grid.isEmpty ? null : this.grid.cellOf(this.grid.cursor);
    if (cell) this.point(this.grid.rangeOf(cell), false);
  }
  // The element that the page shows at first.
  pointFirst() {
    if (!this.grid.isEmpty) this.point({ row: [0n, 1n], column: [0n, 1n] }, false);
  }
  point(range, byKeyboard) {
    if (!range) return;
    const { axes } = this.layout, positions = this.grid.model.positions(range);
    const globals = positions.map(([from, to], a) => [axes[a].globalAt(from), axes[a].globalAt(to - 1n)]);
    this.look({ layout: this.layout, globals, isOne: isOneElement(positions), positions, byKeyboard });
  }
  choose(range) {
    const global = this.grid.model.positions(range).map(([from], a) => this.layout.axes[a].globalAt(from));
    const owners = this.layout.owners(global);
    if (owners.length > 0) this.state.set({ process: owners[0].process });
  }
}

// One process: what it holds, and its local buffer.
class ProcessPanel {
  constructor({ layout, slice, state, look, name }) {
    Object.assign(this, { layout, slice, state, look });
    const last = layout.processes - 1n;
    this.field = make("input", { type: "number", min: 0, max: String(last), "aria-label": `process, 0 to ${last}`,
                                 onchange: (event) => this.choose(event.target.value) });
    this.facts = make("p", { class: "facts" });
    this.chip = make("span");
    this.grid = new GridView({
      label: `${name}. Arrow keys move over its elements.`, model: this.model(), maxHeight: 300,
      onHover: (range) => this.point(range, false), onMove: (range) => this.point(range, true),
    });
    this.element = make("section", { class: "card process", "aria-label": name }, make("h2", {}, name, " ", this.chip),
                        make("p", { class: "choose" }, make("label", {}, "Process ", this.field)), this.facts,
                        this.grid.element);
    slice.listen(() => this.refresh());
    state.listen((changed) => (changed.some(isOfProcess) ? this.refresh() : redraw(this.grid, changed)));
    this.refresh();
  }
  get process() { return least(this.state.shownProcess, this.layout.processes - 1n); }
  choose(text) {
    if (/^\d{1,20}$/.test(text) && BigInt(text) < this.layout.processes) this.state.set({ process: BigInt(text) });
    this.field.value = this.process;
  }
  model() { return new BufferModel(this.layout, this.process, this.slice.shown, this.slice.globals, this.state); }
  refresh() {
    const { layout, process } = this, model = this.model(), shape = layout.held(process);
    const owned = product(layout.owned(process)), held = product(shape);
    this.field.value = process;
    replace(this.chip, chip(process));
    const words = [`at ${tuple(layout.coordinates(process))} of the process grid`,
                   `its buffer has ${shapeText(shape)} elements`, `${grouped(owned)} owned`];
    if (held > owned) words.push(`${grouped(held - owned)} of communication padding`);
    if (held > 0n && model.columns === 0n) words.push("none of them in this slice");
    this.facts.textContent = words.join(", ");
    this.grid.setModel(model);
    if (this.grid.hovered) this.point(this.grid.rangeOf(this.grid.hovered), false);
  }
  point(range, byKeyboard) {
    if (!range) return;
    const { axes } = this.grid.model, positions = this.grid.model.positions(range);
    const ends = positions.map(([from, to]) => [from, to - 1n]);
    const globals = ends.map((end, a) => end.map((local) => axes[a].globalAt(local)));
    this.look({ layout: this.layout, globals, isOne: isOneElement(positions), local: { process: this.process, ends },
                byKeyboard });
  }
}

// What each process sends to each other one.
function movesPanel(moves, state, announce) {
  const section = (...parts) => make("section", { class: "card moves", "aria-label": "What moves" },
                                     make("h2", {}, "What moves"), parts);
  if (moves.why !== null) return section(make("p", { class: "facts" }, moves.why));
  const only = make("input", { type: "checkbox", id: "only", onchange: () => state.set({ onlyMoves: only.checked }) });
  const says = make("p", { class: "says", id: "flow" }, "Point at a cell: a row sends, a column receives.");
  const model = new MovesModel(moves, state);
  const show = (range, isSpoken) => {
    const isPair = range && range.row[1] - range.row[0] === 1n && range.column[1] - range.column[0] === 1n;
    state.set({ flow: isPair ? [range.row[0], range.column[0]] : null });
    if (!range) return;
    says.textContent = model.describe(range);
    if (isSpoken) announce(says.textContent);
  };
  const grid = new GridView({
    label: "What each process sends to each other one. A row sends, a column receives. Arrow keys move over the pairs.",
    model, maxHeight: 380, onHover: (range) => show(range, false), onMove: (range) => show(range, true),
    onChoose: (range) => state.set({ process: range.row[0] }),
  });
  grid.canvas.addEventListener("blur", () => state.set({ flow: null }));
  state.listen((changed) => redraw(grid, changed));
  const largest = moves.pairs.reduce((found, { from, to, amount }) => (from === to ? found : most(found, amount)), 0n);
  return section(make("p", { class: "facts" }, moves.words()),
                 make("label", { class: "only", for: "only" }, only, " Fade the elements that stay"), says,
                 grid.element,
                 make("p", { class: "axisnames" }, "Rows: from process. Columns: to process. Dots: stays. " +
                      `The strongest colour: ${moves.text(largest)}.`));
}
