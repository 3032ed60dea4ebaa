// SPDX-License-Identifier: Apache-2.0
//
// Documents as docs/develop/page.md has them, of machines and plans that a seed makes: what the tests
// show in a browser.

// Numbers in [0, 1) by a seed (mulberry32).
export function random_of(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Racks of nodes with two sockets each.
export function machine_of(nodes, a_rack, cores = 8, gpus = 2) {
  const inside = { depth: [], type: [], name: [], size: [], unit: [] };
  const add = (depth, type, name, size = 1, unit = 0) => {
    inside.depth.push(depth);
    inside.type.push(type);
    inside.name.push(name);
    inside.size.push(size);
    inside.unit.push(unit);
  };
  for (let s = 0; s < 2; ++s) {
    add(0, 3, `socket${s}`);
    for (let c = 0; c < cores / 2; ++c) add(1, 4, `core${s * cores / 2 + c}`);
    for (let g = 0; g < gpus / 2; ++g) add(1, 5, `gpu${s * gpus / 2 + g}`);
    add(1, 6, `memory${s}`, 64, 1);
  }
  const racks = Math.ceil(nodes / a_rack);
  const frames = { parent: [-1], name: ['cluster0'], type: [0] };
  for (let r = 0; r < racks; ++r) {
    frames.parent.push(0);
    frames.name.push(`rack${r}`);
    frames.type.push(1);
  }
  return {
    format: 1, pools: 1 + racks + nodes * (1 + inside.type.length),
    types: ['cluster', 'rack', 'node', 'socket', 'core', 'gpu', 'memory'], units: ['', 'GB'], frames,
    nodes: {
      name: Array.from({ length: nodes }, (_, n) => `node${n}`),
      frame: Array.from({ length: nodes }, (_, n) => 1 + Math.floor(n / a_rack)),
      inside: new Array(nodes).fill(0),
    },
    insides: [inside], frame_leaves: { frame: [], pools: { depth: [], type: [], name: [], size: [], unit: [] } },
    properties: nodes > 4 ? { fast: `0-${Math.floor(nodes / 4)}` } : {},
  };
}

export function empty_jobs() {
  return {
    format: 1, words: [''], endings: ['open', 'done', 'limit', 'cancelled', 'failed', 'requeued'],
    jobs: { id: [], name: [], user: [], queue: [], request: [], submit: [], limit: [], priority: [], promised: [], never: [], left: [], remark: [] },
    runs: { job: [], start: [], end: [], ending: [], nodes: [], cores: [] },
    places: { run: [], first: [], count: [], share: [] },
    parts: { run: [], node: [], pools: [] },
    draws: { run: [], layer: [], amount: [] },
  };
}

export function word_in(doc, text) {
  const at = doc.words.indexOf(text);
  return at >= 0 ? at : doc.words.push(text) - 1;
}

export function add_job(doc, job) {
  const row = { id: '', name: '', user: 0, queue: 0, request: 0, submit: 0, limit: 3600, priority: 0, promised: null, never: 0, left: null, remark: 0, ...job };
  for (const [name, column] of Object.entries(doc.jobs)) column.push(row[name]);
  return doc.jobs.id.length - 1;
}

export function add_run(doc, run, places, parts = []) {
  const row = { ending: 1, cores: 0, nodes: places.reduce((sum, [, count]) => sum + count, 0), ...run };
  for (const [name, column] of Object.entries(doc.runs)) column.push(row[name]);
  const number = doc.runs.job.length - 1;
  for (const [first, count, share = 256] of places) {
    doc.places.run.push(number);
    doc.places.first.push(first);
    doc.places.count.push(count);
    doc.places.share.push(share);
  }
  for (const [node, pools] of parts) {
    doc.parts.run.push(number);
    doc.parts.node.push(node);
    doc.parts.pools.push(word_in(doc, pools));
  }
  return number;
}

// Jobs one after the other, each on the nodes that are free first: places of a real schedule, by the
// simplest scheduler there is.
export function jobs_of(machine, count, seed = 1) {
  const random = random_of(seed);
  const nodes = machine.nodes.name.length;
  const free_at = new Float64Array(nodes);
  const doc = empty_jobs();
  const users = ['ada', 'bo', 'eve', 'kim', 'noor', 'sam', 'uma', 'zoe'].map((name) => word_in(doc, name));
  const queues = ['batch', 'debug'].map((name) => word_in(doc, name));
  const wide = Math.max(1, nodes / 40);
  const requests = new Map();
  let submit = 0;
  for (let i = 0; i < count; ++i) {
    submit += Math.floor(random() * 2 * 3600 * wide * 0.5 / nodes * 1.6);
    const want = Math.min(nodes, Math.max(1, Math.round(wide * (random() ** 3) * 4)));
    const length = Math.max(60, Math.round(7200 * random() ** 2));
    // Of some stretches of neighbours, the one that is free first.
    const stretches = Array.from({ length: 12 }, () => Math.floor(random() * (nodes - want + 1)));
    const free = (first) => {
      let latest = 0;
      for (let n = first; n < first + want; ++n) latest = Math.max(latest, free_at[n]);
      return latest;
    };
    const first = stretches.reduce((best, each) => (free(each) < free(best) ? each : best));
    const chosen = Array.from({ length: want }, (_, n) => first + n);
    const start = Math.ceil(Math.max(submit, ...chosen.map((n) => free_at[n])));
    for (const n of chosen) free_at[n] = start + length;
    if (!requests.has(want)) requests.set(want, word_in(doc, `node=${want}`));
    const job = add_job(doc, { id: String(1000 + i), user: users[i % users.length], queue: queues[i % 7 === 0 ? 1 : 0], request: requests.get(want), submit, limit: length * 2,
      promised: i % 3 === 0 && start > submit ? start : null });
    const places = [];
    for (const n of chosen) {
      const last = places[places.length - 1];
      if (last && last[0] + last[1] === n) ++last[1]; else places.push([n, 1]);
    }
    add_run(doc, { job, start, end: start + length, ending: i % 29 === 0 ? 2 : 1, cores: chosen.length * 8 }, places);
  }
  return doc;
}

export function availability_of(machine) {
  const nodes = machine.nodes.name.length;
  return { format: 1, nodes: nodes > 4 ? [{ time: 0, what: 'down', nodes: '7,9' }, { time: 0, what: 'drain', nodes: '11' }] : [],
    reservations: nodes > 4 ? [{ name: 'course', start: 40000, end: 60000, nodes: `0-${Math.floor(nodes / 10)}` }] : [] };
}

// A tree of power, and a licence that every fifth job draws. `jobs` gets their draws; what is used is
// what those draw that run at a time.
export function layers_of(machine, jobs, at, levels = [1, 4, 16]) {
  const nodes = machine.nodes.name.length;
  const layers = [];
  const spans = [];
  levels.forEach((count, depth) => {
    for (let i = 0; i < count; ++i) {
      const first = levels.slice(0, depth).reduce((sum, of) => sum + of, 0);
      const parent = depth === 0 ? -1 : first - levels[depth - 1] + Math.floor(i * levels[depth - 1] / count);
      const [from, to] = [Math.floor(i * nodes / count), Math.floor((i + 1) * nodes / count)];
      spans.push([from, to]);
      layers.push({ number: layers.length, resource: 'power', nodes: `node[${from}-${to - 1}]`, mode: 3,
        node_count: to - from, total: (to - from) * (9 + i % 3), base: to - from, used: 0,
        reserved: 0, held: i % 3 ? 0 : Math.floor((to - from) / 2), level: levels.length - 1 - depth, parent });
    }
  });
  layers.push({ number: layers.length, resource: 'licence', nodes: '', mode: 1, node_count: nodes, total: 40, base: 0, used: 0, reserved: 0, held: 0, level: 0, parent: -1 });
  const { runs, places, draws } = jobs;
  let p = 0;
  for (let r = 0; r < runs.job.length; ++r) {
    const mine = [];
    for (; p < places.run.length && places.run[p] === r; ++p) mine.push([places.first[p], places.first[p] + places.count[p]]);
    const draw = (layer, amount) => {
      if (amount === 0) return;
      draws.run.push(r);
      draws.layer.push(layer);
      draws.amount.push(amount);
      if (runs.start[r] <= at && at < runs.end[r]) layers[layer].used += amount;
    };
    spans.forEach(([from, to], layer) => draw(layer, 8 * mine.reduce((sum, [first, last]) => sum + Math.max(0, Math.min(last, to) - Math.max(first, from)), 0)));
    if (r % 5 === 0) draw(layers.length - 1, 1);
  }
  const held = layers.filter((layer) => layer.held > 0);
  const kept = { layer: [], time: [], amount: [] };
  for (const [time, share] of [[at, 1], [at + 3600, 0]]) {
    for (const layer of held) {
      kept.layer.push(layer.number);
      kept.time.push(time);
      kept.amount.push(layer.held * share);
    }
  }
  return { format: 1, at, layers, kept };
}

export function plan_of(nodes, a_rack, jobs, seed = 1) {
  const machine = machine_of(nodes, a_rack);
  const doc = jobs_of(machine, jobs, seed);
  const at = doc.runs.start.length ? doc.runs.start[Math.floor(doc.runs.start.length * 0.55)] : 0;
  const queue = { format: 1, at, jobs: [] };
  doc.jobs.id.forEach((id, j) => {
    const r = doc.runs.job.indexOf(j);
    if (doc.jobs.submit[j] > at || (r >= 0 && doc.runs.start[r] <= at) || queue.jobs.length >= 3000) return;
    queue.jobs.push({ job: id, state: 'waiting', queue: doc.words[doc.jobs.queue[j]], ahead: queue.jobs.length,
      why: { cause: queue.jobs.length % 2 ? 'order' : 'resources', text: `needs ${doc.words[doc.jobs.request[j]].slice(5)} nodes, of which some are in use until ${doc.runs.start[r]} s` },
      expected: doc.runs.start[r], ...(queue.jobs.length === 0 ? { promised: doc.runs.start[r] } : {}), help: queue.jobs.length % 4 === 0 ? [{ kind: 'shorter', seconds: 600 }] : [] });
  });
  return {
    about: { format: 1, kind: 'plan', title: `${nodes} nodes, ${jobs} jobs`, version: '0.1.0', at, zero: null, made_with: [['discipline', 'easy'], ['policy', 'compact']] },
    machine, jobs: doc, status: { format: 1, nodes: 'u'.repeat(nodes) }, availability: availability_of(machine), layers: layers_of(machine, doc, at), queue,
  };
}

// Names that try to be something else than text. Each is to be shown as it is.
export const HOSTILE = {
  markup: '<img src=x onerror="window.broken=1"></script><script>window.broken=2</script><!--',
  entity: '&lt;b&gt; &amp; "quoted" \'single\'',
  right_to_left: '\u202egnp.exe \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627',
  emoji: 'job-\u{1f469}\u200d\u{1f680}-\u{1f1e9}\u{1f1ea}-e\u0301',
  long: 'x'.repeat(10240),
  big: '9007199254740993',
  prototype: '__proto__',
  control: 'a\u0000b\u0007c\nd\te\u2028f',
};

export function hostile_plan() {
  const machine = machine_of(8, 4);
  machine.nodes.name[0] = HOSTILE.markup;
  machine.nodes.name[1] = HOSTILE.right_to_left;
  machine.nodes.name[2] = HOSTILE.long;
  machine.frames.name[1] = HOSTILE.emoji;
  machine.types[4] = HOSTILE.entity;
  machine.properties = JSON.parse(`{"__proto__": "0-3", ${JSON.stringify(HOSTILE.markup)}: "0"}`);
  const doc = empty_jobs();
  let at = 0;
  for (const name of Object.values(HOSTILE)) {
    const word = word_in(doc, name);
    const job = add_job(doc, { id: name, name, user: word, queue: word, request: word, submit: 0 });
    add_run(doc, { job, start: at, end: at + 1000 }, [[at / 1000 % 8, 1]]);
    at += 1000;
  }
  doc.draws = { run: [0], layer: [0], amount: ['9007199254740993'] };
  for (const id of ['9007199254740992', '9007199254740993', '18446744073709551615']) add_job(doc, { id, submit: 0 });
  doc.runs.start[1] = '9223372036854775807';  // an integer that no double has
  return {
    about: { format: 1, kind: 'plan', title: HOSTILE.markup, version: HOSTILE.markup, at: 10, zero: null, made_with: [[HOSTILE.markup, HOSTILE.right_to_left]] },
    machine, jobs: doc, status: { format: 1, nodes: 'uuuudfgn' }, availability: { format: 1, nodes: [], reservations: [{ name: HOSTILE.markup, start: 0, end: 5000, nodes: '0-3' }] },
    layers: { format: 1, at: 10, kept: { layer: [], time: [], amount: [] }, layers: [{ number: 0, resource: HOSTILE.markup, nodes: HOSTILE.long, mode: 1, node_count: 3, total: '9223372036854775807', base: 0, used: '9007199254740993', reserved: 0, held: 0, level: 0, parent: -1 }] },
    queue: { format: 1, at: 10, jobs: [{ job: '9007199254740993', state: 'waiting', queue: HOSTILE.markup, ahead: 0, why: { cause: HOSTILE.entity, text: HOSTILE.markup }, expected: null, help: [{ kind: 'fewer', type: HOSTILE.markup, count: 3 }] }] },
  };
}
