// SPDX-License-Identifier: Apache-2.0
//
// The schedule: what ran, runs and will run, on one axis of time.
import { Board } from './board.js';
import { ink_on, palette } from './colours.js';
import { button, choice, el, field, name_of, refill } from './dom.js';
import { PagedTable } from './paged_table.js';
import { draw_load, SchedulePaint, step_at } from './schedule_paint.js';
import { kept, moved, ticks, zoomed } from './time_axis.js';
import { count_of, duration_words, grouped, isolated, relative_words, shortened } from './words.js';

const AXIS = 24, LOAD = 64, GAP = 6, LABELS_MOST = 1200;
const SCHEDULE_HELP = 'Arrow keys move the cross, Enter chooses the job under it, + and − zoom in time, ' +
  'Shift with them in nodes, Page Up and Page Down move in time, N goes to now, 0 shows all. With a pointer: drag, ' +
  'zoom by the wheel (with Shift in nodes), click a job.';

export class ScheduleView {
  constructor(app) {
    this.app = app;
    this.paint = new SchedulePaint();
    this.mode = 'job';
    this.span = null;
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
    this.twin = el('details', { class: 'twin', ontoggle: () => this.fill_table() },
      el('summary', {}, 'The jobs of this span as a table'), this.table.element);
    this.life = el('p', { class: 'life', 'aria-live': 'polite' });
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-schedule' },
      el('h2', { id: 'title-schedule' }, 'Schedule'), this.toolbar(), this.legend, this.life, this.board.element, this.twin);
  }

  toolbar() {
    const preset = (words, seconds) => button(words, () => this.preset(seconds));
    return el('div', { class: 'tools' },
      field('Colour by', choice([['job', 'job'], ['user', 'user'], ['queue', 'queue']], 'job', (value) => {
        this.mode = value;
        this.refresh();
      })),
      el('span', { class: 'group', role: 'group', 'aria-label': 'span of time' },
        preset('all', 0), preset('1 h', 3600), preset('6 h', 21600), preset('1 day', 86400), preset('1 week', 604800),
        button('now', () => this.go_now())),
      el('span', { class: 'group', role: 'group', 'aria-label': 'zoom' },
        button('+', () => this.zoom(1.6), { 'aria-label': 'zoom in in time' }), button('−', () => this.zoom(1 / 1.6), { 'aria-label': 'zoom out in time' }),
        button('nodes +', () => this.zoom(1.6, undefined, undefined, true)), button('nodes −', () => this.zoom(1 / 1.6, undefined, undefined, true))));
  }

  bounds() {
    const { from, to } = this.app.jobs.bounds;
    const edge = (to - from) * 0.01;
    return { from: from - edge, to: to + edge };
  }

  // --- Where things stand

  place(width, height) {
    this.left = width < 620 ? 4 : 84;
    this.inner = width - this.left;
    this.top = AXIS;
    this.high = height - AXIS - LOAD - GAP;
    if (this.span === null) this.span = this.bounds();
    this.span = kept(this.span, this.bounds());
  }

  x_of(time) { return this.left + ((time - this.span.from) / (this.span.to - this.span.from)) * this.inner; }
  time_at(x) { return this.span.from + ((x - this.left) / this.inner) * (this.span.to - this.span.from); }
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

  // --- Drawing

  draw(context, width, height, ratio) {
    this.place(width, height);
    const { jobs, dark, at, chosen_job, machine } = this.app;
    const colours = palette(dark);
    context.fillStyle = colours.back;
    context.fillRect(0, 0, width, height);
    const labels = this.paint.paint(context, {
      jobs, dark, at, mode: this.mode, chosen: chosen_job, span: this.span, rows: this.rows, ratio,
      width: Math.round(this.inner * ratio), height: Math.round(this.high * ratio),
      left: Math.round(this.left * ratio), top: Math.round(this.top * ratio),
    });
    this.draw_labels(context, labels, ratio);
    this.draw_reservations(context, colours);
    this.draw_axis(context, width, height, colours);
    const most = draw_load(context, {
      load: jobs.load(), span: this.span, left: this.left, top: this.top + this.high + GAP, width: this.inner, height: LOAD, colours, nodes: machine.count,
    });
    this.draw_names(context, colours, height, most);
    this.draw_life(context, colours);
    this.draw_line(context, at, colours.now, 'now', 2);
    this.draw_cross(context, width, colours);
  }

  draw_labels(context, labels, ratio) {
    const { jobs, dark } = this.app;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const { run, x, y, w, h } of labels.slice(0, LABELS_MOST)) {
      const left = Math.max(x / ratio, 0) + this.left;
      const right = Math.min((x + w) / ratio + this.left, this.left + this.inner);
      if (right - left < 20) continue;
      const job = jobs.run_job[run];
      const text = isolated(shortened(jobs.name(job), Math.floor((right - left - 4) / 6)));
      const wide = context.measureText(text).width;
      if (wide > right - left - 4) continue;
      const middle = Math.min(Math.max((y + h / 2) / ratio + this.top, this.top + 6), this.top + this.high - 6);
      const back = this.paint.colour(jobs, job, this.mode, dark);
      if (jobs.start[run] > this.app.at) {  // on stripes: a plate
        context.fillStyle = back;
        context.fillRect(left + 2, middle - 7, wide + 4, 14);
      }
      context.fillStyle = ink_on(back);
      context.fillText(text, left + 4, middle);
    }
  }

  draw_reservations(context, colours) {
    for (const each of this.app.happenings ? this.app.happenings.reservations : []) {
      const x0 = Math.max(this.left, this.x_of(each.start));
      const x1 = Math.min(this.left + this.inner, this.x_of(each.end));
      if (x1 <= x0) continue;
      context.strokeStyle = colours.text;
      context.setLineDash([4, 3]);
      context.lineWidth = 1;
      for (const piece of each.nodes.split(',').filter(Boolean)) {
        const [first, last = first] = piece.split('-').map(Number);
        const y0 = Math.max(this.top, this.y_of(first));
        const y1 = Math.min(this.top + this.high, this.y_of(last + 1));
        if (y1 > y0) context.strokeRect(x0 + 0.5, y0 + 0.5, Math.max(1, x1 - x0 - 1), Math.max(1, y1 - y0 - 1));
      }
      context.setLineDash([]);
    }
  }

  draw_axis(context, width, height, colours) {
    const { zero } = this.app;
    const offset = zero === null ? 0 : zero - new Date(zero * 1000).getTimezoneOffset() * 60;
    context.fillStyle = colours.soft;
    context.strokeStyle = colours.line;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.lineWidth = 1;
    for (const tick of ticks(this.span, this.inner, 76, offset, zero)) {
      const x = Math.round(this.x_of(tick.time)) + 0.5;
      context.globalAlpha = tick.day ? 0.7 : 0.25;
      context.beginPath();
      context.moveTo(x, this.top - 5);
      context.lineTo(x, this.top + this.high + GAP + LOAD);
      context.stroke();
      context.globalAlpha = 1;
      const wide = context.measureText(tick.label).width;
      context.fillText(tick.label, Math.min(Math.max(x - wide / 2, this.left), width - wide - 2), AXIS / 2 - 2);
    }
  }

  draw_names(context, colours, height, most) {
    if (this.left < 40) return;
    const { machine } = this.app;
    context.fillStyle = colours.back;
    context.fillRect(0, 0, this.left - 3, height);
    context.fillStyle = colours.soft;
    const down = this.high / (this.rows.to - this.rows.from);
    const step = Math.max(1, Math.ceil(13 / down));
    for (let n = Math.ceil(this.rows.from / step) * step; n < this.rows.to; n += step) {
      const y = this.y_of(n) + Math.max(Math.min(down, 13) / 2, 5);
      if (y > this.top + this.high - 3) break;
      context.fillText(isolated(shortened(machine.names[n], 12)), 2, y);
    }
    context.fillText('nodes in use', 2, this.top + this.high + GAP + 10);
    context.fillStyle = colours.bad;
    context.fillText('jobs waiting,', 2, this.top + this.high + GAP + 30);
    context.fillText(`at most ${grouped(most)}`, 2, this.top + this.high + GAP + 44);
  }

  draw_line(context, time, colour, words, width, dash = []) {
    const x = Math.round(this.x_of(time)) + 0.5;
    if (!(x >= this.left && x <= this.left + this.inner)) return;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x, AXIS - 4);
    context.lineTo(x, this.top + this.high + GAP + LOAD);
    context.stroke();
    context.setLineDash([]);
    context.font = 'bold 11px system-ui, sans-serif';
    const wide = context.measureText(words).width + 6;
    const at = Math.min(x, this.left + this.inner - wide);
    context.fillStyle = colour;
    context.fillRect(at, AXIS - 10, wide, 14);
    context.fillStyle = ink_on(colour);
    context.fillText(words, at + 3, AXIS - 2.5);
  }

  // The whole life of the chosen job.
  draw_life(context, colours) {
    const { jobs, chosen_job: j } = this.app;
    if (j < 0) return;
    this.draw_line(context, jobs.submit[j], colours.accent, 'submitted', 1.5, [5, 4]);
    if (Number.isFinite(jobs.promised[j])) this.draw_line(context, jobs.promised[j], colours.accent, 'promised', 1.5, [2, 3]);
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    for (const r of jobs.job_runs(j)) {
      const x0 = Math.max(this.left, this.x_of(jobs.start[r]));
      const x1 = Math.min(this.left + this.inner, this.x_of(jobs.end[r]));
      for (let p = jobs.place_begin[r]; p < jobs.place_begin[r + 1]; ++p) {
        const y0 = Math.max(this.top, this.y_of(jobs.place_first[p]));
        const y1 = Math.min(this.top + this.high, this.y_of(jobs.place_first[p] + jobs.place_count[p]));
        if (x1 > x0 && y1 > y0) context.strokeRect(x0, y0, Math.max(2, x1 - x0), Math.max(2, y1 - y0));
      }
    }
  }

  draw_cross(context, width, colours) {
    if (this.cursor === null) return;
    const x = Math.round(this.x_of(this.cursor.time)) + 0.5;
    const y = Math.round(this.y_of(this.cursor.row)) + 0.5;
    context.strokeStyle = colours.text;
    context.globalAlpha = 0.6;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, this.top);
    context.lineTo(x, this.top + this.high);
    context.moveTo(this.left, y);
    context.lineTo(width, y);
    context.stroke();
    context.globalAlpha = 1;
  }

  // --- What is done with it

  zoom(factor, x = this.left + this.inner / 2, y = this.top + this.high / 2, in_nodes = false) {
    const before = JSON.stringify([this.span, this.rows]);
    if (in_nodes) {
      this.rows = zoomed_rows(this.rows, factor, (y - this.top) / this.high, this.app.machine.count);
    } else {
      this.span = zoomed(this.span, factor, Math.min(1, Math.max(0, (x - this.left) / this.inner)), this.bounds());
    }
    this.changed();
    return JSON.stringify([this.span, this.rows]) !== before;
  }

  drag(dx, dy) {
    this.span = moved(this.span, (-dx / this.inner) * (this.span.to - this.span.from), this.bounds());
    this.rows = kept_rows(this.rows, (-dy / this.high) * (this.rows.to - this.rows.from), this.app.machine.count);
    this.changed();
  }

  preset(seconds) {
    this.rows = { from: 0, to: this.app.machine.count };
    if (seconds === 0) this.span = this.bounds();
    else {
      const all = this.bounds();
      const length = Math.min(seconds, all.to - all.from);
      this.span = kept({ from: this.app.at - length / 4, to: this.app.at + (3 * length) / 4 }, all);
    }
    this.changed();
  }

  go_now() {
    const length = this.span.to - this.span.from;
    this.span = kept({ from: this.app.at - length / 2, to: this.app.at + length / 2 }, this.bounds());
    this.changed();
  }

  changed() {
    if (this.twin.open) this.fill_table();
    this.board.ask();
  }

  point(x, y) {
    if (x < this.left || y < this.top || y >= this.top + this.high) {
      this.cursor = null;
    } else {
      this.cursor = { time: this.time_at(x), row: this.row_at(y) };
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
    if (r < 0) return `${where}: nothing runs; ${this.load_words(time)}`;
    const j = jobs.run_job[r];
    const verb = jobs.start[r] > at ? 'will start' : 'started';
    return `${where}: job ${shortened(jobs.name(j), 60)}${jobs.user(j) ? ` of ${shortened(jobs.user(j), 40)}` : ''}, ` +
      `${count_of(jobs.doc.runs.nodes[r], 'node')}, ${verb} ${relative_words(jobs.start[r], at)}` +
      (Number.isFinite(jobs.end[r]) ? `, for ${duration_words(jobs.end[r] - jobs.start[r])}` : '');
  }

  load_words(time) {
    const load = this.app.jobs.load();
    const i = step_at(load.time, time);
    return i < 0 ? 'no job was there yet' : `${count_of(load.busy[i], 'node')} in use, ${count_of(load.waiting[i], 'job')} waiting`;
  }

  choose() {
    if (this.cursor === null) return;
    const r = this.run_at(this.cursor.time, this.cursor.row);
    this.app.choose_job(r < 0 ? -1 : this.app.jobs.run_job[r]);
  }

  key(key, shift) {
    const length = this.span.to - this.span.from;
    if (key === '+' || key === '=' || key === '*') return this.zoom(1.4, ...this.centre(), shift && key !== '='), true;
    if (key === '-' || key === '_') return this.zoom(1 / 1.4, ...this.centre(), shift), true;
    if (key === '0') return this.preset(0), true;
    if (key === 'n' || key === 'N') return this.go_now(), true;
    if (key === 'PageDown' || key === 'PageUp') {
      this.span = moved(this.span, (key === 'PageDown' ? 0.5 : -0.5) * length, this.bounds());
      this.changed();
      return true;
    }
    if (key === 'Enter' || key === ' ') return this.choose(), true;
    if (key === 'Escape') return this.app.choose_job(-1), true;
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
    if (!step) return false;
    this.cursor ||= { time: Math.min(Math.max(this.app.at, this.span.from), this.span.to), row: this.rows.from + 0.5 };
    const time = this.cursor.time + (step[0] * length) / 60;
    const down = Math.max(1, Math.round((this.rows.to - this.rows.from) / 60));
    const row = Math.min(this.app.machine.count - 0.5, Math.max(0.5, Math.floor(this.cursor.row) + 0.5 + step[1] * down));
    this.cursor = { time: Math.min(Math.max(time, this.bounds().from), this.bounds().to), row };
    if (this.cursor.time > this.span.to || this.cursor.time < this.span.from) this.span = moved(this.span, (step[0] * length) / 4, this.bounds());
    if (row < this.rows.from || row >= this.rows.to) this.rows = kept_rows(this.rows, step[1] * down * 4, this.app.machine.count);
    this.board.say(this.words_at_cursor());
    this.board.ask();
    return true;
  }

  centre() {
    if (this.cursor === null) return [this.left + this.inner / 2, this.top + this.high / 2];
    return [this.x_of(this.cursor.time), this.y_of(this.cursor.row)];
  }

  // --- Words beside it

  refresh() {
    const colours = palette(this.app.dark);
    const swatch = (key) => el('span', { class: `swatch ${key}`, style: { '--colour': colours.used }, 'aria-hidden': 'true' });
    refill(this.legend, el('li', {}, swatch('solid'), 'started by now'), el('li', {}, swatch('striped'), 'planned'),
      el('li', {}, swatch('ended'), 'a red end: killed, cancelled or failed'),
      this.app.happenings && this.app.happenings.reservations.length ? el('li', {}, swatch('dashed'), 'reserved') : null);
    const { jobs, chosen_job: j } = this.app;
    refill(this.life, ...(j < 0 ? ['Choose a job to see its whole life.']
      : [this.app.job_link(j), jobs.user(j) ? [' of ', name_of(shortened(jobs.user(j), 60))] : '', ': ', this.app.life_words(j), ' ',
        button('show all jobs again', () => this.app.choose_job(-1), { class: 'link' })]));
    this.changed();
  }

  make_table() {
    const { app } = this;
    const start = (r) => app.jobs.start[r];
    return new PagedTable('Jobs of this span', [
      { title: 'Job', key: (r) => app.jobs.name(app.jobs.run_job[r]), cell: (r) => app.job_link(app.jobs.run_job[r]) },
      { title: 'User', key: (r) => app.jobs.user(app.jobs.run_job[r]), cell: (r) => name_of(shortened(app.jobs.user(app.jobs.run_job[r]), 40)) },
      { title: 'Starts', key: start, cell: (r) => app.time(start(r)) },
      { title: 'Ends', key: (r) => app.jobs.end[r], cell: (r) => (Number.isFinite(app.jobs.end[r]) ? app.time(app.jobs.end[r]) : 'never') },
      { title: 'Is', key: start, cell: (r) => (start(r) > app.at ? 'planned' : app.jobs.end[r] <= app.at ? app.jobs.ending[r] : 'running') },
      { title: 'Nodes', number: true, key: (r) => Number(app.jobs.doc.runs.nodes[r]), cell: (r) => grouped(app.jobs.doc.runs.nodes[r]) },
    ], { what: 'run' });
  }

  fill_table() {
    if (!this.twin.open || this.span === null) return;
    const { jobs } = this.app;
    const rows = [];
    for (let r = 0; r < jobs.runs; ++r) if (jobs.start[r] < this.span.to && jobs.end[r] > this.span.from) rows.push(r);
    this.table.set(rows.sort((a, b) => jobs.start[a] - jobs.start[b]));
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
