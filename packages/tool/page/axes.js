// The axes of a distribution, as the Distributed Array Protocol describes them.
//
// An axis is drawn as positions 0 ... extent - 1. On block and cyclic axes a position is a global index. On an
// unstructured axis it numbers the indices that some coordinate holds, in ascending order. All axes have the same
// functions:
//
//   globalAt(position)       the global index at a position
//   positionOf(global)       the position of a global index; null: no coordinate holds it
//   owners(global)           where it is owned: a list of {coordinate, local}
//   padding(global)          where it is communication padding: the same
//   mirrored(global)         the index that a mirror of a periodic axis repeats; null: it is none
//   count(c), held(c)        the elements that coordinate c owns, and those of its buffer
//   spans(c)                 the global indices that c owns, in local order: at most `listedOwners` ranges
//                            [first, last], and `more` if there are others
//   globalOf(c, local)       the global index of a local one
//   isPadding(c, local)      the local index is communication padding
//   summary(from, to)        of the positions from <= p < to: at most `listedOwners` owners, `more` if there are
//                            others, and `edge` if some are boundary padding
//   owns(c, from, to)        coordinate c owns some of these positions
//   pads(c, from, to)        some of them are communication padding of coordinate c

const listedOwners = 4;

class BlockAxis {
  constructor(data) {
    this.extent = this.size = BigInt(data.size);
    this.grid = BigInt(data.grid);
    this.length = data.bounds ? null : BigInt(data.length);
    this.bounds = data.bounds ? expanded(data.bounds) : null;
    this.periodic = data.periodic;
    this.left = data.padding ? expanded(data.padding[0]) : null;
    this.right = data.padding ? expanded(data.padding[1]) : null;
    const last = this.left ? this.left.length - 1 : 0;
    this.edges = this.left ? [this.left[0], this.right[last]] : [0n, 0n];
  }
  begin(c) {
    return this.bounds ? this.bounds[Number(c)] : least(c * this.length, this.size);
  }
  // The widths of a buffer's elements that the neighbours own.
  widths(c) {
    if (!this.left) return [0n, 0n];
    return [c > 0n ? this.left[Number(c)] : 0n, c < this.grid - 1n ? this.right[Number(c)] : 0n];
  }
  coordinateOf(global) {
    if (!this.bounds) return global / this.length;
    return BigInt(firstNotBelow(this.bounds, global + 1n) - 1);
  }
  // The global indices of a buffer.
  range(c) {
    const [left, right] = this.widths(c);
    return [this.begin(c) - left, this.begin(c + 1n) + right];
  }
  globalAt(position) { return position; }
  positionOf(global) { return global >= 0n && global < this.size ? global : null; }
  owners(global) {
    if (this.positionOf(global) === null) return [];
    const coordinate = this.coordinateOf(global);
    return [{ coordinate, local: global - this.range(coordinate)[0] }];
  }
  padding(global) {
    if (this.positionOf(global) === null || !this.left) return [];
    const owner = this.coordinateOf(global), found = [];
    for (const coordinate of [owner - 1n, owner + 1n]) {
      if (coordinate < 0n || coordinate >= this.grid) continue;
      const [first, end] = this.range(coordinate);
      if (global >= first && global < end) found.push({ coordinate, local: global - first });
    }
    return found;
  }
  mirrored(global) {
    const [left, right] = this.edges, period = this.size - left - right;
    if (!this.periodic || !this.isEdge(global)) return null;
    return global < left ? global + period : global - period;
  }
  isEdge(global) { return global < this.edges[0] || global >= this.size - this.edges[1]; }
  count(c) { return this.begin(c + 1n) - this.begin(c); }
  held(c) {
    const [first, end] = this.range(c);
    return end - first;
  }
  spans(c) { return { ranges: this.count(c) > 0n ? [[this.begin(c), this.begin(c + 1n) - 1n]] : [], more: false }; }
  globalOf(c, local) { return this.range(c)[0] + local; }
  isPadding(c, local) {
    const global = this.globalOf(c, local);
    return global < this.begin(c) || global >= this.begin(c + 1n);
  }
  summary(from, to) {
    const last = this.coordinateOf(to - 1n), coordinates = [];
    let c = this.coordinateOf(from);
    for (; c <= last && coordinates.length < listedOwners; c += 1n)
      if (this.count(c) > 0n) coordinates.push(c);
    return { coordinates, more: c <= last, edge: from < this.edges[0] || to > this.size - this.edges[1] };
  }
  owns(c, from, to) { return most(this.begin(c), from) < least(this.begin(c + 1n), to); }
  pads(c, from, to) {
    const [first, end] = this.range(c);
    return most(first, from) < least(this.begin(c), to) || most(this.begin(c + 1n), from) < least(end, to);
  }
}

