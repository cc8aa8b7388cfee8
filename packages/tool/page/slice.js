// The controls of a slice: which axes are drawn, and a slider for each of the others. `slice` is a State with `shown`,
// the axes that are drawn, and `globals`, by axis the index at which it is fixed if it is not drawn.

function sliceOf(layout) {
  const count = layout.axes.length;
  const shown = count === 0 ? [null, null] : count === 1 ? [null, 0] : [count - 2, count - 1];
  return new State({ shown, globals: layout.axes.map((axis) => (axis.extent > 0n ? axis.globalAt(0n) : null)) });
}

// `name` tells the controls of two arrays apart. Returns null if all axes are drawn.
function sliceControls(layout, slice, name) {
  if (layout.axes.length < 3) return null;
  const pick = (which) => (event) => {
    const shown = [...slice.shown], chosen = Number(event.target.value);
    if (shown[1 - which] === chosen) shown[1 - which] = shown[which];
    shown[which] = chosen;
    slice.set({ shown });
  };
  const choices = () => layout.axes.map((axis, a) => make("option", { value: a }, `axis ${a} (${grouped(axis.size)})`));
  const selects = [0, 1].map((which) => make("select", { onchange: pick(which) }, choices()));
  const sliders = layout.axes.map((axis, a) => slider(axis, a, slice, `${name}axis-${a}`));
  const update = () => {
    selects.forEach((select, which) => { select.value = slice.shown[which]; });
    sliders.forEach((one, a) => {
      one.element.hidden = slice.shown.includes(a);
      one.update();
    });
  };
  slice.listen(update);
  update();
  return make("div", { class: "slice" }, make("label", {}, "Down ", selects[0]),
              make("label", {}, "Across ", selects[1]), sliders.map((one) => one.element));
}

// A slider and a field for the index of one axis. The slider of a very long axis moves in steps.
function slider(axis, number, slice, id) {
  const last = most(axis.extent - 1n, 0n), longest = 1000000000n;
  const positionAt = (value) => (last <= longest ? BigInt(value) : (BigInt(value) * last) / longest);
  const set = (position) => {
    const globals = [...slice.globals];
    globals[number] = axis.globalAt(position);
    slice.set({ globals });
  };
  const read = (text) => {
    const position = /^-?\d{1,20}$/.test(text) ? axis.positionOf(BigInt(text)) : null;
    if (position !== null) set(position);
    update();
  };
  const range = make("input", { type: "range", id, min: 0, max: String(least(last, longest)), step: 1,
                                disabled: axis.extent === 0n,
                                oninput: (event) => set(positionAt(event.target.value)) });
  const field = make("input", { type: "text", inputmode: "numeric", size: 8, "aria-label": `index of axis ${number}`,
                                onchange: (event) => read(event.target.value.trim()) });
  function update() {
    const global = slice.globals[number], position = global === null ? null : axis.positionOf(global);
    if (position === null) return;
    range.value = String(last <= longest ? position : (position * longest) / last);
    range.setAttribute("aria-valuetext", `index ${global}`);
    field.value = global;
  }
  const label = make("label", { for: id }, `Index of axis ${number}`);
  return { update, element: make("div", { class: "slider" }, label, range, field) };
}
