// SPDX-License-Identifier: Apache-2.0
//
// The page: a source of documents, the selection, and one view at a time.
import { button, el, name_of, refill } from './dom.js';
import { JobView } from './job_view.js';
import { HealthView } from './health_view.js';
import { LayersView } from './layers_view.js';
import { login_line, login_source } from './login.js';
import { MachineView } from './machine_view.js';
import { Jobs, Machine, NODE_WORDS, state_at, WAITS } from './model.js';
import { QueueView } from './queue_view.js';
import { ScheduleView } from './schedule_view.js';
import { FileSource } from './source.js';
import { TryView } from './try_view.js';
import { count_of, duration_words, grouped, relative_words, shortened, time_words } from './words.js';

const VIEWS = [['machine', 'Machine', MachineView], ['schedule', 'Schedule', ScheduleView], ['queue', 'Queue', QueueView],
  ['job', 'Job', JobView], ['layers', 'Layers', LayersView], ['try', 'Will it run?', TryView, 'simulate'], ['health', 'Health', HealthView, 'health']];

class App {
  constructor(source) {
    this.source = source;
    this.chosen_job = -1;
    this.chosen_node = -1;
    this.views = new Map();
    this.shown = '';
    this.known_views = VIEWS.filter(([, , , needs]) => needs === undefined || source.can.has(needs));
  }

  async begin() {
    this.about = await this.source.load('about');
    this.machine = new Machine(await this.source.load('machine'));
    this.at = this.source.now();
    this.zero = this.about.zero === null ? null : Number(this.about.zero);
    await this.load_state();
    this.frame();
    this.follow_theme();
    window.addEventListener('hashchange', () => this.route());
    window.addEventListener('resize', () => this.current().refresh());
    this.source.subscribe((news) => this.on_news(news));
    this.route();
  }

  async load_state() {
    const [jobs, status, availability, queue, layers, fragmentation] = await Promise.all(
      ['jobs', 'status', 'availability', 'queue', 'layers', 'fragmentation'].map((name) => this.source.load(name)));
    const chosen = this.chosen_job < 0 ? null : this.jobs.ids[this.chosen_job];
    this.jobs = new Jobs(jobs, this.machine);
    this.chosen_job = chosen === null ? -1 : this.jobs.by_id.get(chosen) ?? -1;
    Object.assign(this, { status, availability, queue, layers, fragmentation });
    this.look();
  }

  look() {
    this.view = state_at(this.machine, this.jobs, this.status, this.availability, this.at);
  }

  async on_news({ changed }) {
    if (changed.includes('machine')) {
      window.location.reload();
      return;
    }
    this.at = this.source.now();
    if (changed.some((name) => name !== 'time')) await this.load_state();
    else this.look();
    this.tell();
    this.current().refresh();
  }

  // --- The frame of the views

  frame() {
    document.title = `${shortened(this.about.title, 80)} · Copse`;
    const nav = document.getElementById('nav');
    refill(nav, ...this.known_views.map(([name, words]) => el('a', { href: `#${name}`, id: `nav-${name}` }, words)));
    refill(document.getElementById('title'), name_of(shortened(this.about.title, 120)));
    this.facts = document.getElementById('facts');
    this.main = document.getElementById('main');
    refill(document.getElementById('theme'), button('dark or light', () => this.turn_theme()));
    refill(document.getElementById('made'), ...this.about.made_with.map(([what, value]) =>
      el('span', {}, `${what}: `, name_of(shortened(value, 200)))), el('span', {}, `Copse ${this.about.version}`));
    if (this.source.kind === 'live') refill(document.getElementById('clock'), login_line(this.source));
    this.make_clock();
    this.tell();
  }

  // A plan can be viewed at any of its times.
  make_clock() {
    const { from, to } = this.jobs.bounds;
    const place = document.getElementById('clock');
    if (this.source.kind !== 'file' || this.about.kind !== 'plan') return;
    this.slider = el('input', {
      type: 'range', min: String(Math.floor(from)), max: String(Math.ceil(to)), step: '1', 'aria-label': 'time shown',
      oninput: () => this.set_time(Number(this.slider.value)),
    });
    this.clock_words = el('output', {});
    const load = this.jobs.load();
    const step = (by) => () => {
      const next = by > 0 ? load.time.find((time) => time > this.at) : load.time.findLast((time) => time < this.at);
      if (next !== undefined) this.set_time(next);
    };
    refill(place, el('label', {}, el('span', {}, 'Time'), this.slider), this.clock_words,
      button('◀', step(-1), { 'aria-label': 'the change before' }), button('▶', step(1), { 'aria-label': 'the next change' }));
  }

  set_time(time) {
    this.at = time;
    this.look();
    this.tell();
    this.current().refresh();
  }

