// Draws a GridView once.

class GridPainter {
  constructor(view) {
    this.view = view;
    this.context = view.context;
    this.ink = themeColour("ink");
    this.muted = themeColour("muted");
    this.paper = themeColour("card");
    this.font = getComputedStyle(document.body).fontFamily;
  }
  draw() {
    const { view, context } = this, scale = window.devicePixelRatio || 1;
    const width = Math.ceil(margin.left + view.pixels[1] + margin.right);
    const height = Math.ceil(margin.top + view.pixels[0] + margin.bottom);
    view.canvas.width = width * scale;
    view.canvas.height = height * scale;
    view.canvas.style.width = `${width}px`;
    view.canvas.style.height = `${height}px`;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.patterns = new Patterns(context);
    if (view.isEmpty) return this.empty();
    const look = view.model.prepare(view.cells[0], view.cells[1]);
    this.looks = view.cells[0].map((_, i) => view.cells[1].map((__, j) => look(i, j)));
    this.gap = Math.min(view.size[0], view.size[1]) >= 12 ? 1 : 0;
    this.isEach = Math.min(view.size[0], view.size[1]) >= 18;  // each cell has its own text
    this.looks.forEach((line, i) => line.forEach((cell, j) => this.cell(cell, i, j)));
    if (!this.isEach) this.regions();
    if (view.model.bold) this.outline();
    this.ticks();
    this.drawn = make("canvas", { width: view.canvas.width, height: view.canvas.height });
    this.drawn.getContext("2d").drawImage(view.canvas, 0, 0);
    this.ring();
  }
  mark() {
    const { view, context } = this;
    if (!this.drawn) return;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, view.canvas.width, view.canvas.height);
    context.drawImage(this.drawn, 0, 0);
    context.restore();
    this.ring();
  }
  empty() {
    this.context.fillStyle = this.muted;
    this.context.font = `13px ${this.font}`;
    this.context.fillText("no elements", margin.left, margin.top + 16);
  }

  cell(look, i, j) {
    const { context, gap } = this, [x, y, width, height] = this.view.rectangle(i, j);
    if (look.fill.length === 0) {
      context.strokeStyle = this.muted;
      context.setLineDash([2, 2]);
      if (gap) context.strokeRect(x + 1.5, y + 1.5, width - 4, height - 4);
      context.setLineDash([]);
      return;
    }
    const paint = (style) => {
      context.fillStyle = style;
      context.fillRect(x, y, width - gap, height - gap);
    };
    const ink = inkOn(look.fill[0]);
    paint(this.patterns.fill(look.fill));
    if (look.hatch) paint(this.patterns.hatch(look.hatch, look.fill.length > 1 ? this.ink : ink));
    const plate = look.fill.length > 1 || look.hatch ? look.fill[0] : null;
    if (look.text && this.isEach) this.label(look.text, x, y, width - gap, height - gap, plate, ink);
    if (look.faint) {
      context.globalAlpha = 0.8;
      paint(this.paper);
      context.globalAlpha = 1;
    }
  }
  // Text in the middle of a rectangle, if it fits. On a pattern it has a plate of one colour.
  label(text, x, y, width, height, plate, ink) {
    const { context } = this, size = Math.min(13, height - 2, width - 2);
    if (size < 8) return;
    context.font = `600 ${size}px ${this.font}`;
    const wide = context.measureText(text).width;
    if (wide > width - 2) return;
    if (plate) {
      context.fillStyle = css(plate);
      context.fillRect(x + width / 2 - wide / 2 - 2, y + height / 2 - size / 2 - 1, wide + 4, size + 2);
    }
    context.fillStyle = ink;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, x + width / 2, y + height / 2 + 0.5);
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
  }

  // Lines between regions of cells with the same look, and a label in each region that is large enough.
  regions() {
    const same = (a, b) => a.text === b.text;
    const starts = (count, differs) => {
      const found = [0];
      for (let at = 1; at < count && found.length <= 64; ++at) if (differs(at)) found.push(at);
      return [...found, count];
    };
    const { looks } = this, across = looks[0].length;
    const rows = starts(looks.length, (i) => looks[i].some((cell, j) => !same(cell, looks[i - 1][j])));
    const columns = starts(across, (j) => looks.some((line) => !same(line[j], line[j - 1])));
    if (rows.length > 64 || columns.length > 64 || this.view.wrapped) return;
    for (let r = 0; r + 1 < rows.length; ++r)
      for (let c = 0; c + 1 < columns.length; ++c)
        this.region(rows[r], columns[c], rows[r + 1] - 1, columns[c + 1] - 1);
  }
  region(i, j, lastRow, lastColumn) {
    const [x, y] = this.view.rectangle(i, j), [right, bottom, width, height] = this.view.rectangle(lastRow, lastColumn);
    const look = this.looks[i][j], box = [x, y, right + width - x, bottom + height - y];
    this.context.strokeStyle = this.paper;
    if (!this.gap && box[2] > 5 && box[3] > 5) this.context.strokeRect(box[0] - 0.5, box[1] - 0.5, box[2], box[3]);
    if (!look.text || look.fill.length !== 1 || look.faint || box[2] < 16 || box[3] < 12) return;
    this.label(look.text, ...box, look.fill[0], inkOn(look.fill[0]));
  }

  // A line around the inside cells.
  outline() {
    const { context, looks } = this;
    context.strokeStyle = this.ink;
    context.lineWidth = 2;
    context.beginPath();
    looks.forEach((line, i) => line.forEach((cell, j) => {
      if (!cell.inside) return;
      const [x, y, width, height] = this.view.rectangle(i, j), gap = this.gap;
      const side = (other, from, to) => {
        if (other?.inside) return;
        context.moveTo(...from);
        context.lineTo(...to);
      };
      const wrap = this.view.wrapped, atLineEnd = wrap && (j + 1) % this.view.perLine === 0;
      const above = wrap ? line[j - this.view.perLine] : looks[i - 1]?.[j];
      const below = wrap ? line[j + this.view.perLine] : looks[i + 1]?.[j];
      const left = wrap && j % this.view.perLine === 0 ? null : line[j - 1];
      side(left, [x, y - 1], [x, y + height]);
      side(atLineEnd ? null : line[j + 1], [x + width - gap, y - 1], [x + width - gap, y + height]);
      side(above, [x - 1, y], [x + width, y]);
      side(below, [x - 1, y + height - gap], [x + width, y + height - gap]);
    }));
    context.stroke();
    context.lineWidth = 1;
  }

  // Labels along the upper and the left edge, so far apart that they do not touch.
  ticks() {
    const { view, context } = this;
    context.fillStyle = this.muted;
    context.font = `11px ${this.font}`;
    const every = (count, pixels, least) => {
      for (let step = 1; ; step *= 10)
        for (const digit of [1, 2, 5]) if (digit * step * pixels >= least || digit * step >= count) return digit * step;
    };
    const columns = view.cells[1];
    if (view.wrapped) {
      context.textAlign = "right";
      for (let line = 0; line < view.lines; ++line)
        context.fillText(view.model.columnTick(columns[line * view.perLine][0]), margin.left - 8,
                         margin.top + (line + 0.5) * view.size[0] + 3);
      context.textAlign = "left";
      return;
    }
    const longest = Math.max(...[columns[0], columns[columns.length - 1]].map(
      ([from]) => context.measureText(view.model.columnTick(from)).width));
    const across = every(columns.length, view.size[1], longest + 10);
    context.textAlign = view.size[1] >= 12 ? "center" : "left";
    for (let j = 0; j < columns.length; j += across) {
      const [x, , width] = view.rectangle(0, j), text = view.model.columnTick(columns[j][0]);
      const at = view.size[1] >= 12 ? x + width / 2 : x;
      const fits = at + context.measureText(text).width / 2 <= margin.left + view.pixels[1] + margin.right;
      if (fits) context.fillText(text, at, margin.top - 8);
    }
    context.textAlign = "right";
    const rows = view.cells[0], down = every(rows.length, view.size[0], 15);
    for (let i = 0; view.model.rows !== null && i < rows.length; i += down) {
      const [, y, , height] = view.rectangle(i, 0);
      const middle = view.size[0] >= 12 ? y + height / 2 + 4 : y + 9;
      context.fillText(view.model.rowTick(rows[i][0]), margin.left - 8, middle);
    }
    context.textAlign = "left";
  }

  // The cursor, and an element that another picture points at.
  ring() {
    const { view, context } = this;
    const box = (cell, colour, width) => {
      const [x, y, wide, high] = view.rectangle(...cell);
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.strokeRect(x - 0.5, y - 0.5, wide, high);
      context.lineWidth = 1;
    };
    const shown = view.hovered ?? (document.activeElement === view.canvas ? view.cellOf(view.cursor) : null);
    const cell = shown ?? (view.model.marked?.() ? view.cellOf(view.model.marked()) : null);
    if (!cell || !view.cells[0][cell[0]] || !view.cells[1][cell[1]]) return;
    box(cell, this.paper, 5);
    box(cell, this.ink, 2.5);
  }
}
