// SPDX-License-Identifier: Apache-2.0
//
// A machine and its jobs, with queries for views: made from the documents of a source.
//
// Memory: 40 bytes a job, 24 a run, 12 a place; state_at costs O(runs + nodes that run).
import { for_each_range, hostlist } from './sets.js';

// A column of times; null is NaN. Text (beyond 2^53) is rounded to a double: only ids need all
// digits.
function times(column) {
  const out = new Float64Array(column.length);
  for (let i = 0; i < column.length; ++i) out[i] = column[i] === null ? NaN : Number(column[i]);
  return out;
}

// The first row of each owner, if rows ascend by owner.
function begins(owners, count) {
  const out = new Uint32Array(count + 1);
  for (const owner of owners) ++out[owner + 1];
  for (let i = 0; i < count; ++i) out[i + 1] += out[i];
  return out;
}

export class Machine {
  constructor(doc) {
    this.doc = doc;
    this.types = doc.types;
    this.names = doc.nodes.name;
    this.count = this.names.length;
    this.frames = doc.frames;
    this.by_name = new Map(this.names.map((name, i) => [name, i]));
    // Blocks: ranges of nodes in one frame, in the order of the machine room.
    this.blocks = [];
    for (let i = 0; i < this.count; ++i) {
      const last = this.blocks[this.blocks.length - 1];
      if (last && last.frame === doc.nodes.frame[i]) ++last.count;
      else this.blocks.push({ frame: doc.nodes.frame[i], first: i, count: 1 });
    }
    this.block_of = new Uint32Array(this.count);
    this.blocks.forEach((block, b) => this.block_of.fill(b, block.first, block.first + block.count));
    this.totals = doc.insides.map((inside) => this.sums(inside, null));
  }

  // Amounts of each type in the pools at these positions; null: in all pools.
  sums(inside, positions) {
    const out = new Map();
    const add = (i) => {
      if (i < inside.type.length) out.set(inside.type[i], (out.get(inside.type[i]) || 0) + Number(inside.size[i]));
    };
    if (positions === null) {
      for (let i = 0; i < inside.type.length; ++i) add(i);
    } else {
      for_each_range(positions, (first, last) => {
        for (let i = first; i <= Math.min(last, inside.type.length - 1); ++i) add(i);
      });
    }
    return out;
  }

  inside(node) { return this.doc.insides[this.doc.nodes.inside[node]]; }
  total(node, type) { return this.totals[this.doc.nodes.inside[node]].get(type) || 0; }
  frame_path(frame) {
    const parts = [];
    for (let f = frame; f >= 0; f = this.frames.parent[f]) parts.unshift(this.frames.name[f]);
    return parts.length ? '/' + parts.join('/') : '';
  }
  path(node) { return `${this.frame_path(this.doc.nodes.frame[node])}/${this.names[node]}`; }
  properties(node) {
    const out = [];
    for (const [name, nodes] of Object.entries(this.doc.properties)) {
      let has = false;
      for_each_range(nodes, (first, last) => { has ||= first <= node && node <= last; });
      if (has) out.push(name);
    }
    return out;
  }
  // The unit of a type, if all pools in nodes have the same; else "".
  unit_of(type) {
    this.units ??= new Map();
    if (!this.units.has(type)) {
      const found = new Set();
      for (const inside of this.doc.insides) inside.type.forEach((of, i) => { if (of === type) found.add(inside.unit[i]); });
      this.units.set(type, found.size === 1 ? this.doc.units[[...found][0]] : '');
    }
    return this.units.get(type);
  }
  // Types below nodes, the most frequent ones first.
  inner_types() {
    const out = new Map();
    this.totals.forEach((sums) => sums.forEach((amount, type) => out.set(type, (out.get(type) || 0) + amount)));
    const leaves = new Set();
    for (const inside of this.doc.insides) {
      for (let i = 0; i < inside.type.length; ++i) {
        if (i + 1 === inside.type.length || inside.depth[i + 1] <= inside.depth[i]) leaves.add(inside.type[i]);
      }
    }
    return [...out.keys()].filter((type) => leaves.has(type)).sort((a, b) => out.get(b) - out.get(a));
  }
}

export const WAITS = 0, RUNS = 1, ENDED = 2, AHEAD = 3, GONE = 4;
export const STATE_WORDS = ['waits', 'runs', 'ended', 'not submitted yet', 'never ran'];

