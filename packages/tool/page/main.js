// Puts the page together.

// Whether two arrays have the same axes, so that one slice is of both. Unstructured axes have no size of their own.
function haveSameShape([a, b]) {
  const isUnstructured = (axis) => axis instanceof UnstructuredAxis;
  return !b || (a.axes.length === b.axes.length && a.axes.every((axis, i) => (
    isUnstructured(axis) || isUnstructured(b.axes[i]) || axis.size === b.axes[i].size)));
}

function build(data) {
  const layouts = data.arrays.map((array) => new Layout(array)), [first, second] = layouts;
  const [here, there] = layouts.map((layout) => layout.title || "Distributed array");
  const state = new State({ process: 0n, pointed: null, global: null, flow: null, onlyMoves: false });
  const moves = data.moves ? new Moves(data.moves, first, second) : null, same = haveSameShape(layouts);
  const inspector = new Inspector(same ? layouts : [first]);
  const look = (what) => {
    if (!same) inspector.layouts = [what.layout];
    state.set({ global: inspector.show(what) });
  };
  const ofFirst = sliceOf(first), slices = layouts.map((layout) => (same ? ofFirst : sliceOf(layout)));
  const names = second ? [`Before: ${here}`, `After: ${there}`] : ["Global array"];
  const bufferNames = second ? ["Buffer before", "Buffer after"] : ["Buffer of process"];
  const views = layouts.map((layout, i) => new ArrayPanel(
    { layout, slice: slices[i], state, name: names[i], sides: same && second ? layouts : null, look }));
  const buffers = layouts.map((layout, i) => new ProcessPanel(
    { layout, slice: slices[i], state, look, name: bufferNames[i] }));
  const controls = (same ? [first] : layouts).map((layout, i) => sliceControls(layout, slices[i], ["", "after-"][i]));
  const title = second ? `${here} \u2192 ${there}` : here;
  document.title = title;
  replace(document.getElementById("page"), header(title, layouts),
          controls.some((one) => one !== null) ? make("div", { class: "card controls" }, controls) : null,
          make("div", { class: second ? "columns two" : "columns one" },
               make("div", { class: "arrays" }, views.map((view) => view.element)),
               moves ? movesPanel(moves, state, (words) => inspector.announce(words)) : null,
               make("div", { class: "side" }, inspector.element, buffers.map((panel) => panel.element)),
               processTable(layouts, moves, state, (process, byKeyboard) => {
                 state.set({ pointed: process });
                 inspector.showProcess(layouts, process, byKeyboard);
               })),
          make("footer", {}, "Made by TriDAP. Indices are global unless they are called local."));
  views[0].pointFirst();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.tell(["theme"]));
}

function header(title, layouts) {
  const lead = "Which process owns which element? Point at an element, or walk over the array with the arrow keys. " +
    "Click an element to see its owner's buffer.";
  return make("header", {}, make("h1", {}, title), make("p", { class: "lead" }, lead), legend(layouts));
}

build(JSON.parse(document.getElementById("data").textContent));
