// SPDX-License-Identifier: Apache-2.0
//
// Levels of a machine (racks, blocks, switches), and fragmentation: the share of the free nodes that lie outside
// of the pool of a level with the most of them. The rules are those of plan/placement.hpp.
import { FREE, PLANNED } from './model.js';
import { for_each_range } from './sets.js';

// [{name, pool_of (by node; -1: none), count}], the highest first: the heights above nodes that several pools have.
export function levels_of(machine) {
  const { parent, type } = machine.frames;
  const height = new Uint32Array(parent.length).fill(1);
  // A pool comes after the one that it is in.
  for (let f = parent.length - 1; f > 0; --f) {
    if (parent[f] >= 0) height[parent[f]] = Math.max(height[parent[f]], height[f] + 1);
  }
  const out = [];
  const highest = Math.max(0, ...height);
  for (let h = 1; h < highest; ++h) {
    const numbers = new Map();
    height.forEach((of, f) => { if (of === h) numbers.set(f, numbers.size); });
    if (numbers.size < 2) continue;
    const pool_of = Int32Array.from(machine.doc.nodes.frame, (frame) => {
      let f = frame;
      while (f >= 0 && height[f] < h) f = parent[f];
      return f >= 0 && height[f] === h ? numbers.get(f) : -1;
    });
    out.push({ name: machine.types[type[numbers.keys().next().value]], pool_of, count: numbers.size });
  }
  const names = out.map((level) => level.name);
  out.forEach((level, k) => {
    if (names.filter((name) => name === names[k]).length < 2) return;
    level.name += names.slice(0, k + 1).filter((name) => name === names[k]).length;
  });
  return out.reverse();
}

// {free, largest, share}: the free nodes, the most of them in one pool, and the fragmentation from 0 to 1.
export function fragmentation_of(level, state) {
  const in_pool = new Uint32Array(level.count);
  let free = 0;
  for (let n = 0; n < state.length; ++n) {
    if (state[n] !== FREE && state[n] !== PLANNED) continue;
    ++free;
    if (level.pool_of[n] >= 0) ++in_pool[level.pool_of[n]];
  }
  const largest = in_pool.reduce((most, count) => Math.max(most, count), 0);
  return { free, largest, share: free === 0 ? 0 : 1 - largest / free };
}

// The fragmentation of a level over time, as steps {time, share}. O(nodes of runs + steps * pools of the level).
export function fragmentation_steps(machine, jobs, status, availability, level) {
  const changes = [];
  for (let r = 0; r < jobs.runs; ++r) {
    if (!(jobs.start[r] < jobs.end[r])) continue;
    changes.push([jobs.start[r], 1, r]);
    if (Number.isFinite(jobs.end[r])) changes.push([jobs.end[r], -1, r]);
  }
  for (const event of availability ? availability.nodes : []) changes.push([Number(event.time), 0, event]);
  changes.sort((a, b) => a[0] - b[0]);
  const users = new Uint32Array(machine.count);
  const out_of_use = new Uint8Array(machine.count);
  const in_pool = new Int32Array(level.count);
  let free = machine.count;
  for (const pool of level.pool_of) if (pool >= 0) ++in_pool[pool];
  const change = (n, by) => {
    free += by;
    if (level.pool_of[n] >= 0) in_pool[level.pool_of[n]] += by;
  };
  const set = (n, down) => {
    if (down === out_of_use[n]) return;
    out_of_use[n] = down;
    if (users[n] === 0) change(n, down ? -1 : 1);
  };
  const use = (n, by) => {
    const before = users[n];
    users[n] += by;
    if (!out_of_use[n] && (before === 0) !== (users[n] === 0)) change(n, before === 0 ? -1 : 1);
  };
  const letters = status ? status.nodes : '';
  for (let n = 0; n < letters.length && n < machine.count; ++n) if (letters[n] !== 'u' && letters[n] !== 'g') set(n, 1);
  const time = [];
  const share = [];
  changes.forEach(([at, by, what], i) => {
    if (by === 0) {
      for_each_range(what.nodes, (first, last) => {
        for (let n = first; n <= Math.min(last, machine.count - 1); ++n) set(n, what.what === 'up' ? 0 : 1);
      });
    } else {
      for (let p = jobs.place_begin[what]; p < jobs.place_begin[what + 1]; ++p) {
        for (let n = jobs.place_first[p]; n < jobs.place_first[p] + jobs.place_count[p]; ++n) use(n, by);
      }
    }
    if (i + 1 < changes.length && changes[i + 1][0] === at) return;
    time.push(at);
    share.push(free === 0 ? 0 : 1 - in_pool.reduce((most, count) => Math.max(most, count), 0) / free);
  });
  return { time, share };
}