class CyclicAxis {
  constructor(data) {
    this.extent = this.size = BigInt(data.size);
    this.grid = BigInt(data.grid);
    this.block = BigInt(data.block);
    this.first = BigInt(data.first);
  }
  // The place of a coordinate in the round, beginning with the one that has the first block.
  turn(c) { return c >= this.first ? c - this.first : c - this.first + this.grid; }
  coordinateOfBlock(block) { return (block + this.first) % this.grid; }
  globalAt(position) { return position; }
  positionOf(global) { return global >= 0n && global < this.size ? global : null; }
  owners(global) {
    if (this.positionOf(global) === null) return [];
    const block = global / this.block, round = block / this.grid;
    return [{ coordinate: this.coordinateOfBlock(block), local: round * this.block + (global % this.block) }];
  }
  padding() { return []; }
  mirrored() { return null; }
  count(c) {
    const round = this.block * this.grid, rest = this.size % round - this.turn(c) * this.block;
    return (this.size / round) * this.block + most(0n, least(rest, this.block));
  }
  held(c) { return this.count(c); }
  spans(c) {
    const ranges = [];
    for (let at = this.turn(c) * this.block; at < this.size; at += this.grid * this.block) {
      if (ranges.length === listedOwners) return { ranges, more: true };
      ranges.push([at, least(at + this.block, this.size) - 1n]);
    }
    return { ranges, more: false };
  }
  globalOf(c, local) {
    const round = local / this.block;
    return (round * this.grid + this.turn(c)) * this.block + (local % this.block);
  }
  isPadding() { return false; }
  summary(from, to) {
    const begin = from / this.block, end = least((to - 1n) / this.block + 1n, begin + this.grid), coordinates = [];
    let block = begin;
    for (; block < end && coordinates.length < listedOwners; block += 1n)
      coordinates.push(this.coordinateOfBlock(block));
    return { coordinates: ascending(coordinates), more: block < end, edge: false };
  }
  owns(c, from, to) {
    const begin = from / this.block, ahead = this.turn(c) - (begin % this.grid);
    const next = begin + (ahead < 0n ? ahead + this.grid : ahead);  // the first block of c at or after `from`
    return next * this.block < to;
  }
  pads() { return false; }
}

class UnstructuredAxis {
  constructor(data) {
    this.grid = BigInt(data.grid);
    this.size = BigInt(data.size);
    this.lists = data.lists.map(expanded);
    let total = 0;
    for (const list of this.lists) total += list.length;
    // All entries, ascending by global index, then by coordinate.
    const globals = new BigInt64Array(total), coordinates = new Float64Array(total), locals = new Float64Array(total);
    let at = 0;
    this.lists.forEach((list, c) => list.forEach((global, local) => {
      globals[at] = global;
      coordinates[at] = c;
      locals[at++] = local;
    }));
    const order = new Uint32Array(total).map((_, i) => i).sort(
      (a, b) => (globals[a] < globals[b] ? -1 : globals[a] > globals[b] ? 1 : a - b));
    this.coordinates = Float64Array.from(order, (i) => coordinates[i]);
    this.locals = Float64Array.from(order, (i) => locals[i]);
    // The different global indices, and by position the first entry of each.
    const first = [], distinct = [];
    order.forEach((i, entry) => {
      if (entry > 0 && globals[i] === globals[order[entry - 1]]) return;
      distinct.push(globals[i]);
      first.push(entry);
    });
    first.push(total);
    this.first = first;
    this.distinct = BigInt64Array.from(distinct);
    this.extent = BigInt(distinct.length);
  }
  globalAt(position) { return this.distinct[Number(position)]; }
  positionOf(global) {
    const at = firstNotBelow(this.distinct, global);
    return at < this.distinct.length && this.distinct[at] === global ? BigInt(at) : null;
  }
  owners(global) {
    const position = this.positionOf(global), found = [];
    if (position === null) return found;
    for (let entry = this.first[Number(position)]; entry < this.first[Number(position) + 1]; ++entry)
      found.push({ coordinate: BigInt(this.coordinates[entry]), local: BigInt(this.locals[entry]) });
    return found;
  }
  padding() { return []; }
  mirrored() { return null; }
  count(c) { return BigInt(this.lists[Number(c)].length); }
  held(c) { return this.count(c); }
  spans(c) {
    const ranges = [];
    for (const global of this.lists[Number(c)]) {
      const last = ranges[ranges.length - 1];
      if (last && last[1] + 1n === global) last[1] = global;
      else if (ranges.length === listedOwners) return { ranges, more: true };
      else ranges.push([global, global]);
    }
    return { ranges, more: false };
  }
  globalOf(c, local) { return this.lists[Number(c)][Number(local)]; }
  isPadding() { return false; }
  summary(from, to) {
    const found = [], end = this.first[Number(to)];
    for (let entry = this.first[Number(from)]; entry < end; ++entry) {
      if (found.includes(this.coordinates[entry])) continue;
      if (found.length === listedOwners) return { coordinates: ascending(found.map(BigInt)), more: true, edge: false };
      found.push(this.coordinates[entry]);
    }
    return { coordinates: ascending(found.map(BigInt)), more: false, edge: false };
  }
  owns(c, from, to) {
    const end = this.first[Number(to)], wanted = Number(c);
    for (let entry = this.first[Number(from)]; entry < end; ++entry)
      if (this.coordinates[entry] === wanted) return true;
    return false;
  }
  pads() { return false; }
}

const axisKinds = { b: BlockAxis, c: CyclicAxis, u: UnstructuredAxis };

// The buffer of coordinate `c` along an axis. Its positions are local indices.
class LocalAxis {
  constructor(axis, c) {
    this.axis = axis;
    this.c = c;
    this.extent = axis.held(c);
  }
  globalAt(position) { return this.axis.globalOf(this.c, position); }
  summary(from, to) {
    const { axis, c } = this;
    if (!(axis instanceof BlockAxis)) {
      const shared = to - from === 1n ? axis.owners(this.globalAt(from)).map((place) => place.coordinate) : [c];
      return { coordinates: [c, ...shared.filter((other) => other !== c)].slice(0, listedOwners),
               more: shared.length > listedOwners, edge: false, padded: false };
    }
    const first = this.globalAt(from), end = first + (to - from);
    return { ...axis.summary(first, end), padded: axis.pads(c, first, end) };
  }
}
