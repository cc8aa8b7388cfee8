// What the grids of an array show: the owners of its elements, and the local buffer of one process.

// All processes with one coordinate from each list, at most `listedOwners`. Lists come in the order of the axes.
function processesAt(layout, lists) {
  let all = [0n];
  lists.forEach((coordinates, axis) => {
    all = all.flatMap((number) => coordinates.map((c) => number * layout.grid[axis] + c)).slice(0, listedOwners);
  });
  return all;
}

// The positions of an axis whose global indices are in first ... last: [from, to).
function positionsOf(axis, first, last) {
  if (axis instanceof UnstructuredAxis)
    return [BigInt(firstNotBelow(axis.distinct, first)), BigInt(firstNotBelow(axis.distinct, last + 1n))];
  return [most(0n, first), least(axis.extent, last + 1n)];
}

// Whether there are owners that are not among `processes`. `parts` are the summaries of the axes.
function hasMore(parts, processes) {
  return parts.some((part) => part.more) ||
    product(parts.map((part) => BigInt(part.coordinates.length))) > BigInt(processes.length);
}

// A part of an array: the axes that are drawn and the indices of the others. `axes` has Axis or LocalAxis objects.
class SliceModel {
  // `shown`: the numbers of the axis that runs down, or null, and of the one that runs across, or null.
  // `fixed`: by axis the position at which it is fixed; null: the process or array has no such index.
  constructor(layout, axes, shown, fixed) {
    Object.assign(this, { layout, axes, shown, fixed });
    const [down, across] = shown, isGone = fixed.some((position, axis) => position === null && !shown.includes(axis));
    this.rows = down === null ? null : axes[down].extent;
    this.columns = isGone ? 0n : across === null ? 1n : axes[across].extent;
    if (isGone && this.rows !== null) this.rows = 0n;
    else if (across === null && axes.some((axis) => axis.extent === 0n)) this.columns = 0n;
  }
  tick(axis, position) { return axis === null ? "" : brief(this.axes[axis].globalAt(position)); }
  rowTick(position) { return this.tick(this.shown[0], position); }
  columnTick(position) { return this.tick(this.shown[1], position); }
  // By axis the positions [from, to) of a range of cells.
  positions({ row, column }) {
    return this.axes.map((_, axis) => (axis === this.shown[0] ? row : axis === this.shown[1] ? column
      : [this.fixed[axis], this.fixed[axis] + 1n]));
  }
  // By axis the summaries of all rows or columns, and the number of the one that cell (i, j) has.
  summaries(rows, columns, summarize) {
    const by = this.axes.map((axis, a) => (
      a === this.shown[0] ? rows : a === this.shown[1] ? columns : [[this.fixed[a], this.fixed[a] + 1n]])
      .map(([from, to]) => summarize(axis, a, from, to)));
    return (i, j) => by.map((line, a) => line[a === this.shown[0] ? i : a === this.shown[1] ? j : 0]);
  }
  // The cells that show an element, as a position; null: it is not in the slice.
  find(positions) {
    if (positions.includes(null)) return null;
    if (positions.some((at, axis) => !this.shown.includes(axis) && at !== this.fixed[axis])) return null;
    return this.shown.map((axis) => (axis === null ? 0n : positions[axis]));
  }
}

