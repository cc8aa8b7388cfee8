// What moves between two arrays: bytes from each process to each other one, as Plan::explain() counts them.

class Moves {
  // `data.axes[axis][s]` lists, for coordinate s of the source, runs of target coordinates: first, length, elements
  // that each of them gets. What moves between two processes is the product over the axes.
  constructor(data, source, target) {
    Object.assign(this, { source, target, why: data.why ?? null });
    this.unit = source.bytes;
    this.isBytes = source.element !== null;
    this.pairs = [];
    if (this.why !== null) return;
    const axes = data.axes.map((rows) => rows.map((runs) => {
      const peers = [];
      for (let at = 0; at < runs.length; at += 3)
        for (let n = 0; n < runs[at + 1]; ++n) peers.push([BigInt(runs[at] + n), BigInt(runs[at + 2])]);
      return peers;
    }));
    const visit = (axis, from, to, elements) => {
      if (axis === axes.length) {
        this.pairs.push({ from: Number(from), to: Number(to), amount: elements * this.unit });
        return;
      }
      axes[axis].forEach((peers, s) => {
        for (const [t, count] of peers)
          visit(axis + 1, from * source.grid[axis] + BigInt(s), to * target.grid[axis] + t, elements * count);
      });
    };
    visit(0, 0n, 0n, 1n);
    this.sum();
  }
  sum() {
    const none = () => ({ kept: 0n, sent: 0n, received: 0n, messages: 0 });
    this.of = new Map();
    this.all = none();
    this.largest = 0;
    const sums = (process) => {
      if (!this.of.has(process)) this.of.set(process, none());
      return this.of.get(process);
    };
    for (const { from, to, amount } of this.pairs) {
      if (from === to) {
        sums(from).kept += amount;
        this.all.kept += amount;
        continue;
      }
      sums(from).sent += amount;
      sums(from).messages += 1;
      sums(to).received += amount;
      this.all.sent += amount;
      this.all.messages += 1;
    }
  }
  // The sums of one process.
  sums(process) { return this.of.get(Number(process)) ?? { kept: 0n, sent: 0n, received: 0n, messages: 0 }; }
  text(amount) { return this.isBytes ? bytesText(amount) : counted(amount, "element"); }
  words() {
    const { kept, sent, messages } = this.all;
    return `${this.text(sent)} of ${this.text(sent + kept)} ${sent === 1n && !this.isBytes ? "is" : "are"} sent, in ` +
      `${counted(messages, "message")}. ${this.text(kept)} ${kept === 1n && !this.isBytes ? "stays" : "stay"} where ` +
      `${kept === 1n && !this.isBytes ? "it is" : "they are"}.`;
  }
}

// The matrix of senders, which are its rows, and receivers. What a process keeps is not sent: it is marked by dots.
class MovesModel {
  constructor(moves, state) {
    Object.assign(this, { moves, state, unit: "processes", bold: true, largestCell: 68 });
    this.rows = moves.source.processes;
    this.columns = moves.target.processes;
  }
  rowTick(position) { return brief(position); }
  columnTick(position) { return brief(position); }
  // Calls visit(i, j, pair) for each pair of processes in these cells.
  visit(rows, columns, visit) {
    const place = (ranges) => {
      const from = Number(ranges[0][0]), step = Number(ranges[0][1]) - from, end = Number(ranges[ranges.length - 1][1]);
      return (process) => (process < from || process >= end ? -1 : Math.floor((process - from) / step));
    };
    const row = place(rows), column = place(columns);
    for (const pair of this.moves.pairs) {
      const i = row(pair.from), j = column(pair.to);
      if (i >= 0 && j >= 0) visit(i, j, pair);
    }
  }
  prepare(rows, columns) {
    const sent = new Float64Array(rows.length * columns.length), kept = new Float64Array(sent.length);
    this.visit(rows, columns, (i, j, { from, to, amount }) => {
      (from === to ? kept : sent)[i * columns.length + j] += Number(amount);
    });
    const largest = sent.reduce((most, amount) => Math.max(most, amount), 1), stays = themeColour("line");
    const { flow, shownProcess: process } = this.state;
    const holds = ([from, to], wanted) => wanted >= from && wanted < to;
    return (i, j) => {
      const at = i * columns.length + j, amount = sent[at] + kept[at], onlyStays = kept[at] > 0 && sent[at] === 0;
      const heat = () => (onlyStays ? numbersOf(stays) : heatColour(0.1 + 0.75 * Math.sqrt(sent[at] / largest)));
      return { fill: amount > 0 ? [heat()] : [], text: amount > 0 ? this.cellText(amount) : "", faint: false,
               hatch: onlyStays ? "boundary" : null,
               inside: flow ? holds(rows[i], flow[0]) && holds(columns[j], flow[1]) : holds(rows[i], process) };
    };
  }
  cellText(amount) { return this.moves.isBytes ? bytesText(amount).replace(" ", "\u2009") : brief(BigInt(amount)); }

  // What a range of cells says, as a sentence.
  describe({ row, column }) {
    let kept = 0n, sent = 0n;
    this.visit([row], [column], (_, __, { from, to, amount }) => {
      if (from === to) kept += amount;
      else sent += amount;
    });
    const of = ([from, to]) => (to - from === 1n ? `process ${from}` : `processes ${from} to ${to - 1n}`);
    const verb = (words, range) => (range[1] - range[0] === 1n ? words + "s" : words);
    if (row[1] - row[0] === 1n && column[1] - column[0] === 1n && row[0] === column[0])
      return `${of(row)} keeps ${this.moves.text(kept)}`;
    const text = `${of(row)} ${verb("send", row)} ${sent === 0n ? "nothing" : this.moves.text(sent)} to ${of(column)}`;
    return kept > 0n ? `${text}; ${this.moves.text(kept)} stay where they are` : text;
  }
}