export class Jobs {
  constructor(doc, machine) {
    this.doc = doc;
    this.machine = machine;
    this.words = doc.words;
    this.ids = doc.jobs.id;
    this.count = this.ids.length;
    this.submit = times(doc.jobs.submit);
    this.limit = times(doc.jobs.limit);
    this.promised = times(doc.jobs.promised);
    this.left = times(doc.jobs.left);
    this.runs = doc.runs.job.length;
    this.run_job = Uint32Array.from(doc.runs.job);
    this.start = times(doc.runs.start);
    this.end = times(doc.runs.end).map((time) => (Number.isNaN(time) ? Infinity : time));
    this.ending = doc.runs.ending.map((i) => doc.endings[i]);
    this.place_begin = begins(doc.places.run, this.runs);
    this.place_first = Uint32Array.from(doc.places.first);
    this.place_count = Uint32Array.from(doc.places.count);
    this.place_share = Uint16Array.from(doc.places.share);
    this.part_begin = begins(doc.parts.run, this.runs);
    this.draw_begin = begins(doc.draws.run, this.runs);
    this.by_id = new Map();
    for (let j = this.count - 1; j >= 0; --j) this.by_id.set(this.ids[j], j);
    this.find_runs();
    this.find_bounds();
    this.assign_tracks();
    this.set_cache = new Map();
  }

  find_runs() {
    const order = Uint32Array.from(this.run_job.keys());
    this.runs_of = order.sort((a, b) => this.run_job[a] - this.run_job[b] || this.start[a] - this.start[b]);
    this.first_run = begins(this.run_job, this.count);
  }

  find_bounds() {
    let from = Infinity;
    let to = -Infinity;
    const take = (time) => {
      if (!Number.isFinite(time)) return;
      if (time < from) from = time;
      if (time > to) to = time;
    };
    for (let j = 0; j < this.count; ++j) take(this.submit[j]);
    for (let r = 0; r < this.runs; ++r) {
      take(this.start[r]);
      take(this.end[r]);
    }
    if (!(from < to)) [from, to] = Number.isFinite(from) ? [from, from + 3600] : [0, 3600];
    this.bounds = { from, to };
  }

  // Jobs that share a node are next to each other in its row: each has the lowest free track.
  assign_tracks() {
    const shared = [];
    for (let r = 0; r < this.runs; ++r) {
      for (let p = this.place_begin[r]; p < this.place_begin[r + 1]; ++p) {
        if (this.place_share[p] < 256) shared.push([r, p]);
      }
    }
    shared.sort((a, b) => this.start[a[0]] - this.start[b[0]] || a[0] - b[0]);
    const busy = new Map();  // by node: ends, by track
    this.track = new Uint8Array(this.place_first.length);
    this.tracks = new Map();  // by node: their number
    for (const [r, p] of shared) {
      let track = 0;
      const ends = [];
      for (let n = this.place_first[p]; n < this.place_first[p] + this.place_count[p]; ++n) {
        if (!busy.has(n)) busy.set(n, []);
        ends.push(busy.get(n));
      }
      while (track < 63 && ends.some((of) => of[track] > this.start[r])) ++track;
      for (const of of ends) of[track] = this.end[r];
      this.track[p] = track;
    }
    for (const [node, ends] of busy) this.tracks.set(node, ends.length);
  }

  word(column, j) { return this.words[this.doc.jobs[column][j]]; }
  user(j) { return this.word('user', j); }
  queue(j) { return this.word('queue', j); }
  request(j) { return this.word('request', j); }
  remark(j) { return this.word('remark', j); }
  name(j) { return this.doc.jobs.name[j] || this.ids[j]; }
  own_name(j) { return this.doc.jobs.name[j]; }
  job_runs(j) { return this.runs_of.subarray(this.first_run[j], this.first_run[j + 1]); }

  // {state, run}: the state of a job at a time; run: the current one, or the next, or the last.
  state_of(j, time) {
    if (this.submit[j] > time) return { state: AHEAD, run: -1 };
    const runs = this.job_runs(j);
    for (const r of runs) {
      if (time < this.start[r]) return { state: WAITS, run: r };
      if (time < this.end[r]) return { state: RUNS, run: r };
    }
    if (this.doc.jobs.never[j] && !(time < this.left[j])) return { state: GONE, run: -1 };
    if (runs.length) return { state: ENDED, run: runs[runs.length - 1] };
    return { state: WAITS, run: -1 };
  }

  // The nodes of a run, "node[0-3]", and their number.
  nodes_of(r) {
    const names = [];
    for (let p = this.place_begin[r]; p < this.place_begin[r + 1]; ++p) {
      for (let n = this.place_first[p]; n < this.place_first[p] + this.place_count[p]; ++n) names.push(this.machine.names[n]);
    }
    return hostlist(names);
  }

  // Positions of a run's pools below a node; null: all of it, or unknown.
  positions(r, node) {
    for (let i = this.part_begin[r]; i < this.part_begin[r + 1]; ++i) {
      if (this.doc.parts.node[i] === node) return this.words[this.doc.parts.pools[i]];
    }
    return null;
  }

  // The charges of a run to hierarchical resources: [[number of a layer, amount], …].
  draws(r) {
    const { layer, amount } = this.doc.draws;
    const out = [];
    for (let i = this.draw_begin[r]; i < this.draw_begin[r + 1]; ++i) out.push([layer[i], Number(amount[i])]);
    return out;
  }

