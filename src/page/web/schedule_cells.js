// SPDX-License-Identifier: Apache-2.0
//
// The part of a live schedule without rows in the page, which keeps the last jobs only. The service
// sends it in the resolution of this screen, for the visible span and nodes.
//
// Memory: the cells of one screen, at most 400,000 in runs of equal ones.
import { fill, mixed, pixel } from './cells.js';
import { number_pixel, palette } from './colours.js';

const CELLS_REST = 200, CELLS_AGAIN = 15000;  // milliseconds: after the last move; of the same window
const CELLS_MOST = 400000, CELL_ROWS_MOST = 1000, CELL_COLUMNS_MOST = 2000;
const CELL_PLANNED = 2, CELL_RESERVED = 4;    // kinds: docs/serve-page.md

// Rectangles of an answer: {job (an id), kind, share (of 1), from, to, first, last} in seconds and nodes.
export function cell_rectangles(answer) {
  if (answer.bars) {
    return answer.bars.map(([job, kind, from, to, first, count, share]) =>
      ({ job: answer.jobs[job], kind, share: share / 256, from, to, first, last: first + count }));
  }
  const bytes = Uint8Array.from(atob(answer.cells), (letter) => letter.charCodeAt(0));
  const across = (answer.to - answer.from) / answer.columns;
  const down = answer.count / answer.rows;
  const out = [];
  let [row, column] = [0, 0];
  for (let i = 0; i + 6 <= bytes.length; i += 6) {
    const job = bytes[i] + 256 * bytes[i + 1];
    const length = bytes[i + 4] + 256 * bytes[i + 5];
    if (job > 0) {
      out.push({ job: answer.jobs[job - 1], kind: bytes[i + 2], share: bytes[i + 3] / 8, from: answer.from + column * across,
        to: answer.from + (column + length) * across, first: answer.first + row * down, last: answer.first + (row + 1) * down });
    }
    column += length;
    if (column >= answer.columns) [row, column] = [row + 1, 0];
  }
  return out;
}

// The request: integers, within the limits of the service.
export function cell_window(span, rows, width, height) {
  const first = Math.floor(rows.from);
  const count = Math.max(1, Math.ceil(rows.to) - first);
  const columns = Math.max(1, Math.min(CELL_COLUMNS_MOST, Math.floor(width / 2)));
  const high = Math.max(1, Math.min(count, CELL_ROWS_MOST, Math.floor(height / 2), Math.floor(CELLS_MOST / columns)));
  const from = Math.max(0, Math.floor(span.from));
  return { from, to: Math.max(from + 1, Math.ceil(span.to)), first, count, rows: high, columns };
}

// A number for the colour of a job that has no index in the page.
function cell_number(id) {
  let out = 0;
  for (let i = 0; i < id.length; ++i) out = (Math.imul(out, 31) + id.charCodeAt(i)) >>> 0;
  return out;
}

export class ScheduleCells {
  // `changed` is called when a new answer is to be painted.
  constructor(source, changed) {
    this.source = source;
    this.changed = changed;
    this.rectangles = [];
    this.asked = '';
    this.asked_at = 0;
    this.listed = true;  // whether the service named each job, or only the one that covers a cell
  }

  wanted() { return this.source.cut === true; }

  // Sets the visible window.
  look(span, rows, width, height) {
    if (!this.wanted()) {
      this.rectangles = [];
      return;
    }
    const key = JSON.stringify(cell_window(span, rows, width, height));
    if (key === this.asked && Date.now() - this.asked_at < CELLS_AGAIN) return;
    this.asked = key;
    this.asked_at = Date.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(key), CELLS_REST);
  }

  async read(key) {
    let answer;
    try {
      answer = await this.source.schedule(JSON.parse(key));
    } catch {
      return;  // the next call requests it again
    }
    if (key !== this.asked) return;  // the window was moved meanwhile
    this.listed = answer.bars !== undefined;
    this.rectangles = cell_rectangles(answer);
    this.changed();
  }

  // Paints into the pixels of SchedulePaint, below the jobs that have rows.
  paint(pixels, { span, rows, width, height, dark, mode, ratio }) {
    const colours = palette(dark);
    const back = pixel(colours.back);
    const across = width / (span.to - span.from);
    const down = height / (rows.to - rows.from);
    for (const each of this.rectangles) {
      if (each.kind === CELL_RESERVED || each.from >= span.to || each.to <= span.from) continue;
      const own = mode === 'job' ? number_pixel(cell_number(each.job), dark) : pixel(colours.part);
      const colour = mixed(own, back, Math.round(80 + 176 * Math.min(1, each.share)));
      const other = each.kind >= CELL_PLANNED ? mixed(colour, back, 110) : colour;
      const x0 = Math.round((each.from - span.from) * across);
      const y0 = Math.round((each.first - rows.from) * down);
      fill(pixels, width, height, x0, y0, Math.max(x0 + 1, Math.round((each.to - span.from) * across)),
        Math.max(y0 + 1, Math.round((each.last - rows.from) * down)), colour, other, Math.max(2, Math.round(3 * ratio)));
    }
  }

  // The rectangle at a position; undefined: none.
  at(time, row) {
    return this.rectangles.find((each) => each.kind !== CELL_RESERVED && each.from <= time && time < each.to && each.first <= row && row < each.last);
  }

  // Rows of a table: {id, start, end, nodes, planned}, of jobs for which `known(id)` is false. Only
  // if the service named each job.
  rows(known) {
    const out = new Map();
    if (!this.listed) return [];
    for (const each of this.rectangles) {
      if (each.kind === CELL_RESERVED || known(each.job)) continue;
      const key = `${each.job} ${each.from}`;
      const row = out.get(key) ?? { id: each.job, start: each.from, end: each.to, nodes: 0, planned: each.kind >= CELL_PLANNED };
      row.nodes += each.last - each.first;
      out.set(key, row);
    }
    return [...out.values()];
  }
}
