// SPDX-License-Identifier: Apache-2.0
//
// Loads of layers of hierarchical resources over time, as steps: the charges of jobs, and the
// amounts kept by reservations. They are computed from the jobs, because a run charges layers over
// its whole time.
//
// Memory: 24 bytes a step; a run has two for each layer that it charges.
import { step_at } from './schedule_paint.js';

const NO_STEPS = { time: [], used: [], kept: [] };

export class LayerLoads {
  // `doc`: the document "layers"; `reservations`: those of "availability".
  constructor(jobs, doc, reservations) {
    this.changes = new Map();  // by number of a layer: [time, used, kept], differences
    this.made = new Map();
    for (let r = 0; r < jobs.runs; ++r) {
      if (jobs.draw_begin[r] < jobs.draw_begin[r + 1]) this.draw(jobs.draws(r), jobs.start[r], jobs.end[r]);
    }
    for (const each of reservations) if (each.draws) this.draw(each.draws, each.start, each.end);
    const held = new Map();
    doc.kept.layer.forEach((layer, i) => {
      const amount = Number(doc.kept.amount[i]);
      this.change(layer, Number(doc.kept.time[i]), 0, amount - (held.get(layer) ?? 0));
      held.set(layer, amount);
    });
  }

  draw(draws, from, to) {
    for (const [layer, amount] of draws) {
      this.change(layer, from, amount, 0);
      if (Number.isFinite(to)) this.change(layer, to, -amount, 0);
    }
  }

  change(layer, time, used, kept) {
    if (!this.changes.has(layer)) this.changes.set(layer, []);
    this.changes.get(layer).push([time, used, kept]);
  }

  // {time, used, kept}: columns, with ascending times. Computed on the first call.
  steps(layer) {
    if (!this.changes.has(layer)) return NO_STEPS;
    if (!this.made.has(layer)) this.made.set(layer, summed(this.changes.get(layer)));
    return this.made.get(layer);
  }

  at(layer, time) {
    const steps = this.steps(layer);
    const i = step_at(steps.time, time);
    return i < 0 ? { used: 0, kept: 0 } : { used: steps.used[i], kept: steps.kept[i] };
  }
}

function summed(changes) {
  changes.sort((a, b) => a[0] - b[0]);
  const out = { time: [], used: [], kept: [] };
  let [used, kept] = [0, 0];
  for (let i = 0; i < changes.length; ++i) {
    used += changes[i][1];
    kept += changes[i][2];
    if (i + 1 < changes.length && changes[i + 1][0] === changes[i][0]) continue;
    out.time.push(changes[i][0]);
    out.used.push(used);
    out.kept.push(kept);
  }
  return out;
}

// The most in each of `columns` equal parts of a span: {used, kept}. O(steps in the span + columns).
export function load_columns(steps, span, columns) {
  const used = new Float64Array(columns);
  const kept = new Float64Array(columns);
  const across = columns / (span.to - span.from);
  const first = Math.max(0, step_at(steps.time, span.from));
  for (let i = first; i < steps.time.length && steps.time[i] < span.to; ++i) {
    const until = i + 1 < steps.time.length ? steps.time[i + 1] : span.to;
    if (until <= span.from) continue;
    const x0 = Math.max(0, Math.floor((steps.time[i] - span.from) * across));
    const x1 = Math.min(columns - 1, Math.max(x0, Math.ceil((until - span.from) * across) - 1));
    for (let x = x0; x <= x1; ++x) {
      if (steps.used[i] + steps.kept[i] < used[x] + kept[x]) continue;
      used[x] = steps.used[i];
      kept[x] = steps.kept[i];
    }
  }
  return { used, kept };
}
