// Elements of the page. Text from a capture becomes a text node, never HTML.

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null) element.append(child);
  return element;
}

function replace(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null));
}

// A process with its colour.
function chip(process) {
  const colour = processColour(process);
  const element = make("span", { class: "chip" }, String(process));
  element.style.background = css(colour);
  element.style.color = inkOn(colour);
  return element;
}

// Values and listeners. A listener gets the names of what changed.
class State {
  constructor(values) {
    Object.assign(this, values);
    this.listeners = [];
  }
  // The process that is shown: the one that is pointed at in the table, or the chosen one.
  get shownProcess() { return this.pointed ?? this.process; }
  listen(listener) { this.listeners.push(listener); }
  set(changes) {
    const changed = Object.keys(changes).filter((name) => this[name] !== changes[name]);
    if (changed.length === 0) return;
    Object.assign(this, changes);
    this.tell(changed);
  }
  tell(changed) {
    for (const listener of this.listeners) listener(changed);
  }
}