  tell() {
    const counts = new Array(NODE_WORDS.length).fill(0);
    for (const state of this.view.state) ++counts[state];
    let waiting = 0;
    for (let j = 0; j < this.jobs.count; ++j) if (this.jobs.state_of(j, this.at).state === WAITS) ++waiting;
    const tile = (number, words) => el('span', { class: 'tile' }, el('b', {}, grouped(number)), ` ${words}`);
    refill(this.facts, tile(this.machine.count, this.machine.count === 1 ? 'node' : 'nodes'), tile(counts[1] + counts[2], 'in use'), tile(counts[0] + counts[3], 'free'),
      counts[4] + counts[5] ? tile(counts[4] + counts[5], 'down or drained') : null,
      tile(this.view.running.length, 'jobs run'), tile(waiting, waiting === 1 ? 'waits' : 'wait'));
    if (this.slider) {
      this.slider.value = String(this.at);
      this.slider.setAttribute('aria-valuetext', this.time(this.at));
      this.clock_words.textContent = this.time(this.at);
    }
  }

  // --- Functions for views

  // The span of times with anything to show.
  bounds() {
    const { from, to } = this.jobs.bounds;
    return { from: Math.min(from, this.source.since ?? from), to };
  }
  time(seconds) { return time_words(seconds, this.zero); }

  job_link(j) {
    return el('a', { href: `#job/${encodeURIComponent(this.jobs.ids[j].slice(0, 2000))}`, onclick: (event) => {
      event.preventDefault();
      this.choose_job(j);
      this.go('job');
    } }, name_of(shortened(this.jobs.name(j), 60)));
  }

  life_words(j) {
    const { jobs, at } = this;
    const runs = jobs.job_runs(j);
    const parts = [`submitted ${relative_words(jobs.submit[j], at)}`];
    if (runs.length === 0) parts.push(jobs.remark(j) || 'it never starts');
    for (const r of runs) {
      parts.push(`${jobs.start[r] > at ? 'starts' : 'started'} ${relative_words(jobs.start[r], at)} after waiting ${duration_words(jobs.start[r] - jobs.submit[j])}`);
      parts.push(`on ${count_of(jobs.doc.runs.nodes[r], 'node')}`);
      if (Number.isFinite(jobs.end[r])) parts.push(`${jobs.end[r] > at ? 'ends' : 'ended'} ${relative_words(jobs.end[r], at)}`);
    }
    return parts.join(', ') + '.';
  }

  choose_job(j) {
    this.chosen_job = j;
    this.current().refresh();
  }

  choose_node(node) {
    this.chosen_node = node;
    this.current().refresh();
  }

  // --- The current view

  go(name) {
    const job = this.chosen_job >= 0 && name === 'job' ? `/${encodeURIComponent(this.jobs.ids[this.chosen_job].slice(0, 2000))}` : '';
    if (window.location.hash === `#${name}${job}`) this.route();
    else window.location.hash = `#${name}${job}`;
  }

  route() {
    const [name, rest] = decode_hash(window.location.hash);
    const known = this.known_views.find(([each]) => each === name) ? name : VIEWS[0][0];
    if (rest !== null && known === 'job') {
      const of_hash = this.jobs.by_id.get(rest);
      if (of_hash !== undefined && this.jobs.ids[this.chosen_job] !== rest) this.chosen_job = of_hash;
    }
    for (const [each] of this.known_views) {
      const link = document.getElementById(`nav-${each}`);
      if (each === known) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
    }
    this.shown = known;
    refill(this.main, this.current().element);
    this.current().show();
  }

  current() {
    if (!this.views.has(this.shown)) {
      const [, , View] = VIEWS.find(([name]) => name === this.shown);
      this.views.set(this.shown, new View(this));
    }
    return this.views.get(this.shown);
  }

  // --- Light and dark

  follow_theme() {
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    const set = (dark, chosen) => {
      this.dark = dark;
      if (chosen) document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    };
    let kept = null;
    try { kept = window.localStorage.getItem('copse-theme'); } catch { /* a file may have no storage */ }
    set(kept === null ? system.matches : kept === 'dark', kept !== null);
    system.addEventListener('change', () => {
      if (document.documentElement.dataset.theme) return;
      set(system.matches, false);
      this.current().refresh();
    });
    this.set_theme = set;
    // Printed pages are light.
    let dark = null;
    const turn = (to) => {
      this.dark = to;
      this.current().refresh();
      this.current().board?.draw();
    };
    window.addEventListener('beforeprint', () => { dark = this.dark; turn(false); });
    window.addEventListener('afterprint', () => { if (dark !== null) turn(dark); });
  }

  turn_theme() {
    this.set_theme(!this.dark, true);
    try { window.localStorage.setItem('copse-theme', this.dark ? 'dark' : 'light'); } catch { /* as above */ }
    this.current().refresh();
  }
}

export function decode_hash(hash) {
  const [name, ...rest] = hash.replace(/^#/, '').split('/');
  if (rest.length === 0) return [name, null];
  try {
    return [name, decodeURIComponent(rest.join('/'))];
  } catch {
    return [name, null];
  }
}

async function begin_page() {
  const main = document.getElementById('main');
  try {
    await new App(FileSource.is_in(document) ? new FileSource(document) : await login_source(main)).begin();
    performance.mark('copse-shown');
  } catch (error) {
    refill(main, el('p', { role: 'alert' }, `The page cannot be shown: ${error.message}`));
    throw error;
  }
}

if (typeof document !== 'undefined') begin_page();
