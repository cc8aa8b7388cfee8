// The panels of the page: an array with its slice, a process with its buffer, the moves, and the table.

// After a change of the state. The element that is pointed at only moves a mark.
function redraw(grid, changed) {
  if (changed.every((name) => name === "global")) grid.mark();
  else grid.draw();
}

const isOneElement = (positions) => positions.every(([from, to]) => to - from === 1n);

// The controls of a slice: which axes are drawn, and a slider for each of the others. `slice` is a State with `shown` and
// `globals`, by axis the index at which it is fixed.
function sliceControls(layout, slice) {
  const element = make("div", { class: "slice" }), count = layout.axes.length;
  if (count < 3) return null;
  const choices = () => layout.axes.map((axis, a) => make("option", { value: a }, `axis ${a} (${grouped(axis.size)})`));
  const pick = (which) => (event) => {
    const shown = [...slice.shown], chosen = Number(event.target.value);
    if (shown[1 - which] === chosen) shown[1 - which] = shown[which];
    shown[which] = chosen;
    slice.set({ shown });
  };
  const selects = [0, 1].map((which) => make("select", { onchange: pick(which) }, choices()));
  const sliders = layout.axes.map((axis, a) => slider(axis, a, slice));
  replace(element, make("label", {}, "Down ", selects[0]), make("label", {}, "Across ", selects[1]), sliders.map((one) => one.element));
  const update = () => {
    selects.forEach((select, which) => { select.value = slice.shown[which]; });
    sliders.forEach((one, a) => {
      one.element.hidden = slice.shown.includes(a);
      one.update();
    });
  };
  slice.listen(update);
  update();
  return element;
}

// A slider and a field for the index of one axis. The slider of a very long axis moves in steps.
function slider(axis, number, slice) {
  const last = most(axis.extent - 1n, 0n), longest = 1000000000n, top = least(last, longest);
  const positionAt = (value) => (last <= longest ? BigInt(value) : (BigInt(value) * last) / longest);
  const set = (position) => {
    const globals = [...slice.globals];
    globals[number] = axis.globalAt(position);
    slice.set({ globals });
  };
  const range = make("input", { type: "range", min: 0, max: String(top), step: 1, id: `axis-${number}`, disabled: axis.extent === 0n,
                                oninput: (event) => set(positionAt(event.target.value)) });
  const field = make("input", { type: "text", inputmode: "numeric", size: 8, "aria-label": `index of axis ${number}`,
                                onchange: (event) => {
    const wanted = /^-?\d{1,20}$/.test(event.target.value.trim()) ? axis.positionOf(BigInt(event.target.value.trim())) : null;
    if (wanted !== null) set(wanted);
    update();
  } });
  function update() {
    const global = slice.globals[number], position = global === null ? null : axis.positionOf(global);
    if (position === null) return;
    range.value = String(last <= longest ? position : (position * longest) / last);
    range.setAttribute("aria-valuetext", `index ${global}`);
    field.value = global;
  }
  const element = make("div", { class: "slider" }, make("label", { for: `axis-${number}` }, `Index of axis ${number}`), range, field);
  return { element, update };
}

