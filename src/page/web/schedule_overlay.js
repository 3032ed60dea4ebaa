// SPDX-License-Identifier: Apache-2.0
//
// The layer over the pixels of a schedule: names of jobs and nodes, reservations, the history of
// the selected job. `where`: {plane, top, high, y_of(row)}.
import { ink_on } from './colours.js';
import { draw_time_line } from './time_drawing.js';
import { grouped, isolated, shortened } from './words.js';

const LABELS_MOST = 1200;

// `labels`: of SchedulePaint.paint; colour_of(job): its painted colour.
export function draw_job_labels(context, where, { labels, ratio, jobs, at, colour_of }) {
  const { plane, top, high } = where;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  for (const { run, x, y, w, h } of labels.slice(0, LABELS_MOST)) {
    const left = Math.max(x / ratio, 0) + plane.left;
    const right = Math.min((x + w) / ratio + plane.left, plane.right);
    if (right - left < 20) continue;
    const job = jobs.run_job[run];
    const text = isolated(shortened(jobs.name(job), Math.floor((right - left - 4) / 6)));
    const wide = context.measureText(text).width;
    if (wide > right - left - 4) continue;
    const middle = Math.min(Math.max((y + h / 2) / ratio + top, top + 6), top + high - 6);
    const back = colour_of(job);
    if (jobs.start[run] > at) {  // on stripes: a plate
      context.fillStyle = back;
      context.fillRect(left + 2, middle - 7, wide + 4, 14);
    }
    context.fillStyle = ink_on(back);
    context.fillText(text, left + 4, middle);
  }
}

export function draw_reservations(context, where, reservations, colours) {
  const { plane, top, high } = where;
  for (const each of reservations) {
    const x0 = Math.max(plane.left, plane.x_of(each.start));
    const x1 = Math.min(plane.right, plane.x_of(each.end));
    if (x1 <= x0) continue;
    context.strokeStyle = colours.text;
    context.setLineDash([4, 3]);
    context.lineWidth = 1;
    for (const piece of each.nodes.split(',').filter(Boolean)) {
      const [first, last = first] = piece.split('-').map(Number);
      const y0 = Math.max(top, where.y_of(first));
      const y1 = Math.min(top + high, where.y_of(last + 1));
      if (y1 > y0) context.strokeRect(x0 + 0.5, y0 + 0.5, Math.max(1, x1 - x0 - 1), Math.max(1, y1 - y0 - 1));
    }
    context.setLineDash([]);
  }
}

// Names of nodes, as many as fit, and the labels of the load below. `most`: the most waiting jobs.
export function draw_row_names(context, where, { names, rows, height, load_top, most, colours }) {
  const { plane, top, high } = where;
  if (plane.left < 40) return;
  context.fillStyle = colours.back;
  context.fillRect(0, 0, plane.left - 3, height);
  context.fillStyle = colours.soft;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  const down = high / (rows.to - rows.from);
  const step = Math.max(1, Math.ceil(13 / down));
  for (let n = Math.ceil(rows.from / step) * step; n < rows.to; n += step) {
    const y = where.y_of(n) + Math.max(Math.min(down, 13) / 2, 5);
    if (y > top + high - 3) break;
    context.fillText(isolated(shortened(names[n], 12)), 2, y);
  }
  context.fillText('nodes in use', 2, load_top + 10);
  context.fillStyle = colours.bad;
  context.fillText('jobs waiting,', 2, load_top + 30);
  context.fillText(`at most ${grouped(most)}`, 2, load_top + 44);
}

// The whole history of a job; -1: none.
export function draw_job_life(context, where, jobs, j, bottom, colours) {
  if (j < 0) return;
  const { plane, top, high } = where;
  draw_time_line(context, plane, jobs.submit[j], { words: 'submitted', colour: colours.accent, bottom, width: 1.5, dash: [5, 4] });
  if (Number.isFinite(jobs.promised[j])) {
    draw_time_line(context, plane, jobs.promised[j], { words: 'promised', colour: colours.accent, bottom, width: 1.5, dash: [2, 3] });
  }
  context.strokeStyle = colours.text;
  context.lineWidth = 2;
  for (const r of jobs.job_runs(j)) {
    const x0 = Math.max(plane.left, plane.x_of(jobs.start[r]));
    const x1 = Math.min(plane.right, plane.x_of(jobs.end[r]));
    for (let p = jobs.place_begin[r]; p < jobs.place_begin[r + 1]; ++p) {
      const y0 = Math.max(top, where.y_of(jobs.place_first[p]));
      const y1 = Math.min(top + high, where.y_of(jobs.place_first[p] + jobs.place_count[p]));
      if (x1 > x0 && y1 > y0) context.strokeRect(x0, y0, Math.max(2, x1 - x0), Math.max(2, y1 - y0));
    }
  }
}
