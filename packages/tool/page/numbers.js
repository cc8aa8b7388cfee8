// Numbers and words.
//
// Every index, extent, count and coordinate is a BigInt, since a capture's numbers have 64 bits and products have more.
// Pixels and numbers of drawn cells are Numbers.

const least = (a, b) => (b < a ? b : a);
const most = (a, b) => (b > a ? b : a);
const ascending = (numbers) => numbers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const product = (factors) => factors.reduce((all, factor) => all * factor, 1n);
const roundedUp = (a, b) => (a + b - 1n) / b;  // a / b, for a >= 0

// The numbers of a list as it is in the page's data: an item is a number, or [first, step, length].
function expanded(items) {
  let length = 0;
  for (const item of items) length += Array.isArray(item) ? Number(item[2]) : 1;
  const all = new BigInt64Array(length);
  let at = 0;
  for (const item of items) {
    if (!Array.isArray(item)) {
      all[at++] = BigInt(item);
      continue;
    }
    const step = BigInt(item[1]);
    let value = BigInt(item[0]);
    for (let left = Number(item[2]); left > 0; --left, value += step) all[at++] = value;
  }
  return all;
}

// The first position of an ascending list whose value is at least `value`.
function firstNotBelow(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The smallest of 1, 2, 5, 10, 20, 50 ... that is at least `value`.
function roundStep(value) {
  for (let ten = 1n; ; ten *= 10n)
    for (const digit of [1n, 2n, 5n])
      if (digit * ten >= value) return digit * ten;
}

// 1234567n as "1,234,567".
const grouped = (number) => number.toString().replace(/\B(?=(\d{3})+$)/g, ",");

// A number for a narrow place: "12,000" as "12k", and "4,611,686,018,427,387,904" as "4.61e18".
function brief(number) {
  const text = number.toString();
  if (text.replace("-", "").length <= 4) return text;
  for (const [digits, letter] of [[9, "G"], [6, "M"], [3, "k"]])
    if (text.endsWith("0".repeat(digits)) && text.length <= digits + 4) return text.slice(0, -digits) + letter;
  return text.replace("-", "").length <= 7 ? grouped(number) : Number(number).toExponential(2).replace("e+", "e");
}

const counted = (count, one, many = one + "s") => `${grouped(count)} ${count == 1 ? one : many}`;

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let value = Number(bytes), unit = 0;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${units[unit]}`;
}

// Indices as Python writes them: "(3, 5)", "(3,)", "()".
const tuple = (numbers) => `(${numbers.join(", ")}${numbers.length === 1 ? "," : ""})`;

// The indices first ... last: "3", "3 to 1,005".
const spanText = ([first, last]) => (first === last ? String(first) : `${grouped(first)} to ${grouped(last)}`);

// "0, 1 and 2"; with `more`: "0, 1, 2 and others".
function listed(words, more = false) {
  const all = words.map(String);
  if (more) all.push("others");
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}`;
}

// An extent as "5 × 4"; of an array without axes "1".
const shapeText = (extents) => extents.map(grouped).join(" \u00d7 ") || "1";