// The owners of one array.
class ArrayPanel {
  constructor({ layout, slice, state, name, sides, look }) {
    Object.assign(this, { layout, slice, state, sides, look });
    this.grid = new GridView({
      label: `${name}: owners of the elements. Arrow keys move over the elements, plus and minus zoom, Enter shows the owner's buffer.`,
      model: this.model(),
      onHover: (range) => this.point(range, false),
      onMove: (range) => this.point(range, true),
      onChoose: (range) => this.choose(range),
    });
    const heading = make("h2", {}, name);
    const facts = make("p", { class: "facts" }, layout.words);
    this.element = make("section", { class: "card array", "aria-label": name }, heading, facts, this.grid.element);
    slice.listen(() => this.refresh());
    state.listen((changed) => redraw(this.grid, changed));
  }
  model() {
    const { layout, slice } = this;
    const fixed = layout.axes.map((axis, a) => (slice.shown.includes(a) || slice.globals[a] === null ? null : axis.positionOf(slice.globals[a])));
    return new OwnersModel(layout, slice.shown, fixed, this.state, this.sides);
  }
  refresh() {
    this.grid.setModel(this.model());
    if (this.pointed) this.point(this.pointed, false);
  }
  point(range, byKeyboard) {
    this.pointed = range;
    if (!range) return;
    const positions = this.grid.model.positions(range);
    const globals = positions.map(([from, to], a) => [this.layout.axes[a].globalAt(from), this.layout.axes[a].globalAt(to - 1n)]);
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
    this.field = make("input", { type: "number", min: 0, max: String(layout.processes - 1n), "aria-label": `process, 0 to ${layout.processes - 1n}`,
                                 onchange: (event) => this.choose(event.target.value) });
    this.facts = make("p", { class: "facts" });
    this.chip = make("span");
    this.grid = new GridView({
      label: `${name}. Arrow keys move over its elements.`, model: this.model(), maxHeight: 300,
      onHover: (range) => this.point(range, false), onMove: (range) => this.point(range, true),
    });
    this.element = make("section", { class: "card process", "aria-label": name },
                        make("h2", {}, name, " ", this.chip), make("p", { class: "choose" }, make("label", {}, "Process ", this.field)),
                        this.facts, this.grid.element);
    slice.listen(() => this.refresh());
    state.listen((changed) => (changed.includes("process") ? this.refresh() : redraw(this.grid, changed)));
    this.refresh();
  }
  get process() { return least(this.state.process, this.layout.processes - 1n); }
  choose(text) {
    if (/^\d{1,20}$/.test(text) && BigInt(text) < this.layout.processes) this.state.set({ process: BigInt(text) });
    this.field.value = this.process;
  }
  model() { return new BufferModel(this.layout, this.process, this.slice.shown, this.slice.globals, this.state); }
  refresh() {
    const { layout, process } = this, owned = product(layout.owned(process)), held = product(layout.held(process));
    this.field.value = process;
    replace(this.chip, chip(process));
    const words = [`at ${tuple(layout.coordinates(process))} of the process grid`, `buffer of ${layout.held(process).map(grouped).join(" \u00d7 ") || "1"}`,
                   counted(owned, "element owned", "elements owned")];
    if (held > owned) words.push(counted(held - owned, "element of communication padding", "elements of communication padding"));
    const model = this.model();
    if (held > 0n && model.columns === 0n) words.push("it holds nothing of this slice");
    this.facts.textContent = words.join(", ");
    this.grid.setModel(model);
  }
  point(range, byKeyboard) {
    if (!range) return;
    const positions = this.grid.model.positions(range), ends = positions.map(([from, to]) => [from, to - 1n]);
    const globals = ends.map((end, a) => end.map((local) => this.grid.model.axes[a].globalAt(local)));
    this.look({ layout: this.layout, globals, isOne: isOneElement(positions), local: { process: this.process, ends }, byKeyboard });
  }
}

// Who sends what to whom.
function movesPanel(moves, state, announce) {
  const words = make("p", { class: "facts" }, moves.why ?? moves.words());
  const only = make("input", { type: "checkbox", id: "only", onchange: () => state.set({ onlyMoves: only.checked }) });
  const parts = [make("h2", {}, "What moves"), words];
  if (moves.why === null) {
    const says = make("p", { class: "says" }, "Point at a cell: a row sends, a column receives.");
    const show = (range, isSpoken) => {
      const isPair = range && range.row[1] - range.row[0] === 1n && range.column[1] - range.column[0] === 1n;
      state.set({ flow: isPair ? [range.row[0], range.column[0]] : null });
      if (!range) return;
      says.textContent = model.describe(range);
      if (isSpoken) announce(says.textContent);
    };
    const model = new MovesModel(moves, state);
    const grid = new GridView({ label: "Bytes from each process to each other one. A row sends, a column receives. Arrow keys move over the pairs.",
                                model, maxHeight: 380, onHover: (range) => show(range, false), onMove: (range) => show(range, true),
                                onChoose: (range) => state.set({ process: range.row[0] }) });
    grid.canvas.addEventListener("blur", () => state.set({ flow: null }));
    state.listen((changed) => redraw(grid, changed));
    parts.push(make("label", { class: "only", for: "only" }, only, " Fade the elements that stay"), says, grid.element,
               make("p", { class: "axisnames" }, "rows: from process; columns: to process; dots: stays"));
  }
  return make("section", { class: "card moves", "aria-label": "What moves" }, parts);
}
