// SPDX-License-Identifier: Apache-2.0
//
// The machine: a map of its nodes, the contents of one node, and the same as a table.
import { Board } from './board.js';
import { palette } from './colours.js';
import { button, choice, el, facts, field, name_of, refill } from './dom.js';
import { fragmentation_of, levels_of } from './levels.js';
import { LEGEND, MachineMap } from './machine_map.js';
import { fill_strips, strip_sums, user_legend } from './machine_strips.js';
import { NODE_LETTERS, NODE_WORDS } from './model.js';
import { is_edited } from './job_actions.js';
import { PagedTable } from './paged_table.js';
import { for_each_range } from './sets.js';
import { clock_words, count_of, grouped, percent, relative_words, shortened } from './words.js';

const NODE_HELP = 'Arrow keys go from node to node, Enter shows one, + and − zoom, 0 shows all. ' +
  'With a pointer: click a node, drag, zoom by the wheel.';

export class MachineView {
  constructor(app) {
    this.app = app;
    this.mode = 'state';
    this.type = -1;
    this.cursor = -1;
    this.marked = null;
    this.search_text = '';
    this.map = new MachineMap(app.machine);
    this.types = app.machine.inner_types();
    this.strips = el('div', { class: 'strips', role: 'group', 'aria-label': 'what is in use' });
    this.levels = levels_of(app.machine);
    this.pieces = el('ul', { class: 'legend pieces', 'aria-label': 'where the free nodes lie' });
    this.reserved = el('ul', { class: 'legend', 'aria-label': 'reservations' });
    this.legend = el('ul', { class: 'legend', 'aria-label': 'what the colours say' });
    this.found = el('output', { class: 'found' });
    this.panel = el('aside', { class: 'panel', 'aria-label': 'the node that was chosen' });
    this.board = new Board({
      label: 'Map of the machine',
      help: NODE_HELP,
      height: (width) => this.height(width),
      draw: (context, width, height) => this.draw(context, width, height),
      pointer: {
        move: (x, y) => this.point(this.map.node_at(x, y)),
        leave: () => {},
        click: (x, y) => this.choose(this.map.node_at(x, y)),
        drag: (dx, dy) => { this.map.drag(dx, dy); this.board.ask(); },
        wheel: (steps, x, y) => this.zoom(1.25 ** steps, x, y),
      },
      key: (key) => this.key(key),
    });
    this.table = this.make_table();
    const twin = el('details', { class: 'twin', ontoggle: () => this.fill_table() }, el('summary', {}, 'The nodes as a table'), this.table.element);
    this.twin = twin;
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-machine' },
      el('h2', { id: 'title-machine' }, 'Machine'), this.strips, this.pieces, this.toolbar(), this.legend, this.reserved,
      el('div', { class: 'side-by-side' }, el('div', { class: 'wide' }, this.board.element, twin), this.panel));
  }

  toolbar() {
    const modes = [['state', 'state'], ['job', 'job'], ['user', 'user'],
      ...this.types.map((type) => [`free ${type}`, `free ${shortened(this.app.machine.types[type], 40)}`])];
    return el('div', { class: 'tools' },
      field('Colour by', choice(modes, 'state', (value) => {
        this.mode = value.startsWith('free ') ? 'free' : value;
        this.type = this.mode === 'free' ? Number(value.slice(5)) : -1;
        this.refresh();
      })),
      field('Find', el('input', {
        type: 'search', placeholder: 'node, job or user', autocomplete: 'off',
        oninput: (event) => this.search(event.target.value),
      })), this.found,
      el('span', { class: 'group' },
        button('+', () => this.zoom(1.6), { 'aria-label': 'zoom in' }),
        button('−', () => this.zoom(1 / 1.6), { 'aria-label': 'zoom out' }),
        button('all', () => this.zoom(0))));
  }

  height(width) {
    const room = Math.max(300, window.innerHeight - 240);
    const most = width < 600 ? Math.min(room, width * 1.2) : room;
    return Math.min(most, Math.max(190, this.map.wanted_height(width, most)));
  }

  draw(context, width, height) {
    this.map.fit(width, height);
    const { view, jobs, dark, chosen_node } = this.app;
    this.map.draw(context, { view, jobs, dark, mode: this.mode, type: this.type, marked: this.marked, cursor: this.cursor, selected: chosen_node });
  }

  zoom(factor, x = this.map.width / 2, y = this.map.height / 2) {
    let changed = true;
    if (factor === 0) this.map.zoom_by(1e-9, 0, 0);
    else changed = this.map.zoom_by(factor, x, y);
    this.board.ask();
    return changed;
  }

  key(key) {
    const last = this.app.machine.count - 1;
    const columns = this.cursor < 0 ? 1 : this.map.columns(this.cursor);
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, PageDown: columns * 10, PageUp: -columns * 10 };
    if (key in steps) this.cursor = this.cursor < 0 ? 0 : Math.min(last, Math.max(0, this.cursor + steps[key]));
    else if (key === 'Home') this.cursor = 0;
    else if (key === 'End') this.cursor = last;
    else if (key === '+' || key === '=') return this.zoom(1.4, ...this.centre()), true;
    else if (key === '-') return this.zoom(1 / 1.4, ...this.centre()), true;
    else if (key === '0') return this.zoom(0), true;
    else if (key === 'Enter' || key === ' ') return this.choose(this.cursor), true;
    else return false;
    this.map.reveal(this.cursor);
    this.board.say(this.words_of(this.cursor));
    this.board.ask();
    return true;
  }

  centre() {
    if (this.cursor < 0) return [this.map.width / 2, this.map.height / 2];
    const { x, y, side } = this.map.square(this.cursor);
    return [x + side / 2, y + side / 2];
  }

  point(node) {
    if (node === this.cursor) return;
    this.cursor = node;
    if (node >= 0) this.board.say(this.words_of(node));
    this.board.ask();
  }

  choose(node) {
    if (node < 0) return;
    this.cursor = node;
    this.app.choose_node(node);
  }

  words_of(node) {
    const { machine, view, jobs } = this.app;
    const runs = this.map.runs_on(view, jobs).get(node) || [];
    const running = runs.slice(0, 3).map((r) => {
      const j = jobs.run_job[r];
      return `job ${shortened(jobs.name(j), 40)}${jobs.user(j) ? ` of ${shortened(jobs.user(j), 40)}` : ''}`;
    });
    const free = this.types.slice(0, 3).map((type) =>
      `${grouped(machine.total(node, type) - this.map.used(node, type, view, jobs))} of ${count_of(machine.total(node, type), machine.types[type])}`);
    return `${shortened(machine.names[node], 60)}: ${NODE_WORDS[view.state[node]]}` +
      (running.length ? `; ${running.join(', ')}${runs.length > 3 ? ` and ${grouped(runs.length - 3)} more` : ''}` : '') +
      (free.length ? `; free: ${free.join(', ')}` : '');
  }

  search(text) {
    this.search_text = text;
    this.mark();
    this.board.ask();
  }

  mark() {
    const wanted = this.search_text.trim().toLowerCase();
    if (wanted === '') {
      this.marked = null;
      this.found.textContent = '';
      return;
    }
    const { machine, view, jobs } = this.app;
    this.marked = new Set();
    machine.names.forEach((name, n) => {
      if (name.toLowerCase().includes(wanted)) this.marked.add(n);
    });
    const hit = new Map();  // by job
    for (const [node, runs] of this.map.runs_on(view, jobs)) {
      for (const r of runs) {
        const j = jobs.run_job[r];
        if (!hit.has(j)) {
          hit.set(j, jobs.ids[j].toLowerCase() === wanted || jobs.own_name(j).toLowerCase().includes(wanted) ||
            jobs.user(j).toLowerCase().includes(wanted));
        }
        if (hit.get(j)) this.marked.add(node);
      }
    }
    this.found.textContent = count_of(this.marked.size, 'node');
  }

  refresh() {
    if (this.search_text) this.mark();
    const { machine, view, jobs } = this.app;
    fill_strips(this.strips, strip_sums(machine, view, this.types, (node, type) => this.map.used(node, type, view, jobs)));
    this.draw_pieces();
    this.draw_legend();
    this.draw_reservations();
    if (!is_edited(this.panel)) this.draw_panel();
    if (this.twin.open) this.fill_table();
    this.board.ask();
  }

  // The largest job that could start in one pool of each level, and how scattered the free nodes are.
  draw_pieces() {
    refill(this.pieces, ...this.levels.map((level) => {
      const { free, largest, share } = fragmentation_of(level, this.app.view.state);
      return el('li', {}, el('span', {}, name_of(shortened(level.name, 24)),
        `: at most ${grouped(largest)} of ${count_of(free, 'free node')} in one, fragmentation ${percent(share, 1)}`));
    }));
  }

  draw_legend() {
    const colours = palette(this.app.dark);
    const { view } = this.app;
    if (this.mode === 'free') {
      refill(this.legend, el('li', {}, `The darker a node, the more of ${this.app.machine.types[this.type]} is free; its number is shown in it.`));
      return;
    }
    const counts = new Uint32Array(NODE_WORDS.length);
    for (const state of view.state) ++counts[state];
    const swatch = (state, key) => el('span', { class: `swatch ${key}`, style: { '--colour': colours[key] }, 'aria-hidden': 'true' }, NODE_LETTERS[state]);
    if (this.mode !== 'state') {
      const users = this.mode === 'user' ? user_legend(this.app.jobs, view.running, this.app.dark) : [];
      refill(this.legend, ...users, el('li', {}, `A colour for each ${this.mode}; small squares are filled as far as they are used; + is several.`),
        ...LEGEND.filter(([state]) => state > 2).map(([state, key]) => el('li', {}, swatch(state, key), `${NODE_WORDS[state]} ${grouped(counts[state])}`)));
      return;
    }
    refill(this.legend, ...LEGEND.map(([state, key]) => el('li', {}, swatch(state, key), `${NODE_WORDS[state]} ${grouped(counts[state])}`)));
  }

  // Those that have not ended, by name.
  draw_reservations() {
    const { availability, at, machine } = this.app;
    const all = (availability ? availability.reservations : []).filter((each) => each.end === null || Number(each.end) > at);
    const most = 6;
    refill(this.reserved, ...all.slice(0, most).map((each) => {
      let count = 0;
      for_each_range(each.nodes, (first, last) => { count += Math.min(last, machine.count - 1) - first + 1; });
      const starts = Number(each.start);
      const clock = (time) => clock_words(time, at, this.app.zero);
      return el('li', {}, el('span', { class: 'swatch dashed', 'aria-hidden': 'true' }), name_of(shortened(each.name, 60)),
        `: ${count_of(count, 'node')}, ${starts > at ? `from ${clock(starts)}` : 'now'}${each.end === null ? '' : ` until ${clock(Number(each.end))}`}`);
    }), all.length > most ? el('li', {}, `and ${count_of(all.length - most, 'more reservation')}`) : null);
  }

  // Names of the reservations of a node.
  reservations_of(node) {
    const { availability, at } = this.app;
    return (availability ? availability.reservations : []).filter((each) => {
      let has = false;
      for_each_range(each.nodes, (first, last) => { has ||= first <= node && node <= last; });
      return has && (each.end === null || Number(each.end) > at);
    }).map((each) => shortened(each.name, 60));
  }

  // Operators drain the node, or set it down, for a reason.
  node_actions(node) {
    const { source, machine, view } = this.app;
    if (source.kind !== 'live' || !source.may('change')) return null;
    const reason = el('input', { type: 'text', size: '18', autocomplete: 'off', placeholder: 'reason', 'aria-label': 'reason' });
    const said = el('span', { role: 'status' });
    const set = (status, words) => async () => {
      try {
        await source.set_node(machine.names[node], status, reason.value.trim());
        refill(said, words);
      } catch (error) {
        refill(said, name_of(shortened(error.message, 200)));
      }
    };
    const usable = view.state[node] < 4;
    return el('p', { class: 'actions' }, usable ? [reason, button('drain', set('drain', 'drained')), button('set down', set('down', 'down'))]
      : button('up again', set('up', 'up')), said);
  }

  draw_panel() {
    const { machine, view, jobs, chosen_node: node } = this.app;
    if (node < 0) {
      refill(this.panel, el('p', { class: 'soft' }, 'Choose a node to see its contents and its jobs.'));
      return;
    }
    const all = jobs.on_node(node);
    const now = this.app.at;
    const running = all.filter((r) => jobs.start[r] <= now && now < jobs.end[r]);
    const next = all.filter((r) => jobs.start[r] > now);
    const past = all.filter((r) => jobs.end[r] <= now);
    const line = (r) => {
      const j = jobs.run_job[r];
      const when = jobs.start[r] > now ? `starts ${relative_words(jobs.start[r], now)}`
        : jobs.end[r] <= now ? `ended ${relative_words(jobs.end[r], now)}`
          : Number.isFinite(jobs.end[r]) ? `until ${this.app.time(jobs.end[r])}` : 'without an end';
      return el('li', {}, this.app.job_link(j), jobs.user(j) ? [' of ', name_of(shortened(jobs.user(j), 60))] : '', `, ${when}`);
    };
    const some = (title, runs) => (runs.length === 0 ? null : [el('h4', {}, `${title} (${grouped(runs.length)})`),
      el('ul', { class: 'plain' }, ...runs.slice(0, 8).map(line), runs.length > 8 ? el('li', {}, `and ${grouped(runs.length - 8)} more`) : null)]);
    const meters = this.types.slice(0, 12).map((type) => {
      const total = machine.total(node, type);
      const used = this.map.used(node, type, view, jobs);
      return total === 0 ? null : el('li', {},
        el('span', {}, `${shortened(machine.types[type], 30)}: ${grouped(total - used)} of ${grouped(total)} free`),
        el('span', { class: 'meter', 'aria-hidden': 'true' }, el('span', { style: { width: percent(used, total).replace(/[^\d]/g, '') + '%' } })));
    });
    refill(this.panel, el('h3', {}, name_of(shortened(machine.names[node], 200))),
      facts([['State', NODE_WORDS[view.state[node]]], ['Path', el('code', {}, name_of(shortened(machine.path(node), 2000)))],
        ['Properties', machine.properties(node).join(', ')], ['Reserved for', this.reservations_of(node).join(', ')]]), this.node_actions(node),
      el('ul', { class: 'plain meters' }, ...meters), some('Running', running), some('Next', next), some('Before', past.reverse()));
  }

  make_table() {
    const { app } = this;
    const used = (node, type) => this.map.used(node, type, app.view, app.jobs);
    const jobs_on = (node) => this.map.runs_on(app.view, app.jobs).get(node) || [];
    return new PagedTable('Nodes', [
      { title: 'Node', key: (n) => app.machine.names[n], cell: (n) => button(name_of(shortened(app.machine.names[n], 60)), () => this.choose(n), { class: 'link' }) },
      { title: 'In', cell: (n) => name_of(shortened(app.machine.frame_path(app.machine.doc.nodes.frame[n]), 80)) },
      { title: 'State', key: (n) => app.view.state[n], cell: (n) => NODE_WORDS[app.view.state[n]] },
      { title: 'Jobs', key: (n) => jobs_on(n).length, cell: (n) => el('span', {}, ...jobs_on(n).slice(0, 3).map((r) => [app.job_link(app.jobs.run_job[r]), ' ']),
        jobs_on(n).length > 3 ? `+ ${jobs_on(n).length - 3}` : '') },
      ...this.types.slice(0, 3).map((type) => ({
        title: `Free ${shortened(app.machine.types[type], 20)}`, number: true,
        key: (n) => app.machine.total(n, type) - used(n, type),
        cell: (n) => `${grouped(app.machine.total(n, type) - used(n, type))} of ${grouped(app.machine.total(n, type))}`,
      })),
    ], { what: 'node' });
  }

  fill_table() {
    if (!this.twin.open) return;
    const rows = [];
    for (let n = 0; n < this.app.machine.count; ++n) if (!this.marked || this.marked.has(n)) rows.push(n);
    this.table.set(rows);
  }

  show() { this.refresh(); }
}