  // Units of a type that a run has on a node.
  used(r, node, type) {
    const positions = this.positions(r, node);
    if (positions === null) return this.machine.total(node, type);
    const inside = this.machine.doc.nodes.inside[node];
    const key = `${inside} ${positions}`;
    if (!this.set_cache.has(key)) this.set_cache.set(key, this.machine.sums(this.machine.doc.insides[inside], positions));
    return this.set_cache.get(key).get(type) || 0;
  }

  // Runs on a node, by start. O(places).
  on_node(node) {
    const out = [];
    for (let r = 0; r < this.runs; ++r) {
      for (let p = this.place_begin[r]; p < this.place_begin[r + 1]; ++p) {
        const off = node - this.place_first[p];
        if (off >= 0 && off < this.place_count[p]) {
          out.push(r);
          break;
        }
      }
    }
    return out.sort((a, b) => this.start[a] - this.start[b]);
  }

  // Numbers of nodes in use and of waiting jobs, as steps: {time, busy, waiting}. Computed once.
  load() {
    if (this.steps) return this.steps;
    const changes = [];
    for (let j = 0; j < this.count; ++j) {
      const runs = this.job_runs(j);
      let from = this.submit[j];
      for (const r of runs) {
        if (this.start[r] > from) changes.push([from, 0, 1], [this.start[r], 0, -1]);
        changes.push([this.start[r], Number(this.doc.runs.nodes[r]), 0]);
        if (Number.isFinite(this.end[r])) changes.push([this.end[r], -Number(this.doc.runs.nodes[r]), 0]);
        from = this.ending[r] === 'requeued' ? this.end[r] : Infinity;
      }
      if (runs.length === 0 && this.left[j] > from) changes.push([from, 0, 1], [this.left[j], 0, -1]);
    }
    changes.sort((a, b) => a[0] - b[0]);
    const time = [];
    const busy = [];
    const waiting = [];
    let [b, w] = [0, 0];
    for (let i = 0; i < changes.length; ++i) {
      b += changes[i][1];
      w += changes[i][2];
      if (i + 1 < changes.length && changes[i + 1][0] === changes[i][0]) continue;
      time.push(changes[i][0]);
      busy.push(b);
      waiting.push(w);
    }
    this.steps = { time, busy, waiting };
    return this.steps;
  }
}

export const FREE = 0, PART = 1, USED = 2, PLANNED = 3, DRAINED = 4, DOWN = 5;
export const NODE_WORDS = ['free', 'partly used', 'used', 'free, kept for a job that waits', 'drained', 'down'];
export const NODE_LETTERS = ['', 'p', 'u', 'k', 'D', 'X'];

// The state of each node at a time: {state, owner (a run, -1: none), several, share (of 1), jobs}.
export function state_at(machine, jobs, status, availability, time) {
  const state = new Uint8Array(machine.count);
  const owner = new Int32Array(machine.count).fill(-1);
  const next = new Int32Array(machine.count).fill(-1);
  const share = new Float32Array(machine.count);
  const several = new Uint8Array(machine.count);
  const running = [];
  const promised = [];
  for (let r = 0; r < jobs.runs; ++r) {
    if (time < jobs.start[r] ? jobs.submit[jobs.run_job[r]] > time : time >= jobs.end[r]) continue;
    const runs = time >= jobs.start[r];
    (runs ? running : promised).push(r);
    for (let p = jobs.place_begin[r]; p < jobs.place_begin[r + 1]; ++p) {
      const part = jobs.place_share[p] / 256;
      for (let n = jobs.place_first[p]; n < jobs.place_first[p] + jobs.place_count[p]; ++n) {
        if (!runs) {
          if (next[n] < 0 || jobs.start[r] < jobs.start[next[n]]) next[n] = r;
          continue;
        }
        if (owner[n] >= 0) several[n] = 1;
        else owner[n] = r;
        share[n] = Math.min(1, share[n] + part);
      }
    }
  }
  const letters = status ? status.nodes : '';
  for (let n = 0; n < machine.count; ++n) {
    const letter = letters[n];
    if (letter === 'd' || letter === 'n') state[n] = DOWN;
    else if (letter === 'f') state[n] = DRAINED;
    else if (owner[n] >= 0) state[n] = share[n] > 0.99 ? USED : PART;
    else if (next[n] >= 0) state[n] = PLANNED;
  }
  for (const event of availability ? availability.nodes : []) {
    if (event.time > time) break;
    for_each_range(event.nodes, (first, last) => {
      for (let n = first; n <= Math.min(last, machine.count - 1); ++n) {
        if (event.what === 'up') state[n] = owner[n] < 0 ? (next[n] < 0 ? FREE : PLANNED) : share[n] > 0.99 ? USED : PART;
        else state[n] = event.what === 'down' ? DOWN : DRAINED;
      }
    });
  }
  return { time, state, owner, next, share, several, running, promised };
}
