// A distribution over a process grid. Processes are the row-major numbers of their grid coordinates.

class Layout {
  constructor(data) {
    this.title = data.title;
    this.words = data.words;
    this.element = data.element;  // the name of the element type; null: not known
    this.bytes = BigInt(data.bytes);
    this.axes = data.axes.map((axis) => new axisKinds[axis.kind](axis));
    this.shape = this.axes.map((axis) => axis.size);
    this.grid = this.axes.map((axis) => axis.grid);
    this.processes = product(this.grid);
    this.isPadded = this.axes.some((axis) => axis instanceof BlockAxis && axis.left !== null);
  }
  coordinates(process) {
    const found = [];
    for (let axis = this.axes.length - 1; axis >= 0; --axis) {
      found.unshift(process % this.grid[axis]);
      process /= this.grid[axis];
    }
    return found;
  }
  process(coordinates) {
    return coordinates.reduce((number, c, axis) => number * this.grid[axis] + c, 0n);
  }
  // All combinations of one place for each axis, as {process, local}, ascending by process. At most 16.
  places(byAxis) {
    const joined = (before, place) => (
      { coordinates: [...before.coordinates, place.coordinate], local: [...before.local, place.local] });
    let all = [{ coordinates: [], local: [] }];
    for (const places of byAxis)
      all = all.flatMap((before) => places.map((place) => joined(before, place))).slice(0, 16);
    return all.map(({ coordinates, local }) => ({ process: this.process(coordinates), local }))
      .sort((a, b) => (a.process < b.process ? -1 : a.process > b.process ? 1 : 0));
  }
  owners(global) {
    return this.places(this.axes.map((axis, i) => axis.owners(global[i])));
  }
  // The processes in whose buffers the element is communication padding.
  padding(global) {
    const owned = new Set(this.owners(global).map((place) => place.process));
    return this.places(this.axes.map((axis, i) => [...axis.owners(global[i]), ...axis.padding(global[i])]))
      .filter((place) => !owned.has(place.process));
  }
  isEdge(global) {
    return this.axes.some((axis, i) => axis instanceof BlockAxis && axis.isEdge(global[i]));
  }
  // The element that a mirror repeats; null: the element is no mirror.
  mirrored(global) {
    const found = this.axes.map((axis, i) => axis.mirrored(global[i]) ?? global[i]);
    return found.some((index, i) => index !== global[i]) ? found : null;
  }
  owned(process) {
    return this.coordinates(process).map((c, axis) => this.axes[axis].count(c));
  }
  held(process) {
    return this.coordinates(process).map((c, axis) => this.axes[axis].held(c));
  }
}

// What a person reads about a process: which global indices it owns along each axis.
function processWords(layout, process) {
  const at = layout.coordinates(process), owned = product(layout.owned(process)), held = product(layout.held(process));
  const axes = layout.axes.map((axis, a) => {
    const { ranges, more } = axis.spans(at[a]);
    return `axis ${a}: ${ranges.length === 0 ? "none" : listed(ranges.map(spanText), more)}`;
  });
  const words = [`process ${process} at ${tuple(at)} owns ${counted(owned, "element")}`, ...axes];
  if (held > owned) words.push(`${grouped(held - owned)} of communication padding`);
  return words.join("; ");
}

// What a person reads about an element.
function elementFacts(layout, global) {
  const owners = layout.owners(global), padding = layout.padding(global), mirrored = layout.mirrored(global);
  const places = (found) => listed(found.map((place) => `process ${place.process}, local ${tuple(place.local)}`));
  const facts = { owners, padding, mirrored, isEdge: layout.isEdge(global) };
  const words = [owners.length === 0 ? "no process owns it" : `owner ${places(owners)}`];
  if (mirrored) words.push(`boundary padding, a mirror of element ${tuple(mirrored)}`);
  else if (facts.isEdge) words.push("boundary padding");
  if (padding.length > 0) words.push(`padding of ${places(padding)}`);
  return { ...facts, words: words.join("; ") };
}
