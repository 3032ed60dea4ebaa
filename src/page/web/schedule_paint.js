// SPDX-License-Identifier: Apache-2.0
//
// A schedule as pixels: nodes downwards, time to the right. Everything that overlaps a pixel is
// shown, at least one pixel large. So the cost is that of the pixels, and of one visit of each
// range of nodes.
import { fill, mixed, pixel } from './cells.js';
import { name_number, number_colour, number_pixel, palette } from './colours.js';

export class SchedulePaint {
  constructor() { this.image = null; }

  // `what`: {jobs, dark, at, mode, chosen (a job, or -1), span, rows: {from, to}, width, height (of
  // the screen, in device pixels), ratio, beneath (ScheduleCells, or null)}. Returns {image, labels: [{run, x, y, w, h}]}.
  paint(context, what) {
    const { jobs, dark, at, span, rows, width, height, chosen } = what;
    if (this.image === null || this.image.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const colours = palette(dark);
    const back = pixel(colours.back);
    this.pixels.fill(back);
    this.draw_lines(what, pixel(colours.faint));
    what.beneath?.paint(this.pixels, what);
    const labels = [];
    const across = width / (span.to - span.from);
    const down = height / (rows.to - rows.from);
    const edge = down >= 5 * what.ratio;
    const stripe = Math.max(2, Math.round(3 * what.ratio));
    const bad = pixel(colours.bad);
    for (let r = 0; r < jobs.runs; ++r) {
      const end = jobs.end[r];
      if (jobs.start[r] >= span.to || end <= span.from) continue;
      const job = jobs.run_job[r];
      const x0 = Math.round((jobs.start[r] - span.from) * across);
      const x1 = Math.max(x0 + 1, Math.round((Math.min(end, span.to + 1e6) - span.from) * across));
      let colour = number_pixel(this.number(jobs, job, what.mode), dark);
      if (chosen >= 0 && chosen !== job) colour = mixed(colour, back, 70);
      const planned = jobs.start[r] > at;
      const other = planned ? mixed(colour, back, 110) : colour;
      for (let p = jobs.place_begin[r]; p < jobs.place_begin[r + 1]; ++p) {
        const first = jobs.place_first[p];
        const last = first + jobs.place_count[p];
        if (first >= rows.to || last <= rows.from) continue;
        const whole = jobs.place_share[p] === 256 || down < 3;
        // Each shared node is a line of its own, because its tracks may belong to other jobs than
        // those of its neighbour.
        for (let n = whole ? first : Math.max(first, Math.floor(rows.from)); n < (whole ? first + 1 : Math.min(last, rows.to)); ++n) {
          const tracks = whole ? 1 : Math.max(1, jobs.tracks.get(n) || 1);
          const top = (whole ? first - rows.from : n - rows.from + jobs.track[p] / tracks) * down;
          const bottom = whole ? (last - rows.from) * down : top + down / tracks;
          const y0 = Math.round(top);
          const y1 = Math.max(y0 + 1, Math.round(bottom) - (edge && (bottom - top) > 4 ? 1 : 0));
          const wide = edge && x1 - x0 > 3 ? 1 : 0;
          fill(this.pixels, width, height, x0, y0, x1 - wide, y1, colour, other, stripe);
          if (x1 - x0 > 5 && y1 - y0 > 3 && (jobs.ending[r] === 'failed' || jobs.ending[r] === 'limit' || jobs.ending[r] === 'cancelled' || jobs.ending[r] === 'requeued')) {
            fill(this.pixels, width, height, x1 - 2 * Math.ceil(what.ratio) - wide, y0, x1 - wide, y1, bad);
          }
          if (x1 - x0 >= 26 * what.ratio && y1 - y0 >= 11 * what.ratio) labels.push({ run: r, x: x0, y: y0, w: x1 - x0, h: y1 - y0 });
        }
      }
    }
    context.putImageData(this.image, what.left, what.top);
    return labels;
  }

  number(jobs, job, mode) {
    if (mode === 'job') return job;
    const word = jobs.doc.jobs[mode][job];
    this.numbers ??= new Map();
    if (this.numbers_of !== jobs) this.numbers.clear();
    this.numbers_of = jobs;
    if (!this.numbers.has(word)) this.numbers.set(word, name_number(jobs.words[word]));
    return this.numbers.get(word);
  }

  colour(jobs, job, mode, dark) {
    return number_colour(this.number(jobs, job, mode) % 4096, dark);
  }

  // Rows of nodes, if they are high enough to be distinguished.
  draw_lines({ rows, width, height }, line) {
    const down = height / (rows.to - rows.from);
    if (down < 8) return;
    for (let n = Math.ceil(rows.from); n <= rows.to; ++n) {
      const y = Math.round((n - rows.from) * down) - 1;
      fill(this.pixels, width, height, 0, y, width, y + 1, line);
    }
  }
}

// The last step at or before a time; -1: none.
export function step_at(times, time) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1; else high = middle;
  }
  return low - 1;
}

