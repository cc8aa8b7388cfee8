// A canvas with a grid of cells: elements, or ranges of adjacent elements if there are more than fit.
//
// A model says what is drawn:
//   rows, columns                the extents. `rows` is null for one axis, whose elements are drawn in lines
//   rowTick(p), columnTick(p)    the label of a position
//   prepare(rows, columns)       gets the ranges [from, to) of the cells, and returns the function look(i, j):
//                                {fill: colours, text, hatch: "communication", "boundary" or null, faint, inside}
//   bold                         inside cells get an outline
// The grid only computes what it draws, so its time does not depend on the extents. It calls `onHover(range)`,
// `onMove(range)` for the keyboard, and `onChoose(range)` with {row: [from, to], column: [from, to]}.

const margin = { left: 52, top: 24, right: 12, bottom: 2 };

class GridView {
  constructor({ label, model, onHover, onMove, onChoose, maxHeight = 460 }) {
    Object.assign(this, { model, onHover, onMove, onChoose, maxHeight });
    this.canvas = make("canvas", {
      tabindex: 0, role: "application", "aria-label": label, "aria-roledescription": "grid of cells",
      onpointermove: (event) => this.pointAt(event), onpointerleave: () => this.leave(),
      onclick: (event) => this.click(event), ondblclick: (event) => this.zoomAt(event),
      onkeydown: (event) => this.key(event), onfocus: () => this.moved(), onblur: () => this.mark(),
    });
    this.context = this.canvas.getContext("2d");
    this.note = make("p", { class: "note" });
    const button = (text, name, act) => (
      make("button", { type: "button", "aria-label": name, title: name, onclick: act }, text));
    this.tools = make("div", { class: "tools", role: "group", "aria-label": "Zoom" },
                      button("+", "Zoom in", () => this.zoom(4n)), button("\u2212", "Zoom out", () => this.zoom(-4n)),
                      button("Whole", "Show the whole array", () => this.whole()));
    this.box = make("div", { class: "grid" }, this.canvas);
    this.under = make("div", { class: "under" }, this.note, this.tools);
    this.element = make("div", { class: "gridview" }, this.box, this.under);
    this.whole(false);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  setModel(model) {
    const same = this.model.rows === model.rows && this.model.columns === model.columns;
    this.model = model;
    if (!same) this.whole(false);
    this.draw();
    if (!same || this.isEmpty) this.hovered = null;  // another cell may be under the pointer
  }
  get extents() { return [this.model.rows ?? 1n, this.model.columns]; }
  whole(drawn = true) {
    this.window = this.extents.map((extent) => [0n, extent]);
    this.cursor ??= [0n, 0n];
    this.cursor = this.cursor.map((at, i) => most(0n, least(at, this.extents[i] - 1n)));
    if (drawn) this.draw();
  }
  get isWhole() { return this.window.every(([from, to], i) => from === 0n && to === this.extents[i]); }

  // Zooms around the cursor. The factor is negative to zoom out.
  zoom(factor) {
    this.window = this.window.map(([from, to], i) => {
      const extent = this.extents[i], count = to - from;
      const wanted = least(extent, factor > 0n ? most(count / factor, least(8n, count)) : count * -factor);
      return this.around(this.cursor[i], wanted, extent);
    });
    this.draw();
  }
  around(at, count, extent) {
    const from = most(0n, least(at - count / 2n, extent - count));
    return [from, from + count];
  }

  // Finds the cells and their size. `wrapped`: the elements of one axis in lines.
  measure() {
    const width = Math.max(this.box.clientWidth, 160) - margin.left - margin.right;
    const [rows, columns] = this.window.map(([from, to]) => to - from);
    const limit = (extent, pixels) => Number(least(extent, BigInt(Math.max(1, Math.floor(pixels)))));
    const perLine = Math.max(1, Math.min(40, Math.floor(width / 26)));
    this.wrapped = this.model.rows === null && columns > BigInt(perLine) && columns <= BigInt(16 * perLine);
    this.steps = [1n, 1n];
    if (this.model.rows === null) {
      if (columns > BigInt(16 * perLine))
        this.steps[1] = roundStep(roundedUp(columns, BigInt(limit(columns, width / 4))));
    } else {
      const fits = [this.maxHeight / 4, width / 4];
      [rows, columns].forEach((extent, i) => {
        if (extent > 0n) this.steps[i] = roundStep(roundedUp(extent, BigInt(limit(extent, fits[i]))));
      });
    }
    this.cells = this.window.map(([from, to], i) => this.ranges(from, to, this.steps[i]));
    const [down, across] = this.cells.map((cells) => Math.max(cells.length, 1));
    this.perLine = this.wrapped ? perLine : across;
    this.lines = this.wrapped ? Math.ceil(across / perLine) : down;
    const largest = this.model.largestCell ?? 40;
    let cellWidth = Math.min(width / this.perLine, largest);
    let cellHeight = Math.min(this.maxHeight / this.lines, largest);
    if (this.model.rows === null) cellHeight = this.wrapped || cellWidth > 16 ? Math.min(cellWidth, 34) : 76;
    else if (this.steps[0] === 1n && this.steps[1] === 1n) cellWidth = cellHeight = Math.min(cellWidth, cellHeight);
    else if (down * cellHeight > 1.4 * across * cellWidth) cellHeight = 1.4 * across * cellWidth / down;
    if (this.lines > 1 && this.perLine === 1) cellWidth = Math.max(cellWidth, Math.min(40, width));
    this.size = [cellHeight, cellWidth];
    this.pixels = [this.lines * cellHeight, this.perLine * cellWidth];
  }
  ranges(from, to, step) {
    const all = [];
    for (let at = from; at < to; at += step) all.push([at, least(at + step, to)]);
    return all;
  }
  get isEmpty() { return this.extents.some((extent) => extent === 0n); }

  // The rectangle of cell (i, j): x, y, width, height. Edges are on whole pixels, so that neighbours touch.
  rectangle(i, j) {
    const line = this.wrapped ? Math.floor(j / this.perLine) : i, column = this.wrapped ? j % this.perLine : j;
    const left = Math.round(margin.left + column * this.size[1]), top = Math.round(margin.top + line * this.size[0]);
    const right = Math.round(margin.left + (column + 1) * this.size[1]);
    return [left, top, right - left, Math.round(margin.top + (line + 1) * this.size[0]) - top];
  }
  cellAt(x, y) {
    const column = Math.floor((x - margin.left) / this.size[1]), line = Math.floor((y - margin.top) / this.size[0]);
    if (this.isEmpty || column < 0 || column >= this.perLine || line < 0 || line >= this.lines) return null;
    const [i, j] = this.wrapped ? [0, line * this.perLine + column] : [line, column];
    return i < this.cells[0].length && j < this.cells[1].length ? [i, j] : null;
  }
  cellOf(position) {
    const found = position.map((at, i) => (at < this.window[i][0] || at >= this.window[i][1] ? null
      : Number((at - this.window[i][0]) / this.steps[i])));
    return found.includes(null) ? null : found;
  }
  rangeOf([i, j]) { return { row: this.cells[0][i], column: this.cells[1][j] }; }

  pointed(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.cellAt(event.clientX - box.left, event.clientY - box.top);
  }
  pointAt(event) {
    const cell = this.pointed(event);
    if (String(cell) === String(this.hovered ?? null)) return;
    this.hovered = cell;
    if (cell) this.cursor = [this.cells[0][cell[0]][0], this.cells[1][cell[1]][0]];
    this.onHover?.(cell ? this.rangeOf(cell) : null);
    this.mark();
  }
  leave() {
    if (!this.hovered) return;
    this.hovered = null;
    this.onHover?.(null);
    this.mark();
  }
  click(event) {
    const cell = this.pointed(event);
    if (cell) this.onChoose?.(this.rangeOf(cell));
  }
  zoomAt(event) {
    if (!this.pointed(event)) return;
    this.zoom(4n);
    event.preventDefault();
  }
  // The cursor has moved, or the keyboard has come here.
  moved() {
    if (this.isEmpty) return;
    this.mark();
    const cell = this.cellOf(this.cursor);
    if (cell) this.onMove?.(this.rangeOf(cell));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.isEmpty) return;
    const line = this.wrapped ? BigInt(this.perLine) : 0n;
    const moves = { ArrowLeft: [0n, -1n], ArrowRight: [0n, 1n], ArrowUp: line ? [0n, -line] : [-1n, 0n],
                    ArrowDown: line ? [0n, line] : [1n, 0n], PageUp: [-10n, 0n], PageDown: [10n, 0n] };
    if (moves[event.key]) this.step(moves[event.key]);
    else if (event.key === "Home") this.cursor[1] = 0n;
    else if (event.key === "End") this.cursor[1] = this.extents[1] - 1n;
    else if (event.key === "+" || event.key === "=") this.zoom(4n);
    else if (event.key === "-") this.zoom(-4n);
    else if (event.key === "0" || event.key === "Escape") this.whole();
    else if (event.key === "Enter" || event.key === " ") this.onChoose?.(this.rangeOf(this.cellOf(this.cursor)));
    else return;
    event.preventDefault();
    this.hovered = null;
    if (!this.cellOf(this.cursor)) {
      this.window = this.window.map(([from, to], i) => this.around(this.cursor[i], to - from, this.extents[i]));
      this.draw();
    }
    this.moved();
  }
  // Moves the cursor by cells.
  step(by) {
    this.cursor = this.cursor.map((at, i) => {
      const cell = this.window[i][0] + ((at - this.window[i][0]) / this.steps[i]) * this.steps[i];
      const next = cell + by[i] * this.steps[i];
      return next < 0n || next >= this.extents[i] ? (by[i] < 0n ? 0n : by[i] > 0n ? this.extents[i] - 1n : at) : next;
    });
  }

  // Draws the cursor again, but not the cells.
  mark() {
    this.painter?.mark();
  }
  draw() {
    this.measure();
    this.painter = new GridPainter(this);
    this.painter.draw();
    const [down, across] = this.steps, lines = this.model.rows !== null;
    const size = lines ? `${grouped(down)} \u00d7 ${grouped(across)}` : grouped(across);
    const words = this.isEmpty ? "No elements."
      : down * across > 1n ? `A cell is ${size} ${this.model.unit ?? "elements"}.` : "";
    this.note.textContent = words + (this.isWhole ? "" : " Zoomed in.");
    this.tools.hidden = this.isWhole && down * across === 1n;
    this.under.hidden = this.tools.hidden && this.note.textContent === "";
    // For tests, and for programs that drive the page.
    this.canvas.dataset.geometry = JSON.stringify({
      left: margin.left, top: margin.top, width: this.size[1], height: this.size[0], perLine: this.perLine,
      rows: this.cells[0].length, columns: this.cells[1].length, steps: this.steps.map(String),
    });
  }
}