// The owners of a slice of the global array. `state` has the process that is outlined, and what is emphasized.
class OwnersModel extends SliceModel {
  constructor(layout, shown, fixed, state, sides) {
    super(layout, layout.axes, shown, fixed);
    this.state = state;
    this.sides = sides;  // the layouts before and after, if there are two
    this.bold = true;
  }
  marked() {
    const { global } = this.state;
    if (!global || global.length !== this.axes.length) return null;
    return this.find(this.axes.map((axis, a) => axis.positionOf(global[a])));
  }
  prepare(rows, columns) {
    const { layout, state } = this, process = state.shownProcess;
    const mine = process < layout.processes ? layout.coordinates(process) : null;
    const parts = this.summaries(rows, columns, (axis, a, from, to) => ({
      ...axis.summary(from, to),
      owns: mine !== null && axis.owns(mine[a], from, to), pads: mine !== null && axis.pads(mine[a], from, to) }));
    const isFaint = this.faint(rows, columns);
    return (i, j) => {
      const here = parts(i, j), processes = processesAt(layout, here.map((part) => part.coordinates));
      const more = hasMore(here, processes);
      const inside = mine !== null && here.every((part) => part.owns);
      const pads = mine !== null && here.every((part) => part.owns || part.pads) && here.some((part) => part.pads);
      return { fill: processes.map(processColour), text: ownersText(processes, more), inside, faint: isFaint(i, j),
               hatch: pads ? "communication" : here.some((part) => part.edge) ? "boundary" : null };
    };
  }
  // Whether a cell is not among the elements that are emphasized: those that move, or move between two processes.
  faint(rows, columns) {
    const { flow, onlyMoves } = this.state;
    if (!this.sides || (!flow && !onlyMoves)) return () => false;
    const sides = this.sides.map((side, s) => {
      const at = flow ? side.coordinates(flow[s]) : null;
      return this.summaries(rows, columns, (axis, a, from, to) => {
        const there = positionsOf(side.axes[a], axis.globalAt(from), axis.globalAt(to - 1n));
        if (there[0] >= there[1]) return { coordinates: [], more: false, owns: false };
        return flow ? { owns: side.axes[a].owns(at[a], ...there) } : side.axes[a].summary(...there);
      });
    });
    if (flow) return (i, j) => sides.some((parts) => parts(i, j).some((part) => !part.owns));
    return (i, j) => {
      const [before, after] = sides.map((parts, s) => {
        const here = parts(i, j);
        return here.some((part) => part.more) ? "more"
          : String(processesAt(this.sides[s], here.map((part) => part.coordinates)));
      });
      return before !== "more" && before === after && !before.includes(",");
    };
  }
}

// "2"; "0+" if others own elements too; "" if no process owns one.
function ownersText(processes, more) {
  return processes.length === 0 ? "" : `${processes[0]}${more || processes.length > 1 ? "+" : ""}`;
}

// Where coordinate `c` has a global index, also as padding: {coordinate, local}; undefined: nowhere.
function placeIn(axis, c, global) {
  return [...axis.owners(global), ...axis.padding(global)].find((place) => place.coordinate === c);
}

// The local buffer of a process, or the part of it that is in the slice.
class BufferModel extends SliceModel {
  constructor(layout, process, shown, fixedGlobals, state) {
    const at = layout.coordinates(process), axes = layout.axes.map((axis, a) => new LocalAxis(axis, at[a]));
    const fixed = layout.axes.map((axis, a) => {
      if (shown.includes(a) || fixedGlobals[a] === null) return null;
      return placeIn(axis, at[a], fixedGlobals[a])?.local ?? null;
    });
    super(layout, axes, shown, fixed);
    this.process = process;
    this.state = state;
  }
  tick(axis, position) { return axis === null ? "" : brief(position); }
  globalOf(locals) { return this.axes.map((axis, a) => axis.globalAt(locals[a])); }
  marked() {
    const { global } = this.state;
    if (!global || global.length !== this.axes.length) return null;
    const places = this.layout.axes.map((axis, a) => placeIn(axis, this.axes[a].c, global[a]));
    return places.some((place) => !place) ? null : this.find(places.map((place) => place.local));
  }
  prepare(rows, columns) {
    const { layout } = this;
    const parts = this.summaries(rows, columns, (axis, _, from, to) => axis.summary(from, to));
    return (i, j) => {
      const here = parts(i, j), processes = processesAt(layout, here.map((part) => part.coordinates));
      const isPadded = here.some((part) => part.padded), isEdge = here.some((part) => part.edge);
      return { fill: processes.map(processColour), text: ownersText(processes, hasMore(here, processes)), faint: false,
               hatch: isPadded ? "communication" : isEdge ? "boundary" : null };
    };
  }
}