// Draws nodes in use (an area) and waiting jobs (a line) below a schedule: the maximum of each
// pixel.
export function draw_load(context, { load, span, left, top, width, height, colours, nodes }) {
  const across = width / (span.to - span.from);
  context.fillStyle = colours.panel;
  context.fillRect(left, top, width, height);
  let most = 1;
  for (const waiting of load.waiting) if (waiting > most) most = waiting;
  const columns = new Float64Array(2 * Math.ceil(width));
  const first = Math.max(0, step_at(load.time, span.from));
  for (let i = first; i < load.time.length && load.time[i] < span.to; ++i) {
    const x0 = Math.max(0, Math.floor((load.time[i] - span.from) * across));
    const until = i + 1 < load.time.length ? load.time[i + 1] : load.time[i];
    const x1 = Math.min(columns.length / 2 - 1, Math.max(x0, Math.ceil((until - span.from) * across) - 1));
    for (let x = x0; x <= x1; ++x) {
      columns[2 * x] = Math.max(columns[2 * x], load.busy[i]);
      columns[2 * x + 1] = Math.max(columns[2 * x + 1], load.waiting[i]);
    }
  }
  context.fillStyle = colours.part;
  for (let x = 0; x < columns.length / 2; ++x) {
    const high = Math.min(1, columns[2 * x] / nodes) * (height - 2);
    if (high > 0) context.fillRect(left + x, top + height - high, 1, high);
  }
  context.strokeStyle = colours.bad;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let x = 0; x < columns.length / 2; ++x) {
    const y = top + height - 1 - (columns[2 * x + 1] / most) * (height - 4);
    if (x === 0) context.moveTo(left, y); else context.lineTo(left + x, y);
  }
  context.stroke();
  return most;
}

// Draws steps from 0 to 1 below a schedule, as an area: the maximum of each pixel.
export function draw_share(context, { steps, plane, top, height, colours, words }) {
  const { left, inner, span } = plane;
  context.fillStyle = colours.panel;
  context.fillRect(left, top, inner, height);
  const columns = new Float64Array(Math.ceil(inner));
  const end = Math.min(span.to, steps.end ?? Infinity);
  for (let i = Math.max(0, step_at(steps.time, span.from)); i < steps.time.length && steps.time[i] < end; ++i) {
    const until = Math.min(end, steps.time[i + 1] ?? end);
    const x0 = Math.max(0, Math.floor(plane.x_of(steps.time[i]) - left));
    const x1 = Math.min(columns.length - 1, Math.max(x0, Math.ceil(plane.x_of(until) - left) - 1));
    for (let x = x0; x <= x1; ++x) columns[x] = Math.max(columns[x], steps.share[i]);
  }
  context.fillStyle = colours.planned;
  columns.forEach((share, x) => {
    const high = share * (height - 2);
    if (high > 0) context.fillRect(left + x, top + height - high, 1, high);
  });
  if (left < 40) return;
  context.fillStyle = colours.soft;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.fillText(words, 2, top + height / 2);
}
