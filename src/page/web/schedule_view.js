// SPDX-License-Identifier: Apache-2.0
//
// The schedule: past, present and planned runs, on one time axis.
import { Board } from './board.js';
import { palette } from './colours.js';
import { button, choice, el, field, name_of, refill } from './dom.js';
import { fragmentation_steps, levels_of } from './levels.js';
import { PagedTable } from './paged_table.js';
import { ScheduleCells } from './schedule_cells.js';
import { draw_job_labels, draw_job_life, draw_reservations, draw_row_names } from './schedule_overlay.js';
import { draw_load, draw_share, SchedulePaint, step_at } from './schedule_paint.js';
import { AXIS, draw_axis, draw_cross, draw_time_line } from './time_drawing.js';
import { time_buttons, time_key, TimePlane } from './time_plane.js';
import { count_of, duration_words, grouped, percent, relative_words, shortened } from './words.js';

const LOAD = 64, GAP = 6, SHARE = 34;
const SCHEDULE_HELP = 'Arrow keys move the cross, Enter chooses the job under it, + and − zoom in time, ' +
  'Shift with them in nodes, Page Up and Page Down move in time, N goes to now, 0 shows all. With a pointer: drag, ' +
  'zoom by the wheel (with Shift in nodes), click a job.';

export class ScheduleView {
  constructor(app) {
    this.app = app;
    this.paint = new SchedulePaint();
    this.plane = new TimePlane(() => app.bounds(), () => app.at);
    this.cells = app.source.schedule ? new ScheduleCells(app.source, () => this.changed()) : null;
    this.level = levels_of(app.machine).pop() ?? null;  // the lowest; null: none
    this.mode = 'job';
    this.rows = { from: 0, to: app.machine.count };
    this.cursor = null;  // {time, row}
    this.board = new Board({
      label: 'Schedule: nodes down, time to the right',
      help: SCHEDULE_HELP,
      height: () => Math.max(320, window.innerHeight - 235),
      draw: (...all) => this.draw(...all),
      pointer: {
        move: (x, y) => this.point(x, y),
        leave: () => { this.cursor = null; this.board.ask(); },
        click: (x, y) => { this.point(x, y); this.choose(); },
        drag: (dx, dy) => this.drag(dx, dy),
        wheel: (steps, x, y, shift) => this.zoom(1.2 ** steps, x, y, shift),
      },
      key: (key, shift) => this.key(key, shift),
    });
    this.legend = el('ul', { class: 'legend', 'aria-label': 'what the picture says' });
    this.table = this.make_table();
    this.more = el('p', { class: 'soft' });
    this.twin = el('details', { class: 'twin', ontoggle: () => this.fill_table() },
      el('summary', {}, 'The jobs of this span as a table'), this.table.element, this.more);
    this.life = el('p', { class: 'life', 'aria-live': 'polite' });
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-schedule' },
      el('h2', { id: 'title-schedule' }, 'Schedule'), this.toolbar(), this.legend, this.life, this.board.element, this.twin);
  }

  toolbar() {
    return el('div', { class: 'tools' },
      field('Colour by', choice([['job', 'job'], ['user', 'user'], ['queue', 'queue']], 'job', (value) => {
        this.mode = value;
        this.refresh();
      })),
      time_buttons(this.plane, (all) => {
        if (all) this.rows = { from: 0, to: this.app.machine.count };
        this.changed();
      }),
      el('span', { class: 'group', role: 'group', 'aria-label': 'zoom' },
        button('+', () => this.zoom(1.6), { 'aria-label': 'zoom in in time' }), button('−', () => this.zoom(1 / 1.6), { 'aria-label': 'zoom out in time' }),
        button('nodes +', () => this.zoom(1.6, undefined, undefined, true)), button('nodes −', () => this.zoom(1 / 1.6, undefined, undefined, true))));
  }

  // --- Positions

  place(width, height) {
    const left = width < 620 ? 4 : 84;
    this.plane.place(left, width - left);
    this.top = AXIS;
    this.high = height - AXIS - LOAD - GAP - (this.level === null ? 0 : SHARE + GAP);
  }

  y_of(row) { return this.top + ((row - this.rows.from) / (this.rows.to - this.rows.from)) * this.high; }
  row_at(y) { return this.rows.from + ((y - this.top) / this.high) * (this.rows.to - this.rows.from); }

  run_at(time, row) {
    const { jobs } = this.app;
    const node = Math.floor(row);
    let found = -1;
    for (let r = 0; r < jobs.runs; ++r) {
      if (jobs.start[r] > time || time >= jobs.end[r]) continue;
      for (let p = jobs.place_begin[r]; p < jobs.place_begin[r + 1]; ++p) {
        const off = node - jobs.place_first[p];
        if (off < 0 || off >= jobs.place_count[p]) continue;
        const tracks = jobs.place_share[p] === 256 ? 1 : Math.max(1, jobs.tracks.get(node) || 1);
        if (tracks === 1 || Math.floor((row - node) * tracks) === jobs.track[p]) return r;
        found = r;
      }
    }
    return found;
  }

  draw(context, width, height, ratio) {
    this.place(width, height);
    const { jobs, dark, at, chosen_job, machine, zero, availability } = this.app;
    const { plane, rows } = this;
    const colours = palette(dark);
    context.fillStyle = colours.back;
    context.fillRect(0, 0, width, height);
    this.cells?.look(plane.span, rows, plane.inner, this.high);
    const labels = this.paint.paint(context, {
      jobs, dark, at, mode: this.mode, chosen: chosen_job, span: plane.span, rows, ratio, beneath: this.cells,
      width: Math.round(plane.inner * ratio), height: Math.round(this.high * ratio),
      left: Math.round(plane.left * ratio), top: Math.round(this.top * ratio),
    });
    const load_top = this.top + this.high + GAP;
    const share_top = load_top + LOAD + GAP;
    const bottom = this.level === null ? load_top + LOAD : share_top + SHARE;
    draw_job_labels(context, this, { labels, ratio, jobs, at, colour_of: (job) => this.paint.colour(jobs, job, this.mode, dark) });
    draw_reservations(context, this, availability ? availability.reservations : [], colours);
    draw_axis(context, plane, { zero, bottom, width, colours });
    const most = draw_load(context, {
      load: jobs.load(), span: plane.span, left: plane.left, top: load_top, width: plane.inner, height: LOAD, colours, nodes: machine.count,
    });
    draw_row_names(context, this, { names: machine.names, rows, height, load_top, most, colours });
    if (this.level !== null) {
      draw_share(context, { steps: this.fragmentation(), plane, top: share_top, height: SHARE, colours, words: 'fragmentation' });
    }
    draw_job_life(context, this, jobs, chosen_job, bottom, colours);
    draw_time_line(context, plane, at, { words: 'now', colour: colours.now, bottom });
    if (this.cursor !== null) draw_cross(context, plane, plane.x_of(this.cursor.time), this.y_of(this.cursor.row), this.top + this.high, colours);
  }

  // --- Input

  zoom(factor, x = this.plane.middle, y = this.top + this.high / 2, in_nodes = false) {
    const before = this.rows;
    let moved = false;
    if (in_nodes) {
      this.rows = zoomed_rows(before, factor, (y - this.top) / this.high, this.app.machine.count);
      moved = this.rows.from !== before.from || this.rows.to !== before.to;
    } else {
      moved = this.plane.zoom(factor, x);
    }
    this.changed();
    return moved;
  }

  drag(dx, dy) {
    this.plane.drag(dx);
    this.rows = kept_rows(this.rows, (-dy / this.high) * (this.rows.to - this.rows.from), this.app.machine.count);
    this.changed();
  }

  show_all() {
    this.rows = { from: 0, to: this.app.machine.count };
    this.plane.preset(0);
    this.changed();
  }

  changed() {
    if (this.twin.open) this.fill_table();
    this.board.ask();
  }

  point(x, y) {
    if (x < this.plane.left || y < this.top || y >= this.top + this.high) {
      this.cursor = null;
    } else {
      this.cursor = { time: this.plane.time_at(x), row: this.row_at(y) };
      this.board.say(this.words_at_cursor());
    }
    this.board.ask();
  }

  words_at_cursor() {
    const { jobs, machine, at } = this.app;
    const { time, row } = this.cursor;
    const node = Math.min(machine.count - 1, Math.max(0, Math.floor(row)));
    const where = `${shortened(machine.names[node], 40)}, ${this.app.time(time)}`;
    const r = this.run_at(time, row);
    if (r < 0) {
      const cell = this.cells?.at(time, row);
      if (cell) return `${where}: job ${shortened(cell.job, 60)} and perhaps others, which the page does not keep`;
      return `${where}: nothing runs; ${this.load_words(time)}`;
    }
    const j = jobs.run_job[r];
    const verb = jobs.start[r] > at ? 'will start' : 'started';
    return `${where}: job ${shortened(jobs.name(j), 60)}${jobs.user(j) ? ` of ${shortened(jobs.user(j), 40)}` : ''}, ` +
      `${count_of(jobs.doc.runs.nodes[r], 'node')}, ${verb} ${relative_words(jobs.start[r], at)}` +
      (Number.isFinite(jobs.end[r]) ? `, for ${duration_words(jobs.end[r] - jobs.start[r])}` : '');
  }

  // Computed once for a plan, whose jobs do not change. A live page does not keep all runs, so it has the
  // series of the service, until now.
  fragmentation() {
    const { machine, jobs, status, availability, source, at } = this.app;
    if (source.kind === 'live') return { time: [], share: [], ...this.app.fragmentation, end: at };
    this.steps ??= fragmentation_steps(machine, jobs, status, availability, this.level);
    return this.steps;
  }

  load_words(time) {
    const load = this.app.jobs.load();
    const i = step_at(load.time, time);
    if (i < 0) return 'no job was there yet';
    const words = `${count_of(load.busy[i], 'node')} in use, ${count_of(load.waiting[i], 'job')} waiting`;
    if (this.level === null) return words;
    const steps = this.fragmentation();
    const f = time > (steps.end ?? Infinity) ? -1 : step_at(steps.time, time);
    return f < 0 ? words : `${words}, fragmentation ${percent(steps.share[f], 1)}`;
  }

  choose() {
    if (this.cursor === null) return;
    const r = this.run_at(this.cursor.time, this.cursor.row);
    this.app.choose_job(r < 0 ? -1 : this.app.jobs.run_job[r]);
  }

  key(key, shift) {
    const [x, y] = this.cursor === null ? [this.plane.middle, this.top + this.high / 2] : [this.plane.x_of(this.cursor.time), this.y_of(this.cursor.row)];
    if (key === '*' || (key === '+' && shift)) return this.zoom(1.4, x, y, shift), true;
    if (key === '_' || (key === '-' && shift)) return this.zoom(1 / 1.4, x, y, shift), true;
    if (key === '0') return this.show_all(), true;
    if (key === 'Enter' || key === ' ') return this.choose(), true;
    if (key === 'Escape') return this.app.choose_job(-1), true;
    if (time_key(this.plane, key, x)) return this.changed(), true;
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
    if (!step) return false;
    const { plane } = this;
    this.cursor ||= { time: Math.min(Math.max(this.app.at, plane.span.from), plane.span.to), row: this.rows.from + 0.5 };
    const time = plane.within(this.cursor.time + (step[0] * plane.length) / 60);
    const down = Math.max(1, Math.round((this.rows.to - this.rows.from) / 60));
    const row = Math.min(this.app.machine.count - 0.5, Math.max(0.5, Math.floor(this.cursor.row) + 0.5 + step[1] * down));
    this.cursor = { time, row };
    plane.reveal(time, step[0]);
    if (row < this.rows.from || row >= this.rows.to) this.rows = kept_rows(this.rows, step[1] * down * 4, this.app.machine.count);
    this.board.say(this.words_at_cursor());
    this.board.ask();
    return true;
  }

  // --- Text next to it

  refresh() {
    const colours = palette(this.app.dark);
    const swatch = (key) => el('span', { class: `swatch ${key}`, style: { '--colour': colours.used }, 'aria-hidden': 'true' });
    refill(this.legend, el('li', {}, swatch('solid'), 'started by now'), el('li', {}, swatch('striped'), 'planned'),
      el('li', {}, swatch('ended'), 'a red end: killed, cancelled or failed'),
      this.app.availability && this.app.availability.reservations.length ? el('li', {}, swatch('dashed'), 'reserved') : null,
      this.level === null ? null : el('li', {}, el('span', {}, 'below: fragmentation, the share of free nodes outside of the ', name_of(shortened(this.level.name, 24)), ' with the most')));
    const { jobs, chosen_job: j } = this.app;
    refill(this.life, ...(j < 0 ? ['Choose a job to see its whole life.']
      : [this.app.job_link(j), jobs.user(j) ? [' of ', name_of(shortened(jobs.user(j), 60))] : '', ': ', this.app.life_words(j), ' ',
        button('show all jobs again', () => this.app.choose_job(-1), { class: 'link' })]));
    this.changed();
  }

  make_table() {
    const { app } = this;
    return new PagedTable('Jobs of this span', [
      { title: 'Job', key: (row) => row.name, cell: (row) => (row.j < 0 ? name_of(shortened(row.name, 60)) : app.job_link(row.j)) },
      { title: 'User', key: (row) => row.user, cell: (row) => name_of(shortened(row.user, 40)) },
      { title: 'Starts', key: (row) => row.start, cell: (row) => app.time(row.start) },
      { title: 'Ends', key: (row) => row.end, cell: (row) => (Number.isFinite(row.end) ? app.time(row.end) : 'never') },
      { title: 'Is', key: (row) => row.start, cell: (row) => row.is },
      { title: 'Nodes', number: true, key: (row) => row.nodes, cell: (row) => grouped(row.nodes) },
    ], { what: 'run' });
  }

  fill_table() {
    if (!this.twin.open || this.plane.span === null) return;
    const { jobs, at } = this.app;
    const { span } = this.plane;
    const rows = (this.cells?.rows((id) => jobs.by_id.has(id)) ?? []).map((row) =>
      ({ j: -1, name: row.id, user: '', start: row.start, end: row.end, is: row.planned ? 'planned' : 'done', nodes: row.nodes }));
    for (let r = 0; r < jobs.runs; ++r) {
      if (jobs.start[r] >= span.to || jobs.end[r] <= span.from) continue;
      const j = jobs.run_job[r];
      rows.push({ j, name: jobs.name(j), user: jobs.user(j), start: jobs.start[r], end: jobs.end[r], nodes: Number(jobs.doc.runs.nodes[r]),
        is: jobs.start[r] > at ? 'planned' : jobs.end[r] <= at ? jobs.ending[r] : 'running' });
    }
    this.table.set(rows.sort((a, b) => a.start - b.start));
    refill(this.more, this.cells && this.cells.wanted() && !this.cells.listed ? 'More jobs are in the picture than can be listed: zoom in.' : '');
  }

  show() { this.refresh(); }
}

export function kept_rows(rows, by, count) {
  const length = rows.to - rows.from;
  const from = Math.min(Math.max(0, rows.from + by), count - length);
  return { from, to: from + length };
}

export function zoomed_rows(rows, factor, share, count) {
  const length = Math.min(count, Math.max(Math.min(4, count), (rows.to - rows.from) / factor));
  const at = rows.from + (rows.to - rows.from) * Math.min(1, Math.max(0, share));
  const from = Math.min(Math.max(0, at - length * share), count - length);
  return { from, to: from + length };
}
