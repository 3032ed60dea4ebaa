// SPDX-License-Identifier: Apache-2.0
//
// Strips: how much of each type of resource is in use, over the whole machine; and the users whose jobs
// run, with their colours.
import { name_number, number_colour } from './colours.js';
import { el, name_of, refill } from './dom.js';
import { DOWN } from './model.js';
import { count_of, grouped, percent, shortened } from './words.js';

const STRIPS_MOST = 6, USERS_MOST = 16;
const STRIP_NAMES = { core: 'cores', gpu: 'GPUs', memory: 'memory' };
// Cores, GPUs and memory first.
const STRIP_ORDER = ['core', 'gpu', 'memory'];

// [{type, name, total, used, down, unit}]: `down` is of nodes that are down. `used(node, type)`.
export function strip_sums(machine, view, types, used) {
  const rank = (type) => (STRIP_ORDER.indexOf(machine.types[type]) + 1 || STRIP_ORDER.length + 1);
  return [...types].sort((a, b) => rank(a) - rank(b)).slice(0, STRIPS_MOST).map((type) => {
    const out = { type, name: STRIP_NAMES[machine.types[type]] || machine.types[type], total: 0, used: 0, down: 0, unit: machine.unit_of(type) };
    for (let node = 0; node < machine.count; ++node) {
      const total = machine.total(node, type);
      if (total === 0) continue;
      out.total += total;
      const of_jobs = view.owner[node] < 0 ? 0 : used(node, type);
      out.used += of_jobs;
      if (view.state[node] === DOWN) out.down += total - of_jobs;
    }
    return out;
  });
}

export function fill_strips(element, sums) {
  refill(element, ...sums.filter(({ total }) => total > 0).map(({ name, total, used, down, unit }) => {
    const [by, shown_unit] = unit === 'MB' && total >= 10_000 ? [1000, 'GB'] : unit === 'MiB' && total >= 10_240 ? [1024, 'GiB'] : [1, unit];
    const amount = (units) => grouped(Math.round(units / by));
    const unit_words = shown_unit === '' ? '' : ` ${shown_unit}`;
    const words = `${amount(used)} of ${amount(total)}${unit_words} in use` + (down > 0 ? `, ${amount(down)} down` : '');
    const share = (units) => `${Math.min(100, (100 * units) / total)}%`;
    return el('div', { class: 'strip' }, el('span', { class: 'strip-name' }, shortened(name, 24)),
      el('span', { class: 'meter', 'aria-hidden': 'true' }, el('span', { style: { width: share(used) } }), el('span', { class: 'gone', style: { width: share(down) } })),
      el('span', {}, el('b', {}, percent(used, total)), ` ${words}`));
  }));
}

// Users by the nodes of their running jobs; the rest is counted.
export function user_legend(jobs, running, dark) {
  const nodes = new Map();
  for (const run of running) {
    const user = jobs.user(jobs.run_job[run]);
    nodes.set(user, (nodes.get(user) || 0) + Number(jobs.doc.runs.nodes[run]));
  }
  const all = [...nodes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const out = all.slice(0, USERS_MOST).map(([user, count]) => el('li', {},
    el('span', { class: 'swatch', style: { '--colour': number_colour(name_number(user), dark) }, 'aria-hidden': 'true' }),
    name_of(shortened(user || 'no user', 30)), ` ${count_of(count, 'node')}`));
  if (all.length > USERS_MOST) out.push(el('li', {}, `and ${count_of(all.length - USERS_MOST, 'more user')}`));
  return out;
}
