// SPDX-License-Identifier: Apache-2.0
//
// Layers: the hierarchical resources of a machine, as a tree with loads, and over time.
import { choice, el, field, name_of, refill } from './dom.js';
import { LayerLoads } from './layer_loads.js';
import { LayersTime } from './layers_time.js';
import { PagedTable } from './paged_table.js';
import { grouped, percent, shortened } from './words.js';

export class LayersView {
  constructor(app) {
    this.app = app;
    this.resource = '';
    this.time = new LayersTime(app);
    this.chooser = el('span');
    this.summary = el('p', { class: 'lead' });
    this.table = new PagedTable('Layers at this time', [
      { title: 'Layer', cell: ({ layer, depth }) => el('span', { class: 'tree', style: { '--depth': depth } },
        el('span', { class: 'sr' }, `level ${depth + 1}: `), name_of(shortened(layer.resource, 60)), ' of ', name_of(shortened(layer.nodes || 'all nodes', 80))) },
      { title: 'Nodes', number: true, key: ({ layer }) => layer.node_count, cell: ({ layer }) => grouped(layer.node_count) },
      { title: 'In use', cell: ({ layer }) => this.gauge(layer) },
      { title: 'Free', number: true, key: ({ layer }) => free_of(layer), cell: ({ layer }) => (free_of(layer) === Infinity ? 'no bound' : grouped(free_of(layer))) },
      { title: 'Of', number: true, key: ({ layer }) => Number(layer.total), cell: ({ layer }) => (Number(layer.total) < 0 ? 'no bound' : grouped(layer.total)) },
      { title: 'Used', number: true, key: ({ layer }) => Number(layer.used), cell: ({ layer }) => grouped(layer.used) },
      { title: 'Kept', number: true, key: ({ layer }) => Number(layer.held), cell: ({ layer }) => grouped(layer.held) },
      { title: 'Always in use', number: true, key: ({ layer }) => Number(layer.base), cell: ({ layer }) => grouped(layer.base) },
    ], { what: 'layer', rows_at_once: 100 });
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-layers' },
      el('h2', { id: 'title-layers' }, 'Layers'), this.summary, el('div', { class: 'tools' }, this.chooser), this.time.element, this.table.element);
  }

  get board() { return this.time.board; }

  gauge(layer) {
    const total = Number(layer.total) + Number(layer.base);
    const words = Number(layer.total) < 0 ? 'no bound' : percent(Number(layer.used) + Number(layer.base), total);
    const share = (amount) => `${Math.min(100, Math.max(0, (100 * Number(amount)) / (total || 1)))}%`;
    return el('span', { class: 'gauge' }, el('span', { class: 'meter', 'aria-hidden': 'true' },
      el('span', { class: 'base', style: { width: share(layer.base) } }), el('span', { style: { width: share(layer.used) } }),
      el('span', { class: 'held', style: { width: share(layer.held) } })), words);
  }

  refresh() {
    const doc = this.app.layers;
    const all = doc === null ? [] : doc.layers;
    const resources = [...new Set(all.map((layer) => layer.resource))];
    if (!resources.includes(this.resource)) this.resource = resources[0] || '';
    if (resources.length === 0) {
      refill(this.summary, 'This machine has no hierarchical resources.');
      refill(this.chooser);
      this.table.element.hidden = this.time.element.hidden = true;
      return;
    }
    this.table.element.hidden = this.time.element.hidden = false;
    refill(this.chooser, field('Resource', choice(resources.map((name) => [name, shortened(name, 60)]), this.resource, (value) => {
      this.resource = value;
      this.refresh();
    })));
    const loads = this.loads_of(doc);
    // A live page has loads from the service; a plan can be viewed at any time.
    const then = this.app.source.kind === 'file' && this.app.at !== Number(doc.at);
    const of = all.map((layer, i) => ({ layer: then ? layer_at(layer, loads, this.app.at) : layer, i }))
      .filter(({ layer }) => layer.resource === this.resource);
    const mode = of[0].layer.mode;
    refill(this.summary, `At ${this.app.time(then ? this.app.at : Number(doc.at))}. ` + [
      '', 'Mode 1: one layer over the nodes of a job pays what it asks for, once.',
      'Mode 2: each layer over a node of a job pays it, once.', 'Mode 3: each layer between a node and the root pays it, for each node.'][mode] +
      ' Bars: what is always in use is hatched, what jobs use is solid, what is kept for reservations is dotted.');
    const rows = mode === 3 ? in_tree_order(of) : of.map(({ layer }) => ({ layer, depth: 0 }));
    this.table.set(rows);
    this.time.set(rows, loads);
  }

  // Computed again when a document has changed.
  loads_of(doc) {
    const { jobs, availability } = this.app;
    if (this.loads === undefined || this.loads_jobs !== jobs || this.loads_doc !== doc) {
      this.loads = new LayerLoads(jobs, doc, availability ? availability.reservations : []);
      [this.loads_jobs, this.loads_doc] = [jobs, doc];
    }
    return this.loads;
  }

  show() { this.refresh(); }
}

function layer_at(layer, loads, time) {
  const { used, kept } = loads.at(layer.number, time);
  return { ...layer, used, held: kept };
}

function free_of(layer) {
  return Number(layer.total) < 0 ? Infinity : Number(layer.total) - Number(layer.used) - Number(layer.held);
}

// Each layer before those below it.
export function in_tree_order(of) {
  const below = new Map();
  for (const each of of) {
    const parent = each.layer.parent;
    if (!below.has(parent)) below.set(parent, []);
    below.get(parent).push(each);
  }
  const out = [];
  const open = [...(below.get(-1) || [])].reverse().map((each) => ({ ...each, depth: 0 }));
  while (open.length) {
    const each = open.pop();
    out.push(each);
    for (const child of [...(below.get(each.i) || [])].reverse()) open.push({ ...child, depth: each.depth + 1 });
  }
  return out;
}
