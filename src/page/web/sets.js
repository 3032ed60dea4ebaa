// SPDX-License-Identifier: Apache-2.0
//
// Sets of small integers as text (RFC 22: "0-3,7"), and of names ("node[0-3,7]"). Pure functions.

// Calls visit(first, last) for the ranges of an idset; other parts are skipped.
export function for_each_range(text, visit) {
  if (!text) return;
  for (const piece of text.split(',')) {
    const dash = piece.indexOf('-');
    const first = Number(dash < 0 ? piece : piece.slice(0, dash));
    const last = dash < 0 ? first : Number(piece.slice(dash + 1));
    if (Number.isInteger(first) && Number.isInteger(last) && first <= last) visit(first, last);
  }
}

// The text of ascending numbers.
export function range_text(numbers) {
  const out = [];
  let first = null;
  let last = null;
  const flush = () => {
    if (first !== null) out.push(first === last ? `${first}` : `${first}-${last}`);
  };
  for (const number of numbers) {
    if (first !== null && number === last + 1) {
      last = number;
    } else {
      flush();
      first = last = number;
    }
  }
  flush();
  return out.join(',');
}

// Joins names that differ in the number at their end: ["node1", "node2"] → "node[1-2]". Numbers of
// different widths ("node01", "node1") are not joined, nor are numbers that a double cannot hold.
export function hostlist(names) {
  const out = [];
  let stem = null;
  let width = 0;
  let numbers = [];
  const flush = () => {
    if (stem === null) return;
    const pad = (text) => text.replace(/\d+/g, (digits) => digits.padStart(width, '0'));
    out.push(numbers.length === 1 ? stem + pad(String(numbers[0])) : `${stem}[${pad(range_text(numbers))}]`);
  };
  for (const name of names) {
    const found = /^(.*?)(\d{1,15})$/s.exec(name);
    if (!found) {
      flush();
      stem = null;
      out.push(name);
      continue;
    }
    const padded = found[2].length > 1 && found[2][0] === '0' ? found[2].length : 0;
    const fits = stem === found[1] && (padded === width || (padded === 0 && found[2].length === width));
    if (!fits) {
      flush();
      [stem, width, numbers] = [found[1], padded, []];
    }
    numbers.push(Number(found[2]));
  }
  flush();
  return out.join(',');
}
